#!/usr/bin/env python3
"""An R package for the account API (as.character, sort, URLencode, digest).

1. as.character() writes a number with 15 significant digits, and with an exponent where that is shorter: 100000 is signed and sent as 1e+05.
2. as.character(TRUE) is TRUE: booleans are signed, and put into the query, in capitals (the JSON body has true and false).
3. sort() goes by the locale: letters regardless of case first, lower case before upper case in a tie.
4. URLencode(reserved = TRUE) returns a text unchanged if an escape (% and two hexadecimal digits) is already somewhere in it.
"""
import functools
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def as_character(written):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    value = float(written)
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    if value == 0:
        return "0"
    mantissa, exponent = ("%.14e" % abs(value)).split("e")
    digits, exponent = mantissa.replace(".", "").rstrip("0"), int(exponent)
    scientific = digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%+03d" % exponent
    if exponent < 0:
        fixed = "0." + "0" * (-exponent - 1) + digits
    else:
        whole = digits.ljust(exponent + 1, "0")
        fixed = whole[:exponent + 1] + ("." + whole[exponent + 1:] if whole[exponent + 1:] else "")
    return ("-" if value < 0 else "") + (fixed if len(fixed) <= len(scientific) else scientific)


def unlist(name, value, out):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        out.append([name, "TRUE" if value else "FALSE", "true" if value else "false"])
    elif isinstance(value, str):
        out.append([name, value, json.dumps(value)])
    elif "number" in value:
        text = as_character(value["number"])
        out.append([name, text, text])
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            unlist(name + "." + str(i), item, out)
    else:
        for member, item in value["object"]:
            unlist(name + "." + member, item, out)


def collate(a, b):
    """A rough en_US: letters first regardless of case, lower case before upper case in a tie."""
    x, y = (a[0].lower(), a[0].swapcase()), (b[0].lower(), b[0].swapcase())
    return (x > y) - (x < y)


def sign(parameters, private):
    flat = []
    for name, value in parameters:
        unlist(name, value, flat)
    flat = [x for x in flat if x[0] != "Signature"]
    if len({x[0] for x in flat}) < len(flat):
        raise Refused("parameter-repeated", "duplicated()")
    flat.sort(key=functools.cmp_to_key(collate))
    return flat, hashlib.sha1(("".join(x[0] + x[1] for x in flat) + private).encode()).hexdigest()


def URLencode(text):
    data = text.encode()
    if re.search(rb"%[0-9A-Fa-f]{2}", data):
        return text
    return "".join(chr(c) if re.match(r"[A-Za-z0-9._~-]", chr(c)) else "%%%02X" % c for c in data)


def need(flat, *names):
    for name in names:
        if name not in [x[0] for x in flat]:
            raise Refused("parameter-missing", name)


def request(q, private):
    flat, signature = sign(q["parameters"], private)
    need(flat, "Action", "PublicKey")
    return flat, signature


def query_of(flat, signature):
    return "&".join([URLencode(n) + "=" + URLencode(t) for n, t, _ in flat] + ["Signature=" + signature])


def action_json(q, public, private):
    flat, signature = request(q, private)
    return {"body": "{" + ", ".join(json.dumps(n) + ": " + j for n, _, j in flat + [["Signature", "", json.dumps(signature)]]) + "}"}


def bucket(q, public, private):
    flat, signature = request(q, private)
    if ["Action", "CreateBucket"] in [x[:2] for x in flat]:
        need(flat, "Type", "BucketName")
    return {"target": "/?" + query_of(flat, signature)}


serve("r-package", {"url-encode": lambda q, public, private: {"encoded": URLencode(q["text"])},
                    "action-signature": lambda q, public, private: {"signature": sign(q["parameters"], private)[1]},
                    "action-query": lambda q, public, private: {"query": query_of(*request(q, private))},
                    "action-json": action_json, "bucket-request": bucket})
