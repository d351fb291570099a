#!/usr/bin/env python3
"""A Swift package after the AWS SDK (Codable, URLComponents).

1. (line 21) Extra headers of a presigned URL are hoisted into its query and not signed.
2. (line 32) appendingPathComponent: double slashes of a presigned URL's path, and those at its start, are merged.
3. (line 36) Instant upload signs no extra headers (its request type has none).
4. (line 43) [Double]: whole numbers in a list are signed and sent with .0, and only these.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


url_path = base.url_path


def presign(given, keys, dialect):
    headers = base.read_headers(given["headers"])
    hoisted = base.sort_groups(base.merge(base.extra_pairs(headers, dialect)))
    plain = [header for header in headers if not base.is_extra(header[0], dialect)]
    signature = base.file_signature(base.presign_text(given, plain, dialect), keys)
    query = base.url_query(base.url_public_key(keys["publicKey"]), base.percent(given["expires"]), base.url_signature(signature), dialect)
    for name, values in hoisted:
        query += "&" + base.percent(name) + "=" + base.percent(base.join_values(values))
    return {"url": base.url_start(given["scheme"], given["bucket"], given["fileHost"]) + base.url_path(given["key"]) + "?" + query}


def path(key):
    return url_path(re.sub("/+", "/", key).lstrip("/"))


def instant(given, keys, dialect):
    headers = [h for h in base.read_headers(given["headers"]) if not base.is_extra(h[0], dialect)]
    text = base.header_text("POST", given["bucket"], given["key"], headers, dialect)
    return {"target": base.hit_target(given["etag"], given["key"], given["size"]),
            "authorization": base.credentials(keys["publicKey"], base.file_signature(text, keys), dialect)}


def doubles(name, items):
    out = []
    for index, item in enumerate(items):
        leaves = base.leaves(base.item_name(name, index), item)
        if isinstance(item, dict) and "number" in item and "." not in leaves[0].text:
            leaves[0].text += ".0"
        out += leaves
    return out


base.op_presign, base.url_path, base.op_instant, base.list_leaves = presign, path, instant, doubles


if __name__ == "__main__":
    base.main()
