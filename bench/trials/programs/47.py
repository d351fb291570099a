#!/usr/bin/env python3
"""A port of a Python 2 client for Amazon S3 (Signature Version 2, after boto).

1. The key is quoted in the canonical resource, with urllib.quote of Python 2, so ~ is %7E too (in the path of a URL that is right).
2. If there is an extra header x-svc-date, the line of Date is empty.
3. A pre-signed URL signs Content-MD5 and Content-Type if the headers have them.
4. The policy is b64encode(json.dumps(policy)): standard Base64, of JSON with a blank after each comma and colon.
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
from serving import Refused, serve, WORDS  # noqa: E402


ALWAYS_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def quote(text, safe=b"/"):
    return "".join(chr(c) if c in ALWAYS_SAFE or c in safe else "%%%02X" % c for c in text.encode("utf-8"))


def check(value):
    value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value).strip(" \t")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "line break")
    value.encode("utf-8")
    return value


def interesting(headers, unused):
    """Positional headers and the extra ones, by lower-case name."""
    out, prefix = {"content-md5": "", "content-type": "", "date": ""}, WORDS["headerPrefix"].lower()
    seen = set()
    for name, value in headers:
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        lk, value = name.lower(), check(value)
        if lk in ("content-md5", "content-type", "date"):
            if lk in seen and lk not in unused:
                raise Refused("header-repeated", name)
            out[lk] = value
        elif lk.startswith(prefix):
            out[lk] = out[lk] + "," + value if lk in seen else value
        seen.add(lk)
    return out, prefix, seen


def canonical_string(method, bucket, key, headers, expires=None, form=None):
    if not TOKEN.fullmatch(method):
        raise Refused("method", method)
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    out, prefix, seen = interesting(headers, (["date"] if expires is not None else []) + (["content-type"] if form is not None else []))
    if form is not None:
        out["content-type"] = form.get("Content-Type", "")
        if "content-md5" not in seen:
            out["content-md5"] = form.get("Content-MD5", "")
    if prefix + "date" in out:
        out["date"] = ""
    if expires is not None:
        out["date"] = expires
    buf = method.upper() + "\n" + out["content-md5"] + "\n" + out["content-type"] + "\n" + out["date"] + "\n"
    for name in sorted(out):
        if name.startswith(prefix):
            buf += "%s:%s\n" % (name, out[name])
    return buf + "/" + bucket + "/" + quote(key)


def sign_string(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def add_auth(public, private, text):
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], public, sign_string(private, text))}


def authorization(q, public, private):
    return add_auth(public, private, canonical_string(q["method"], q["bucket"], q["key"], q["headers"]))


def form(q, public, private):
    fields = {}
    for name, value in q["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            if name in fields:
                raise Refused("header-repeated", name)
            fields[name] = check(value)
    return add_auth(public, private, canonical_string("POST", q["bucket"], q["key"], q["headers"], form=fields))


def generate_url(q, public, private):
    signature = sign_string(private, canonical_string(q["method"], q["bucket"], q["key"], q["headers"], expires=q["expires"]))
    escape = lambda text: quote(text, b"~")
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (q["scheme"], q["bucket"], q["fileHost"], quote(q["key"], b"/~"), WORDS["publicKeyParameter"],
                                                                    escape(public), escape(q["expires"]), escape(signature))}


def policy(q, public, private):
    text = "{" + ", ".join(json.dumps(n) + ": " + json.dumps(v) for n, v in q["members"]) + "}"
    for pair in q["members"]:
        "".join(pair).encode("utf-8")
    return {"policy": base64.b64encode(text.encode("utf-8")).decode("ascii")}


serve("boto-port", {"authorization": authorization, "form-authorization": form, "presigned-url": generate_url, "policy": policy})
