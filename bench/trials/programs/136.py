#!/usr/bin/env python3
"""An upload SDK for Go with callback policies and instant uploads, written again in Python.

Mistakes:
1. Takes extra headers with http.Header.Get: of a repeated extra header only the first value is signed.
2. Builds the resource with path.Join: double slashes and dot segments are cleaned, and a slash at the end of the key (or the slash before an empty key) is lost.
3. Signs an instant upload for the key uploadhit, the path of the request, instead of the FileName.
"""
import base64
import hashlib
import hmac
import json
import os
import posixpath
import re
import sys
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

tchar = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


def pathJoin(*elements):
    kept = [e for e in elements if e]
    cleaned = posixpath.normpath("/".join(kept))
    return "/" + cleaned.lstrip("/")


def newHeader(pairs):
    header = {}
    for name, value in pairs:
        name = name.strip("\t ")
        if tchar.fullmatch(name) is None:
            raise Refused("header-name", repr(name))
        lines = value.split("\n")
        text = lines[0]
        for line in lines[1:]:
            if line[:1] not in (" ", "\t"):
                raise Refused("header-value", repr(name))
            text = text.removesuffix("\r").rstrip(" \t") + " " + line.lstrip(" \t")
        text = text.strip(" \t")
        if "\r" in text or "\0" in text:
            raise Refused("header-value", repr(name))
        text.encode()
        header.setdefault(name.lower(), []).append(text)
    return header


def single(header, name):
    values = header.get(name)
    if not values:
        return ""
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0]


def stringToSign(method, bucket, key, header):
    if tchar.fullmatch(method) is None:
        raise Refused("method", method)
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    buf = [method.upper(), "\n"]
    for name in ("content-md5", "content-type", "date"):
        buf += [single(header, name), "\n"]
    for name in sorted(n for n in header if n.startswith(WORDS["headerPrefix"].lower())):
        buf += [name, ":", header[name][0], "\n"]
    buf.append(pathJoin("/", bucket, key))
    return "".join(buf)


def sign(pri, text):
    return base64.standard_b64encode(hmac.digest(pri.encode(), text.encode(), "sha1")).decode()


def authorization(o, pub, pri):
    text = stringToSign(o["method"], o["bucket"], o["key"], newHeader(o["headers"]))
    return {"authorization": f"{WORDS['scheme']} {pub}:{sign(pri, text)}"}


def policy(o, pub, pri):
    members = ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in o["members"])
    return {"policy": base64.urlsafe_b64encode(("{" + members + "}").encode()).decode()}


def policyAuthorization(o, pub, pri):
    text = stringToSign(o["method"], o["bucket"], o["key"], newHeader(o["headers"])) + o["policy"]
    return {"authorization": ":".join([WORDS["scheme"] + " " + pub, sign(pri, text)] + ([o["policy"]] if o["policy"] else []))}


def uploadHit(o, pub, pri):
    escape = lambda s: quote(s, safe="")  # noqa: E731
    text = stringToSign("POST", o["bucket"], "uploadhit", newHeader(o["headers"]))
    target = "/uploadhit?Hash=" + escape(o["etag"]) + "&FileName=" + escape(o["key"]) + "&FileSize=" + escape(o["size"])
    return {"target": target, "authorization": f"{WORDS['scheme']} {pub}:{sign(pri, text)}"}


serve("go-upload-sdk", {"authorization": authorization, "policy": policy, "policy-authorization": policyAuthorization,
                        "instant-upload": uploadHit})
