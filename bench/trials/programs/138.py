#!/usr/bin/env python3
"""The file part of a server in Java (a servlet filter), written again in Python.

Mistakes:
1. Compares the signature of a pre-signed URL before it looks at Expires, so an expired URL with a wrong signature is a mismatch and not expired.
2. Decodes the path of a pre-signed URL with URLDecoder, so an unescaped + in the path is read as a space.
3. Splits the Authorization value at its colons and ignores a third part: the policy is never checked and is not part of the signed text, so uploads with a rightly signed policy are refused and anything may be added to a right header.
4. Remembers the request headers in a map of the last value: of a repeated extra header only the last value is signed.
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

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def decode(s, reason):
    if re.search("%(?![0-9a-fA-F][0-9a-fA-F])", s):
        raise Refused(reason, "Illegal hex characters in escape (%) pattern")
    data = bytearray()
    i = 0
    raw = s.encode("utf-8")
    while i < len(raw):
        if raw[i] == 0x25:
            data.append(int(raw[i + 1:i + 3], 16))
            i += 3
        else:
            data.append(raw[i])
            i += 1
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


class SignatureFilter:
    def __init__(self, given, publicKey, privateKey):
        self.request = given
        self.publicKey, self.privateKey = publicKey, privateKey
        self.headers = {}
        self.counts = {}
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if not NAME.fullmatch(name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if any(c in value for c in "\r\n\0"):
                raise Refused("header-value", name)
            self.headers[name.lower()] = value
            self.counts[name.lower()] = self.counts.get(name.lower(), 0) + 1

    def method(self):
        if not NAME.fullmatch(self.request["method"]):
            raise Refused("method", self.request["method"])
        return self.request["method"].upper()

    def extra(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join(name + ":" + self.headers[name] + "\n" for name in sorted(self.headers) if name.startswith(prefix))

    def one(self, name):
        if self.counts.get(name, 0) > 1:
            raise Refused("header-repeated", name)
        return self.headers.get(name, "")

    def compute(self, md5, mime, date, bucket, key):
        text = self.method() + "\n" + md5 + "\n" + mime + "\n" + date + "\n" + self.extra() + "/" + bucket + "/" + key
        return base64.b64encode(hmac.new(self.privateKey.encode(), text.encode(), hashlib.sha1).digest()).decode()

    def authenticate(self, publicKey, signature, expected):
        if publicKey != self.publicKey:
            raise Refused("public-key-unknown", publicKey)
        if signature != expected:
            raise Refused("signature-mismatch", "expected something else")
        return {"publicKey": publicKey}

    def header(self):
        bucket, key = self.request["bucket"], self.request["key"]
        if not bucket or "/" in bucket:
            raise Refused("bucket", bucket)
        expected = self.compute(self.one("content-md5"), self.one("content-type"), self.one("date"), bucket, key)
        if "authorization" not in self.headers:
            raise Refused("authorization-missing", "anonymous")
        value = self.headers["authorization"]
        if self.counts["authorization"] > 1 or not value.startswith(WORDS["scheme"] + " "):
            raise Refused("authorization-malformed", "scheme")
        parts = value[len(WORDS["scheme"]) + 1:].split(":")
        if len(parts) < 2 or len(parts) > 3 or not all(parts) or re.search("[ \t]", "".join(parts)):
            raise Refused("authorization-malformed", "parts")
        return self.authenticate(parts[0], parts[1], expected)

    def url(self):
        self.method()
        found = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", self.request["url"], re.S)
        if not found:
            raise Refused("url-malformed", "no URL")
        bucket, dot, host = found[1].partition(".")
        if not bucket or host.lower() != self.request["fileHost"].lower():
            raise Refused("url-malformed", "host")
        key = decode(found[2].replace("+", " "), "url-malformed")
        wanted = [WORDS["publicKeyParameter"], "Expires", "Signature"]
        query = {}
        for pair in (found[3] or "").split("&"):
            if not pair:
                continue
            name, _, text = pair.partition("=")
            name, text = decode(name, "query-malformed"), decode(text, "query-malformed")
            if name in wanted and name in query:
                raise Refused("parameter-repeated", name)
            query[name] = text
        publicKey, expires, signature = (query.get(name) for name in wanted)
        if not signature:
            raise Refused("signature-missing", "Signature")
        if publicKey is None or expires is None:
            raise Refused("parameter-missing", "public key or Expires")
        if not re.fullmatch("[0-9]{1,15}", expires):
            raise Refused("expires-malformed", expires)
        result = self.authenticate(publicKey, signature, self.compute("", "", expires, bucket, key))
        if int(self.request["now"]) > int(expires):
            raise Refused("expired", expires)
        return result


serve("java-filter", {"verify-authorization": lambda *a: SignatureFilter(*a).header(),
                      "verify-presigned-url": lambda *a: SignatureFilter(*a).url()})
