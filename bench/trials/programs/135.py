#!/usr/bin/env python3
"""An action SDK for PHP, written again in Python: values are cast to string as PHP casts them.

Mistakes:
1. Encodes with urlencode: a space becomes + and the tilde becomes %7E.
2. Booleans are cast with (string): true is signed and sent in a query as 1, false as empty text (in JSON they are true and false).
3. Numbers with a fraction or an exponent, and integers outside of 64 bits, are floats that PHP writes with 14 significant digits, and with an exponent (1.0E+25) when they are large or tiny.
"""
import base64
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def urlencode(s):
    out = ""
    for b in s.encode("utf-8"):
        c = chr(b)
        if b < 128 and (c.isalnum() or c in "-_."):
            out += c
        elif c == " ":
            out += "+"
        else:
            out += "%" + ("%02X" % b)
    return out


def php_float(f):
    if f == 0:
        return "0"
    if f in (float("inf"), float("-inf")):
        return "INF" if f > 0 else "-INF"
    s = "%.14G" % f
    if "E" in s:
        digits, exp = s.split("E")
        if "." not in digits:
            digits += ".0"
        return "%sE%s%d" % (digits, exp[0], int(exp[1:]))
    return s


def number(s):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", s):
        raise Refused("number", s)
    if re.fullmatch("-?[0-9]{1,19}", s) and -2 ** 63 <= int(s) < 2 ** 63:
        return str(int(s))
    return php_float(float(s))


def flatten(array, prefix=""):
    """name => [text, JSON text]"""
    flat = []
    for name, value in array:
        name = prefix + name
        if value is None:
            raise Refused("parameter-null", name)
        elif value is True:
            flat.append((name, "1", "true"))
        elif value is False:
            flat.append((name, "", "false"))
        elif isinstance(value, str):
            flat.append((name, value, json.dumps(value)))
        elif "number" in value:
            text = number(value["number"])
            flat.append((name, text, text))
        elif "list" in value:
            flat += flatten([(str(i), v) for i, v in enumerate(value["list"])], name + ".")
        else:
            flat += flatten(value["object"], name + ".")
    return flat


class Request:
    def __init__(self, parameters, privateKey):
        self.p = {}
        for name, text, js in flatten(parameters):
            if name == "Signature":
                continue
            if name in self.p:
                raise Refused("parameter-repeated", name)
            self.p[name] = (text, js)
        self.privateKey = privateKey

    def names(self):
        return sorted(self.p, key=lambda n: n.encode("utf-8"))

    def signature(self):
        s = ""
        for k in self.names():
            s += k + self.p[k][0]
        return hashlib.sha1((s + self.privateKey).encode("utf-8")).hexdigest()

    def must(self, *names):
        for n in names:
            if n not in self.p:
                raise Refused("parameter-missing", n)
        return self

    def query(self):
        self.must("Action", "PublicKey")
        q = ""
        for k in self.names():
            q += urlencode(k) + "=" + urlencode(self.p[k][0]) + "&"
        return q + "Signature=" + self.signature()

    def json(self):
        self.must("Action", "PublicKey")
        return "{" + ",".join([json.dumps(k) + ":" + self.p[k][1] for k in self.names()] + ['"Signature":"' + self.signature() + '"']) + "}"

    def bucket(self):
        self.must("Action", "PublicKey")
        if self.p["Action"][0] == "CreateBucket":
            self.must("Type", "BucketName")
        return "/?" + self.query()


serve("php-action-sdk", {
    "url-encode": lambda i, pub, pri: {"encoded": urlencode(i["text"])},
    "password": lambda i, pub, pri: {"value": base64.b64encode(i["text"].encode("utf-8")).decode()},
    "action-signature": lambda i, pub, pri: {"signature": Request(i["parameters"], pri).signature()},
    "action-query": lambda i, pub, pri: {"query": Request(i["parameters"], pri).query()},
    "action-json": lambda i, pub, pri: {"body": Request(i["parameters"], pri).json()},
    "bucket-request": lambda i, pub, pri: {"target": Request(i["parameters"], pri).bucket()},
})
