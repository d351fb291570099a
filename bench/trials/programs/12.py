#!/usr/bin/env python3
"""A Lua module for a web server.

1. Numbers with a fraction, and whole ones of 16 digits or more, are written with %.14g.
2. A policy may be sent with any method.
3. Instant upload signs the escaped file name.
4. Header names with an underscore are not verified, as the web server drops them.
5. Query parameters of a presigned URL that are there twice are accepted, the last one counts.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


exact = base.number_text


def tostring(written):
    text = exact(written)
    if "." in text or len(text.lstrip("-")) >= 16:
        try:
            return "%.14g" % float(text)
        except OverflowError:
            return text
    return text


def escaped(key):
    return base.percent(key)


def kept(given, headers, dialect):
    return base.header_text(given["method"], given["bucket"], given["key"],
                            [pair for pair in headers if "_" not in pair[0]], dialect)


base.number_text, base.hit_key, base.verify_header_text = tostring, escaped, kept
base.policy_method_ok = lambda method: True
base.check_url_repeated = lambda names: None


if __name__ == "__main__":
    base.main()
