#!/usr/bin/env python3
"""An action-API client after a Kotlin one for Android (URLEncoder, TreeMap, android.util.Base64).

Mistakes:
1. Encodes with java.net.URLEncoder and then replaces "+" by "%20" only: "*" stays unencoded and "~" becomes "%7E", wherever it encodes.
2. Numbers go through a Double: a whole number is printed by way of a Long, any other as Double.toString does, so with an exponent if it is below 0.001 or not below 10000000; digits beyond a Double's precision are lost. In the signed text and in what is sent.
3. The parameters are kept in a TreeMap with CASE_INSENSITIVE_ORDER: they are sorted without regard to case, and of two names that differ only in case the first name with the last value is kept.
4. The Base64 of a password is broken by a line feed after each 76 characters (android.util.Base64.DEFAULT, trimmed at the end only).
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


def urlEncode(s):
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-*_"
    out = "".join(chr(b) if b in plain else "+" if b == 32 else "%%%02X" % b for b in s.encode("utf-8"))
    return out.replace("+", "%20")


def doubleToString(d):
    digits = Decimal(repr(d))
    if 1e-3 <= abs(d) < 1e7:
        t = format(digits, "f")
        return t if "." in t else t + ".0"
    sign, ds, _ = digits.normalize().as_tuple()
    ds = "".join(map(str, ds))
    return ("-" if sign else "") + ds[0] + "." + (ds[1:] or "0") + "E" + str(digits.adjusted())


def number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    d = float(written)
    if d in (float("inf"), float("-inf")):
        raise Refused("number", written)
    if d == int(d):
        return str(max(-2 ** 63, min(2 ** 63 - 1, int(d))))
    return doubleToString(d)


class TreeMap:
    """Case-insensitive; put() keeps the old key, as java.util.TreeMap does."""

    def __init__(self):
        self.entries = {}
        self.exact = set()

    def put(self, k, v):
        if k in self.exact:
            raise Refused("parameter-repeated", k)
        self.exact.add(k)
        folded = k.lower()
        self.entries[folded] = (self.entries[folded][0] if folded in self.entries else k, v)

    def items(self):
        return [self.entries[f] for f in sorted(self.entries, key=lambda f: f.encode("utf-8"))]


def flatten(name, v, into):
    if v is None:
        raise Refused("parameter-null", name)
    elif isinstance(v, bool):
        into.append((name, ("true" if v else "false", False)))
    elif isinstance(v, str):
        into.append((name, (v, True)))
    elif "number" in v:
        into.append((name, (number(v["number"]), False)))
    elif "list" in v:
        for i, x in enumerate(v["list"]):
            flatten("%s.%d" % (name, i), x, into)
    else:
        for n, x in v["object"]:
            flatten(name + "." + n, x, into)


class Request:
    def __init__(self, given, pub, pri, complete=True):
        flat = []
        for name, v in given["parameters"]:
            flatten(name, v, flat)
        tree = TreeMap()
        for name, v in flat:
            if name != "Signature":
                tree.put(name, v)
        self.items = tree.items()
        self.map = dict(self.items)
        if complete:
            self.need("Action", "PublicKey")
        text = "".join(n + v for n, (v, _) in self.items) + pri
        self.signature = hashlib.sha1(text.encode("utf-8")).hexdigest()

    def need(self, *names):
        for n in names:
            if n not in self.map:
                raise Refused("parameter-missing", n)

    def query(self):
        return "&".join([urlEncode(n) + "=" + urlEncode(v) for n, (v, _) in self.items] + ["Signature=" + self.signature])

    def json(self):
        parts = [json.dumps(n) + ": " + (json.dumps(v) if quoted else v) for n, (v, quoted) in self.items]
        return "{" + ", ".join(parts + ['"Signature": "%s"' % self.signature]) + "}"

    def bucket(self):
        if self.map["Action"][0] == "CreateBucket":
            self.need("Type", "BucketName")
        return "/?" + self.query()


def password(text):
    b = base64.b64encode(text.encode("utf-8")).decode("ascii")
    return "\n".join(b[i:i + 76] for i in range(0, len(b), 76))


serve("kotlin-actions", {
    "url-encode": lambda o, pub, pri: {"encoded": urlEncode(o["text"])},
    "password": lambda o, pub, pri: {"value": password(o["text"])},
    "action-signature": lambda o, pub, pri: {"signature": Request(o, pub, pri, False).signature},
    "action-json": lambda o, pub, pri: {"body": Request(o, pub, pri).json()},
    "action-query": lambda o, pub, pri: {"query": Request(o, pub, pri).query()},
    "bucket-request": lambda o, pub, pri: {"target": Request(o, pub, pri).bucket()},
})
