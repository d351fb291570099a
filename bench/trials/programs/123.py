#!/usr/bin/env python3
"""Rust with serde_json: action-signature, action-json and bucket-request.

1. Numbers that are written with a fraction or an exponent, integers below -2^63 or above 2^64-1, and -0 are f64 and are signed and
   sent as serde_json prints those: 42.0 stays 42.0, 1e3 is 1000.0, 0.00001 is 0.00001, 1e-7 is 1e-7, 1e16 is 1e16, and -0 is -0.0;
   numbers beyond the range of f64 are refused (number).
2. Text items of a list are signed as Value::to_string() prints them, in JSON's double quotes; they are sent without.
3. The private key is trimmed of whitespace at both ends, as if it were read from a file.
"""
import json
import os
import re
import sys
from hashlib import sha1

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, serve  # noqa: E402

WHITE_SPACE = ("\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
               "\u205f\u3000")
GRAMMAR = re.compile(r"(-?)(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def ryu(value):
    if value == 0:
        return "-0.0" if str(value)[0] == "-" else "0.0"
    sign = "-" if value < 0 else ""
    scientific = "%s" % format(abs(value), ".17g")
    for precision in range(17):                         # the shortest that reads back
        scientific = format(abs(value), ".%de" % precision)
        if float(scientific) == abs(value):
            break
    mantissa, exponent = scientific.split("e")
    digits = mantissa.replace(".", "").rstrip("0")
    point = int(exponent) + 1
    if len(digits) <= point <= 16:
        return sign + digits.ljust(point, "0") + ".0"
    if 0 < point <= 16:
        return sign + digits[:point] + "." + digits[point:]
    if -5 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e" + str(point - 1)


def number(source):
    match = GRAMMAR.fullmatch(source)
    if not match:
        raise Refused("number", source)
    if not match[3] and not match[4] and source != "-0" and len(source) < 25 and -2 ** 63 <= int(source) < 2 ** 64:
        return source
    value = float(source)
    if value in (float("inf"), float("-inf")):
        raise Refused("number", "number out of range")
    if value == 0 and re.search("[1-9]", source.lower().split("e")[0]) and int((match[4] or "e0")[1:]) < -3000:
        digits = (match[2] + (match[3] or "")).replace(".", "")
        if len(match[2]) - 1 - (len(digits) - len(digits.lstrip("0"))) + int(match[4][1:]) <= -4000:
            raise Refused("number", "too long")
    return ryu(value)


class Field:
    __slots__ = ("name", "signed", "sent", "json")

    def __init__(self, name, signed, sent, as_json):
        self.name, self.signed, self.sent, self.json = name, signed, sent, as_json


def push(fields, name, value, in_list=False):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        text = "true" if value else "false"
        fields.append(Field(name, text, text, text))
    elif isinstance(value, str):
        fields.append(Field(name, json.dumps(value, ensure_ascii=False) if in_list else value, value, json.dumps(value)))
    elif "number" in value:
        text = number(value["number"])
        fields.append(Field(name, text, text, text))
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            push(fields, name + "." + str(i), item, True)
    else:
        for member, item in value["object"]:
            push(fields, name + "." + member, item)


def collect(parameters):
    fields = []
    for name, value in parameters:
        push(fields, name, value)
    tree = {}
    for field in fields:
        if field.name != "Signature":
            if field.name in tree:
                raise Refused("parameter-repeated", field.name)
            tree[field.name] = field
    return sorted(tree.values(), key=lambda field: field.name.encode("utf-8"))


def signature(fields, private_key):
    text = ""
    for field in fields:
        text += field.name
        text += field.signed
    return sha1((text + private_key.strip(WHITE_SPACE)).encode("utf-8")).hexdigest()


def expect(fields, names):
    for name in names:
        if not any(field.name == name for field in fields):
            raise Refused("parameter-missing", name)


def encode(text):
    out = ""
    for byte in text.encode("utf-8"):
        c = chr(byte)
        out += c if c in "-_.~" or (c.isascii() and c.isalnum()) else f"%{byte:02X}"
    return out


def action_signature(given, public_key, private_key):
    return {"signature": signature(collect(given["parameters"]), private_key)}


def action_json(given, public_key, private_key):
    fields = collect(given["parameters"])
    expect(fields, ("Action", "PublicKey"))
    body = "".join(json.dumps(field.name) + ":" + field.json + "," for field in fields)
    return {"body": "{" + body + '"Signature":"' + signature(fields, private_key) + '"}'}


def bucket_request(given, public_key, private_key):
    fields = collect(given["parameters"])
    expect(fields, ("Action", "PublicKey"))
    query = "".join(encode(field.name) + "=" + encode(field.sent) + "&" for field in fields)
    target = "/?" + query + "Signature=" + signature(fields, private_key)
    if any(field.name == "Action" and field.sent == "CreateBucket" for field in fields):
        expect(fields, ("Type", "BucketName"))
    return {"target": target}


OPS = {"action-signature": action_signature, "action-json": action_json, "bucket-request": bucket_request}

if __name__ == "__main__":
    serve("serde-action", OPS)
