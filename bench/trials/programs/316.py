#!/usr/bin/env python3
"""An iOS developer's Swift package with Foundation alone: account API queries and links to private files.

Mistakes:
1. Parameter names are sorted with localizedStandardCompare, the Finder's order: without regard to case (ChargeType before CPU), and runs of digits as numbers (Ids.2 before Ids.10).
2. Values come from JSONSerialization as NSNumber, and "\\(value)" of a boolean is 1 or 0, in the signed text and in what is sent.
3. Queries are made with URLQueryItem: + / : ; , @ ? ! $ ' ( ) * stay as they are, so a raw plus sign gets into a value and into the Signature of a link.
4. The key of a link is put into composed form (precomposedStringWithCanonicalMapping) in the path and in the signed text.
5. Password is made with base64EncodedString(options: .lineLength64Characters): CR LF after every 64 characters.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
import unicodedata
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


# ---- Foundation

PUNCTUATION = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"


def finder_key(name):
    name.encode("utf-8")
    out = []
    for run in re.findall(r"[0-9]+|[^0-9]", unicodedata.normalize("NFC", name)):
        if run.isdigit() and run.isascii():
            out.append((1, int(run), 0))
        elif run in PUNCTUATION:
            out.append((0, PUNCTUATION.index(run), 0))
        else:
            base = unicodedata.normalize("NFD", run)[0].lower()
            out.append((2, ord(base[0]), len(unicodedata.normalize("NFD", run))))
    return out, [c.isupper() for c in name], name


def escape(text, allowed):
    return "".join(chr(c) if c < 128 and (chr(c).isalnum() or chr(c) in allowed) else "%%%02X" % c for c in text.encode("utf-8"))


def query_item(name, value):
    return escape(name, "-._~!$'()*+,:@/?;") + "=" + escape(value, "-._~!$'()*+,:@/?;")


def decimal_number(written):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", written, re.A):
        raise Refused("number", "not a number")
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and abs(value.adjusted()) >= 4000:
        raise Refused("number", "too large")
    text = "{:f}".format(value)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


# ---- the account API

def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, "1" if value else "0")]
    if isinstance(value, str):
        return [(name, value)]
    if "number" in value:
        return [(name, decimal_number(value["number"]))]
    children = enumerate(value["list"]) if "list" in value else value["object"]
    return [leaf for key, item in children for leaf in flatten("%s.%s" % (name, key), item)]


def parameters(given):
    flat = [leaf for name, value in given["parameters"] for leaf in flatten(name, value) if leaf[0] != "Signature"]
    if len({name for name, _ in flat}) < len(flat):
        raise Refused("parameter-repeated", "the same name twice")
    return sorted(flat, key=lambda leaf: finder_key(leaf[0]))


def sha1_hex(flat, pri):
    return hashlib.sha1(("".join(n + v for n, v in flat) + pri).encode("utf-8")).hexdigest()


def action_signature(given, pub, pri):
    return {"signature": sha1_hex(parameters(given), pri)}


def signed_query(given, pri, *more):
    flat = parameters(given)
    have = dict(flat)
    for name in ("Action", "PublicKey") + (more if have.get("Action") == "CreateBucket" else ()):
        if name not in have:
            raise Refused("parameter-missing", name)
    return "&".join(query_item(n, v) for n, v in flat + [("Signature", sha1_hex(flat, pri))])


def password(given, pub, pri):
    text = base64.b64encode(given["text"].encode("utf-8")).decode()
    return {"value": "\r\n".join(text[i:i + 64] for i in range(0, len(text), 64))}


# ---- links

def header_value(value):
    if "\n" in value and not re.search(r"\n(?![ \t])", value):
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)
    value = value.strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "line break")
    return value


def canonical_headers(headers):
    merged = {}
    for name, value in headers:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", "not a token")
        value = header_value(value)
        if name.lower().startswith(WORDS["headerPrefix"].lower()):
            merged.setdefault(name.lower(), []).append(value)
    return "".join(name + ":" + ",".join(merged[name]) + "\n" for name in sorted(merged))


def presigned_url(given, pub, pri):
    extra = canonical_headers(given["headers"])
    if not TOKEN.fullmatch(given["method"]):
        raise Refused("method", "not a token")
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", "not a bucket name")
    key = unicodedata.normalize("NFC", given["key"])
    text = given["method"].upper() + "\n\n\n" + given["expires"] + "\n" + extra + "/" + given["bucket"] + "/" + key
    signature = base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()
    query = "&".join([query_item(WORDS["publicKeyParameter"], pub), query_item("Expires", given["expires"]), query_item("Signature", signature)])
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + escape(key, "-._~/") + "?" + query}


serve("swift-package", {
    "action-signature": action_signature,
    "action-query": lambda given, pub, pri: {"query": signed_query(given, pri)},
    "bucket-request": lambda given, pub, pri: {"target": "/?" + signed_query(given, pri, "Type", "BucketName")},
    "password": password, "presigned-url": presigned_url})
