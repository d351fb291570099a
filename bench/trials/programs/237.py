#!/usr/bin/env python3
"""A port of an account API client from JavaScript (Node): parameters are an object, as JSON.parse makes it.

Mistakes:
1. Every number is a double, signed and sent as String(n) writes it: 9007199254740993 becomes 9007199254740992, 1e21 stays with its
   exponent (1e+21), as does 1e-7; a number beyond the doubles is refused.
2. Sorts with Object.keys(p).sort(), which compares UTF-16 code units: a name with U+10000 comes before one with U+FF21.
3. Escapes with encodeURIComponent, which leaves ! ' ( ) * as they are.
4. A falsy value (an empty text, 0, false) is left out of the signed string, but sent.
"""
import hashlib
import json
import math
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

KEEP = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")


def encode_uri_component(s):
    return "".join(chr(b) if b in KEEP else "%" + format(b, "02X") for b in s.encode("utf-8"))


def js_number(n):
    """Number::toString of ECMAScript, radix 10."""
    if n == 0:
        return "0"
    if n < 0:
        return "-" + js_number(-n)
    mantissa, _, exponent = repr(n).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    s = stripped.rstrip("0")
    k = len(s)
    if k <= point <= 21:
        return s + "0" * (point - k)
    if 0 < point <= 21:
        return s[:point] + "." + s[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + s
    e = point - 1
    return s[0] + ("." + s[1:] if k > 1 else "") + "e" + ("+" if e >= 0 else "-") + str(abs(e))


class Num(float):
    pass


def to_value(v):
    """An input value as the script would hold it."""
    if isinstance(v, dict) and "number" in v:
        t = v["number"]
        if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", t):
            raise Refused("number", t)
        n = Num(t)
        if math.isinf(n):
            raise Refused("number", t)
        return n
    return v


def flatten(pairs):
    flat = {}

    def walk(name, v):
        v = to_value(v)
        if v is None:
            raise Refused("parameter-null", name)
        if isinstance(v, dict):
            if "list" in v:
                for i, item in enumerate(v["list"]):
                    walk("%s.%d" % (name, i), item)
            else:
                for k, item in v["object"]:
                    walk(name + "." + k, item)
        elif name != "Signature":
            if name in flat:
                raise Refused("parameter-repeated", name)
            flat[name] = v

    for name, v in pairs:
        walk(name, v)
    return flat


def string(v):
    if v is True:
        return "true"
    if v is False:
        return "false"
    return js_number(v) if isinstance(v, Num) else v


def stringify(v):
    return json.dumps(v) if isinstance(v, str) else string(v)


def sort(names):
    for n in names:
        n.encode("utf-8")
    return sorted(names, key=lambda n: n.encode("utf-16-be"))


def sign(flat, secret):
    s = "".join(k + string(flat[k]) for k in sort(flat) if flat[k])
    return hashlib.sha1((s + secret).encode("utf-8")).hexdigest()


def request(g):
    flat = flatten(g["parameters"])
    for k in ("Action", "PublicKey"):
        if k not in flat:
            raise Refused("parameter-missing", k)
    return flat


def to_query(flat, secret):
    return "".join(encode_uri_component(k) + "=" + encode_uri_component(string(flat[k])) + "&" for k in sort(flat)) \
        + "Signature=" + sign(flat, secret)


def action_signature(g, pub, secret):
    return {"signature": sign(flatten(g["parameters"]), secret)}


def action_query(g, pub, secret):
    return {"query": to_query(request(g), secret)}


def action_json(g, pub, secret):
    flat = request(g)
    members = [(k, stringify(flat[k])) for k in sort(flat)] + [("Signature", json.dumps(sign(flat, secret)))]
    return {"body": "{" + ",".join(json.dumps(k) + ":" + v for k, v in members) + "}"}


def bucket_request(g, pub, secret):
    flat = request(g)
    if flat["Action"] == "CreateBucket":
        for k in ("Type", "BucketName"):
            if k not in flat:
                raise Refused("parameter-missing", k)
    return {"target": "/?" + to_query(flat, secret)}


serve("node-api", {
    "url-encode": lambda g, pub, secret: {"encoded": encode_uri_component(g["text"])},
    "action-signature": action_signature,
    "action-json": action_json,
    "action-query": action_query,
    "bucket-request": bucket_request,
})
