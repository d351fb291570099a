#!/usr/bin/env python3
"""A port of a C++ client: etag, part-etag and presigned-url. Its mistakes:

1. The block count of the file ETag is written in big-endian order.
2. The ETag of a part covers only its first 4 MiB.
3. A pre-signed URL is signed without any extra headers.
4. A space of the key becomes + in the path of the pre-signed URL.
"""
import base64
import hashlib
import hmac
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

BLK = 4 << 20


def sha1(data):
    return hashlib.sha1(data).digest()


def etag(i, public, private):
    data = content(i["content"])
    count = (len(data) + BLK - 1) // BLK
    if count < 2:
        digest = sha1(data)
    else:
        outer = hashlib.sha1()
        for n in range(count):
            outer.update(sha1(data[n * BLK:(n + 1) * BLK]))
        digest = outer.digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack(">I", count) + digest).decode()}


def part_etag(i, public, private):
    return {"etag": base64.urlsafe_b64encode(sha1(content(i["content"])[:BLK])).decode()}


TCHAR = set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
KEEP = set(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~")


def is_token(s):
    return s != "" and set(s) <= TCHAR


def check_headers(headers):
    for name, value in headers:
        if not is_token(name.strip(" \t")):
            raise Refused("header-name", name)
        value.encode()
        # folds are allowed, other line breaks are not
        value = re.sub(r"\r?\n(?=[ \t])", "", value)
        if set(value) & set("\r\n\0"):
            raise Refused("header-value", name)


def escape(s, keep=KEEP, plus=False):
    out = ""
    for b in s.encode():
        if b in keep:
            out += chr(b)
        elif plus and b == 32:
            out += "+"
        else:
            out += "%%%02X" % b
    return out


def presigned_url(i, public, private):
    if not is_token(i["method"]):
        raise Refused("method", i["method"])
    if not i["bucket"] or "/" in i["bucket"]:
        raise Refused("bucket", i["bucket"])
    check_headers(i["headers"])
    s = i["method"].upper() + "\n\n\n" + i["expires"] + "\n" + "/" + i["bucket"] + "/" + i["key"]
    mac = base64.b64encode(hmac.digest(private.encode(), s.encode(), "sha1")).decode()
    return {"url": i["scheme"] + "://" + i["bucket"] + "." + i["fileHost"] + "/" + escape(i["key"], KEEP | {47}, True)
            + "?" + WORDS["publicKeyParameter"] + "=" + escape(public) + "&Expires=" + escape(i["expires"])
            + "&Signature=" + escape(mac)}


serve("one hundred and two", {"etag": etag, "part-etag": part_etag, "presigned-url": presigned_url})
