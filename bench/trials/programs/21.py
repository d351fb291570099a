#!/usr/bin/env python3
"""A Rust crate (serde_json, percent_encoding, base64, http).

1. serde_json without arbitrary_precision: fractions and whole numbers beyond 64 bits become f64.
2. percent_encoding::NON_ALPHANUMERIC: - _ . and ~ are escaped too.
3. URL_SAFE_NO_PAD: the ETag of a part has no padding.
4. HeaderMap::get: of two Authorization headers the first is verified.
"""
import base64
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

exact = base.number_text


def serde_number(written):
    text = exact(written)
    if "." not in text and -2 ** 63 <= int(text[:30]) < 2 ** 64 and len(text) < 30:
        return text
    try:
        return exact(repr(float(text)))
    except (OverflowError, base.No):
        return text


def non_alphanumeric(text):
    return "".join(chr(o) if o < 128 and chr(o).isalnum() else "%%%02X" % o for o in base.utf8(text))


def part(given, keys, dialect):
    raw = base.etag_hash(base.content_bytes(given["content"]))
    return {"etag": base64.urlsafe_b64encode(raw).decode().replace("=", "")}


def header_map_get(headers):
    for name, value in headers:
        if name.lower() == "authorization":
            return base.header_value(value)
    raise base.No("authorization-missing", "no Authorization")


base.number_text, base.percent, base.op_part_etag = serde_number, non_alphanumeric, part
base.find_authorization = header_map_get


if __name__ == "__main__":
    base.main()
