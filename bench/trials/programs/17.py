#!/usr/bin/env python3
"""A port of a Node client for Tencent COS.

1. Names of parameters are in lower case in the signed string (they are sent as given and sorted as given).
2. Values of extra headers are percent-encoded in the string to sign if they have characters beyond ASCII.
3. encodeURIComponent with a fix for ! ' ( ) that forgets *.
4. headers is an object: of a repeated extra header the last value is signed.
"""
import os
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def lower_pair(leaf):
    return leaf.name.lower() + leaf.text


def cam_safe_url_encode(text):
    out = urllib.parse.quote(base.utf8(text), safe="-_.~!'()*")
    for c, code in (("!", "%21"), ("'", "%27"), ("(", "%28"), (")", "%29")):
        out = out.replace(c, code)
    return out


def header_value(value):
    plain = base.header_value(value)
    return plain if plain.isascii() else "".join(c if c.isascii() else cam_safe_url_encode(c) for c in plain)


def obj(pairs):
    out = {}
    for name, value in pairs:
        out[name] = [value]
    return list(out.items())


base.signed_pair, base.percent, base.extra_value, base.merge = lower_pair, cam_safe_url_encode, header_value, obj


if __name__ == "__main__":
    base.main()
