#!/usr/bin/env python3
"""C firmware for a camera, ported to test it.

1. At most sixteen extra headers fit into the table; those after the sixteenth are not signed.
2. memcmp over the shorter name: a name and one that it begins stay in the given order.
3. A private key of exactly 64 bytes is hashed before HMAC.
4. The file is opened in text mode, and a byte 0x1A ends it.
"""
import functools
import hashlib
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

MAX_HEADERS = 16


def table(headers, dialect):
    rows = []
    for name, value in headers:
        if base.is_extra(name, dialect) and len(rows) < MAX_HEADERS:
            rows.append((base.extra_name(name), base.extra_value(value)))
    return rows


def compare(left, right):
    one, two = base.utf8(left.name), base.utf8(right.name)
    for x, y in zip(one, two):
        if x != y:
            return -1 if x < y else 1
    return 0


def qsort(leaves):
    return sorted(leaves, key=functools.cmp_to_key(compare))


def hmac_key(private_key):
    raw = base.utf8(private_key)
    return raw if len(raw) < 64 else hashlib.sha1(raw).digest()


read_all = base.content_bytes


def fopen_r(content):
    data = read_all(content)
    end = data.find(0x1A)
    return data if end < 0 else data[:end]


base.extra_pairs, base.order, base.file_key, base.content_bytes = table, qsort, hmac_key, fopen_r


if __name__ == "__main__":
    base.main()
