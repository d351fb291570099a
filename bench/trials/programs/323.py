#!/usr/bin/env python3
"""A Ruby developer's gem that protects a Rails application with signed parameters, as query or as JSON.

Mistakes:
1. Numbers with a fraction or an exponent are Floats, written with Float#to_s: 42.0 stays 42.0, 1e3 is 1000.0, large and small ones get an exponent (1.0e+16), digits
   beyond 64-bit floating point are lost. Whole numbers written without either are exact.
2. Parameters are left out with reject { |_, v| v.blank? }: an empty text, a text of blanks only, false, null and empty lists and objects at the top level are not signed.
3. The parameters are sorted before lists and objects are flattened, not after: Name.10 comes after Name.9, the members of an object stay as they were given.
4. The verifier of a query unescapes the values but not the names of parameters.
"""
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


class Float(float):
    def to_s(self):
        text = repr(float(self))
        if text in ("inf", "-inf"):
            return text.replace("inf", "Infinity")
        mantissa, e, exponent = text.partition("e")
        return mantissa + (".0" if "." not in mantissa else "") + e + exponent


class Hash(list):
    """An ordered list of pairs."""


def numeric(written):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)", written):
        return int(written)
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        return Float(written)
    raise Refused("number", "invalid value for Float()")


def from_harness(v):
    if isinstance(v, dict):
        if "number" in v:
            return numeric(v["number"])
        if "list" in v:
            return [from_harness(x) for x in v["list"]]
        return Hash((n, from_harness(x)) for n, x in v["object"])
    return v


def blank(v):
    if v is None or v is False:
        return True
    if isinstance(v, str):
        return v.strip() == ""
    return isinstance(v, list) and not v


def to_s(v):
    if isinstance(v, Float):
        return v.to_s()
    if isinstance(v, bool):
        return "true" if v else "false"
    return str(v)


def flatten(name, v):
    if isinstance(v, Hash):
        return [row for n, x in v for row in flatten(name + "." + n, x)]
    if isinstance(v, list):
        return [row for i, x in enumerate(v) for row in flatten("%s.%d" % (name, i), x)]
    if v is None:
        raise Refused("parameter-null", name)
    return [(name, to_s(v))]


def rows_of(params):
    kept = [(n, v) for n, v in params if not blank(v)]
    kept.sort(key=lambda pair: pair[0].encode("utf-8"))
    rows = [row for n, v in kept for row in flatten(n, v) if row[0] != "Signature"]
    if len({n for n, _ in rows}) != len(rows):
        raise Refused("parameter-repeated", "duplicate parameter")
    return rows


def sign(rows, private_key):
    return hashlib.sha1(("".join(map("".join, rows)) + private_key).encode("utf-8")).hexdigest()


def action_signature(given, pub, pri):
    return {"signature": sign(rows_of([(n, from_harness(v)) for n, v in given["parameters"]]), pri)}


def authenticate(params, pub, pri):
    rows = rows_of(params)
    signature = dict(params).get("Signature")
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "no Signature")
    for name in ("Action", "PublicKey"):
        if name not in dict(rows):
            raise Refused("parameter-missing", name)
    if dict(rows)["PublicKey"] != pub:
        raise Refused("public-key-unknown", "unknown PublicKey")
    if sign(rows, pri) != signature:
        raise Refused("signature-mismatch", "wrong Signature")
    return {"publicKey": pub}


def unescape(text):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused("query-malformed", "invalid %-encoding")
    raw = re.sub(b"%([0-9A-Fa-f]{2})", lambda m: bytes.fromhex(m[1].decode()), text.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "invalid byte sequence in UTF-8")


def verify_query(given, pub, pri):
    params = []
    for pair in given["query"].split("&"):
        if pair:
            name, _, value = pair.partition("=")
            params.append((name, unescape(value)))
    if len(dict(params)) != len(params):
        raise Refused("parameter-repeated", "duplicate parameter")
    return authenticate(params, pub, pri)


def object_pairs(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated", "duplicate key")
    return Hash(pairs)


def constant(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        body = json.loads(given["body"], object_pairs_hook=object_pairs, parse_int=numeric, parse_float=numeric, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "JSON::ParserError")
    if not isinstance(body, Hash):
        raise Refused("body-malformed", "not a Hash")
    try:
        for n, v in body:
            blank(v) or flatten(n, v)
    except Refused as e:
        raise Refused("body-malformed", e.args[1])
    return authenticate(body, pub, pri)


if __name__ == "__main__":
    serve("ruby-gem", {"action-signature": action_signature, "verify-query": verify_query, "verify-json": verify_json})
