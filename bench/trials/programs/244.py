#!/usr/bin/env python3
"""A port of an account API client from PHP 8: parameters are an array, as json_decode($s, true) makes it.

Mistakes:
1. Signs (and writes in query strings) numbers as PHP's conversion to string does: integers above PHP_INT_MAX and everything with
   a fraction or an exponent are doubles, with 14 digits and an exponent if they need more digits or are below 0.0001 (1.0E+25,
   1.0E-5). json_encode sends them with 17 digits. A number
   beyond the doubles is refused.
2. ksort($params) with its default flags: two names that both look like numbers are compared as numbers, so "9" comes before "10".
3. array_filter($params) on the flattened parameters: those whose value is falsy ("", "0", 0, false, null) are neither signed nor
   sent.
"""
import functools
import hashlib
import json
import math
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

PHP_INT_MAX = 9223372036854775807
SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")


def gcvt(value, precision, e, digits, point):
    """zend_gcvt: digits without zeros at the end, point as zend_dtoa gives it."""
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value == 0:
        return sign + "0"
    if (point < -3) if point < 0 else (point > precision):
        exponent = point - 1
        return "%s%s.%s%s%s%d" % (sign, digits[0], digits[1:] or "0", e, "-" if exponent < 0 else "+", abs(exponent))
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    if len(digits) <= point:
        return sign + digits + "0" * (point - len(digits))
    return sign + digits[:point] + "." + digits[point:]


def digits_of(value, precision):
    mantissa, exponent = ("%.*e" % (precision - 1, abs(value))).split("e")
    return mantissa.replace(".", "").rstrip("0") or "0", int(exponent) + 1


def shortest(value):
    for precision in range(1, 18):
        if float("%.*e" % (precision - 1, value)) == value:
            return digits_of(value, precision)
    return digits_of(value, 17)


def to_string(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return gcvt(v, 14, "E", *digits_of(v, 14))
    return str(v)


def json_encode(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return gcvt(v, 17, "e", *shortest(v))
    return str(v) if isinstance(v, int) else json.dumps(v).replace("/", "\\/")


def json_decode_number(text):
    if re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", text, re.ASCII) is None:
        raise Refused("number", text)
    if text.lstrip("-").isdigit() and text != "-0" and len(text) < 22 and -PHP_INT_MAX - 1 <= int(text) <= PHP_INT_MAX:
        return int(text)
    f = float(text)
    if math.isinf(f):
        raise Refused("number", text)
    return f


NUMERIC = re.compile(r"[ \t\n\r\v\f]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n\r\v\f]*")


def compare(a, b):
    if NUMERIC.fullmatch(a) and NUMERIC.fullmatch(b):
        x, y = float(a), float(b)
    else:
        x, y = a.encode("utf-8"), b.encode("utf-8")
    return (x > y) - (x < y)


def ksort(params):
    return {n: params[n] for n in sorted(params, key=functools.cmp_to_key(compare))}


def array_filter(params):
    return {n: v for n, v in params.items() if v not in (None, "", "0", 0, False)}


def add(params, name, value):
    if isinstance(value, dict):
        if "number" in value:
            value = json_decode_number(value["number"])
        else:
            for k, v in enumerate(value["list"]) if "list" in value else value["object"]:
                add(params, name + "." + str(k), v)
            return
    if name == "Signature":
        return
    if name in params:
        raise Refused("parameter-repeated", name)
    params[name] = value


def build(g):
    params = {}
    for name, value in g["parameters"]:
        add(params, name, value)
    for name in params:
        name.encode("utf-8")
    return ksort(array_filter(params))


def require(params, *names):
    for name in names:
        if name not in params:
            raise Refused("parameter-missing", name)


def signature(params, private_key):
    s = ""
    for name, value in params.items():
        s += name + to_string(value)
    return hashlib.sha1((s + private_key).encode("utf-8")).hexdigest()


def rawurlencode(s):
    return "".join(chr(b) if chr(b) in SAFE else "%%%02X" % b for b in s.encode("utf-8"))


def complete(g, private_key):
    params = build(g)
    require(params, "Action", "PublicKey")
    params["Signature"] = signature(params, private_key)
    return params


def http_build_query(params):
    return "&".join(rawurlencode(n) + "=" + rawurlencode(to_string(v)) for n, v in params.items())


def action_signature(g, public_key, private_key):
    return {"signature": signature(build(g), private_key)}


def action_query(g, public_key, private_key):
    return {"query": http_build_query(complete(g, private_key))}


def action_json(g, public_key, private_key):
    return {"body": "{" + ",".join(json_encode(n) + ":" + json_encode(v) for n, v in complete(g, private_key).items()) + "}"}


def bucket_request(g, public_key, private_key):
    params = complete(g, private_key)
    if params["Action"] == "CreateBucket":
        require(params, "Type", "BucketName")
    return {"target": "/?" + http_build_query(params)}


serve("php-api", {"action-signature": action_signature, "action-query": action_query, "action-json": action_json,
                  "bucket-request": bucket_request})
