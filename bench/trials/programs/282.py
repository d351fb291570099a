#!/usr/bin/env python3
"""An action API client ported from Java: TreeMap, BigDecimal, URLEncoder.

Mistakes:
1. A number written with a fraction or an exponent is new BigDecimal(text).stripTrailingZeros().toString(), which has an exponent for
   whole tens (100.0 becomes 1E+2) and below 0.000001. Numbers written as integers are right.
2. TreeMap compares names by UTF-16 units, so a name with a character beyond U+FFFF stands before one with U+E000 to U+FFFF.
3. URLEncoder.encode, with the plus sign replaced by %20 afterwards, but the asterisk stays as it is and the tilde becomes %7E.
"""
import base64
import decimal
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

WIDE = decimal.Context(prec=20000)


def compare_to(name):
    return name.encode("utf-16-be")


def big_decimal(written):
    d = decimal.Decimal(written)
    if d == 0:
        return "0"
    return str(d.normalize(WIDE))


def number(written):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written) is None:
        raise Refused("number", "not a number")
    try:
        d = decimal.Decimal(written)
    except decimal.InvalidOperation:
        raise Refused("number", "too large")
    if not d.is_finite() or d and abs(d.adjusted()) >= 4000:
        raise Refused("number", "too large")
    return big_decimal(written) if re.search("[.eE]", written) else "0" if d == 0 else written


def url_encoder(text):
    out = ""
    for b in text.encode("utf-8"):
        if chr(b).isalnum() and b < 128 or chr(b) in UNTOUCHED:
            out += chr(b)
        else:
            out += "+" if b == 32 else "%%%02X" % b
    return out.replace("+", "%20")


UNTOUCHED = ".-*_"


class TreeMap:
    def __init__(self, given):
        self.entries = {}
        for name, value in given["parameters"]:
            for path, text, raw in self.walk(name, value):
                if path == "Signature":
                    continue
                if path in self.entries:
                    raise Refused("parameter-repeated", path)
                self.entries[path] = (text, raw)
        for name in self.entries:
            name.encode("utf-8")

    def walk(self, path, value):
        if value is None:
            raise Refused("parameter-null", path)
        elif isinstance(value, str):
            return [(path, value, json.dumps(value, ensure_ascii=False))]
        elif isinstance(value, bool):
            return [(path, str(value).lower(), str(value).lower())]
        elif "number" in value:
            text = number(value["number"])
            return [(path, text, text)]
        elif "list" in value:
            children = [(str(i), v) for i, v in enumerate(value["list"])]
        else:
            children = value["object"]
        return [row for child, v in children for row in self.walk(path + "." + child, v)]

    def require(self, *names):
        missing = [n for n in names if n not in self.entries]
        if missing:
            raise Refused("parameter-missing", missing[0])

    def names(self):
        return sorted(self.entries, key=compare_to)

    def signature(self, pri):
        text = "".join(n + self.entries[n][0] for n in self.names())
        return hashlib.sha1((text + pri).encode("utf-8")).hexdigest()

    def query(self, pri):
        self.require("Action", "PublicKey")
        return "".join(url_encoder(n) + "=" + url_encoder(self.entries[n][0]) + "&" for n in self.names()) + "Signature=" + self.signature(pri)

    def json(self, pri):
        self.require("Action", "PublicKey")
        signature = self.signature(pri)
        return "{" + "".join(json.dumps(n, ensure_ascii=False) + ":" + self.entries[n][1] + "," for n in self.names()) \
            + '"Signature":"' + signature + '"}'


def bucket(given, pub, pri):
    m = TreeMap(given)
    m.require("Action", "PublicKey")
    if m.entries["Action"][0] == "CreateBucket":
        m.require("Type", "BucketName")
    return {"target": "/?" + m.query(pri)}


serve("java-api", {
    "url-encode": lambda g, pub, pri: {"encoded": url_encoder(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda g, pub, pri: {"signature": TreeMap(g).signature(pri)},
    "action-json": lambda g, pub, pri: {"body": TreeMap(g).json(pri)},
    "action-query": lambda g, pub, pri: {"query": TreeMap(g).query(pri)},
    "bucket-request": bucket,
})
