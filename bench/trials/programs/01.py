#!/usr/bin/env python3
"""A port of a Go client, first try.

1. The resource is built with path.Join: slashes at the end, double slashes and dot segments of the key are lost.
2. Numbers are float64 formatted with 'f', -1: whole numbers beyond 2^53 lose their last digits.
3. Of a repeated extra header only the first value is signed (http.Header.Get).
4. verify-authorization takes the first of several Authorization headers (Header.Get).
"""
import os
import posixpath
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


class Header:
    """net/http's Header: names regardless of case, Get gives the first value."""

    def __init__(self, pairs):
        self.map = {}
        for name, value in pairs:
            self.map.setdefault(name.lower(), []).append(base.header_value(value))

    def get(self, name):
        return self.map.get(name.lower(), [""])[0]


def canonical_headers(pairs, dialect):
    header = Header(pairs)
    keys = sorted(k for k in header.map if k.startswith(dialect["headerPrefix"].lower()))
    return "".join("%s:%s\n" % (k, header.get(k)) for k in keys)


def resource(bucket, key):
    return posixpath.normpath("/" + bucket + "/" + key).replace("//", "/", 1)


plain = base.number_text


def number_text(written):
    exact = plain(written)
    try:
        value = float(exact)
    except OverflowError:
        return exact
    if value in (float("inf"), float("-inf")):
        return exact
    return plain(repr(value))


def find_authorization(headers):
    value = Header(headers).get("Authorization")
    if not base.find(headers, "authorization"):
        raise base.No("authorization-missing", "no Authorization")
    return value


base.canonical_headers, base.resource = canonical_headers, resource
base.number_text, base.find_authorization = number_text, find_authorization


if __name__ == "__main__":
    base.main()
