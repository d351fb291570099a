#!/usr/bin/env python3
"""A Python developer's port of the company's Qiniu module: uploads, forms, callback policies and ETags.

Mistakes:
1. The signature of an Authorization is made with urlsafe_b64encode: - and _ in place of + and /.
2. With a callback policy only the encoded policy is signed, as in a Qiniu upload token, not the request followed by the policy.
3. An extra header's line is written as in Qiniu's own signing, with a space behind the colon (name: value).
4. ETag is Qiniu's: one byte, 0x16 for a single block and 0x96 for several, in place of the four bytes of the count (28 characters in all).
5. The ETag of a part has the byte 0x16 before its hash too.
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
from serving import Refused, WORDS, content, serve  # noqa: E402

BLOCK = 1024 * 1024 * 4


def urlsafe(data):
    return base64.urlsafe_b64encode(data).decode()


class Request:
    def __init__(self, method, bucket, key, headers):
        self.headers = []
        for name, value in headers:
            name = name.strip(" \t")
            if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", name):
                raise Refused("header-name", "invalid header name")
            self.headers.append((name.lower(), self.value(value)))
        if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", method):
            raise Refused("method", "invalid method")
        if not bucket or "/" in bucket:
            raise Refused("bucket", "invalid bucket")
        self.method, self.entry = method.upper(), "/%s/%s" % (bucket, key)

    @staticmethod
    def value(value):
        if re.search(r"\n", value) and not re.search(r"\n(?:[^ \t]|$)", value):
            value = re.sub(r"[ \t]*\n[ \t\n]*", " ", re.sub(r"\r\n", "\n", value))
        value = value.strip(" \t")
        value.encode("utf-8")
        if re.search(r"[\r\n\x00]", value):
            raise Refused("header-value", "invalid header value")
        return value

    def get(self, name):
        found = self.values(name)
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def values(self, name):
        return [v for n, v in self.headers if n == name]

    def text(self, md5=None, mime=None):
        prefix = WORDS["headerPrefix"].lower()
        lines = [self.method, self.get("content-md5") if md5 is None else md5, self.get("content-type") if mime is None else mime, self.get("date")]
        for name in sorted({n for n, _ in self.headers if n.startswith(prefix)}):
            lines.append(name + ": " + ",".join(self.values(name)))
        return "\n".join(lines + [self.entry])


def token(pub, pri, text):
    pub.encode("utf-8")
    return "%s %s:%s" % (WORDS["scheme"], pub, urlsafe(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()))


def authorization(given, pub, pri):
    return {"authorization": token(pub, pri, Request(given["method"], given["bucket"], given["key"], given["headers"]).text())}


def policy_authorization(given, pub, pri):
    text = Request(given["method"], given["bucket"], given["key"], given["headers"]).text()
    text.encode("utf-8")
    if not given["policy"]:
        return {"authorization": token(pub, pri, text)}
    return {"authorization": token(pub, pri, given["policy"]) + ":" + given["policy"]}


def form_authorization(given, pub, pri):
    request = Request("POST", given["bucket"], given["key"], given["headers"])
    fields = {"Content-Type": [], "Content-MD5": []}
    for name, value in given["fields"]:
        if name in fields:
            fields[name].append(Request.value(value))
    md5 = request.values("content-md5") or fields["Content-MD5"]
    if len(md5) > 1 or len(fields["Content-Type"]) > 1:
        raise Refused("header-repeated", "field")
    return {"authorization": token(pub, pri, request.text("".join(md5), "".join(fields["Content-Type"])))}


def policy(given, pub, pri):
    pairs = [json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"]]
    return {"policy": urlsafe(("{" + ",".join(pairs) + "}").encode("utf-8"))}


def sha1(data):
    return hashlib.sha1(data).digest()


def etag(given, pub, pri):
    data = content(given["content"])
    hashes = [sha1(data[i:i + BLOCK]) for i in range(0, len(data), BLOCK)] or [sha1(b"")]
    if len(hashes) == 1:
        return {"etag": urlsafe(b"\x16" + hashes[0])}
    return {"etag": urlsafe(b"\x96" + sha1(b"".join(hashes)))}


def part_etag(given, pub, pri):
    return {"etag": urlsafe(b"\x16" + sha1(content(given["content"])))}


serve("from-qiniu", {
    "authorization": authorization, "form-authorization": form_authorization, "policy": policy,
    "policy-authorization": policy_authorization, "etag": etag, "part-etag": part_etag})
