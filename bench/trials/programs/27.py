#!/usr/bin/env python3
"""A C++ library for a set-top box (iostreams, its own HMAC).

1. (line 21) operator<< at its default precision: numbers with a fraction keep six significant digits.
2. (line 26) std::map::operator[] with += ',': an empty first value of a repeated extra header leaves no comma.
3. (line 35) A private key longer than a block is replaced by the hexadecimal digits of its SHA-1.
4. (line 40) std::round instead of std::ceil for the count of blocks: one too small if the last block is less than half full.
"""
import hashlib
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


number_text = base.number_text


def stream(written):
    text = number_text(written)
    return "%.6g" % float(text) if "." in text and len(text) < 300 else text


def append(values):
    out = ""
    for value in values:
        if out:
            out += ","
        out += value
    return out


def hmac_key(private_key):
    key = base.utf8(private_key)
    return hashlib.sha1(key).hexdigest().encode() if len(key) > 64 else key


def rounded(data, blocks):
    return len(blocks) and max(1, (2 * len(data) + base.BLOCK) // (2 * base.BLOCK))


base.number_text, base.join_values, base.file_key, base.block_count = stream, append, hmac_key, rounded


if __name__ == "__main__":
    base.main()
