#!/usr/bin/env python3
"""The server side of the action API, ported from a Node service.

Mistakes:
1. JSON.parse makes every number a double, and String(n) writes it: integers beyond 2^53 and long fractions are rounded, and from 1e21 and
   below 1e-6 the text has an exponent. A right signature of such a number is refused.
2. Compares signatures without regard to case, so an upper-case signature is accepted.
3. Cuts the query at the first "&Signature=": parameters behind the signature are ignored, so anything may be appended unsigned (even a
   second Signature), and a query whose first parameter is Signature, or that escapes this name, has none.
"""
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

STRICT = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"


class Number:
    def __init__(self, written):
        self.written = written


def string_of_number(written):
    f = float(written)
    if f == 0:
        return "0"
    if f in (float("inf"), float("-inf")):
        return "Infinity" if f > 0 else "-Infinity"
    mantissa, _, exponent = repr(abs(f)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    sign = "-" if f < 0 else ""
    if point > 21 or point <= -6:
        return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e%+d" % (point - 1)
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    digits = digits.ljust(point, "0")
    return sign + digits[:point] + ("." + digits[point:] if digits[point:] else "")


def leaves(name, value):
    if value is None:
        raise Refused("body-malformed", "null")
    if isinstance(value, str):
        yield name, value
    elif value is True or value is False:
        yield name, "true" if value else "false"
    elif isinstance(value, Number):
        yield name, string_of_number(value.written)
    else:
        for child, item in (value.items() if isinstance(value, dict) else enumerate(value)):
            yield from leaves(name + "." + str(child), item)


def same(a, b):
    return a.lower() == b.lower()


def check(rows, signature, pub, pri):
    rows = [row for row in rows if row[0] != "Signature"]
    names = sorted(name.encode("utf-8") for name, _ in rows)
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "no Signature")
    params = dict(rows)
    for name in ("Action", "PublicKey"):
        if name not in params:
            raise Refused("parameter-missing", name)
    if params["PublicKey"] != pub:
        raise Refused("public-key-unknown", "unknown")
    text = "".join(name.decode("utf-8") + params[name.decode("utf-8")] for name in names) + pri
    if not same(hashlib.sha1(text.encode("utf-8")).hexdigest(), signature):
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": pub}


def decode(text):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise Refused("query-malformed", "URI malformed")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "URI malformed")


def parse(query):
    rows = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            rows.append((decode(name), decode(value)))
    return rows


def take_signature(query):
    before, found, after = query.partition("&Signature=")
    return parse(before), decode(after.split("&")[0]) if found else None


def query(given, pub, pri):
    rows, signature = take_signature(given["query"])
    names = [name for name, _ in rows]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    return check(rows, signature, pub, pri)


def members(pairs):
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    return dict(pairs)


def no_constant(word):
    raise ValueError(word)


def body(given, pub, pri):
    try:
        value = json.loads(given["body"], object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "SyntaxError")
    if not isinstance(value, dict):
        raise Refused("body-malformed", "no object")
    rows = [row for name, item in value.items() for row in leaves(name, item)]
    return check(rows, value.get("Signature"), pub, pri)


serve("node-server", {"verify-query": query, "verify-json": body})
