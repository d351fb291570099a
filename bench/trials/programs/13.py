#!/usr/bin/env python3
"""A port of a client for Amazon S3 (Python, after its Signature Version 4).

1. Runs of spaces within an extra header's value become one space (Trimall).
2. A presigned URL signs the escaped path, as the canonical URI would be.
3. A bucket with a dot in its name is addressed in path style.
4. Lists are named Name.member.1, Name.member.2 (query API of Amazon).
5. A verified Date that is more than 15 minutes off is refused.
"""
import email.utils
import os
import re
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def trim_all(value):
    return re.sub(" {2,}", " ", base.header_value(value))


def canonical_uri(key):
    return "/".join(base.percent(part) for part in key.split("/"))


def presign_resource(bucket, key):
    return "/" + bucket + "/" + canonical_uri(key)


def endpoint(scheme, bucket, host):
    if "." in bucket:
        return "%s://%s/%s/" % (scheme, host, bucket)
    return "%s://%s.%s/" % (scheme, bucket, host)


def member_list(name, items):
    out = []
    for number, item in enumerate(items, 1):
        out.extend(base.leaves("%s.member.%d" % (name, number), item))
    return out


def skewed(given, headers, dialect):
    text = base.header_text(given["method"], given["bucket"], given["key"], headers, dialect)
    parsed = email.utils.parsedate_tz(base.date(headers, given["method"]) or "none")
    if parsed and abs(email.utils.mktime_tz(parsed) - time.time()) > 15 * 60:
        raise base.No("expired", "RequestTimeTooSkewed")
    return text


base.extra_value, base.presign_resource, base.url_start = trim_all, presign_resource, endpoint
base.list_leaves, base.verify_header_text = member_list, skewed


if __name__ == "__main__":
    base.main()
