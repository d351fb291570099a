#!/usr/bin/env python3
"""A verifier in PHP with Laravel's middleware.

1. TrimStrings: texts of parameters are trimmed before they are verified.
2. ConvertEmptyStringsToNull: empty texts are gone before they are verified.
3. The public key is looked up in a table with a case-insensitive collation.
4. Expires is cast with (int): blanks and a sign before the digits and text after them pass, text without digits is 0.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def middleware(parameters):
    kept = []
    for name, value in parameters:
        if isinstance(value, str):
            value = value.strip()
            if value == "":
                continue
        kept.append([name, value])
    return base.prepare(kept)


def users_by_key(public_key, keys):
    if public_key.lower() != keys["publicKey"].lower():
        raise base.No("public-key-unknown", "no such row")


def cast(expires):
    match = re.match(r"[ \t\n\r\v\f]*([+-]?[0-9]+)", expires)
    return int(match[1]) if match else 0


base.verify_prepare, base.check_account, base.expires_seconds = middleware, users_by_key, cast


if __name__ == "__main__":
    base.main()
