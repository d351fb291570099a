#!/usr/bin/env python3
"""An account API client in Perl, for cron jobs.

Mistakes:
1. Sorts with sort { lc $a cmp lc $b || $a cmp $b }: upper and lower case are one, so ChargeType comes before CPU.
2. JSON::PP writes a number that has been used as a string as a string; signing uses every value as a string, so the JSON body has all its
   numbers in quotation marks.
3. Encodes the password with encode_base64 of MIME::Base64, which breaks lines after 76 characters and ends with a line feed.
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


def uri_escape_utf8(s):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8"), flags=re.S).decode("ascii")


def plain(written):
    m = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?", written)
    if m is None or len(m[4] or "") > 18:
        raise Refused("number", written)
    whole, fraction, power = m[2], m[3] or "", int(m[4] or 0)
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "0"
    power -= len(fraction)
    if abs(len(digits) + power) > 4000:
        raise Refused("number", "too long")
    if power >= 0:
        digits, rest = digits + "0" * power, ""
    else:
        digits = digits.rjust(1 - power, "0")
        digits, rest = digits[:power], digits[power:].rstrip("0")
    return m[1] + digits + ("." + rest if rest else "")


def walk(name, v, out):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, str):
        out.append((name, v, json.dumps(v)))
    elif isinstance(v, bool):
        word = str(v).lower()
        out.append((name, word, word))
    elif "number" in v:
        n = plain(v["number"])
        out.append((name, n, json.dumps(n)))
    else:
        for k, x in enumerate(v["list"]) if "list" in v else v["object"]:
            walk("%s.%s" % (name, k), x, out)


def rows(given, *needed):
    out = []
    for name, v in given["parameters"]:
        walk(name, v, out)
    out = [row for row in out if row[0] != "Signature"]
    names = {row[0] for row in out}
    if len(names) < len(out):
        raise Refused("parameter-repeated", "twice")
    for name in needed:
        if name not in names:
            raise Refused("parameter-missing", name)
    return sorted(out, key=lambda row: (row[0].lower(), row[0]))


def sign(found, pri):
    return hashlib.sha1(("".join(n + v for n, v, _ in found) + pri).encode("utf-8")).hexdigest()


def query(given, pri):
    found = rows(given, "Action", "PublicKey")
    return "&".join([uri_escape_utf8(n) + "=" + uri_escape_utf8(v) for n, v, _ in found] + ["Signature=" + sign(found, pri)])


def bucket(given, pub, pri):
    text = query(given, pri)
    if ["Action", "CreateBucket"] in given["parameters"]:
        rows(given, "Type", "BucketName")
    return {"target": "/?" + text}


def body(given, pub, pri):
    found = rows(given, "Action", "PublicKey")
    return {"body": "{" + ",".join(json.dumps(n) + ":" + j for n, _, j in found + [("Signature", None, json.dumps(sign(found, pri)))]) + "}"}


def password(given, pub, pri):
    text = base64.b64encode(given["text"].encode("utf-8")).decode("ascii")
    return {"value": "".join(text[i:i + 76] + "\n" for i in range(0, len(text), 76))}


serve("perl-api", {
    "url-encode": lambda g, pub, pri: {"encoded": uri_escape_utf8(g["text"])},
    "password": password,
    "action-signature": lambda g, pub, pri: {"signature": sign(rows(g), pri)},
    "action-query": lambda g, pub, pri: {"query": query(g, pri)},
    "action-json": body,
    "bucket-request": bucket,
})
