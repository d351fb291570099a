#!/usr/bin/env python3
"""An iOS SDK in Swift: Authorization, pre-signed URLs and ETags.

Mistakes:
1. Keys go through precomposedStringWithCanonicalMapping (NFC) before they are signed and put into a URL, so a key in decomposed form
   (e + U+0301) is signed as another key (authorization and presigned-url).
2. In the pre-signed URL the Signature is escaped with the character set urlQueryAllowed, which leaves + / and = as they are.
3. The loop that counts blocks starts at 1: the ETag of an empty file has block count 1 instead of 0 (etag).
4. Content-Type is signed in lower case (authorization).
"""
import base64
import hashlib
import hmac
import os
import re
import sys
import unicodedata

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
QUERY_ALLOWED = UNRESERVED + "!$&'()*+,;=:@/?"
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
BLOCK = 4 * 1024 * 1024


def adding_percent_encoding(text, allowed):
    return "".join(chr(b) if chr(b) in allowed else "%%%02X" % b for b in text.encode("utf-8"))


def unfolded(value):
    value.encode("utf-8")
    value = re.sub("[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "a line break")
    return value


class File:
    def __init__(self, given):
        if not TOKEN.fullmatch(given["method"]):
            raise Refused("method", given["method"])
        self.method = given["method"].upper()
        self.bucket = given["bucket"]
        if not self.bucket or "/" in self.bucket:
            raise Refused("bucket", self.bucket)
        self.key = unicodedata.normalize("NFC", given["key"])
        self.headers = []
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            self.headers.append((name.lower(), unfolded(value)))

    def value(self, name):
        values = [v for n, v in self.headers if n == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return "".join(values)

    def sign(self, md5, mime, when, pri):
        prefix = WORDS["headerPrefix"].lower()
        text = "\n".join([self.method, md5, mime, when, ""])
        for name in sorted({n for n, _ in self.headers if n.startswith(prefix)}):
            text += name + ":" + ",".join(v for n, v in self.headers if n == name) + "\n"
        text += "/" + self.bucket + "/" + self.key
        return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def authorization(given, pub, pri):
    f = File(given)
    pub.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, f.sign(f.value("content-md5"), f.value("content-type").lower(), f.value("date"), pri))}


def presigned(given, pub, pri):
    f = File(given)
    query = [(WORDS["publicKeyParameter"], adding_percent_encoding(pub, UNRESERVED)),
             ("Expires", adding_percent_encoding(given["expires"], UNRESERVED)),
             ("Signature", adding_percent_encoding(f.sign("", "", given["expires"], pri), QUERY_ALLOWED))]
    return {"url": given["scheme"] + "://" + f.bucket + "." + given["fileHost"] + "/" + adding_percent_encoding(f.key, UNRESERVED + "/")
            + "?" + "&".join(n + "=" + v for n, v in query)}


def etag(given, pub, pri):
    data = content(given["content"])
    count = 1
    while count * BLOCK < len(data):
        count += 1
    if count == 1:
        digest = hashlib.sha1(data).digest()
    else:
        outer = hashlib.sha1()
        for i in range(count):
            outer.update(hashlib.sha1(data[i * BLOCK:(i + 1) * BLOCK]).digest())
        digest = outer.digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode("ascii")}


serve("ios-file", {
    "authorization": authorization,
    "presigned-url": presigned,
    "etag": etag,
    "part-etag": lambda g, pub, pri: {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(g["content"])).digest()).decode("ascii")},
})
