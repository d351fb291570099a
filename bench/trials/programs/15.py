#!/usr/bin/env python3
"""A port of a Go client for Qiniu Kodo.

1. Signatures in the Authorization header are URL-safe Base64 (in URLs they are right).
2. The ETag has one byte before the hash, 0x16 for a single block and 0x96 for more, in place of the count.
3. The signature of a request with a policy covers the policy only, as an upload token does.
4. An Expires of at most nine digits is a lifetime and is added to the present time.
"""
import base64
import os
import re
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

BEGAN = int(time.time())


def encoded_sign(public_key, signature, dialect):
    base.utf8(public_key)
    return dialect["scheme"] + " " + public_key + ":" + signature.replace("+", "-").replace("/", "_")


def qetag(given, keys, dialect):
    data = base.content_bytes(given["content"])
    blocks = base.split(data)
    if len(blocks) <= 1:
        raw = b"\x16" + base.etag_hash(data)
    else:
        raw = b"\x96" + base.hash_hashes(blocks)
    return {"etag": base64.urlsafe_b64encode(raw).decode()}


def upload_token(text, policy):
    return policy or text


def deadline(expires):
    return str(BEGAN + int(expires)) if re.fullmatch("[0-9]{1,9}", expires) else expires


base.credentials, base.op_etag, base.policy_text = encoded_sign, qetag, upload_token
base.presign_expires = base.url_expires = deadline


if __name__ == "__main__":
    base.main()
