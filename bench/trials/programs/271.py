#!/usr/bin/env python3
"""An uploader for iPhones in Swift: uploads with and without a callback policy, forms and ETags.

Mistakes:
1. Signs a form's Content-Type without its parameters: the author takes it from a UTType, so text/plain; charset=utf-8 becomes text/plain.
2. Counts the blocks of a file as max(1, ...), so the ETag of an empty file has the count 1.
3. Signs key.precomposedStringWithCanonicalMapping, because names from the file system are decomposed: a key that is not in NFC is signed as if it were.
4. Puts the policy on a line of its own (a line feed before it) at the end of the signed text.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import unicodedata

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

ALLOWED = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~")


def guard(condition, *reason):
    if not condition:
        raise Refused(*reason)


def tidy(raw):
    raw.encode("utf-8")
    lines = raw.replace("\r\n", "\n").split("\n")
    guard(all(line[:1] in (" ", "\t") and line for line in lines[1:]), "header-value", "line break")
    out = lines[0].rstrip(" \t") if len(lines) > 1 else lines[0]
    for i, line in enumerate(lines[1:], 2):
        line = line.strip(" \t") if i < len(lines) else line.lstrip(" \t")
        if line or i == len(lines):
            out = out.rstrip(" \t") + " " + line if line else out
    out = out.strip(" \t")
    guard("\r" not in out and "\0" not in out, "header-value", "control character")
    return out


def fields_of(given):
    found = []
    for name, raw in given["headers"]:
        name = name.strip(" \t")
        guard(name and set(name) <= ALLOWED, "header-name", name)
        found.append((name.lower(), tidy(raw)))
    return found


def single(found, name):
    values = [v for n, v in found if n == name]
    guard(len(values) < 2, "header-repeated", name)
    return values[0] if values else None


def text_to_sign(method, md5, mime, date, found, given):
    prefix = WORDS["headerPrefix"].lower()
    extra = ""
    for name in sorted({n for n, _ in found if n.startswith(prefix)}):
        extra += name + ":" + ",".join(v for n, v in found if n == name) + "\n"
    key = unicodedata.normalize("NFC", given["key"])
    return "%s\n%s\n%s\n%s\n%s/%s/%s" % (method, md5, mime, date, extra, given["bucket"], key)


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def upload_text(given):
    found = fields_of(given)
    guard(given["method"] and set(given["method"]) <= ALLOWED, "method", given["method"])
    guard(given["bucket"] and "/" not in given["bucket"], "bucket", given["bucket"])
    md5, mime, date = (single(found, n) or "" for n in ("content-md5", "content-type", "date"))
    return text_to_sign(given["method"].upper(), md5, mime, date, found, given)


def form_text(given):
    found = fields_of(given)
    guard(given["bucket"] and "/" not in given["bucket"], "bucket", given["bucket"])
    form = [(n, tidy(v)) for n, v in given["fields"] if n in ("Content-Type", "Content-MD5")]
    has_md5 = any(n == "content-md5" for n, _ in found)
    md5 = (single(found, "content-md5") if has_md5 else single(form, "Content-MD5")) or ""
    mime = (single(form, "Content-Type") or "").partition(";")[0].strip(" \t")
    return text_to_sign("POST", md5, mime, single(found, "date") or "", found, given)


def header(pub, signature, policy=""):
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature + (":" + policy if policy else "")}


def policy_upload(given, pub, pri):
    text, policy = upload_text(given), given["policy"]
    return header(pub, mac(text + "\n" + policy if policy else text, pri), policy)


def policy(given, pub, pri):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"]) + "}"
    return {"policy": base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii")}


def etag(given, pub, pri):
    data, size = content(given["content"]), 4 << 20
    count = max(1, (len(data) + size - 1) // size)
    if count == 1:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[i * size:(i + 1) * size]).digest() for i in range(count))).digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode("ascii")}


serve("swift-uploader", {
    "authorization": lambda g, pub, pri: header(pub, mac(upload_text(g), pri)),
    "form-authorization": lambda g, pub, pri: header(pub, mac(form_text(g), pri)),
    "policy": policy,
    "policy-authorization": policy_upload,
    "etag": etag,
    "part-etag": lambda g, pub, pri: {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(g["content"])).digest()).decode("ascii")},
})
