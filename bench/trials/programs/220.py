#!/usr/bin/env python3
"""A Go object client with the habits of Qiniu's kodo SDK: qetag, put policies, http.Header.

Mistakes:
1. http.Header.Get gives only the first value of a repeated extra header.
2. ETag of an empty file: the loop reads at least one block, so the count is 1.
3. The ETag of a part is that of a file: with the count 1 in front.
4. The policy is base64.StdEncoding: + and / instead of - and _.
"""
import base64
import hashlib
import hmac
import io
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

BLOCK_BITS = 22
encode_policy = base64.standard_b64encode


def get(values):
    return values[:1]


def go_token(text):
    return re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text) is not None


def text_of(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\x00\r\n]", value):
        raise Refused("header-value", "invalid")
    return value


def string_to_sign(given):
    if not go_token(given["method"]):
        raise Refused("method", given["method"])
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    header = {}
    for name, value in given["headers"]:
        name = name.strip(" \t")
        if not go_token(name):
            raise Refused("header-name", name)
        header.setdefault(name.lower(), []).append(text_of(value))
    out = io.StringIO()
    out.write(given["method"].upper() + "\n")
    for name in ("content-md5", "content-type", "date"):
        values = header.get(name, [""])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        out.write(values[0] + "\n")
    for name in sorted(header):
        if name.startswith(WORDS["headerPrefix"].lower()):
            out.write(name + ":" + ",".join(get(header[name])) + "\n")
    out.write("/" + given["bucket"] + "/" + given["key"])
    return out.getvalue()


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def authorization(given, pub, pri):
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(string_to_sign(given), pri)}


def policy_authorization(given, pub, pri):
    value = WORDS["scheme"] + " " + pub + ":" + mac(string_to_sign(given) + given["policy"], pri)
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}


def policy(given, pub, pri):
    rows = [json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"]]
    return {"policy": encode_policy(("{" + ",".join(rows) + "}").encode("utf-8")).decode("ascii")}


def at_least(blocks):
    return max(blocks, 1)


def qetag(data):
    size = 1 << BLOCK_BITS
    blocks = (len(data) + size - 1) >> BLOCK_BITS
    if blocks <= 1:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[i << BLOCK_BITS:(i + 1) << BLOCK_BITS]).digest() for i in range(blocks))).digest()
    return at_least(blocks).to_bytes(4, "little") + digest


def part(data):
    return (1).to_bytes(4, "little") + hashlib.sha1(data).digest()


serve("kodo-go", {
    "authorization": authorization, "policy": policy, "policy-authorization": policy_authorization,
    "etag": lambda given, pub, pri: {"etag": base64.urlsafe_b64encode(qetag(content(given["content"]))).decode("ascii")},
    "part-etag": lambda given, pub, pri: {"etag": base64.urlsafe_b64encode(part(content(given["content"]))).decode("ascii")},
})
