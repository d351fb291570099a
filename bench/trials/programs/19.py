#!/usr/bin/env python3
"""A Kotlin library for Android (OkHttp, Gson).

1. RequestBody.create adds ; charset=utf-8 to a type text/* without charset, and that is signed.
2. Gson's Any: numbers are Double, written with an exponent from 10000000 on and below 0.001 (1.0E7).
3. HttpUrl removes dot segments from the path of a presigned URL.
4. Base64.DEFAULT of Android: the policy has LF after each 76 characters (not at its end).
5. Empty texts are left out of the JSON body, although they are signed.
"""
import base64
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def media_type(headers, method):
    given = base.positional(headers, "content-type")
    if given.lower().startswith("text/") and "charset=" not in given.lower():
        return given + "; charset=utf-8"
    return given


exact = base.number_text


def to_string(written):
    text = exact(written)
    try:
        value = float(text)
    except OverflowError:
        return text
    if value == 0 or abs(value) == float("inf") or 1e-3 <= abs(value) < 1e7:
        return text
    sign, digits, power = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, digits))
    return "-" * sign + digits[0] + "." + (digits[1:] or "0") + "E%d" % (power + len(digits) - 1)


def resolve(key):
    out = []
    pieces = key.split("/")
    for i, piece in enumerate(pieces):
        if piece in (".", ".."):
            if piece == ".." and out:
                out.pop()
            if i == len(pieces) - 1:
                out.append("")
        else:
            out.append(base.percent(piece))
    return "/".join(out)


def base64_default(data):
    return "\n".join(re.findall(".{1,76}", base64.urlsafe_b64encode(data).decode()))


body = base.json_text
base.content_type, base.number_text, base.url_path, base.policy_base64 = media_type, to_string, resolve, base64_default
base.json_text = lambda leaves, signature: body([leaf for leaf in leaves if leaf.text != ""], signature)


if __name__ == "__main__":
    base.main()
