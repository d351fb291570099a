#!/usr/bin/env python3
"""An action API server on Node: the body comes from JSON.parse, the query from querystring.

Mistakes:
1. Numbers of a JSON body are doubles, signed as String(n) writes them: rounded to a double, with an exponent from 1e21 on (1e+21)
   and below 0.000001 (1e-7); one too large for a double is Infinity.
2. Signs only members with a truthy value: a parameter that is "", the number 0 or false is left out, name and all, of the signed
   text (in verify-query only "", since all values are texts there). This also goes for the items of lists and objects.
3. verify-query decodes a plus sign as a space.
"""
import hashlib
import json
import math
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def unescape(s, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, "stray percent sign")
    raw = re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode("ascii")), s.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def pairs_of(query):
    out = []
    for piece in query.split("&"):
        if piece:
            n, _, v = piece.partition("=")
            out.append((unescape(n.replace("+", " "), "query-malformed"), unescape(v.replace("+", " "), "query-malformed")))
    return out


def number(written):
    f = float(written)
    if math.isinf(f):
        return "-Infinity" if f < 0 else "Infinity"
    if f == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(f)).normalize().as_tuple()
    s, point = "".join(map(str, digits)), len(digits) + exponent
    if 0 < point <= 21:
        t = s + "0" * (point - len(s)) if len(s) <= point else s[:point] + "." + s[point:]
    elif -6 < point <= 0:
        t = "0." + "0" * -point + s
    else:
        t = s[0] + ("." + s[1:] if s[1:] else "") + "e%s%d" % ("+" if point > 0 else "-", abs(point - 1))
    return "-" + t if sign else t


class Params:
    def __init__(self, pairs):
        self.signature, self.text = dict(pairs).get("Signature"), {}
        for n, v in pairs:
            self.add(n, v)

    def add(self, n, v):
        if v is None:
            raise Refused("body-malformed", "null")
        if v is False or v == "" or isinstance(v, Number) and float(v.written) == 0:
            self.put(n, None)
        elif v is True:
            self.put(n, "true")
        elif isinstance(v, str):
            self.put(n, v)
        elif isinstance(v, Number):
            self.put(n, number(v.written))
        elif isinstance(v, list):
            for i, x in enumerate(v):
                self.add("%s.%d" % (n, i), x)
        else:
            for k, x in v.members:
                self.add(n + "." + k, x)

    def put(self, n, t):
        if n == "Signature":
            return
        if n in self.text:
            raise Refused("parameter-repeated", n)
        self.text[n] = t

    def verify(self, pub, pri):
        names = sorted(self.text, key=lambda n: n.encode("utf-8"))
        if not isinstance(self.signature, str) or not self.signature:
            raise Refused("signature-missing")
        for n in ("Action", "PublicKey"):
            if n not in self.text:
                raise Refused("parameter-missing", n)
        if self.text["PublicKey"] != pub:
            raise Refused("public-key-unknown")
        text = "".join(n + self.text[n] for n in names if self.text[n] is not None)
        if hashlib.sha1((text + pri).encode("utf-8")).hexdigest() != self.signature:
            raise Refused("signature-mismatch")
        return {"publicKey": self.text["PublicKey"]}


class Number:
    def __init__(self, written):
        self.written = written


class Object:
    def __init__(self, members):
        if len(dict(members)) != len(members):
            raise Refused("parameter-repeated")
        self.members = members


def bad(word):
    raise ValueError(word)


def verify_json(g, pub, pri):
    try:
        body = json.loads(g["body"], object_pairs_hook=Object, parse_int=Number, parse_float=Number, parse_constant=bad)
    except (ValueError, RecursionError):
        raise Refused("body-malformed")
    if not isinstance(body, Object):
        raise Refused("body-malformed")
    return Params(body.members).verify(pub, pri)


def verify_query(g, pub, pri):
    pairs = pairs_of(g["query"])
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated")
    return Params(pairs).verify(pub, pri)


serve("node-api", {"verify-query": verify_query, "verify-json": verify_json})
