#!/usr/bin/env python3
"""Kotlin on Android with OkHttp: an interceptor that signs uploads (authorization, policy-authorization, form-authorization).

1. Extra headers go through a map, so that of a repeated one (in any case) only the last value is signed.
2. authorization and policy-authorization sign the media type as OkHttp's RequestBody writes it: a Content-Type header that starts
   with text/ (in any case) and has no charset= in it gets "; charset=utf-8" at its end.
3. form-authorization prefers the form field Content-MD5 to the header Content-MD5 if both are there.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import WORDS, Refused, serve  # noqa: E402

TCHAR = set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


def is_token(text):
    return bool(text) and all(c in TCHAR for c in text)


def clean_value(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    for bad in "\r\n\0":
        if bad in value:
            raise Refused("header-value", "control character")
    return value


class Headers:
    """okhttp3.Headers"""

    def __init__(self, pairs):
        self.all = []
        for name, value in pairs:
            name = name.strip(" \t")
            if not is_token(name):
                raise Refused("header-name", "not a token")
            self.all.append((name, clean_value(value)))

    def values(self, name):
        return [v for n, v in self.all if n.lower() == name.lower()]

    def single(self, name):
        found = self.values(name)
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else None

    def canonical(self):
        prefix = WORDS["headerPrefix"].lower()
        extra = {}
        for name, value in self.all:
            if name.lower().startswith(prefix):
                extra[name.lower()] = value
        return "".join("%s:%s\n" % (name, extra[name]) for name in sorted(extra))


class SigningInterceptor:
    def __init__(self, public_key, private_key):
        self.public_key, self.private_key = public_key, private_key

    @staticmethod
    def bucket(bucket):
        if bucket == "" or "/" in bucket:
            raise Refused("bucket", "no bucket")
        return bucket

    def sign(self, verb, md5, mime, date, headers, bucket, key, policy=""):
        text = "\n".join([verb, md5 or "", mime or "", date or "", ""]) + headers.canonical() + "/" + bucket + "/" + key + policy
        mac = hmac.new(self.private_key.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
        self.public_key.encode("utf-8")
        value = "{} {}:{}".format(WORDS["scheme"], self.public_key, base64.b64encode(mac.digest()).decode())
        return value + (":" + policy if policy else "")

    def request(self, call):
        headers = Headers(call["headers"])
        if not is_token(call["method"]):
            raise Refused("method", "not a token")
        bucket = self.bucket(call["bucket"])
        md5 = headers.single("Content-MD5")
        mime = headers.single("Content-Type")
        if mime is not None and mime.lower().startswith("text/") and "charset=" not in mime.lower():
            mime += "; charset=utf-8"
        return {"authorization": self.sign(call["method"].upper(), md5, mime, headers.single("Date"), headers, bucket, call["key"],
                                           call.get("policy", ""))}

    def multipart(self, call):
        headers = Headers(call["headers"])
        bucket = self.bucket(call["bucket"])
        parts = {"Content-Type": [], "Content-MD5": []}
        for name, value in call["fields"]:
            if name in parts:
                parts[name].append(clean_value(value))
        digests = parts["Content-MD5"] or headers.values("Content-MD5")
        for found in (digests, parts["Content-Type"]):
            if len(found) > 1:
                raise Refused("header-repeated", "twice")
        return {"authorization": self.sign("POST", "".join(digests), "".join(parts["Content-Type"]), headers.single("Date"),
                                           headers, bucket, call["key"])}


OPS = {
    "authorization": lambda i, pub, pri: SigningInterceptor(pub, pri).request(dict(i, policy="")),
    "policy-authorization": lambda i, pub, pri: SigningInterceptor(pub, pri).request(i),
    "form-authorization": lambda i, pub, pri: SigningInterceptor(pub, pri).multipart(i),
}

if __name__ == "__main__":
    serve("okhttp-signer", OPS)
