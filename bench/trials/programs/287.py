#!/usr/bin/env python3
"""An action API client from a data scientist's notebook: plain dicts and lists, urllib.

Mistakes:
1. Pads the positions of a list with zeros to equal width (Name.00 to Name.11 in a list of twelve), "so that they sort right". Lists of at
   most ten items are right.
2. A list of objects is flattened by columns: Name.Key.0 instead of Name.0.Key.
3. Calls urllib.parse.quote with its default safe="/", so a slash is not encoded.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal, DecimalException
from urllib.parse import quote, unquote_to_bytes

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def fmt(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        x = Decimal(written)
        if not x.is_finite() or x and abs(x.adjusted()) >= 4000:
            raise Refused("number", "too big")
        text = "{:f}".format(x)
    except (DecimalException, ValueError):
        raise Refused("number", "too big")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if x == 0 else text


def position(i, n):
    return str(i).zfill(len(str(n - 1)))


def place(name, index, item):
    """The rows of one item of a list."""
    if isinstance(item, dict) and "object" in item:
        return [row for key, value in item["object"] for row in explode(name + "." + key + "." + index, value)]
    return explode(name + "." + index, item)


def explode(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if value in (True, False) and isinstance(value, bool):
        return [(name, json.dumps(value), json.dumps(value))]
    if isinstance(value, str):
        return [(name, value, json.dumps(value))]
    if "number" in value:
        return [(name, fmt(value["number"]), fmt(value["number"]))]
    if "list" in value:
        items = value["list"]
        return [row for i, item in enumerate(items) for row in place(name, position(i, len(items)), item)]
    return [row for key, item in value["object"] for row in explode(name + "." + key, item)]


def table(given):
    rows = [row for name, value in given["parameters"] for row in explode(name, value) if row[0] != "Signature"]
    if len({row[0] for row in rows}) < len(rows):
        raise Refused("parameter-repeated", "duplicate name")
    return sorted(rows, key=lambda row: row[0].encode("utf-8"))


def sign(rows, pri):
    return hashlib.sha1(("".join(n + t for n, t, _ in rows) + pri).encode("utf-8")).hexdigest()


def full(given, *needed):
    rows = table(given)
    names = [n for n, _, _ in rows]
    for name in ("Action", "PublicKey") + needed:
        if name not in names:
            raise Refused("parameter-missing", name)
    return rows


SAFE = "/"


def query(rows, pri):
    return "&".join(quote(n, safe=SAFE) + "=" + quote(t, safe=SAFE) for n, t, _ in rows + [("Signature", sign(rows, pri), "")])


def to_json(rows, pri):
    return "{" + ", ".join(json.dumps(n) + ": " + j for n, _, j in rows + [("Signature", "", json.dumps(sign(rows, pri)))]) + "}"


def bucket(given, pub, pri):
    rows = full(given)
    if ("Action", "CreateBucket") in [row[:2] for row in rows]:
        rows = full(given, "Type", "BucketName")
    return {"target": "/?" + query(rows, pri)}


def unquote(text):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise Refused("query-malformed", "bad escape")
    text.encode("utf-8")
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def verify(given, pub, pri):
    pairs = [tuple(map(unquote, piece.partition("=")[::2])) for piece in given["query"].split("&") if piece]
    params = dict(pairs)
    if len(params) < len(pairs):
        raise Refused("parameter-repeated", "duplicate name")
    signature = params.pop("Signature", "")
    if not signature:
        raise Refused("signature-missing", "no Signature")
    for name in ("Action", "PublicKey"):
        if name not in params:
            raise Refused("parameter-missing", name)
    if params["PublicKey"] != pub:
        raise Refused("public-key-unknown", "not this account")
    rows = sorted(params.items(), key=lambda pair: pair[0].encode("utf-8"))
    if sign([(n, t, "") for n, t in rows], pri) != signature:
        raise Refused("signature-mismatch", "wrong signature")
    return {"publicKey": pub}


serve("notebook", {
    "url-encode": lambda g, pub, pri: {"encoded": quote(g["text"].encode("utf-8"), safe=SAFE)},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode()},
    "action-signature": lambda g, pub, pri: {"signature": sign(table(g), pri)},
    "action-query": lambda g, pub, pri: {"query": query(full(g), pri)},
    "action-json": lambda g, pub, pri: {"body": to_json(full(g), pri)},
    "bucket-request": bucket,
    "verify-query": verify,
})
