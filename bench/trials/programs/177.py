#!/usr/bin/env python3
"""A Java servlet filter that verifies requests of the action API; the same class signs for internal calls.

Mistakes:
1. The query is decoded with URLDecoder.decode, so that an unescaped plus sign becomes a space (verify-query).
2. Parameters are kept in a TreeMap<String, String>, which sorts names by UTF-16 code units: a name with a supplementary character (an
   emoji) sorts before one with a character of U+E000 to U+FFFF at the same place. By UTF-8 bytes it sorts after it.
3. Numbers with a fraction or an exponent become new BigDecimal(s).stripTrailingZeros().toString() instead of toPlainString(): 100.0 is
   signed as 1E+2, 1e3 as 1E+3 and 0.0000001 as 1E-7; 42.0, 1.50 and 0.000001 and all plain integers are right.
"""
import decimal
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def number(s):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", s) is None:
        raise Refused("number", s[:40])
    if re.fullmatch(r"-?[0-9]+", s):
        return "0" if s == "-0" else s
    try:
        d = decimal.Decimal(s)
        if d == 0:
            return "0"
        if not -4000 < d.adjusted() < 4000:
            raise Refused("number", "out of range")
        return str(d.normalize(decimal.Context(prec=len(s) + 1)))
    except decimal.DecimalException:
        raise Refused("number", s[:40])


def put(into, name, value):
    if isinstance(value, str):
        pairs = [(name, value)]
    elif value is None:
        raise Refused("parameter-null", name)
    elif isinstance(value, bool):
        pairs = [(name, "true" if value else "false")]
    elif "number" in value:
        pairs = [(name, number(value["number"]))]
    else:
        inner = enumerate(value["list"]) if "list" in value else value["object"]
        for key, v in inner:
            put(into, "%s.%s" % (name, key), v)
        return
    into.extend(pairs)


def tree_map(parameters):
    rows = []
    for n, v in parameters:
        put(rows, n, v)
    rows = [row for row in rows if row[0] != "Signature"]
    names = [n for n, _ in rows]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "a name is there twice")
    for n in names:
        n.encode("utf-8")
    return sorted(rows, key=lambda row: row[0].encode("utf-16-be"))


def sign(rows, pri):
    return hashlib.sha1(("".join(n + v for n, v in rows) + pri).encode("utf-8")).hexdigest()


def check(parameters, signature, pub, pri):
    rows = tree_map(parameters)
    values = dict(rows)
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "no Signature")
    for name in ("Action", "PublicKey"):
        if name not in values:
            raise Refused("parameter-missing", name)
    if values["PublicKey"] != pub:
        raise Refused("public-key-unknown", values["PublicKey"])
    if sign(rows, pri) != signature:
        raise Refused("signature-mismatch", "signatures differ")
    return {"publicKey": pub}


def url_decode(s):
    out, i, raw = bytearray(), 0, s.encode("utf-8")
    while i < len(raw):
        if raw[i] == 0x25:
            if re.fullmatch(rb"[0-9A-Fa-f]{2}", raw[i + 1:i + 3]) is None:
                raise Refused("query-malformed", "stray percent sign")
            out.append(int(raw[i + 1:i + 3], 16))
            i += 3
        else:
            out.append(0x20 if raw[i] == 0x2b else raw[i])
            i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def verify_query(given, pub, pri):
    rows = []
    for piece in given["query"].split("&"):
        if piece:
            n, _, v = piece.partition("=")
            rows.append((url_decode(n), url_decode(v)))
    if len({n for n, _ in rows}) < len(rows):
        raise Refused("parameter-repeated", "a name is there twice")
    return check(rows, dict(rows).get("Signature"), pub, pri)


class Members(list):
    pass


def members(pairs):
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a member is there twice")
    return Members(pairs)


def node(v):
    if isinstance(v, Members):
        return {"object": [(n, node(x)) for n, x in v]}
    return {"list": [node(x) for x in v]} if isinstance(v, list) else v


def no_constant(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    def numeral(s):
        return {"number": s}
    try:
        top = json.loads(given["body"], object_pairs_hook=members, parse_int=numeral, parse_float=numeral, parse_constant=no_constant)
        if not isinstance(top, Members):
            raise ValueError
        rows = [(n, node(v)) for n, v in top]
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "no JSON object")
    try:
        for n, v in rows:
            put([], n, v)
    except Refused as e:
        raise Refused("body-malformed", e.args[0])
    return check(rows, dict(rows).get("Signature"), pub, pri)


serve("java-filter", {
    "action-signature": lambda g, pub, pri: {"signature": sign(tree_map(g["parameters"]), pri)},
    "verify-query": verify_query,
    "verify-json": verify_json,
})
