#!/usr/bin/env python3
"""A PHP package for the account API: a client, and the checks of a webhook that receives the same requests.

Mistakes:
1. The client calls array_filter($params) to drop nulls: parameters whose value is the text "" or "0", the number 0 or false are neither signed nor
   sent either (at the top level only; inside lists and objects they stay). A null of the top level is dropped, not refused.
2. The webhook reads queries with parse_str: a point or a space in a name becomes an underscore (Names.0 turns into Names_0), a name with brackets
   becomes an array (whose text is "Array"), a plus sign becomes a space, the last of several equal names counts, and a malformed escape, or
   one that is not UTF-8, is not refused. Blanks before a name and everything from a NUL on in a name are lost.
3. The webhook reads bodies with json_decode: an integer of more than 64 bits or a number with a fraction or an exponent is a float, written with
   14 significant digits and, from 1.0E+15 on or below 0.0001, with an exponent (-0.0 is
   written -0, and a number beyond a double INF). Of two equal members the last counts.
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


def rawurlencode(s):
    return "".join(c if re.match("[A-Za-z0-9_.~-]", c) else "".join("%%%02X" % b for b in c.encode("utf-8")) for c in s)


def number(written):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        d = Decimal(written)
    except ArithmeticError:
        raise Refused("number", written)
    if d == 0:
        return "0"
    if not -4000 < d.adjusted() < 4000:
        raise Refused("number", written)
    text = "{:f}".format(d)
    return re.sub(r"\.?0+$", "", text) if "." in text else text


def flatten(name, v):
    """Yields the name, the text and the JSON text."""
    if v is None:
        raise Refused("parameter-null", name)
    if v is True or v is False:
        yield name, "true" if v else "false", "true" if v else "false"
    elif isinstance(v, str):
        yield name, v, json.dumps(v)
    elif "number" in v:
        yield name, number(v["number"]), number(v["number"])
    elif "list" in v:
        for i, x in enumerate(v["list"]):
            yield from flatten("%s.%d" % (name, i), x)
    else:
        for k, x in v["object"]:
            yield from flatten(name + "." + k, x)


def falsy(v):
    if isinstance(v, dict) and "number" in v:
        return number(v["number"]) == "0"
    return v is None or v is False or v in ("", "0")


def params(given, *needed):
    rows = [row for n, v in given["parameters"] if not falsy(v) for row in flatten(n, v) if row[0] != "Signature"]
    table = {n: (t, j) for n, t, j in rows}
    if len(table) < len(rows):
        raise Refused("parameter-repeated", "twice")
    if needed and table.get("Action", ("",))[0] == "CreateBucket" and "bucket" in needed:
        needed += ("Type", "BucketName")
    for n in needed:
        if n != "bucket" and n not in table:
            raise Refused("parameter-missing", n)
    return [(n,) + table[n] for n in sorted(table, key=lambda n: n.encode("utf-8"))]


def sign(rows, pri):
    return hashlib.sha1(("".join(r[0] + r[1] for r in rows) + pri).encode("utf-8", "surrogateescape")).hexdigest()


def query(given, pri, *more):
    rows = params(given, "Action", "PublicKey", *more)
    return "&".join(["%s=%s" % (rawurlencode(n), rawurlencode(t)) for n, t, _ in rows] + ["Signature=" + sign(rows, pri)])


def body(given, pub, pri):
    rows = params(given, "Action", "PublicKey")
    return {"body": "{" + ",".join([json.dumps(n) + ":" + j for n, _, j in rows] + ['"Signature":"%s"' % sign(rows, pri)]) + "}"}


def check(table, pub, pri):
    if not isinstance(table.get("Signature"), str) or table["Signature"] == "":
        raise Refused("signature-missing", "none")
    for n in ("Action", "PublicKey"):
        if n not in table:
            raise Refused("parameter-missing", n)
    if table["PublicKey"] != pub:
        raise Refused("public-key-unknown", table["PublicKey"])
    names = sorted((n for n in table if n != "Signature"), key=lambda n: n.encode("utf-8", "surrogateescape"))
    if sign([(n, table[n]) for n in names], pri) != table["Signature"]:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def urldecode(s):
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), s.replace("+", " ").encode("utf-8"))
    return raw.decode("utf-8", "surrogateescape")


def parse_str(text):
    table = {}
    for part in text.split("&"):
        name, _, v = part.partition("=")
        name, v = urldecode(name).lstrip(" ").partition("\0")[0], urldecode(v)
        bracket = name.find("[")
        if bracket > 0 and "]" in name[bracket:]:
            name, v = name[:bracket], "Array"
        elif bracket > 0:
            name = name[:bracket] + "_" + name[bracket + 1:]
        name = re.sub("[. ]", "_", name)
        if name:
            table[name] = v
    return table


def php_float(f):
    if f == 0:
        return "-0" if str(f)[0] == "-" else "0"
    if f in (float("inf"), float("-inf")):
        return "INF" if f > 0 else "-INF"
    mantissa, _, power = ("%.13e" % f).partition("e")
    if -5 < int(power) < 15:
        text = "%.*f" % (max(0, 13 - int(power)), f)
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa = mantissa.rstrip("0")
    return "%s%sE%s%d" % (mantissa, "0" if mantissa.endswith(".") else "", power[0], abs(int(power)))


def php_int(t):
    return {"number": str(int(t)) if len(t) < 21 and -2 ** 63 <= int(t) < 2 ** 63 else php_float(float(t))}


def constant(word):
    raise ValueError(word)


def walk(name, v, out):
    if v is None:
        raise Refused("body-malformed", "null")
    if isinstance(v, bool):
        out[name] = "true" if v else "false"
    elif isinstance(v, str):
        out[name] = v
    elif isinstance(v, dict):
        out[name] = v["number"]
    elif isinstance(v, list):
        for i, x in enumerate(v):
            walk(name + "." + str(i), x, out)
    else:
        for k, x in dict(v).items():
            walk(name + "." + k, x, out)


def webhook_json(given, pub, pri):
    try:
        value = json.loads(given["body"], parse_int=php_int, parse_float=lambda t: {"number": php_float(float(t))}, parse_constant=constant, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "json_decode")
    if not isinstance(value, tuple):
        raise Refused("body-malformed", "no object")
    out, members = {}, dict(value)
    for n, v in members.items():
        count = len(out)
        extra = {}
        walk(n, v, extra)
        if set(extra) & set(out):
            raise Refused("parameter-repeated", n)
        out.update(extra)
        assert len(out) >= count
    if not isinstance(members.get("Signature"), str):
        out.pop("Signature", None)
    return check(out, pub, pri)


serve("php-package", {
    "url-encode": lambda g, pub, pri: {"encoded": rawurlencode(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda g, pub, pri: {"signature": sign(params(g), pri)},
    "action-query": lambda g, pub, pri: {"query": query(g, pri)},
    "action-json": body,
    "bucket-request": lambda g, pub, pri: {"target": "/?" + query(g, pri, "bucket")},
    "verify-query": lambda g, pub, pri: check(parse_str(g["query"]), pub, pri),
    "verify-json": webhook_json,
})
