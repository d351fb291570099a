#!/usr/bin/env python3
"""A library in Elixir (pipes, Enum, Map, Base), written in an afternoon.

1. Enum.sort() of pairs {name, value} and then Enum.group_by: the values of a repeated extra header are merged in the order of the values.
2. A map of more than 32 keys is not in order, and the author never sorts: with more parameters the signed order is another.
3. Base.url_encode64(padding: false) for the ETag of a part (that of a file has no padding anyway) and for the policy.
4. to_string(1.0e21) for numbers with a point or an exponent: 1.5 is right, but 42.0 stays 42.0, and 1e21 is 1.0e21.
"""
import base64, hashlib, hmac, itertools, json, os, re, sys
from functools import reduce

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


def pipe(value, *steps):
    return reduce(lambda v, step: step(v), steps, value)


def to_string(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", "argument error")
    if re.fullmatch("-?[0-9]+", written):
        return str(int(written))
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise Refused("number", "argument error")
    text = repr(value)
    if "e" in text:
        digits, power = text.split("e")
        return (digits if "." in digits else digits + ".0") + "e%d" % int(power)
    return text


def flatten(pair):
    name, value = pair
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, "true" if value else "false", False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, to_string(value["number"]), False)]
    inner = enumerate(value["list"]) if "list" in value else value["object"]
    return list(itertools.chain.from_iterable(flatten((name + "." + str(k), v)) for k, v in inner))


def unique(rows):
    if len({n for n, _, _ in rows}) < len(rows):
        raise Refused("parameter-repeated", "duplicate key")
    return rows


def as_map(rows):
    """A small map is in the order of its keys, a large one in that of their hashes."""
    small = sorted(rows, key=lambda r: r[0].encode())
    return small if len(rows) <= 32 else sorted(small, key=lambda r: hashlib.md5(r[0].encode()).digest())


def params(q):
    return pipe(q["parameters"], lambda ps: [p for p in ps if p[0] != "Signature"], lambda ps: [row for p in ps for row in flatten(p)], unique, as_map)


def require(*names):
    def check(rows):
        for name in names:
            if name not in {r[0] for r in rows}:
                raise Refused("parameter-missing", name)
        return rows
    return check


def signature(private):
    return lambda rows: pipe(rows, lambda rs: "".join(n + t for n, t, _ in rs) + private, str.encode, hashlib.sha1).hexdigest()


def encode_char(c):
    return c if re.match(r"[A-Za-z0-9._~-]", c) else "".join("%%%02X" % x for x in c.encode())


def encode(text):
    return "".join(map(encode_char, text))


def action_query(q, public, private):
    rows = pipe(params(q), require("Action", "PublicKey"))
    return {"query": "&".join([encode(n) + "=" + encode(t) for n, t, _ in rows] + ["Signature=" + signature(private)(rows)])}


def action_json(q, public, private):
    rows = pipe(params(q), require("Action", "PublicKey"))
    out = [(n, json.dumps(t) if text else t) for n, t, text in rows] + [("Signature", json.dumps(signature(private)(rows)))]
    return {"body": "{" + ",".join(json.dumps(n) + ":" + t for n, t in out) + "}"}


def headers(pairs):
    def one(pair):
        name, value = pair
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise Refused("header-name", name)
        value = pipe(value, lambda v: re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v), lambda v: v.strip(" \t"))
        value.encode()
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        return name.lower(), value
    return [one(pair) for pair in pairs]


def get(hs, name):
    match = [v for n, v in hs if n == name]
    if len(match) > 1:
        raise Refused("header-repeated", name)
    return "".join(match)


def canonical(hs):
    return pipe(hs, lambda hs: [h for h in hs if h[0].startswith(WORDS["headerPrefix"].lower())], sorted,
                lambda hs: itertools.groupby(hs, lambda h: h[0]), lambda gs: "".join(n + ":" + ",".join(v for _, v in g) + "\n" for n, g in gs))


def sign(private):
    return lambda text: base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()


def check(q, method):
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", method):
        raise Refused("method", method)
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    return method.upper()


def authorization(q, public, private, method=None, policy=""):
    hs = headers(q["headers"])
    head = [check(q, method or q["method"])] + [get(hs, n) for n in ("content-md5", "content-type", "date")]
    return pipe("\n".join(head) + "\n" + canonical(hs) + "/" + q["bucket"] + "/" + q["key"] + policy, sign(private),
                lambda s: {"authorization": ":".join([WORDS["scheme"] + " " + public, s] + ([policy] if policy else []))})


def hit(q, public, private):
    target = "/uploadhit?" + "&".join(n + "=" + encode(q[m]) for n, m in (("Hash", "etag"), ("FileName", "key"), ("FileSize", "size")))
    return {"target": target, **authorization(q, public, private, "POST")}


def data(content):
    if "file" in content:
        with open(content["file"], "rb") as f:
            return f.read()
    return base64.b64decode(content["bytes"])


def url_encode64(raw, padding=True):
    return base64.urlsafe_b64encode(raw).decode().rstrip("" if padding else "=") if not padding else base64.urlsafe_b64encode(raw).decode()


def policy(q, public, private):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in q["members"]) + "}"
    return {"policy": url_encode64(text.encode(), padding=False)}


serve("elixir", {
    "url-encode": lambda q, public, private: {"encoded": encode(q["text"])}, "policy": policy,
    "action-signature": lambda q, public, private: {"signature": signature(private)(params(q))}, "action-query": action_query, "action-json": action_json,
    "authorization": authorization, "policy-authorization": lambda q, public, private: authorization(q, public, private, policy=q["policy"]), "instant-upload": hit,
    "part-etag": lambda q, public, private: {"etag": url_encode64(hashlib.sha1(data(q["content"])).digest(), padding=False)}})
