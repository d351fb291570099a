#!/usr/bin/env python3
r"""A C++ developer of a camera's firmware: puts recordings, asks for instant upload, makes links and ETags. C strings all over.

Mistakes:
1. Escapes with sprintf("%%%02X", c) where c is a signed char: each byte from 0x80 on becomes %FFFFFF and its two digits, such as %FFFFFFC3.
2. Collects extra headers with std::map::insert, which does not touch a name that is there already: of a repeated header only the first value is signed.
3. Passes StringToSign and the private key to HMAC as c_str() with strlen(): both end before their first NUL character (which only the file's key, the bucket,
   the Expires of a link and the private key can hold).
4. Counts the blocks of an ETag as (size >> 22) + 1: for a size that is a multiple of 4 MiB, the empty file included, the count is one too high. The hash is right.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

TOKEN = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+\\Z"


def escape(text):
    out = ""
    for c in text.encode("utf-8"):
        if 97 <= c | 32 <= 122 and c < 128 or 48 <= c <= 57 or c in (45, 95, 46, 126):
            out += chr(c)
        else:
            out += "%%%02X" % (c if c < 128 else c | 0xFFFFFF00)
    return out


def c_str(text):
    return text.encode("utf-8").split(b"\0")[0]


def clean(v):
    v.encode("utf-8")
    out, i = "", 0
    while i < len(v):
        m = re.compile("(?:\r?\n[ \t]+)+").match(v, i)
        if m:
            out, i = out.rstrip(" \t") + " ", m.end()
        elif v[i] in "\r\n\0":
            raise Refused("header-value", "not allowed in a header")
        else:
            out, i = out + v[i], i + 1
    return out.strip(" \t")


class Canon:
    def __init__(self, given, method):
        self.date = self.md5 = self.type = None
        self.map = {}
        repeated = None
        for n, v in given["headers"]:
            n, v = n.strip(" \t"), clean(v)
            if not re.match(TOKEN, n):
                raise Refused("header-name", "not a token")
            n = n.lower()
            slot = {"date": "date", "content-md5": "md5", "content-type": "type"}.get(n)
            if slot:
                if getattr(self, slot) is not None:
                    repeated = n
                setattr(self, slot, v)
            if n.startswith(WORDS["headerPrefix"].lower()):
                self.map.setdefault(n, v)
        if not re.match(TOKEN, method):
            raise Refused("method", "not a token")
        if not given["bucket"] or given["bucket"].find("/") >= 0:
            raise Refused("bucket", "bad bucket")
        self.repeated = repeated
        self.method, self.resource = method.upper(), "/" + given["bucket"] + "/" + given["key"]

    def hmac(self, pri, expires=None):
        if expires is None:
            if self.repeated:
                raise Refused("header-repeated", self.repeated)
            head = [self.md5 or "", self.type or "", self.date or ""]
        else:
            head = ["", "", expires]
        text = self.method + "\n" + "\n".join(head) + "\n"
        for n in sorted(self.map):
            text += n + ":" + self.map[n] + "\n"
        text += self.resource
        text.encode("utf-8")
        pri.encode("utf-8")
        return base64.b64encode(hmac.new(c_str(pri), c_str(text), hashlib.sha1).digest()).decode()

    def authorization(self, pub, pri):
        pub.encode("utf-8")
        return "%s %s:%s" % (WORDS["scheme"], pub, self.hmac(pri))


def put(given, pub, pri):
    return {"authorization": Canon(given, given["method"]).authorization(pub, pri)}


def hit(given, pub, pri):
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(escape(given[x]) for x in ("etag", "key", "size")),
            "authorization": Canon(given, "POST").authorization(pub, pri)}


def link(given, pub, pri):
    url = "%s://%s.%s/" % (given["scheme"], given["bucket"], given["fileHost"])
    for i, part in enumerate(given["key"].split("/")):
        url += ("/" if i else "") + escape(part)
    signed = Canon(given, given["method"]).hmac(pri, given["expires"])
    return {"url": url + "?" + WORDS["publicKeyParameter"] + "=" + escape(pub) + "&Expires=" + escape(given["expires"]) + "&Signature=" + escape(signed)}


def etag(given, pub, pri):
    data = content(given["content"])
    size = len(data)
    count = (size >> 22) + 1
    if size <= 1 << 22:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[at:at + (1 << 22)]).digest() for at in range(0, size, 1 << 22))).digest()
    return {"etag": base64.b64encode(count.to_bytes(4, "little") + digest, b"-_").decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.b64encode(hashlib.sha1(content(given["content"])).digest(), b"-_").decode()}


serve("cpp-camera", {"url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])}, "authorization": put, "instant-upload": hit,
                     "presigned-url": link, "etag": etag, "part-etag": part_etag})
