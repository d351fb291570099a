#!/usr/bin/env python3
"""A Java SDK for Android with OkHttp: uploads with a header, a form or a callback policy, instant upload, ETags.

Mistakes:
1. Signs the Content-Type as MediaType.type() + "/" + MediaType.subtype(), that is, without its parameters: only what stands before
   the first semicolon, trimmed, is signed (of the header, and of the form field in form-authorization).
2. Encodes the policy with Base64.URL_SAFE but without NO_WRAP, and trims the result: a policy of more than 76 characters has a line
   feed after each 76 characters.
3. Writes the block count of the ETag with ByteBuffer.putInt, which is big-endian.
4. Takes File.getName() for the key of an instant upload: both FileName and the signed resource hold only what follows the key's
   last slash.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


class Headers:
    """okhttp3.Headers: a list of names and values, looked up without regard to case."""

    FOLD = re.compile("([ \t]*\r?\n[ \t]+)+")

    def __init__(self, pairs):
        self.pairs = []
        for name, value in pairs:
            self.pairs.append((self.checkName(name.strip(" \t")), self.clean(value)))

    @staticmethod
    def checkName(name):
        if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        return name.lower()

    @classmethod
    def clean(cls, value):
        value.encode("utf-8")
        value = cls.FOLD.sub(" ", value).strip(" \t")
        for c in "\r\n\0":
            if c in value:
                raise Refused("header-value", "a control character")
        return value

    def values(self, name):
        return [v for n, v in self.pairs if n == name]

    def get(self, name):
        found = self.values(name)
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def canonical(self):
        tree = {}
        for n, v in self.pairs:
            if n.startswith(WORDS["headerPrefix"].lower()):
                tree[n] = tree[n] + "," + v if n in tree else v
        out = ""
        for n in sorted(tree):
            out += n + ":" + tree[n] + "\n"
        return out


def mediaType(value):
    return value.split(";")[0].strip(" \t")


class Signer:
    def __init__(self, pub, pri):
        self.pub, self.pri = pub, pri

    def hmacSha1(self, text):
        mac = hmac.new(self.pri.encode("utf-8"), text.encode("utf-8"), "sha1")
        return base64.b64encode(mac.digest()).decode()

    @staticmethod
    def text(method, bucket, key, md5, mime, date, headers):
        if re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", method) is None:
            raise Refused("method", method)
        if not bucket or bucket.find("/") >= 0:
            raise Refused("bucket", bucket)
        return (method.upper() + "\n" + md5 + "\n" + mime + "\n" + date + "\n" + headers.canonical()
                + "/" + bucket + "/" + key)

    def header(self, text, policy=""):
        value = WORDS["scheme"] + " " + self.pub + ":" + self.hmacSha1(text + policy)
        return value + ":" + policy if policy else value

    def requestText(self, method, bucket, key, headers):
        return self.text(method, bucket, key, headers.get("content-md5"), mediaType(headers.get("content-type")),
                         headers.get("date"), headers)


def authorization(g, pub, pri):
    s = Signer(pub, pri)
    return {"authorization": s.header(s.requestText(g["method"], g["bucket"], g["key"], Headers(g["headers"])))}


def policyAuthorization(g, pub, pri):
    s = Signer(pub, pri)
    text = s.requestText(g["method"], g["bucket"], g["key"], Headers(g["headers"]))
    return {"authorization": s.header(text, g["policy"])}


def field(fields, name):
    found = [Headers.clean(v) for n, v in fields if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else None


def formAuthorization(g, pub, pri):
    headers = Headers(g["headers"])
    mime = field(g["fields"], "Content-Type") or ""
    for name, value in g["fields"]:
        if name == "Content-MD5":
            Headers.clean(value)
    md5 = headers.get("content-md5") if headers.values("content-md5") else field(g["fields"], "Content-MD5") or ""
    s = Signer(pub, pri)
    return {"authorization": s.header(s.text("POST", g["bucket"], g["key"], md5, mediaType(mime), headers.get("date"), headers))}


def policy(g, pub, pri):
    rows = [json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in g["members"]]
    flat = base64.urlsafe_b64encode(("{" + ",".join(rows) + "}").encode("utf-8")).decode()
    wrapped = "".join(flat[i:i + 76] + "\n" for i in range(0, len(flat), 76))
    return {"policy": wrapped.strip()}


def escape(s):
    return re.sub(rb"[^A-Za-z0-9._~-]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8")).decode()


def instantUpload(g, pub, pri):
    s = Signer(pub, pri)
    name = g["key"][g["key"].rfind("/") + 1:]
    auth = s.header(s.requestText("POST", g["bucket"], name, Headers(g["headers"])))
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (escape(g["etag"]), escape(name), escape(g["size"])),
            "authorization": auth}


def presigned(g, pub, pri):
    s = Signer(pub, pri)
    signature = s.hmacSha1(s.text(g["method"], g["bucket"], g["key"], "", "", g["expires"], Headers(g["headers"])))
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + "/".join(escape(x) for x in g["key"].split("/"))
            + "?" + WORDS["publicKeyParameter"] + "=" + escape(pub) + "&Expires=" + escape(g["expires"])
            + "&Signature=" + escape(signature)}


BLOCK = 4 * 1024 * 1024


def etag(g, pub, pri):
    data = content(g["content"])
    count = (len(data) + BLOCK - 1) // BLOCK
    sha = hashlib.sha1()
    if count <= 1:
        sha.update(data)
    else:
        for i in range(count):
            sha.update(hashlib.sha1(data[i * BLOCK:(i + 1) * BLOCK]).digest())
    return {"etag": base64.urlsafe_b64encode(struct.pack(">I", count) + sha.digest()).decode()}


def partEtag(g, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(g["content"])).digest()).decode()}


serve("android", {"authorization": authorization, "policy-authorization": policyAuthorization,
                  "form-authorization": formAuthorization, "policy": policy, "instant-upload": instantUpload,
                  "presigned-url": presigned, "etag": etag, "part-etag": partEtag})
