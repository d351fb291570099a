#!/usr/bin/env python3
"""A browser SDK in the style of JavaScript, with a CryptoJS-like library: strings are UTF-16, headers a list of entries.

Mistakes:
1. Escapes with encodeURIComponent, so ! ' ( ) and * stay as they are (in url-encode, the path and query of URLs, and the instant upload).
2. Sorts the extra headers by their names as given, before lower-casing them: capital letters come first. (Names that are equal in lower case are
   merged at the place of the first of them, their values in the order of the request.)
3. The string to sign becomes bytes like CryptoJS's Latin1.parse: each UTF-16 code unit gives its low byte only. (The private key is UTF-8.)
"""
import base64
import hashlib
import hmac
import re
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def encodeURIComponent(s):
    keep = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~!'()*"
    return "".join(chr(b) if b in keep else "%%%02X" % b for b in s.encode("utf-8"))


def latin1Parse(s):
    s.encode("utf-8")
    return s.encode("utf-16-le")[::2]


def clean(entries):
    out = []
    for name, value in entries:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
        if set(value) & set("\r\n\0"):
            raise Refused("header-value", name)
        out.append([name, value])
    return out


def get(entries, name):
    found = [v for n, v in entries if n.lower() == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def canonicalHeaders(entries):
    extra = [e for e in entries if e[0].lower().startswith(WORDS["headerPrefix"].lower())]
    sorted_names = []
    for name in sorted(n for n, _ in extra):
        if name.lower() not in sorted_names:
            sorted_names.append(name.lower())
    return "".join(n + ":" + ",".join(v for m, v in extra if m.lower() == n) + "\n" for n in sorted_names)


def sign(pri, *parts):
    digest = hmac.new(pri.encode("utf-8"), latin1Parse("\n".join(parts)), hashlib.sha1).digest()
    return base64.b64encode(digest).decode()


def check(method, bucket):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)


def header(g, method, pub, pri):
    entries = clean(g["headers"])
    check(method, g["bucket"])
    signature = sign(pri, method.upper(), get(entries, "content-md5"), get(entries, "content-type"), get(entries, "date"),
                     canonicalHeaders(entries) + "/" + g["bucket"] + "/" + g["key"])
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + signature


def getUrl(g, pub, pri):
    entries = clean(g["headers"])
    check(g["method"], g["bucket"])
    signature = sign(pri, g["method"].upper(), "", "", g["expires"], canonicalHeaders(entries) + "/" + g["bucket"] + "/" + g["key"])
    path = encodeURIComponent(g["key"]).replace("%2F", "/")
    query = {WORDS["publicKeyParameter"]: pub, "Expires": g["expires"], "Signature": signature}
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + path + "?"
            + "&".join(k + "=" + encodeURIComponent(v) for k, v in query.items())}


def hit(g, pub, pri):
    query = {"Hash": g["etag"], "FileName": g["key"], "FileSize": g["size"]}
    return {"authorization": header(g, "POST", pub, pri),
            "target": "/uploadhit?" + "&".join(k + "=" + encodeURIComponent(v) for k, v in query.items())}


serve("js-browser", {
    "url-encode": lambda g, pub, pri: {"encoded": encodeURIComponent(g["text"])},
    "authorization": lambda g, pub, pri: {"authorization": header(g, g["method"], pub, pri)},
    "presigned-url": getUrl,
    "instant-upload": hit,
})
