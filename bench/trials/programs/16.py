#!/usr/bin/env python3
"""A port of a Python client for Aliyun's RPC interface.

1. Lists count from 1 (Name.1, Name.2).
2. Names and values are percent-encoded in the signed string too.
3. Objects are not flattened but sent and signed as their JSON text, with a blank after commas and colons.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def repeat_list(name, items):
    return [leaf for i, item in enumerate(items) for leaf in base.leaves(name + "." + str(i + 1), item)]


def dumps(value):
    if isinstance(value, dict) and "object" in value:
        return "{" + ", ".join(json.dumps(n) + ": " + dumps(v) for n, v in value["object"]) + "}"
    if isinstance(value, dict) and "list" in value:
        return "[" + ", ".join(map(dumps, value["list"])) + "]"
    if isinstance(value, dict):
        return base.number_text(value["number"])
    return json.dumps(value)


def json_object(name, members):
    return [base.Leaf(name, dumps({"object": members}), True)]


def canonicalized(leaf):
    return base.percent(leaf.name) + base.percent(leaf.text)


base.list_leaves, base.object_leaves, base.signed_pair = repeat_list, json_object, canonicalized


if __name__ == "__main__":
    base.main()
