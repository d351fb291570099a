#!/usr/bin/env python3
"""Dart (a Flutter app): presigned-url, instant-upload and policy.

1. Header values (extra and positional, in presigned-url and instant-upload) are trimmed with String.trim(), which takes every Unicode
   white space and U+FEFF from both ends, such as a no-break space, not only spaces and tabs.
2. instant-upload signs an empty Content-Type line even if there is a Content-Type header, as the POST has no body.
3. policy is standard Base64 (base64Encode instead of base64UrlEncode): + and / stay.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import WORDS, Refused, serve  # noqa: E402

WHITE = ("\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f"
         "\u3000\ufeff")
NAME = re.compile("[0-9A-Za-z!#$%&'*+.^_`|~-]+")


def component(text):
    return "".join(c if re.match(r"[\w.~-]\Z", c, re.ASCII) else "".join("%{:02X}".format(b) for b in c.encode()) for c in text)


class Signer:
    def __init__(self, headers):
        self.positional = {"content-md5": [], "content-type": [], "date": []}
        self.extra = {}
        for name, value in headers:
            name = name.strip(" \t")
            if NAME.fullmatch(name) is None:
                raise Refused("header-name", name)
            value = re.sub("[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            value.encode()
            if set(value) & {"\r", "\n", "\0"}:
                raise Refused("header-value", name)
            name, value = name.lower(), value.strip(WHITE)
            if name in self.positional:
                self.positional[name].append(value)
            if name.startswith(WORDS["headerPrefix"].lower()):
                self.extra[name] = self.extra[name] + "," + value if name in self.extra else value

    def line(self, name):
        if len(self.positional[name]) > 1:
            raise Refused("header-repeated", name)
        return self.positional[name][0] if self.positional[name] else ""

    def sign(self, four_lines, bucket, key, secret):
        text = "".join(line + "\n" for line in four_lines)
        for name in sorted(self.extra):
            text += name + ":" + self.extra[name] + "\n"
        text += "/" + bucket + "/" + key
        return base64.b64encode(hmac.digest(secret.encode(), text.encode(), "sha1")).decode()


def need_bucket(bucket):
    if not bucket or bucket.count("/"):
        raise Refused("bucket", bucket)


def presigned_url(given, public_key, secret):
    signer = Signer(given["headers"])
    if NAME.fullmatch(given["method"]) is None:
        raise Refused("method", given["method"])
    need_bucket(given["bucket"])
    signature = signer.sign([given["method"].upper(), "", "", given["expires"]], given["bucket"], given["key"], secret)
    path = "/".join(map(component, given["key"].split("/")))
    query = {WORDS["publicKeyParameter"]: public_key, "Expires": given["expires"], "Signature": signature}
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + path + "?"
            + "&".join(name + "=" + component(value) for name, value in query.items())}


def instant_upload(given, public_key, secret):
    signer = Signer(given["headers"])
    need_bucket(given["bucket"])
    md5, _, date = signer.line("content-md5"), signer.line("content-type"), signer.line("date")
    signature = signer.sign(["POST", md5, "", date], given["bucket"], given["key"], secret)
    public_key.encode()
    return {"target": "/uploadhit?Hash=" + component(given["etag"]) + "&FileName=" + component(given["key"]) + "&FileSize="
            + component(given["size"]), "authorization": WORDS["scheme"] + " " + public_key + ":" + signature}


def policy(given, public_key, secret):
    members = ",".join(":".join(json.dumps(x, ensure_ascii=False) for x in pair) for pair in given["members"])
    return {"policy": base64.b64encode(("{" + members + "}").encode()).decode()}


OPS = {"presigned-url": presigned_url, "instant-upload": instant_upload, "policy": policy}

if __name__ == "__main__":
    serve("dart-files", OPS)
