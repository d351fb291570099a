#!/usr/bin/env python3
"""A Python uploader: authorization, instant-upload and etag. Its mistakes:

1. The ETag of an empty file is AAAAAA==, the count 0 without any hash, as no block is ever read.
2. The instant upload is signed with the verb GET.
3. Header values are stripped with str.strip(), which takes away every Unicode white space (U+00A0, U+3000, form feed ...) at both
   ends, not only spaces and tabs.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from urllib.parse import quote

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve

SIZE = 4 << 20
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def read_headers(pairs):
    headers = {}
    for name, value in pairs:
        name = name.strip(" \t")
        if not NAME.fullmatch(name):
            raise Refused("header-name", "not a token")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)
        value.encode("utf-8")
        if "\r" in value or "\n" in value or "\0" in value:
            raise Refused("header-value", "control character")
        headers.setdefault(name.lower(), []).append(value.strip())
    return headers


def signature(method, given, private):
    headers = read_headers(given["headers"])
    if not NAME.fullmatch(method):
        raise Refused("method", "not a token")
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", "empty or with a slash")
    lines = [method.upper()]
    for name in ("content-md5", "content-type", "date"):
        values = headers.get(name, [])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        lines.append("".join(values))
    prefix = WORDS["headerPrefix"].lower()
    lines += [name + ":" + ",".join(headers[name]) for name in sorted(headers) if name.startswith(prefix)]
    lines.append("/" + given["bucket"] + "/" + given["key"])
    mac = hmac.new(private.encode("utf-8"), "\n".join(lines).encode("utf-8"), hashlib.sha1)
    return base64.b64encode(mac.digest()).decode()


def header(public, signed):
    public.encode("utf-8")
    return WORDS["scheme"] + " " + public + ":" + signed


def authorization(given, public, private):
    return {"authorization": header(public, signature(given["method"], given, private))}


def instant_upload(given, public, private):
    signed = signature("GET", given, private)
    target = "/uploadhit?" + "&".join(name + "=" + quote(value.encode("utf-8"), safe="")
                                      for name, value in (("Hash", given["etag"]), ("FileName", given["key"]),
                                                          ("FileSize", given["size"])))
    return {"target": target, "authorization": header(public, signed)}


def etag(given, public, private):
    data = content(given["content"])
    hashes = [hashlib.sha1(data[start:start + SIZE]).digest() for start in range(0, len(data), SIZE)]
    raw = len(hashes).to_bytes(4, "little")
    if len(hashes) == 1:
        raw += hashes[0]
    elif hashes:
        raw += hashlib.sha1(b"".join(hashes)).digest()
    return {"etag": base64.urlsafe_b64encode(raw).decode()}


serve("py-uploader", {"authorization": authorization, "instant-upload": instant_upload, "etag": etag})
