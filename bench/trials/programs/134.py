#!/usr/bin/env python3
"""A file SDK for Node (ported from an object storage client in JavaScript), written again in Python.

Mistakes:
1. Percent-encodes with encodeURIComponent, which leaves ! ' ( ) * unencoded, wherever it encodes.
2. Joins the values of a repeated extra header with a comma and a space, as Node joins repeated headers.
3. In a pre-signed URL, signs the percent-encoded path (slashes kept) in the resource, not the raw key.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

UNRESERVED = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~!'()*")


def encodeURIComponent(s):
    return "".join(chr(c) if c in UNRESERVED else "%" + format(c, "02X") for c in s.encode("utf-8"))


class Headers:
    def __init__(self, pairs):
        self.map = {}
        for name, value in pairs:
            name = name.strip(" \t")
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            value.encode("utf-8")
            self.map.setdefault(name.lower(), []).append(value)

    def get(self, name):
        values = self.map.get(name, [""])
        if len(values) != 1:
            raise Refused("header-repeated", name)
        return values[0]

    def extra(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join("%s:%s\n" % (n, ", ".join(self.map[n])) for n in sorted(self.map) if n.startswith(prefix))


class Client:
    def __init__(self, given, publicKey, privateKey):
        self.o, self.publicKey, self.privateKey = given, publicKey, privateKey
        self.headers = Headers(given["headers"])
        if given["bucket"] == "" or "/" in given["bucket"]:
            raise Refused("bucket", given["bucket"])

    def method(self):
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", self.o["method"]):
            raise Refused("method", self.o["method"])
        return self.o["method"].upper()

    def sign(self, method, md5, mime, date, key):
        text = "\n".join([method, md5, mime, date, self.headers.extra() + "/" + self.o["bucket"] + "/" + key])
        mac = hmac.new(self.privateKey.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
        return base64.b64encode(mac.digest()).decode("ascii")

    def token(self, signature):
        return "%s %s:%s" % (WORDS["scheme"], self.publicKey, signature)

    def authorization(self):
        h = self.headers
        return {"authorization": self.token(self.sign(self.method(), h.get("content-md5"), h.get("content-type"), h.get("date"), self.o["key"]))}

    def field(self, name):
        values = [Headers([["x", v]]).get("x") for n, v in self.o["fields"] if n == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def form(self):
        h = self.headers
        md5 = h.get("content-md5") if "content-md5" in h.map else self.field("Content-MD5")
        return {"authorization": self.token(self.sign("POST", md5, self.field("Content-Type"), h.get("date"), self.o["key"]))}

    def url(self):
        path = "/".join(encodeURIComponent(x) for x in self.o["key"].split("/"))
        signature = self.sign(self.method(), "", "", self.o["expires"], path)
        query = [(WORDS["publicKeyParameter"], self.publicKey), ("Expires", self.o["expires"]), ("Signature", signature)]
        return {"url": "%s://%s.%s/%s?%s" % (self.o["scheme"], self.o["bucket"], self.o["fileHost"], path,
                                             "&".join(n + "=" + encodeURIComponent(v) for n, v in query))}


serve("node-file-sdk", {
    "url-encode": lambda given, pub, pri: {"encoded": encodeURIComponent(given["text"])},
    "authorization": lambda *a: Client(*a).authorization(),
    "form-authorization": lambda *a: Client(*a).form(),
    "presigned-url": lambda *a: Client(*a).url(),
})
