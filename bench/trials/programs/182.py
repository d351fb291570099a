#!/usr/bin/env python3
"""Express (Node.js) middleware that verifies action requests, with the signing function that it shares with the client.

Mistakes:
1. Numbers in JSON are those of JSON.parse, doubles written by String(): integers above 2^53 are rounded, and numbers from 1e21 on or
   below 1e-6 have an exponent (1e+21, 1e-7); 1e400 becomes Infinity (action-signature and verify-json).
2. `if (!value) continue` skips falsy parameters at top level: the number 0, false and the empty text; in a query only the empty text, as "0" is
   true in JavaScript. Their names are not signed (all three operations).
3. If decodeURIComponent throws (a stray percent sign, bytes that are not UTF-8), the text is taken as it is instead of refusing the query
   (verify-query).
"""
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


class Num(str):
    """A number as written."""


class Obj(list):
    """Pairs of an object."""


def string(num):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", num) is None:
        raise Refused("number", num[:40])
    f = float(num)
    if f == 0:
        return "0"
    if f in (float("inf"), float("-inf")):
        return "Infinity" if f > 0 else "-Infinity"
    sign = "-" if f < 0 else ""
    digits, _, exponent = ("%.17e" % f).partition("e")
    for p in range(17):
        t = "%.*e" % (p, abs(f))
        if float(t) == abs(f):
            digits, _, exponent = t.partition("e")
            break
    digits, n = digits.replace(".", "").lstrip("-").rstrip("0"), int(exponent) + 1
    k = len(digits)
    if k <= n <= 21:
        return sign + digits + "0" * (n - k)
    if 0 < n <= 21:
        return sign + digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return sign + "0." + "0" * -n + digits
    return sign + digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + ("+" if n > 0 else "-") + str(abs(n - 1))


def native(v):
    """A value of the adapter's parameters."""
    if isinstance(v, dict):
        if "number" in v:
            return Num(v["number"])
        if "list" in v:
            return [native(x) for x in v["list"]]
        return Obj((n, native(x)) for n, x in v["object"])
    return v


def falsy(v):
    if isinstance(v, Num):
        return string(v) == "0"
    return v is False or v == ""


def walk(name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, bool):
        yield name, "true" if v else "false"
    elif isinstance(v, Num):
        yield name, string(v)
    elif isinstance(v, str):
        yield name, v
    elif isinstance(v, Obj):
        for key, x in v:
            yield from walk(name + "." + key, x)
    else:
        for i, x in enumerate(v):
            yield from walk("%s.%d" % (name, i), x)


def collect(params):
    flat = {}
    for name, v in params:
        if not isinstance(v, Obj) and falsy(v):
            continue
        for n, t in walk(name, v):
            if n == "Signature":
                continue
            if n in flat:
                raise Refused("parameter-repeated", n)
            flat[n] = t
    return flat


def sign(flat, pri):
    names = sorted(flat, key=lambda n: n.encode("utf-8"))
    return hashlib.sha1(("".join(n + flat[n] for n in names) + pri).encode("utf-8")).hexdigest()


def check(params, sent, pub, pri):
    flat = collect(params)
    if not isinstance(sent, str) or isinstance(sent, Num) or not sent:
        raise Refused("signature-missing", "no Signature")
    for n in ("Action", "PublicKey"):
        if n not in flat:
            raise Refused("parameter-missing", n)
    if flat["PublicKey"] != pub:
        raise Refused("public-key-unknown", "no such account")
    if sign(flat, pri) != sent:
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": pub}


def decode(s):
    raw = s.encode("utf-8")
    if re.search(rb"%(?![0-9A-Fa-f]{2})", raw):
        return s
    try:
        return re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), raw).decode("utf-8")
    except UnicodeDecodeError:
        return s


def verify_query(given, pub, pri):
    pairs = []
    for piece in given["query"].split("&"):
        if piece == "":
            continue
        n, _, v = piece.partition("=")
        pairs.append((decode(n), decode(v)))
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "a name is there twice")
    return check(pairs, dict(pairs).get("Signature"), pub, pri)


def obj(pairs):
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "a member is there twice")
    return Obj(pairs)


def bad(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        top = json.loads(given["body"], object_pairs_hook=obj, parse_int=Num, parse_float=Num, parse_constant=bad)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(top, Obj):
        raise Refused("body-malformed", "not an object")
    try:
        rows = [row for n, v in top for row in walk(n, v)]
    except Refused:
        raise Refused("body-malformed", "a value that cannot be signed")
    del rows
    return check(top, dict(top).get("Signature"), pub, pri)


serve("express", {
    "action-signature": lambda g, pub, pri: {"signature": sign(collect([(n, native(v)) for n, v in g["parameters"]]), pri)},
    "verify-query": verify_query,
    "verify-json": verify_json,
})
