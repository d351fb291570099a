#!/usr/bin/env python3
"""A Lua client of the file service, on OpenResty.

Mistakes:
1. The well-known urlencode of Lua: a line feed becomes CR LF before anything is escaped (%0D%0A), wherever it escapes.
2. Headers are kept in a table by lower-case name, so of an extra header that is sent twice only the last value is signed (Content-MD5,
   Content-Type and Date sent twice are still refused).
3. The instant-upload check is signed for the resource of its path, /<bucket>/uploadhit, instead of the key of the file.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402,F401


def escape(s):
    return "".join(chr(b) if b < 128 and re.match("[A-Za-z0-9._~-]", chr(b)) else "%%%02X" % b for b in s.replace("\n", "\r\n").encode("utf-8"))


def clean(value):
    value.encode("utf-8")
    value = re.sub("(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "a line break or NUL")
    return value


def read(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", "not a token")
        out.append((name.lower(), clean(value)))
    return out


def one(headers, name):
    values = [v for n, v in headers if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def extra(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups[name] = [value]
    return "".join("%s:%s\n" % (name, ",".join(groups[name])) for name in sorted(groups))


def verb(method):
    if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
        raise Refused("method", "not a token")
    return method.upper()


def bucket_of(g):
    if not g["bucket"] or "/" in g["bucket"]:
        raise Refused("bucket", "empty, or with a slash")
    return g["bucket"]


def mac(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def header_text(g, headers, method, key):
    method, bucket = verb(method), bucket_of(g)
    return "\n".join([method, one(headers, "content-md5"), one(headers, "content-type"), one(headers, "date"),
                      extra(headers) + "/" + bucket + "/" + key])


def scheme(pub, signature):
    pub.encode("utf-8")
    return "%s %s:%s" % (WORDS["scheme"], pub, signature)


def authorization(g, pub, pri):
    return {"authorization": scheme(pub, mac(pri, header_text(g, read(g["headers"]), g["method"], g["key"])))}


def instant_upload(g, pub, pri):
    text = header_text(g, read(g["headers"]), "POST", "uploadhit")
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (escape(g["etag"]), escape(g["key"]), escape(g["size"])),
            "authorization": scheme(pub, mac(pri, text))}


def presigned_url(g, pub, pri):
    headers, method = read(g["headers"]), verb(g["method"])
    text = "\n".join([method, "", "", g["expires"], extra(headers) + "/" + bucket_of(g) + "/" + g["key"]])
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        g["scheme"], g["bucket"], g["fileHost"], "/".join(escape(part) for part in g["key"].split("/")), WORDS["publicKeyParameter"], escape(pub),
        escape(g["expires"]), escape(mac(pri, text)))}


serve("resty-files", {
    "url-encode": lambda g, pub, pri: {"encoded": escape(g["text"])},
    "authorization": authorization,
    "presigned-url": presigned_url,
    "instant-upload": instant_upload,
})
