#!/usr/bin/env python3
"""An action API client as shell scripts would do it: jq, sort, sha1sum, base64.

Mistakes:
1. Values are read with $(jq -r ...), which drops line feeds at the end of a text, for parameters, passwords and texts to encode.
2. Sorts the lines name=value with LC_ALL=C sort, so the equals sign takes part: if one name begins another, and the next character of the
   longer is below "=" (a dot, a hyphen, a digit), the longer comes first (A.0=, A1= and then A=).
3. `base64` breaks its output after 76 characters, so the value of a password of more than 57 bytes has line feeds in it.
Lists, objects, fractions and NUL characters are beyond it.
"""
import base64
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, serve  # noqa: E402


def captured(text):
    if "\0" in text:
        raise Unsupported("a shell variable holds no NUL")
    return chomp(text)


def chomp(text):
    return text.rstrip("\n")


def sort_key(row):
    return row[0].encode("utf-8") + b"=" + row[1].encode("utf-8")


def wrap(text):
    return "\n".join(text[i:i + 76] for i in range(0, len(text), 76))


def read(given):
    rows = []
    for name, value in given["parameters"]:
        if isinstance(value, dict) and "number" not in value:
            raise Unsupported("a shell has no lists and no objects")
        if "\0" in name:
            raise Unsupported("a shell variable holds no NUL")
        if isinstance(value, dict) and re.fullmatch(r"-?(0|[1-9][0-9]*)[.eE][0-9.eE+-]*", value["number"]):
            raise Unsupported("shell arithmetic has integers only")
    for name, value in given["parameters"]:
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, bool):
            rows.append((name, "true" if value else "false", None))
        elif isinstance(value, str):
            rows.append((name, captured(value), json.dumps(captured(value))))
        elif re.fullmatch(r"-?(0|[1-9][0-9]*)", value["number"]) and len(value["number"].lstrip("-")) <= 4000:
            rows.append((name, "0" if value["number"] == "-0" else value["number"], None))
        else:
            raise Refused("number", "not an integer")
    rows = [row for row in rows if row[0] != "Signature"]
    names = [row[0] for row in rows]
    if len(names) > len(set(names)):
        raise Refused("parameter-repeated", "twice")
    return sorted(rows, key=sort_key)


def sha1sum(rows, pri):
    return hashlib.sha1(("".join(name + text for name, text, _ in rows) + pri).encode("utf-8")).hexdigest()


def needs(rows, *names):
    for name in names:
        if name not in [row[0] for row in rows]:
            raise Refused("parameter-missing", name)


def urlencode(text):
    out = ""
    for b in text.encode("utf-8"):
        out += "%c" % b if re.match(rb"[a-zA-Z0-9.~_-]", bytes([b])) else "%%%02X" % b
    return out


def query(given, pri):
    rows = read(given)
    needs(rows, "Action", "PublicKey")
    if given.get("bucket") and ("Action", "CreateBucket") in [row[:2] for row in rows]:
        needs(rows, "Type", "BucketName")
    return "&".join(urlencode(name) + "=" + urlencode(text) for name, text, _ in rows) + "&Signature=" + sha1sum(rows, pri)


def body(given, pri):
    rows = read(given)
    needs(rows, "Action", "PublicKey")
    members = [json.dumps(name) + ": " + (js or text) for name, text, js in rows]
    return "{" + ", ".join(members) + ', "Signature": "' + sha1sum(rows, pri) + '"}'


serve("shell-scripts", {
    "url-encode": lambda g, pub, pri: {"encoded": urlencode(captured(g["text"]))},
    "password": lambda g, pub, pri: {"value": wrap(base64.b64encode(captured(g["text"]).encode("utf-8")).decode())},
    "action-signature": lambda g, pub, pri: {"signature": sha1sum(read(g), pri)},
    "action-query": lambda g, pub, pri: {"query": query(g, pri)},
    "action-json": lambda g, pub, pri: {"body": body(g, pri)},
    "bucket-request": lambda g, pub, pri: {"target": "/?" + query(dict(g, bucket=True), pri)},
})
