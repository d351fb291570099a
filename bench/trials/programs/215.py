#!/usr/bin/env python3
"""A Perl client of the action API, on LWP.

Mistakes:
1. Numbers are scalars in numeric context: an integer up to 18446744073709551615 (or down to -9223372036854775808) is right, every other
   number is written with %.15g (1e-05, 1.84467440737096e+19), signed and sent.
2. uri_escape of an old URI::Escape leaves ! * ' ( ) as they are.
3. for ($i = 0; $i < $#list; $i++): the last item of every list is lost, signed and sent.
4. The password is MIME::Base64's encode_base64, with a line feed after every 76 characters and at the end.
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


def escape(s):
    return "".join(chr(b) if b < 128 and re.match("[A-Za-z0-9._~!*'()-]", chr(b)) else "%%%02X" % b for b in s.encode("utf-8"))


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


def scalar(written):
    t = decimal(written)
    if re.fullmatch("-?[0-9]+", t) and -1 << 63 <= int(t) < 1 << 64:
        return t
    return "%.15g" % float(t)


class Request:
    def __init__(self, given):
        self.rows = []
        for name, value in given["parameters"]:
            self.add(name, value)
        self.rows = [row for row in self.rows if row[0] != "Signature"]
        names = [row[0] for row in self.rows]
        if len(set(names)) < len(names):
            raise Refused("parameter-repeated", "twice")
        self.rows.sort(key=lambda row: row[0].encode("utf-8"))

    def add(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, bool):
            self.rows.append((name, "true" if value else "false", "true" if value else "false"))
        elif isinstance(value, str):
            self.rows.append((name, value, json.dumps(value)))
        elif "number" in value:
            t = scalar(value["number"])
            self.rows.append((name, t, t))
        elif "list" in value:
            for i, item in enumerate(value["list"][:-1]):
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
        return "".join("%s=%s&" % (escape(n), escape(v)) for n, v, _ in self.rows) + "Signature=" + self.sign(private)

    def body(self, private):
        rows = self.rows + [("Signature", "", json.dumps(self.sign(private)))]
        return "{" + ",".join(json.dumps(n) + ":" + j for n, _, j in rows) + "}"


def bucket_request(g, pub, pri):
    r = Request(g).need("Action", "PublicKey")
    if ("Action", "CreateBucket") in [row[:2] for row in r.rows]:
        r.need("Type", "BucketName")
    return {"target": "/?" + r.query(pri)}


def password(g, pub, pri):
    b64 = base64.b64encode(g["text"].encode("utf-8")).decode("ascii")
    return {"value": "".join(b64[i:i + 76] + "\n" for i in range(0, len(b64), 76))}


serve("perl-api", {
    "url-encode": lambda g, pub, pri: {"encoded": escape(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": Request(g).sign(pri)},
    "action-query": lambda g, pub, pri: {"query": Request(g).need("Action", "PublicKey").query(pri)},
    "action-json": lambda g, pub, pri: {"body": Request(g).need("Action", "PublicKey").body(pri)},
    "bucket-request": bucket_request,
    "password": password,
})
