#!/usr/bin/env python3
"""A first try in C# (SortedDictionary, ToString, Uri.EscapeDataString).

1. SortedDictionary sorts with the culture's comparer: letters regardless of case first, lower case before upper case in a tie.
2. Booleans are signed as ToString() gives them, True and False (the JSON body and the query have true and false).
3. Numbers with a fraction or an exponent are doubles: ToString() gives E+21 and E-07 for very large and very small ones.
4. Uri.EscapeDataString of the old framework leaves ! * ' ( ) as they are.
"""
import base64
import hashlib
import json
import os
import re
import sys
import urllib.parse
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, serve  # noqa: E402


def escape_data_string(text):
    return urllib.parse.quote(text, safe="-_.~!*'()")


def double_to_string(value):
    exponent = Decimal(repr(value)).adjusted() if value else 0
    if -5 <= exponent < 15:
        text = format(Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, _, power = ("%r" % Decimal(repr(value)).normalize().scaleb(-exponent))[9:-2], "", exponent
    return "%sE%s%02d" % (mantissa, "-" if power < 0 else "+", abs(power))


class Parameters:
    """A SortedDictionary<string, object> of the flattened parameters."""

    def __init__(self, pairs):
        self.map = {}
        for name, value in pairs:
            if name != "Signature":
                self.add(name, value)
        self.map.pop("Signature", None)

    def add(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict) and "list" in value:
            for i, item in enumerate(value["list"]):
                self.add("%s.%d" % (name, i), item)
        elif isinstance(value, dict) and "object" in value:
            for member, item in value["object"]:
                self.add(name + "." + member, item)
        elif name in self.map:
            raise Refused("parameter-repeated", "An item with the same key has already been added.")
        elif isinstance(value, dict):
            written = value["number"]
            if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
                raise Refused("number", written)
            if re.search("[.eE]", written):
                if abs(float(written)) == float("inf"):
                    raise Unsupported("too large for a double")
                self.map[name] = (double_to_string(float(written) + 0.0) if float(written) else "0", False)
            else:
                self.map[name] = (str(int(written)), False)
        else:
            self.map[name] = (value, not isinstance(value, bool))

    def need(self, *names):
        for name in names:
            if name not in self.map:
                raise Refused("parameter-missing", name)

    def sorted(self):
        return sorted(self.map.items(), key=lambda item: (item[0].lower(), item[0].swapcase()))

    def sign(self, private):
        text = "".join(name + str(value) for name, (value, _) in self.sorted()) + private
        return hashlib.sha1(text.encode()).hexdigest()


def wire(value):
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else value


def signature(q, public, private):
    return {"signature": Parameters(q["parameters"]).sign(private)}


def query(q, public, private):
    p = Parameters(q["parameters"])
    p.need("Action", "PublicKey")
    parts = [escape_data_string(n) + "=" + escape_data_string(wire(v)) for n, (v, _) in p.sorted()]
    return {"query": "&".join(parts + ["Signature=" + p.sign(private)])}


def body(q, public, private):
    p = Parameters(q["parameters"])
    p.need("Action", "PublicKey")
    parts = [json.dumps(n) + ": " + (json.dumps(v) if quoted else wire(v)) for n, (v, quoted) in p.sorted()]
    return {"body": "{ " + ", ".join(parts + ['"Signature": "%s"' % p.sign(private)]) + " }"}


serve("csharp-first-try", {
    "url-encode": lambda q, public, private: {"encoded": escape_data_string(q["text"])},
    "password": lambda q, public, private: {"value": base64.b64encode(q["text"].encode()).decode()},
    "action-signature": signature, "action-query": query, "action-json": body})
