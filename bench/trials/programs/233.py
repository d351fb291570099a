#!/usr/bin/env python3
"""An embedded client in C, with fixed buffers.

Mistakes:
1. Copies each extra header's value into a buffer of 64 bytes with snprintf, so at most 63 bytes of it are signed.
2. Base64-encodes strlen(digest) bytes of the HMAC, so a digest with a zero byte is cut there.
3. Reads the file with do … while (n == 4 MiB), so a size that is an exact multiple of 4 MiB has an empty block at the end: 4 MiB
   counts as two blocks.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402


TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def clean(value):
    """A header's value: unfolded, trimmed, checked."""
    value = re.sub(r"([ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "a line break or NUL")
    return value


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if TOKEN.fullmatch(n) is None:
            raise Refused("header-name", n)
        out.append((n.lower(), clean(v)))
    return out


def single(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def verb_of(method):
    if TOKEN.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


def bucket_of(bucket):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    return bucket

VALUE_MAX = 64
BLOCK = 4 * 1024 * 1024


def copied(value):
    return value.encode("utf-8")[:VALUE_MAX - 1]


def c_strlen(raw):
    return (raw + b"\0").index(0)


def read_blocks(data):
    """do { n = fread(buf, 1, BLOCK, f); add(buf, n); } while (n == BLOCK);"""
    blocks, at = [], 0
    while True:
        block = data[at:at + BLOCK]
        blocks.append(block)
        at += len(block)
        if len(block) < BLOCK:
            return blocks


def canonical(headers):
    table = []
    for name, value in headers:
        if not name.startswith(WORDS["headerPrefix"].lower()):
            continue
        for row in table:
            if row[0] == name:
                row[1] += b"," + copied(value)
                break
        else:
            table.append([name, copied(value)])
    table.sort(key=lambda row: row[0])
    return b"".join(n.encode("ascii") + b":" + v + b"\n" for n, v in table)


def authorization(g, pub, pri):
    headers = read(g["headers"])
    buf = verb_of(g["method"]).encode("ascii") + b"\n"
    bucket_of(g["bucket"])
    for name in ("content-md5", "content-type", "date"):
        buf += single(headers, name).encode("utf-8") + b"\n"
    buf += canonical(headers) + ("/" + g["bucket"] + "/" + g["key"]).encode("utf-8")
    digest = hmac.new(pri.encode("utf-8"), buf, hashlib.sha1).digest()
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + base64.b64encode(digest[:c_strlen(digest)]).decode("ascii")}


def etag(g, pub, pri):
    data = content(g["content"])
    blocks = read_blocks(data) if data else []
    if len(blocks) > 1:
        sha = hashlib.sha1()
        for block in blocks:
            sha.update(hashlib.sha1(block).digest())
        digest = sha.digest()
    else:
        digest = hashlib.sha1(data).digest()
    return {"etag": base64.urlsafe_b64encode(len(blocks).to_bytes(4, "little") + digest).decode("ascii")}


serve("embedded", {"authorization": authorization, "etag": etag})
