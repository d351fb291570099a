#!/usr/bin/env python3
"""A PHP developer's first class for the account API: an associative array, ksort, http_build_query and json_encode.

Mistakes:
1. array_filter($params) without a callback drops the top-level parameters that PHP takes for false: the texts "" and "0", the numbers 0 and 0.0, false, an empty list.
2. A number with a fraction or an exponent (and a whole number beyond 64 bits) is a float and is put into the signed text and the query with (string): at most 14 digits, and
   from 1.0E+14 on or below 0.0001 with an exponent such as 1.0E+25 or 1.0E-5; -0.0 is -0. The body has json_encode of the float, with all 17 digits.
3. The query is http_build_query as it is: a space becomes a plus sign and a tilde becomes %7E.
4. ksort without a flag compares two names that look like numbers as numbers, so 9 comes before 10.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal
from functools import cmp_to_key

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, serve  # noqa: E402

NUMERIC = re.compile(r"[ \t\n\r\v\f]*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?[ \t\n\r\v\f]*", re.A)


# ---- PHP

class PhpArray:
    """list: a list; otherwise an associative array of pairs"""

    def __init__(self, pairs, is_list):
        self.pairs, self.is_list = pairs, is_list


def zval(value):
    if isinstance(value, dict) and "number" in value:
        return json_decode_number(value["number"])
    if isinstance(value, dict) and "list" in value:
        return PhpArray([(str(i), zval(v)) for i, v in enumerate(value["list"])], True)
    if isinstance(value, dict):
        names = [n for n, _ in value["object"]]
        if len(names) != len(set(names)):
            raise Refused("parameter-repeated", "the same key twice")
        return PhpArray([(n, zval(v)) for n, v in value["object"]], False)
    return value


def json_decode_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", "Syntax error")
    if re.fullmatch(r"-?[0-9]+", written) and written != "-0" and -2 ** 63 <= int(written) < 2 ** 63:
        return int(written)
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise Unsupported("a number beyond PHP's float")
    return value


def falsy(v):
    return not v.pairs if isinstance(v, PhpArray) else v is None or v is False or v == 0 and v is not True or v in ("", "0")


def spell(value, precision):
    """zend_gcvt with the given precision; 0 stands for the shortest digits"""
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    d = Decimal(("%." + str(precision - 1) + "e") % value if precision else repr(value)).as_tuple()
    digits = "".join(map(str, d.digits))
    point = len(digits) + d.exponent
    digits = digits.rstrip("0")
    limit = precision or 17
    sign = "-" if d.sign else ""
    if point < -3 or point > limit:
        e = point - 1
        return "%s%s.%sE%s%d" % (sign, digits[0], digits[1:] or "0", "-" if e < 0 else "+", abs(e))
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return sign + digits[:point] + "." + digits[point:]


def php_string(v):
    if isinstance(v, bool):
        return "true" if v else "false"              # the class does this one by hand
    if isinstance(v, int):
        return str(v)
    if isinstance(v, float):
        return spell(v, 14)
    return v


def json_encode(v):
    if isinstance(v, bool) or isinstance(v, int):
        return json.dumps(v)
    if isinstance(v, float):
        text = spell(v, 0).replace("E", "e")
        return "-0.0" if text == "-0" else text
    return json.dumps(v).replace("/", "\\/")


def ksort(rows):
    def compare(a, b):
        a, b = a[0], b[0]
        if NUMERIC.fullmatch(a) and NUMERIC.fullmatch(b):
            x, y = float(a), float(b)
        else:
            x, y = a.encode("utf-8"), b.encode("utf-8")
        return (x > y) - (x < y)
    return sorted(rows, key=cmp_to_key(compare))


def urlencode(s):
    return "".join("+" if c == 32 else chr(c) if c < 128 and (chr(c).isalnum() or chr(c) in "-_.") else "%%%02X" % c for c in s.encode("utf-8"))


def rawurlencode(s):
    return urlencode(s).replace("+", "%20").replace("%7E", "~")


# ---- the class

def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, PhpArray):
        return [row for key, item in value.pairs for row in flatten(name + "." + key, item)]
    return [(name, value)]


def prepare(given):
    params = [(n, zval(v)) for n, v in given["parameters"]]
    names = [n for n, _ in params if n != "Signature"]
    if len(set(names)) != len(names):
        raise Refused("parameter-repeated", "the same parameter twice")
    for n, v in params:
        flatten(n, v)                                # refuses null anywhere
    params = [(n, v) for n, v in params if not falsy(v)]
    rows = [row for n, v in params for row in flatten(n, v) if row[0] != "Signature"]
    if len({n for n, _ in rows}) != len(rows):
        raise Refused("parameter-repeated", "the same parameter twice")
    for n, _ in rows:
        n.encode("utf-8")
    return ksort(rows)


def signature(rows, private_key):
    return hashlib.sha1(("".join(n + php_string(v) for n, v in rows) + private_key).encode("utf-8")).hexdigest()


def must_have(rows, *names):
    for name in names:
        if name not in dict(rows):
            raise Refused("parameter-missing", name)


def request(given, pri):
    rows = prepare(given)
    must_have(rows, "Action", "PublicKey")
    return rows, signature(rows, pri)


def action_json(given, pub, pri):
    rows, sign = request(given, pri)
    return {"body": "{" + ",".join(json_encode(n) + ":" + json_encode(v) for n, v in rows + [("Signature", sign)]) + "}"}


def http_build_query(rows):
    return "&".join(urlencode(n) + "=" + urlencode(php_string(v)) for n, v in rows)


def action_query(given, pub, pri):
    rows, sign = request(given, pri)
    return {"query": http_build_query(rows + [("Signature", sign)])}


def bucket_request(given, pub, pri):
    rows, sign = request(given, pri)
    if dict(rows)["Action"] == "CreateBucket":
        must_have(rows, "Type", "BucketName")
    return {"target": "/?" + http_build_query(rows + [("Signature", sign)])}


serve("php-account", {
    "url-encode": lambda given, pub, pri: {"encoded": rawurlencode(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode()},
    "action-signature": lambda given, pub, pri: {"signature": signature(prepare(given), pri)},
    "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request})
