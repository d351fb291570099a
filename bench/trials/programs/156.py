#!/usr/bin/env python3
"""A first SDK for the action API in plain Python, with urllib and the json module's habits.

Mistakes:
1. Percent-encodes with urllib.parse.quote and its default safe="/", so a slash stays unencoded wherever it encodes.
2. Signs booleans as str() writes them (True, False), and sends them so in the query string; the JSON body has true and false.
3. Turns a number with a fraction or an exponent into a float and signs and sends its str(): 42.0 stays 42.0, 1e3 becomes
   1000.0, 0.00001 becomes 1e-05.
"""
import base64
import hashlib
import json
import os
import re
import sys
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def to_python(v):
    """The protocol's value as a Python value."""
    if isinstance(v, dict) and "number" in v:
        written = v["number"]
        if not NUMBER.fullmatch(written):
            raise Refused("number", written)
        if re.search("[.eE]", written):
            f = float(written)
            if f in (float("inf"), float("-inf")):
                raise Refused("number", "too large")
            return f
        return int(written)
    if isinstance(v, dict) and "list" in v:
        return [to_python(x) for x in v["list"]]
    if isinstance(v, dict):
        return {n: to_python(x) for n, x in v["object"]}
    return v


def flat(params):
    result = {}

    def walk(name, v):
        if v is None:
            raise Refused("parameter-null", name)
        if isinstance(v, dict):
            for k in v:
                walk(name + "." + k, v[k])
        elif isinstance(v, list):
            for i, x in enumerate(v):
                walk("%s.%d" % (name, i), x)
        elif name != "Signature":
            if name in result:
                raise Refused("parameter-repeated", name)
            result[name] = v

    for name, v in params:
        walk(name, to_python(v))
    return result


class ApiClient:
    def __init__(self, given, public, private):
        self.private = private
        self.params = flat(given["parameters"])

    def signature(self):
        text = ""
        for name in sorted(self.params, key=lambda n: n.encode("utf-8")):
            text += name + str(self.params[name])
        return hashlib.sha1((text + self.private).encode("utf-8")).hexdigest()

    def require(self, *names):
        for name in names:
            if name not in self.params:
                raise Refused("parameter-missing", name)

    def query(self):
        self.require("Action", "PublicKey")
        pairs = [quote(n) + "=" + quote(str(v)) for n, v in sorted(self.params.items(), key=lambda p: p[0].encode("utf-8"))]
        return "&".join(pairs + ["Signature=" + self.signature()])

    def body(self):
        self.require("Action", "PublicKey")
        return json.dumps(dict(self.params, Signature=self.signature()))

    def bucket(self):
        if self.params.get("Action") == "CreateBucket":
            self.require("Type", "BucketName")
        return "/?" + self.query()


serve("python-api-sdk", {
    "url-encode": lambda given, pub, pri: {"encoded": quote(given["text"], errors="strict")},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda *a: {"signature": ApiClient(*a).signature()},
    "action-json": lambda *a: {"body": ApiClient(*a).body()},
    "action-query": lambda *a: {"query": ApiClient(*a).query()},
    "bucket-request": lambda *a: {"target": ApiClient(*a).bucket()},
})
