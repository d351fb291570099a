#!/usr/bin/env python3
"""Ruby (a Rails uploader): authorization, policy-authorization, form-authorization and password.

1. Extra headers are pairs that are sorted with headers.sort before they are merged, so that the values of a repeated header are
   joined in the order of their bytes, not as given.
2. The values of extra headers are unfolded with gsub(/\\s+/, " "): every run of whitespace (space, TAB, FF, VT) inside a value becomes
   one space, folded or not.
3. policy-authorization has a line feed between the resource and the policy in the string to sign.
4. password uses Base64.urlsafe_encode64: - and _ instead of + and /.
"""
import base64
import hashlib
import hmac
import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import WORDS, Refused, serve  # noqa: E402


def token(text, reason):
    if not text or re.search(r"[^!#$%&'*+\-.^_`|~0-9A-Za-z]", text):
        raise Refused(reason, text)
    return text


def blank(text):
    text = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", text)
    text = re.sub(r"\A[ \t]+|[ \t]+\Z", "", text)
    text.encode("utf-8")
    if re.search(r"[\x00\n\r]", text):
        raise Refused("header-value", "line break")
    return text


def hash_of(headers):
    return [(token(name.strip(" \t"), "header-name").lower(), blank(value)) for name, value in headers]


def only(values):
    values = list(values)
    if len(values) > 1:
        raise Refused("header-repeated", "twice")
    return (values or [""])[0]


def extra(headers):
    chosen = sorted((name, re.sub(r"[ \t\f\v]+", " ", value)) for name, value in headers
                    if name.startswith(WORDS["headerPrefix"].lower()))
    out = ""
    for name, group in itertools.groupby(chosen, key=lambda pair: pair[0]):
        out += name + ":" + ",".join(value for _, value in group) + "\n"
    return out


def bucket_of(given):
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    return given["bucket"]


def authorize(lines, headers, bucket, key, tail, public_key, private_key):
    string = "\n".join(lines) + "\n" + extra(headers) + "/%s/%s" % (bucket, key) + tail
    digest = hmac.HMAC(private_key.encode("utf-8"), string.encode("utf-8"), hashlib.sha1).digest()
    public_key.encode("utf-8")
    return WORDS["scheme"] + " " + public_key + ":" + base64.b64encode(digest).decode("ascii")


def header(given, public_key, private_key, tail=""):
    headers = hash_of(given["headers"])
    verb = token(given["method"], "method").upper()
    bucket = bucket_of(given)
    lines = [verb] + [only(v for n, v in headers if n == wanted) for wanted in ("content-md5", "content-type", "date")]
    return authorize(lines, headers, bucket, given["key"], tail, public_key, private_key)


def authorization(given, public_key, private_key):
    return {"authorization": header(given, public_key, private_key)}


def policy_authorization(given, public_key, private_key):
    policy = given["policy"]
    value = header(given, public_key, private_key, "\n" + policy)
    return {"authorization": value + ":" + policy if policy else value}


def form_authorization(given, public_key, private_key):
    headers = hash_of(given["headers"])
    bucket = bucket_of(given)
    fields = [(name, blank(value)) for name, value in given["fields"] if name in ("Content-Type", "Content-MD5")]
    md5 = only([v for n, v in headers if n == "content-md5"] or [v for n, v in fields if n == "Content-MD5"])
    mime = only(v for n, v in fields if n == "Content-Type")
    date = only(v for n, v in headers if n == "date")
    return {"authorization": authorize(["POST", md5, mime, date], headers, bucket, given["key"], "", public_key, private_key)}


def password(given, public_key, private_key):
    return {"value": base64.urlsafe_b64encode(given["text"].encode("utf-8")).decode("ascii")}


OPS = {"authorization": authorization, "policy-authorization": policy_authorization, "form-authorization": form_authorization,
       "password": password}

if __name__ == "__main__":
    serve("rails-uploader", OPS)
