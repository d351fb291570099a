#!/usr/bin/env python3
"""A gateway's check of action requests: verify-query and verify-json. Its mistakes:

1. A raw semicolon in the query separates parameters like &.
2. A number of a JSON body that is written with an exponent is signed as written (1e3), not as plain decimal text.
3. A member named Signature inside an object or list of the body is left out of the signed string too, not only the top-level one.
"""
import hashlib
import hmac
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


class Number(str):
    pass


def unescape(text):
    raw, out, at = text.encode("utf-8"), bytearray(), 0
    while at < len(raw):
        if raw[at] == 0x25:
            if not re.fullmatch(rb"[0-9A-Fa-f]{2}", raw[at + 1:at + 3]):
                raise Refused("query-malformed", "percent sign")
            out.append(int(raw[at + 1:at + 3], 16))
            at += 3
        else:
            out.append(raw[at])
            at += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8") from None


def plain(number):
    if re.search("[eE]", number):
        return str(number)
    if not re.search("[1-9]", number):
        return "0"
    return number.rstrip("0").rstrip(".") if "." in number else str(number)


def flatten(name, value, out):
    if isinstance(value, Number):
        out.append((name, plain(value)))
    elif value is True or value is False:
        out.append((name, str(value).lower()))
    elif isinstance(value, str):
        out.append((name, value))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            flatten("%s.%d" % (name, at), item, out)
    elif isinstance(value, dict):
        for member, item in value.items():
            if member != "Signature":
                flatten(name + "." + member, item, out)
    else:
        raise Refused("body-malformed", "null")


def check(pairs, signature, public, private):
    if not isinstance(signature, str) or isinstance(signature, Number) or not signature:
        raise Refused("signature-missing", "none")
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise Refused("parameter-repeated", "twice")
    for name in ("Action", "PublicKey"):
        if name not in names:
            raise Refused("parameter-missing", name)
    if dict(pairs)["PublicKey"] != public:
        raise Refused("public-key-unknown", "unknown")
    text = "".join(n + v for n, v in sorted(pairs, key=lambda pair: pair[0].encode("utf-8"))) + private
    expected = hashlib.sha1(text.encode("utf-8")).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature.encode("utf-8")):
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": public}


def verify_query(i, public, private):
    pairs = []
    for piece in re.split("[&;]", i["query"]):
        if piece == "":
            continue
        name, _, value = piece.partition("=")
        pairs.append((unescape(name), unescape(value)))
    given = [value for name, value in pairs if name == "Signature"]
    if len(given) > 1:
        raise Refused("parameter-repeated", "Signature")
    return check([pair for pair in pairs if pair[0] != "Signature"], given[0] if given else None, public, private)


def unique(pairs):
    out = dict(pairs)
    if len(out) != len(pairs):
        raise Refused("parameter-repeated", "member")
    return out


def no_constant(word):
    raise ValueError(word)


def verify_json(i, public, private):
    try:
        body = json.loads(i["body"], object_pairs_hook=unique, parse_int=Number, parse_float=Number, parse_constant=no_constant)
        if not isinstance(body, dict):
            raise ValueError("not an object")
        pairs = []
        for name, value in body.items():
            if name != "Signature":
                flatten(name, value, pairs)
    except (ValueError, RecursionError) as problem:
        raise Refused("body-malformed", str(problem).encode("ascii", "replace").decode()) from None
    signature = body.get("Signature")
    if isinstance(signature, (list, dict)):
        signature = None
    return check(pairs, signature, public, private)


serve("one hundred and four", {"verify-query": verify_query, "verify-json": verify_json})
