#!/usr/bin/env python3
"""The storage endpoint of a compatible server, in Node with Express: it verifies the Authorization header.

Mistakes:
1. Node joins the values of a repeated header with a comma and a space, and the server verifies them so.
2. Its regular expression for the header ends with the signature and is not anchored: whatever follows, a policy also, is ignored and
   not part of the signed text.
3. Runs decodeURIComponent over the key, which the router has decoded already; a key that cannot be decoded stays as it is.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import unquote_to_bytes

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
JOINT = ", "


def decode_uri_component(s):
    if re.search("%(?![0-9a-fA-F]{2})", s):
        return s
    try:
        return unquote_to_bytes(s.encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        return s


def node_headers(raw):
    out = {}
    for n, v in raw:
        n = n.strip(" \t").lower()
        if not TOKEN.fullmatch(n):
            raise Refused("header-name", n)
        v.encode("utf-8")
        v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
        if "\r" in v or "\n" in v or "\0" in v:
            raise Refused("header-value", n)
        out.setdefault(n, []).append(v)
    return out


def policy_ok(p):
    if re.search("[-_]", p) and re.search("[+/]", p):
        return False
    bare = p.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        value = json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def parse(value, method):
    m = re.match(r"%s ([^: \t]+):([^: \t]+)" % re.escape(WORDS["scheme"]), value)
    if not m:
        raise Refused("authorization-malformed", value)
    return m[1], m[2], ""


def verify(given, pub, pri):
    headers = node_headers(given["headers"])
    if not TOKEN.fullmatch(given["method"]):
        raise Refused("method", given["method"])
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    text = given["method"].upper() + "\n"
    for n in ("content-md5", "content-type", "date"):
        values = headers.get(n, [""])
        if len(values) > 1:
            raise Refused("header-repeated", n)
        text += values[0] + "\n"
    for n in sorted(headers):
        if n.startswith(WORDS["headerPrefix"].lower()):
            text += n + ":" + JOINT.join(headers[n]) + "\n"
    text += "/" + given["bucket"] + "/" + decode_uri_component(given["key"])
    got = headers.get("authorization")
    if got is None:
        raise Refused("authorization-missing", "none")
    if len(got) > 1:
        raise Refused("authorization-malformed", "two")
    who, signature, policy = parse(got[0], given["method"])
    if who != pub:
        raise Refused("public-key-unknown", who)
    expected = base64.b64encode(hmac.new(pri.encode("utf-8"), (text + policy).encode("utf-8"), hashlib.sha1).digest()).decode("ascii")
    if not hmac.compare_digest(expected.encode(), signature.encode("utf-8")):
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": who}


serve("express-storage", {"verify-authorization": verify})
