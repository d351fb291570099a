#!/usr/bin/env python3
"""A gateway in Rust: verify-query and verify-json. Its mistakes:

1. The query is read with pair.split('=') and the second piece is taken, so a value with a plain = in it is cut there.
2. Numbers of a JSON body with a fraction, an exponent or more than 64 bits are parsed to f64, so long ones lose digits
   (and those out of its range are refused).
3. A request without Action is not refused.
"""
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve


def plain(written):
    """Decimal text without exponent and without zeros at the end of a fraction."""
    try:
        value = Decimal(written)
        if not value:
            return "0"
        if not -4000 < value.adjusted() < 4000:
            raise Refused("body-malformed", "a number too long")
        text = format(value, "f")
    except ArithmeticError:
        raise Refused("body-malformed", "a number too large")
    return text.rstrip("0").rstrip(".") if "." in text else text


def number(written):
    plain(written)
    if re.fullmatch("-?[0-9]+", written) and len(written) < 25 and -2 ** 63 <= int(written) < 2 ** 64:
        return str(int(written))
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise Refused("body-malformed", "number out of range")
    return plain(repr(value))


def check(pairs, signature, public, private):
    """pairs: names and texts without Signature."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "no Signature")
    if "PublicKey" not in names:
        raise Refused("parameter-missing", "PublicKey")
    if dict(pairs)["PublicKey"] != public:
        raise Refused("public-key-unknown", "not this account")
    pairs = sorted(pairs, key=lambda pair: pair[0].encode("utf-8"))
    text = "".join(name + value for name, value in pairs) + private
    if hashlib.sha1(text.encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": public}


def decode(text):
    raw, rest = b"", text.encode("utf-8")
    while rest:
        if rest[:1] == b"%":
            if not re.match(rb"%[0-9A-Fa-f]{2}", rest):
                raise Refused("query-malformed", "stray %")
            raw, rest = raw + bytes([int(rest[1:3], 16)]), rest[3:]
        else:
            raw, rest = raw + rest[:1], rest[1:]
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def verify_query(given, public, private):
    pairs = []
    for piece in given["query"].split("&"):
        if piece:
            name, value = (piece.split("=") + [""])[:2]
            pairs.append((decode(name), decode(value)))
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    signature = dict(pairs).get("Signature")
    return check([pair for pair in pairs if pair[0] != "Signature"], signature, public, private)


class Number(str):
    pass


class Members(list):
    pass


def members(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    return Members(pairs)


def constant(word):
    raise ValueError(word)


def flatten(name, value):
    if value is None:
        raise Refused("body-malformed", "null")
    if isinstance(value, bool):
        return [(name, "true" if value else "false")]
    if isinstance(value, Number):
        return [(name, number(value))]
    if isinstance(value, str):
        return [(name, value)]
    items = value if isinstance(value, Members) else enumerate(value)
    return [pair for child, item in items for pair in flatten(name + "." + str(child), item)]


def verify_json(given, public, private):
    try:
        body = json.loads(given["body"], object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(body, Members):
        raise Refused("body-malformed", "not an object")
    pairs = [pair for name, value in body for pair in flatten(name, value)]
    signature = dict(body).get("Signature")
    if isinstance(signature, Number):
        signature = None
    return check([pair for pair in pairs if pair[0] != "Signature"], signature, public, private)


serve("rust-gateway", {"verify-query": verify_query, "verify-json": verify_json})
