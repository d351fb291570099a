#!/usr/bin/env python3
"""Correct. Takes the other choice where the specification leaves one open: of a positional header that is there twice the last value
is signed instead of a refusal; null parameters are dropped when signing; of a parameter name that is there twice the last value is
signed and sent; PublicKey is added to a sent request that lacks it and stays unescaped (@) in queries; the query of a presigned URL
begins with Expires. A set of names is sorted, and values are looked up in a dictionary."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

strict = base.prepare


def positional(headers, wanted):
    table = {name.lower(): value for name, value in headers}
    return base.header_value(table[wanted]) if wanted in table else ""


def no_null(value):
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, no_null(item)] for name, item in value["object"] if item is not None]}
    return value


def prepare(parameters):
    table = {}
    for name, value in parameters:
        if value is not None and name != "Signature":
            table[name] = no_null(value)
    leaves = {leaf.name: leaf for leaf in base.flatten(list(table.items()))}
    base.check_repeated([leaf.name for leaf in base.flatten(list(table.items()))])
    return [leaves[raw.decode()] for raw in sorted({base.utf8(name) for name in leaves}) if raw != b"Signature"]


def complete(given, keys):
    parameters = list(given["parameters"])
    if not any(name == "PublicKey" for name, _ in parameters):
        parameters.append(["PublicKey", keys["publicKey"]])
    ordered = prepare(parameters)
    base.need(ordered, "Action")
    return ordered, base.sign_leaves(ordered, keys)


def query_value(leaf):
    escaped = base.percent(leaf.text)
    return escaped.replace("%40", "@") if leaf.name == "PublicKey" else escaped


def url_query(public_key, expires, signature, dialect):
    return "&".join(["Expires=" + expires, dialect["publicKeyParameter"] + "=" + public_key, "Signature=" + signature])


base.positional, base.prepare, base.complete, base.query_value, base.url_query = positional, prepare, complete, query_value, url_query
base.verify_prepare = strict
base.url_public_key = lambda public_key: base.percent(public_key).replace("%40", "@")

if __name__ == "__main__":
    base.main()
