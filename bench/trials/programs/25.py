#!/usr/bin/env python3
"""A Ruby gem after Aliyun's OSS client (Rails habits).

1. (line 22) Parameters whose text is blank? (empty or white space only) are neither signed nor sent.
2. (line 26) BigDecimal#to_s: a number with a point or an exponent is written 0.15e1.
3. (line 37) key.sub(%r{\\A/+}, ''): slashes at the start of the signed key are lost.
4. (line 41) header.presence || field: an empty header Content-MD5 of a form counts as absent, so the form field Content-MD5 is signed.
"""
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


flatten_all, number_text = base.flatten, base.number_text


def flatten(parameters):
    return [leaf for leaf in flatten_all(parameters) if not leaf.quoted or leaf.text.strip()]


def to_s(written):
    text = number_text(written)
    if not re.search("[.eE]", written):
        return text
    value = Decimal(text)
    if not value:
        return "0.0"
    digits = "".join(map(str, value.as_tuple().digits)).rstrip("0")
    return "%s0.%se%d" % ("-" if value < 0 else "", digits, value.adjusted() + 1)


def object_key(key):
    return re.sub(r"\A/+", "", key)


def md5_of_form(headers, fields):
    value = base.one(base.find(headers, "content-md5")) or ""
    value = base.positional_value(value) or base.one(base.form_fields(fields, "Content-MD5")) or ""
    return base.positional_value(value)


base.flatten, base.number_text, base.resource_key, base.form_md5 = flatten, to_s, object_key, md5_of_form


if __name__ == "__main__":
    base.main()
