#!/usr/bin/env python3
"""A port of a PHP client of 2015.

1. Query values and names are encoded with urlencode: a space is + and ~ is %7E (in the query only).
2. true is signed and sent as 1, false as the empty text (strval); the JSON body has them as texts.
3. The parameters are sorted with SORT_FLAG_CASE (regardless of case).
4. verify-query decodes with urldecode: a plus is a space.
"""
import os
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def strval(value):
    return "1" if value is True else ""


def ksort(leaves):
    return sorted(leaves, key=lambda leaf: (base.utf8(leaf.name).lower(), base.utf8(leaf.name)))


def urlencode(text):
    return urllib.parse.quote_plus(base.utf8(text), safe="-_.").replace("~", "%7E")


def http_build_query(leaves, signature):
    out = []
    for leaf in leaves:
        out.append(urlencode(leaf.name) + "=" + urlencode(leaf.text))
    out.append("Signature=" + signature)
    return "&".join(out)


def leaves(name, value):
    if value is True or value is False:
        leaf = base.Leaf(name, strval(value), True)
        return [leaf]
    return original(name, value)


def urldecode(text):
    return base.unpercent(text.replace("+", " "), "query-malformed")


original = base.leaves
base.leaves = leaves
base.order = ksort
base.query_text = http_build_query
base.query_decode = urldecode


if __name__ == "__main__":
    base.main()
