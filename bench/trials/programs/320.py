#!/usr/bin/env python3
"""A JavaScript developer's SDK for Node: the account API, the ETag and the callback policy.

Mistakes:
1. Escapes with encodeURIComponent, which leaves ! ' ( ) * as they are.
2. The names are sorted with Array.prototype.sort(), in the order of UTF-16 code units: a character beyond U+FFFF sorts before U+E000 to U+FFFF.
3. Numbers are JavaScript numbers, written with String(): digits beyond 64-bit floating point are lost, 1e21 and more and less than 1e-6 are written with an
   exponent, and a number beyond the range is Infinity in the text (null in the JSON body).
4. Parameters are skipped if they are falsy: an empty text, the number 0, false and null at the top level are neither signed nor sent.
5. Base64 is made URL-safe with .replace('+', '-').replace('/', '_'), which replaces the first of each only, in the ETag and in the policy.
6. The members of a policy are put into an object: of a repeated name only the last value stays (at the first place), and names that are whole numbers come first.
"""
import base64
import hashlib
import json
import math
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, content, serve  # noqa: E402


def encode_uri_component(text):
    out = []
    for b in text.encode("utf-8"):
        out.append(chr(b) if re.match(rb"[A-Za-z0-9_.!~*'()-]", bytes([b])) else "%" + format(b, "02X"))
    return "".join(out)


def js_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", "Unexpected token")
    return float(written)


def js_string(number):
    """String(number)"""
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, digits))
    point = len(digits) + exponent
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e" + format(point - 1, "+d")
    return "-" * sign + text


def value_of(v):
    if isinstance(v, dict):
        if "number" in v:
            return js_number(v["number"])
        if "list" in v:
            return [value_of(x) for x in v["list"]]
        return {"members": [(n, value_of(x)) for n, x in v["object"]]}
    return v


def falsy(v):
    return v is None or v is False or v == "" or isinstance(v, float) and v == 0


def walk(name, v, out):
    """Pushes [name, text, JSON text]."""
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, bool):
        out.append((name, str(v).lower(), str(v).lower()))
    elif isinstance(v, float):
        out.append((name, js_string(v), "null" if math.isinf(v) else js_string(v)))
    elif isinstance(v, str):
        out.append((name, v, json.dumps(v)))
    elif isinstance(v, list):
        for i, x in enumerate(v):
            walk(name + "." + str(i), x, out)
    else:
        for n, x in v["members"]:
            walk(name + "." + n, x, out)


def code_units(name):
    name.encode("utf-8")
    return name.encode("utf-16-be")


def build(given):
    rows = []
    for name, v in given["parameters"]:
        v = value_of(v)
        if falsy(v):
            continue
        walk(name, v, rows)
    rows = [row for row in rows if row[0] != "Signature"]
    if len(set(row[0] for row in rows)) < len(rows):
        raise Refused("parameter-repeated", "duplicate name")
    rows.sort(key=lambda row: code_units(row[0]))
    return rows


def signature_of(rows, pri):
    return hashlib.sha1(("".join(name + text for name, text, _ in rows) + pri).encode("utf-8")).hexdigest()


def required(rows):
    for name in ("Action", "PublicKey"):
        if name not in [row[0] for row in rows]:
            raise Refused("parameter-missing", name)


def action_signature(given, pub, pri):
    return {"signature": signature_of(build(given), pri)}


def action_json(given, pub, pri):
    rows = build(given)
    required(rows)
    members = [json.dumps(name) + ":" + literal for name, _, literal in rows]
    return {"body": "{" + ",".join(members + ['"Signature":"' + signature_of(rows, pri) + '"']) + "}"}


def action_query(given, pub, pri):
    rows = build(given)
    required(rows)
    pairs = [encode_uri_component(name) + "=" + encode_uri_component(text) for name, text, _ in rows]
    return {"query": "&".join(pairs + ["Signature=" + signature_of(rows, pri)])}


def base64url(data):
    return base64.b64encode(data).decode().replace("+", "-", 1).replace("/", "_", 1)


def etag(given, pub, pri):
    data, size = content(given["content"]), 4 * 1024 * 1024
    count = math.ceil(len(data) / size)
    if count <= 1:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[i * size:(i + 1) * size]).digest() for i in range(count))).digest()
    return {"etag": base64url(count.to_bytes(4, "little") + digest)}


def as_object(members):
    plain = {}
    for name, value in members:
        plain[name] = value
    whole = sorted((n for n in plain if re.fullmatch("0|[1-9][0-9]{0,8}", n)), key=int)
    return [(n, plain[n]) for n in whole] + [(n, v) for n, v in plain.items() if n not in whole]


def policy(given, pub, pri):
    members = as_object(given["members"])
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in members) + "}"
    return {"policy": base64url(text.encode("utf-8"))}


if __name__ == "__main__":
    serve("node-sdk", {
        "url-encode": lambda given, pub, pri: {"encoded": encode_uri_component(given["text"])},
        "action-signature": action_signature, "action-json": action_json, "action-query": action_query,
        "etag": etag, "policy": policy})
