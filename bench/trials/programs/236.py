#!/usr/bin/env python3
"""A port of boto's S3 signing (canonical_string and generate_url of its S3 connection) to the file interface.

Mistakes:
1. As S3 does with x-amz-date: if a header X-Svc-Date is there, the Date line of the signed text is left empty (not in a pre-signed
   URL, where the expiry stands in it).
2. Header values are cleaned with " ".join(value.split()), as botocore does: every run of white space inside a value, folded or not,
   becomes one space, and any white space of Unicode (such as U+00A0 and U+3000) counts, at the ends too.
3. The extra headers are those whose names start with the prefix without its last hyphen, so X-Svcfoo is signed as well.
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
from serving import WORDS, Refused, serve  # noqa: E402

TCHAR = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
FOLD = re.compile(r"\r?\n(?=[ \t])")


def clean(value):
    value = FOLD.sub("", value)
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", repr(value))
    value.encode("utf-8")
    return " ".join(value.split())


class Provider:
    """What boto.provider holds for AWS or Google."""

    @property
    def header_prefix(self):
        return WORDS["headerPrefix"].lower().rstrip("-")

    @property
    def date_header(self):
        return WORDS["headerPrefix"].lower() + "date"

    @property
    def auth_scheme(self):
        return WORDS["scheme"]


provider = Provider()


def get_headers(pairs):
    headers = []
    for name, value in pairs:
        name = name.strip(" \t")
        if not TCHAR.fullmatch(name):
            raise Refused("header-name", repr(name))
        headers.append((name.lower(), clean(value)))
    return headers


def canonical_string(method, bucket, key, headers, expires=None):
    if not TCHAR.fullmatch(method):
        raise Refused("method", method)
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    interesting = {"content-md5": "", "content-type": "", "date": ""}
    extra, seen = {}, set()
    for lk, val in headers:
        if lk in interesting:
            if lk in seen and (expires is None):
                raise Refused("header-repeated", lk)
            seen.add(lk)
            interesting[lk] = val
        elif lk.startswith(provider.header_prefix):
            extra[lk] = extra[lk] + "," + val if lk in extra else val
    if provider.date_header in extra:
        interesting["date"] = ""
    if expires is not None:
        interesting = {"content-md5": "", "content-type": "", "date": expires}
    buf = method.upper() + "\n"
    for k in ("content-md5", "content-type", "date"):
        buf += "%s\n" % interesting[k]
    for k in sorted(extra):
        buf += "%s:%s\n" % (k, extra[k])
    return buf + "/%s/%s" % (bucket, key)


def sign_string(secret, string):
    mac = hmac.new(secret.encode("utf-8"), digestmod=hashlib.sha1)
    mac.update(string.encode("utf-8"))
    return base64.encodebytes(mac.digest()).decode("ascii").strip()


def add_auth(g, access, secret, method=None, tail=""):
    c_string = canonical_string(method or g["method"], g["bucket"], g["key"], get_headers(g["headers"]))
    access.encode("utf-8")
    auth = "%s %s:%s" % (provider.auth_scheme, access, sign_string(secret, c_string + tail))
    return auth + ":" + tail if tail else auth


def quote(text, safe=""):
    return urllib.parse.quote(text, safe=safe)


def authorization(g, access, secret):
    return {"authorization": add_auth(g, access, secret)}


def policy_authorization(g, access, secret):
    return {"authorization": add_auth(g, access, secret, tail=g["policy"])}


def instant_upload(g, access, secret):
    query = [("Hash", g["etag"]), ("FileName", g["key"]), ("FileSize", g["size"])]
    return {"target": "/uploadhit?" + "&".join("%s=%s" % (k, quote(v)) for k, v in query),
            "authorization": add_auth(g, access, secret, method="POST")}


def generate_url(g, access, secret):
    c_string = canonical_string(g["method"], g["bucket"], g["key"], get_headers(g["headers"]), g["expires"])
    encoded = quote(sign_string(secret, c_string))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        g["scheme"], g["bucket"], g["fileHost"], quote(g["key"], "/"), WORDS["publicKeyParameter"], quote(access),
        quote(g["expires"]), encoded)}


serve("boto-port", {
    "authorization": authorization,
    "policy-authorization": policy_authorization,
    "instant-upload": instant_upload,
    "presigned-url": generate_url,
})
