#!/usr/bin/env python3
"""A Kotlin API client with kotlinx-like JSON values: signs and sends JSON bodies and queries.

Mistakes:
1. Lists and objects are not flattened: their value is their compact JSON text (numbers in it as written), signed as such and sent as a text.
2. Sorts the names without regard to case (String.CASE_INSENSITIVE_ORDER, ASCII letters only; equal ones by bytes): ChargeType before CPU.
3. Numbers are doubles: digits beyond a double's precision are lost (9007199254740993 becomes 9007199254740992). They are still written
   without an exponent and without a zero fraction, with the shortest digits that give the same double. A number beyond a double's range is
   refused, one too close to zero is 0.
"""
import hashlib
import json
import math
import re
from decimal import Decimal
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")


def double(s):
    if not NUMBER.match(s):
        raise Refused("number", s)
    d = float(s)
    if math.isinf(d):
        raise Refused("number", s)
    if d == 0:
        return "0"
    plain = format(Decimal(repr(d)), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def element(v):
    """Compact JSON."""
    if v is None:
        raise Refused("parameter-null", "inside")
    if isinstance(v, (bool, str)):
        if isinstance(v, str):
            v.encode("utf-8")
        return json.dumps(v, ensure_ascii=False)
    if "number" in v:
        if not NUMBER.match(v["number"]):
            raise Refused("number", v["number"])
        return v["number"]
    if "list" in v:
        return "[" + ",".join(map(element, v["list"])) + "]"
    return "{" + ",".join(element(k) + ":" + element(x) for k, x in v["object"]) + "}"


class Params:
    def __init__(self, g):
        self.rows = []
        for name, v in g["parameters"]:
            if v is None:
                raise Refused("parameter-null", name)
            if isinstance(v, bool):
                row = (name, "true" if v else "false", False)
            elif isinstance(v, str):
                row = (name, v, True)
            elif "number" in v:
                row = (name, double(v["number"]), False)
            else:
                row = (name, element(v), True)
            if name != "Signature":
                self.rows.append(row)
        names = [r[0] for r in self.rows]
        if len(set(names)) != len(names):
            raise Refused("parameter-repeated", "name")
        self.rows.sort(key=lambda r: (re.sub("[A-Z]", lambda m: m[0].lower(), r[0]).encode("utf-8"), r[0].encode("utf-8")))

    def require(self, *wanted):
        for w in wanted:
            if w not in [r[0] for r in self.rows]:
                raise Refused("parameter-missing", w)
        return self

    def signature(self, pri):
        return hashlib.sha1(("".join(n + t for n, t, _ in self.rows) + pri).encode("utf-8")).hexdigest()

    def body(self, pri):
        signature = self.signature(pri)
        members = [json.dumps(n) + ":" + (json.dumps(t) if quoted else t) for n, t, quoted in self.rows]
        return "{" + ",".join(members + ['"Signature":"' + signature + '"']) + "}"

    def query(self, pri):
        def esc(s):
            return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8")).decode()
        return "&".join([esc(n) + "=" + esc(t) for n, t, _ in self.rows] + ["Signature=" + self.signature(pri)])


serve("kotlin-api", {
    "action-signature": lambda g, pub, pri: {"signature": Params(g).signature(pri)},
    "action-json": lambda g, pub, pri: {"body": Params(g).require("Action", "PublicKey").body(pri)},
    "action-query": lambda g, pub, pri: {"query": Params(g).require("Action", "PublicKey").query(pri)},
})
