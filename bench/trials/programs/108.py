#!/usr/bin/env python3
"""A Java utility class for content hashes: etag and part-etag. Its mistakes:

1. The block count is written with ByteBuffer.putInt in its default order, big-endian.
2. The Base64 encoder is Base64.getUrlEncoder().withoutPadding(), so the ETag of a part has 27 characters without the = at its end.
"""
import base64
import hashlib
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import content, serve

BLOCK = 4 * 1024 * 1024


def sha1(data):
    return hashlib.sha1(data).digest()


def encode(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def etag(given, public, private):
    data = content(given["content"])
    count = (len(data) + BLOCK - 1) // BLOCK
    if len(data) <= BLOCK:
        digest = sha1(data)
    else:
        digest = sha1(b"".join(sha1(data[i * BLOCK:(i + 1) * BLOCK]) for i in range(count)))
    return {"etag": encode(struct.pack(">I", count) + digest)}


def part_etag(given, public, private):
    return {"etag": encode(sha1(content(given["content"])))}


serve("java-etag", {"etag": etag, "part-etag": part_etag})
