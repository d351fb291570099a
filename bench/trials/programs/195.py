#!/usr/bin/env python3
"""A gateway in C++ ported from a COS proxy: one account from its configuration, signatures compared with strncmp.

Mistakes:
1. Compares signatures with strncmp(expected, got, strlen(got)), in every operation: any non-empty prefix of the right signature
   passes.
2. Never looks at the public key: a request under any other name passes if its signature is right for the configured private key,
   and the name is returned as the publicKey.
3. verify-authorization takes any third part of the header for a policy, whatever the method and whether or not it is Base64 of a
   JSON object, and appends it to the signed text.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def tidy(v):
    v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
    v.encode("utf-8")
    if re.search(r"[\r\n\0]", v):
        raise Refused("header-value", "line break or NUL")
    return v


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if not re.fullmatch(TOKEN, n):
            raise Refused("header-name", n)
        out.append((n.lower(), tidy(v)))
    return out


def single(values):
    if len(values) > 1:
        raise Refused("header-repeated")
    return values[0] if values else ""


def position(headers, name):
    return single([v for n, v in headers if n == name])


def verb(m):
    if not re.fullmatch(TOKEN, m):
        raise Refused("method", m)
    return m.upper()


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def extra(headers):
    groups = {}
    for n, v in headers:
        if n.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(n, []).append(v)
    return "".join(n + ":" + ",".join(groups[n]) + "\n" for n in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def unescape(s, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, "stray percent sign")
    raw = re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode("ascii")), s.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def pairs_of(query):
    out = []
    for piece in query.split("&"):
        if piece:
            n, _, v = piece.partition("=")
            out.append((unescape(n, "query-malformed"), unescape(v, "query-malformed")))
    return out


def split_url(g):
    m = re.fullmatch(r"(https?)://([^/?#]*)/([^?#]*)\??([^#]*)", g["url"], re.S)
    if not m:
        raise Refused("url-malformed", "not a URL")
    bucket, _, host = m[2].partition(".")
    if not bucket or host.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    pairs = [p for p in pairs_of(m[4]) if p[0] in names]
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated")
    who, expires, signature = (dict(pairs).get(n) for n in names)
    if not signature:
        raise Refused("signature-missing")
    if who is None or expires is None:
        raise Refused("parameter-missing")
    return bucket, m[3], who, expires, signature


def split_header(headers):
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme != WORDS["scheme"] or not blank or re.search(r"[ \t]", rest):
        raise Refused("authorization-malformed")
    if len(parts) not in (2, 3) or "" in parts:
        raise Refused("authorization-malformed")
    return parts + [None] * (3 - len(parts))


def matches(expected, got):
    if not expected.startswith(got):
        raise Refused("signature-mismatch")


def verify_header(g, pub, pri):
    h = read(g["headers"])
    text = "\n".join([verb(g["method"]), position(h, "content-md5"), position(h, "content-type"), position(h, "date"),
                      extra(h) + resource(g["bucket"], g["key"])])
    who, signature, policy = split_header(h)
    matches(mac(text + (policy or ""), pri), signature)
    return {"publicKey": who}


def verify_url(g, pub, pri):
    method, h = verb(g["method"]), read(g["headers"])
    bucket, path, who, expires, signature = split_url(g)
    key = unescape(path, "url-malformed")
    if not re.fullmatch(r"[0-9]{1,15}", expires):
        raise Refused("expires-malformed")
    if int(g["now"]) > int(expires):
        raise Refused("expired")
    matches(mac("\n".join([method, "", "", expires, extra(h) + resource(bucket, key)]), pri), signature)
    return {"publicKey": who}


def number(written):
    try:
        d = Decimal(written)
        if d and not -4000 < d.adjusted() < 4000:
            raise Refused("body-malformed", "too long")
        t = format(d, "f")
    except ArithmeticError:
        raise Refused("body-malformed", "too large")
    t = t.rstrip("0").rstrip(".") if "." in t else t
    return t if t.strip("-0.") else "0"


class Params:
    def __init__(self, pairs):
        self.signature, self.text = dict(pairs).get("Signature"), {}
        for n, v in pairs:
            self.add(n, v)

    def add(self, n, v):
        if v is None:
            raise Refused("body-malformed", "null")
        if isinstance(v, bool):
            self.put(n, "true" if v else "false")
        elif isinstance(v, str):
            self.put(n, v)
        elif isinstance(v, Number):
            self.put(n, number(v.written))
        elif isinstance(v, list):
            for i, x in enumerate(v):
                self.add("%s.%d" % (n, i), x)
        else:
            for k, x in v.members:
                self.add(n + "." + k, x)

    def put(self, n, t):
        if n == "Signature":
            return
        if n in self.text:
            raise Refused("parameter-repeated", n)
        self.text[n] = t

    def verify(self, pub, pri):
        names = sorted(self.text, key=lambda n: n.encode("utf-8"))
        if not isinstance(self.signature, str) or not self.signature:
            raise Refused("signature-missing")
        for n in ("Action", "PublicKey"):
            if n not in self.text:
                raise Refused("parameter-missing", n)
        text = "".join(n + self.text[n] for n in names)
        matches(hashlib.sha1((text + pri).encode("utf-8")).hexdigest(), self.signature)
        return {"publicKey": self.text["PublicKey"]}


class Number:
    def __init__(self, written):
        self.written = written


class Object:
    def __init__(self, members):
        if len(dict(members)) != len(members):
            raise Refused("parameter-repeated")
        self.members = members


def bad(word):
    raise ValueError(word)


def verify_json(g, pub, pri):
    try:
        body = json.loads(g["body"], object_pairs_hook=Object, parse_int=Number, parse_float=Number, parse_constant=bad)
    except (ValueError, RecursionError):
        raise Refused("body-malformed")
    if not isinstance(body, Object):
        raise Refused("body-malformed")
    return Params(body.members).verify(pub, pri)


def verify_query(g, pub, pri):
    pairs = pairs_of(g["query"])
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated")
    return Params(pairs).verify(pub, pri)


serve("cpp-gateway", {"verify-authorization": verify_header, "verify-presigned-url": verify_url, "verify-query": verify_query,
                      "verify-json": verify_json})
