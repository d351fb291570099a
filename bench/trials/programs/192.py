#!/usr/bin/env python3
"""A Rust crate that also speaks Qiniu: keys are joined to a Url, and integers are written with to_be_bytes.

Mistakes:
1. Removes the slashes at the start of a key (trim_start_matches('/')), in CanonicalizedResource and in the path of the URL.
2. presigned-url leaves the extra headers out of StringToSign.
3. The block count of an ETag is big-endian.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


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
    groups = {}
    for n, v in headers:
        if n.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(n, []).append(v)
    return "".join(n + ":" + ",".join(groups[n]) + "\n" for n in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key.lstrip("/")


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
    read(g["headers"])
    text = "%s\n\n\n%s\n%s" % (verb(g["method"]), g["expires"], resource(g["bucket"], g["key"]))
    pairs = [(WORDS["publicKeyParameter"], pub), ("Expires", g["expires"]), ("Signature", mac(text, pri))]
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + escape(g["key"].lstrip("/"), "/") + "?"
            + "&".join(n + "=" + escape(v) for n, v in pairs)}


def etag(g, pub, pri):
    data = content(g["content"])
    blocks = [data[i:i + 4194304] for i in range(0, len(data), 4194304)]
    sha = hashlib.sha1(data if len(blocks) < 2 else b"".join(hashlib.sha1(b).digest() for b in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(len(blocks).to_bytes(4, "big") + sha).decode("ascii")}


serve("store-rs", {"authorization": authorization, "presigned-url": presign, "etag": etag})
