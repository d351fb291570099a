#!/usr/bin/env python3
"""An action API module ported from Perl: URI::Escape of old, MIME::Base64, JSON::PP numbers.

Mistakes:
1. Numbers are Perl numbers: an integer beyond 64 bits and every number with a fraction or exponent that is not whole, or is beyond
   64 bits, is signed and sent with 15 significant digits (%.15g), so with an exponent if it is very large or very small.
2. Booleans become Perl's 1 and the empty text in the signed string and in the query string; the JSON body has true and false.
3. The escape function keeps the old "unreserved marks" ! * ' ( ) unencoded.
4. The password's Base64 has a line feed after every 76 characters and at its end.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

SAFE = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~" + b"!*'()")


def uri_escape_utf8(s):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in s.encode("utf-8"))


def number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    return scalar(written)


def scalar(written):
    f = float(written)
    if f in (float("inf"), float("-inf")):
        raise Refused("number", written)
    d = Decimal(written)
    if d == d.to_integral_value() and -2 ** 63 <= d < 2 ** 64:
        return str(int(d))
    return "%.15g" % f


def walk(out, name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if v is True or v is False:
        out.append((name, perl_bool(v), "true" if v else "false"))
    elif isinstance(v, str):
        out.append((name, v, json.dumps(v)))
    elif "number" in v:
        n = number(v["number"])
        out.append((name, n, n))
    elif "list" in v:
        for i, x in enumerate(v["list"]):
            walk(out, "%s.%d" % (name, i), x)
    else:
        for k, x in v["object"]:
            walk(out, name + "." + k, x)


def perl_bool(v):
    return "1" if v else ""


def prepare(given, pri, *required):
    out = []
    for name, v in given["parameters"]:
        walk(out, name, v)
    out = sorted((row for row in out if row[0] != "Signature"), key=lambda row: row[0].encode("utf-8"))
    names = [row[0] for row in out]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    for n in required:
        if n not in names:
            raise Refused("parameter-missing", n)
    return out, hashlib.sha1(("".join(n + v for n, v, _ in out) + pri).encode("utf-8")).hexdigest()


def signature(given, pub, pri):
    return {"signature": prepare(given, pri)[1]}


def query_of(rows, sig):
    return "&".join("%s=%s" % (uri_escape_utf8(n), uri_escape_utf8(v)) for n, v, _ in rows + [("Signature", sig, "")])


def query(given, pub, pri):
    return {"query": query_of(*prepare(given, pri, "Action", "PublicKey"))}


def body(given, pub, pri):
    rows, sig = prepare(given, pri, "Action", "PublicKey")
    return {"body": "{" + ",".join(json.dumps(n) + ":" + j for n, _, j in rows + [("Signature", sig, '"%s"' % sig)]) + "}"}


def bucket(given, pub, pri):
    need = ["Action", "PublicKey"]
    if ["Action", "CreateBucket"] in given["parameters"]:
        need += ["Type", "BucketName"]
    return {"target": "/?" + query_of(*prepare(given, pri, *need))}


def password(given, pub, pri):
    b = base64.b64encode(given["text"].encode("utf-8")).decode("ascii")
    return {"value": "".join(b[i:i + 76] + "\n" for i in range(0, len(b), 76))}


serve("perl-api", {"url-encode": lambda g, pub, pri: {"encoded": uri_escape_utf8(g["text"])}, "password": password,
                   "action-signature": signature, "action-json": body, "action-query": query, "bucket-request": bucket})
