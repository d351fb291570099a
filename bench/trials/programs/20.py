#!/usr/bin/env python3
"""A Perl module (LWP, URI::Escape, JSON::PP).

1. uri_escape with its old default leaves ! * ' ( ) as they are.
2. Numbers are stringified with %.15g.
3. Values of headers are unfolded by s/\\s+/ /g, which takes every run of white space in extra values.
4. false is the empty text in the signed string (it is sent as false).
"""
import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def uri_escape_utf8(text):
    return urllib.parse.quote(base.utf8(text), safe="-_.~!*'()")


exact = base.number_text


def stringify(written):
    text = exact(written)
    if len(text.strip("-").replace(".", "").lstrip("0")) <= 15:
        return text
    try:
        return "%.15g" % float(text)
    except OverflowError:
        return text


def squeeze(value):
    return re.sub("[ \t]+", " ", base.header_value(value))


def perl_false(leaf):
    return "" if leaf.text == "false" and not leaf.quoted else leaf.text


base.percent, base.number_text, base.extra_value, base.signed_value = uri_escape_utf8, stringify, squeeze, perl_false


if __name__ == "__main__":
    base.main()
