#!/usr/bin/env python3
"""A gateway that verifies all four kinds of request, in the way of Go's net/http.

Mistakes:
1. Cuts the scheme off with strings.TrimPrefix, so an Authorization value without the scheme is accepted too.
2. Signs path.Clean of the URL's path, as Go's ServeMux redirects it: // becomes /, and . segments and a final slash vanish.
3. Does not compare the public key of a pre-signed URL with the account's; it only recomputes the signature.
4. Decodes JSON numbers to float64 and signs them with %v, so 1000000 is signed as 1e+06 and long numbers lose digits.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import posixpath
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

TCHAR = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def HTTPError(code, why=""):
    return Refused(code, why)


def Unescape(s, code):
    raw = bytearray()
    data = s.encode("utf-8")
    i = 0
    while i < len(data):
        if data[i] == 0x25:
            pair = data[i + 1:i + 3]
            if len(pair) < 2 or not all(c in b"0123456789abcdefABCDEF" for c in pair):
                raise HTTPError(code, "invalid URL escape")
            raw.append(int(pair, 16))
            i += 3
        else:
            raw.append(data[i])
            i += 1
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise HTTPError(code, "invalid UTF-8")


class Header:
    def __init__(self, pairs):
        self.m = {}
        for name, value in pairs:
            name = name.strip(" \t")
            if not name or not TCHAR.issuperset(name):
                raise HTTPError("header-name", name)
            value = re.sub("[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
            if not frozenset("\r\n\0").isdisjoint(value):
                raise HTTPError("header-value", name)
            self.m.setdefault(name.lower(), []).append(value)

    def Get(self, name):
        values = self.m.get(name) or [""]
        if len(values) > 1:
            raise HTTPError("header-repeated", name)
        return values[0]

    def Extra(self):
        b = ""
        for name in sorted(self.m):
            if name.startswith(WORDS["headerPrefix"].lower()):
                b += name + ":" + ",".join(self.m[name]) + "\n"
        return b


def Method(m):
    if not m or not TCHAR.issuperset(m):
        raise HTTPError("method", m)
    return m.upper()


def Mac(secret, text):
    return base64.b64encode(hmac.new(secret.encode(), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def same(a, b):
    return hmac.compare_digest(a.encode("utf-8"), b.encode("utf-8"))


def isPolicy(p):
    std, url = set("+/") & set(p), set("-_") & set(p)
    if std and url:
        return False
    p = p.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    try:
        return type(json.loads(base64.b64decode(p + "=" * (-len(p) % 4), validate=True).decode("utf-8"))) is dict
    except (binascii.Error, ValueError, RecursionError):
        return False


def VerifyAuthorization(o, pub, pri):
    h = Header(o["headers"])
    method = Method(o["method"])
    if o["bucket"] == "" or "/" in o["bucket"]:
        raise HTTPError("bucket", o["bucket"])
    text = method + "\n" + h.Get("content-md5") + "\n" + h.Get("content-type") + "\n" + h.Get("date") + "\n"
    text += h.Extra() + "/" + o["bucket"] + "/" + o["key"]
    auth = h.m.get("authorization")
    if auth is None:
        raise HTTPError("authorization-missing")
    if len(auth) != 1:
        raise HTTPError("authorization-malformed")
    parts = auth[0].removeprefix(WORDS["scheme"] + " ").split(":")
    if not 2 <= len(parts) <= 3 or "" in parts or any(" " in p or "\t" in p for p in parts):
        raise HTTPError("authorization-malformed")
    if len(parts) == 3:
        if method not in ("PUT", "POST") or not isPolicy(parts[2]):
            raise HTTPError("authorization-malformed", "policy")
        text += parts[2]
    if parts[0] != pub:
        raise HTTPError("public-key-unknown", parts[0])
    if not same(Mac(pri, text), parts[1]):
        raise HTTPError("signature-mismatch")
    return {"publicKey": parts[0]}


def ParseQuery(query):
    out = []
    for piece in query.split("&"):
        if piece:
            k, _, v = piece.partition("=")
            out.append((Unescape(k, "query-malformed"), Unescape(v, "query-malformed")))
    return out


def Clean(path):
    return posixpath.normpath("/" + path.lstrip("/"))[1:]


def VerifyPresigned(o, pub, pri):
    h = Header(o["headers"])
    method = Method(o["method"])
    m = re.fullmatch(r"https?://([^/?#]*)(/[^?#]*)(\?[^#]*)?", o["url"])
    if m is None:
        raise HTTPError("url-malformed")
    bucket, _, host = m[1].partition(".")
    if bucket == "" or host.lower() != o["fileHost"].lower():
        raise HTTPError("url-malformed", "host")
    key = Clean(Unescape(m[2][1:], "url-malformed"))
    q = {}
    for k, v in ParseQuery((m[3] or "?")[1:]):
        if k in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if k in q:
                raise HTTPError("parameter-repeated", k)
            q[k] = v
    if not q.get("Signature"):
        raise HTTPError("signature-missing")
    for k in (WORDS["publicKeyParameter"], "Expires"):
        if k not in q:
            raise HTTPError("parameter-missing", k)
    if not re.fullmatch("[0-9]{1,15}", q["Expires"]):
        raise HTTPError("expires-malformed")
    if int(o["now"]) > int(q["Expires"]):
        raise HTTPError("expired")
    text = method + "\n\n\n" + q["Expires"] + "\n" + h.Extra() + "/" + bucket + "/" + key
    if not same(Mac(pri, text), q["Signature"]):
        raise HTTPError("signature-mismatch")
    return {"publicKey": q[WORDS["publicKeyParameter"]]}


def Sprint(f):
    """fmt.Sprint of a float64: %v."""
    if f == 0:
        return "0"
    sign, digits, exp = Decimal(repr(f)).normalize().as_tuple()
    point = len(digits) + exp - 1
    s = "".join(map(str, digits))
    minus = "-" if sign else ""
    if point < -4 or point >= 6:
        return "%s%s%se%s%02d" % (minus, s[0], "." + s[1:] if s[1:] else "", "-" if point < 0 else "+", abs(point))
    return format(Decimal(repr(f)).normalize(), "f")


class Pairs(list):
    pass


def Flatten(name, v, out):
    if v is None:
        raise HTTPError("body-malformed", "null")
    if isinstance(v, Pairs):
        for k, item in v:
            Flatten(name + "." + k, item, out)
    elif isinstance(v, list):
        for i, item in enumerate(v):
            Flatten(name + "." + str(i), item, out)
    elif isinstance(v, bool):
        out.append((name, str(v).lower()))
    elif isinstance(v, float):
        if v in (float("inf"), float("-inf")):
            raise HTTPError("body-malformed", "number out of range")
        out.append((name, Sprint(v)))
    else:
        out.append((name, v))


def Decode(pairs):
    if len({k for k, _ in pairs}) < len(pairs):
        raise HTTPError("parameter-repeated")
    return Pairs(pairs)


def NoConstant(word):
    raise ValueError(word)


def VerifyParams(pairs, signature, pub, pri):
    params = {}
    for k, v in pairs:
        if k != "Signature":
            if k in params:
                raise HTTPError("parameter-repeated", k)
            params[k] = v
    if not isinstance(signature, str) or signature == "":
        raise HTTPError("signature-missing")
    for k in ("Action", "PublicKey"):
        if k not in params:
            raise HTTPError("parameter-missing", k)
    if params["PublicKey"] != pub:
        raise HTTPError("public-key-unknown")
    h = hashlib.sha1()
    for k in sorted(params, key=lambda k: k.encode("utf-8")):
        h.update((k + params[k]).encode("utf-8"))
    h.update(pri.encode("utf-8"))
    if not same(h.hexdigest(), signature):
        raise HTTPError("signature-mismatch")
    return {"publicKey": pub}


def VerifyQuery(o, pub, pri):
    pairs = ParseQuery(o["query"])
    if len({k for k, _ in pairs}) < len(pairs):
        raise HTTPError("parameter-repeated")
    return VerifyParams(pairs, dict(pairs).get("Signature"), pub, pri)


def VerifyJSON(o, pub, pri):
    try:
        body = json.loads(o["body"], object_pairs_hook=Decode, parse_int=float, parse_float=float, parse_constant=NoConstant)
    except (ValueError, RecursionError):
        raise HTTPError("body-malformed")
    if not isinstance(body, Pairs):
        raise HTTPError("body-malformed")
    flat = []
    for k, v in body:
        Flatten(k, v, flat)
    return VerifyParams(flat, dict(body).get("Signature"), pub, pri)


serve("go-gateway", {
    "verify-authorization": VerifyAuthorization,
    "verify-presigned-url": VerifyPresigned,
    "verify-query": VerifyQuery,
    "verify-json": VerifyJSON,
})
