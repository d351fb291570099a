#!/usr/bin/env python3
"""A port of an iOS SDK (Objective-C, AFNetworking) with both interfaces.

Mistakes:
1. Escapes texts with AFPercentEscapedStringFromString, which leaves / and ? as they are.
2. The key is key.precomposedStringWithCanonicalMapping: it is signed, and stands in the URL, in Unicode's form NFC.
3. A boolean is an NSNumber, signed and written in query strings as 1 or 0 (a JSON body has true or false).
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import unicodedata
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402


def utf8(s):
    return s.encode("utf-8")


def escape_table(allowed):
    return [chr(b) if b < 128 and (chr(b).isalnum() or chr(b) in allowed) else "%%%02X" % b for b in range(256)]


AF_TABLE = escape_table("-._~/?")
STRICT_TABLE = escape_table("-._~")
PATH_TABLE = escape_table("-._~/")


def af_escape(s):
    return "".join(AF_TABLE[b] for b in utf8(s))


class SDKError(Refused):
    pass


# ---------------------------------------------------------------- account API

def decimal_number(written):
    if not re.fullmatch("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?", written):
        raise SDKError("number", written)
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) >= 4000:
            raise SDKError("number", "too long")
        s = "{:f}".format(d)
    except ArithmeticError:
        raise SDKError("number", written)
    whole, _, fraction = s.partition(".")
    fraction = fraction.rstrip("0")
    s = whole + "." + fraction if fraction else whole
    return "0" if s in ("-0", "0") else s


class Parameters:
    def __init__(self, pairs):
        self.pairs = {}
        for key, value in pairs:
            self.set(key, value)

    def set(self, key, value):
        if value is None:
            raise SDKError("parameter-null", key)
        if isinstance(value, dict) and "list" in value:
            for index in range(len(value["list"])):
                self.set("%s.%d" % (key, index), value["list"][index])
            return
        if isinstance(value, dict) and "object" in value:
            for member, item in value["object"]:
                self.set("%s.%s" % (key, member), item)
            return
        if isinstance(value, bool):
            pair = ("1" if value else "0", "true" if value else "false")
        elif isinstance(value, dict):
            pair = (decimal_number(value["number"]),) * 2
        else:
            pair = (value, json.dumps(value))
        if key == "Signature":
            return
        if key in self.pairs:
            raise SDKError("parameter-repeated", key)
        self.pairs[key] = pair

    def require(self, *keys):
        for key in keys:
            if key not in self.pairs:
                raise SDKError("parameter-missing", key)
        return self

    def sorted_keys(self):
        return sorted(self.pairs, key=utf8)

    def signature(self, private_key):
        return hashlib.sha1(utf8("".join(k + self.pairs[k][0] for k in self.sorted_keys()) + private_key)).hexdigest()

    def query_string(self, private_key):
        components = [af_escape(k) + "=" + af_escape(self.pairs[k][0]) for k in self.sorted_keys()]
        return "&".join(components + ["Signature=" + self.signature(private_key)])

    def json_string(self, private_key):
        components = [json.dumps(k) + ":" + self.pairs[k][1] for k in self.sorted_keys()]
        return "{%s}" % ",".join(components + ['"Signature":"%s"' % self.signature(private_key)])


def action_query(g, pub, pri):
    return {"query": Parameters(g["parameters"]).require("Action", "PublicKey").query_string(pri)}


def action_json(g, pub, pri):
    return {"body": Parameters(g["parameters"]).require("Action", "PublicKey").json_string(pri)}


# ---------------------------------------------------------------- files

TOKEN = re.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def request_headers(pairs):
    fields = {}
    for field, value in pairs:
        field = field.strip(" \t")
        if TOKEN.fullmatch(field) is None:
            raise SDKError("header-name", field)
        value = re.sub("[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search("[\r\n\x00]", value):
            raise SDKError("header-value", field)
        utf8(value)
        fields.setdefault(field.lower(), []).append(value)
    return fields


def single(fields, field):
    values = fields.get(field) or [""]
    if len(values) > 1:
        raise SDKError("header-repeated", field)
    return values[0]


def string_to_sign(method, positional, fields, bucket, key):
    if TOKEN.fullmatch(method) is None:
        raise SDKError("method", method)
    if bucket == "" or "/" in bucket:
        raise SDKError("bucket", bucket)
    extra = [f for f in fields if f.startswith(WORDS["headerPrefix"].lower())]
    s = "\n".join([method.upper()] + positional) + "\n"
    for f in sorted(extra):
        s += f + ":" + ",".join(fields[f]) + "\n"
    return s + "/" + bucket + "/" + key


def hmac_base64(text, pri):
    return base64.b64encode(hmac.new(utf8(pri), utf8(text), "sha1").digest()).decode("ascii")


def authorization(g, pub, pri):
    fields = request_headers(g["headers"])
    key = unicodedata.normalize("NFC", g["key"])
    s = string_to_sign(g["method"], [single(fields, f) for f in ("content-md5", "content-type", "date")], fields, g["bucket"], key)
    utf8(pub)
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, hmac_base64(s, pri))}


def presigned_url(g, pub, pri):
    fields = request_headers(g["headers"])
    key = unicodedata.normalize("NFC", g["key"])
    s = string_to_sign(g["method"], ["", "", g["expires"]], fields, g["bucket"], key)
    query = "&".join(n + "=" + "".join(STRICT_TABLE[b] for b in utf8(v)) for n, v in (
        (WORDS["publicKeyParameter"], pub), ("Expires", g["expires"]), ("Signature", hmac_base64(s, pri))))
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + "".join(PATH_TABLE[b] for b in utf8(key)) + "?" + query}


serve("ios-port", {
    "url-encode": lambda g, pub, pri: {"encoded": af_escape(g["text"])},
    "action-query": action_query,
    "action-json": action_json,
    "authorization": authorization,
    "presigned-url": presigned_url,
})
