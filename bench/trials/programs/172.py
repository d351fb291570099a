#!/usr/bin/env python3
"""An action API library ported from C# (.NET Framework, System.Web).

Mistakes:
1. Sorts the names as a culture does: without regard to case first, and lower case before upper case if that leaves a tie.
2. Numbers are System.Decimal, which keeps the zeros at the end of a fraction: 42.0 and 1.50 are signed and sent as they are.
3. Encodes the password from UTF-16 (Encoding.Unicode) instead of UTF-8.
4. Escapes with HttpUtility.UrlEncode and replaces + with %20 afterwards: hexadecimal digits are lower case, ! * ( ) stay unencoded
   and ~ is encoded.
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


def url_encode(s):
    out = ""
    for b in s.encode("utf-8"):
        if b < 128 and (chr(b).isalnum() or chr(b) in "-_.!*()"):
            out += chr(b)
        elif b == 32:
            out += "+"
        else:
            out += "%%%02x" % b
    return out.replace("+", "%20")


def decimal_text(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,4})?", written):
        raise Refused("number", written)
    d = Decimal(written)
    if d and abs(d.adjusted()) >= 4000:
        raise Refused("number", "too large")
    text = plain(d)
    return text.lstrip("-") if d == 0 else text


def plain(d):
    return format(d if d or d.as_tuple().exponent < 0 else Decimal(0), "f")


def culture(name):
    return name.lower().encode("utf-8"), name.swapcase().encode("utf-8")


def collect(into, name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        t = str(value).lower()
        rows = [(name, t, t)]
    elif isinstance(value, str):
        rows = [(name, value, json.dumps(value))]
    elif "number" in value:
        t = decimal_text(value["number"])
        rows = [(name, t, t)]
    else:
        for k, v in enumerate(value["list"]) if "list" in value else value["object"]:
            collect(into, "%s.%s" % (name, k), v)
        return
    for row in rows:
        if row[0] == "Signature":
            continue
        if row[0] in [r[0] for r in into]:
            raise Refused("parameter-repeated", name)
        into.append(row)


def build(given, pri, check):
    rows = []
    for n, v in given["parameters"]:
        collect(rows, n, v)
    have = {r[0]: r[1] for r in rows}
    wanted = ["Action", "PublicKey"] if check else []
    if check == "bucket" and have.get("Action") == "CreateBucket":
        wanted += ["Type", "BucketName"]
    for n in wanted:
        if n not in have:
            raise Refused("parameter-missing", n)
    rows.sort(key=lambda r: culture(r[0]))
    text = "".join(r[0] + r[1] for r in rows) + pri
    return rows, hashlib.sha1(text.encode("utf-8")).hexdigest()


def query(given, pri, check):
    rows, signature = build(given, pri, check)
    return "&".join([url_encode(n) + "=" + url_encode(v) for n, v, _ in rows] + ["Signature=" + signature])


def body(given, pub, pri):
    rows, signature = build(given, pri, "json")
    return {"body": "{%s}" % ", ".join(["%s: %s" % (json.dumps(n), j) for n, _, j in rows] + ['"Signature": "%s"' % signature])}


def password(given, pub, pri):
    given["text"].encode("utf-8")
    return {"value": base64.b64encode(given["text"].encode("utf-16-le")).decode("ascii")}


serve("csharp-api", {
    "url-encode": lambda g, pub, pri: {"encoded": url_encode(g["text"])},
    "password": password,
    "action-signature": lambda g, pub, pri: {"signature": build(g, pri, "")[1]},
    "action-query": lambda g, pub, pri: {"query": query(g, pri, "query")},
    "bucket-request": lambda g, pub, pri: {"target": "/?" + query(g, pri, "bucket")},
    "action-json": body,
})
