#!/usr/bin/env python3
"""A port of a signer for Huawei OBS, with its browser form upload.

Mistakes:
1. Leaves out extra headers with an empty value.
2. Signs the empty key as /<bucket>, without the slash at the end.
3. Joins the values of one extra header with a comma and a space.
4. In a form upload, takes the type from the request's header Content-Type, not from the form field.
"""
import base64
import hashlib
import hmac
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

JOINER = ", "
KEEP_EMPTY = False
SLASH_FOR_BUCKET = False
TYPE_FROM_FIELD = False


def obs_headers(headers):
    found = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()) and (value or KEEP_EMPTY):
            found.setdefault(name, []).append(value)
    lines = []
    for name in sorted(found):
        lines.append(name + ":" + JOINER.join(found[name]) + "\n")
    return "".join(lines)


def obs_resource(bucket, key):
    if key == "" and not SLASH_FOR_BUCKET:
        return "/" + bucket
    return "/" + bucket + "/" + key


def obs_text(method, md5, mime, when, headers, g):
    return method + "\n" + md5 + "\n" + mime + "\n" + when + "\n" + obs_headers(headers) + obs_resource(g["bucket"], g["key"])


def authorization(g, pub, pri):
    headers = read(g["headers"])
    method = verb_of(g["method"])
    bucket_of(g["bucket"])
    text = obs_text(method, single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"), headers, g)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(text, pri)}


def field(g, name):
    values = [clean(v) for n, v in g["fields"] if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def form(g, pub, pri):
    headers = read(g["headers"])
    bucket_of(g["bucket"])
    checked = [clean(v) for n, v in g["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = field_or_header(headers, g) if checked else single(headers, "content-md5")
    mime = field(g, "Content-Type") if TYPE_FROM_FIELD else single(headers, "content-type")
    text = obs_text("POST", md5, mime, single(headers, "date"), headers, g)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(text, pri)}


def field_or_header(headers, g):
    if "content-md5" in [n for n, _ in headers]:
        return single(headers, "content-md5")
    return field(g, "Content-MD5")


def temporary_url(g, pub, pri):
    headers = read(g["headers"])
    method = verb_of(g["method"])
    bucket_of(g["bucket"])
    signature = mac(obs_text(method, "", "", g["expires"], headers, g), pri)
    path = "/".join(map(esc, g["key"].split("/")))
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + path + "?" + WORDS["publicKeyParameter"] + "=" + esc(pub)
            + "&Expires=" + esc(g["expires"]) + "&Signature=" + esc(signature)}


serve("obs-port", {"authorization": authorization, "form-authorization": form, "presigned-url": temporary_url})
