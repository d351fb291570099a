#!/usr/bin/env python3
"""The action endpoint of a compatible server, in Python with Flask: it verifies query strings and JSON bodies.

Mistakes:
1. Parses the query string like form data: an unencoded plus sign becomes a space.
2. Numbers with a fraction or an exponent in a JSON body become floats and are verified as str() writes them (1.50 as 1.5, but 42.0 as
   42.0, 1e3 as 1000.0, 1e-7 as 1e-07).
3. Takes every top-level parameter whose name is "signature" in any case out of the signed string.
"""
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def decode(s):
    s = s.replace("+", " ")
    if re.search("%(?![0-9A-Fa-f][0-9A-Fa-f])", s):
        raise Refused("query-malformed", "percent")
    raw = re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), s.encode("utf-8"), flags=re.S)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def check(flat, signature, pub, pri):
    """flat: pairs of texts, without Signature."""
    names = [n for n, _ in flat]
    if len(names) != len(set(names)):
        raise Refused("parameter-repeated", "twice")
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "none")
    have = dict(flat)
    for n in ("Action", "PublicKey"):
        if n not in have:
            raise Refused("parameter-missing", n)
    if have["PublicKey"] != pub:
        raise Refused("public-key-unknown", have["PublicKey"])
    flat = sorted(flat, key=lambda p: p[0].encode("utf-8"))
    expected = hashlib.sha1(("".join(n + v for n, v in flat) + pri).encode("utf-8")).hexdigest()
    if expected != signature:
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": pub}


def is_signature(name):
    return name.lower() == "signature"


def verify_query(given, pub, pri):
    pairs = []
    for piece in given["query"].split("&"):
        if piece:
            n, _, v = piece.partition("=")
            pairs.append((decode(n), decode(v)))
    if len({n for n, _ in pairs}) != len(pairs):
        raise Refused("parameter-repeated", "twice")
    return check([p for p in pairs if not is_signature(p[0])], dict(pairs).get("Signature"), pub, pri)


def float_text(written):
    return str(float(written))


class Real(str):
    pass


class Whole(str):
    pass


def members(pairs):
    d = dict(pairs)
    if len(d) != len(pairs):
        raise Refused("parameter-repeated", "twice")
    return d


def constant(word):
    raise ValueError(word)


def flatten(out, name, v):
    if isinstance(v, Whole):
        out.append((name, "0" if v == "-0" else str(v)))
    elif isinstance(v, Real):
        out.append((name, float_text(v)))
    elif isinstance(v, str):
        v.encode("utf-8")
        out.append((name, v))
    elif v is None:
        raise Refused("body-malformed", name)
    elif isinstance(v, bool):
        out.append((name, "true" if v else "false"))
    else:
        for k, x in v.items() if isinstance(v, dict) else enumerate(v):
            flatten(out, "%s.%s" % (name, k), x)


def verify_json(given, pub, pri):
    try:
        data = json.loads(given["body"], parse_int=Whole, parse_float=Real, parse_constant=constant, object_pairs_hook=members)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(data, dict):
        raise Refused("body-malformed", "no object")
    out = []
    for n, v in data.items():
        flatten(out, n, v)
    signature = data.get("Signature")
    if isinstance(signature, (Whole, Real)):
        signature = None
    return check([p for p in out if not is_signature(p[0])], signature, pub, pri)


serve("flask-actions", {"verify-query": verify_query, "verify-json": verify_json})
