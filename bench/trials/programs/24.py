#!/usr/bin/env python3
"""A gateway in Go that verifies requests (net/http, encoding/json).

1. Members of a JSON body are matched in any case: signature counts as Signature, publickey as PublicKey.
2. path.Clean on the URL's path: double slashes, dot segments and a slash at the end are gone.
3. Parameters without a Signature are accepted (an if around the comparison).
4. The decoder reads the first JSON value and ignores what follows it.
5. A presigned URL is verified as one for GET, whatever the method.
"""
import json
import os
import posixpath
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

FIELDS = {"signature": "Signature", "publickey": "PublicKey"}


def decode(body):
    decoder = json.JSONDecoder(object_pairs_hook=base.json_pairs, parse_int=base.json_number, parse_float=base.json_number,
                               parse_constant=base.json_constant)
    try:
        value, _ = decoder.raw_decode(body.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        raise base.No("body-malformed", "invalid character")
    if not isinstance(value, dict) or "object" not in value:
        raise base.No("body-malformed", "cannot unmarshal")
    members = value["object"]
    exact = {name for name, _ in members}
    return [[name if FIELDS.get(name.lower(), name) in exact else FIELDS.get(name.lower(), name), item] for name, item in members]


def clean(path):
    return posixpath.normpath("/" + base.unpercent(path, "url-malformed")).lstrip("/")


def verify(parameters, signature, keys):
    ordered = base.verify_prepare(parameters)
    base.verify_need(ordered)
    public_key = next(leaf.text for leaf in ordered if leaf.name == "PublicKey")
    base.check_account(public_key, keys)
    if signature:
        if base.sign_leaves(ordered, keys) != signature:
            raise base.No("signature-mismatch", "signature")
    return {"publicKey": public_key}


base.read_json, base.key_of_path, base.verify_parameters = decode, clean, verify
base.verify_method = lambda method: "GET" if base.verb(method) else ""


if __name__ == "__main__":
    base.main()
