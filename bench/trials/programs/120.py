#!/usr/bin/env python3
"""C: helper functions (etag, part-etag, password, url-encode).

1. etag reads blocks with while (!feof(f)), which notices the end only after a short read: a file whose size is a multiple of 4 MiB
   (an empty one and one of exactly 4 MiB too) gets one more, empty block, which counts in the block count and in the hash of hashes.
   So an empty file has count 1, and exactly 4 MiB has count 2.
2. password takes strlen of the text, so that it ends before the first NUL.
3. url-encode writes to a buffer of 1024 bytes: what is longer than 1023 characters after encoding is cut off there.
"""
import binascii
import hashlib
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import content, serve  # noqa: E402

BUFFER = 4 << 20
HEX = "0123456789ABCDEF"


def url_safe(data):
    text = binascii.b2a_base64(data, newline=False).decode()
    return text.replace("+", "-").replace("/", "_")


def etag(given, public_key, private_key):
    f = io.BytesIO(content(given["content"]))
    eof = False
    count = 0
    hashes = b""
    while not eof:
        block = f.read(BUFFER)
        eof = len(block) < BUFFER
        hashes += hashlib.sha1(block).digest()
        count += 1
    digest = hashes if count == 1 else hashlib.sha1(hashes).digest()
    head = bytes([count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24 & 255])
    return {"etag": url_safe(head + digest)}


def part_etag(given, public_key, private_key):
    return {"etag": url_safe(hashlib.sha1(content(given["content"])).digest())}


def password(given, public_key, private_key):
    text = given["text"].encode("utf-8")
    end = text.find(b"\0")
    return {"value": binascii.b2a_base64(text if end < 0 else text[:end], newline=False).decode()}


def url_encode(given, public_key, private_key):
    out = []
    for c in given["text"].encode("utf-8"):
        if 0x30 <= c <= 0x39 or 0x41 <= c <= 0x5A or 0x61 <= c <= 0x7A or c in (0x2D, 0x5F, 0x2E, 0x7E):
            out.append(chr(c))
        else:
            out += ["%", HEX[c >> 4], HEX[c & 15]]
    return {"encoded": "".join(out[:1023])}


OPS = {"etag": etag, "part-etag": part_etag, "password": password, "url-encode": url_encode}

if __name__ == "__main__":
    serve("c-helpers", OPS)
