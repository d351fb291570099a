#!/usr/bin/env python3
"""A Dart/Flutter package (dart:io HttpHeaders, Uri.encodeQueryComponent, ByteData).

Mistakes:
1. The query of an instant upload is encoded with Uri.encodeQueryComponent: a space becomes "+" (the path and query of a pre-signed URL use Uri.encodeComponent and are right).
2. Runs of blanks inside the value of an extra header become one space (positional headers are kept as they are).
3. Extra headers are sorted as whole lines "name:value", so a name that continues another one with "-" or a digit comes before it (x-svc-a-b before x-svc-a).
4. The block count of an ETag is written in big-endian order (ByteData.setUint32 without Endian.little).
5. A file of exactly 4 MiB is hashed like a large one: SHA-1 of the SHA-1 of its only block.
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

_token = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class Uri:
    @staticmethod
    def encodeComponent(s):
        return "".join(chr(b) if re.match(rb"[A-Za-z0-9._~-]", bytes([b])) else "%{:02X}".format(b) for b in s.encode("utf-8"))

    @staticmethod
    def encodeQueryComponent(s):
        return Uri.encodeComponent(s).replace("%20", "+")


def _clean(name, value):
    value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    value.encode("utf-8")
    return value


class Signer:
    def __init__(self, o, pub, pri, verb=None):
        self.o, self.pub, self.pri = o, pub, pri
        self.headers = {}
        for name, value in o["headers"]:
            name = name.strip(" \t")
            if not _token.fullmatch(name):
                raise Refused("header-name", name)
            self.headers.setdefault(name.lower(), []).append(_clean(name, value))
        if verb is None and not _token.fullmatch(o["method"]):
            raise Refused("method", o["method"])
        self.verb = verb or o["method"].upper()
        if o["bucket"] == "" or "/" in o["bucket"]:
            raise Refused("bucket", o["bucket"])

    def value(self, name):
        return self.only(self.headers.get(name, []))

    @staticmethod
    def only(values):
        if len(values) > 1:
            raise Refused("header-repeated", "more than one")
        return values[0] if values else ""

    def canonicalHeaders(self):
        lines = []
        for name, values in self.headers.items():
            if name.startswith(WORDS["headerPrefix"].lower()):
                lines.append(name + ":" + ",".join(re.sub("[ \t]+", " ", v) for v in values))
        lines.sort()
        return "".join(line + "\n" for line in lines)

    def signature(self, md5, mime, date):
        s = "\n".join([self.verb, md5, mime, date, self.canonicalHeaders() + "/" + self.o["bucket"] + "/" + self.o["key"]])
        return base64.b64encode(hmac.new(self.pri.encode("utf-8"), s.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")

    def credentials(self, signature):
        self.pub.encode("utf-8")
        return WORDS["scheme"] + " " + self.pub + ":" + signature

    def authorization(self):
        return self.credentials(self.signature(self.value("content-md5"), self.value("content-type"), self.value("date")))

    def form(self):
        fields = {}
        for n, v in self.o["fields"]:
            if n in ("Content-Type", "Content-MD5"):
                fields.setdefault(n, []).append(_clean(n, v))
        md5 = self.headers.get("content-md5") or fields.get("Content-MD5", [])
        return self.credentials(self.signature(self.only(md5), self.only(fields.get("Content-Type", [])), self.value("date")))

    def presigned(self):
        o = self.o
        signature = self.signature("", "", o["expires"])
        path = "/".join(Uri.encodeComponent(s) for s in o["key"].split("/"))
        return o["scheme"] + "://" + o["bucket"] + "." + o["fileHost"] + "/" + path + "?" + "&".join(
            n + "=" + Uri.encodeComponent(v) for n, v in
            [(WORDS["publicKeyParameter"], self.pub), ("Expires", o["expires"]), ("Signature", signature)])


def instant(o, pub, pri):
    query = {"Hash": o["etag"], "FileName": o["key"], "FileSize": o["size"]}
    return {"target": "/uploadhit?" + "&".join(n + "=" + Uri.encodeQueryComponent(v) for n, v in query.items()),
            "authorization": Signer(o, pub, pri, "POST").authorization()}


def etag(o, pub, pri):
    data = content(o["content"])
    size = 4 << 20
    blocks = [data[i:i + size] for i in range(0, len(data), size)]
    if len(data) < size:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(b).digest() for b in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack(">I", len(blocks)) + digest).decode("ascii")}


serve("dart-storage", {
    "authorization": lambda *a: {"authorization": Signer(*a).authorization()},
    "form-authorization": lambda *a: {"authorization": Signer(*a, "POST").form()},
    "instant-upload": instant,
    "presigned-url": lambda *a: {"url": Signer(*a).presigned()},
    "etag": etag,
})
