#!/usr/bin/env python3
"""A Ruby gem's first version (Base64, CGI.escape, Array#sort).

1. The Password is Base64.encode64(text).chomp: long ones keep a line break after every 60 characters.
2. Extra headers are sorted as pairs [name, value], so the values of a repeated header are merged in the order of the values.
3. CGI.escape encodes the segments of a pre-signed URL's path: a space becomes +.
4. The ETag of a part is urlsafe_encode64(..., padding: false): the = at its end is missing.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402


BLOCK_SIZE = 4 * 1024 ** 2
TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def encode64(data):
    text = base64.b64encode(data).decode()
    return "".join(text[i:i + 60] + "\n" for i in range(0, len(text), 60))


def chomp(text):
    return text[:-1] if text.endswith("\n") else text


def cgi_escape(text):
    return urllib.parse.quote_plus(text, safe="")


def squish(value):
    value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value).strip(" \t")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", value)
    return value


class Signer:
    def __init__(self, public, private, headers):
        self.public, self.private, self.headers = public, private, []
        for name, value in headers:
            if not re.fullmatch(TOKEN, name):
                raise Refused("header-name", name)
            self.headers.append([name.lower(), squish(value)])

    def header(self, name):
        values = [v for n, v in self.headers if n == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else None

    def extra(self):
        merged = {}
        for name, value in sorted(h for h in self.headers if h[0].startswith(WORDS["headerPrefix"].lower())):
            merged.setdefault(name, []).append(value)
        return "".join("%s:%s\n" % (name, ",".join(values)) for name, values in merged.items())

    def sign(self, method, md5, type_, date, q):
        if not re.fullmatch(TOKEN, method):
            raise Refused("method", method)
        if not re.fullmatch(r"[^/]+", q["bucket"]):
            raise Refused("bucket", q["bucket"])
        text = "\n".join([method.upper(), md5 or "", type_ or "", date or "", ""]) + self.extra() + "/%s/%s" % (q["bucket"], q["key"])
        return chomp(encode64(hmac.new(self.private.encode(), text.encode(), hashlib.sha1).digest()))

    def header_value(self, signature):
        return "%s %s:%s" % (WORDS["scheme"], self.public, signature)


def authorization(q, public, private):
    s = Signer(public, private, q["headers"])
    return {"authorization": s.header_value(s.sign(q["method"], s.header("content-md5"), s.header("content-type"), s.header("date"), q))}


def form(q, public, private):
    s = Signer(public, private, q["headers"])

    def field(name):
        values = [squish(v) for n, v in q["fields"] if n == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else None
    type_, md5 = field("Content-Type"), s.header("content-md5")
    md5 = field("Content-MD5") if md5 is None else md5
    return {"authorization": s.header_value(s.sign("POST", md5, type_, s.header("date"), q))}


def presigned(q, public, private):
    s = Signer(public, private, q["headers"])
    signature = s.sign(q["method"], None, None, q["expires"], q)
    path = "/".join(map(cgi_escape, q["key"].split("/")))
    query = {WORDS["publicKeyParameter"]: public, "Expires": q["expires"], "Signature": signature}
    return {"url": "%s://%s.%s/%s?" % (q["scheme"], q["bucket"], q["fileHost"], path) + "&".join(k + "=" + cgi_escape(v) for k, v in query.items())}


def etag(q, public, private):
    data = content(q["content"])
    count = -(-len(data) // BLOCK_SIZE)
    digest = hashlib.sha1(data).digest()
    if count > 1:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[i * BLOCK_SIZE:][:BLOCK_SIZE]).digest() for i in range(count))).digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode()}


def part_etag(q, public, private):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(q["content"])).digest()).decode().rstrip("=")}


serve("ruby-gem", {"password": lambda q, public, private: {"value": chomp(encode64(q["text"].encode()))}, "authorization": authorization,
                   "form-authorization": form, "presigned-url": presigned, "etag": etag, "part-etag": part_etag})
