#!/usr/bin/env python3
"""A crate in Rust (enum Value, traits, percent_encoding, http::HeaderMap), first version.

1. percent_encode with NON_ALPHANUMERIC less - _ and . : the ~ is escaped as %7E everywhere.
2. str::trim() trims the values of headers, so no-break spaces and other Unicode blanks at their ends are gone.
3. A number is parsed as f64 if i64 fails, and written by Display, which has no exponent but only the shortest digits: great whole numbers and long
   fractions are rounded.
4. The count of blocks is max(1, ...), so an empty file has the count 1.
"""
import base64, hashlib, hmac, json, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


class Value:
    """enum Value { Text, Bool, Int, Float, List, Map }"""

    @staticmethod
    def of(v):
        if v is None:
            raise Refused("parameter-null", "None")
        if isinstance(v, bool):
            return Bool(v)
        if isinstance(v, str):
            return Text(v)
        return Number(v["number"]) if "number" in v else List(v["list"]) if "list" in v else Map(v["object"])

    def visit(self, name, sink):
        sink(name, self.display(), self.json())

    def json(self):
        return self.display()


class Text(Value):
    def __init__(self, s):
        self.s = s

    def display(self):
        return self.s

    def json(self):
        return json.dumps(self.s, ensure_ascii=False)


class Bool(Value):
    def __init__(self, v):
        self.v = v

    def display(self):
        return ("false", "true")[self.v]


class Number(Value):
    def __init__(self, written):
        if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
            raise Refused("number", "ParseFloatError { kind: Invalid }")
        if re.fullmatch("-?[0-9]+", written) and -2 ** 63 <= int(written) < 2 ** 63:
            self.shown = str(int(written))
        else:
            f = float(written)
            if f in (float("inf"), -float("inf")):
                raise Refused("number", "infinite")
            s = format(Decimal(repr(f)), "f")
            s = s[:-2] if s.endswith(".0") else s
            self.shown = "0" if f == 0 else s

    def display(self):
        return self.shown


class List(Value):
    def __init__(self, items):
        self.items = [(str(i), Value.of(v)) for i, v in enumerate(items)]

    def visit(self, name, sink):
        for key, value in self.items:
            value.visit(name + "." + key, sink)


class Map(List):
    def __init__(self, members):
        self.items = [(k, Value.of(v)) for k, v in members]


class BTreeMap:
    def __init__(self):
        self.rows = {}

    def insert(self, name, shown, written):
        if name.encode() in self.rows:
            raise Refused("parameter-repeated", name)
        self.rows[name.encode()] = (name, shown, written)

    def __iter__(self):
        return iter([self.rows[k] for k in sorted(self.rows)])


def collect(q, *required):
    tree = BTreeMap()
    for name, v in q["parameters"]:
        if name != "Signature":
            Value.of(v).visit(name, tree.insert)
    for name in required:
        if name.encode() not in tree.rows:
            raise Refused("parameter-missing", name)
    return tree


def digest(tree, private):
    return hashlib.sha1(b"".join((n + s).encode() for n, s, _ in tree) + private.encode()).hexdigest()


def utf8_percent_encode(s):
    return "".join(chr(c) if 48 <= c < 58 or 65 <= c < 91 or 97 <= c < 123 or c in b"-_." else "%%%02X" % c for c in s.encode())


class HeaderMap:
    def __init__(self, pairs):
        self.rows = []
        for name, value in pairs:
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise Refused("header-name", "InvalidHeaderName")
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)
            if re.search(r"[\r\n\0]", value.strip(" \t")):
                raise Refused("header-value", "InvalidHeaderValue")
            value.encode()
            self.rows.append((name.lower(), value.strip()))

    def get(self, name):
        found = [v for n, v in self.rows if n == name]
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def canonical(self):
        names = sorted({n for n, _ in self.rows if n.startswith(WORDS["headerPrefix"].lower())})
        return "".join(n + ":" + ",".join(v for m, v in self.rows if m == n) + "\n" for n in names)


class Signer:
    def __init__(self, public, private):
        self.public, self.private = public, private

    def base64(self, text):
        return base64.b64encode(hmac.new(self.private.encode(), text.encode(), hashlib.sha1).digest()).decode()

    def header(self, method, q):
        h = HeaderMap(q["headers"])
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", method):
            raise Refused("method", "InvalidMethod")
        if not q["bucket"] or "/" in q["bucket"]:
            raise Refused("bucket", q["bucket"])
        text = "\n".join((method.upper(), h.get("content-md5"), h.get("content-type"), h.get("date"), h.canonical())) + "/" + q["bucket"] + "/" + q["key"]
        return WORDS["scheme"] + " " + self.public + ":" + self.base64(text)

    def hit(self, q):
        return {"authorization": self.header("POST", q), "target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(utf8_percent_encode(q[x]) for x in ("etag", "key", "size"))}

    def url(self, q):
        h = HeaderMap(q["headers"])
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", q["method"]):
            raise Refused("method", "InvalidMethod")
        if not q["bucket"] or "/" in q["bucket"]:
            raise Refused("bucket", q["bucket"])
        sig = self.base64(q["method"].upper() + "\n\n\n" + q["expires"] + "\n" + h.canonical() + "/" + q["bucket"] + "/" + q["key"])
        query = [(WORDS["publicKeyParameter"], self.public), ("Expires", q["expires"]), ("Signature", sig)]
        return {"url": q["scheme"] + "://" + q["bucket"] + "." + q["fileHost"] + "/" + "/".join(map(utf8_percent_encode, q["key"].split("/"))) + "?" + "&".join(n + "=" + utf8_percent_encode(v) for n, v in query)}


def etag(q, public, private):
    c = q["content"]
    data = open(c["file"], "rb").read() if "file" in c else base64.b64decode(c["bytes"])
    sha = lambda x: hashlib.sha1(x).digest()
    blocks = [data[i:i + 4194304] for i in range(0, len(data), 4194304)] or [b""]
    return {"etag": base64.urlsafe_b64encode(len(blocks).to_bytes(4, "little") + (sha(data) if len(blocks) == 1 else sha(b"".join(map(sha, blocks))))).decode()}


def action_json(q, public, private):
    tree = collect(q, "Action", "PublicKey")
    return {"body": "{" + "".join(json.dumps(n, ensure_ascii=False) + ":" + w + "," for n, _, w in tree) + '"Signature":"' + digest(tree, private) + '"}'}


def action_query(q, public, private):
    tree = collect(q, "Action", "PublicKey")
    return {"query": "".join(utf8_percent_encode(n) + "=" + utf8_percent_encode(s) + "&" for n, s, _ in tree) + "Signature=" + digest(tree, private)}


serve("crate", {
    "url-encode": lambda q, public, private: {"encoded": utf8_percent_encode(q["text"])},
    "action-signature": lambda q, public, private: {"signature": digest(collect(q), private)},
    "action-json": action_json, "action-query": action_query,
    "authorization": lambda q, public, private: {"authorization": Signer(public, private).header(q["method"], q)},
    "instant-upload": lambda q, public, private: Signer(public, private).hit(q),
    "presigned-url": lambda q, public, private: Signer(public, private).url(q), "etag": etag})
