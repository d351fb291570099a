#!/usr/bin/env python3
"""PHP: a client of the action API (action-signature, action-json, action-query, bucket-request).

1. Booleans are cast to strings: the signed text has 1 for true and nothing for false, and a query (action-query, bucket-request)
   sends 1 and 0 as http_build_query does; the JSON body still has true and false.
2. The signed text has the text values after trim(): without the characters space, TAB, LF, CR, NUL and VT at both ends; they are
   sent as they are.
3. An integer (written without fraction and exponent) outside of PHP's 64-bit range becomes a float and is signed and sent with 14
   significant digits: 12345678901234567890 is 1.2345678901235E+19, and 10000000000000000000 is 1.0E+19.
"""
import hashlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, serve  # noqa: E402


def php_float(number):
    if number in (float("inf"), float("-inf")):
        return "INF" if number > 0 else "-INF"
    mantissa, exponent = ("%.13E" % number).split("E")
    mantissa = mantissa.rstrip("0")
    if mantissa.endswith("."):
        mantissa += "0"
    return mantissa + "E" + exponent


def php_number(source):
    match = re.match(r"\A(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?\Z", source)
    if not match:
        raise Refused("number", source)
    minus, whole, fraction, exponent = match.groups()
    if fraction is None and exponent is None and len(whole) > 18:
        if len(whole) > 4000:
            raise Refused("number", "too long")
        if not -2 ** 63 <= int(source) < 2 ** 63:
            return php_float(float(source) if len(whole) < 309 else float(minus + "inf"))
    fraction = fraction or ""
    digits = (whole + fraction).lstrip("0")
    if not digits.strip("0"):
        return "0"
    shift = int(exponent or "0") - len(fraction)        # value = digits * 10 ** shift
    if not -4000 < len(digits) - 1 + shift < 4000:
        raise Refused("number", "too long")
    if shift >= 0:
        return minus + digits + "0" * shift
    digits = digits.rjust(1 - shift, "0")
    head, tail = digits[:shift], digits[shift:].rstrip("0")
    return minus + head + ("." + tail if tail else "")


def php_walk(name, value, rows):
    """rows: [name, text to sign, text for a query, JSON]"""
    if value is None:
        raise Refused("parameter-null", name)
    if value is True:
        rows.append([name, "1", "1", "true"])
    elif value is False:
        rows.append([name, "", "0", "false"])
    elif isinstance(value, str):
        rows.append([name, value.strip(" \t\n\r\0\x0b"), value, json.dumps(value)])
    elif "number" in value:
        text = php_number(value["number"])
        rows.append([name, text, text, text])
    elif "list" in value:
        for key, item in enumerate(value["list"]):
            php_walk("%s.%d" % (name, key), item, rows)
    else:
        for key, item in value["object"]:
            php_walk("%s.%s" % (name, key), item, rows)


def php_rows(parameters):
    rows = []
    for name, value in parameters:
        php_walk(name, value, rows)
    params = {}
    for row in rows:
        if row[0] == "Signature":
            continue
        if row[0] in params:
            raise Refused("parameter-repeated", row[0])
        params[row[0]] = row
    return [params[name] for name in sorted(params, key=lambda n: n.encode("utf-8"))]


def php_sha1(rows, private_key):
    ctx = hashlib.sha1()
    for row in rows:
        ctx.update(row[0].encode("utf-8"))
        ctx.update(row[1].encode("utf-8"))
    ctx.update(private_key.encode("utf-8"))
    return ctx.hexdigest()


def rawurlencode(text):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8")).decode("ascii")


def required(rows, *names):
    for name in names:
        if name not in [row[0] for row in rows]:
            raise Refused("parameter-missing", name)


def query(rows, private_key):
    out = ""
    for row in rows:
        out += rawurlencode(row[0]) + "=" + rawurlencode(row[2]) + "&"
    return out + "Signature=" + php_sha1(rows, private_key)


def action_signature(given, public_key, private_key):
    return {"signature": php_sha1(php_rows(given["parameters"]), private_key)}


def action_json(given, public_key, private_key):
    rows = php_rows(given["parameters"])
    required(rows, "Action", "PublicKey")
    members = [json.dumps(row[0]) + ":" + row[3] for row in rows] + ['"Signature":"' + php_sha1(rows, private_key) + '"']
    return {"body": "{" + ",".join(members) + "}"}


def action_query(given, public_key, private_key):
    rows = php_rows(given["parameters"])
    required(rows, "Action", "PublicKey")
    return {"query": query(rows, private_key)}


def bucket_request(given, public_key, private_key):
    rows = php_rows(given["parameters"])
    required(rows, "Action", "PublicKey")
    target = "/?" + query(rows, private_key)
    if [row[2] for row in rows if row[0] == "Action"] == ["CreateBucket"]:
        required(rows, "Type", "BucketName")
    return {"target": target}


OPS = {"action-signature": action_signature, "action-json": action_json, "action-query": action_query,
       "bucket-request": bucket_request}

if __name__ == "__main__":
    serve("php-action", OPS)
