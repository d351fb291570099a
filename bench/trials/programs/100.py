#!/usr/bin/env python3
"""A port of an R package for the action API. Its mistakes:

1. Parameters are sorted by name without regard to case (names that differ only in case keep the caller's order).
2. The zeros at the end of a fraction stay: 42.0 is signed and sent as 42.0.
3. A Signature among the caller's parameters is part of the signed string (the request carries only the new one).
4. In the query form a space is written as +.
"""
import hashlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


def decimal(written):
    m = NUMBER.fullmatch(written)
    if not m:
        raise Refused("number", written)
    sign, whole, fraction, exponent = m[1], m[2], m[3] or "", int(m[4] or 0)
    if not (whole + fraction).strip("0"):
        return "0"
    if abs(exponent) > 3900:
        raise Refused("number", written)
    if exponent > 0:
        fraction = fraction.ljust(exponent, "0")
        whole, fraction = whole + fraction[:exponent], fraction[exponent:]
    elif exponent < 0:
        whole = whole.rjust(-exponent + 1, "0")
        whole, fraction = whole[:exponent], whole[exponent:] + fraction
    whole = whole.lstrip("0") or "0"
    return sign + whole + ("." + fraction if fraction else "")


def unlist(prefix, value):
    """Rows of name, text, literal or None."""
    if value is None:
        raise Refused("parameter-null", prefix)
    if isinstance(value, str):
        return [(prefix, value, None)]
    if isinstance(value, bool):
        word = "true" if value else "false"
        return [(prefix, word, word)]
    if "number" in value:
        text = decimal(value["number"])
        return [(prefix, text, text)]
    if "list" in value:
        inner = [(str(k), v) for k, v in enumerate(value["list"])]
    else:
        inner = value["object"]
    rows = []
    for k, v in inner:
        rows += unlist(prefix + "." + k, v)
    return rows


def table(i):
    rows = []
    for name, value in i["parameters"]:
        rows += unlist(name, value)
    names = [row[0] for row in rows if row[0] != "Signature"]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    return sorted(rows, key=lambda row: row[0].lower())


def signature(rows, private):
    return hashlib.sha1(("".join(name + text for name, text, _ in rows) + private).encode("utf-8")).hexdigest()


def request(i, private):
    rows = table(i)
    names = [row[0] for row in rows]
    for wanted in ("Action", "PublicKey"):
        if wanted not in names:
            raise Refused("parameter-missing", wanted)
    sig = signature(rows, private)
    return [row for row in rows if row[0] != "Signature"] + [("Signature", sig, None)]


def quote(text):
    out = []
    for b in text.encode("utf-8"):
        c = chr(b)
        if c == " ":
            out.append("+")
        elif re.match(r"[A-Za-z0-9._~-]", c):
            out.append(c)
        else:
            out.append("%" + format(b, "02X"))
    return "".join(out)


def action_signature(i, public, private):
    return {"signature": signature(table(i), private)}


def action_json(i, public, private):
    members = [json.dumps(name) + ":" + (json.dumps(text) if literal is None else literal)
               for name, text, literal in request(i, private)]
    return {"body": "{" + ",".join(members) + "}"}


def action_query(i, public, private):
    return {"query": "&".join(quote(name) + "=" + quote(text) for name, text, _ in request(i, private))}


serve("one hundred", {"action-signature": action_signature, "action-json": action_json, "action-query": action_query})
