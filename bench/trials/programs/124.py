#!/usr/bin/env python3
"""JavaScript with Express (qs and JSON.parse): verify-query and verify-json.

1. A raw + in the query of verify-query is decoded to a space, in names and values.
2. A name with brackets in the query is taken for a nested one and flattened again: a[b][c] becomes a.b.c before the parameters are
   sorted and checked (a name is meant that is text without brackets, followed by one or more pairs of brackets with text between).
3. The numbers of a JSON body are doubles and are signed as String(number): integers beyond 2^53 lose digits, from 1e21 on it is
   1e+21, and below 1e-6 it is 1e-7; numbers outside of the range become Infinity and 0.
"""
import hashlib
import json
import os
import re
import sys
from urllib.parse import unquote_to_bytes

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, serve  # noqa: E402


class Num:
    def __init__(self, source):
        self.source = source

    def text(self):
        head, _, power = self.source.lower().partition("e")
        whole, _, part = head.strip("-").partition(".")
        digits = (whole + part).lstrip("0")
        if digits and not -4000 < len(digits) - len(part) - 1 + int(power or 0) < 4000:
            raise Refused("body-malformed", "number")
        x = float(self.source)
        if x == 0:
            return "0"
        if abs(x) == float("inf"):
            return "Infinity" if x > 0 else "-Infinity"
        if abs(x) < 1e21 and x == int(x):
            r = repr(abs(x))
            if "e" in r:
                m, e = r.split("e")
                left, _, right = m.partition(".")
                r = (left + right).ljust(int(e) + 1, "0")
            return ("-" if x < 0 else "") + (r[:-2] if r.endswith(".0") else r)
        r = repr(x)
        if "e" in r:
            m, e = r.split("e")
            m = m[:-2] if m.endswith(".0") else m
            if int(e) < -6:
                return m + "e" + str(int(e))
            if int(e) < 0:
                sign, digits = ("-" if m[0] == "-" else ""), m.strip("-").replace(".", "")
                return sign + "0." + "0" * (-int(e) - 1) + digits
            return m + "e+" + str(int(e))
        return r


def decode(text):
    if re.search("%(?![0-9a-fA-F][0-9a-fA-F])", text):
        raise Refused("query-malformed", "percent sign")
    text.encode("utf-8")
    try:
        return unquote_to_bytes(text.replace("+", " ")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "URI malformed")


def qs_name(name):
    if re.fullmatch(r"[^\[\]]+(\[[^\[\]]+\])+", name, re.S):
        return name.replace("[", ".").replace("]", "")
    return name


def verified(params, public_key, private_key):
    """params: flat list of [name, text, whether it is text]"""
    signature = None
    signed = []
    for name, text, is_text in params:
        if name == "Signature":
            signature = text if is_text else None
        else:
            signed.append((name, text))
    names = [name for name, _ in signed]
    if len(names) > len(set(names)):
        raise Refused("parameter-repeated", "twice")
    signed.sort(key=lambda pair: pair[0].encode("utf-8"))
    if not signature:
        raise Refused("signature-missing", "no Signature")
    for wanted in ("Action", "PublicKey"):
        if wanted not in names:
            raise Refused("parameter-missing", wanted)
    if dict(signed)["PublicKey"] != public_key:
        raise Refused("public-key-unknown", "unknown")
    joined = "".join(name + text for name, text in signed) + private_key
    if hashlib.sha1(joined.encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": public_key}


def verify_query(given, public_key, private_key):
    params = []
    for piece in filter(None, given["query"].split("&")):
        name, _, value = piece.partition("=")
        params.append([qs_name(decode(name)), decode(value), True])
    if len({p[0] for p in params}) < len(params):
        raise Refused("parameter-repeated", "twice")
    return verified(params, public_key, private_key)


class Obj(list):
    pass


def members(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "member twice")
    return Obj(pairs)


def no_constant(word):
    raise ValueError(word)


def flat(name, value):
    if value is None:
        raise Refused("body-malformed", "null")
    if isinstance(value, bool):
        return [[name, "true" if value else "false", False]]
    if isinstance(value, str):
        return [[name, value, True]]
    if isinstance(value, Num):
        return [[name, value.text(), False]]
    inner = value if isinstance(value, Obj) else [(str(i), x) for i, x in enumerate(value)]
    return [row for member, x in inner for row in flat(name + "." + member, x)]


def verify_json(given, public_key, private_key):
    try:
        body = json.loads(given["body"], object_pairs_hook=members, parse_int=Num, parse_float=Num, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "SyntaxError")
    if not isinstance(body, Obj):
        raise Refused("body-malformed", "not an object")
    return verified([row for name, value in body for row in flat(name, value)], public_key, private_key)


OPS = {"verify-query": verify_query, "verify-json": verify_json}

if __name__ == "__main__":
    serve("express-verifier", OPS)
