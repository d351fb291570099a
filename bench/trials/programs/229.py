#!/usr/bin/env python3
"""A port of a signer for Baidu BOS, with callback policies and instant upload.

Mistakes:
1. Percent-encodes the values of extra headers in the signed text, as BCE's canonical headers are.
2. Sorts the finished lines name:value rather than the names, so x-svc-meta-a-b comes before x-svc-meta-a.
3. Adds the policy to the signed text after a line break.
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
from serving import Refused, WORDS, serve  # noqa: E402


TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def clean(value):
    """A header's value: unfolded, trimmed, checked."""
    value = re.sub(r"([ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "a line break or NUL")
    return value


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if TOKEN.fullmatch(n) is None:
            raise Refused("header-name", n)
        out.append((n.lower(), clean(v)))
    return out


def single(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def verb_of(method):
    if TOKEN.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


def bucket_of(bucket):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    return bucket

def mac(text, private):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")

SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

def esc(text):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in text.encode("utf-8"))

POLICY_BREAK = "\n"


def normalize(value):
    return esc(value)


def line_key(line):
    return line


def bce_headers(headers):
    grouped = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            grouped.setdefault(name, []).append(normalize(value))
    lines = [name + ":" + ",".join(values) for name, values in grouped.items()]
    return "".join(line + "\n" for line in sorted(lines, key=line_key))


def string_to_sign(method, g):
    headers = read(g["headers"])
    head = verb_of(method)
    bucket_of(g["bucket"])
    rows = [head] + [single(headers, n) for n in ("content-md5", "content-type", "date")]
    return "".join(row + "\n" for row in rows) + bce_headers(headers) + "/%s/%s" % (g["bucket"], g["key"])


def header(pub, signature):
    return "%s %s:%s" % (WORDS["scheme"], pub, signature)


def authorization(g, pub, pri):
    return {"authorization": header(pub, mac(string_to_sign(g["method"], g), pri))}


def policy(g, pub, pri):
    # members may repeat, so not a dictionary
    body = ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in g["members"])
    return {"policy": base64.urlsafe_b64encode(("{" + body + "}").encode("utf-8")).decode("ascii")}


def with_policy(g, pub, pri):
    text = string_to_sign(g["method"], g)
    if not g["policy"]:
        return {"authorization": header(pub, mac(text, pri))}
    return {"authorization": header(pub, mac(text + POLICY_BREAK + g["policy"], pri)) + ":" + g["policy"]}


def instant(g, pub, pri):
    return {"authorization": header(pub, mac(string_to_sign("POST", g), pri)),
            "target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (esc(g["etag"]), esc(g["key"]), esc(g["size"]))}


serve("bos-port", {"authorization": authorization, "policy": policy, "policy-authorization": with_policy, "instant-upload": instant})
