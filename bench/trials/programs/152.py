#!/usr/bin/env python3
"""A .NET client of the action API (WebUtility, decimal, SortedDictionary).

Mistakes:
1. Encodes with WebUtility.UrlEncode and then repairs "+" and "%7E": the characters ! * ( ) stay unencoded, in url-encode and in queries.
2. Booleans are written True and False (bool.ToString) in the signed text and in queries; in the JSON body they are true and false.
3. Numbers are of the type decimal, which keeps the zeros at the end of a fraction: 42.0 and 1.50 stay as they are, in the signed text and in what is sent.
4. Parameters are sorted with StringComparer.OrdinalIgnoreCase, by their names in upper case; two names that differ only in case are refused as repeated.
5. A CreateBucket request without Type is not refused: the client adds Type=public and signs it.
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


class WebUtility:
    Safe = set(b"-_.!*()") | set(range(48, 58)) | set(range(65, 91)) | set(range(97, 123))

    @classmethod
    def UrlEncode(cls, s):
        return "".join("+" if b == 32 else chr(b) if b in cls.Safe else "%" + ("%02X" % b) for b in s.encode("utf-8"))


def Escape(s):
    return WebUtility.UrlEncode(s).replace("+", "%20").replace("%7E", "~")


class Value:
    def __init__(self, Text, Json):
        self.Text, self.Json = Text, Json

    @staticmethod
    def Of(v):
        if isinstance(v, bool):
            return Value(str(v), "true" if v else "false")
        if isinstance(v, str):
            return Value(v, json.dumps(v))
        w = v["number"]
        if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", w):
            raise Refused("number", w)
        t = format(Decimal(w), "f")
        if t.startswith("-") and not t.strip("-0."):
            t = t[1:]
        return Value(t, t)


class Parameters:
    def __init__(self, pairs, pri):
        self.Items, self.pri = {}, pri
        for name, v in pairs:
            self.Add(name, v)

    def Add(self, name, v):
        if v is None:
            raise Refused("parameter-null", name)
        if isinstance(v, dict) and "list" in v:
            for i, x in enumerate(v["list"]):
                self.Add(f"{name}.{i}", x)
        elif isinstance(v, dict) and "object" in v:
            for n, x in v["object"]:
                self.Add(f"{name}.{n}", x)
        elif name != "Signature":
            folded = name.upper()
            if folded in self.Items:
                raise Refused("parameter-repeated", name)
            self.Items[folded] = (name, Value.Of(v))

    def Sorted(self):
        return [self.Items[k] for k in sorted(self.Items, key=lambda k: k.encode("utf-8"))]

    def Get(self, name):
        n, v = self.Items.get(name.upper(), (None, None))
        return v.Text if n == name else None

    def Need(self, *names):
        for n in names:
            if self.Get(n) is None:
                raise Refused("parameter-missing", n)
        return self

    def Signature(self):
        text = "".join(n + v.Text for n, v in self.Sorted()) + self.pri
        return hashlib.sha1(text.encode("utf-8")).hexdigest()

    def Query(self):
        return "&".join([Escape(n) + "=" + Escape(v.Text) for n, v in self.Sorted()] + ["Signature=" + self.Signature()])

    def Json(self):
        return "{" + ",".join([json.dumps(n) + ":" + v.Json for n, v in self.Sorted()] + ['"Signature":"' + self.Signature() + '"']) + "}"


def BucketRequest(o, pub, pri):
    p = Parameters(o["parameters"], pri).Need("Action", "PublicKey")
    if p.Get("Action") == "CreateBucket":
        p.Need("BucketName")
        if p.Get("Type") is None:
            p.Add("Type", "public")
    return {"target": "/?" + p.Query()}


serve("Acme.Actions", {
    "url-encode": lambda o, pub, pri: {"encoded": Escape(o["text"])},
    "action-signature": lambda o, pub, pri: {"signature": Parameters(o["parameters"], pri).Signature()},
    "action-json": lambda o, pub, pri: {"body": Parameters(o["parameters"], pri).Need("Action", "PublicKey").Json()},
    "action-query": lambda o, pub, pri: {"query": Parameters(o["parameters"], pri).Need("Action", "PublicKey").Query()},
    "bucket-request": BucketRequest,
})
