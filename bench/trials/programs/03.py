#!/usr/bin/env python3
"""A Java program after the vendor's sample, with its own helpers.

1. Strings are iterated as chars: percent-encoding turns a character beyond U+FFFF into %3F%3F.
2. URLEncoder leaves * alone, and the fix-up replaces only + and %7E.
3. TreeMap<String, String> compares UTF-16 code units.
4. Dates are parsed leniently: an Expires of 13 digits is milliseconds when verified.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def chars(text):
    """UTF-16 code units; a half of a pair cannot be encoded alone and becomes ?."""
    base.utf8(text)
    for c in text:
        yield from ([c] if ord(c) < 0x10000 else ["?", "?"])


def url_encode(text):
    out = []
    for c in chars(text):
        if c.isascii() and (c.isalnum() or c in "-_.*"):
            out.append(c)
        elif c == " ":
            out.append("+")
        else:
            out.extend("%%%02X" % octet for octet in c.encode("utf-8"))
    return "".join(out).replace("+", "%20").replace("%7E", "~")


def tree_map(leaves):
    return sorted(leaves, key=lambda leaf: (base.utf8(leaf.name), leaf.name.encode("utf-16-be"))[1])


def seconds(expires):
    value = strict(expires)
    return value // 1000 if len(expires) == 13 else value


strict = base.expires_seconds
base.percent, base.order, base.expires_seconds = url_encode, tree_map, seconds


if __name__ == "__main__":
    base.main()
