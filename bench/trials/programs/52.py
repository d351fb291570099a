#!/usr/bin/env python3
"""A PowerShell module for the account API (hashtables, Sort-Object, HttpUtility).

1. A hashtable's keys are the same in any case: of names that differ in case only the first spelling stays, with the last value; and
   Remove('Signature') also removes a parameter signature.
2. Sort-Object compares regardless of case, so ChargeType is signed (and sent) before CPU.
3. [HttpUtility]::UrlEncode(...).Replace('+', '%20') writes its hexadecimal digits in lower case, leaves ! * ( ) and encodes ~ as %7e.
4. "$value" of a boolean is True or False, in the signed string and in the query (the JSON body has true and false).
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


def UrlEncode(text):
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!*()"
    return "".join(chr(c) if c in plain else "+" if c == 32 else "%%%02x" % c for c in text.encode())


def encode(text):
    return UrlEncode(text).replace("+", "%20")


def invariant(written):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        text = format(Decimal(written), "f")
    except ArithmeticError:
        raise Refused("number", written)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if text.strip("-0") else "0"


def expand(name, value):
    """Pairs of a name and (text, JSON)."""
    if value is None:
        raise Refused("parameter-null", name)
    if value is True or value is False:
        return [(name, (str(value), str(value).lower()))]
    if isinstance(value, str):
        return [(name, (value, json.dumps(value)))]
    if "number" in value:
        text = invariant(value["number"])
        return [(name, (text, text))]
    inner = [(str(i), item) for i, item in enumerate(value["list"])] if "list" in value else value["object"]
    return [pair for member, item in inner for pair in expand(name + "." + member, item)]


class Hashtable:
    def __init__(self):
        self.entries = {}

    def set(self, name, value):
        first = self.entries.get(name.lower(), (name,))[0]
        self.entries[name.lower()] = (first, value)

    def remove(self, name):
        self.entries.pop(name.lower(), None)

    def sorted(self):
        return [self.entries[low] for low in sorted(self.entries, key=lambda low: low.encode())]

    def __contains__(self, name):
        return name.lower() in self.entries


def Get_Signature(q, private):
    pairs = [pair for name, value in q["parameters"] for pair in expand(name, value)]
    names = [name for name, _ in pairs if name != "Signature"]
    if len(names) != len(set(names)):
        raise Refused("parameter-repeated")
    table = Hashtable()
    for name, value in pairs:
        table.set(name, value)
    table.remove("Signature")
    text = "".join(name + value[0] for name, value in table.sorted()) + private
    return table, hashlib.sha1(text.encode()).hexdigest()


def Invoke_Action(q, private, *names):
    table, signature = Get_Signature(q, private)
    for name in ("Action", "PublicKey") + names:
        if name not in table:
            raise Refused("parameter-missing", name)
    return table, signature


def query(table, signature):
    return "&".join([encode(name) + "=" + encode(value[0]) for name, value in table.sorted()] + ["Signature=" + signature])


def action_json(q, public, private):
    table, signature = Invoke_Action(q, private)
    members = [json.dumps(name) + ":" + value[1] for name, value in table.sorted()]
    return {"body": "{" + ",".join(members + ['"Signature":"' + signature + '"']) + "}"}


def bucket_request(q, public, private):
    create = ["Action", "CreateBucket"] in q["parameters"]
    return {"target": "/?" + query(*Invoke_Action(q, private, *(("Type", "BucketName") if create else ())))}


serve("powershell", {"url-encode": lambda q, public, private: {"encoded": encode(q["text"])},
                     "password": lambda q, public, private: {"value": base64.b64encode(q["text"].encode()).decode()},
                     "action-signature": lambda q, public, private: {"signature": Get_Signature(q, private)[1]},
                     "action-query": lambda q, public, private: {"query": query(*Invoke_Action(q, private))},
                     "action-json": action_json, "bucket-request": bucket_request})
