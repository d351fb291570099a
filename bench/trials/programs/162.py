#!/usr/bin/env python3
"""The action API's checking half, as a small Flask application would do it.

Mistakes:
1. Parses the query with urllib's parse_qsl and its defaults: a parameter with an empty value is dropped before the signature
   is computed.
2. parse_qsl also turns a + in the query string into a space.
3. Signs a JSON number as str() of the value that json.loads gives: 42.0 is signed as 42.0, 1e3 as 1000.0, 0.00001 as 1e-05.
4. Lower-cases the given signature before it compares, so a signature in upper-case hexadecimal is accepted.
"""
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import parse_qsl

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def abort(code, why="400 Bad Request"):
    raise Refused(code, why)


def args(query):
    if re.search(r"%(?![0-9A-Fa-f]{2})", query):
        abort("query-malformed")
    try:
        pairs = parse_qsl(query, errors="strict", max_num_fields=10000)
    except ValueError:
        abort("query-malformed")
    out = {}
    for name, value in pairs:
        if name in out:
            abort("parameter-repeated", name)
        out[name] = value
    return out


def hook(pairs):
    if len(dict(pairs)) < len(pairs):
        abort("parameter-repeated")
    return dict(pairs)


def constant(word):
    raise ValueError(word)


def get_json(body):
    try:
        data = json.loads(body, object_pairs_hook=hook, parse_constant=constant)
    except (ValueError, RecursionError):
        abort("body-malformed")
    if type(data) is not dict:
        abort("body-malformed")
    return data


def flatten(prefix, value, out):
    if value is None:
        abort("body-malformed", prefix + " is null")
    if isinstance(value, (dict, list)):
        for k, v in (value.items() if isinstance(value, dict) else enumerate(value)):
            flatten("%s.%s" % (prefix, k), v, out)
    elif prefix in out:
        abort("parameter-repeated", prefix)
    elif isinstance(value, bool):
        out[prefix] = "true" if value else "false"
    else:
        out[prefix] = str(value)


def verify(params, given, pub, pri):
    if not isinstance(given, str) or given == "":
        abort("signature-missing")
    for name in ("Action", "PublicKey"):
        if name not in params:
            abort("parameter-missing", name)
    if params["PublicKey"] != pub:
        abort("public-key-unknown")
    names = sorted((n for n in params if n != "Signature"), key=str.encode)
    text = "".join(n + params[n] for n in names) + pri
    if not hmac.compare_digest(hashlib.sha1(text.encode()).hexdigest().encode(), given.lower().encode("utf-8")):
        abort("signature-mismatch")
    return {"publicKey": params["PublicKey"]}


def verify_query(o, pub, pri):
    params = args(o["query"])
    return verify(params, params.get("Signature"), pub, pri)


def verify_json(o, pub, pri):
    data = get_json(o["body"])
    flat = {}
    for name, value in data.items():
        flatten(name, value, flat)
    return verify(flat, data.get("Signature"), pub, pri)


serve("flask-verify", {"verify-query": verify_query, "verify-json": verify_json})
