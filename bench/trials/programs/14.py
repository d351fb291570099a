#!/usr/bin/env python3
"""A port of a C# client for Azure storage (shared key).

1. A private key that is Base64 of whole bytes is decoded before it is used for HMAC.
2. Extra headers with an empty value are left out.
3. A header Content-Encoding or Content-Language puts its value and a line feed before the line of Content-MD5.
"""
import base64
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def from_base64_string(private_key):
    raw = base.utf8(private_key)
    if raw and len(raw) % 4 == 0 and re.fullmatch(rb"[A-Za-z0-9+/]+={0,2}", raw):
        return base64.b64decode(raw)
    return raw


def x_ms_headers(headers, dialect):
    pairs = []
    for name, value in headers:
        if base.is_extra(name, dialect) and base.header_value(value) != "":
            pairs.append((name.lower(), base.header_value(value)))
    return pairs


def shared_key(method, bucket, key, headers, dialect):
    method = base.verb(method)
    base.check_bucket(bucket)
    text = method + "\n"
    for name in ("content-encoding", "content-language"):
        for value in base.find(headers, name):
            text += base.header_value(value) + "\n"
    for read in (base.content_md5, base.content_type, base.date):
        text += read(headers, method) + "\n"
    return text + base.canonical_headers(headers, dialect) + base.resource(bucket, key)


base.file_key, base.extra_pairs, base.header_text = from_base64_string, x_ms_headers, shared_key


if __name__ == "__main__":
    base.main()
