#!/usr/bin/env python3
"""A Flask view of a mock server in Python: verifies requests of the account API.

1. parse_qsl drops parameters with an empty value, so a query with one does not verify.
2. Parameters and members go into a dict: the last of repeated names counts, nothing is refused.
3. The values of a JSON body are signed as str() gives them: True, 1.0 and 1e+16.
4. Escapes that are wrong are left as they are by unquote; such a query is not refused as malformed.
"""
import hashlib
import json
import os
import sys
from urllib.parse import unquote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def flatten(name, value):
    if isinstance(value, dict):
        return [pair for member, item in value.items() for pair in flatten(name + "." + member, item)]
    if isinstance(value, list):
        return [pair for i, item in enumerate(value) for pair in flatten("%s.%d" % (name, i), item)]
    if value is None:
        raise Refused("body-malformed", name + " is null")
    return [(name, str(value))]


def verify_ac(private, params):
    items = sorted(params.items(), key=lambda item: item[0].encode("utf-8"))
    text = "".join(name + value for name, value in items if name != "Signature") + private
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def check(params, public, private):
    signature = params.get("Signature")
    if not signature:
        raise Refused("signature-missing", "Missing Signature")
    for name in ("Action", "PublicKey"):
        if name not in params:
            raise Refused("parameter-missing", "Params [%s] not available" % name)
    if params["PublicKey"] != public:
        raise Refused("public-key-unknown", "no such key")
    if verify_ac(private, params) != signature:
        raise Refused("signature-mismatch", "Signature VerifyAC Error")
    return {"publicKey": params["PublicKey"]}


def parse_qsl(query):
    pairs = []
    for piece in query.split("&"):
        name, equals, value = piece.partition("=")
        if value:
            pairs.append((unquote(name), unquote(value)))
    return pairs


def verify_query(q, public, private):
    return check(dict(parse_qsl(q["query"])), public, private)


def no_constant(word):
    raise ValueError(word)


def verify_json(q, public, private):
    try:
        body = json.loads(q["body"], parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "Bad Request")
    if not isinstance(body, dict):
        raise Refused("body-malformed", "not an object")
    if not isinstance(body.get("Signature", ""), str):
        raise Refused("signature-missing", "Signature is no text")
    params = {}
    for name, value in body.items():
        params.update(flatten(name, value))
    return check(params, public, private)


serve("flask-mock", {"verify-query": verify_query, "verify-json": verify_json})
