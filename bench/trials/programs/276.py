#!/usr/bin/env python3
"""A TypeScript package for the browser: the account API, and links to private files.

Mistakes:
1. Sorts the names with (a, b) => a.localeCompare(b): punctuation before digits before letters, the case only decides between equal names (small letters
   first), so ChargeType comes before CPU and Name_a before Name.a.
2. Escapes with encodeURIComponent alone, which leaves ! ' ( ) * as they are.
3. Every number is a Number and is written with String(n): rounded to a double, with an exponent from 1e21 on and below 1e-6; Infinity
   is refused.
4. Writes the path of a link with encodeURI(key), which leaves ? and # (and ; , : @ & = + $) as they are: the path ends at a ? or # of the key.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import unicodedata

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def encode(s, keep):
    return "".join(c if c in LETTERS or c in keep else "".join("%%%02X" % b for b in c.encode("utf-8")) for c in s)


def component(s):
    return encode(s, "-_.!~*'()")


def uri(s):
    return encode(s, "-_.!~*'();/?:@&=+$,#")


PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"


def collation(name):
    """The order of localeCompare, near enough: letters by base, then accents, then case, then the name itself."""
    base, accents, case = [], [], []
    for c in unicodedata.normalize("NFD", name):
        if unicodedata.combining(c):
            accents.append((len(base), ord(c)))
        elif c in PUNCTUATION:
            base.append((0, PUNCTUATION.index(c), ""))
            case.append(0)
        elif c.isdigit():
            base.append((1, 0, c))
            case.append(0)
        elif c >= " " and c != "\x7f":
            base.append((2, 0, c.lower()))
            case.append(int(c != c.lower()))
    return base, accents, case, name


def string(written):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", written, re.A):
        raise Refused("number", written)
    n = float(written)
    if n == 0:
        return "0"
    if n in (float("inf"), -float("inf")):
        raise Refused("number", "Infinity")
    mantissa, _, power = repr(n).partition("e")
    sign, mantissa = ("-", mantissa[1:]) if n < 0 else ("", mantissa)
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(power or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return sign + digits[0] + ("." if digits[1:] else "") + digits[1:] + "e" + ("+" if point > 0 else "-") + str(abs(point - 1))


def flatten(name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, str):
        v.encode("utf-8")
        return [(name, v, json.dumps(v))]
    if isinstance(v, bool):
        return [(name, json.dumps(v), json.dumps(v))]
    if "number" in v:
        return [(name, string(v["number"]), string(v["number"]))]
    entries = v["object"] if "object" in v else [(str(i), x) for i, x in enumerate(v["list"])]
    return [row for k, x in entries for row in flatten(name + "." + k, x)]


def rows(given, *needed):
    out = [row for n, v in given["parameters"] for row in flatten(n, v) if row[0] != "Signature"]
    names = [row[0] for row in out]
    if len(set(names)) != len(names):
        raise Refused("parameter-repeated", "twice")
    for n in needed:
        if n not in names:
            raise Refused("parameter-missing", n)
    return sorted(out, key=lambda row: collation(row[0]))


def sign(found, pri):
    return hashlib.sha1("".join([n + t for n, t, _ in found] + [pri]).encode("utf-8")).hexdigest()


def query(given, pub, pri):
    found = rows(given, "Action", "PublicKey")
    return {"query": "".join(component(n) + "=" + component(t) + "&" for n, t, _ in found) + "Signature=" + sign(found, pri)}


def body(given, pub, pri):
    found = rows(given, "Action", "PublicKey")
    return {"body": "{%s}" % ",".join(json.dumps(n) + ":" + j for n, _, j in found + [("Signature", "", json.dumps(sign(found, pri)))])}


def link(given, pub, pri):
    merged = {}
    for name, v in given["headers"]:
        name = name.strip(" \t")
        v.encode("utf-8")
        if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        v = re.sub("[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t")
        if re.search("[\r\n\0]", v):
            raise Refused("header-value", name)
        if name.lower().startswith(WORDS["headerPrefix"].lower()):
            merged.setdefault(name.lower(), []).append(v)
    if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", given["method"]):
        raise Refused("method", given["method"])
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    text = given["method"].upper() + "\n\n\n" + given["expires"] + "\n" + "".join(n + ":" + ",".join(merged[n]) + "\n" for n in sorted(merged)) + "/" + given["bucket"] + "/" + given["key"]
    signature = base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode("ascii")
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + uri(given["key"]) + "?" + WORDS["publicKeyParameter"] + "=" + component(pub)
            + "&Expires=" + component(given["expires"]) + "&Signature=" + component(signature)}


serve("ts-browser", {
    "url-encode": lambda g, pub, pri: {"encoded": component(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda g, pub, pri: {"signature": sign(rows(g), pri)},
    "action-query": query,
    "action-json": body,
    "presigned-url": link,
})
