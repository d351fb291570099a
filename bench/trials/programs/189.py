#!/usr/bin/env python3
"""A PHP client ported from the OSS SDK: upload forms, callbacks and plain requests.

Mistakes:
1. Skips an extra header if empty($value): a single extra header whose value is "" or "0" gives no line. (Of a repeated header,
   each such value is left out, and the line too if none is left.)
2. form-authorization: if the form field Content-Type is missing or empty, signs the Content-Type of the HTTP request.
3. The policy is encoded with base64_encode: standard Base64 with + and /, not the URL-safe one.
4. policy-authorization: the policy is appended to StringToSign after a line feed.
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
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def tidy(v):
    v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
    v.encode("utf-8")
    if re.search(r"[\r\n\0]", v):
        raise Refused("header-value", "line break or NUL")
    return v


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if not re.fullmatch(TOKEN, n):
            raise Refused("header-name", n)
        out.append((n.lower(), tidy(v)))
    return out


def single(values):
    if len(values) > 1:
        raise Refused("header-repeated")
    return values[0] if values else ""


def position(headers, name):
    return single([v for n, v in headers if n == name])


def verb(m):
    if not re.fullmatch(TOKEN, m):
        raise Refused("method", m)
    return m.upper()


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def extra(headers):
    groups = {}
    for n, v in headers:
        if n.startswith(WORDS["headerPrefix"].lower()) and v not in ("", "0"):
            groups.setdefault(n, []).append(v)
    return "".join(n + ":" + ",".join(groups[n]) + "\n" for n in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def text_of(method, bucket, key, given):
    h = read(given)
    return "\n".join([verb(method), position(h, "content-md5"), position(h, "content-type"), position(h, "date"),
                      extra(h) + resource(bucket, key)])


def credentials(pub, signature):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + signature


def authorization(g, pub, pri):
    return {"authorization": credentials(pub, mac(text_of(g["method"], g["bucket"], g["key"], g["headers"]), pri))}


def form(g, pub, pri):
    h = read(g["headers"])
    fields = [(n, tidy(v)) for n, v in g["fields"] if n in ("Content-Type", "Content-MD5")]
    mime = single([v for n, v in fields if n == "Content-Type"]) or position(h, "content-type")
    md5 = single([v for n, v in h if n == "content-md5"] or [v for n, v in fields if n == "Content-MD5"])
    text = "\n".join(["POST", md5, mime, position(h, "date"), extra(h) + resource(g["bucket"], g["key"])])
    return {"authorization": credentials(pub, mac(text, pri))}


def policy(g, pub, pri):
    body = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in g["members"]) + "}"
    return {"policy": base64.b64encode(body.encode("utf-8")).decode("ascii")}


def with_policy(g, pub, pri):
    text = text_of(g["method"], g["bucket"], g["key"], g["headers"])
    if not g["policy"]:
        return {"authorization": credentials(pub, mac(text, pri))}
    return {"authorization": credentials(pub, mac(text + "\n" + g["policy"], pri)) + ":" + g["policy"]}


serve("php-store", {
    "authorization": authorization,
    "form-authorization": form,
    "policy": policy,
    "policy-authorization": with_policy,
})
