#!/usr/bin/env python3
"""A TypeScript developer's account API on Node.js: a client and an Express handler that share sign.ts.

Mistakes:
1. Numbers are JavaScript numbers, when signing and when a JSON body is checked: String(n) loses digits above 2^53 and writes an exponent from 1e21 on and below 0.000001
   (1e-7), and a number above 1.8e308 is Infinity (null in the body).
2. Names and values of the query (and url-encode) are escaped with encodeURIComponent, which leaves ! ' ( ) * as they are.
3. The handler reads a body with JSON.parse: of a repeated member the last one counts, and the body is not refused.
4. Names are sorted with Array.prototype.sort, so by UTF-16 units: characters above U+FFFF come before U+E000 to U+FFFF.
5. Half a surrogate pair is not refused by the signing; crypto's update(text, 'utf8') has made U+FFFD of it.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, serve  # noqa: E402


# ---- JavaScript

class Obj(dict):
    """A JavaScript object; arrays are lists, numbers floats."""


def js_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", "Unexpected token")
    return float(written)


def js_string(n):
    if n != n or n in (float("inf"), float("-inf")):
        return "Infinity" if n > 0 else "-Infinity"
    if n == 0:
        return "0"
    d = Decimal(repr(n)).as_tuple()
    sign, digits = "-" if d.sign else "", "".join(map(str, d.digits))
    point = len(digits) + d.exponent
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    e = point - 1
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e" + ("-" if e < 0 else "+") + str(abs(e))


def utf16(text):
    return text.encode("utf-16-be", "surrogatepass")


def buffer_from(text):
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode("utf-8")


def encode_uri_component(text):
    # throws URIError: URI malformed
    return "".join(chr(c) if c < 128 and (chr(c).isalnum() or chr(c) in "-_.!~*'()") else "%%%02X" % c for c in text.encode("utf-8"))


def decode_uri_component(text):
    if re.search("%(?![0-9a-fA-F]{2})", text):
        raise Refused("query-malformed", "URI malformed")
    try:
        return re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"), flags=re.S).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "URI malformed")


# ---- sign.ts

def flatten(name, value, out):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, list):
        for i, item in enumerate(value):
            flatten(name + "." + str(i), item, out)
    elif isinstance(value, Obj):
        for key, item in value.items():
            flatten(name + "." + key, item, out)
    elif name != "Signature":
        if name in out:
            raise Refused("parameter-repeated", name)
        out[name] = value
    return out


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return js_string(value) if isinstance(value, float) else value


def sign(flat, private_key):
    names = sorted(flat, key=utf16)
    return hashlib.sha1(buffer_from("".join(n + text_of(flat[n]) for n in names) + private_key)).hexdigest()


def need(flat):
    for name in ("Action", "PublicKey"):
        if name not in flat:
            raise Refused("parameter-missing", name)


# ---- client.ts

def js(value):
    """A value of the harness in JavaScript."""
    if isinstance(value, dict) and "number" in value:
        return js_number(value["number"])
    if isinstance(value, dict) and "list" in value:
        return [js(item) for item in value["list"]]
    return to_object(value["object"]) if isinstance(value, dict) else value


def to_object(pairs):
    if len({n for n, _ in pairs}) != len(pairs):
        raise Unsupported("parameters are an object")
    return Obj((n, js(v)) for n, v in pairs)


def collect(given):
    flat = {}
    for name, value in to_object(given["parameters"]).items():
        flatten(name, value, flat)
    return flat


def action_signature(given, pub, pri):
    return {"signature": sign(collect(given), pri)}


def stringify(value):
    if isinstance(value, float):
        return "null" if abs(value) == float("inf") else js_string(value)
    return json.dumps(value)


def action_json(given, pub, pri):
    flat = collect(given)
    need(flat)
    names = sorted(flat, key=utf16)
    return {"body": "{" + ",".join([json.dumps(n) + ":" + stringify(flat[n]) for n in names] + ['"Signature":"' + sign(flat, pri) + '"']) + "}"}


def action_query(given, pub, pri):
    flat = collect(given)
    need(flat)
    names = sorted(flat, key=utf16)
    return {"query": "&".join([encode_uri_component(n) + "=" + encode_uri_component(text_of(flat[n])) for n in names] + ["Signature=" + sign(flat, pri)])}


# ---- handler.ts

def check(flat, signature, pub, pri):
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "no Signature")
    need(flat)
    if text_of(flat["PublicKey"]) != pub:
        raise Refused("public-key-unknown", "no such account")
    if sign(flat, pri) != signature:
        raise Refused("signature-mismatch", "bad signature")
    return {"publicKey": pub}


def verify_query(given, pub, pri):
    flat, signature = {}, None
    for piece in given["query"].split("&"):
        if not piece:
            continue
        name, _, value = piece.partition("=")
        name, value = decode_uri_component(name), decode_uri_component(value)
        if name in flat or name == "Signature" and signature is not None:
            raise Refused("parameter-repeated", name)
        if name == "Signature":
            signature = value
        else:
            flat[name] = value
    return check(flat, signature, pub, pri)


def no_constant(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        body = json.loads(given["body"], object_pairs_hook=Obj, parse_int=js_number, parse_float=js_number, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "Unexpected token in JSON")
    if not isinstance(body, Obj):
        raise Refused("body-malformed", "not an object")
    flat = {}
    for name, value in body.items():
        try:
            flatten(name, value, flat)
        except Refused as e:
            if e.args[0] == "parameter-null":
                raise Refused("body-malformed", name)
            raise
    return check(flat, body.get("Signature"), pub, pri)


serve("ts-account", {
    "url-encode": lambda given, pub, pri: {"encoded": encode_uri_component(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode()},
    "action-signature": action_signature, "action-json": action_json, "action-query": action_query,
    "verify-query": verify_query, "verify-json": verify_json})
