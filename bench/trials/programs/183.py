#!/usr/bin/env python3
"""A Ruby gem for the action API and bucket management.

Mistakes:
1. The password is Base64.encode64(text).chomp: a line feed stands after each 60 characters, so passwords of more than 45 bytes are wrong.
2. Numbers with a fraction or an exponent are Floats, written by Float#to_s with a final .0 removed: rounded to a double, and with an
   exponent from 1e16 on and below 0.0001 (1e16 becomes 1.0e+16, 0.00001 becomes 1.0e-05). Integers are exact. A number too large for a
   double is refused.
3. Escapes with URI.encode_www_form_component and then gsub('+', '%20'): an asterisk is left as it is, and a tilde becomes %7E.
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


def encode64(raw):
    return "".join(base64.b64encode(raw[i:i + 45]).decode() + "\n" for i in range(0, len(raw), 45))


def component(text):
    out = ""
    for byte in text.encode("utf-8"):
        c = chr(byte)
        if c == " ":
            out += "+"
        elif byte < 128 and (c.isalnum() or c in "*-._"):
            out += c
        else:
            out += "%" + format(byte, "02X")
    return out.replace("+", "%20")


def to_s(f):
    if f == 0:
        return "0"
    digits, _, exponent = ("%r" % abs(f)).partition("e")
    whole, _, fraction = digits.partition(".")
    all_digits = whole + fraction
    point = len(whole) + int(exponent or 0)
    bare = all_digits.lstrip("0")
    point -= len(all_digits) - len(bare)
    bare = bare.rstrip("0")
    sign = "-" if f < 0 else ""
    if -4 < point <= 16:
        if point <= 0:
            return sign + "0." + "0" * -point + bare
        if len(bare) <= point:
            return sign + bare + "0" * (point - len(bare))
        return sign + bare[:point] + "." + bare[point:]
    return "%s%s.%se%s%02d" % (sign, bare[0], bare[1:] or "0", "+" if point > 0 else "-", abs(point - 1))


def numeric(written):
    match = re.fullmatch(r"(-?)(0|[1-9][0-9]*)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)", written)
    if match is None:
        raise Refused("number", written[:30])
    if match[3] == "":
        return "0" if match[2] == "0" else written
    f = float(written)
    if math.isinf(f):
        raise Refused("number", written[:30])
    return to_s(f)


def each_leaf(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if value is True:
        return [(name, "true", "true")]
    if value is False:
        return [(name, "false", "false")]
    if isinstance(value, str):
        return [(name, value, json.dumps(value))]
    if "number" in value:
        text = numeric(value["number"])
        return [(name, text, text)]
    pairs = [(str(i), v) for i, v in enumerate(value["list"])] if "list" in value else value["object"]
    return [leaf for key, v in pairs for leaf in each_leaf(name + "." + key, v)]


class Request:
    def __init__(self, given, required=()):
        leaves = [leaf for name, value in given["parameters"] for leaf in each_leaf(name, value) if leaf[0] != "Signature"]
        self.texts = {name: text for name, text, _ in leaves}
        if len(self.texts) != len(leaves):
            raise Refused("parameter-repeated", "same name twice")
        for name in required:
            if name not in self.texts:
                raise Refused("parameter-missing", name)
        self.leaves = sorted(leaves, key=lambda leaf: leaf[0].encode("utf-8"))

    def signature(self, private_key):
        return hashlib.sha1(("".join(n + t for n, t, _ in self.leaves) + private_key).encode("utf-8")).hexdigest()

    def query(self, private_key):
        return "&".join([component(n) + "=" + component(t) for n, t, _ in self.leaves] + ["Signature=" + self.signature(private_key)])

    def body(self, private_key):
        parts = [json.dumps(n) + ":" + js for n, _, js in self.leaves] + ['"Signature":"%s"' % self.signature(private_key)]
        return "{" + ",".join(parts) + "}"


NEEDED = ("Action", "PublicKey")


def bucket_request(given, public_key, private_key):
    request = Request(given, NEEDED)
    if request.texts["Action"] == "CreateBucket":
        request = Request(given, NEEDED + ("Type", "BucketName"))
    return {"target": "/?" + request.query(private_key)}


serve("ruby-api", {
    "url-encode": lambda g, pub, pri: {"encoded": component(g["text"])},
    "password": lambda g, pub, pri: {"value": encode64(g["text"].encode("utf-8"))[:-1]},
    "action-signature": lambda g, pub, pri: {"signature": Request(g).signature(pri)},
    "action-query": lambda g, pub, pri: {"query": Request(g, NEEDED).query(pri)},
    "action-json": lambda g, pub, pri: {"body": Request(g, NEEDED).body(pri)},
    "bucket-request": bucket_request,
})
