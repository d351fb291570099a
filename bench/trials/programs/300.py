#!/usr/bin/env python3
r"""A Ruby gem for Rails attachments: PUT with and without callback, links, instant upload and ETags. Translated for the harness.

Mistakes:
1. Cleans extra header values with squeeze(" "): runs of spaces inside a value become one space, not only folds. (Content-MD5, Content-Type and Date are not
   squeezed.)
2. Builds the path of a link with key.split("/"), which in Ruby drops empty strings at the end: the slashes at the end of a key are missing in the URL
   (dir/ gives dir, and the key / gives nothing). The signature is over the whole key.
3. Signs content_type.downcase: the whole Content-Type, boundary and all, in lower case.
4. The ETag of a part is Base64.urlsafe_encode64(digest, padding: false), so its last = is missing.
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
from serving import WORDS, Refused, content, serve  # noqa: E402

CHUNK = 4 << 20
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def url_encode(s):
    return re.sub(rb"[^a-zA-Z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8")).decode("ascii")


def strip(v):
    return re.sub(r"\A[ \t]+|[ \t]+\Z", "", v)


def unfold(v):
    v.encode("utf-8")
    if re.search(r"\n(?![ \t])|\r(?!\n)|\0", v):
        raise Refused("header-value", "line break or NUL")
    return strip(re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v))


class Signer:
    def __init__(self, given, pub, pri, verb=None):
        self.pub, self.pri, self.bucket, self.key = pub, pri, given["bucket"], given["key"]
        self.headers = []
        for n, v in given["headers"]:
            n = strip(n)
            if not TOKEN.fullmatch(n):
                raise Refused("header-name", "no token")
            self.headers.append((n.lower(), unfold(v)))
        verb = verb or given["method"]
        if not TOKEN.fullmatch(verb):
            raise Refused("method", "no token")
        self.verb = verb.upper()
        if self.bucket == "" or "/" in self.bucket:
            raise Refused("bucket", "empty or with slash")

    def header(self, name):
        all_of_it = [v for n, v in self.headers if n == name]
        if all_of_it[1:]:
            raise Refused("header-repeated", name)
        return "".join(all_of_it)

    def canonical(self):
        prefix = WORDS["headerPrefix"].lower()
        groups = {}
        for n, v in self.headers:
            if n.startswith(prefix):
                groups.setdefault(n, []).append(re.sub("  +", " ", v))
        return "".join(n + ":" + ",".join(vs) + "\n" for n, vs in sorted(groups.items()))

    def signature(self, head, tail=""):
        text = "\n".join([self.verb, *head, self.canonical() + "/" + self.bucket + "/" + self.key]) + tail
        return base64.b64encode(hmac.digest(self.pri.encode("utf-8"), text.encode("utf-8"), "sha1")).decode()

    def authorization(self, policy=""):
        head = [self.header("content-md5"), self.header("content-type").lower(), self.header("date")]
        self.pub.encode("utf-8")
        parts = [self.pub, self.signature(head, policy)]
        if policy:
            parts.append(policy)
        return WORDS["scheme"] + " " + ":".join(parts)


def put(given, pub, pri):
    return {"authorization": Signer(given, pub, pri).authorization()}


def put_with_callback(given, pub, pri):
    return {"authorization": Signer(given, pub, pri).authorization(given["policy"])}


def policy(given, pub, pri):
    text = ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"])
    return {"policy": base64.urlsafe_b64encode(("{" + text + "}").encode("utf-8")).decode()}


def upload_hit(given, pub, pri):
    s = Signer(given, pub, pri, "POST")
    query = [("Hash", given["etag"]), ("FileName", given["key"]), ("FileSize", given["size"])]
    return {"authorization": s.authorization(), "target": "/uploadhit?" + "&".join(n + "=" + url_encode(v) for n, v in query)}


def link(given, pub, pri):
    s = Signer(given, pub, pri)
    parts = given["key"].split("/")
    while parts and parts[-1] == "":
        parts.pop()
    query = [(WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", s.signature(["", "", given["expires"]]))]
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + "/".join(map(url_encode, parts)) + "?"
            + "&".join(n + "=" + url_encode(v) for n, v in query)}


def sha(data):
    return hashlib.sha1(data).digest()


def etag(given, pub, pri):
    data = content(given["content"])
    chunks = [sha(data[i:i + CHUNK]) for i in range(0, len(data), CHUNK)]
    digest = sha(b"".join(chunks)) if len(data) > CHUNK else sha(data)
    return {"etag": base64.urlsafe_b64encode(len(chunks).to_bytes(4, "little") + digest).decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(sha(content(given["content"]))).decode().rstrip("=")}


serve("ruby-attachments", {"authorization": put, "policy": policy, "policy-authorization": put_with_callback, "instant-upload": upload_hit,
                           "presigned-url": link, "etag": etag, "part-etag": part_etag})
