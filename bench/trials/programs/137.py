#!/usr/bin/env python3
"""A small SDK in C, written again in Python in the same manner: byte buffers, own HMAC, own encoder.

Mistakes:
1. Its own HMAC copies at most 64 bytes of the private key; a longer key is cut instead of hashed.
2. Percent escapes have lower-case hexadecimal digits ("%%%02x").
3. The block count of an ETag is size / 4194304 + 1, one too many for an empty file and for whole multiples of 4 MiB (the digest is right).
4. The HTTP verb is signed as given, not in upper case.
"""
import base64
import hashlib
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import serving  # noqa: E402
from serving import Refused  # noqa: E402

BLK = 4 << 20
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"


def hmac_sha1(key, message):
    block = bytearray(64)
    n = min(len(key), 64)
    block[:n] = key[:n]
    ipad = bytes(c ^ 0x36 for c in block)
    opad = bytes(c ^ 0x5C for c in block)
    return hashlib.sha1(opad + hashlib.sha1(ipad + message).digest()).digest()


def url_encode(given, pub, pri):
    buf = bytearray()
    for c in given["text"].encode("utf-8"):
        if c in UNRESERVED:
            buf.append(c)
        else:
            buf += b"%%%02x" % c
    return {"encoded": buf.decode("ascii")}


def is_token(b):
    return len(b) > 0 and all(c > 32 and c < 127 and c not in b'"(),/:;<=>?@[\\]{}' for c in b)


def read_value(raw):
    """Unfolds and trims a value: a small state machine."""
    out = bytearray()
    i = 0
    while i < len(raw):
        m = re.compile(rb"[ \t]*(?:\r?\n[ \t]+)+").match(raw, i)
        if m:
            out += b" "
            i = m.end()
        elif raw[i] in b"\r\n\0":
            raise Refused("header-value", "control character")
        else:
            out.append(raw[i])
            i += 1
    return bytes(out).strip(b" \t")


def authorization(given, pub, pri):
    method = given["method"].encode("utf-8")
    bucket = given["bucket"].encode("utf-8")
    if not is_token(method):
        raise Refused("method", given["method"])
    if not bucket or b"/" in bucket:
        raise Refused("bucket", given["bucket"])
    prefix = serving.WORDS["headerPrefix"].lower().encode("ascii")
    slots = {b"content-md5": None, b"content-type": None, b"date": None}
    extra = []
    for name, value in given["headers"]:
        name = name.encode("utf-8").strip(b" \t").lower()
        if not is_token(name):
            raise Refused("header-name", "not a token")
        value = read_value(value.encode("utf-8"))
        if name in slots:
            if slots[name] is not None:
                raise Refused("header-repeated", name.decode())
            slots[name] = value
        elif name[:len(prefix)] == prefix:
            extra.append((name, value))
    extra.sort(key=lambda pair: pair[0])
    sts = bytearray(method + b"\n")
    for name in (b"content-md5", b"content-type", b"date"):
        sts += (slots[name] or b"") + b"\n"
    for i, (name, value) in enumerate(extra):
        if i and extra[i - 1][0] == name:
            sts[-1:] = b"," + value + b"\n"
        else:
            sts += name + b":" + value + b"\n"
    sts += b"/" + bucket + b"/" + given["key"].encode("utf-8")
    mac = hmac_sha1(pri.encode("utf-8"), bytes(sts))
    return {"authorization": serving.WORDS["scheme"] + " " + pub + ":" + base64.b64encode(mac).decode("ascii")}


def etag(given, pub, pri):
    data = serving.content(given["content"])
    size = len(data)
    if size <= BLK:
        digest = hashlib.sha1(data).digest()
    else:
        total = hashlib.sha1()
        at = 0
        while at < size:
            total.update(hashlib.sha1(data[at:at + BLK]).digest())
            at += BLK
        digest = total.digest()
    blkcnt = size // BLK + 1
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", blkcnt) + digest).decode("ascii")}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(serving.content(given["content"])).digest()).decode("ascii")}


serving.serve("c-sdk", {"url-encode": url_encode, "authorization": authorization, "etag": etag, "part-etag": part_etag})
