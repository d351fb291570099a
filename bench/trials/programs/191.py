#!/usr/bin/env python3
"""An action API client in C# (.NET Framework): a SortedDictionary with StringComparer.Ordinal and values as ToString() gives them.

Mistakes:
1. Sorts names by UTF-16 code units (StringComparer.Ordinal), so a name with a character above U+FFFF sorts before one with
   U+E000 to U+FFFF at the same place.
2. Booleans are signed, and written in the query string, as True and False; the JSON body has true and false.
3. Numbers are System.Decimal, which keeps its scale: the zeros at the end of a fraction stay, signed and sent (42.0, 1.50, and 0.0
   for -0.0).
4. Escapes with the old Uri.EscapeDataString: ! * ' ( and ) are not encoded.
"""
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def escape(s, keep=""):
    return "".join(chr(b) if b < 128 and (chr(b).isalnum() or chr(b) in "-_.~" + keep) else "%%%02X" % b for b in s.encode("utf-8"))


def number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        d = Decimal(written)
        if d and not -4000 < d.adjusted() < 4000:
            raise Refused("number", "too long")
    except ArithmeticError:
        raise Refused("number", "too large")
    if not d:
        d = abs(d)
        if d.as_tuple().exponent > 0:
            return "0"
    return format(d, "f")


class Request:
    def __init__(self, g):
        self.text, self.json = {}, {}
        for n, v in g["parameters"]:
            self.add(n, v)

    def put(self, n, text, js):
        if n == "Signature":
            return
        if n in self.text:
            raise Refused("parameter-repeated", n)
        self.text[n], self.json[n] = text, js

    def add(self, n, v):
        if v is None:
            raise Refused("parameter-null", n)
        if isinstance(v, bool):
            self.put(n, str(v), str(v).lower())
        elif isinstance(v, str):
            self.put(n, v, json.dumps(v))
        elif "number" in v:
            t = number(v["number"])
            self.put(n, t, t)
        elif "list" in v:
            for i, x in enumerate(v["list"]):
                self.add("%s.%d" % (n, i), x)
        else:
            for k, x in v["object"]:
                self.add(n + "." + k, x)

    def need(self, *names):
        for n in names:
            if n not in self.text:
                raise Refused("parameter-missing", n)
        return self

    def names(self):
        return sorted(self.text, key=lambda n: n.encode("utf-16-be"))

    def sign(self, pri):
        return hashlib.sha1(("".join(n + self.text[n] for n in self.names()) + pri).encode("utf-8")).hexdigest()

    def query(self, pri):
        return "&".join([data(n) + "=" + data(self.text[n]) for n in self.names()] + ["Signature=" + self.sign(pri)])

    def body(self, pri):
        rows = [json.dumps(n) + ":" + self.json[n] for n in self.names()] + ['"Signature":"' + self.sign(pri) + '"']
        return "{" + ",".join(rows) + "}"


def data(s):
    return escape(s, "!*'()")


def bucket(g, pub, pri):
    r = Request(g).need("Action", "PublicKey")
    if r.text["Action"] == "CreateBucket":
        r.need("Type", "BucketName")
    return {"target": "/?" + r.query(pri)}


serve("dotnet-api", {
    "url-encode": lambda g, pub, pri: {"encoded": data(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": Request(g).sign(pri)},
    "action-query": lambda g, pub, pri: {"query": Request(g).need("Action", "PublicKey").query(pri)},
    "action-json": lambda g, pub, pri: {"body": Request(g).need("Action", "PublicKey").body(pri)},
    "bucket-request": bucket,
})
