#!/usr/bin/env python3
"""An action API client ported from PHP: associative arrays, ksort, strings by cast.

Mistakes:
1. Sorts names in natural order (ksort with SORT_NATURAL): a run of digits counts as a number and comes before any other character, so
   Backends.2 stands before Backends.10.
2. A number with a fraction or an exponent, or beyond 64 bits, is a PHP float, cast to a text with 14 significant digits and, from
   1.0E+14 and below 0.0001, with an exponent. Minus zero written so becomes -0. Other integers are right.
"""
import base64
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def ksort(array):
    return {k: array[k] for k in sorted(array, key=natural)}


def natural(name):
    runs = re.split(r"([0-9]+)", name)
    return [int(x) if i % 2 else x for i, x in enumerate(runs)], name


def php_float(f):
    if f == 0:
        return "-0" if str(f).startswith("-") else "0"
    mantissa, exponent = ("%.13e" % abs(f)).split("e")
    digits = mantissa.replace(".", "").rstrip("0")
    point = int(exponent) + 1
    sign = "-" if f < 0 else ""
    if point > 14 or point < -3:
        return sign + digits[0] + "." + (digits[1:] or "0") + "E%+d" % (point - 1)
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    digits = digits.ljust(point, "0")
    return sign + digits[:point] + ("." + digits[point:] if digits[point:] else "")


def cast_number(written):
    if not re.match(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z", written):
        raise Refused("number", "not numeric")
    return float_or_int(written)


def float_or_int(written):
    if re.match(r"-?[0-9]{1,20}\Z", written) and -2 ** 63 <= int(written) < 2 ** 63:
        return str(int(written))
    f = float(written)
    if f in (float("inf"), float("-inf")):
        raise Refused("number", "INF")
    return php_float(f)


def flatten(name, value, rows):
    if value is None:
        raise Refused("parameter-null", name)
    if value is True:
        rows.append((name, "true", "true"))
    elif value is False:
        rows.append((name, "false", "false"))
    elif isinstance(value, str):
        rows.append((name, value, json.dumps(value)))
    elif "number" in value:
        text = cast_number(value["number"])
        rows.append((name, text, text))
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            flatten("%s.%d" % (name, i), item, rows)
    else:
        for member, item in value["object"]:
            flatten(name + "." + member, item, rows)


class Request:
    def __init__(self, parameters, secret, required=()):
        rows = []
        for name, value in parameters:
            flatten(name, value, rows)
        rows = [row for row in rows if row[0] != "Signature"]
        array = {}
        for name, text, js in rows:
            if name in array:
                raise Refused("parameter-repeated", name)
            name.encode("utf-8")
            array[name] = (text, js)
        for name in required:
            if name not in array:
                raise Refused("parameter-missing", name)
        self.array = ksort(array)
        text = "".join(name + value[0] for name, value in self.array.items()) + secret
        self.signature = hashlib.sha1(text.encode("utf-8")).hexdigest()

    def query(self):
        pairs = [rawurlencode(k) + "=" + rawurlencode(v[0]) for k, v in self.array.items()]
        return "&".join(pairs + ["Signature=" + self.signature])

    def body(self):
        members = [json.dumps(k) + ":" + v[1] for k, v in self.array.items()]
        return "{" + ",".join(members + ['"Signature":"' + self.signature + '"']) + "}"


def rawurlencode(text):
    return re.sub(rb"[^A-Za-z0-9._~-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8"), flags=re.S).decode("ascii")


NEEDED = ("Action", "PublicKey")


def space(given, pub, pri):
    request = Request(given["parameters"], pri, NEEDED)
    if request.array["Action"][0] == "CreateBucket":
        request = Request(given["parameters"], pri, NEEDED + ("Type", "BucketName"))
    return {"target": "/?" + request.query()}


serve("php-client", {
    "url-encode": lambda given, pub, pri: {"encoded": rawurlencode(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda given, pub, pri: {"signature": Request(given["parameters"], pri).signature},
    "action-json": lambda given, pub, pri: {"body": Request(given["parameters"], pri, NEEDED).body()},
    "action-query": lambda given, pub, pri: {"query": Request(given["parameters"], pri, NEEDED).query()},
    "bucket-request": space,
})
