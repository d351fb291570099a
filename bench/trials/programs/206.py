#!/usr/bin/env python3
"""A PHP client of the action API: associative arrays, array_filter and array_walk_recursive.

Mistakes:
1. Booleans are signed, and sent in the query string, as 1 and 0, as http_build_query writes them (the JSON body has true and false).
2. array_filter($params, 'strlen') drops every parameter whose value is the empty text, before signing and sending; a required
   parameter that is empty is therefore missing.
3. Nested lists and objects are flattened with array_walk_recursive: the name is that of the parameter, a dot and the innermost index
   or member only (Disks.Size instead of Disks.0.Size), and a later value of the same name replaces the earlier one.
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
    return "".join(chr(b) if b < 128 and re.match("[A-Za-z0-9._~-]", chr(b)) else "%%%02X" % b for b in s.encode("utf-8"))


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


def walk(value):
    """Pairs of the innermost key and the value, of every depth."""
    pairs = value["object"] if "object" in value else [(str(i), x) for i, x in enumerate(value["list"])]
    for key, x in pairs:
        if isinstance(x, dict) and "number" not in x:
            yield from walk(x)
        else:
            yield key, x


class Request:
    def __init__(self, given):
        self.rows = []
        for name, value in given["parameters"]:
            self.add(name, value)
        self.rows = [row for row in self.rows if row[0] != "Signature"]
        names = [row[0] for row in self.rows]
        if len(set(names)) < len(names):
            raise Refused("parameter-repeated", "twice")
        self.rows = [row for row in self.rows if row[1] != ""]
        self.rows.sort(key=lambda row: row[0].encode("utf-8"))

    def add(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, bool):
            self.rows.append((name, "1" if value else "0", "true" if value else "false"))
        elif isinstance(value, str):
            self.rows.append((name, value, json.dumps(value)))
        elif "number" in value:
            t = decimal(value["number"])
            self.rows.append((name, t, t))
        else:
            walked = {}
            for key, leaf in walk(value):
                self.add(name + "." + key, leaf)
                row = self.rows.pop()
                walked[row[0]] = row
            self.rows += walked.values()

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


serve("php-api", {
    "url-encode": lambda g, pub, pri: {"encoded": escape(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": Request(g).sign(pri)},
    "action-query": lambda g, pub, pri: {"query": Request(g).need("Action", "PublicKey").query(pri)},
    "action-json": lambda g, pub, pri: {"body": Request(g).need("Action", "PublicKey").body(pri)},
    "bucket-request": bucket_request,
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
})
