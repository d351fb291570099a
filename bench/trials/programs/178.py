#!/usr/bin/env python3
"""A PHP SDK for the action API: parameters are arrays from json_decode, flattened with http_build_query's rules.

Mistakes:
1. Booleans within lists and objects become 1 and 0, as http_build_query writes them; at top level they are true and false.
2. Numbers with a fraction or an exponent, and integers outside 64 bits, are PHP floats: they are rounded to 14 significant digits (the
   ini setting `precision`) before they are written as plain decimals, so 0.1234567890123456 becomes 0.12345678901235 and
   9223372036854775808 becomes 9223372036854800000. A number beyond the range of a double is refused.
3. The password goes through trim() before the Base64: blanks, tabs, line breaks and NULs at its ends are lost.
"""
import base64
import hashlib
import json
import math
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def rawurlencode(s):
    return "".join(chr(b) if re.match(rb"[A-Za-z0-9_.~-]", bytes([b])) else "%%%02X" % b for b in s.encode("utf-8"))


def php_number(s):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", s):
        raise Refused("number", s[:40])
    if re.fullmatch(r"-?[0-9]{1,19}", s) and -2 ** 63 <= int(s) < 2 ** 63:
        return str(int(s))
    value = float(s)
    if math.isinf(value):
        raise Refused("number", s[:40])
    text = format(Decimal("%.13e" % value), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text.strip("-0") == "" else text


def flatten(name, value, depth, into):
    """into: name -> (text, is it a string)."""
    if value is None:
        raise Refused("parameter-null", name)
    if value is True or value is False:
        leaf = ("1" if value else "0", False) if depth else ("true" if value else "false", False)
    elif isinstance(value, str):
        leaf = (value, True)
    elif "number" in value:
        leaf = (php_number(value["number"]), False)
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            flatten(name + "." + str(i), item, depth + 1, into)
        return
    else:
        for key, item in value["object"]:
            flatten(name + "." + key, item, depth + 1, into)
        return
    if name == "Signature":
        return
    if name in into:
        raise Refused("parameter-repeated", name)
    into[name] = leaf


def build(given, *required):
    into = {}
    for name, value in given["parameters"]:
        flatten(name, value, 0, into)
    for name in required:
        if name not in into:
            raise Refused("parameter-missing", name)
    return dict(sorted(into.items(), key=lambda item: item[0].encode("utf-8")))


def sign(params, private_key):
    text = ""
    for name, (value, _) in params.items():
        text += name + value
    return hashlib.sha1((text + private_key).encode("utf-8")).hexdigest()


def query(params, private_key):
    out = ""
    for name, (value, _) in params.items():
        out += rawurlencode(name) + "=" + rawurlencode(value) + "&"
    return out + "Signature=" + sign(params, private_key)


def body(params, private_key):
    out = [json.dumps(n) + ":" + (json.dumps(v) if is_text else v) for n, (v, is_text) in params.items()]
    return "{" + ",".join(out + ['"Signature":"' + sign(params, private_key) + '"']) + "}"


def space(given, public_key, private_key):
    params = build(given, "Action", "PublicKey")
    if params["Action"][0] == "CreateBucket":
        build(given, "Type", "BucketName")
    return {"target": "/?" + query(params, private_key)}


serve("php-api", {
    "url-encode": lambda g, pub, pri: {"encoded": rawurlencode(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].strip(" \t\n\r\0\x0b").encode("utf-8")).decode()},
    "action-signature": lambda g, pub, pri: {"signature": sign(build(g), pri)},
    "action-json": lambda g, pub, pri: {"body": body(build(g, "Action", "PublicKey"), pri)},
    "action-query": lambda g, pub, pri: {"query": query(build(g, "Action", "PublicKey"), pri)},
    "bucket-request": space,
})
