#!/usr/bin/env python3
"""A gateway in Go that verifies the Authorization header, with callback policies.

Mistakes:
1. The key is taken from URL.EscapedPath() instead of URL.Path, so the resource is percent-encoded as Go does it (letters, digits and
   -_.~$&+,/:;=@ are left): keys with a blank, a percent sign, a quotation mark, an asterisk, UTF-8 and the like fail.
2. A policy is decoded with base64.RawURLEncoding: one with padding, or in the standard alphabet, is refused as authorization-malformed.
3. Signatures are compared as decoded bytes (StdEncoding, which is not strict about the unused bits of the last character): a Signature whose
   last character before the = differs in its two unused bits only is accepted.
4. The header is split with strings.Fields: a tab, or several blanks, between the scheme and the rest are accepted.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
PLAIN = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+,/:;=@")


def escaped_path(key):
    return "".join(chr(b) if b in PLAIN else "%%%02X" % b for b in key.encode("utf-8"))


def header_map(pairs):
    h = {}
    for name, value in pairs:
        name = name.strip(" \t")
        if re.fullmatch(TOKEN, name) is None:
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        h.setdefault(name.lower(), []).append(value)
    return h


def once(h, name):
    values = h.get(name) or [""]
    if len(values) != 1:
        raise Refused("header-repeated", name)
    return values[0]


def signed_text(given, h):
    if re.fullmatch(TOKEN, given["method"]) is None:
        raise Refused("method", given["method"])
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    given["bucket"].encode("utf-8")
    text = given["method"].upper() + "\n" + once(h, "content-md5") + "\n" + once(h, "content-type") + "\n" + once(h, "date") + "\n"
    for name in sorted(h):
        if name.startswith(WORDS["headerPrefix"].lower()):
            text += name + ":" + ",".join(h[name]) + "\n"
    return text + "/" + given["bucket"] + "/" + escaped_path(given["key"])


def raw_url_decode(text):
    if re.fullmatch("[A-Za-z0-9_-]+", text) is None or len(text) % 4 == 1:
        raise ValueError("illegal base64 data")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def malformed(why):
    return Refused("authorization-malformed", why)


def verify(given, pub, pri):
    h = header_map(given["headers"])
    text = signed_text(given, h)
    if "authorization" not in h:
        raise Refused("authorization-missing", "no header")
    if len(h["authorization"]) > 1:
        raise malformed("two headers")
    fields = h["authorization"][0].replace("\t", " ").split(" ")
    fields = [f for f in fields if f]
    if len(fields) != 2 or fields[0] != WORDS["scheme"]:
        raise malformed("not two fields")
    parts = fields[1].split(":")
    if len(parts) not in (2, 3) or "" in parts:
        raise malformed("not key:signature")
    if len(parts) == 3:
        try:
            value = json.loads(raw_url_decode(parts[2]).decode("utf-8"))
        except (ValueError, RecursionError):
            raise malformed("policy")
        if not isinstance(value, dict) or given["method"].upper() not in ("PUT", "POST"):
            raise malformed("policy")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    expected = hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()
    sent = parts[1]
    try:
        if re.fullmatch("[A-Za-z0-9+/]*={0,2}", sent) is None or len(sent) % 4:
            raise ValueError("illegal base64 data")
        got = binascii.a2b_base64(sent)
    except ValueError:
        raise Refused("signature-mismatch", "not Base64")
    if not hmac.compare_digest(expected, got):
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": pub}


serve("go-gateway", {"verify-authorization": verify})
