#!/usr/bin/env python3
"""Correct. Coroutines: each stage of signing and of verifying is a generator that is sent pieces and passes results on to the next one (flatten, drop,
gather, tee, digest, write), wired together from the last to the first. Shows its stages as traces, and answers up to eight questions ahead. Queries keep
the order of the given parameters (Signature last); JSON bodies have the names in reverse order.
"""
import base64, hashlib, hmac, json, re, sys


class Refused(Exception):
    pass


class Unsupported(Exception):
    pass


def serve(name, ops):
    """Reads the adapter protocol; ops: operation -> f(input, publicKey, privateKey) giving the result and the trace."""
    for line in sys.stdin.buffer:
        m = json.loads(line)
        if "dialect" in m:
            WORDS.update(m["dialect"])
            r = {"protocol": 1, "implementation": {"name": name, "version": "0.1", "language": "python"}, "operations": list(ops),
                 "traces": TRACES, "window": 8}
        else:
            r = {"n": m["n"]}
            try:
                if m["operation"] in ops:
                    r["result"], r["trace"] = ops[m["operation"]](m["input"], m["keys"]["publicKey"], m["keys"]["privateKey"])
                    if not r["trace"]:
                        del r["trace"]
                else:
                    r["unsupported"] = True
            except Refused as e:
                r["refused"] = {"reason": e.args[0], "message": " ".join(e.args[1:])}
            except UnicodeEncodeError:
                r["refused"] = {"reason": "text", "message": "a lone surrogate"}
            except Unsupported as e:
                r["unsupported"] = str(e)
            except Exception as e:
                r["error"] = "%s: %s" % (type(e).__name__, e)
        sys.stdout.write(json.dumps(r) + "\n")
        sys.stdout.flush()


WORDS = {}
TRACES = ["sortedParameters", "stringToSign", "signature", "canonicalHeaders", "canonicalResource", "digest", "encodedSignature", "blockCount"]
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def stage(f):
    """Starts a coroutine."""
    def start(*args):
        g = f(*args)
        next(g)
        return g
    return start


def feed(target, items):
    for item in items:
        target.send(item)
    target.close()


@stage
def collect(into):
    while True:
        into.append((yield))


@stage
def tee(*targets):
    try:
        while True:
            item = yield
            for target in targets:
                target.send(item)
    except GeneratorExit:
        for target in targets:
            target.close()


@stage
def flatten(target, reason="number", null="parameter-null"):
    try:
        while True:
            name, value = yield
            if value is None:
                raise Refused(null, name)
            if isinstance(value, bool):
                target.send((name, "true" if value else "false", False))
            elif isinstance(value, str):
                target.send((name, value, True))
            elif "number" in value:
                target.send((name, plain(value["number"], reason), False))
            else:
                inner = flatten(through(target), reason, null)
                for k, v in (enumerate(value["list"]) if "list" in value else value["object"]):
                    inner.send((name + "." + str(k), v))
    except GeneratorExit:
        target.close()


@stage
def through(target):
    """Passes on everything but the end."""
    while True:
        target.send((yield))


@stage
def drop(name, target):
    try:
        while True:
            item = yield
            if item[0] != name:
                target.send(item)
    except GeneratorExit:
        target.close()


@stage
def digest(h, out):
    try:
        while True:
            h.update((yield))
    except GeneratorExit:
        out.append(h.digest())


@stage
def encode(target):
    try:
        while True:
            target.send((yield).encode())
    except GeneratorExit:
        target.close()


def plain(written, reason):
    m = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?", written)
    if not m:
        raise Refused(reason, written)
    digits, point = m[2] + (m[3] or ""), len(m[2])
    kept = digits.lstrip("0")
    if not kept:
        return "0"
    power = (m[4] or "0").lstrip("+")
    if len(power.lstrip("-0")) > 7:
        raise Refused(reason, "too long")
    point += int(power) - (len(digits) - len(kept))
    if abs(point - 1) >= 4000:
        raise Refused(reason, "too long")
    kept = kept.rstrip("0")
    whole = kept[:max(point, 0)].ljust(max(point, 0), "0") or "0"
    part = "0" * max(-point, 0) + kept[max(point, 0):] if len(kept) > point else ""
    return m[1] + whole + ("." + part if part else "")


def unrepeated(names):
    if len(set(names)) != len(names):
        raise Refused("parameter-repeated")


def flat(pairs, reason="number", null="parameter-null"):
    leaves = []
    feed(flatten(drop("Signature", collect(leaves)), reason, null), pairs)
    unrepeated([n for n, _, _ in leaves])
    return leaves


def hexed(leaves, private):
    text, out = [], []
    ordered = sorted(leaves, key=lambda leaf: leaf[0].encode())
    feed(tee(collect(text), encode(digest(hashlib.sha1(), out))), [n + t for n, t, _ in ordered] + [private])
    return out[0].hex(), {"sortedParameters": [[n, t] for n, t, _ in ordered], "stringToSign": "".join(text), "signature": out[0].hex()}


def need(leaves, *names):
    for name in names:
        if all(n != name for n, _, _ in leaves):
            raise Refused("parameter-missing", name)
    return leaves


def escape(text, keep=""):
    out = []

    @stage
    def octets():
        while True:
            c = yield
            out.append(chr(c) if chr(c) in keep or c < 128 and (chr(c).isalnum() or chr(c) in "-_.~") else "%%%02X" % c)
    feed(octets(), text.encode())
    return "".join(out)


def action_signature(q, public, private):
    signature, trace = hexed(flat(q["parameters"]), private)
    return {"signature": signature}, trace


def with_query(q, private):
    leaves = need(flat(q["parameters"]), "Action", "PublicKey")
    signature, trace = hexed(leaves, private)
    return leaves, "".join(escape(n) + "=" + escape(t) + "&" for n, t, _ in leaves) + "Signature=" + signature, trace


def action_query(q, public, private):
    _, query, trace = with_query(q, private)
    return {"query": query}, trace


def bucket_request(q, public, private):
    leaves, query, trace = with_query(q, private)
    if ("Action", "CreateBucket") in [leaf[:2] for leaf in leaves]:
        need(leaves, "Type", "BucketName")
    return {"target": "/?" + query}, trace


def action_json(q, public, private):
    leaves = need(flat(q["parameters"]), "Action", "PublicKey")
    signature, trace = hexed(leaves, private)
    rows = sorted(leaves + [("Signature", signature, True)], reverse=True)
    return {"body": "{" + ", ".join(json.dumps(n) + " : " + (json.dumps(t) if text else t) for n, t, text in rows) + "}"}, trace


@stage
def clean(target):
    """Pairs of a header or field."""
    while True:
        name, value = yield
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode()
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        target.send((name, value))


@stage
def named(target):
    while True:
        name, value = yield
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        target.send((name.lower(), value))


def headers_of(q):
    out = []
    feed(named(clean(collect(out))), q["headers"])
    return out


def one(pairs, name):
    found = [v for n, v in pairs if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


@stage
def merge(lines):
    """Writes sorted pairs as lines into a list when it is closed."""
    table = {}
    try:
        while True:
            name, value = yield
            table.setdefault(name, []).append(value)
    except GeneratorExit:
        lines.extend(name + ":" + ",".join(table[name]) + "\n" for name in sorted(table))


@stage
def starting(prefix, target):
    try:
        while True:
            pair = yield
            if pair[0].startswith(prefix):
                target.send(pair)
    except GeneratorExit:
        target.close()


def canonical(pairs):
    lines = []
    feed(starting(WORDS["headerPrefix"].lower(), merge(lines)), pairs)
    return "".join(lines)


def verb(text):
    if not TOKEN.fullmatch(text):
        raise Refused("method", text)
    return text.upper()


def place(q):
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    return "/" + q["bucket"] + "/" + q["key"]


def mac(private, lines, pairs, where, after=""):
    extra, text, out = canonical(pairs), [], []
    feed(tee(collect(text), encode(digest(hmac.new(private.encode(), b"", "sha1"), out))), [line + "\n" for line in lines] + [extra, where, after])
    signature = base64.b64encode(out[0]).decode()
    return signature, {"canonicalHeaders": extra, "canonicalResource": where, "stringToSign": "".join(text), "digest": out[0].hex(), "signature": signature}


def header_mac(method, q, private, after=""):
    pairs = headers_of(q)
    method, where = verb(method), place(q)
    return mac(private, [method] + [one(pairs, n) for n in ("content-md5", "content-type", "date")], pairs, where, after)


def credentials(public, signature, policy=""):
    public.encode()
    return WORDS["scheme"] + " " + ":".join([public, signature] + [policy] * bool(policy))


def authorization(q, public, private):
    policy = q.get("policy", "")
    signature, trace = header_mac(q["method"], q, private, policy)
    return {"authorization": credentials(public, signature, policy)}, trace


def form(q, public, private):
    pairs, fields = headers_of(q), []
    where = place(q)
    feed(clean(collect(fields)), [p for p in q["fields"] if p[0] in ("Content-Type", "Content-MD5")])
    md5 = one(pairs, "content-md5") if any(n == "content-md5" for n, _ in pairs) else one(fields, "Content-MD5")
    signature, trace = mac(private, ["POST", md5, one(fields, "Content-Type"), one(pairs, "date")], pairs, where)
    return {"authorization": credentials(public, signature)}, trace


def instant(q, public, private):
    signature, trace = header_mac("POST", q, private)
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (escape(q["etag"]), escape(q["key"]), escape(q["size"])), "authorization": credentials(public, signature)}, trace


def presigned(q, public, private):
    pairs = headers_of(q)
    method, where = verb(q["method"]), place(q)
    signature, trace = mac(private, [method, "", "", q["expires"]], pairs, where)
    trace["encodedSignature"] = escape(signature)
    query = "Expires=%s&%s=%s&Signature=%s" % (escape(q["expires"]), WORDS["publicKeyParameter"], escape(public), trace["encodedSignature"])
    return {"url": "%s://%s.%s/%s?%s" % (q["scheme"], q["bucket"], q["fileHost"], escape(q["key"], "/"), query)}, trace


def pieces(content):
    if "file" in content:
        with open(content["file"], "rb") as f:
            yield from iter(lambda: f.read(4194304), b"")
    elif content["bytes"]:
        data = base64.b64decode(content["bytes"])
        yield from (data[i:i + 4194304] for i in range(0, len(data), 4194304))


def etag(q, public, private):
    hashes, whole, count = [], [], 0

    @stage
    def each():
        while True:
            one_ = []
            feed(digest(hashlib.sha1(), one_), [(yield)])
            hashes.append(one_[0])
    feed(tee(each(), digest(hashlib.sha1(), whole)), pieces(q["content"]))
    last = hashlib.sha1(b"".join(hashes)).digest() if len(hashes) > 1 else whole[0]
    return {"etag": base64.urlsafe_b64encode(len(hashes).to_bytes(4, "little") + last).decode()}, {"blockCount": len(hashes), "digest": last.hex()}


def part_etag(q, public, private):
    out = []
    feed(digest(hashlib.sha1(), out), pieces(q["content"]))
    return {"etag": base64.urlsafe_b64encode(out[0]).decode()}, {"digest": out[0].hex()}


def unescape(text, reason):
    out = bytearray()

    @stage
    def machine():
        while True:
            c = yield
            if c != 37:
                out.append(c)
                continue
            digits = bytes([(yield), (yield)])
            if not re.fullmatch(rb"[0-9A-Fa-f]{2}", digits):
                raise Refused(reason, "stray %")
            out.append(int(digits, 16))
    feed(machine(), text.encode() + b"  " * bool(re.search("%.?$", text, re.S)))
    try:
        return out.decode()
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def pairs_of(query):
    return [tuple(unescape(x, "query-malformed") for x in p.partition("=")[::2]) for p in query.split("&") if p]


def known(given, public):
    if given != public:
        raise Refused("public-key-unknown", given)


def equal(expected, got):
    if expected != got:
        raise Refused("signature-mismatch")


def account(leaves, signature, public, private):
    if not signature:
        raise Refused("signature-missing")
    need(leaves, "Action", "PublicKey")
    given = next(t for n, t, _ in leaves if n == "PublicKey")
    known(given, public)
    expected, trace = hexed(leaves, private)
    equal(expected, signature)
    return {"publicKey": given}, trace


def verify_query(q, public, private):
    pairs = pairs_of(q["query"])
    unrepeated([n for n, _ in pairs])
    return account(flat(pairs), dict(pairs).get("Signature"), public, private)


def verify_json(q, public, private):
    def members(pairs):
        unrepeated([n for n, _ in pairs])
        return {"object": [(n, wrap(v)) for n, v in pairs]}

    def wrap(v):
        return {"list": [wrap(x) for x in v]} if type(v) is list else v

    def constant(word):
        raise ValueError(word)
    try:
        body = json.loads(q["body"], object_pairs_hook=members, parse_int=lambda t: {"number": t}, parse_float=lambda t: {"number": t}, parse_constant=constant)
        if type(body) is not dict or "object" not in body:
            raise ValueError("no object")
        leaves = flat(body["object"], "body-malformed", "body-malformed")
    except (ValueError, RecursionError) as problem:
        if isinstance(problem, UnicodeError):
            raise
        raise Refused("body-malformed")
    signature = dict(body["object"]).get("Signature")
    return account(leaves, signature if isinstance(signature, str) else None, public, private)


def policy(q, public, private):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in q["members"]) + "}"
    return {"policy": base64.urlsafe_b64encode(text.encode()).decode()}, {}


serve("coroutines", {
    "url-encode": lambda q, public, private: ({"encoded": escape(q["text"])}, {}),
    "password": lambda q, public, private: ({"value": base64.b64encode(q["text"].encode()).decode()}, {}),
    "action-signature": action_signature, "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request, "authorization": authorization,
    "policy-authorization": authorization, "form-authorization": form, "instant-upload": instant, "presigned-url": presigned, "policy": policy, "etag": etag, "part-etag": part_etag,
    "verify-query": verify_query, "verify-json": verify_json})
