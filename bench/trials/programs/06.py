#!/usr/bin/env python3
"""A browser library in JavaScript.

1. encodeURIComponent is used as it is, so ! ' ( ) * are not escaped.
2. The prefix of extra headers is a RegExp with flag g, so an extra header right after another is missed.
3. The + and / of an ETag are replaced once only.
4. The password is encoded with btoa for characters up to U+00FF (one byte each).
5. Numbers pass through Number: digits beyond 2^53 change, and from 1e21 on they are written with an exponent.
"""
import base64
import os
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def encode_uri_component(text):
    return urllib.parse.quote(base.utf8(text), safe="-_.~!'()*")


class RegExp:
    def __init__(self):
        self.last_index = 0

    def test(self, name, dialect):
        prefix = dialect["headerPrefix"].lower()
        if self.last_index == 0 and name.lower().startswith(prefix):
            self.last_index = len(prefix)
            return True
        self.last_index = 0
        return False


def url_safe(raw):
    return base64.b64encode(raw).decode().replace("+", "-", 1).replace("/", "_", 1)


def btoa(text):
    raw = base.utf8(text)
    return base64.b64encode(text.encode("latin-1") if all(c <= "\xff" for c in text) else raw).decode()


exact = base.number_text


def number(written):
    text = exact(written)
    value = float(text)
    if abs(value) >= 1e21 and value not in (float("inf"), float("-inf")):
        mantissa, power = repr(value).split("e")
        return mantissa.replace(".0", "") + "e+" + power.lstrip("+")
    return exact(repr(value)) if abs(value) < 1e21 else text


base.percent, base.is_extra, base.etag_base64 = encode_uri_component, RegExp().test, url_safe
base.password_text, base.number_text = btoa, number


if __name__ == "__main__":
    base.main()
