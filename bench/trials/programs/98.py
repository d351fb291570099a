"""A Perl module with a check for JSON bodies.

1. List items are numbered from one when parameters are signed and sent, and in the check.
2. The check reads JSON numbers as doubles and prints them with 15 significant digits (%.15g), without an exponent.
3. A member that occurs twice in the JSON body is not refused, the last one wins.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import hashlib
import json
import re
from decimal import Decimal
from serving import serve, Refused

FIRST = 1


class Number:
    def __init__(self, text):
        self.text = text


def decimal_text(written):
    d = Decimal(written)
    text = format(d, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text if d else "0"


def perl_number(written):
    return Number("%.15g" % float(written))


def tree(value):
    """From the protocol's values to plain ones."""
    if isinstance(value, dict):
        if "number" in value:
            return Number(value["number"])
        if "list" in value:
            return [tree(v) for v in value["list"]]
        return pairs_to_object([(k, tree(v)) for k, v in value["object"]])
    return value


class Object(list):
    """Pairs in order."""


def pairs_to_object(pairs):
    return Object(pairs)


def flat(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if value is True:
        return [(name, "true", False)]
    if value is False:
        return [(name, "false", False)]
    if isinstance(value, Number):
        return [(name, decimal_text(value.text), False)]
    if isinstance(value, Object):
        return [row for k, v in value for row in flat(name + "." + k, v)]
    if isinstance(value, list):
        return [row for k, v in enumerate(value, FIRST) for row in flat(name + "." + str(k), v)]
    return [(name, value, True)]


def table(pairs):
    out = [row for n, v in pairs for row in flat(n, v) if row[0] != "Signature"]
    if len({row[0] for row in out}) != len(out):
        raise Refused("parameter-repeated", "twice")
    return sorted(out, key=lambda row: row[0].encode())


def sign(rows, pri):
    return hashlib.sha1("".join(n + v for n, v, _ in rows).encode() + pri.encode()).hexdigest()


def needed(rows):
    for n in ("Action", "PublicKey"):
        if n not in [row[0] for row in rows]:
            raise Refused("parameter-missing", n)


def action_signature(given, pub, pri):
    return {"signature": sign(table([(n, tree(v)) for n, v in given["parameters"]]), pri)}


def action_json(given, pub, pri):
    rows = table([(n, tree(v)) for n, v in given["parameters"]])
    needed(rows)
    return {"body": "{" + ",".join('%s:%s' % (json.dumps(n), json.dumps(v) if q else v) for n, v, q in rows) + ',"Signature":"' + sign(rows, pri) + '"}'}


def unique(pairs):
    return list(dict(pairs).items())


def object_hook(pairs):
    return Object(unique(pairs))


def no_constant(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        members = json.loads(given["body"], object_pairs_hook=object_hook, parse_int=perl_number, parse_float=perl_number, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(members, Object):
        raise Refused("body-malformed", "not an object")
    try:
        rows = table(members)
    except Refused as e:
        if e.args[0] == "parameter-null":
            raise Refused("body-malformed", "null")
        raise
    signature = dict(members).get("Signature")
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "none")
    needed(rows)
    if [row[1] for row in rows if row[0] == "PublicKey"] != [pub]:
        raise Refused("public-key-unknown", "who")
    if sign(rows, pri) != signature:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": pub}


OPS = {"action-signature": action_signature, "action-json": action_json, "verify-json": verify_json}
if __name__ == "__main__":
    serve("perl-first-try", OPS)
