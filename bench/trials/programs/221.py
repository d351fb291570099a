#!/usr/bin/env python3
"""A Node.js object client made from cos-nodejs-sdk: plain objects, encodeURIComponent, string buffers.

Mistakes:
1. Sorts the extra headers by their names as written and makes them lower case then: X-Svc-Foo comes before x-svc-bar, and
   the values of X-Svc-Bar before those of x-svc-bar.
2. Instant upload signs the path of the request, /<bucket>/uploadhit, instead of the file's.
3. Signed URL: a space in the path is + (encodeURIComponent(key).replace(/%20/g, '+')).
4. ETag: the count is Math.floor(size / 4 MiB) + 1, so one too many for an empty file and for whole blocks.
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

BLOCK = 4 * 1024 * 1024
MARKS = "-_.!~*'()"


def encode_uri_component(text):
    return "".join(chr(b) if b < 128 and (chr(b).isalnum() or chr(b) in MARKS) else "%%%02X" % b for b in text.encode("utf-8"))


def strict(text):
    return re.sub("[!'()*]", lambda m: "%%%02X" % ord(m[0]), encode_uri_component(text))


def path_of(key):
    return strict(key).replace("%2F", "/").replace("%20", "+")


def sort_key(pair):
    return pair[0]


def signed_key(key):
    return "uploadhit"


def count_blocks(size):
    return size // BLOCK + 1


def get_headers(pairs):
    out = []
    for name, value in pairs:
        name = name.strip(" \t")
        if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.A):
            raise Refused("header-name", name)
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        out.append((name, value))
    return out


def single(headers, wanted):
    values = [value for name, value in headers if name.lower() == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def get_auth(method, bucket, key, headers, pri, expires=None):
    if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", method, re.A):
        raise Refused("method", method)
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    rows = [method.upper()]
    rows += [single(headers, n) for n in ("content-md5", "content-type", "date")] if expires is None else ["", "", expires]
    grouped = {}
    for name, value in sorted(headers, key=sort_key):
        if name.lower().startswith(WORDS["headerPrefix"].lower()):
            grouped.setdefault(name.lower(), []).append(value)
    rows += [name + ":" + ",".join(values) for name, values in grouped.items()]
    rows.append("/" + bucket + "/" + key)
    return base64.b64encode(hmac.new(pri.encode("utf-8"), "\n".join(rows).encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def authorization(given, pub, pri):
    signature = get_auth(given["method"], given["bucket"], given["key"], get_headers(given["headers"]), pri)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature}


def presigned(given, pub, pri):
    signature = get_auth(given["method"], given["bucket"], given["key"], get_headers(given["headers"]), pri, given["expires"])
    query = "%s=%s&Expires=%s&Signature=%s" % (WORDS["publicKeyParameter"], strict(pub), strict(given["expires"]), strict(signature))
    return {"url": "%s://%s.%s/%s?%s" % (given["scheme"], given["bucket"], given["fileHost"], path_of(given["key"]), query)}


def instant(given, pub, pri):
    signature = get_auth("POST", given["bucket"], signed_key(given["key"]), get_headers(given["headers"]), pri)
    return {"target": "/uploadhit?Hash=" + strict(given["etag"]) + "&FileName=" + strict(given["key"]) + "&FileSize=" + strict(given["size"]),
            "authorization": WORDS["scheme"] + " " + pub + ":" + signature}


def etag(given, pub, pri):
    data = content(given["content"])
    if len(data) <= BLOCK:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[i:i + BLOCK]).digest() for i in range(0, len(data), BLOCK))).digest()
    return {"etag": base64.urlsafe_b64encode(count_blocks(len(data)).to_bytes(4, "little") + digest).decode("ascii")}


serve("cos-node", {"authorization": authorization, "presigned-url": presigned, "instant-upload": instant, "etag": etag})
