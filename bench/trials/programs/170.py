#!/usr/bin/env python3
"""An action API client ported from Go: parameters are map[string]interface{} as encoding/json makes them.

Mistakes:
1. Every number is a float64, signed and sent as fmt.Sprint writes it: rounded to a double, and with an exponent if it has seven or
   more digits before the point (1000000 becomes 1e+06) or is below 0.0001 (1e-07).
2. Escapes with url.QueryEscape, so a space becomes a plus sign.
3. Numbers the items of a list from 1.
"""
import base64
import hashlib
import json
import math
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def query_escape(s):
    out = []
    for b in s.encode("utf-8"):
        c = chr(b)
        if b < 128 and (c.isalnum() or c in "-_.~"):
            out.append(c)
        elif c == " ":
            out.append("+")
        else:
            out.append("%%%02X" % b)
    return "".join(out)


def sprint(f):
    if f == 0:
        return "0"
    mantissa, _, exponent = ("%r" % float("%r" % f)).lower().partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    lead = len(whole + fraction) - len(digits)
    point = len(whole) + int(exponent or 0) - lead
    digits = digits.rstrip("0")
    e = point - 1
    if e < -4 or e >= 6:
        return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%s%02d" % ("-" if e < 0 else "+", abs(e))
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    if len(digits) <= point:
        return sign + digits + "0" * (point - len(digits))
    return sign + digits[:point] + "." + digits[point:]


def number(written):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written) is None:
        raise Refused("number", written)
    return number_value(written)


def number_value(written):
    f = float(written)
    if math.isinf(f):
        raise Refused("number", written)
    return sprint(f)


FIRST = 1


class Params:
    def __init__(self, given):
        self.text, self.json = {}, {}
        for n, v in given["parameters"]:
            self.add(n, v)

    def put(self, name, text, js):
        if name == "Signature":
            return
        if name in self.text:
            raise Refused("parameter-repeated", name)
        self.text[name], self.json[name] = text, js

    def add(self, name, v):
        if v is None:
            raise Refused("parameter-null", name)
        if isinstance(v, bool):
            self.put(name, "true" if v else "false", "true" if v else "false")
        elif isinstance(v, str):
            self.put(name, v, json.dumps(v))
        elif "number" in v:
            t = number(v["number"])
            self.put(name, t, t)
        elif "list" in v:
            for i, x in enumerate(v["list"], FIRST):
                self.add(name + "." + str(i), x)
        else:
            for k, x in v["object"]:
                self.add(name + "." + k, x)

    def need(self, *names):
        for n in names:
            if n not in self.text:
                raise Refused("parameter-missing", n)
        return self

    def names(self):
        return sorted(self.text, key=lambda n: n.encode("utf-8"))

    def sign(self, pri):
        h = hashlib.sha1()
        for n in self.names():
            h.update((n + self.text[n]).encode("utf-8"))
        h.update(pri.encode("utf-8"))
        return h.hexdigest()

    def encode(self, pri):
        return "".join(query_escape(n) + "=" + query_escape(self.text[n]) + "&" for n in self.names()) + "Signature=" + self.sign(pri)

    def marshal(self, pri):
        rows = [(n, self.json[n]) for n in self.names()] + [("Signature", json.dumps(self.sign(pri)))]
        return "{" + ",".join(json.dumps(n) + ":" + j for n, j in rows) + "}"


def bucket(given, pub, pri):
    p = Params(given).need("Action", "PublicKey")
    if p.text["Action"] == "CreateBucket":
        p.need("Type", "BucketName")
    return {"target": "/?" + p.encode(pri)}


serve("go-api", {
    "url-encode": lambda g, pub, pri: {"encoded": query_escape(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda g, pub, pri: {"signature": Params(g).sign(pri)},
    "action-query": lambda g, pub, pri: {"query": Params(g).need("Action", "PublicKey").encode(pri)},
    "action-json": lambda g, pub, pri: {"body": Params(g).need("Action", "PublicKey").marshal(pri)},
    "bucket-request": bucket,
})
