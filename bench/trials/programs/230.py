#!/usr/bin/env python3
"""A port of a signer for KS3.

Mistakes:
1. Writes // in the signed resource as /%2F, as KS3 wants it.
2. Its prefix lacks the hyphen, so headers like X-Svctrace count as extra headers too.
3. A part's ETag has the block count in front, like that of a whole file.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402


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

def mac(text, private):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")

SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

def esc(text):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in text.encode("utf-8"))

BLOCK = 1 << 22


def resource(bucket, key):
    return ("/" + bucket + "/" + key).replace("//", "/%2F")


def prefix():
    return WORDS["headerPrefix"].lower().rstrip("-")


def ks_headers(headers):
    names = []
    for n, _ in headers:
        if n.startswith(prefix()) and n not in names:
            names.append(n)
    names.sort()
    return "".join(n + ":" + ",".join(v for m, v in headers if m == n) + "\n" for n in names)


def sign(g, pri, when=None):
    headers = read(g["headers"])
    parts = [verb_of(g["method"])]
    bucket_of(g["bucket"])
    if when is None:
        parts += [single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date")]
    else:
        parts += ["", "", when]
    return mac("\n".join(parts + [ks_headers(headers) + resource(g["bucket"], g["key"])]), pri)


def authorization(g, pub, pri):
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + sign(g, pri)}


def url(g, pub, pri):
    s = sign(g, pri, g["expires"])
    return {"url": "{}://{}.{}/{}?Signature={}&Expires={}&{}={}".format(
        g["scheme"], g["bucket"], g["fileHost"], esc(g["key"]).replace("%2F", "/"), esc(s), esc(g["expires"]),
        WORDS["publicKeyParameter"], esc(pub))}


def etag_of(data):
    sha, count = hashlib.sha1(), (len(data) + BLOCK - 1) // BLOCK
    if count < 2:
        sha.update(data)
    else:
        for i in range(count):
            sha.update(hashlib.sha1(data[i * BLOCK:(i + 1) * BLOCK]).digest())
    return base64.urlsafe_b64encode(bytes([count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24]) + sha.digest()).decode("ascii")


def part_of(data):
    count = max(1, (len(data) + BLOCK - 1) // BLOCK)
    return base64.urlsafe_b64encode(count.to_bytes(4, "little") + hashlib.sha1(data).digest()).decode("ascii")


serve("ks3-port", {"authorization": authorization, "presigned-url": url,
                   "etag": lambda g, pub, pri: {"etag": etag_of(content(g["content"]))},
                   "part-etag": lambda g, pub, pri: {"etag": part_of(content(g["content"]))}})
