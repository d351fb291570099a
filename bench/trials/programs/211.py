#!/usr/bin/env python3
"""A .NET client of the action API in C#.

Mistakes:
1. SortedDictionary with the default, culture-sensitive comparer: names are ordered without regard to case (ChargeType before CPU); names
   that differ in case alone have the lower-case letter first.
2. HttpUtility.UrlEncode: escapes in lower-case hexadecimal, a space is a plus sign, ! * ( ) are left alone and ~ is escaped.
3. bool.ToString(): booleans are signed, and sent in the query string, as True and False (the JSON body has true and false).
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
from serving import WORDS, Refused, content, serve  # noqa: E402,F401


def decimal(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) >= 4000:
            raise Refused("number", "too long")
        t = format(d, "f")
    except ArithmeticError:
        raise Refused("number", written)
    if "." in t:
        t = t.rstrip("0").rstrip(".")
    return t if t.strip("-0.") else "0"


def url_encode(s):
    out = ""
    for b in s.encode("utf-8"):
        if b == 32:
            out += "+"
        elif b < 128 and re.match("[A-Za-z0-9_.!*()-]", chr(b)):
            out += chr(b)
        else:
            out += "%%%02x" % b
    return out


class Request:
    def __init__(self, given):
        self.rows = []
        for name, value in given["parameters"]:
            self.add(name, value)
        self.rows = [row for row in self.rows if row[0] != "Signature"]
        names = [row[0] for row in self.rows]
        if len(set(names)) < len(names):
            raise Refused("parameter-repeated", "twice")
        self.rows.sort(key=lambda row: (row[0].lower().encode("utf-8"), row[0].swapcase().encode("utf-8")))

    def add(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, bool):
            self.rows.append((name, str(value), "true" if value else "false"))
        elif isinstance(value, str):
            self.rows.append((name, value, json.dumps(value)))
        elif "number" in value:
            t = decimal(value["number"])
            self.rows.append((name, t, t))
        elif "list" in value:
            for i, item in enumerate(value["list"]):
                self.add("%s.%d" % (name, i), item)
        else:
            for key, item in value["object"]:
                self.add(name + "." + key, item)

    def need(self, *names):
        for name in names:
            if name not in [row[0] for row in self.rows]:
                raise Refused("parameter-missing", name)
        return self

    def sign(self, private):
        text = "".join(name + value for name, value, _ in self.rows) + private
        return hashlib.sha1(text.encode("utf-8")).hexdigest()

    def query(self, private):
        return "".join("%s=%s&" % (url_encode(n), url_encode(v)) for n, v, _ in self.rows) + "Signature=" + self.sign(private)

    def body(self, private):
        rows = self.rows + [("Signature", "", json.dumps(self.sign(private)))]
        return "{" + ",".join(json.dumps(n) + ":" + j for n, _, j in rows) + "}"


def bucket_request(g, pub, pri):
    r = Request(g).need("Action", "PublicKey")
    if ("Action", "CreateBucket") in [row[:2] for row in r.rows]:
        r.need("Type", "BucketName")
    return {"target": "/?" + r.query(pri)}


serve("dotnet-api", {
    "url-encode": lambda g, pub, pri: {"encoded": url_encode(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": Request(g).sign(pri)},
    "action-query": lambda g, pub, pri: {"query": Request(g).need("Action", "PublicKey").query(pri)},
    "action-json": lambda g, pub, pri: {"body": Request(g).need("Action", "PublicKey").body(pri)},
    "bucket-request": bucket_request,
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
})
