#!/usr/bin/env python3
"""A file SDK thought out in Java (URLEncoder, HashMap of headers), written down in Python.

Mistakes:
1. Keeps the extra headers in a HashMap by lower-case name, so of a repeated extra header only the last value is signed.
2. Encodes with java.net.URLEncoder in the instant upload's target and in the pre-signed URL: a space becomes +, * stays and
   ~ becomes %7E.
3. Signs the Content-Type header of the request for a form upload, in place of the form field Content-Type.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402


class URLEncoder:
    KEEP = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-*_"

    @classmethod
    def encode(cls, s):
        out = []
        for b in bytearray(s.encode("utf-8")):
            if b == 0x20:
                out.append("+")
            elif chr(b) in cls.KEEP:
                out.append(chr(b))
            else:
                out.append("%{:02X}".format(b))
        return "".join(out)


def isToken(s):
    return re.match(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z", s) is not None


def clean(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    for c in "\r\n\0":
        if c in value:
            raise Refused("header-value", "line break")
    value.encode("utf-8")
    return value


class Request:
    def __init__(self, method, bucket, key, pairs):
        if not isToken(method):
            raise Refused("method", method)
        if not bucket or bucket.find("/") >= 0:
            raise Refused("bucket", bucket)
        self.method = method.upper()
        self.bucket = bucket
        self.key = key
        self.standard = {"content-md5": [], "content-type": [], "date": []}
        self.extra = {}
        for name, value in pairs:
            name = name.strip(" \t")
            if not isToken(name):
                raise Refused("header-name", name)
            low = name.lower()
            value = clean(value)
            if low in self.standard:
                self.standard[low].append(value)
            elif low.startswith(WORDS["headerPrefix"].lower()):
                self.extra[low] = value

    def getHeader(self, name):
        values = self.standard[name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""


class Signer:
    def __init__(self, publicKey, privateKey):
        self.publicKey = publicKey
        self.privateKey = privateKey

    def sign(self, request, md5, type_, date, suffix=""):
        sb = [request.method, "\n", md5, "\n", type_, "\n", date, "\n"]
        for name in sorted(request.extra):
            sb += [name, ":", request.extra[name], "\n"]
        sb += ["/", request.bucket, "/", request.key, suffix]
        mac = hmac.new(self.privateKey.encode("utf-8"), digestmod=hashlib.sha1)
        mac.update("".join(sb).encode("utf-8"))
        return base64.standard_b64encode(mac.digest()).decode("ascii")

    def header(self, request, suffix=""):
        signature = self.sign(request, request.getHeader("content-md5"), request.getHeader("content-type"),
                              request.getHeader("date"), suffix)
        return WORDS["scheme"] + " " + self.publicKey + ":" + signature


def authorization(o, pub, pri):
    return {"authorization": Signer(pub, pri).header(Request(o["method"], o["bucket"], o["key"], o["headers"]))}


def policyAuthorization(o, pub, pri):
    value = Signer(pub, pri).header(Request(o["method"], o["bucket"], o["key"], o["headers"]), o["policy"])
    return {"authorization": value + ":" + o["policy"]}


def formAuthorization(o, pub, pri):
    request = Request("POST", o["bucket"], o["key"], o["headers"])
    fields = {"Content-MD5": [], "Content-Type": []}
    for name, value in o["fields"]:
        if name in fields:
            fields[name].append(clean(value))
    md5 = request.standard["content-md5"] or fields["Content-MD5"]
    if len(md5) > 1:
        raise Refused("header-repeated", "Content-MD5")
    signer = Signer(pub, pri)
    signature = signer.sign(request, md5[0] if md5 else "", request.getHeader("content-type"), request.getHeader("date"))
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, signature)}


def instantUpload(o, pub, pri):
    request = Request("POST", o["bucket"], o["key"], o["headers"])
    target = "/uploadhit?Hash=" + URLEncoder.encode(o["etag"])
    target += "&FileName=" + URLEncoder.encode(o["key"])
    target += "&FileSize=" + URLEncoder.encode(o["size"])
    return {"target": target, "authorization": Signer(pub, pri).header(request)}


def presignedUrl(o, pub, pri):
    request = Request(o["method"], o["bucket"], o["key"], o["headers"])
    signature = Signer(pub, pri).sign(request, "", "", o["expires"])
    url = o["scheme"] + "://" + o["bucket"] + "." + o["fileHost"] + "/"
    url += URLEncoder.encode(o["key"]).replace("%2F", "/")
    url += "?" + WORDS["publicKeyParameter"] + "=" + URLEncoder.encode(pub)
    url += "&Expires=" + URLEncoder.encode(o["expires"])
    return {"url": url + "&Signature=" + URLEncoder.encode(signature)}


def policy(o, pub, pri):
    text = json.dumps(dict(o["members"]), ensure_ascii=False, separators=(",", ":"))
    return {"policy": base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii")}


serve("java-file-sdk", {
    "authorization": authorization,
    "policy-authorization": policyAuthorization,
    "form-authorization": formAuthorization,
    "instant-upload": instantUpload,
    "presigned-url": presignedUrl,
    "policy": policy,
})
