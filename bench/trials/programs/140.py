#!/usr/bin/env python3
"""An action SDK for C#, written again in Python: parameters are objects in a SortedDictionary, numbers are of the type decimal.

Mistakes:
1. Sorts with StringComparer.Ordinal, by UTF-16 code units: a name with a character beyond U+FFFF comes before a name with U+E000 to U+FFFF.
2. Booleans are written with ToString(), as True and False, in the signed text and in a query (JSON has true and false).
3. Numbers are decimals written with ToString(), which keeps zeros at the end: 42.0 is signed and sent as 42.0 and 1.50 as 1.50.
"""
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, serve  # noqa: E402


def EscapeDataString(text):
    return re.sub(rb"[^A-Za-z0-9._~-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8")).decode("ascii")


def ParseDecimal(digits):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", digits):
        raise Refused("number", digits)
    value = Decimal(digits)
    if not -29 < value.adjusted() < 28 or len(value.as_tuple().digits) > 28:
        raise Unsupported("a number that is no decimal")
    text = format(value, "f")
    return text[1:] if value == 0 and text.startswith("-") else text


class UnivApiRequest:
    def __init__(self, parameters):
        self.Parameters = []
        for name, value in parameters:
            self.Add(name, value)
        self.Parameters = [p for p in self.Parameters if p[0] != "Signature"]
        if len({p[0] for p in self.Parameters}) != len(self.Parameters):
            raise Refused("parameter-repeated", "An item with the same key has already been added.")
        for name, _, _ in self.Parameters:
            name.encode("utf-8")
        self.Parameters.sort(key=lambda p: p[0].encode("utf-16-be"))

    def Add(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, bool):
            self.Parameters.append((name, str(value), "true" if value else "false"))
        elif isinstance(value, str):
            self.Parameters.append((name, value, json.dumps(value)))
        elif "number" in value:
            text = ParseDecimal(value["number"])
            self.Parameters.append((name, text, text))
        elif "list" in value:
            for i in range(len(value["list"])):
                self.Add("{0}.{1}".format(name, i), value["list"][i])
        else:
            for inner, item in value["object"]:
                self.Add("{0}.{1}".format(name, inner), item)

    def Sign(self, privateKey):
        plain = "".join(name + text for name, text, _ in self.Parameters) + privateKey
        return "".join("%02x" % b for b in hashlib.sha1(plain.encode("utf-8")).digest())

    def Require(self, *names):
        for name in names:
            if not any(p[0] == name for p in self.Parameters):
                raise Refused("parameter-missing", name)

    def Query(self, privateKey):
        self.Require("Action", "PublicKey")
        pairs = [EscapeDataString(name) + "=" + EscapeDataString(text) for name, text, _ in self.Parameters]
        return "&".join(pairs + ["Signature=" + self.Sign(privateKey)])

    def Json(self, privateKey):
        self.Require("Action", "PublicKey")
        return "{" + "".join(json.dumps(name) + ":" + js + "," for name, _, js in self.Parameters) + '"Signature":"' + self.Sign(privateKey) + '"}'

    def Target(self, privateKey):
        self.Require("Action", "PublicKey")
        if any(p[:2] == ("Action", "CreateBucket") for p in self.Parameters):
            self.Require("Type", "BucketName")
        return "/?" + self.Query(privateKey)


serve("csharp-sdk", {
    "url-encode": lambda i, pub, pri: {"encoded": EscapeDataString(i["text"])},
    "action-signature": lambda i, pub, pri: {"signature": UnivApiRequest(i["parameters"]).Sign(pri)},
    "action-query": lambda i, pub, pri: {"query": UnivApiRequest(i["parameters"]).Query(pri)},
    "action-json": lambda i, pub, pri: {"body": UnivApiRequest(i["parameters"]).Json(pri)},
    "bucket-request": lambda i, pub, pri: {"target": UnivApiRequest(i["parameters"]).Target(pri)},
})
