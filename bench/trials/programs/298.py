#!/usr/bin/env python3
r"""A Go backend developer who calls only the account API; the port keeps the shape of the Go package.

Mistakes:
1. Parameters come from json.Unmarshal into interface{}, so every number is a float64, written with FormatFloat(f, 'f', -1, 64). Integers beyond
   2^53 and fractions of more than 15 to 17 digits lose digits, in the signature and in what is sent. A number beyond the largest float64 is refused.
2. A list inside a list is not flattened: the inner list becomes one text parameter by fmt.Sprint, such as [a b] or [map[Size:1]].
3. The private key goes through strings.TrimSpace, so white space at its ends is not signed.
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

SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
KEEP = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")


def escape(s):
    return "".join(chr(c) if c in KEEP else "%%%02X" % c for c in s.encode("utf-8"))


class Value:
    """text: what is signed; plain: written without quotes in JSON."""

    def __init__(self, text, plain=False):
        self.text, self.plain = text, plain


def parse_float(written):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
        raise Refused("number", "not a JSON number")
    f = float(written)
    if f in (float("inf"), float("-inf")):
        raise Refused("number", "value out of range")
    return f


def format_float(f):
    if f == 0:
        return "0"
    s = format(Decimal(repr(f)), "f")
    return s.rstrip("0").rstrip(".") if "." in s else s


def sprint(v):
    """fmt.Sprint of a decoded JSON value."""
    if v is None:
        raise Refused("parameter-null", "nil inside a list")
    if v is True or v is False:
        return "true" if v else "false"
    if isinstance(v, str):
        return v
    if "number" in v:
        f = parse_float(v["number"])
        if f and not 1e-4 <= abs(f) < 1e21:
            digits = Decimal(repr(f)).normalize().as_tuple()
            exponent = len(digits.digits) - 1 + digits.exponent
            mantissa = "".join(map(str, digits.digits))
            mantissa = mantissa[0] + ("." + mantissa[1:] if mantissa[1:] else "")
            return "%s%se%s%02d" % ("-" * digits.sign, mantissa, "-" if exponent < 0 else "+", abs(exponent))
        return format_float(f)
    if "list" in v:
        return "[" + " ".join(sprint(x) for x in v["list"]) + "]"
    return "map[" + " ".join(n + ":" + sprint(x) for n, x in sorted(v["object"], key=lambda p: p[0].encode("utf-8"))) + "]"


class Params:
    def __init__(self, given):
        self.values, self.repeated = {}, []
        for name, v in given:
            self.add(name, v)
        if self.repeated:
            raise Refused("parameter-repeated", self.repeated[0])
        if self.values.get("Signature"):
            del self.values["Signature"]

    def put(self, name, value):
        if name in self.values and name != "Signature":
            self.repeated.append(name)
        self.values[name] = value

    def add(self, name, v, in_list=False):
        if v is None:
            raise Refused("parameter-null", name)
        if v is True or v is False:
            self.put(name, Value("true" if v else "false", True))
        elif isinstance(v, str):
            self.put(name, Value(v))
        elif "number" in v:
            self.put(name, Value(format_float(parse_float(v["number"])), True))
        elif "object" in v:
            for member, x in v["object"]:
                self.add(name + "." + member, x)
        elif in_list:
            self.put(name, Value(sprint(v)))
        else:
            for i, x in enumerate(v["list"]):
                self.add("%s.%d" % (name, i), x, True)

    def names(self):
        return sorted(self.values, key=lambda n: n.encode("utf-8"))

    def sign(self, pri):
        h = hashlib.sha1()
        for n in self.names():
            h.update(n.encode("utf-8"))
            h.update(self.values[n].text.encode("utf-8"))
        h.update(pri.strip(SPACES).encode("utf-8"))
        return h.hexdigest()

    def require(self, *names):
        for n in names:
            if n not in self.values:
                raise Refused("parameter-missing", n)

    def query(self, pri):
        return "".join("%s=%s&" % (escape(n), escape(self.values[n].text)) for n in self.names()) + "Signature=" + self.sign(pri)


def signature(given, pub, pri):
    return {"signature": Params(given["parameters"]).sign(pri)}


def body(given, pub, pri):
    p = Params(given["parameters"])
    p.require("Action", "PublicKey")
    parts = [json.dumps(n) + ":" + (v.text if v.plain else json.dumps(v.text)) for n, v in ((n, p.values[n]) for n in p.names())]
    return {"body": "{" + "".join(x + "," for x in parts) + '"Signature":"' + p.sign(pri) + '"}'}


def query(given, pub, pri):
    p = Params(given["parameters"])
    p.require("Action", "PublicKey")
    return {"query": p.query(pri)}


def bucket(given, pub, pri):
    p = Params(given["parameters"])
    p.require("Action", "PublicKey")
    if p.values["Action"].text == "CreateBucket":
        p.require("Type", "BucketName")
    return {"target": "/?" + p.query(pri)}


serve("go-account", {
    "url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode("ascii")},
    "action-signature": signature, "action-json": body, "action-query": query, "bucket-request": bucket})
