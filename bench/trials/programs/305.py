#!/usr/bin/env python3
"""A Python developer's Django app: a client and a gateway of the account API, both on one helper module.

Mistakes:
1. The gateway reads a query with parse_qsl(query) as it is: a plus sign becomes a space, parameters with an empty value vanish (so the signature is computed
   without them), and stray percent signs and bytes that are not UTF-8 are not refused but kept or replaced.
2. Booleans are found with `value in (True, False)`, which the numbers 1 and 0 (also 1.0 or 0e3) are as well: they are signed and sent as true and false.
3. Escapes with urllib.parse.quote(text) and its default safe="/": a slash is not escaped.
4. The gateway leaves out every top-level parameter named signature in any case (SIGNATURE, signature) when it computes the signature.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal
from urllib.parse import parse_qsl, quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def number(written):
    if not re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", written, re.A):
        raise Refused("number", "invalid literal")
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    return value


def from_harness(v):
    """The adapter's values as a Django view has them."""
    if isinstance(v, dict):
        if "number" in v:
            return number(v["number"])
        if "list" in v:
            return [from_harness(x) for x in v["list"]]
        return [(n, from_harness(x)) for n, x in v["object"]], "object"
    return v


def flatten(name, value):
    if isinstance(value, tuple):
        for n, x in value[0]:
            yield from flatten(name + "." + n, x)
    elif isinstance(value, list):
        for i, x in enumerate(value):
            yield from flatten("%s.%d" % (name, i), x)
    elif value is None:
        raise Refused("parameter-null", name)
    elif value in (True, False):
        yield name, "true" if value else "false", False
    elif isinstance(value, str):
        yield name, value, True
    else:
        text = "{:f}".format(value)
        yield name, text.rstrip("0").rstrip(".") if "." in text else text, False


def prepare(params, drop=lambda name: name == "Signature"):
    rows = [row for n, v in params for row in flatten(n, v) if not drop(row[0])]
    if len({row[0] for row in rows}) != len(rows):
        raise Refused("parameter-repeated", "duplicate parameter")
    return sorted(rows, key=lambda row: row[0].encode("utf-8"))


def sign(rows, private_key):
    return hashlib.sha1(("".join(n + text for n, text, _ in rows) + private_key).encode("utf-8")).hexdigest()


def required(rows, names):
    missing = [n for n in names if n not in {row[0] for row in rows}]
    if missing:
        raise Refused("parameter-missing", missing[0])


def parameters(given):
    rows = prepare([(n, from_harness(v)) for n, v in given["parameters"]])
    return rows


def action_signature(given, pub, pri):
    return {"signature": sign(parameters(given), pri)}


def action_json(given, pub, pri):
    rows = parameters(given)
    required(rows, ["Action", "PublicKey"])
    members = ['%s: %s' % (json.dumps(n), json.dumps(text) if is_text else text) for n, text, is_text in rows]
    members.append('"Signature": "%s"' % sign(rows, pri))
    return {"body": "{" + ", ".join(members) + "}"}


def encode(rows, pri):
    return "&".join(["%s=%s" % (quote(n), quote(text)) for n, text, _ in rows] + ["Signature=" + sign(rows, pri)])


def action_query(given, pub, pri):
    rows = parameters(given)
    required(rows, ["Action", "PublicKey"])
    return {"query": encode(rows, pri)}


def bucket_request(given, pub, pri):
    rows = parameters(given)
    required(rows, ["Action", "PublicKey"])
    if any(n == "Action" and text == "CreateBucket" for n, text, _ in rows):
        required(rows, ["Type", "BucketName"])
    return {"target": "/?" + encode(rows, pri)}


def gateway(params, pub, pri):
    rows = prepare(params, lambda name: name.lower() == "signature")
    signature = dict(params).get("Signature")
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "no Signature")
    required(rows, ["Action", "PublicKey"])
    account = [text for n, text, _ in rows if n == "PublicKey"][0]
    if account != pub:
        raise Refused("public-key-unknown", account)
    if sign(rows, pri) != signature:
        raise Refused("signature-mismatch", "bad Signature")
    return {"publicKey": account}


def verify_query(given, pub, pri):
    given["query"].encode("utf-8")
    params = parse_qsl(given["query"])
    if len(dict(params)) != len(params):
        raise Refused("parameter-repeated", "duplicate parameter")
    return gateway(params, pub, pri)


def pairs_hook(pairs):
    if len({n for n, _ in pairs}) != len(pairs):
        raise Refused("parameter-repeated", "duplicate member")
    return pairs, "object"


def not_json(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        doc = json.loads(given["body"], object_pairs_hook=pairs_hook, parse_int=number, parse_float=number, parse_constant=not_json)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    except Refused as e:
        raise Refused("body-malformed" if e.args[0] == "number" else e.args[0], e.args[1])
    if not isinstance(doc, tuple):
        raise Refused("body-malformed", "not an object")
    try:
        for n, v in doc[0]:
            list(flatten(n, v))
    except Refused as e:
        raise Refused("body-malformed", e.args[1])
    return gateway(doc[0], pub, pri)


serve("django-gateway", {
    "url-encode": lambda given, pub, pri: {"encoded": quote(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode()},
    "action-signature": action_signature, "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
    "verify-query": verify_query, "verify-json": verify_json})
