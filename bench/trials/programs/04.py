#!/usr/bin/env python3
"""A C library for devices, ported to test it.

1. Private keys of more than 64 bytes are cut to the block of HMAC instead of being hashed first.
2. Extra values are trimmed of blanks at their start only.
3. The last, short block of a file is hashed together with the rest of the buffer.
4. The signature of parameters is compared with strncmp over the length sent (verify-query, verify-json).
"""
import hashlib
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

BLOCK = 64


def hmac_sha1(key, message):
    key = key[:BLOCK].ljust(BLOCK, b"\0")
    inner = hashlib.sha1(bytes(k ^ 0x36 for k in key) + message).digest()
    return hashlib.sha1(bytes(k ^ 0x5c for k in key) + inner).digest()


def skip_blanks(value):
    return base.unfold(value).lstrip(" \t")


def hash_blocks(blocks):
    buffer = bytearray(len(blocks[0]))
    whole = hashlib.sha1()
    for block in blocks:
        buffer[:len(block)] = block
        whole.update(hashlib.sha1(buffer).digest())
    return whole.digest()


def strncmp(expected, got):
    return expected[:len(got)] == got


base.file_digest = hmac_sha1
base.extra_value = skip_blanks
base.hash_hashes = hash_blocks
base.equal_hex = strncmp


if __name__ == "__main__":
    base.main()
