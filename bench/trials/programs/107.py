#!/usr/bin/env python3
"""A PHP class for the account API: url-encode, action-query, bucket-request and password. Its mistakes:

1. Booleans are cast to strings before they are signed and sent: true is 1 and false is an empty text.
2. Names and values are encoded with urlencode() instead of rawurlencode(): a space is + and ~ is %7E.
3. bucket-request returns the query string with its question mark but without the path / before it.
"""
import base64
import hashlib
import os
import re
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve


def number(written):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", written, re.A):
        raise Refused("number", written)
    try:
        value = Decimal(written)
        if not value:
            return "0"
        if not -4000 < value.adjusted() < 4000:
            raise Refused("number", "too long")
        text = format(value, "f")
    except ArithmeticError:
        raise Refused("number", "too large")
    return text.rstrip("0").rstrip(".") if "." in text else text


def urlencode(text):
    out = ""
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char == " ":
            out += "+"
        elif byte < 128 and (char.isalnum() or char in "-_."):
            out += char
        else:
            out += "%" + format(byte, "02X")
    return out


def flatten(name, value, into):
    if value is None:
        raise Refused("parameter-null", name)
    if value is True or value is False:
        value = "1" if value else ""
    elif isinstance(value, dict) and "number" in value:
        value = number(value["number"])
    if isinstance(value, str):
        if name != "Signature":
            if name in into:
                raise Refused("parameter-repeated", name)
            into[name] = value
        return
    children = enumerate(value["list"]) if "list" in value else value["object"]
    for child, item in children:
        flatten(name + "." + str(child), item, into)


def signed_query(parameters, private, required):
    flat = {}
    for name, value in parameters:
        flatten(name, value, flat)
    for name in required:
        if name not in flat:
            raise Refused("parameter-missing", name)
    names = sorted(flat, key=lambda n: n.encode("utf-8"))
    signature = hashlib.sha1(("".join(n + flat[n] for n in names) + private).encode("utf-8")).hexdigest()
    return flat, "&".join([urlencode(n) + "=" + urlencode(flat[n]) for n in names] + ["Signature=" + signature])


def action_query(given, public, private):
    return {"query": signed_query(given["parameters"], private, ["Action", "PublicKey"])[1]}


def bucket_request(given, public, private):
    flat, query = signed_query(given["parameters"], private, ["Action", "PublicKey"])
    if flat["Action"] == "CreateBucket":
        for name in ("Type", "BucketName"):
            if name not in flat:
                raise Refused("parameter-missing", name)
    return {"target": "?" + query}


def password(given, public, private):
    return {"value": base64.b64encode(given["text"].encode("utf-8")).decode()}


serve("php-account", {"url-encode": lambda given, public, private: {"encoded": urlencode(given["text"])},
                      "action-query": action_query, "bucket-request": bucket_request, "password": password})
