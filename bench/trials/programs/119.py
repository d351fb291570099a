#!/usr/bin/env python3
"""TypeScript for browsers: url-encode, action-signature and action-query.

1. Parameter names are sorted with Array.prototype.sort(), by UTF-16 code units: a name with a character above U+FFFF comes before one
   with U+E000 to U+FFFF in the same place.
2. Numbers are Numbers, and what is signed and sent is String(number): integers beyond 2^53 lose digits, from 1e21 on it is 1e+21, and
   below 1e-6 it is 1e-7.
3. The function that repairs encodeURIComponent replaces ! ( ) * but forgets the apostrophe, which stays as it is, in url-encode and
   action-query.
"""
import hashlib
import os
import re
import sys
from functools import reduce

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, serve  # noqa: E402

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def js_number(source):
    if NUMBER.fullmatch(source) is None:
        raise Refused("number", "not a number")
    head, _, power = source.lower().partition("e")
    whole, _, part = head.lstrip("-").partition(".")
    size = whole + part
    if size.strip("0"):                                 # numbers nobody sends
        top = len(whole) - 1 - (len(size) - len(size.lstrip("0"))) + (int(power) if power else 0)
        if abs(top) >= 4000:
            raise Refused("number", "too long")
    x = float(source)
    if x == 0:
        return "0"
    if x in (float("inf"), float("-inf")):
        return "Infinity" if x > 0 else "-Infinity"
    text = repr(abs(x))
    mantissa, _, e = text.partition("e")
    left, _, right = mantissa.partition(".")
    right = "" if right == "0" else right
    digits = left + right
    n = len(left) + int(e or 0)                         # value = 0.digits * 10 ** n
    n -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    k = len(digits)
    if k <= n <= 21:
        out = digits + "0" * (n - k)
    elif 0 < n <= 21:
        out = digits[:n] + "." + digits[n:]
    elif -6 < n <= 0:
        out = "0." + "0" * -n + digits
    else:
        out = digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + ("+" if n > 0 else "-") + str(abs(n - 1))
    return ("-" if x < 0 else "") + out


def entries(prefix, value):
    if value is None:
        raise Refused("parameter-null", prefix)
    kind = type(value)
    if kind is bool:
        return [(prefix, str(value).lower())]
    if kind is str:
        return [(prefix, value)]
    if "number" in value:
        return [(prefix, js_number(value["number"]))]
    inner = [(str(i), x) for i, x in enumerate(value["list"])] if "list" in value else value["object"]
    return reduce(lambda all_, pair: all_ + entries(prefix + "." + pair[0], pair[1]), inner, [])


def prepared(parameters):
    flat = [e for name, value in parameters for e in entries(name, value) if e[0] != "Signature"]
    names = [e[0] for e in flat]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    for name in names:
        name.encode("utf-8")
    return sorted(flat, key=lambda e: e[0].encode("utf-16-be"))


def sha1(flat, private_key):
    return hashlib.sha1(("".join(name + value for name, value in flat) + private_key).encode("utf-8")).hexdigest()


def encode_uri_component(text):
    keep = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()"
    return "".join(c if c in keep else "".join("%%%02X" % b for b in c.encode("utf-8")) for c in text)


def strict_encode(text):
    return re.sub(r"[!()*]", lambda m: "%" + hex(ord(m[0]))[2:].upper(), encode_uri_component(text))


def action_query(given, public_key, private_key):
    flat = prepared(given["parameters"])
    have = dict(flat)
    for name in ("Action", "PublicKey"):
        if name not in have:
            raise Refused("parameter-missing", name)
    return {"query": "&".join([strict_encode(name) + "=" + strict_encode(value) for name, value in flat]
                              + ["Signature=" + sha1(flat, private_key)])}


OPS = {
    "url-encode": lambda given, public_key, private_key: {"encoded": strict_encode(given["text"])},
    "action-signature": lambda given, public_key, private_key: {"signature": sha1(prepared(given["parameters"]), private_key)},
    "action-query": action_query,
}

if __name__ == "__main__":
    serve("ts-action", OPS)
