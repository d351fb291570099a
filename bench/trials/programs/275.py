#!/usr/bin/env python3
"""A Python file client on requests: uploads, forms, instant upload, links, policies and ETags.

Mistakes:
1. Writes FileName of the instant upload with urllib.parse.quote_plus: a space of the key becomes a plus sign.
2. Takes 4 MB for 4,000,000 bytes when it cuts a file into blocks for the ETag.
3. If there is no Content-Type header, guesses the type from the key (mimetypes.guess_type) and signs it, in uploads and in the instant upload, without
   adding the header to the request.
4. Makes the policy with a plain json.dumps: a space follows each comma and colon, and letters outside ASCII are \\u escapes.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import quote, quote_plus

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

TYPES = {".txt": "text/plain", ".html": "text/html", ".htm": "text/html", ".json": "application/json", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif",
         ".css": "text/css", ".js": "text/javascript", ".csv": "text/csv", ".pdf": "application/pdf", ".zip": "application/zip", ".mp4": "video/mp4", ".mp3": "audio/mpeg", ".xml": "text/xml",
         ".tar": "application/x-tar", ".bin": "application/octet-stream", ".svg": "image/svg+xml"}


def guess(key):
    """As mimetypes.guess_type, with the usual types."""
    return TYPES.get(os.path.splitext(key.rpartition("/")[2])[1].lower(), "")


def is_token(s):
    return re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", s, re.A) is not None


def normal(value):
    value.encode("utf-8")
    if re.search(r"\n(?![ \t])|\r(?!\n)|\0", value):
        raise Refused("header-value", "line break or NUL")
    return re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")


class Auth:
    def __init__(self, given, pub, pri):
        self.given, self.pub, self.pri, self.headers = given, pub, pri, {}
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if not is_token(name):
                raise Refused("header-name", name)
            self.headers.setdefault(name.lower(), []).append(normal(value))
        if not is_token(given.get("method", "POST")):
            raise Refused("method", given["method"])
        if "/" in given["bucket"] or not given["bucket"]:
            raise Refused("bucket", given["bucket"])

    def get(self, name):
        return self.only(self.headers.get(name, []), name)

    def only(self, values, name):
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def upload_type(self):
        return self.get("content-type") if "content-type" in self.headers else guess(self.given["key"])

    def sign(self, method, md5, mime, date, tail=""):
        prefix = WORDS["headerPrefix"].lower()
        extra = ["%s:%s\n" % (n, ",".join(v)) for n, v in sorted(self.headers.items()) if n.startswith(prefix)]
        text = "%s\n%s\n%s\n%s\n%s/%s/%s%s" % (method.upper(), md5, mime, date, "".join(extra), self.given["bucket"], self.given["key"], tail)
        self.pub.encode("utf-8")
        return base64.b64encode(hmac.new(self.pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode()

    def header(self, signature):
        return "%s %s:%s" % (WORDS["scheme"], self.pub, signature)

    def upload(self, method, tail=""):
        return self.header(self.sign(method, self.get("content-md5"), self.upload_type(), self.get("date"), tail))


def form(given, pub, pri):
    a = Auth(given, pub, pri)
    fields = {}
    for name, value in given["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            fields.setdefault(name, []).append(normal(value))
    md5 = a.get("content-md5") if "content-md5" in a.headers else a.only(fields.get("Content-MD5", []), "Content-MD5")
    return {"authorization": a.header(a.sign("POST", md5, a.only(fields.get("Content-Type", []), "Content-Type"), a.get("date")))}


def with_policy(given, pub, pri):
    value = Auth(given, pub, pri).upload(given["method"], given["policy"])
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}


def policy(given, pub, pri):
    text = "{" + ", ".join("%s: %s" % (json.dumps(n), json.dumps(v)) for n, v in given["members"]) + "}"
    for n, v in given["members"]:
        (n + v).encode("utf-8")
    return {"policy": base64.urlsafe_b64encode(text.encode()).decode()}


def hit(given, pub, pri):
    value = Auth(given, pub, pri).upload("POST")
    return {"target": "/uploadhit?Hash=" + quote(given["etag"], "") + "&FileName=" + quote_plus(given["key"]) + "&FileSize=" + quote(given["size"], ""), "authorization": value}


def link(given, pub, pri):
    signature = Auth(given, pub, pri).sign(given["method"], "", "", given["expires"])
    query = [(WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", signature)]
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + quote(given["key"]) + "?" + "&".join(n + "=" + quote(v, "") for n, v in query)}


def etag(given, pub, pri):
    data, block = content(given["content"]), 4000000
    hashes = [hashlib.sha1(data[i:i + block]).digest() for i in range(0, len(data), block)]
    digest = hashlib.sha1(data).digest() if len(hashes) < 2 else hashlib.sha1(b"".join(hashes)).digest()
    return {"etag": base64.urlsafe_b64encode(len(hashes).to_bytes(4, "little") + digest).decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode()}


serve("python-requests", {
    "authorization": lambda g, pub, pri: {"authorization": Auth(g, pub, pri).upload(g["method"])},
    "form-authorization": form, "policy-authorization": with_policy, "policy": policy, "instant-upload": hit, "presigned-url": link, "etag": etag, "part-etag": part_etag,
})
