#!/usr/bin/env python3
r"""The upload tool of a backup program, after a Rust original: ETags, instant upload, PUT with a callback policy.

Mistakes:
1. The ETag of a part goes through the function for files: a part of more than 4 MiB gets the SHA-1 of the SHA-1 values of its blocks.
2. The block count of a file of more than 4 MiB is size / 4 MiB + 1, one too many if the size is an exact multiple. The hashes are right.
3. The header carries the callback policy without its = padding (URL_SAFE_NO_PAD), while the padded text, as given, is signed.
4. Builds the target of the instant upload with url::form_urlencoded: a space is +, a tilde is %7E, and an asterisk stays.
5. Reads extra headers with value.to_str().unwrap_or(""): a value that has any character besides tab and visible ASCII (after unfolding) is signed as an
   empty text.
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
from proto import Refused, content, run  # noqa: E402

BLOCK_SIZE = 4 << 20


def to_bytes(s):
    try:
        return s.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("text", "not a str") from None


# ---- mod etag

def hash_content(data):
    if len(data) <= BLOCK_SIZE:
        return hashlib.sha1(data).digest()
    outer = hashlib.sha1()
    for chunk in range(0, len(data), BLOCK_SIZE):
        outer.update(hashlib.sha1(data[chunk:chunk + BLOCK_SIZE]).digest())
    return outer.digest()


def block_count(size):
    if size == 0:
        return 0
    if size <= BLOCK_SIZE:
        return 1
    return size // BLOCK_SIZE + 1


def etag(given, pub, pri, dialect):
    data = content(given["content"])
    return base64.urlsafe_b64encode(block_count(len(data)).to_bytes(4, "little") + hash_content(data)).decode()


def part_etag(given, pub, pri, dialect):
    return base64.urlsafe_b64encode(hash_content(content(given["content"]))).decode()


# ---- mod sign

TOKEN = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)


def header_value(raw):
    to_bytes(raw)
    value = re.sub("[ \t]*(?:\r?\n[ \t]+)+", " ", raw).strip(" \t")
    if "\r" in value or "\n" in value or "\0" in value:
        raise Refused("header-value", "InvalidHeaderValue")
    return value


class HeaderMap:
    def __init__(self, pairs):
        self.map = {}
        for name, raw in pairs:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", "InvalidHeaderName")
            self.map.setdefault(name.lower(), []).append(header_value(raw))

    def only(self, name):
        values = self.map.get(name, [""])
        if len(values) != 1:
            raise Refused("header-repeated", name)
        return values[0]

    def canonical(self, prefix):
        out = ""
        for name, values in sorted(self.map.items()):
            if name.startswith(prefix):
                out += name + ":" + ",".join(to_str_or_empty(value) for value in values) + "\n"
        return out


def to_str_or_empty(value):
    return value if all(" " <= c <= "~" or c == "\t" for c in value) else ""


def signature(method, given, pri, dialect, policy=""):
    headers = HeaderMap(given["headers"])
    if not TOKEN.fullmatch(method):
        raise Refused("method", method)
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    text = "{}\n{}\n{}\n{}\n{}/{}/{}{}".format(
        method.upper(), headers.only("content-md5"), headers.only("content-type"), headers.only("date"),
        headers.canonical(dialect["headerPrefix"].lower()), given["bucket"], given["key"], policy)
    return base64.b64encode(hmac.digest(to_bytes(pri), to_bytes(text), "sha1")).decode()


def token(pub, sig, dialect):
    to_bytes(pub)
    return dialect["scheme"] + " " + pub + ":" + sig


# ---- mod policy

def policy(given, pub, pri, dialect):
    body = ",".join(json.dumps(k, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for k, v in given["members"])
    return base64.urlsafe_b64encode(to_bytes("{" + body + "}")).decode()


def put_with_policy(given, pub, pri, dialect):
    value = token(pub, signature(given["method"], given, pri, dialect, given["policy"]), dialect)
    if given["policy"]:
        value += ":" + given["policy"].rstrip("=")
    return value


# ---- mod hit

def form_urlencode(s):
    return "".join("+" if b == 32 else chr(b) if chr(b).isalnum() and b < 128 or b in b"*-._" else "%%%02X" % b for b in to_bytes(s))


def instant(given, pub, pri, dialect):
    sig = signature("POST", given, pri, dialect)
    pairs = (("Hash", given["etag"]), ("FileName", given["key"]), ("FileSize", given["size"]))
    return {"target": "/uploadhit?" + "&".join(name + "=" + form_urlencode(value) for name, value in pairs),
            "authorization": token(pub, sig, dialect)}


run("rust-backup", {"etag": etag, "part-etag": part_etag, "policy": policy, "policy-authorization": put_with_policy, "instant-upload": instant})
