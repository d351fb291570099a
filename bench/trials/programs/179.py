#!/usr/bin/env python3
"""A C# client for files (.NET): Authorization header, form upload and pre-signed URLs.

Mistakes:
1. Extra headers are sorted with string.Compare of the current culture, which compares without the hyphens first:
   x-svc-meta-ab comes before x-svc-meta-a-c; the other way round by characters. (All three operations.)
2. The pre-signed URL is passed through System.Uri, which removes dot segments: key a/../b has the path /b and x/./y the path /x/y. The
   signed text has the key as given.
3. The signed Content-Type, of the header as well as of the form field, is what MediaTypeHeaderValue.ToString() writes: exactly one space
   after each semicolon and no space before it, so text/plain;charset=utf-8 is signed as text/plain; charset=utf-8.
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

TCHAR = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def field_value(raw):
    raw.encode("utf-8")
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", raw)
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "control character")
    return value.strip(" \t")


class Request:
    def __init__(self, method, given):
        self.bucket, self.key = given["bucket"], given["key"]
        self.headers = []
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if not re.fullmatch(TCHAR, name):
                raise Refused("header-name", name)
            self.headers.append((name.lower(), field_value(value)))
        if not re.fullmatch(TCHAR, method):
            raise Refused("method", method)
        self.method = method.upper()
        if not self.bucket or "/" in self.bucket:
            raise Refused("bucket", self.bucket)

    def only(self, values, name):
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def header(self, name):
        return self.only([v for n, v in self.headers if n == name], name)

    def extra(self):
        merged = {}
        for n, v in self.headers:
            if n.startswith(WORDS["headerPrefix"].lower()):
                merged[n] = merged[n] + "," + v if n in merged else v
        return "".join(n + ":" + merged[n] + "\n" for n in sorted(merged, key=lambda n: (n.replace("-", ""), n)))

    def text(self, md5, mime, when):
        return self.method + "\n" + md5 + "\n" + mime + "\n" + when + "\n" + self.extra() + "/" + self.bucket + "/" + self.key


def media_type(value):
    return re.sub(r"[ \t]*;[ \t]*", "; ", value)


def hmac_sha1(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode()


def header_of(text, pub, pri):
    pub.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, hmac_sha1(text, pri))}


def authorization(given, pub, pri):
    r = Request(given["method"], given)
    return header_of(r.text(r.header("content-md5"), media_type(r.header("content-type")), r.header("date")), pub, pri)


def form(given, pub, pri):
    r = Request("POST", given)
    mimes = [field_value(v) for n, v in given["fields"] if n == "Content-Type"]
    sums = [field_value(v) for n, v in given["fields"] if n == "Content-MD5"]
    own = [v for n, v in r.headers if n == "content-md5"]
    md5 = r.only(own or sums, "Content-MD5")
    return header_of(r.text(md5, media_type(r.only(mimes, "Content-Type")), r.header("date")), pub, pri)


def escape(s):
    return "".join("%%%02X" % b if not re.match("[A-Za-z0-9_.~-]", chr(b)) else chr(b) for b in s.encode("utf-8"))


def uri_path(key):
    """The path as System.Uri leaves it (RFC 3986, 5.2.4)."""
    out = []
    parts = [escape(p) for p in key.split("/")]
    for i, p in enumerate(parts):
        last = i == len(parts) - 1
        if p == "..":
            out[-1:] = []
        elif p != ".":
            out.append(p)
            continue
        if last:
            out.append("")
    return "/" + "/".join(out)


def presign(given, pub, pri):
    r = Request(given["method"], given)
    signature = hmac_sha1(r.text("", "", given["expires"]), pri)
    return {"url": given["scheme"] + "://" + r.bucket + "." + given["fileHost"] + uri_path(r.key) + "?" + WORDS["publicKeyParameter"]
            + "=" + escape(pub) + "&Expires=" + escape(given["expires"]) + "&Signature=" + escape(signature)}


serve("dotnet-file", {"authorization": authorization, "form-authorization": form, "presigned-url": presign})
