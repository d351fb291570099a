#!/usr/bin/env python3
"""An upload tool ported from C++: iostreams for the blocks, std::map for the headers, OpenSSL for SHA-1.

Mistakes:
1. Adds headers to a std::map with insert, which does not replace or append: of an extra header that is sent several times only the
   first value is signed.
2. Puts the block count into the ETag in network byte order (htonl).
3. Reads blocks until the stream is at its end, which it only notices with a read that gets less than a block: a size that is a
   multiple of 4 MiB (0 also) has one empty block more, which is counted and hashed.
4. Encodes a part ETag with OpenSSL's standard Base64 alphabet.
"""
import base64
import hashlib
import hmac
import io
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402

BLOCK = 4 << 20
POSITIONAL = ("content-md5", "content-type", "date")


def sha1(data):
    return hashlib.sha1(data).digest()


def read_blocks(data):
    stream, blocks, eof = io.BytesIO(data), [], False
    while not eof:
        block = stream.read(BLOCK)
        eof = len(block) < BLOCK
        blocks.append(block)
    return blocks


def etag(given, pub, pri):
    blocks = read_blocks(content(given["content"]))
    digest = sha1(b"".join(blocks)) if len(blocks) <= 1 else sha1(b"".join(map(sha1, blocks)))
    return {"etag": base64.urlsafe_b64encode(len(blocks).to_bytes(4, "big") + digest).decode("ascii")}


def part_etag(given, pub, pri):
    return {"etag": base64.b64encode(sha1(content(given["content"]))).decode("ascii")}


class Headers(dict):
    def insert(self, n, v):
        if n in POSITIONAL and n in self:
            raise Refused("header-repeated", n)
        if n not in self:
            self[n] = v


def authorization(given, pub, pri):
    token = re.compile(r"[A-Za-z0-9!#$%&'*+\-.^_`|~]+")
    headers = Headers()
    rows = [(n.strip("\t ").lower(), v) for n, v in given["headers"]]
    for n, v in rows:
        v.encode("utf-8")
        if not token.fullmatch(n):
            raise Refused("header-name", n)
    cleaned = []
    for n, v in rows:
        v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip("\t ")
        if "\r" in v or "\n" in v or "\0" in v:
            raise Refused("header-value", n)
        cleaned.append((n, v))
    if not token.fullmatch(given["method"]):
        raise Refused("method", given["method"])
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    for n, v in cleaned:
        headers.insert(n, v)
    text = given["method"].upper() + "\n" + "".join(headers.get(n, "") + "\n" for n in POSITIONAL)
    for n in sorted(headers):
        if n.startswith(WORDS["headerPrefix"].lower()):
            text += n + ":" + headers[n] + "\n"
    text += "/%s/%s" % (given["bucket"], given["key"])
    mac = hmac.new(pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, base64.b64encode(mac).decode("ascii"))}


serve("cpp-upload", {"etag": etag, "part-etag": part_etag, "authorization": authorization})
