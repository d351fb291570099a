#!/usr/bin/env python3
"""A file client ported from Swift (Foundation).

Mistakes:
1. CR LF is one Character in Swift, so splitting a value at "\\n" does not find it: a fold with CR LF stays in the signed text as it
   is (LF alone is unfolded).
2. Signs no extra headers in a pre-signed URL.
3. Signs application/octet-stream for a PUT or POST without Content-Type.
4. Encodes the instant upload's query values with the character set urlQueryAllowed: & = + / ? and other marks stay unencoded, so a
   file name with & or + is read as another.
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
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
QUERY_ALLOWED = UNRESERVED | frozenset(b"!$&'()*+,/:;=?@")


def adding_percent_encoding(s, allowed):
    return "".join(chr(b) if b in allowed else "%%%02X" % b for b in s.encode("utf-8"))


def value_of(v):
    v.encode("utf-8")
    plain = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
    if re.search("[\r\n\0]", plain):
        raise Refused("header-value", "a control character")
    return unfold(v).strip(" \t")


def unfold(v):
    return re.sub(r"[ \t]*(?:(?<!\r)\n[ \t]+)+", " ", v)


def fields(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if not TOKEN.fullmatch(n):
            raise Refused("header-name", n)
        out.append((n.lower(), value_of(v)))
    return out


def positional(all_fields, wanted):
    values = [v for n, v in all_fields if n == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def canonical(all_fields):
    grouped = {}
    for n, v in all_fields:
        if n.startswith(WORDS["headerPrefix"].lower()):
            grouped.setdefault(n, []).append(v)
    return "".join("%s:%s\n" % (n, ",".join(grouped[n])) for n in sorted(grouped))


def resource(given):
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    return "/" + given["bucket"] + "/" + given["key"]


def verb(m):
    if not TOKEN.fullmatch(m):
        raise Refused("method", m)
    return m.upper()


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def header_value(given, method, pub, pri):
    f = fields(given["headers"])
    method = verb(method)
    res = resource(given)
    mime = positional(f, "content-type")
    if method in ("PUT", "POST") and not [1 for n, _ in f if n == "content-type"]:
        mime = "application/octet-stream"
    text = "\n".join((method, positional(f, "content-md5"), mime, positional(f, "date"), canonical(f) + res))
    return WORDS["scheme"] + " " + pub + ":" + mac(text, pri)


def authorization(given, pub, pri):
    return {"authorization": header_value(given, given["method"], pub, pri)}


def instant(given, pub, pri):
    e = [adding_percent_encoding(given[n], QUERY_ALLOWED) for n in ("etag", "key", "size")]
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(e), "authorization": header_value(given, "POST", pub, pri)}


def presigned(given, pub, pri):
    f = fields(given["headers"])
    method, res = verb(given["method"]), resource(given)
    text = "\n".join((method, "", "", given["expires"], "" + res))
    e = lambda s: adding_percent_encoding(s, UNRESERVED)  # noqa: E731
    path = adding_percent_encoding(given["key"], UNRESERVED | frozenset(b"/"))
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + path + "?" + WORDS["publicKeyParameter"] + "="
            + e(pub) + "&Expires=" + e(given["expires"]) + "&Signature=" + e(mac(text, pri))}


serve("swift-files", {"authorization": authorization, "instant-upload": instant, "presigned-url": presigned})
