#!/usr/bin/env python3
"""A gateway in Node that verifies requests (Koa), with a copy of an S3 proxy's checks.

1. (line 22) decodeURI for the path of a presigned URL: the escapes of ; / ? : @ & = + $ , # stay.
2. (line 27) A HEAD is routed as a GET before Authorization is verified.
3. (line 32) decodeURIComponent on the values of ctx.query, which are decoded already (verify-query).
4. (line 38) A presigned URL that is valid for more than seven days is refused.
"""
import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


check_expiry, read_query = base.check_expiry, base.read_query


def decode_uri(path):
    kept = re.sub("%(?=3B|2F|3F|3A|40|26|3D|2B|24|2C|23)", "%25", path, flags=re.I)
    return base.unpercent(kept, "url-malformed")


def routed(given, headers, dialect):
    method = "GET" if given["method"].upper() == "HEAD" else given["method"]
    return base.header_text(method, given["bucket"], given["key"], headers, dialect)


def verify_query(given, keys, dialect):
    pairs = [(name, urllib.parse.unquote(value)) for name, value in read_query(given["query"])]
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


def week(now, expires):
    check_expiry(now, expires)
    if int(expires) - int(now) > 7 * 86400:
        raise base.No("expires-malformed", "X-Expires must be less than a week")


base.key_of_path, base.verify_header_text, base.verify_query, base.check_expiry = decode_uri, routed, verify_query, week


if __name__ == "__main__":
    base.main()
