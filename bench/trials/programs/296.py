#!/usr/bin/env python3
r"""A Haskell library of pure functions (aeson, http-types, scientific): signs and checks requests of parameters, in JSON and in queries, and buckets.

Mistakes:
1. Writes numbers that are not whole with show, as Data.Scientific does it: below 0.1 and from 10000000 on with an exponent, 0.05 as 5.0e-2 and
   12345678.5 as 1.23456785e7. Whole numbers are right. Signed and sent, and also when a JSON body is checked.
2. Models a list of texts as Set Text: the items are sorted and equal ones become one. Lists that hold anything but texts are right.
3. Filters with isPrefixOf "Signature": all parameters whose flattened names begin so, such as SignatureMethod, are left out of the signed text. They are
   sent.
4. The check of queries uses parseQuery of http-types, which makes a space of a plain plus sign. %2B is right.
"""
import hashlib
import json
import os
import re
import sys
from decimal import Decimal
from functools import reduce

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from proto import Refused, run  # noqa: E402


def left(reason, message=""):
    raise Refused(reason, message)


def encode_utf8(t):
    try:
        return t.encode("utf-8")
    except UnicodeEncodeError:
        left("text", "surrogate")


# ---- Value: ("text", t) | ("bool", b) | ("number", digits) | ("null",) | ("list", [v]) | ("object", [(n, v)])

def from_protocol(v):
    match v:
        case None:
            return ("null",)
        case bool():
            return ("bool", v)
        case str():
            return ("text", v)
        case {"number": digits}:
            return ("number", digits)
        case {"list": items}:
            return ("list", list(map(from_protocol, items)))
        case {"object": members}:
            return ("object", [(n, from_protocol(w)) for n, w in members])


def show_scientific(digits):
    re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", digits) or left("number", digits)
    try:
        n = Decimal(digits)
    except ArithmeticError:
        left("number", digits)
    if n.is_zero():
        return "0"
    if abs(n.adjusted()) >= 4000:
        left("number", digits)
    sign, figures, exponent = n.as_tuple()
    figures = "".join(map(str, figures))
    stripped = figures.rstrip("0")
    exponent += len(figures) - len(stripped)
    minus = "-" * sign
    if exponent >= 0:
        return minus + stripped + "0" * exponent
    if not -1 <= n.adjusted() < 7:
        return minus + stripped[0] + "." + (stripped[1:] or "0") + "e" + str(n.adjusted())
    point = len(stripped) + exponent
    return minus + (stripped[:point] if point > 0 else "0") + "." + ("0" * -point + stripped if point <= 0 else stripped[point:])


def flatten(name, v):
    """[(name, text, is a text)]"""
    match v:
        case ("null",):
            left("parameter-null", name)
        case ("text", t):
            return [(name, t, True)]
        case ("bool", b):
            return [(name, "true" if b else "false", False)]
        case ("number", digits):
            return [(name, show_scientific(digits), False)]
        case ("list", items):
            if items and all(i[0] == "text" for i in items):
                items = [("text", t) for t in sorted({t for _, t in items})]
            return concat(flatten(name + "." + str(i), w) for i, w in enumerate(items))
        case ("object", members):
            return concat(flatten(name + "." + n, w) for n, w in members)


def concat(lists):
    return reduce(lambda a, b: a + b, lists, [])


def parameters(pairs):
    leaves = [leaf for leaf in concat(flatten(n, v) for n, v in pairs) if leaf[0] != "Signature"]
    if len({n for n, _, _ in leaves}) != len(leaves):
        left("parameter-repeated")
    return sorted(leaves, key=lambda leaf: encode_utf8(leaf[0]))


def sign(private, leaves):
    signed = "".join(n + t for n, t, _ in leaves if not n.startswith("Signature"))
    return hashlib.sha1(encode_utf8(signed + private)).hexdigest()


def lookup(name, leaves):
    return next((t for n, t, _ in leaves if n == name), None)


def required(leaves, *names):
    for name in names:
        if lookup(name, leaves) is None:
            left("parameter-missing", name)
    return leaves


def given_parameters(given):
    return parameters([(n, from_protocol(v)) for n, v in given["parameters"]])


def url_encode(t):
    return "".join(chr(b) if re.match(rb"[A-Za-z0-9._~-]", bytes([b])) else "%%%02X" % b for b in encode_utf8(t))


def render_query(private, leaves):
    return "&".join([url_encode(n) + "=" + url_encode(t) for n, t, _ in leaves] + ["Signature=" + sign(private, leaves)])


def action_json(given, pub, pri, dialect):
    leaves = required(given_parameters(given), "Action", "PublicKey")
    signature = sign(pri, leaves)
    return "{" + "".join(json.dumps(n) + ":" + (json.dumps(t) if is_text else t) + "," for n, t, is_text in leaves) + '"Signature":"' + signature + '"}'


def action_query(given, pub, pri, dialect):
    return render_query(pri, required(given_parameters(given), "Action", "PublicKey"))


def bucket_request(given, pub, pri, dialect):
    leaves = required(given_parameters(given), "Action", "PublicKey")
    if lookup("Action", leaves) == "CreateBucket":
        required(leaves, "Type", "BucketName")
    return "/?" + render_query(pri, leaves)


# ---- checking

def check(pub, pri, leaves, signature):
    if type(signature) is not str or signature == "":
        left("signature-missing")
    required(leaves, "Action", "PublicKey")
    if lookup("PublicKey", leaves) != pub:
        left("public-key-unknown")
    if sign(pri, leaves) != signature:
        left("signature-mismatch")
    return pub


def url_decode(t):
    t = t.replace("+", " ")
    raw = bytearray()
    pieces = encode_utf8(t).split(b"%")
    raw += pieces[0]
    for piece in pieces[1:]:
        if not re.match(rb"[0-9a-fA-F]{2}", piece):
            left("query-malformed", "percent")
        raw += bytes.fromhex(piece[:2].decode()) + piece[2:]
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        left("query-malformed", "UTF-8")


def verify_query(given, pub, pri, dialect):
    pairs = []
    for piece in filter(None, given["query"].split("&")):
        n, _, v = piece.partition("=")
        pairs.append((url_decode(n), url_decode(v)))
    if len(dict(pairs)) != len(pairs):
        left("parameter-repeated")
    return check(pub, pri, parameters([(n, ("text", v)) for n, v in pairs]), dict(pairs).get("Signature"))


def object_(members):
    if len(dict(members)) != len(members):
        left("parameter-repeated")
    return ("object", [(n, from_aeson(v)) for n, v in members])


def from_aeson(v):
    match v:
        case None:
            return ("null",)
        case bool():
            return ("bool", v)
        case str():
            return ("text", v)
        case list():
            return ("list", list(map(from_aeson, v)))
    return v


def nan(word):
    raise ValueError(word)


def verify_json(given, pub, pri, dialect):
    def number(digits):
        return ("number", digits)
    try:
        body = json.loads(given["body"], object_pairs_hook=object_, parse_int=number, parse_float=number, parse_constant=nan)
    except (ValueError, RecursionError):
        left("body-malformed")
    if type(body) is not tuple or body[0] != "object":
        left("body-malformed")
    try:
        concat(flatten(n, v) for n, v in body[1])
    except Refused as e:
        left("body-malformed", e.message)
    signature = dict(body[1]).get("Signature")
    return check(pub, pri, parameters(body[1]), signature[1] if signature and signature[0] == "text" else None)


run("haskell-pure", {
    "action-signature": lambda given, pub, pri, dialect: sign(pri, given_parameters(given)),
    "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
    "verify-query": verify_query, "verify-json": verify_json,
})
