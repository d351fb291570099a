#!/usr/bin/env python3
"""A small C library: URL encoding, ETags, Authorization and instant upload.

Mistakes:
1. URL encoding prints a signed char with "%%%02X": a byte of 0x80 or more is sign-extended to an int, so that 0xC3 becomes %FFFFFFC3
   (url-encode and the FileName of instant-upload).
2. Extra headers are sorted with qsort by name and then by value before they are merged, so that the values of a repeated header are joined
   in the order of their bytes instead of the order in which they were sent.
3. The Base64 table of the ETags is the URL-safe one with one slip: `-` stands for `+`, but the last character is still `/` (etag and part-etag).
"""
import base64
import hashlib
import hmac
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

ALNUM = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
MB4 = 4 << 20


def escape(text):
    out = ""
    for c in text.encode("utf-8"):
        if c in ALNUM + b"-_.~":
            out += chr(c)
        else:
            out += "%%%02X" % (c if c < 128 else c - 256 & 0xFFFFFFFF)
    return out


def is_token(name):
    return name != "" and all(ord(c) < 128 and ord(c) in ALNUM + b"!#$%&'*+-.^_`|~" for c in name)


def unfold(value):
    out, i = b"", 0
    raw = value.encode("utf-8")
    while i < len(raw):
        eol = 2 if raw[i:i + 2] == b"\r\n" else 1 if raw[i:i + 1] == b"\n" else 0
        if eol and raw[i + eol:i + eol + 1] in (b" ", b"\t"):
            i += eol
            while raw[i:i + 1] in (b" ", b"\t"):
                i += 1
            out = out.rstrip(b" \t") + b" "
        elif eol or raw[i] in b"\r\0":
            raise Refused("header-value", "a line break or NUL")
        else:
            out += raw[i:i + 1]
            i += 1
    return out.strip(b" \t")


def string_to_sign(method, bucket, key, headers):
    rows = []
    for name, value in headers:
        name = name.strip(" \t")
        if not is_token(name):
            raise Refused("header-name", name)
        rows.append((name.lower().encode(), unfold(value)))
    if not is_token(method):
        raise Refused("method", method)
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    text = method.upper().encode() + b"\n"
    for wanted in (b"content-md5", b"content-type", b"date"):
        found = [v for n, v in rows if n == wanted]
        if len(found) > 1:
            raise Refused("header-repeated", wanted.decode())
        text += b"".join(found) + b"\n"
    last = None
    for n, v in sorted(row for row in rows if row[0].startswith(WORDS["headerPrefix"].lower().encode())):
        text = text[:-1] + b"," + v + b"\n" if n == last else text + n + b":" + v + b"\n"
        last = n
    return text + ("/" + bucket + "/" + key).encode("utf-8")


def credentials(text, pub, pri):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + base64.b64encode(hmac.new(pri.encode("utf-8"), text, hashlib.sha1).digest()).decode()


def authorization(g, pub, pri):
    return {"authorization": credentials(string_to_sign(g["method"], g["bucket"], g["key"], g["headers"]), pub, pri)}


def uploadhit(g, pub, pri):
    return {"target": "/uploadhit?Hash=" + escape(g["etag"]) + "&FileName=" + escape(g["key"]) + "&FileSize=" + escape(g["size"]),
            "authorization": credentials(string_to_sign("POST", g["bucket"], g["key"], g["headers"]), pub, pri)}


def base64url(raw):
    return base64.b64encode(raw, b"-/").decode()


def sha1(data):
    return hashlib.sha1(data).digest()


def etag(g, pub, pri):
    data = content(g["content"])
    count = (len(data) + MB4 - 1) // MB4
    digest = sha1(data) if count < 2 else sha1(b"".join(sha1(data[i * MB4:(i + 1) * MB4]) for i in range(count)))
    return {"etag": base64url(count.to_bytes(4, "little") + digest)}


serve("c-file", {
    "url-encode": lambda g, pub, pri: {"encoded": escape(g["text"])},
    "authorization": authorization,
    "instant-upload": uploadhit,
    "etag": etag,
    "part-etag": lambda g, pub, pri: {"etag": base64url(sha1(content(g["content"])))},
})
