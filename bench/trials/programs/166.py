#!/usr/bin/env python3
"""A file SDK ported from Lua for OpenResty: headers are a table by name, patterns do the trimming.

Mistakes:
1. Keeps the headers in a table by lower-case name, so of an extra header that is sent several times only the last value is signed.
2. Trims header values with the pattern class %s, which also takes vertical tabs and form feeds away.
3. Sorts the finished lines name:value instead of the names, so x-svc-a-b comes before x-svc-a.
4. Falls back to the request's Content-Type header if the form has no field Content-Type.
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


def escape(s):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8")).decode("ascii")


def tidy(v):
    v.encode("utf-8")
    v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v)
    v = v.strip(" \t\n\r\x0b\x0c")
    if re.search("[\r\n\0]", v):
        raise Refused("header-value", "line break")
    return v


class Request:
    def __init__(self, given):
        self.bucket, self.key = given["bucket"], given["key"]
        self.table = {}
        for n, v in given["headers"]:
            n = n.strip(" \t").lower()
            if not NAME.fullmatch(n):
                raise Refused("header-name", n)
            raw = v.encode("utf-8")
            if re.search(rb"[\r\n\0]", re.sub(rb"\r?\n[ \t]+", b" ", raw).strip(b" \t")):
                raise Refused("header-value", n)
            v = tidy(v)
            if n in self.table and n in ("content-md5", "content-type", "date"):
                self.table[n] = None
            else:
                self.set(n, v)
        if not self.bucket or "/" in self.bucket:
            raise Refused("bucket", self.bucket)

    def set(self, n, v):
        self.table[n] = v

    def value(self, n):
        v = self.table.get(n, "")
        if v is None:
            raise Refused("header-repeated", n)
        return v

    def extra(self):
        start = WORDS["headerPrefix"].lower()
        rows = [n + ":" + v for n, v in self.table.items() if n.startswith(start)]
        rows.sort()
        return "".join(r + "\n" for r in rows)

    def text(self, method, md5, mime, when):
        return "\n".join([method, md5, mime, when, self.extra() + "/" + self.bucket + "/" + self.key])


def verb(m):
    if not NAME.fullmatch(m):
        raise Refused("method", m)
    return m.upper()


def sign(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def authorization(given, pub, pri):
    r = Request(given)
    t = r.text(verb(given["method"]), r.value("content-md5"), r.value("content-type"), r.value("date"))
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign(t, pri))}


def form(given, pub, pri):
    r = Request(given)

    def field(wanted):
        found = [v for n, v in given["fields"] if n == wanted]
        if len(found) > 1:
            raise Refused("header-repeated", wanted)
        return tidy(found[0]) if found else None

    mime = field("Content-Type")
    if mime is None:
        mime = r.value("content-type")
    md5 = r.value("content-md5") if "content-md5" in r.table else field("Content-MD5") or ""
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign(r.text("POST", md5, mime, r.value("date")), pri))}


def presigned(given, pub, pri):
    r = Request(given)
    s = sign(r.text(verb(given["method"]), "", "", given["expires"]), pri)
    path = "/".join(escape(p) for p in given["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], escape(pub), escape(given["expires"]), escape(s))}


serve("lua-file-sdk", {"authorization": authorization, "form-authorization": form, "presigned-url": presigned})
