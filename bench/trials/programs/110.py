#!/usr/bin/env python3
"""A C# client of the account API: action-signature and action-json. Its mistakes:

1. The parameters are in a SortedDictionary<string, ...> with the comparer of the culture: names are compared without regard to
   case, and of two names that differ in case only the one with the lower-case letter comes first.
2. The signature is written by BitConverter.ToString without the dashes: upper-case hexadecimal.
3. Numbers are decimals whose ToString keeps the zeros at the end of a fraction, signed and sent: 42.0, 1.50.
"""
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve


def number(written):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", written, re.A):
        raise Refused("number", written)
    try:
        value = Decimal(written)
        if value and not -4000 < value.adjusted() < 4000:
            raise Refused("number", "too long")
        if not value:
            return "0." + "0" * min(-value.as_tuple().exponent, 28) if value.as_tuple().exponent < 0 else "0"
        return format(value, "f")
    except ArithmeticError:
        raise Refused("number", "too large")


def flatten(name, value):
    """Pairs of the name and (text, JSON text)."""
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, ("true", "true") if value else ("false", "false"))]
    if isinstance(value, str):
        return [(name, (value, json.dumps(value)))]
    if "number" in value:
        text = number(value["number"])
        return [(name, (text, text))]
    if "list" in value:
        return [pair for i, item in enumerate(value["list"]) for pair in flatten("%s.%d" % (name, i), item)]
    return [pair for member, item in value["object"] for pair in flatten(name + "." + member, item)]


def sort_key(pair):
    return pair[0].lower().encode("utf-8"), pair[0].swapcase().encode("utf-8")


def signed(parameters, private):
    pairs = [pair for name, value in parameters for pair in flatten(name, value) if pair[0] != "Signature"]
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    pairs.sort(key=sort_key)
    text = "".join(name + texts[0] for name, texts in pairs) + private
    return pairs, hashlib.sha1(text.encode("utf-8")).hexdigest().upper()


def action_signature(given, public, private):
    return {"signature": signed(given["parameters"], private)[1]}


def action_json(given, public, private):
    pairs, signature = signed(given["parameters"], private)
    for name in ("Action", "PublicKey"):
        if name not in [n for n, _ in pairs]:
            raise Refused("parameter-missing", name)
    members = [json.dumps(name) + ":" + texts[1] for name, texts in pairs] + ['"Signature":' + json.dumps(signature)]
    return {"body": "{" + ",".join(members) + "}"}


serve("csharp-account", {"action-signature": action_signature, "action-json": action_json})
