#!/usr/bin/env python3
"""A first try in PHP (ksort, urlencode, string concatenation).

1. Booleans are concatenated to the signed string as PHP does: true is signed as 1 and false as nothing.
2. Whole numbers beyond 64 bits are floats, signed and sent with 14 digits and an exponent: 1.0E+21.
3. Encodes with urlencode, so a space is + and ~ is %7E.
4. The JSON body has texts of digits only as numbers (JSON_NUMERIC_CHECK).
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


def urlencode(text):
    return urllib.parse.quote_plus(text, safe="").replace("~", "%7E")


def number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    exact = Decimal(written)
    if exact.adjusted() > 400 or exact.adjusted() < -400:
        raise Unsupported("no such number in PHP")
    text = format(exact, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if not text.strip("-0."):
        return "0"
    if "." not in text and not -2 ** 63 <= int(text) < 2 ** 63:
        mantissa, exponent = ("%.13E" % float(text)).split("E")
        mantissa = mantissa.rstrip("0")
        return "%sE%+d" % (mantissa + "0" if mantissa.endswith(".") else mantissa, int(exponent))
    return text


def flatten(name, value, out):
    """out: name -> (kind, text)"""
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        leaf = ("bool", "true" if value else "false")
    elif isinstance(value, str):
        leaf = ("text", value)
    elif "number" in value:
        leaf = ("number", number(value["number"]))
    else:
        pairs = value["object"] if "object" in value else [[str(i), v] for i, v in enumerate(value["list"])]
        for member, item in pairs:
            flatten(name + "." + member, item, out)
        return
    if name in out:
        raise Unsupported("an array holds a name once")
    out[name] = leaf


def ksort(parameters):
    out = {}
    for name, value in parameters:
        if name != "Signature":
            flatten(name, value, out)
    out.pop("Signature", None)
    return dict(sorted(out.items(), key=lambda kv: kv[0].encode()))


def sign(params, private):
    text = ""
    for name, (kind, value) in params.items():
        text += name + ({"true": "1", "false": ""}[value] if kind == "bool" else value)
    return hashlib.sha1((text + private).encode()).hexdigest()


def request(q, private):
    params = ksort(q["parameters"])
    for name in ("Action", "PublicKey"):
        if name not in params:
            raise Refused("parameter-missing", name)
    return params, sign(params, private)


def query(params, signature):
    return "&".join(urlencode(n) + "=" + urlencode(v) for n, (_, v) in params.items()) + "&Signature=" + signature


def action_json(q, public, private):
    params, signature = request(q, private)
    members = []
    for name, (kind, value) in params.items():
        bare = kind != "text" or re.fullmatch(r"[0-9]{1,18}", value)
        members.append(json.dumps(name) + ":" + ((str(int(value)) if kind == "text" else value) if bare else json.dumps(value)))
    return {"body": "{" + ",".join(members + ['"Signature":' + json.dumps(signature)]) + "}"}


def bucket_request(q, public, private):
    params, signature = request(q, private)
    if params["Action"][1] == "CreateBucket":
        for name in ("Type", "BucketName"):
            if name not in params:
                raise Refused("parameter-missing", name)
    return {"target": "/?" + query(params, signature)}


serve("php-first-try", {
    "url-encode": lambda q, public, private: {"encoded": urlencode(q["text"])},
    "password": lambda q, public, private: {"value": base64.b64encode(q["text"].encode()).decode()},
    "action-signature": lambda q, public, private: {"signature": sign(ksort(q["parameters"]), private)},
    "action-query": lambda q, public, private: {"query": query(*request(q, private))},
    "action-json": action_json, "bucket-request": bucket_request})
