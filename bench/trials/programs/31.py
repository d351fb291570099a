#!/usr/bin/env python3
"""A port of a Go client (net/http, crypto/sha1).

1. The ETag's hasher is not Reset between blocks, so with more than one block the SHA-1 of block N is that of all data up to its end.
2. The segments of the path of a pre-signed URL go through url.QueryEscape: a space of the key becomes +.
3. A form without a field Content-Type (or with an empty one) is signed with the request's header Content-Type.
"""
import base64
import hashlib
import hmac
import os
import re
import struct
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, WORDS, content, serve  # noqa: E402


BLKSIZE = 4 << 20
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Header:
    """http.Header: lists of values by name."""

    def __init__(self, pairs):
        self.values = {}
        for name, value in pairs:
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            if re.search(r"\r?\n[ \t]", value):
                raise Unsupported("net/http sends no folded values")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", name)
            self.values.setdefault(name.lower(), []).append(value.strip(" \t"))

    def get(self, name):
        found = self.values.get(name, [])
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def canonical(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join("%s:%s\n" % (k, ",".join(v)) for k, v in sorted(self.values.items()) if k.startswith(prefix))


def sign(private, *parts):
    return base64.b64encode(hmac.new(private.encode(), "".join(parts).encode(), hashlib.sha1).digest()).decode()


def request(method, bucket, key):
    if not TOKEN.fullmatch(method):
        raise Refused("method")
    if bucket == "" or "/" in bucket:
        raise Refused("bucket")
    return method.upper(), "/" + bucket + "/" + key


def file_auth(method, q, md5, mime, header, public, private):
    method, resource = request(method, q["bucket"], q["key"])
    return "%s %s:%s" % (WORDS["scheme"], public, sign(private, "\n".join([method, md5, mime, header.get("date"), header.canonical()]), resource))


def authorization(q, public, private):
    h = Header(q["headers"])
    return {"authorization": file_auth(q["method"], q, h.get("content-md5"), h.get("content-type"), h, public, private)}


def form(q, public, private):
    h = Header(q["headers"])
    fields = {}
    for name, value in q["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            if name in fields:
                raise Refused("header-repeated", name)
            fields[name] = Header([(name, value)]).get(name.lower())
    mime = fields.get("Content-Type", "") or h.get("content-type")
    md5 = h.get("content-md5") if "content-md5" in h.values else fields.get("Content-MD5", "")
    return {"authorization": file_auth("POST", q, md5, mime, h, public, private)}


def uploadhit(q, public, private):
    h = Header(q["headers"])
    auth = file_auth("POST", q, h.get("content-md5"), h.get("content-type"), h, public, private)
    target = "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(urllib.parse.quote(q[n], safe="") for n in ("etag", "key", "size"))
    return {"target": target, "authorization": auth}


def private_url(q, public, private):
    h = Header(q["headers"])
    method, resource = request(q["method"], q["bucket"], q["key"])
    signature = sign(private, method, "\n\n\n", q["expires"], "\n", h.canonical(), resource)
    path = "/".join(urllib.parse.quote_plus(p, safe="") for p in q["key"].split("/"))
    query = WORDS["publicKeyParameter"] + "=%s&Expires=%s&Signature=%s" % tuple(urllib.parse.quote(s, safe="") for s in (public, q["expires"], signature))
    return {"url": "%s://%s.%s/%s?%s" % (q["scheme"], q["bucket"], q["fileHost"], path, query)}


def etag(q, public, private):
    data = content(q["content"])
    count = (len(data) + BLKSIZE - 1) // BLKSIZE
    digest, h, sums = hashlib.sha1(data).digest(), hashlib.sha1(), b""
    if count > 1:
        for i in range(count):
            h.update(data[i * BLKSIZE:(i + 1) * BLKSIZE])
            sums += h.digest()
        digest = hashlib.sha1(sums).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", count) + digest).decode()}


def part_etag(q, public, private):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(q["content"])).digest()).decode()}


serve("go-port", {"authorization": authorization, "form-authorization": form, "instant-upload": uploadhit,
                  "presigned-url": private_url, "etag": etag, "part-etag": part_etag})
