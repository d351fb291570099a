#!/usr/bin/env python3
"""A PHP API client: parameters are an associative array, the query comes from urlencode().

Mistakes:
1. Booleans are signed and sent as PHP casts them to string: true is 1 and false is the empty text (in the query; this SDK has no JSON form).
2. Escapes with urlencode(): a space becomes a plus sign and a tilde becomes %7E.
3. A number that is not an integer of 64 bits is a float, written with 14 significant digits in PHP's way: 0.12345678901234567 is signed as
   0.12345678901235, 18446744073709551616 as 1.844674407371E+19, 0.00001 as 1.0E-5. (A float without a fraction, 42.0, is still 42; an integer
   written with an exponent is a float too. A number beyond a double's range is refused, one too close to zero is 0.)
"""
import base64
import hashlib
import math
import re
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

def urlencode(s):
    r = ""
    for b in s.encode("utf-8"):
        c = chr(b)
        if re.match(r"[A-Za-z0-9_.-]", c):
            r += c
        else:
            r += "+" if c == " " else "%%%02X" % b
    return r


def php_float(f):
    if math.isinf(f):
        raise Refused("number", "too large")
    if f == 0:
        return "0"
    s = "%.14G" % f
    if "E" not in s:
        return s
    mantissa, exponent = s.split("E")
    if "." not in mantissa:
        mantissa += ".0"
    return mantissa + "E" + exponent[0] + exponent[1:].lstrip("0")


def number(s):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", s, re.A):
        raise Refused("number", s)
    if re.fullmatch(r"-?\d{1,19}", s, re.A) and -(1 << 63) <= int(s) < 1 << 63:
        return str(int(s))
    return php_float(float(s))


def flatten(prefix, value, out):
    if value is None:
        raise Refused("parameter-null", prefix)
    elif isinstance(value, bool):
        out.append((prefix, "1" if value else ""))
    elif isinstance(value, str):
        out.append((prefix, value))
    elif "number" in value:
        out.append((prefix, number(value["number"])))
    elif "list" in value:
        for i, v in enumerate(value["list"]):
            flatten("%s.%d" % (prefix, i), v, out)
    else:
        for k, v in value["object"]:
            flatten(prefix + "." + k, v, out)


def params(g):
    rows = []
    for k, v in g["parameters"]:
        flatten(k, v, rows)
    rows = [r for r in rows if r[0] != "Signature"]
    array = dict(rows)
    if len(array) < len(rows):
        raise Refused("parameter-repeated", "twice")
    return array


def ksort(array):
    return sorted(array, key=str.encode)


def sign(array, pri):
    s = ""
    for k in ksort(array):
        s += k + array[k]
    return hashlib.sha1((s + pri).encode("utf-8")).hexdigest()


def isset(array, *names):
    for n in names:
        if n not in array:
            raise Refused("parameter-missing", n)


def http_build_query(g, pri, bucket=False):
    array = params(g)
    isset(array, "Action", "PublicKey")
    signature = sign(array, pri)
    if bucket and array["Action"] == "CreateBucket":
        isset(array, "Type", "BucketName")
    q = ""
    for k in ksort(array):
        q += urlencode(k) + "=" + urlencode(array[k]) + "&"
    return q + "Signature=" + signature


serve("php-api", {
    "url-encode": lambda g, pub, pri: {"encoded": urlencode(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode()},
    "action-signature": lambda g, pub, pri: {"signature": sign(params(g), pri)},
    "action-query": lambda g, pub, pri: {"query": http_build_query(g, pri)},
    "bucket-request": lambda g, pub, pri: {"target": "/?" + http_build_query(g, pri, True)},
})
