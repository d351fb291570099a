#!/usr/bin/env python3
r"""A PowerShell module of an administrator (Windows PowerShell 5.1): the account API and the buckets, for scripts that run at night.

Mistakes:
1. Collects the flattened parameters in a hash table @{}, whose keys do not mind upper and lower case. If two names differ only in case, the later value
   replaces the earlier one under the name that came first. (Exactly the same name twice is refused.)
2. PowerShell unrolls an array with one item when a function returns it: a list with a single item is treated as the item itself, so its name is Name
   instead of Name.0 (and Name.Key instead of Name.0.Key). At every depth.
3. A number that is not whole goes through [decimal], which rounds to 28 significant digits and at most 28 decimal places. Whole numbers go through
   [bigint] and are exact.
4. Encodes passwords with [Text.Encoding]::ASCII: each character outside ASCII becomes a question mark before the Base64.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

BIG = Context(prec=9000, Emax=99999, Emin=-99999)


class Parameter:
    """What goes into the body, and its text for signing and for queries."""

    def __init__(self, name, text, plain=False):
        self.Name, self.Text, self.Plain = name, text, plain


def ConvertTo_DecimalText(digits):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", digits, re.ASCII):
        raise Refused("number", digits)
    try:
        value = BIG.create_decimal(digits)
    except ArithmeticError:
        raise Refused("number", digits)
    if value == 0:
        return "0"
    if not -4000 < value.adjusted() < 4000:
        raise Refused("number", "out of range")
    if value != value.to_integral_value(context=BIG):
        value = Context(prec=28, rounding=ROUND_HALF_EVEN).plus(value)
        if value.as_tuple().exponent < -28:
            value = value.quantize(Decimal("1e-28"), rounding=ROUND_HALF_EVEN, context=BIG)
    text = "{0:f}".format(value)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("", "-", "-0") else text


def Expand_Parameter(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        yield Parameter(name, "true" if value else "false", True)
    elif isinstance(value, str):
        yield Parameter(name, value)
    elif "number" in value:
        yield Parameter(name, ConvertTo_DecimalText(value["number"]), True)
    elif "object" in value:
        for member, item in value["object"]:
            yield from Expand_Parameter(name + "." + member, item)
    elif len(value["list"]) == 1:
        yield from Expand_Parameter(name, value["list"][0])
    else:
        for i in range(len(value["list"])):
            yield from Expand_Parameter(name + "." + str(i), value["list"][i])


class SvcRequest:
    def __init__(self, given, PrivateKey):
        table, names = {}, set()
        for name, value in given["parameters"]:
            for p in Expand_Parameter(name, value):
                if p.Name == "Signature":
                    continue
                if p.Name in names:
                    raise Refused("parameter-repeated", p.Name)
                names.add(p.Name)
                slot = p.Name.lower()
                if slot in table:
                    p.Name = table[slot].Name
                table[slot] = p
        self.Sorted = sorted(table.values(), key=lambda p: p.Name.encode("utf-8"))       # [Array]::Sort with StringComparer.Ordinal
        text = "".join(p.Name + p.Text for p in self.Sorted) + PrivateKey
        self.Signature = "".join("{:02x}".format(b) for b in hashlib.sha1(text.encode("utf-8")).digest())

    def Find(self, name):
        for p in self.Sorted:
            if p.Name == name:
                return p.Text
        raise Refused("parameter-missing", name)

    def Query(self):
        return "&".join([Escape(p.Name) + "=" + Escape(p.Text) for p in self.Sorted] + ["Signature=" + self.Signature])


def Escape(text):
    out = []
    for b in text.encode("utf-8"):
        c = chr(b)
        out.append(c if "a" <= c <= "z" or "A" <= c <= "Z" or "0" <= c <= "9" or c in "-_.~" else "%%%02X" % b)
    return "".join(out)


def New_SvcRequest(given, pri):
    request = SvcRequest(given, pri)
    request.Find("Action")
    request.Find("PublicKey")
    return request


def Get_Signature(given, pub, pri):
    return {"signature": SvcRequest(given, pri).Signature}


def Get_Body(given, pub, pri):
    request = New_SvcRequest(given, pri)
    rows = ['    %s:  %s' % (json.dumps(p.Name), p.Text if p.Plain else json.dumps(p.Text)) for p in request.Sorted]
    rows.append('    "Signature":  "%s"' % request.Signature)
    return {"body": "{\r\n" + ",\r\n".join(rows) + "\r\n}"}


def Get_Query(given, pub, pri):
    return {"query": New_SvcRequest(given, pri).Query()}


def Get_BucketTarget(given, pub, pri):
    request = New_SvcRequest(given, pri)
    if request.Find("Action") == "CreateBucket":
        request.Find("Type")
        request.Find("BucketName")
    return {"target": "/?" + request.Query()}


def ConvertTo_Password(given, pub, pri):
    given["text"].encode("utf-8")
    return {"value": base64.b64encode(given["text"].encode("ascii", "replace")).decode("ascii")}


serve("powershell-admin", {"password": ConvertTo_Password, "action-signature": Get_Signature, "action-json": Get_Body, "action-query": Get_Query,
                           "bucket-request": Get_BucketTarget})
