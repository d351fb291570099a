#!/usr/bin/env python3
"""A port of a Go client for Aliyun OSS.

1. The headers are a map[string]string: of a repeated extra header only the last value is signed.
2. strings.TrimSpace trims the values, so no-break spaces and other Unicode blanks at their ends are lost.
3. The parameters of an instant upload are signed as sub-resources: ?FileName=...&FileSize=...&Hash=... follows the key in the resource.
4. The callback's policy is encoded with base64.StdEncoding.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, Unsupported, WORDS  # noqa: E402


UNICODE_SPACE = " \t\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
token = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch


def query_escape(s):
    return "".join(chr(b) if b < 128 and (chr(b).isalnum() or chr(b) in "-_.~") else "%" + "%02X" % b for b in s.encode())


class Conn:
    def __init__(self, public, private):
        self.public, self.private = public, private

    def header_map(self, pairs):
        out = {}
        for name, value in pairs:
            if not token(name):
                raise Refused("header-name", name)
            if re.search(r"\r?\n[ \t]", value):
                raise Unsupported("net/http sends no folded values")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", name)
            value.encode()
            name = name.lower()
            out[name] = None if name in ("content-md5", "content-type", "date") and name in out else value.strip(UNICODE_SPACE)
        return out

    def resource(self, bucket, key, sub=""):
        if bucket == "" or "/" in bucket:
            raise Refused("bucket", bucket)
        return "/" + bucket + "/" + key + sub

    def signed_str(self, method, headers, resource, date=None, presign=False):
        if not token(method):
            raise Refused("method", method)

        def get(name):
            if headers.get(name, "") is None:
                raise Refused("header-repeated", name)
            return headers.get(name, "")
        extra = "".join(k + ":" + headers[k] + "\n" for k in sorted(headers) if k.startswith(WORDS["headerPrefix"].lower()))
        md5, mime = ("", "") if presign else (get("content-md5"), get("content-type"))
        text = method.upper() + "\n" + md5 + "\n" + mime + "\n" + (get("date") if date is None else date) + "\n" + extra + resource
        return text

    def mac(self, text):
        return base64.b64encode(hmac.new(self.private.encode(), text.encode(), hashlib.sha1).digest()).decode()

    def auth(self, signature):
        return WORDS["scheme"] + " " + self.public + ":" + signature


def authorization(q, public, private):
    c = Conn(public, private)
    return {"authorization": c.auth(c.mac(c.signed_str(q["method"], c.header_map(q["headers"]), c.resource(q["bucket"], q["key"]))))}


def policy_authorization(q, public, private):
    c = Conn(public, private)
    text = c.signed_str(q["method"], c.header_map(q["headers"]), c.resource(q["bucket"], q["key"])) + q["policy"]
    return {"authorization": c.auth(c.mac(text)) + (":" + q["policy"] if q["policy"] else "")}


def instant_upload(q, public, private):
    c = Conn(public, private)
    sub = "?FileName=" + q["key"] + "&FileSize=" + q["size"] + "&Hash=" + q["etag"]
    text = c.signed_str("POST", c.header_map(q["headers"]), c.resource(q["bucket"], q["key"], sub))
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (query_escape(q["etag"]), query_escape(q["key"]), query_escape(q["size"])), "authorization": c.auth(c.mac(text))}


def sign_url(q, public, private):
    c = Conn(public, private)
    signature = c.mac(c.signed_str(q["method"], c.header_map(q["headers"]), c.resource(q["bucket"], q["key"]), q["expires"], True))
    params = [(WORDS["publicKeyParameter"], public), ("Expires", q["expires"]), ("Signature", signature)]
    return {"url": q["scheme"] + "://" + q["bucket"] + "." + q["fileHost"] + "/" + query_escape(q["key"]).replace("%2F", "/") + "?" + "&".join(k + "=" + query_escape(v) for k, v in params)}


def policy(q, public, private):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in q["members"]) + "}"
    return {"policy": base64.b64encode(text.encode()).decode()}


serve("oss-port", {"authorization": authorization, "policy-authorization": policy_authorization, "instant-upload": instant_upload, "presigned-url": sign_url, "policy": policy})
