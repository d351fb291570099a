#!/usr/bin/env python3
"""A file server that verifies requests, in the way of an Express middleware.

Mistakes:
1. Reads the query with URLSearchParams, which decodes a + as a space, so a Signature with a bare + does not match.
2. Joins the values of a repeated extra header with a comma and a space, as Node joins repeated request headers.
3. Compares now with Expires as strings, so the expiry is wrong when the two have different lengths.
4. Takes only the first two parts of the Authorization value after splitting it at the colons: a third part, the callback
   policy, is neither checked nor signed.
"""
import base64
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402


def decodeURIComponent(s, code):
    if re.search("%(?![0-9a-fA-F][0-9a-fA-F])", s):
        raise Refused(code, "URI malformed")
    data = re.sub(b"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), s.encode("utf-8"))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(code, "URI malformed")


class Req:
    def __init__(self, o):
        self.method = o["method"]
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", self.method):
            raise Refused("method", self.method)
        self.headers = {}
        for name, value in o["headers"]:
            name = name.strip(" \t")
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            self.headers.setdefault(name.lower(), []).append(value)

    def get(self, name):
        values = self.headers.get(name, [])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def extra(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join(f"{n}:{', '.join(v)}\n" for n, v in sorted(self.headers.items()) if n.startswith(prefix))


def sign(secret, parts):
    return base64.b64encode(hmac.new(secret.encode("utf-8"), "\n".join(parts).encode("utf-8"), "sha1").digest()).decode()


def checkUser(user, pub):
    if user != pub:
        raise Refused("public-key-unknown", user)


def checkBucket(bucket):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)


def headerAuth(o, pub, pri):
    req = Req(o)
    checkBucket(o["bucket"])
    text = [req.method.upper(), req.get("content-md5"), req.get("content-type"), req.get("date"),
            req.extra() + "/" + o["bucket"] + "/" + o["key"]]
    values = req.headers.get("authorization")
    if not values:
        raise Refused("authorization-missing", "401")
    if len(values) > 1:
        raise Refused("authorization-malformed", "two headers")
    scheme, blank, rest = values[0].partition(" ")
    if scheme != WORDS["scheme"] or not blank or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "400")
    user, signature = (rest.split(":") + [""])[:2]
    if user == "" or signature == "":
        raise Refused("authorization-malformed", "400")
    checkUser(user, pub)
    if sign(pri, text) != signature:
        raise Refused("signature-mismatch", "403")
    return {"publicKey": user}


def searchParams(query):
    for piece in query.split("&"):
        if piece != "":
            name, _, value = piece.partition("=")
            yield (decodeURIComponent(name.replace("+", " "), "query-malformed"),
                   decodeURIComponent(value.replace("+", " "), "query-malformed"))


def urlAuth(o, pub, pri):
    req = Req(o)
    m = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", o["url"])
    if not m or m[2].lower() != o["fileHost"].lower():
        raise Refused("url-malformed", o["url"])
    key = decodeURIComponent(m[3], "url-malformed")
    query = {WORDS["publicKeyParameter"]: None, "Expires": None, "Signature": None}
    for name, value in searchParams(m[4] or ""):
        if name in query:
            if query[name] is not None:
                raise Refused("parameter-repeated", name)
            query[name] = value
    user, expires, signature = query.values()
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if user is None or expires is None:
        raise Refused("parameter-missing", "incomplete")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if o["now"] > expires:
        raise Refused("expired", expires)
    checkUser(user, pub)
    if sign(pri, [req.method.upper(), "", "", expires, req.extra() + "/" + m[1] + "/" + key]) != signature:
        raise Refused("signature-mismatch", "403")
    return {"publicKey": user}


serve("express-verify", {"verify-authorization": headerAuth, "verify-presigned-url": urlAuth})
