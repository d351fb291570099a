#!/usr/bin/env python3
"""A port of an S3 client (its signature version 2).

Mistakes:
1. Leaves the Date line empty if there is a header X-Svc-Date, as S3 does with x-amz-date.
2. Percent-encodes the key in the canonical resource, in headers and in pre-signed URLs.
3. Makes one space of several blanks inside an extra header's value.
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


TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def clean(value):
    """A header's value: unfolded, trimmed, checked."""
    value = re.sub(r"([ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "a line break or NUL")
    return value


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if TOKEN.fullmatch(n) is None:
            raise Refused("header-name", n)
        out.append((n.lower(), clean(v)))
    return out


def single(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def verb_of(method):
    if TOKEN.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


def bucket_of(bucket):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    return bucket

SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

def esc(text):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in text.encode("utf-8"))

class S3Signer:
    def __init__(self, public, private):
        self.public, self.private = public, private

    def resource_key(self, key):
        return "/".join(esc(part) for part in key.split("/"))

    def amz_value(self, value):
        return re.sub(r"[ \t]+", " ", value)

    def amz_date(self, names):
        return WORDS["headerPrefix"].lower() + "date" in names

    def canonical_amz_headers(self, headers):
        prefix, found = WORDS["headerPrefix"].lower(), {}
        for name, value in headers:
            if name.startswith(prefix):
                found[name] = found[name] + "," + self.amz_value(value) if name in found else self.amz_value(value)
        return "".join("%s:%s\n" % item for item in sorted(found.items()))

    def string_to_sign(self, method, headers, bucket, key, expires=None):
        out = [verb_of(method)]
        bucket_of(bucket)
        if expires is None:
            out += [single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date")]
            if self.amz_date([name for name, _ in headers]):
                out[3] = ""
        else:
            out += ["", "", expires]
        return "\n".join(out) + "\n" + self.canonical_amz_headers(headers) + "/" + bucket + "/" + self.resource_key(key)

    def signature(self, text):
        digest = hmac.new(self.private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
        return base64.b64encode(digest.digest()).decode("ascii")


def put_object(g, pub, pri):
    s3 = S3Signer(pub, pri)
    text = s3.string_to_sign(g["method"], read(g["headers"]), g["bucket"], g["key"])
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, s3.signature(text))}


def generate_presigned_url(g, pub, pri):
    s3 = S3Signer(pub, pri)
    text = s3.string_to_sign(g["method"], read(g["headers"]), g["bucket"], g["key"], g["expires"])
    query = [("Expires", g["expires"]), (WORDS["publicKeyParameter"], pub), ("Signature", s3.signature(text))]
    path = "/".join(esc(part) for part in g["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s" % (g["scheme"], g["bucket"], g["fileHost"], path,
                                        "&".join(n + "=" + esc(v) for n, v in query))}


serve("s3-port", {"authorization": put_object, "presigned-url": generate_presigned_url})
