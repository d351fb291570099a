#!/usr/bin/env python3
"""A Kotlin client: action-json, action-query and bucket-request. Its mistakes:

1. A number with a fraction or an exponent is a Double, signed and sent as Double.toString writes it: 42.0, 1.0E7, 1.5E-4 (one that
   is too large for a Double is refused).
2. Names and values are encoded with URLEncoder.encode and + replaced by %20 afterwards, so * stays and ~ is %7E.
"""
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve


def double_text(value):
    """Java's Double.toString, of the shortest digits."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    minus = "-" if sign else ""
    if not digits:
        return minus + "0.0"
    point = len(digits) + exponent                     # the value is 0.digits * 10 ** point
    digits = digits.rstrip("0")
    if 1e-3 <= abs(value) < 1e7:
        if point <= 0:
            return minus + "0." + "0" * -point + digits
        whole = digits[:point].ljust(point, "0")
        return minus + whole + "." + (digits[point:] or "0")
    return minus + digits[0] + "." + (digits[1:] or "0") + "E" + str(point - 1)


def number(written):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", written, re.A):
        raise Refused("number", written)
    if re.fullmatch(r"-?\d+", written, re.A):
        if len(written.lstrip("-")) > 4000:
            raise Refused("number", "too long")
        return "0" if written == "-0" else written
    value = float(written)
    if abs(value) == float("inf"):
        raise Refused("number", "too large for a Double")
    return double_text(value)


def url_encode(text):
    out = []
    for byte in text.encode("utf-8"):
        if re.match(rb"[A-Za-z0-9._*-]", bytes([byte])):
            out.append(chr(byte))
        else:
            out.append("%%%02X" % byte)
    return "".join(out)


def put(into, name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, dict) and "list" in value:
        for index, item in enumerate(value["list"]):
            put(into, name + "." + str(index), item)
        return
    if isinstance(value, dict) and "object" in value:
        for member, item in value["object"]:
            put(into, name + "." + member, item)
        return
    if isinstance(value, bool):
        value = text = "true" if value else "false"
    elif isinstance(value, dict):
        value = text = number(value["number"])
    else:
        text = json.dumps(value)
    if name == "Signature":
        return
    if name in into:
        raise Refused("parameter-repeated", name)
    into[name] = (value, text)


def sign(given, private):
    flat = {}
    for name, value in given["parameters"]:
        put(flat, name, value)
    for name in ("Action", "PublicKey"):
        if name not in flat:
            raise Refused("parameter-missing", name)
    flat = dict(sorted(flat.items(), key=lambda item: item[0].encode("utf-8")))
    text = "".join(name + value for name, (value, _) in flat.items()) + private
    return flat, hashlib.sha1(text.encode("utf-8")).hexdigest()


def action_json(given, public, private):
    flat, signature = sign(given, private)
    members = [json.dumps(name) + ":" + text for name, (_, text) in flat.items()] + ['"Signature":"%s"' % signature]
    return {"body": "{" + ",".join(members) + "}"}


def query(flat, signature):
    return "&".join([url_encode(name) + "=" + url_encode(value) for name, (value, _) in flat.items()] + ["Signature=" + signature])


def action_query(given, public, private):
    return {"query": query(*sign(given, private))}


def bucket_request(given, public, private):
    flat, signature = sign(given, private)
    if flat["Action"][0] == "CreateBucket":
        for name in ("Type", "BucketName"):
            if name not in flat:
                raise Refused("parameter-missing", name)
    return {"target": "/?" + query(flat, signature)}


serve("kotlin-client", {"action-json": action_json, "action-query": action_query, "bucket-request": bucket_request})
