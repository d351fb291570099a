#!/usr/bin/env python3
"""A port of a Node SDK for another cloud's object storage: authorization and presigned-url. Its mistakes:

1. Content-MD5, Content-Type and Date are looked up by exactly these spellings (headers["Content-Type"]), so a positional header
   that is spelled otherwise, such as content-type, is signed as absent.
2. The key in the URL's path is encoded with encodeURI, which leaves ! # $ & ' ( ) * + , : ; = ? @ as they are.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def encode(text, keep=UNRESERVED):
    return "".join(chr(b) if b < 128 and chr(b) in keep else "%%%02X" % b for b in text.encode("utf-8"))


def encode_uri(text):
    return encode(text, UNRESERVED + ";,/?:@&=+$!*'()#")


def clean(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "line break or NUL in a header value")
    value.encode("utf-8")
    return value


def read(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", "not a token")
        out.append((name, clean(value)))
    return out


def method_of(given):
    if not re.fullmatch(TOKEN, given["method"]):
        raise Refused("method", "not a token")
    return given["method"].upper()


def resource(given):
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", "empty, or with a slash")
    return "/" + given["bucket"] + "/" + given["key"]


def plain_header(headers, name):
    values = [v for n, v in headers if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def extra_headers(headers):
    prefix = WORDS["headerPrefix"].lower()
    found = {}
    for name, value in headers:
        if name.lower().startswith(prefix):
            found.setdefault(name.lower(), []).append(value)
    return "".join(name + ":" + ",".join(found[name]) + "\n" for name in sorted(found))


def hmac_base64(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, public, private):
    headers = read(given["headers"])
    verb = method_of(given)
    path = resource(given)
    text = "\n".join([verb] + [plain_header(headers, n) for n in ("Content-MD5", "Content-Type", "Date")]
                     + [extra_headers(headers) + path])
    public.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + public + ":" + hmac_base64(private, text)}


def presigned_url(given, public, private):
    headers = read(given["headers"])
    verb = method_of(given)
    path = resource(given)
    signature = hmac_base64(private, "\n".join([verb, "", "", given["expires"], extra_headers(headers) + path]))
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + encode_uri(given["key"])
            + "?" + WORDS["publicKeyParameter"] + "=" + encode(public) + "&Expires=" + encode(given["expires"])
            + "&Signature=" + encode(signature)}


serve("node-port", {"authorization": authorization, "presigned-url": presigned_url})
