#!/usr/bin/env python3
"""The action endpoint of a small server in Python (Flask style), which verifies queries and JSON bodies.

Mistakes:
1. Parses the query with parse_qsl and its defaults: parameters with an empty value disappear before the signature is computed.
2. Parses the query with parse_qsl: an unescaped + is read as a space.
3. Numbers of a JSON body are Python numbers, signed with str(): 42.0 is signed as 42.0, 1e3 as 1000.0, and long fractions lose digits.
4. Booleans of a JSON body are signed with str(): True and False.
"""
import hashlib
import json
import os
import re
import sys
from urllib.parse import parse_qsl

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def flat(value, name=None):
    join = (lambda k: str(k)) if name is None else (lambda k: "%s.%s" % (name, k))
    if isinstance(value, dict):
        for k, v in value.items():
            yield from flat(v, join(k))
    elif isinstance(value, list):
        for k, v in enumerate(value):
            yield from flat(v, join(k))
    elif value is None:
        raise Refused("body-malformed", "null")
    else:
        yield name, str(value)


def check(pairs, signature, public_key, private_key):
    params = {}
    for name, text in pairs:
        if name == "Signature":
            continue
        if name in params:
            raise Refused("parameter-repeated", name)
        params[name] = text
    if not signature or not isinstance(signature, str):
        raise Refused("signature-missing")
    for name in ("Action", "PublicKey"):
        if name not in params:
            raise Refused("parameter-missing", name)
    if params["PublicKey"] != public_key:
        raise Refused("public-key-unknown")
    text = "".join(name + params[name] for name in sorted(params))
    if hashlib.sha1((text + private_key).encode()).hexdigest() != signature:
        raise Refused("signature-mismatch")
    return {"publicKey": public_key}


def query(given, public_key, private_key):
    text = given["query"]
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused("query-malformed")
    try:
        pairs = parse_qsl(text, errors="strict")
    except UnicodeDecodeError:
        raise Refused("query-malformed")
    if len([1 for name, _ in pairs if name == "Signature"]) > 1:
        raise Refused("parameter-repeated", "Signature")
    return check(pairs, dict(pairs).get("Signature"), public_key, private_key)


def members(pairs):
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated")
    return dict(pairs)


def constant(word):
    raise ValueError(word)


def body(given, public_key, private_key):
    try:
        data = json.loads(given["body"], object_pairs_hook=members, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed")
    if not isinstance(data, dict):
        raise Refused("body-malformed")
    return check(list(flat(data)), data.get("Signature"), public_key, private_key)


serve("flask-endpoint", {"verify-query": query, "verify-json": body})
