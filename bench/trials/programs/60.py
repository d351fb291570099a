#!/usr/bin/env python3
"""A library in C++ (streams, std::map, iterators) for a game's asset uploader.

1. std::hex without std::setw(2) in the digest of parameters and in escapes: a byte below 16 has one digit.
2. std::map::insert does nothing if the name is there already: of a repeated extra header only the first value is signed.
3. std::ostream writes a number with a fraction or an exponent as a double with six significant digits.
4. std::vector<char>(size) is filled with one read(), and a part of more than 4 MiB is hashed up to there (the buffer of the file's ETag is reused).
"""
import base64, hashlib, hmac, io, os, re, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


class ostringstream:
    def __init__(self):
        self.parts = []

    def __lshift__(self, x):
        self.parts.append(hex(x)[2:] if type(x) is int else "%g" % x if type(x) is float else x)
        return self

    def str(self):
        return "".join(self.parts)


def to_hex(data):
    out = ostringstream()
    for byte in data:
        out << byte
    return out.str()


def escape(text):
    out = ostringstream()
    it = iter(text.encode())
    for c in it:
        if 48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c in (45, 46, 95, 126):
            out << chr(c)
        else:
            out << "%" << ("%X" % c)
    return out.str()


def number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    if re.fullmatch("-?[0-9]+", written):
        return "0" if written == "-0" else written
    out = ostringstream()
    value = float(written)
    out << (value if value else 0.0)
    return out.str()


def push(params, name, value):
    stack = [(name, value)]
    while stack:
        name, value = stack.pop()
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict) and "number" not in value:
            inner = enumerate(value["list"]) if "list" in value else value["object"]
            stack += [(name + "." + str(k), v) for k, v in inner]
            continue
        if name in params:
            raise Refused("parameter-repeated", name)
        params[name] = number(value["number"]) if isinstance(value, dict) else value if isinstance(value, str) else "true" if value else "false"


def load(q):
    params = {}
    for name, value in q["parameters"]:
        if name != "Signature":
            push(params, name, value)
    return sorted(params.items(), key=lambda p: p[0].encode())


def sign(params, private):
    sha = hashlib.sha1()
    for first, second in params:
        sha.update(first.encode() + second.encode())
    sha.update(private.encode())
    return to_hex(sha.digest())


def query(q, private):
    params = load(q)
    for wanted in ("Action", "PublicKey"):
        if wanted not in dict(params):
            raise Refused("parameter-missing", wanted)
    return dict(params), "&".join(escape(n) + "=" + escape(v) for n, v in params) + "&Signature=" + sign(params, private)


def bucket_request(q, public, private):
    params, text = query(q, private)
    if params["Action"] == "CreateBucket" and not ("Type" in params and "BucketName" in params):
        raise Refused("parameter-missing", "Type or BucketName")
    return {"target": "/?" + text}


class headers:
    def __init__(self, pairs):
        self.map, self.count = {}, {}
        for name, value in pairs:
            if re.search(r"[^!#$%&'*+.^_`|~0-9A-Za-z-]", name) or not name:
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if any(c in value for c in "\r\n\0"):
                raise Refused("header-value", name)
            value.encode()
            self.map.setdefault(name.lower(), value)
            self.count[name.lower()] = self.count.get(name.lower(), 0) + 1

    def at(self, name):
        if self.count.get(name, 0) > 1:
            raise Refused("header-repeated", name)
        return self.map.get(name, "")


def string_to_sign(method, q):
    h = headers(q["headers"])
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", method):
        raise Refused("method", method)
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    out = ostringstream()
    out << method.upper() << "\n" << h.at("content-md5") << "\n" << h.at("content-type") << "\n" << h.at("date") << "\n"
    for name in sorted(h.map):
        if name.startswith(WORDS["headerPrefix"].lower()):
            out << name << ":" << h.map[name] << "\n"
    out << "/" << q["bucket"] << "/" << q["key"]
    return out.str()


def authorization(method, q, public, private, policy=""):
    text = string_to_sign(method, q) + policy
    sig = base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()
    return WORDS["scheme"] + " " + public + ":" + sig + (":" + policy if policy else "")


def reader(content):
    return open(content["file"], "rb") if "file" in content else io.BytesIO(base64.b64decode(content["bytes"]))


def etag(q, public, private):
    hashes = []
    with reader(q["content"]) as stream:
        while True:
            block = stream.read(4194304)
            if not block:
                break
            hashes.append(hashlib.sha1(block).digest())
    last = hashes[0] if len(hashes) == 1 else hashlib.sha1(b"".join(hashes)).digest()
    return {"etag": base64.urlsafe_b64encode(bytes((len(hashes) >> s) & 255 for s in (0, 8, 16, 24)) + last).decode()}


def part(q, public, private):
    with reader(q["content"]) as stream:
        return {"etag": base64.urlsafe_b64encode(hashlib.sha1(stream.read(4194304)).digest()).decode()}


serve("assets", {
    "url-encode": lambda q, public, private: {"encoded": escape(q["text"])},
    "action-signature": lambda q, public, private: {"signature": sign(load(q), private)},
    "action-query": lambda q, public, private: {"query": query(q, private)[1]}, "bucket-request": bucket_request,
    "authorization": lambda q, public, private: {"authorization": authorization(q["method"], q, public, private)},
    "policy-authorization": lambda q, public, private: {"authorization": authorization(q["method"], q, public, private, q["policy"])},
    "etag": etag, "part-etag": part})
