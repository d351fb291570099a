#!/usr/bin/env python3
r"""An Android uploader, first written in Kotlin: PUT, form upload, instant upload and links.

Mistakes:
1. Picks the extra headers with name.startsWith("X-Svc-"), which minds the case: a header written x-svc-foo or X-SVC-FOO is not signed.
2. Unfolds with replace(Regex("\r?\n"), " "): the line break becomes a space, and the blanks around it stay, so there are two or more.
3. OkHttp sends the instant upload with an empty RequestBody without a media type, so the author signs an empty Content-Type there even if
   the caller has set that header.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

NAME = re.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def encode(s):
    return "".join(chr(b) if chr(b) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~" else "%%%02X" % b for b in s.encode("utf-8"))


def clean(v):
    v.encode("utf-8")
    if re.search("\r?\n(?![ \t])|\0", v):
        raise Refused("header-value", "line break or NUL")
    v = re.sub("\r?\n", " ", v)
    if "\r" in v:
        raise Refused("header-value", "carriage return")
    return v.strip(" \t")


class Request:
    def __init__(self, given, method):
        self.headers = []
        for name, v in given["headers"]:
            name = name.strip(" \t")
            if not NAME.fullmatch(name):
                raise Refused("header-name", name)
            self.headers.append((name, clean(v)))
        if not NAME.fullmatch(method):
            raise Refused("method", method)
        self.method, self.bucket, self.key = method.upper(), given["bucket"], given["key"]
        if not self.bucket or "/" in self.bucket:
            raise Refused("bucket", self.bucket)

    def header(self, name):
        found = [v for n, v in self.headers if n.lower() == name]
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def extra(self):
        prefix, merged = WORDS["headerPrefix"], {}
        for n, v in self.headers:
            if n.startswith(prefix):
                merged[n.lower()] = merged[n.lower()] + "," + v if n.lower() in merged else v
        return "".join("%s:%s\n" % (n, merged[n]) for n in sorted(merged))

    def sign(self, pri, md5, mime, date):
        text = "\n".join((self.method, md5, mime, date, self.extra() + "/" + self.bucket + "/" + self.key))
        return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def token(pub, signature):
    pub.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, signature)}


def put(given, pub, pri):
    r = Request(given, given["method"])
    return token(pub, r.sign(pri, r.header("content-md5"), r.header("content-type"), r.header("date")))


def form(given, pub, pri):
    r = Request(given, "POST")

    def field(name):
        found = [clean(v) for n, v in given["fields"] if n == name]
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else None
    mime, md5 = field("Content-Type"), None
    if not any(n.lower() == "content-md5" for n, _ in r.headers):
        md5 = field("Content-MD5")
    return token(pub, r.sign(pri, r.header("content-md5") if md5 is None else md5, mime or "", r.header("date")))


def hit(given, pub, pri):
    r = Request(given, "POST")
    out = token(pub, r.sign(pri, r.header("content-md5"), "", r.header("date")))
    out["target"] = "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (encode(given["etag"]), encode(given["key"]), encode(given["size"]))
    return out


def link(given, pub, pri):
    r = Request(given, given["method"])
    path = "/".join(encode(p) for p in given["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], encode(pub),
                                                                 encode(given["expires"]), encode(r.sign(pri, "", "", given["expires"])))}


serve("kotlin-android", {"authorization": put, "form-authorization": form, "instant-upload": hit, "presigned-url": link})
