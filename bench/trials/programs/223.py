#!/usr/bin/env python3
"""An Express middleware that verifies action API requests (req.query of qs, req.body of express.json), and its client half.

Mistakes:
1. Numbers are JavaScript doubles: rounded beyond 2^53, with an exponent from 1e21 up and below 1e-6, refused from 1e309 up.
2. qs takes brackets in query names apart: Filter[x] is verified as Filter.x.
3. if (!value) continue: the empty text, 0 and false are neither signed nor sent nor verified.
"""
import hashlib
import json
import math
import os
import re
import sys
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


class Num:
    def __init__(self, written):
        if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
            raise Refused("number", written)
        self.text = number_text(written)


def number_text(written):
    value = float(written)
    if math.isinf(value):
        raise Refused("number", written)
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    if 0 < point <= 21:
        text = digits.ljust(point, "0")[:point] + ("." + digits[point:] if len(digits) > point else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%+d" % (point - 1)
    return ("-" if value < 0 else "") + text


def falsy(value):
    return value is False or value == "" or isinstance(value, Num) and value.text == "0"


def dotted(name):
    """What qs makes of a name with brackets, and the flattening of it."""
    match = re.fullmatch(r"([^\[\]]+)((?:\[[^\[\]]+\])+)", name)
    return match[1] + "".join("." + x for x in re.findall(r"\[([^\[\]]+)\]", match[2])) if match else name


def walk(name, value, out):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, list):
        for i, item in enumerate(value):
            walk("%s.%d" % (name, i), item, out)
    elif isinstance(value, dict):
        for member in value:
            walk(name + "." + member, value[member], out)
    elif name != "Signature" and not falsy(value):
        if name in out:
            raise Refused("parameter-repeated", name)
        out[name] = value.text if isinstance(value, Num) else {True: "true", False: "false"}[value] if isinstance(value, bool) else value


def flat(members):
    out = {}
    for name, value in members:
        walk(name, value, out)
    return dict(sorted(out.items(), key=lambda item: item[0].encode("utf-8")))


def sign(params, pri):
    return hashlib.sha1("".join([n + v for n, v in params.items()] + [pri]).encode("utf-8")).hexdigest()


def plain(value):
    """The protocol's value as JavaScript has it."""
    if not isinstance(value, dict):
        return value
    if "number" in value:
        return Num(value["number"])
    if "list" in value:
        return [plain(item) for item in value["list"]]
    return dict_once([(n, plain(v)) for n, v in value["object"]])


def dict_once(pairs):
    if len({n for n, _ in pairs}) != len(pairs):
        raise Refused("parameter-repeated", "a name is there twice")
    return dict(pairs)


def need(params):
    if "Action" not in params or "PublicKey" not in params:
        raise Refused("parameter-missing", "Action or PublicKey")
    return params


def action_query(given, pub, pri):
    params = need(flat([(n, plain(v)) for n, v in given["parameters"]]))
    rows = [quote(n, safe="") + "=" + quote(v, safe="") for n, v in params.items()]
    return {"query": "&".join(rows + ["Signature=" + sign(params, pri)])}


def middleware(members, pub, pri):
    params = flat(members)
    signature = dict(members).get("Signature")
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "no Signature")
    if need(params)["PublicKey"] != pub:
        raise Refused("public-key-unknown", params["PublicKey"])
    if sign(params, pri) != signature:
        raise Refused("signature-mismatch", "Signature")
    return {"publicKey": pub}


def decode(text):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused("query-malformed", "percent sign")
    try:
        return re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes.fromhex(m[1].decode()), text.encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def verify_query(given, pub, pri):
    pairs = [piece.partition("=") for piece in given["query"].split("&") if piece]
    members = [(dotted(decode(name)), decode(value)) for name, _, value in pairs]
    dict_once(members)
    return middleware(members, pub, pri)


def bad(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        body = json.loads(given["body"], object_pairs_hook=dict_once, parse_int=Num, parse_float=Num, parse_constant=bad)
        if not isinstance(body, dict):
            raise ValueError("not an object")
        walk("", body, {})
    except (ValueError, RecursionError) as e:
        raise Refused("body-malformed", str(e))
    except Refused as e:
        raise Refused(e.args[0] if e.args[0] == "parameter-repeated" else "body-malformed", *e.args[1:])
    return middleware(list(body.items()), pub, pri)


serve("express-actions", {
    "action-signature": lambda given, pub, pri: {"signature": sign(flat([(n, plain(v)) for n, v in given["parameters"]]), pri)},
    "action-query": action_query, "verify-query": verify_query, "verify-json": verify_json,
})
