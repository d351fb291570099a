#!/usr/bin/env python3
"""A file client ported from an S3 v2 gem (Ruby style: a Request object that is asked for its parts).

Mistakes:
1. Percent-encodes the key in the canonicalized resource (slashes stay), as S3 does.
2. A pre-signed URL signs the Content-MD5 and Content-Type headers in their positions when they are given, instead of leaving them empty.
3. A form upload without the form field Content-Type signs the request's Content-Type header instead of an empty line.
"""
import base64
import hashlib
import hmac
import re
from urllib.parse import quote
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")


def escape(s):
    return quote(s, safe="-_.~")


def squish(value):
    value.encode("utf-8")
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    if "\r" in value or "\n" in value or "\0" in value:
        raise Refused("header-value", "line break")
    return value


class Request:
    def __init__(self, verb, g, pub, pri):
        self.g, self.pub, self.pri = g, pub, pri
        self.headers = []
        for name, value in g["headers"]:
            name = name.strip(" \t")
            if not TOKEN.match(name):
                raise Refused("header-name", name)
            self.headers.append((name.lower(), squish(value)))
        if not TOKEN.match(verb):
            raise Refused("method", verb)
        self.verb = verb.upper()
        if g["bucket"] == "" or "/" in g["bucket"]:
            raise Refused("bucket", g["bucket"])

    def only(self, values, what):
        if len(values) > 1:
            raise Refused("header-repeated", what)
        return values[0] if values else ""

    def header(self, name):
        return self.only([v for n, v in self.headers if n == name], name)

    def field(self, name):
        return [squish(v) for n, v in self.g["fields"] if n == name]

    @property
    def amz(self):
        prefix = WORDS["headerPrefix"].lower()
        names = sorted({n for n, _ in self.headers if n.startswith(prefix)})
        return "".join("%s:%s\n" % (n, ",".join(v for m, v in self.headers if m == n)) for n in names)

    @property
    def resource(self):
        return "/%s/%s" % (self.g["bucket"], "/".join(map(escape, self.g["key"].split("/"))))

    def signature(self, md5, mime, date):
        text = "\n".join([self.verb, md5, mime, date, self.amz + self.resource])
        return base64.b64encode(hmac.new(self.pri.encode(), text.encode(), hashlib.sha1).digest()).decode()

    def authorization(self, md5, mime):
        self.pub.encode("utf-8")
        return {"authorization": "%s %s:%s" % (WORDS["scheme"], self.pub, self.signature(md5, mime, self.header("date")))}


def plain(g, pub, pri):
    r = Request(g["method"], g, pub, pri)
    return r.authorization(r.header("content-md5"), r.header("content-type"))


def form(g, pub, pri):
    r = Request("POST", g, pub, pri)
    types, sums = r.field("Content-Type"), r.field("Content-MD5")
    md5 = r.header("content-md5") if any(n == "content-md5" for n, _ in r.headers) else r.only(sums, "Content-MD5")
    return r.authorization(md5, r.only(types, "Content-Type") if types else r.header("content-type"))


def presigned(g, pub, pri):
    r = Request(g["method"], g, pub, pri)
    s = r.signature(r.header("content-md5"), r.header("content-type"), g["expires"])
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        g["scheme"], g["bucket"], g["fileHost"], "/".join(map(escape, g["key"].split("/"))),
        WORDS["publicKeyParameter"], escape(pub), escape(g["expires"]), escape(s))}


serve("ruby-files", {"authorization": plain, "form-authorization": form, "presigned-url": presigned})
