#!/usr/bin/env python3
"""Go with net/http, net/url and path: authorization, instant-upload and presigned-url.

1. The signed resource is path.Join("/", bucket, key) in all three operations: repeated slashes, a slash at the end, and the segments
   . and .. are cleaned away (an empty key gives /<bucket>).
2. The query values of instant-upload (Hash, FileName, FileSize) and of presigned-url (public key, Expires) are escaped with
   url.QueryEscape, which makes a space a +.
3. presigned-url reads extra headers with Header.Get, so that of a repeated one only the first value is signed.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import WORDS, Refused, serve  # noqa: E402

VALID_NAME = re.compile(r"\A[-!#$%&'*+.^_`|~0-9A-Za-z]+\Z")
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"


def path_join(*elements):
    out = []
    for part in "/".join(elements).split("/"):
        if part == "..":
            del out[-1:]
        elif part not in ("", "."):
            out.append(part)
    return "/" + "/".join(out)


def escape(text, keep=b""):
    out = ""
    for b in text.encode("utf-8"):
        out += chr(b) if b in UNRESERVED or b in keep else "%" + format(b, "02X")
    return out


def query_escape(text):
    return "+".join(escape(word) for word in text.split(" "))


def new_header(given):
    header = []
    for key, value in given:
        key = key.strip(" \t")
        if not VALID_NAME.match(key):
            raise Refused("header-name", repr(key))
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip("\t ")
        value.encode("utf-8")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", repr(value))
        header.append((key.lower(), value))
    return header


def get(header, key):
    values = [v for k, v in header if k == key]
    if len(values) > 1:
        raise Refused("header-repeated", key)
    return values[0] if values else ""


def canonical_headers(header, first_only):
    values = {}
    for key, value in header:
        if key.startswith(WORDS["headerPrefix"].lower()):
            values.setdefault(key, []).append(value)
    buf = []
    for key in sorted(values):
        buf.append(key + ":" + (values[key][0] if first_only else ",".join(values[key])) + "\n")
    return "".join(buf)


def check(method, bucket):
    if not VALID_NAME.match(method):
        raise Refused("method", repr(method))
    if bucket == "" or bucket.find("/") >= 0:
        raise Refused("bucket", repr(bucket))


def mac_sha1(secret, message):
    h = hmac.new(secret.encode("utf-8"), digestmod=hashlib.sha1)
    h.update(message.encode("utf-8"))
    return base64.standard_b64encode(h.digest()).decode("ascii")


def header_signature(method, bucket, key, header, secret):
    check(method, bucket)
    message = method.upper() + "\n"
    for name in ("content-md5", "content-type", "date"):
        message += get(header, name) + "\n"
    return mac_sha1(secret, message + canonical_headers(header, False) + path_join("/", bucket, key))


def authorization(req, public, secret):
    header = new_header(req["headers"])
    signature = header_signature(req["method"], req["bucket"], req["key"], header, secret)
    public.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + public + ":" + signature}


def instant_upload(req, public, secret):
    header = new_header(req["headers"])
    signature = header_signature("POST", req["bucket"], req["key"], header, secret)
    public.encode("utf-8")
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(query_escape(req[x]) for x in ("etag", "key", "size")),
            "authorization": WORDS["scheme"] + " " + public + ":" + signature}


def presigned_url(req, public, secret):
    header = new_header(req["headers"])
    check(req["method"], req["bucket"])
    message = req["method"].upper() + "\n\n\n" + req["expires"] + "\n" + canonical_headers(header, True)
    signature = mac_sha1(secret, message + path_join("/", req["bucket"], req["key"]))
    query = "%s=%s&Expires=%s&Signature=%s" % (WORDS["publicKeyParameter"], query_escape(public), query_escape(req["expires"]),
                                               query_escape(signature))
    return {"url": req["scheme"] + "://" + req["bucket"] + "." + req["fileHost"] + "/" + escape(req["key"], b"/") + "?" + query}


OPS = {"authorization": authorization, "instant-upload": instant_upload, "presigned-url": presigned_url}

if __name__ == "__main__":
    serve("go-us", OPS)
