#!/usr/bin/env python3
"""A .NET library after the client for Azure blobs.

1. (line 22) OrderBy without StringComparer.Ordinal: names of extra headers compare by culture, which skips hyphens.
2. (line 26) Date is a DateTimeOffset?: a value that is no HTTP date is null, an empty line.
3. (line 34) WebUtility.UrlEncode with + replaced: ! * ( ) are not escaped.
4. (line 41) System.Text.Json cannot have a member name twice, so a policy is built from a Dictionary: of members of one name the last value stays,
   and all members are written in the order of their names.
"""
import email.utils
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


percent, write_policy = base.percent, base.policy_json


def order_by(groups):
    return sorted(groups, key=lambda group: (group[0].replace("-", ""), group[0]))


def date(headers, method):
    value = base.positional(headers, "date")
    try:
        return value if email.utils.parsedate(value) else ""
    except (ValueError, IndexError, TypeError):
        return ""


def url_encode(text):
    out = percent(text)
    for c in "!*()":
        out = out.replace("%%%02X" % ord(c), c)
    return out


def sorted_policy(members):
    return write_policy(sorted(dict(map(tuple, members)).items()))


base.sort_groups, base.date, base.percent, base.policy_json = order_by, date, url_encode, sorted_policy


if __name__ == "__main__":
    base.main()
