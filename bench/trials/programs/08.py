#!/usr/bin/env python3
"""A shell script around openssl and sha1sum, put into functions.

1. Command substitution takes the line breaks at the end of each signed parameter value.
2. sort runs in the locale en_US: punctuation is skipped, case breaks ties.
3. The blocks of a file are counted as `wc -c` / 4194304 + 1: one too many for whole multiples.
4. The form upload is signed as PUT.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def substitution(leaf):
    return leaf.text.rstrip("\n")


def strcoll(leaves):
    return sorted(leaves, key=lambda leaf: ("".join(c for c in leaf.name if c.isalnum()).lower(), leaf.name.swapcase()))


def count(data, blocks):
    return len(data) // 4194304 + 1 if len(data) else 0


base.signed_value = substitution
base.order = strcoll
base.block_count = count
base.form_method = lambda: "PUT"


if __name__ == "__main__":
    base.main()
