#!/usr/bin/env python3
r"""A PHP developer of a hosting panel: signs account requests and checks those that come in. Ported line by line.

Mistakes:
1. Cleans the parameters with array_filter($params) before signing, sending and verifying. Top-level parameters whose value is falsy in PHP are dropped:
   the texts "" and "0", false, the number zero, empty lists and objects (and null, which is open). Members and items are kept.
2. Sorts with ksort and no flag: two names that are whole decimal numbers (10 and 9) compare as numbers, all other names by byte.
3. Sends JSON with JSON_NUMERIC_CHECK: a text that is numeric in PHP (007, 1e3, +5, or 42 with blanks around) becomes a JSON number. The signature is over
   the text as given.
4. Verifies with strncmp($expected, $given, strlen($given)): any non-empty beginning of the right signature is accepted.
"""
import base64
import functools
import hashlib
import json
import math
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def rawurlencode(s):
    out = []
    for b in s.encode("utf-8"):
        c = chr(b)
        out.append(c if b < 128 and (c.isalnum() or c in "-_.~") else "%" + format(b, "02X"))
    return "".join(out)


def number(written):
    if not re.fullmatch("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) >= 4000:
            raise Refused("number", "too long")
        s = "{:f}".format(d)
    except ArithmeticError:
        raise Refused("number", "too large")
    if "." in s:
        s = s.rstrip("0")
        if s.endswith("."):
            s = s[:-1]
    return "0" if s == "-0" else s


def falsy(v):
    if v is None or v is False or v == "" or v == "0":
        return True
    if isinstance(v, dict):
        if "number" in v:
            return number(v["number"]) == "0"
        return not v.get("list", v.get("object"))
    return False


def flatten(prefix, v, out):
    if v is None:
        raise Refused("parameter-null", prefix)
    if v is True or v is False:
        out.append((prefix, "true" if v else "false", "bool"))
    elif isinstance(v, str):
        out.append((prefix, v, "string"))
    elif "number" in v:
        out.append((prefix, number(v["number"]), "number"))
    elif "list" in v:
        for i, x in enumerate(v["list"]):
            flatten("%s.%d" % (prefix, i), x, out)
    else:
        for n, x in v["object"]:
            flatten(prefix + "." + n, x, out)


def whole(name):
    return re.fullmatch("0|-?[1-9][0-9]{0,17}", name)


def ksort(a, b):
    x, y = a[0], b[0]
    if whole(x) and whole(y):
        x, y = int(x), int(y)
    else:
        x, y = x.encode("utf-8"), y.encode("utf-8")
    return (x > y) - (x < y)


def params(given):
    flat = []
    for name, v in given:
        if not falsy(v):
            flatten(name, v, flat)
    flat = [p for p in flat if p[0] != "Signature"]
    if len({p[0] for p in flat}) < len(flat):
        raise Refused("parameter-repeated", "twice")
    flat.sort(key=lambda p: p[0].encode("utf-8"))
    return sorted(flat, key=functools.cmp_to_key(ksort))


def sign(flat, pri):
    return hashlib.sha1(("".join(n + v for n, v, _ in flat) + pri).encode("utf-8")).hexdigest()


def must(flat, *names):
    for n in names:
        if n not in [p[0] for p in flat]:
            raise Refused("parameter-missing", n)


def json_value(v, kind):
    if kind != "string":
        return v
    if re.fullmatch(r"[ \t\n\r\v\f]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\r\v\f]*", v):
        digits = v.strip(" \t\n\r\v\f")
        if re.fullmatch("[+-]?[0-9]{1,4000}", digits) and -2 ** 63 <= int(digits) < 2 ** 63:
            return str(int(digits))
        if math.isfinite(float(digits)):
            return repr(float(digits))
    return json.dumps(v)


def query_string(flat, signature):
    return "&".join([rawurlencode(n) + "=" + rawurlencode(v) for n, v, _ in flat] + ["Signature=" + signature])


def action_signature(given, pub, pri):
    return {"signature": sign(params(given["parameters"]), pri)}


def action_json(given, pub, pri):
    flat = params(given["parameters"])
    must(flat, "Action", "PublicKey")
    pairs = [json.dumps(n) + ":" + json_value(v, kind) for n, v, kind in flat]
    pairs.append('"Signature":' + json.dumps(sign(flat, pri)))
    return {"body": "{" + ",".join(pairs) + "}"}


def action_query(given, pub, pri):
    flat = params(given["parameters"])
    must(flat, "Action", "PublicKey")
    return {"query": query_string(flat, sign(flat, pri))}


def bucket_request(given, pub, pri):
    flat = params(given["parameters"])
    must(flat, "Action", "PublicKey")
    if [v for n, v, _ in flat if n == "Action"] == ["CreateBucket"]:
        must(flat, "Type", "BucketName")
    return {"target": "/?" + query_string(flat, sign(flat, pri))}


def check(pairs, pub, pri):
    flat = params(pairs)
    signature = dict(pairs).get("Signature")
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "no Signature")
    must(flat, "Action", "PublicKey")
    who = [v for n, v, _ in flat if n == "PublicKey"][0]
    if who != pub:
        raise Refused("public-key-unknown", who)
    if sign(flat, pri)[:len(signature)] != signature:
        raise Refused("signature-mismatch", "wrong Signature")
    return {"publicKey": who}


def rawurldecode(s):
    raw, i, data = bytearray(), 0, s.encode("utf-8")
    while i < len(data):
        if data[i] == 0x25:
            if not re.fullmatch(b"[0-9A-Fa-f]{2}", data[i + 1:i + 3]):
                raise Refused("query-malformed", "stray percent sign")
            raw.append(int(data[i + 1:i + 3], 16))
            i += 3
        else:
            raw.append(data[i])
            i += 1
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def verify_query(given, pub, pri):
    pairs = []
    for piece in given["query"].split("&"):
        if piece != "":
            n, _, v = piece.partition("=")
            pairs.append((rawurldecode(n), rawurldecode(v)))
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "twice in the query")
    return check(pairs, pub, pri)


def wrap(v):
    return {"list": [wrap(x) for x in v]} if isinstance(v, list) else v


def members(pairs):
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "twice in an object")
    return {"object": [(n, wrap(v)) for n, v in pairs]}


def constant(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        doc = json.loads(given["body"], object_pairs_hook=members, parse_int=lambda s: {"number": s}, parse_float=lambda s: {"number": s},
                         parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(doc, dict) or "object" not in doc:
        raise Refused("body-malformed", "not an object")
    try:
        for n, v in doc["object"]:
            if not falsy(v):
                flatten(n, v, [])
    except Refused as e:
        raise Refused("body-malformed", e.args[1])
    return check(doc["object"], pub, pri)


serve("php-panel", {
    "url-encode": lambda given, pub, pri: {"encoded": rawurlencode(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode()},
    "action-signature": action_signature, "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
    "verify-query": verify_query, "verify-json": verify_json})
