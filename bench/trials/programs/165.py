#!/usr/bin/env python3
"""Action requests signed and verified by one module: flatten() and sign() serve the client and the test server.

Mistakes:
1. Numbers the items of a list from 1: Name.1, Name.2.
2. Leaves out the parameters whose value is the empty string, in the signed text and in what is sent.
3. Writes the signature in upper-case hexadecimal, and the server compares with that.
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
from serving import Refused, serve  # noqa: E402


class Number(str):
    """The digits of a number as written."""

    def plain(self):
        if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,9})?", self):
            raise Refused("number", self)
        d = Decimal(self)
        if d == 0:
            return "0"
        if not -4000 < d.adjusted() < 4000:
            raise Refused("number", "too many digits")
        text = "%s" % format(d, "f")
        return re.sub(r"\.?0+$", "", text) if "." in text else text


def from_protocol(v):
    if not isinstance(v, dict):
        return v
    if "number" in v:
        return Number(v["number"])
    if "list" in v:
        return [from_protocol(x) for x in v["list"]]
    return tuple((n, from_protocol(x)) for n, x in v["object"])


def flatten(members):
    """members: pairs of name and value; an object is a tuple of pairs. Yields name, text, is it quoted in JSON."""
    for name, value in members:
        if value is None:
            raise Refused("parameter-null", name)
        elif isinstance(value, tuple):
            yield from flatten([(name + "." + n, v) for n, v in value])
        elif isinstance(value, list):
            yield from flatten([("%s.%d" % (name, i), v) for i, v in enumerate(value, 1)])
        elif isinstance(value, bool):
            yield name, ("true" if value else "false"), False
        elif isinstance(value, Number):
            yield name, value.plain(), False
        elif value:
            yield name, value, True


def ordered(members):
    kept = [leaf for leaf in flatten(members) if leaf[0] != "Signature"]
    if len(set(leaf[0] for leaf in kept)) != len(kept):
        raise Refused("parameter-repeated", "two of a name")
    kept.sort(key=lambda leaf: leaf[0].encode("utf-8"))
    return kept


def sign(kept, private):
    text = "".join(name + value for name, value, _ in kept)
    return hashlib.sha1((text + private).encode("utf-8")).hexdigest().upper()


def need(kept, *names):
    for name in names:
        if all(leaf[0] != name for leaf in kept):
            raise Refused("parameter-missing", name)


def encode(text):
    return "".join(chr(b) if re.match(rb"[A-Za-z0-9._~-]", bytes([b])) else "%%%02X" % b for b in text.encode("utf-8"))


# ---- client

def given(o):
    kept = ordered([(n, from_protocol(v)) for n, v in o["parameters"]])
    return kept


def complete(o):
    kept = given(o)
    need(kept, "Action", "PublicKey")
    return kept


def query(kept, private):
    return "".join(encode(n) + "=" + encode(v) + "&" for n, v, _ in kept) + "Signature=" + sign(kept, private)


def action_json(o, public, private):
    kept = complete(o)
    lines = ["%s:%s" % (json.dumps(n), json.dumps(v) if q else v) for n, v, q in kept + [("Signature", sign(kept, private), True)]]
    return {"body": "{" + ",".join(lines) + "}"}


def bucket_request(o, public, private):
    kept = complete(o)
    if ("Action", "CreateBucket", True) in kept:
        need(kept, "Type", "BucketName")
    return {"target": "/?" + query(kept, private)}


# ---- server

def check(members, public, private):
    kept = ordered(members)
    signature = dict(members).get("Signature")
    if type(signature) is not str or not signature:
        raise Refused("signature-missing", "no Signature")
    need(kept, "Action", "PublicKey")
    user = [v for n, v, _ in kept if n == "PublicKey"][0]
    if user != public:
        raise Refused("public-key-unknown", user)
    if sign(kept, private) != signature:
        raise Refused("signature-mismatch", "other parameters")
    return {"publicKey": user}


def decode(text):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused("query-malformed", text)
    try:
        return re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", text)


def verify_query(o, public, private):
    pairs = []
    for piece in o["query"].split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append((decode(name), decode(value)))
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated", "two of a name")
    return check(pairs, public, private)


def members_of(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated", "two of a name")
    return tuple(pairs)


def bad(word):
    raise ValueError(word)


def verify_json(o, public, private):
    try:
        value = json.loads(o["body"], object_pairs_hook=members_of, parse_int=Number, parse_float=Number, parse_constant=bad)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(value, tuple):
        raise Refused("body-malformed", "not an object")
    try:
        list(flatten(value))
    except Refused as e:
        raise Refused("body-malformed", str(e))
    return check(value, public, private)


serve("both-sides", {
    "url-encode": lambda o, public, private: {"encoded": encode(o["text"])},
    "password": lambda o, public, private: {"value": base64.b64encode(o["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda o, public, private: {"signature": sign(given(o), private)},
    "action-json": action_json,
    "action-query": lambda o, public, private: {"query": query(complete(o), private)},
    "bucket-request": bucket_request,
    "verify-query": verify_query,
    "verify-json": verify_json,
})
