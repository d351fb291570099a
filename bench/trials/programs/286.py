#!/usr/bin/env python3
"""File management ported from Go.

Mistakes:
1. The resource is path.Join("/", bucket, key): doubled slashes, "." and ".." parts and a slash at the end of the key vanish from the signed
   text, and an empty key leaves "/bucket" without its slash. The URL has the key as given.
2. In a form upload, a header Content-MD5 of the request is not looked at; only the form field counts.
3. Joins the values of a repeated extra header first and trims the joined text, so blanks at the inner ends of the values stay.
"""
import base64
import hashlib
import hmac
import os
import posixpath
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
FOLD = re.compile(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*")


def path_join(bucket, key):
    return posixpath.normpath("/" + bucket + "/" + key).replace("//", "/")


def unfold(value):
    value.encode("utf-8")
    bare = FOLD.sub(" ", value)
    if re.search(r"[\r\n\0]", bare.strip(" \t")):
        raise Refused("header-value", "invalid header field value")
    return bare


class Header:
    def __init__(self, pairs):
        self.rows = []
        for name, value in pairs:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", "invalid header field name")
            self.rows.append((name.lower(), unfold(value)))

    def values(self, name):
        return [value for n, value in self.rows if n == name]

    def get(self, name):
        return once(self.values(name), name)

    def canonical(self):
        names = sorted({n for n, _ in self.rows if n.startswith(WORDS["headerPrefix"].lower())})
        return "".join(n + ":" + join(self.values(n)) + "\n" for n in names)


def join(values):
    return ",".join(values).strip(" \t")


def once(values, name):
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0].strip(" \t") if values else ""


def form_md5(header, fields):
    return once(fields("Content-MD5"), "Content-MD5")


def sign(pri, method, md5, mime, when, header, given, tail=""):
    text = method + "\n" + md5 + "\n" + mime + "\n" + when + "\n" + header.canonical() + path_join(given["bucket"], given["key"]) + tail
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def verb(method):
    if not TOKEN.fullmatch(method):
        raise Refused("method", "invalid method")
    return method.upper()


def bucket(given):
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", "invalid bucket name")


def authorization(given, pub, pri):
    header, method = Header(given["headers"]), verb(given["method"])
    bucket(given)
    pub.encode("utf-8")
    policy = given.get("policy", "")
    signature = sign(pri, method, header.get("content-md5"), header.get("content-type"), header.get("date"), header, given, policy)
    return {"authorization": ":".join([WORDS["scheme"] + " " + pub, signature] + ([policy] if policy else []))}


def form(given, pub, pri):
    header = Header(given["headers"])
    bucket(given)
    pub.encode("utf-8")
    for name, value in given["fields"]:
        if name in ("Content-MD5", "Content-Type"):
            unfold(value)

    def fields(wanted):
        return [unfold(value) for name, value in given["fields"] if name == wanted]

    md5, mime = form_md5(header, fields), once(fields("Content-Type"), "Content-Type")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + sign(pri, "POST", md5, mime, header.get("date"), header, given)}


def escape(text, safe=""):
    return "".join(chr(b) if b < 128 and (chr(b).isalnum() or chr(b) in "-_.~" + safe) else "%%%02X" % b for b in text.encode("utf-8"))


def presign(given, pub, pri):
    header, method = Header(given["headers"]), verb(given["method"])
    bucket(given)
    signature = sign(pri, method, "", "", given["expires"], header, given)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + escape(given["key"], "/")
            + "?" + WORDS["publicKeyParameter"] + "=" + escape(pub) + "&Expires=" + escape(given["expires"])
            + "&Signature=" + escape(signature)}


serve("go-files", {
    "authorization": authorization,
    "policy-authorization": authorization,
    "form-authorization": form,
    "presigned-url": presign,
})
