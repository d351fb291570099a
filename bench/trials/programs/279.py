#!/usr/bin/env python3
"""File management for the browser, ported from JavaScript: fetch() with a Headers object, encodeURIComponent, btoa.

Mistakes:
1. Headers come from a Headers object, which joins the values of a repeated name with comma and blank. Repeated extra headers are signed
   that way, and a repeated positional header is signed as one value instead of being refused.
2. encodeURIComponent leaves ! ' ( ) and * unencoded.
3. Tests extra headers with `if (value)`, so one whose value is empty is not signed.
"""
import base64
import hashlib
import hmac
import os
import re
import string
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

TCHAR = set(string.ascii_letters + string.digits + "!#$%&'*+.^_`|~-")
PLAIN = set(string.ascii_letters + string.digits + "-_.~!'()*")


def token(text, reason):
    if not text or not set(text) <= TCHAR:
        raise Refused(reason, "not a token: " + ascii(text))
    return text


def encode_uri_component(text):
    return "".join(chr(b) if chr(b) in PLAIN else "%%%02X" % b for b in text.encode("utf-8"))


def normalize(value):
    value.encode("utf-8")
    parts = re.split(r"\r?\n", value)
    if len(parts) > 1 and all(p[:1] in (" ", "\t") and p for p in parts[1:]):
        words = [p.strip(" \t") for p in parts]
        value = " ".join([words[0]] + [w for w in words[1:-1] if w] + [words[-1]])
    value = value.strip(" \t")
    if set(value) & set("\r\n\0"):
        raise Refused("header-value", "a line break or NUL")
    return value


JOINT = ", "


class Headers:
    def __init__(self, pairs):
        self.map = {}
        for name, value in pairs:
            self.append(token(name.strip(" \t"), "header-name").lower(), normalize(value))

    def append(self, name, value):
        self.map[name] = self.map[name] + JOINT + value if name in self.map else value

    def get(self, name):
        return self.map.get(name, "")

    def extra(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join(n + ":" + self.map[n] + "\n" for n in sorted(self.map) if n.startswith(prefix) and self.kept(n))

    def kept(self, name):
        return bool(self.map[name])


def check(method, bucket):
    token(method, "method")
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", "no bucket name")


def sign(pri, method, md5, mime, when, headers, bucket, key):
    text = "\n".join([method.upper(), md5, mime, when, headers.extra() + "/" + bucket + "/" + key])
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def header(given, pub, pri, method):
    pub.encode("utf-8")
    h = Headers(given["headers"])
    check(method, given["bucket"])
    signature = sign(pri, method, h.get("content-md5"), h.get("content-type"), h.get("date"), h, given["bucket"], given["key"])
    return WORDS["scheme"] + " " + pub + ":" + signature


def hit(given, pub, pri):
    query = [("Hash", given["etag"]), ("FileName", given["key"]), ("FileSize", given["size"])]
    return {"authorization": header(given, pub, pri, "POST"),
            "target": "/uploadhit?" + "&".join(n + "=" + encode_uri_component(v) for n, v in query)}


def presign(given, pub, pri):
    h = Headers(given["headers"])
    check(given["method"], given["bucket"])
    signature = sign(pri, given["method"], "", "", given["expires"], h, given["bucket"], given["key"])
    path = "/".join(map(encode_uri_component, given["key"].split("/")))
    query = [(WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", signature)]
    return {"url": "%s://%s.%s/%s?%s" % (given["scheme"], given["bucket"], given["fileHost"], path,
                                         "&".join(n + "=" + encode_uri_component(v) for n, v in query))}


def part(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode("ascii")}


serve("browser-files", {
    "url-encode": lambda given, pub, pri: {"encoded": encode_uri_component(given["text"])},
    "authorization": lambda given, pub, pri: {"authorization": header(given, pub, pri, given["method"])},
    "instant-upload": hit,
    "presigned-url": presign,
    "part-etag": part,
})
