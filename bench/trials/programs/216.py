#!/usr/bin/env python3
"""An object client grown out of boto's auth handler for AWS signature version 2 (canonical_string).

Mistakes:
1. With an X-Svc-Date header the Date line is empty, as AWS does it for x-amz-date.
2. The key in the canonical resource is percent-encoded (urllib.parse.quote), in headers, forms and signed URLs.
3. Runs of white space inside the value of an extra header become one space (' '.join(value.split())).
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

INTERESTING = ("content-md5", "content-type", "date")
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")


def header_value(raw):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", raw).strip(" \t")
    value.encode("utf-8")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "line break or NUL")
    return value


def collapse(value):
    return " ".join(value.split())


def resource_key(key):
    return quote(key, safe="/~")


def has_svc_date(headers):
    return WORDS["headerPrefix"].lower() + "date" in headers


def collect(pairs):
    """A dictionary: lower-case name -> list of values."""
    out = {}
    for name, raw in pairs:
        name = name.strip(" \t")
        if not TOKEN.match(name):
            raise Refused("header-name", name)
        out.setdefault(name.lower(), []).append(header_value(raw))
    return out


def single(headers, name):
    values = headers.get(name, [])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def canonical_string(method, bucket, key, headers, expires=None, overrides=None):
    if not TOKEN.match(method):
        raise Refused("method", method)
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    interesting = {name: "" for name in INTERESTING}
    if expires is None:
        for name in INTERESTING:
            if overrides is None or name not in overrides:
                interesting[name] = single(headers, name)
        interesting.update(overrides or {})
        if has_svc_date(headers):
            interesting["date"] = ""
    else:
        interesting["date"] = expires
    buf = method.upper() + "\n"
    for name in INTERESTING:
        buf += interesting[name] + "\n"
    prefix = WORDS["headerPrefix"].lower()
    for name in sorted(n for n in headers if n.startswith(prefix)):
        buf += name + ":" + ",".join(collapse(v) for v in headers[name]) + "\n"
    return buf + "/" + bucket + "/" + resource_key(key)


def sign(text, private_key):
    return base64.b64encode(hmac.new(private_key.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def authorization(given, pub, pri):
    text = canonical_string(given["method"], given["bucket"], given["key"], collect(given["headers"]))
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign(text, pri))}


def form(given, pub, pri):
    headers = collect(given["headers"])
    types = [header_value(v) for n, v in given["fields"] if n == "Content-Type"]
    sums = [header_value(v) for n, v in given["fields"] if n == "Content-MD5"]
    over = {"content-type": types[0] if types else ""}
    if len(types) > 1:
        raise Refused("header-repeated", "Content-Type")
    if "content-md5" not in headers:
        if len(sums) > 1:
            raise Refused("header-repeated", "Content-MD5")
        over["content-md5"] = sums[0] if sums else ""
    text = canonical_string("POST", given["bucket"], given["key"], headers, overrides=over)
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign(text, pri))}


def generate_url(given, pub, pri):
    text = canonical_string(given["method"], given["bucket"], given["key"], collect(given["headers"]), expires=given["expires"])
    query = [(WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", sign(text, pri))]
    return {"url": "%s://%s.%s/%s?%s" % (given["scheme"], given["bucket"], given["fileHost"], quote(given["key"], safe="/~"),
                                         "&".join(n + "=" + quote(v, safe="~") for n, v in query))}


serve("boto-port", {"authorization": authorization, "form-authorization": form, "presigned-url": generate_url})
