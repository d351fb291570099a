#!/usr/bin/env python3
"""A port of Go middleware (net/http, encoding/json) that checks requests of the account API and of the file interface.

Mistakes:
1. strings.TrimPrefix(header, "Svc "): an Authorization header without the scheme ("pub:signature") is accepted.
2. Leaves out of the signed string every parameter for which strings.EqualFold(name, "Signature") holds, so a parameter "signature"
   or "SIGNATURE" is not signed.
3. Numbers of a JSON body are float64, written with strconv.FormatFloat(f, 'f', -1, 64): without exponent, but rounded to a double,
   and one beyond the doubles is refused.
4. url.ParseQuery with its error ignored: a pair with a bad escape or with a raw semicolon is dropped and the others are verified;
   a plus sign is a space.
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
from serving import WORDS, Refused, serve  # noqa: E402


# ---- net/url

def query_unescape(s):
    b, out, i = s.encode("utf-8"), bytearray(), 0
    while i < len(b):
        if b[i] == 0x25:
            if re.fullmatch(rb"[0-9a-fA-F]{2}", b[i + 1:i + 3]) is None:
                return None
            out.append(int(b[i + 1:i + 3], 16))
            i += 3
        else:
            out.append(0x20 if b[i] == 0x2B else b[i])
            i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def parse_query(query):
    values = []
    for pair in query.split("&"):
        if pair == "" or ";" in pair:
            continue
        key, _, value = pair.partition("=")
        key, value = query_unescape(key), query_unescape(value)
        if key is None or value is None:
            continue
        values.append((key, value))
    return values


# ---- strconv

def format_float(f):
    if f == 0:
        return "0"
    s = format(Decimal(repr(f)), "f")
    return s.rstrip("0").rstrip(".") if "." in s else s


class Number:
    def __init__(self, text):
        self.f = float(text)
        if self.f in (float("inf"), float("-inf")):
            raise Refused("body-malformed", "cannot unmarshal number " + text)

    def __str__(self):
        return format_float(self.f)


class Pairs(list):
    """A JSON object."""


def constant(name):
    raise ValueError(name)


def decode(body):
    try:
        v = json.loads(body, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed")
    if not isinstance(v, Pairs):
        raise Refused("body-malformed", "not an object")
    return v


def unique(pairs):
    if len({n for n, _ in pairs}) != len(pairs):
        raise Refused("parameter-repeated")


def flatten(name, v):
    if isinstance(v, Pairs):
        unique(v)
        for k, x in v:
            yield from flatten(name + "." + k, x)
    elif isinstance(v, list):
        for i, x in enumerate(v):
            yield from flatten(name + "." + str(i), x)
    elif v is None:
        raise Refused("body-malformed", "null")
    elif isinstance(v, bool):
        yield name, "true" if v else "false"
    else:
        yield name, str(v)


def equal_fold(a, b):
    return a.casefold() == b.casefold()


def verify(params, signature, pub, pri):
    signed = [(n, v) for n, v in params if not equal_fold(n, "Signature")]
    unique(signed)
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing")
    values = dict(signed)
    for n in ("Action", "PublicKey"):
        if n not in values:
            raise Refused("parameter-missing", n)
    if values["PublicKey"] != pub:
        raise Refused("public-key-unknown")
    h = hashlib.sha1()
    for n in sorted(values, key=str.encode):
        h.update(n.encode("utf-8"))
        h.update(values[n].encode("utf-8"))
    h.update(pri.encode("utf-8"))
    if not hmac.compare_digest(h.hexdigest().encode(), signature.encode("utf-8")):
        raise Refused("signature-mismatch")
    return {"publicKey": pub}


def verify_query(g, pub, pri):
    values = parse_query(g["query"])
    unique(values)
    return verify(values, dict(values).get("Signature"), pub, pri)


def verify_json(g, pub, pri):
    members = decode(g["body"])
    unique(members)
    return verify([p for n, v in members for p in flatten(n, v)], dict(members).get("Signature"), pub, pri)


# ---- files

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def read_header(pairs):
    h = {}
    for n, v in pairs:
        n = n.strip(" \t")
        if not TOKEN.fullmatch(n):
            raise Refused("header-name", n)
        v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t")
        if set(v) & set("\r\n\0"):
            raise Refused("header-value", n)
        v.encode("utf-8")
        h.setdefault(n.lower(), []).append(v)
    return h


def get(h, name):
    values = h.get(name, [""])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0]


def callback(policy, method):
    if method not in ("PUT", "POST"):
        return False
    if set(policy) & set("-_") and set(policy) & set("+/"):
        return False
    bare = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        v = json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(v, dict)


def verify_authorization(g, pub, pri):
    h = read_header(g["headers"])
    if not TOKEN.fullmatch(g["method"]):
        raise Refused("method")
    if g["bucket"] == "" or "/" in g["bucket"]:
        raise Refused("bucket")
    method = g["method"].upper()
    to_sign = method + "\n" + get(h, "content-md5") + "\n" + get(h, "content-type") + "\n" + get(h, "date") + "\n"
    for n in sorted(h):
        if n.startswith(WORDS["headerPrefix"].lower()):
            to_sign += n + ":" + ",".join(h[n]) + "\n"
    to_sign += "/" + g["bucket"] + "/" + g["key"]
    if "authorization" not in h:
        raise Refused("authorization-missing")
    if len(h["authorization"]) > 1:
        raise Refused("authorization-malformed")
    token = h["authorization"][0].removeprefix(WORDS["scheme"] + " ")
    parts = token.split(":")
    if len(parts) not in (2, 3) or not all(parts) or " " in token or "\t" in token:
        raise Refused("authorization-malformed")
    if len(parts) == 3:
        if not callback(parts[2], method):
            raise Refused("authorization-malformed", "policy")
        to_sign += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown")
    mac = hmac.new(pri.encode("utf-8"), to_sign.encode("utf-8"), hashlib.sha1)
    if base64.b64encode(mac.digest()).decode() != parts[1]:
        raise Refused("signature-mismatch")
    return {"publicKey": pub}


serve("go-middleware", {"verify-query": verify_query, "verify-json": verify_json, "verify-authorization": verify_authorization})
