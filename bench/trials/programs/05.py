#!/usr/bin/env python3
"""A C# client over HttpClient.

1. Content-Type goes through MediaTypeHeaderValue: a space stands after each semicolon.
2. A Date that can be parsed is written again in the form of RFC 1123 in GMT.
3. Numbers are decimal: rounded to 28 significant digits.
"""
import email.utils
import os
import re
import sys
from decimal import Context

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def media_type(headers, method):
    given = base.positional(headers, "content-type")
    kind, *rest = re.split(r"[ \t]*;[ \t]*", given)
    return "; ".join([kind] + rest)


def date_offset(headers, method):
    given = base.positional(headers, "date")
    try:
        return email.utils.formatdate(email.utils.mktime_tz(email.utils.parsedate_tz(given)), usegmt=True)
    except (TypeError, ValueError, OverflowError, IndexError):
        return given


number = base.number_text


def decimal_text(written):
    return number(format(Context(prec=28).create_decimal(number(written)), "f"))


base.content_type, base.date, base.number_text = media_type, date_offset, decimal_text


if __name__ == "__main__":
    base.main()
