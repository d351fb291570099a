#!/usr/bin/env python3
"""A verifying filter in Kotlin (Ktor), written by someone who knew the query-string form best.

1. (line 20) substringBefore("&Signature="): parameters after the signature are accepted unsigned.
2. (line 27) Lists and objects of a JSON body are left out of the signed text.
3. (line 31) zip over both signatures compares the shorter length, so a longer signature that begins with the right one is accepted
   (an empty one is refused before).
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


read_query, read_json = base.read_query, base.read_json


def verify_query(given, keys, dialect):
    head, mark, tail = given["query"].partition("&Signature=")
    pairs = read_query(head + mark + tail.partition("&")[0])
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


def primitives(body):
    return [[name, value] for name, value in read_json(body) if not isinstance(value, dict) or "number" in value]


def zipped(expected, got):
    return all(a == c for a, c in zip(expected, got)) and len(got) >= len(expected)


base.verify_query, base.read_json, base.equal = verify_query, primitives, zipped


if __name__ == "__main__":
    base.main()
