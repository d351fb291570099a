#!/usr/bin/env python3
"""A gateway in Node that verifies requests (Express).

1. Of repeated extra headers the values are joined with a comma and a blank by the server before they are verified.
2. The path of a presigned URL is decoded twice.
3. JSON numbers are doubles: digits beyond 2^53 change.
4. Signatures of files are compared after decoding, so URL-safe letters, missing padding and foreign characters pass.
5. A HEAD passes with the signature for GET.
"""
import base64
import os
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def joined(headers, dialect):
    out = {}
    for i, (name, value) in enumerate(headers):
        if base.is_extra(name, dialect):
            key = name.lower()
            out[key] = (name, out[key][1] + ", " + base.header_value(value) if key in out else value)
        else:
            out[i] = (name, value)
    return list(out.values())


def verify_header_text(given, headers, dialect):
    return base.header_text(given["method"], given["bucket"], given["key"], joined(headers, dialect), dialect)


def key_of_path(path):
    return urllib.parse.unquote(base.unpercent(path, "url-malformed"))


def json_number(written):
    value = float(written)
    return {"number": repr(value) if abs(value) < 1e300 else written}


def buffer(text):
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/") + "==")
    except ValueError:
        return text


def check_signature(expected, got):
    if buffer(expected) != buffer(got):
        raise base.No("signature-mismatch", "not the signature")


once = base.verify_url


def verify_url(given, keys, dialect):
    try:
        return once(given, keys, dialect)
    except base.No as no:
        if given["method"].upper() != "HEAD" or no.args[0] != "signature-mismatch":
            raise
    return once(dict(given, method="GET"), keys, dialect)


base.verify_header_text, base.key_of_path, base.json_number = verify_header_text, key_of_path, json_number
base.check_signature, base.verify_url = check_signature, verify_url


if __name__ == "__main__":
    base.main()
