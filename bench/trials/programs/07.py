#!/usr/bin/env python3
"""A Ruby gem.

1. Base64.encode64: the password's text has a line break after 60 characters and at its end.
2. A helper of Rails strips all Unicode white space, and zero-width spaces, around extra values.
3. Lists inside lists are flattened before the names are made.
"""
import base64
import os
import sys
import textwrap

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def encode64(text):
    whole = base64.b64encode(base.utf8(text)).decode()
    return "".join(line + "\n" for line in textwrap.wrap(whole, 60))


def squish_ends(value):
    return base.header_value(value).strip().strip("\0\u00a0\u200b")


def flat(items):
    for item in items:
        if isinstance(item, dict) and "list" in item:
            yield from flat(item["list"])
        else:
            yield item


def list_leaves(name, items):
    return [leaf for i, item in enumerate(flat(items)) for leaf in base.leaves("%s.%d" % (name, i), item)]


base.password_text, base.extra_value, base.list_leaves = encode64, squish_ends, list_leaves


if __name__ == "__main__":
    base.main()
