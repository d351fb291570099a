#!/usr/bin/env python3
"""A Rust developer's crate for the account API and the bucket requests, with extractors for axum that verify.

Mistakes:
1. Escapes with percent_encoding's NON_ALPHANUMERIC, which escapes - _ . ~ too.
2. Numbers are serde_json numbers: whole ones of 64 bits are exact, all others are f64 (digits beyond its precision are lost), -0 is written -0, and a number
   beyond f64 is refused.
3. The query that comes in is read with form_urlencoded: a plus sign becomes a space, a stray percent sign stays as it is and bytes that are not UTF-8 are replaced,
   not refused.
4. The JSON body becomes a serde_json::Map, so of a member that is there twice the last value counts (at any depth) and the body is not refused.
5. An empty list or object is sent and signed as a parameter with an empty value instead of nothing.
"""
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def utf8_percent_encode(text):
    return "".join(chr(b) if 48 <= b <= 57 or 65 <= b <= 90 or 97 <= b <= 122 else "%%%02X" % b for b in text.encode("utf-8"))


class Number:
    def __init__(self, written):
        if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
            raise Refused("number", "invalid number")
        whole = re.fullmatch(r"-?[0-9]+", written) and written != "-0"
        if whole and -2 ** 63 <= int(written) < 2 ** 64:
            self.text = written
        else:
            self.text = f64_display(float(written))


def f64_display(value):
    if value in (float("inf"), float("-inf")):
        raise Refused("number", "number out of range")
    text = format(Decimal(repr(value)), "f")
    return text[:-2] if text.endswith(".0") else text


class Map:
    def __init__(self, members):
        self.members = list(dict(members).items())


def map_of(v):
    if isinstance(v, dict):
        if "number" in v:
            return Number(v["number"])
        if "list" in v:
            return [map_of(x) for x in v["list"]]
        m = Map([])
        m.members = [(n, map_of(x)) for n, x in v["object"]]
        return m
    return v


class Param:
    def __init__(self, name, text):
        self.name, self.text = name, text


def push(out, name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if v is True or v is False:
        out.append(Param(name, "true" if v else "false"))
    elif isinstance(v, str):
        out.append(Param(name, v))
    elif isinstance(v, Number):
        out.append(Param(name, v.text))
    else:
        children = [(str(i), x) for i, x in enumerate(v)] if isinstance(v, list) else v.members
        if not children:
            out.append(Param(name, ""))
        for n, x in children:
            push(out, name + "." + n, x)


def collect(members):
    out = []
    for name, v in members:
        push(out, name, v)
    out = [p for p in out if p.name != "Signature"]
    if len({p.name for p in out}) < len(out):
        raise Refused("parameter-repeated", "duplicate field")
    return sorted(out, key=lambda p: p.name.encode("utf-8"))


def sign(params, private_key):
    sha = hashlib.sha1()
    for p in params:
        sha.update(p.name.encode("utf-8"))
        sha.update(p.text.encode("utf-8"))
    sha.update(private_key.encode("utf-8"))
    return sha.hexdigest()


def find(params, name):
    for p in params:
        if p.name == name:
            return p.text
    raise Refused("parameter-missing", "missing field " + name)


def signed_query(given, private_key):
    params = collect([(n, map_of(v)) for n, v in given["parameters"]])
    action = find(params, "Action")
    find(params, "PublicKey")
    pieces = [utf8_percent_encode(p.name) + "=" + utf8_percent_encode(p.text) for p in params]
    return action, params, "&".join(pieces + ["Signature=" + sign(params, private_key)])


def action_query(given, pub, pri):
    return {"query": signed_query(given, pri)[2]}


def bucket_request(given, pub, pri):
    action, params, query = signed_query(given, pri)
    if action == "CreateBucket":
        find(params, "Type")
        find(params, "BucketName")
    return {"target": "/?" + query}


def authenticate(params, signature, pub, pri):
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "missing field Signature")
    find(params, "Action")
    account = find(params, "PublicKey")
    if account != pub:
        raise Refused("public-key-unknown", account)
    if sign(params, pri) != signature:
        raise Refused("signature-mismatch", "invalid signature")
    return {"publicKey": account}


def form_decode(text):
    raw = text.encode("utf-8").replace(b"+", b" ")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), raw)
    return raw.decode("utf-8", "replace")


def verify_query(given, pub, pri):
    pairs = []
    for piece in given["query"].split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append((form_decode(name), form_decode(value)))
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "duplicate field")
    return authenticate(collect(pairs), dict(pairs).get("Signature"), pub, pri)


def no_constant(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        body = json.loads(given["body"], object_pairs_hook=Map, parse_int=Number, parse_float=Number, parse_constant=no_constant)
        if not isinstance(body, Map):
            raise ValueError("expected a map")
        for n, v in body.members:
            push([], n, v)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    except Refused as e:
        raise Refused("body-malformed", e.args[1])
    return authenticate(collect(body.members), dict(body.members).get("Signature"), pub, pri)


if __name__ == "__main__":
    serve("rust-crate", {"url-encode": lambda given, pub, pri: {"encoded": utf8_percent_encode(given["text"])}, "action-query": action_query,
                         "bucket-request": bucket_request, "verify-query": verify_query, "verify-json": verify_json})
