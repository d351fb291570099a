#!/usr/bin/env python3
"""A Laravel middleware (PHP) that verifies requests: parse_str, TrimStrings, json_decode, ksort.

Mistakes:
1. parse_str turns a dot or a space in a parameter's name into "_", in verify-query (Name.0 is signed as Name_0).
2. The middleware TrimStrings removes white space at both ends of every text value before the signature is checked, in verify-query and verify-json.
3. Booleans of a JSON body become "1" and "" (a cast to string).
4. ksort runs before nested members are flattened: the items of a list stay in the order of their numbers, so Name.10 comes after Name.9, and an object's members keep the order of the body.
5. Numbers of a JSON body with a fraction or an exponent are cast with precision 14: later digits are lost, and from 1.0E+15 on or below 0.0001 they have an exponent.
6. Query strings are decoded with urldecode: a raw "+" is a space, in verify-query and in the query of verify-presigned-url (the path uses rawurldecode).
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402


def rawurldecode(s, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, "percent")
    raw = re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), s.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "utf-8")


def urldecode(s):
    return rawurldecode(s.replace("+", " "), "query-malformed")


def query_pairs(query):
    pairs = [p.partition("=") for p in query.split("&") if p]
    return [(urldecode(n), urldecode(v)) for n, _, v in pairs]


def unique(names):
    if len(names) != len(set(names)):
        raise Refused("parameter-repeated", "twice")


def parse_str(query):
    pairs = [(n.replace(".", "_").replace(" ", "_"), v) for n, v in query_pairs(query)]
    unique([n for n, _ in pairs])
    return dict(pairs)


def trim_strings(v):
    if isinstance(v, str):
        return v.strip(" \t\n\r\0\x0b")
    if isinstance(v, list):
        return [trim_strings(x) for x in v]
    if isinstance(v, dict):
        return {n: trim_strings(x) for n, x in v.items()}
    return v


class Php(float):
    pass


def float_string(x):
    if x == 0:
        return "0"
    d = Decimal("%.13e" % x).normalize()
    e = d.adjusted()
    if -5 < e < 15:
        return format(d, "f")
    sign, digits, _ = d.as_tuple()
    t = "".join(map(str, digits))
    return ("-" if sign else "") + t[0] + "." + (t[1:] or "0") + "E%+d" % e


def to_string(v):
    if isinstance(v, bool):
        return "1" if v else ""
    if isinstance(v, float):
        return float_string(v)
    return str(v)


def json_decode(body):
    def pairs(p):
        unique([n for n, _ in p])
        return dict(p)

    def constant(w):
        raise ValueError(w)

    def no_null(v):
        if v is None:
            raise Refused("body-malformed", "null")
        for x in v if isinstance(v, list) else v.values() if isinstance(v, dict) else []:
            no_null(x)

    try:
        value = json.loads(body, object_pairs_hook=pairs, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "no JSON")
    if not isinstance(value, dict):
        raise Refused("body-malformed", "no object")
    no_null(value)
    return value


def flatten(name, v):
    if isinstance(v, list):
        return [x for i, item in enumerate(v) for x in flatten("%s.%d" % (name, i), item)]
    if isinstance(v, dict):
        return [x for n, item in v.items() for x in flatten(name + "." + n, item)]
    return [(name, to_string(v))]


def check(input_, pub, pri):
    signature = input_.pop("Signature", None)
    flat = []
    for name in sorted(input_, key=lambda n: n.encode("utf-8")):        # ksort
        flat += flatten(name, input_[name])
    unique([n for n, _ in flat])
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "none")
    for n in ("Action", "PublicKey"):
        if n not in dict(flat):
            raise Refused("parameter-missing", n)
    who = dict(flat)["PublicKey"]
    if who != pub:
        raise Refused("public-key-unknown", who)
    if hashlib.sha1(("".join(n + v for n, v in flat) + pri).encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": who}


def verify_query(o, pub, pri):
    return check(trim_strings(parse_str(o["query"])), pub, pri)


def verify_json(o, pub, pri):
    return check(trim_strings(json_decode(o["body"])), pub, pri)


def verify_url(o, pub, pri):
    token = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
    if not re.fullmatch(token, o["method"]):
        raise Refused("method", o["method"])
    extra = {}
    for n, v in o["headers"]:
        n = n.strip(" \t")
        if not re.fullmatch(token, n):
            raise Refused("header-name", n)
        v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t")
        if re.search("[\r\n\0]", v):
            raise Refused("header-value", n)
        v.encode("utf-8")
        if n.lower().startswith(WORDS["headerPrefix"].lower()):
            extra.setdefault(n.lower(), []).append(v)
    m = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)\??([^#]*)", o["url"], re.S)
    if not m or m[2].lower() != o["fileHost"].lower():
        raise Refused("url-malformed", "url")
    key = rawurldecode(m[3], "url-malformed")
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    pairs = [(n, v) for n, v in query_pairs(m[4]) if n in names]
    unique([n for n, _ in pairs])
    who, expires, signature = (dict(pairs).get(n) for n in names)
    if not signature:
        raise Refused("signature-missing", "none")
    if who is None or expires is None:
        raise Refused("parameter-missing", "one")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(o["now"]) > int(expires):
        raise Refused("expired", expires)
    if who != pub:
        raise Refused("public-key-unknown", who)
    text = o["method"].upper() + "\n\n\n" + expires + "\n" + "".join(
        n + ":" + ",".join(extra[n]) + "\n" for n in sorted(extra)) + "/" + m[1] + "/" + key
    if base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode() != signature:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": who}


serve("laravel-guard", {"verify-query": verify_query, "verify-json": verify_json, "verify-presigned-url": verify_url})
