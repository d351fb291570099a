#!/usr/bin/env python3
"""An object store client in Elixir, grown from an ExAws fork: headers go through Map.new and String.replace.

Mistakes:
1. Extra headers are put in a map by lower-case name before they are canonicalized, so of a repeated extra header only the last
   value is signed (in authorization and presigned-url).
2. Collapses each run of spaces and tabs inside the value of an extra header to one space, as SigV4 does.
3. CanonicalizedResource has the key percent-encoded as in the URL (slashes kept), not raw.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402


def escape(s, keep=""):
    return "".join(chr(b) if b < 128 and (chr(b).isalnum() or chr(b) in "-_.~" + keep) else "%%%02X" % b for b in s.encode("utf-8"))

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
    held = {}
    for n, v in headers:
        if n.startswith(WORDS["headerPrefix"].lower()):
            held[n] = re.sub(r"[ \t]+", " ", v)
    return "".join(n + ":" + held[n] + "\n" for n in sorted(held))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + escape(key, "/")


def text_of(method, bucket, key, given):
    h = read(given)
    return "\n".join([verb(method), position(h, "content-md5"), position(h, "content-type"), position(h, "date"),
                      extra(h) + resource(bucket, key)])


def credentials(pub, signature):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + signature


def authorization(g, pub, pri):
    return {"authorization": credentials(pub, mac(text_of(g["method"], g["bucket"], g["key"], g["headers"]), pri))}


def presign(g, pub, pri):
    text = "\n".join([verb(g["method"]), "", "", g["expires"], extra(read(g["headers"])) + resource(g["bucket"], g["key"])])
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        g["scheme"], g["bucket"], g["fileHost"], escape(g["key"], "/"), WORDS["publicKeyParameter"], escape(pub),
        escape(g["expires"]), escape(mac(text, pri)))}


serve("ex-store", {
    "url-encode": lambda g, pub, pri: {"encoded": escape(g["text"])},
    "authorization": authorization,
    "presigned-url": presign,
})
