#!/usr/bin/env python3
"""A Python SDK for files built on requests: Authorization, callback policies and instant upload.

Mistakes:
1. If no Content-Type is given for a PUT, the signed one is guessed from the extension of the key (mimetypes: .txt, .html, .jpg, .jpeg, .png,
   .json, .pdf, .css, .zip), although the headers are sent as they are given (authorization and policy-authorization).
2. The policy is json.dumps of the members with its default separators, so it has a space after each colon and comma, and characters outside
   ASCII are \\u escapes: it is not compact JSON (policy).
3. instant-upload signs with PUT, the method of the upload that it stands for, instead of POST.
4. Values of a repeated extra header are joined as requests joins them, with a comma and a space.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

TYPES = {".txt": "text/plain", ".html": "text/html", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png",
         ".json": "application/json", ".pdf": "application/pdf", ".css": "text/css", ".zip": "application/zip"}
TOKEN = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")


def header_items(headers):
    for name, value in headers:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if "\r" in value or "\n" in value or "\0" in value:
            raise Refused("header-value", name)
        yield name.lower(), value


def string_to_sign(method, given, guess=True):
    headers = {}
    for name, value in header_items(given["headers"]):
        headers.setdefault(name, []).append(value)
    if not TOKEN.fullmatch(method):
        raise Refused("method", method)
    method = method.upper()
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    rows = [method]
    for name in ("content-md5", "content-type", "date"):
        values = headers.get(name, [])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        if name == "content-type" and not values and guess and method == "PUT":
            values = [TYPES.get(os.path.splitext(given["key"])[1].lower(), "")]
        rows.append(values[0] if values else "")
    prefix = WORDS["headerPrefix"].lower()
    rows += [name + ":" + ", ".join(headers[name]) for name in sorted(headers) if name.startswith(prefix)]
    return "\n".join(rows) + "\n/" + given["bucket"] + "/" + given["key"]


def token(text, pub, pri):
    pub.encode("utf-8")
    mac = hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
    return WORDS["scheme"] + " " + pub + ":" + base64.b64encode(mac.digest()).decode("ascii")


def authorization(given, pub, pri):
    return {"authorization": token(string_to_sign(given["method"], given), pub, pri)}


def policy(given, pub, pri):
    for pair in given["members"]:
        for text in pair:
            text.encode("utf-8")
    names = [name for name, _ in given["members"]]
    members = dict(given["members"]) if len(set(names)) == len(names) else None
    if members is None:
        text = "{" + ", ".join(json.dumps(n) + ": " + json.dumps(v) for n, v in given["members"]) + "}"
    else:
        text = json.dumps(members)
    return {"policy": base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii")}


def policy_authorization(given, pub, pri):
    value = token(string_to_sign(given["method"], given) + given["policy"], pub, pri)
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}


def quoted(text):
    return quote(text.encode("utf-8"), safe="~")


def instant(given, pub, pri):
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (quoted(given["etag"]), quoted(given["key"]), quoted(given["size"])),
            "authorization": token(string_to_sign("PUT", given, guess=False), pub, pri)}


serve("python-file", {"authorization": authorization, "policy": policy, "policy-authorization": policy_authorization, "instant-upload": instant})
