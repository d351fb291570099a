#!/usr/bin/env python3
"""A Swift client for phones.

1. Keys are decomposed (NFD) in the signed resource, as file names are.
2. CharacterSet.alphanumerics is taken for safe: letters and digits of every script are not escaped.
3. A presigned URL signs each method but PUT as GET.
4. Extra names are sorted as sent, and lower-cased afterwards (so the values of two spellings of one name may change places too).
"""
import os
import sys
import unicodedata

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def file_name(key):
    return unicodedata.normalize("NFD", key)


def adding_percent_encoding(text):
    base.utf8(text)
    out = ""
    for c in text:
        out += c if c.isalnum() or c in "-_.~" else "".join("%%%02X" % o for o in c.encode())
    return out


def method(given):
    return "PUT" if base.verb(given) == "PUT" else "GET"


def canonical(headers, dialect):
    merged = {}
    for name, value in sorted(((n, v) for n, v in headers if base.is_extra(n, dialect)), key=lambda pair: pair[0]):
        merged.setdefault(name.lower(), []).append(base.header_value(value))
    return "".join(name + ":" + ",".join(values) + "\n" for name, values in merged.items())


base.resource_key, base.percent, base.presign_method = file_name, adding_percent_encoding, method
base.canonical_headers = canonical


if __name__ == "__main__":
    base.main()
