#!/usr/bin/env python3
"""A C programmer's uploader with libcurl and OpenSSL: headers in a curl_slist, sorted with qsort and strcasestr used freely.

Mistakes:
1. The extra headers are sorted with strcmp by their names as given, before they become lower case: X-Svc-B comes before x-svc-a.
2. A repeated extra header is not merged; every occurrence is a line of its own (name:v1, name:v2).
3. An extra header is found with strcasestr: one that has the prefix anywhere in its name (My-X-Svc-Foo) is signed too.
4. Instant upload and pre-signed URLs sign the key as curl_easy_escape has made it for the URL (%20 for a space, %2F for a slash), not the key itself.
5. ETag: only files below 4 MB get the hash of the whole file; a file of exactly 4 MB gets the hash over the hash of its one block.
"""
import base64
import hashlib
import hmac
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402

BLKSIZE = 4 << 20
TCHAR = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def is_token(s):
    return s != "" and all(c in TCHAR for c in s)


def header_value(v):
    # obs-fold: [blanks] CR LF blanks; a lone line break is an error
    if re.search(r"\n", v) and not re.search(r"\n(?![ \t])", v):
        v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v)
    v = v.strip(" \t")
    v.encode("utf-8")
    for c in v:
        if c in "\r\n\0":
            raise Refused("header-value", "line break")
    return v


def slist(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not is_token(name):
            raise Refused("header-name", "not a token")
        out.append((name, header_value(value)))
    return out


def get(headers, name):
    found = [v for n, v in headers if n.lower() == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def canonical(headers):
    prefix = WORDS["headerPrefix"].lower()
    mine = [(n, v) for n, v in headers if prefix in n.lower()]
    mine.sort(key=lambda h: h[0])
    return "".join(n.lower() + ":" + v + "\n" for n, v in mine)


def check(method, bucket):
    if not is_token(method):
        raise Refused("method", "not a token")
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", "bad")


def to_sign(method, bucket, key, headers, date=None):
    check(method, bucket)
    if date is None:
        md5, mime, date = (get(headers, n) for n in ("content-md5", "content-type", "date"))
    else:
        md5 = mime = ""
    return "%s\n%s\n%s\n%s\n%s/%s/%s" % (method.upper(), md5, mime, date, canonical(headers), bucket, key)


def sign(text, pri):
    return base64.b64encode(hmac.digest(pri.encode("utf-8"), text.encode("utf-8"), "sha1")).decode("ascii")


def auth(text, pub, pri):
    pub.encode("utf-8")
    return "%s %s:%s" % (WORDS["scheme"], pub, sign(text, pri))


def curl_easy_escape(s):
    out = ""
    for c in s.encode("utf-8"):
        out += chr(c) if c < 128 and (chr(c).isalnum() or chr(c) in "-._~") else "%%%02X" % c
    return out


def authorization(given, pub, pri):
    return {"authorization": auth(to_sign(given["method"], given["bucket"], given["key"], slist(given["headers"])), pub, pri)}


def instant_upload(given, pub, pri):
    name = curl_easy_escape(given["key"])
    text = to_sign("POST", given["bucket"], name, slist(given["headers"]))
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (curl_easy_escape(given["etag"]), name, curl_easy_escape(given["size"])),
            "authorization": auth(text, pub, pri)}


def presigned_url(given, pub, pri):
    name = curl_easy_escape(given["key"])
    text = to_sign(given["method"], given["bucket"], name, slist(given["headers"]), given["expires"])
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + name + "?" + WORDS["publicKeyParameter"] + "="
            + curl_easy_escape(pub) + "&Expires=" + curl_easy_escape(given["expires"]) + "&Signature=" + curl_easy_escape(sign(text, pri))}


def sha1(data):
    return hashlib.sha1(data).digest()


def etag(given, pub, pri):
    data = content(given["content"])
    count = (len(data) + BLKSIZE - 1) // BLKSIZE
    if len(data) < BLKSIZE:
        digest = sha1(data)
    else:
        digest = sha1(b"".join(sha1(data[i * BLKSIZE:(i + 1) * BLKSIZE]) for i in range(count)))
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", count) + digest).decode()}


serve("c-uploader", {
    "authorization": authorization, "instant-upload": instant_upload, "presigned-url": presigned_url, "etag": etag,
    "part-etag": lambda given, pub, pri: {"etag": base64.urlsafe_b64encode(sha1(content(given["content"]))).decode()}})
