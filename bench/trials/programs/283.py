#!/usr/bin/env python3
"""An uploader ported from Rust: ETags, callbacks, instant upload, plain uploads.

Mistakes:
1. Encodes a policy with URL_SAFE_NO_PAD: without the equals signs at its end.
2. The request for an instant upload is signed without extra headers, even if it has some. Plain uploads sign them.
3. The block count of the ETag of an empty file is 1: (size + BLOCK - 1) / BLOCK, then max(1).
"""
import hashlib
import hmac
import json
import os
import re
import struct
import sys
from base64 import b64encode, urlsafe_b64encode

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

BLOCK = 4 * 1024 * 1024
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def sha1(data):
    return hashlib.sha1(data).digest()


def count(size):
    return max((size + BLOCK - 1) // BLOCK, 1)


def etag(given, pub, pri):
    data = content(given["content"])
    if len(data) <= BLOCK:
        digest = sha1(data)
    else:
        digest = sha1(b"".join(sha1(data[at:at + BLOCK]) for at in range(0, len(data), BLOCK)))
    return {"etag": urlsafe_b64encode(struct.pack("<I", count(len(data))) + digest).decode()}


def policy(given, pub, pri):
    pairs = [json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"]]
    return {"policy": no_pad(urlsafe_b64encode(("{" + ",".join(pairs) + "}").encode("utf-8")).decode())}


def no_pad(text):
    return text.rstrip("=")


def header_map(headers):
    out = {}
    for name, value in headers:
        name = name.strip(" \t")
        if TOKEN.fullmatch(name) is None:
            raise Refused("header-name", "invalid header name")
        out.setdefault(name.lower(), []).append(header_value(value))
    return out


def header_value(value):
    value.encode("utf-8")
    pieces = value.replace("\r\n", "\n").split("\n")
    if len(pieces) > 1 and all(re.match(r"[ \t]", piece) for piece in pieces[1:]):
        value = re.sub(r"[ \t]*\n[ \t\n]*", " ", "\n".join(pieces))
    value = value.strip(" \t")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "invalid header value")
    return value


def sign(given, pub, pri, method, with_extra=True, tail=""):
    headers = header_map(given["headers"])
    if TOKEN.fullmatch(method) is None:
        raise Refused("method", "invalid method")
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", "invalid bucket")
    lines = [method.upper()]
    for name in ("content-md5", "content-type", "date"):
        values = headers.get(name, [""])
        if len(values) != 1:
            raise Refused("header-repeated", name)
        lines.append(values[0])
    prefix = WORDS["headerPrefix"].lower()
    if with_extra:
        lines += [name + ":" + ",".join(headers[name]) for name in sorted(headers) if name.startswith(prefix)]
    lines.append("/" + given["bucket"] + "/" + given["key"] + tail)
    pub.encode("utf-8")
    mac = hmac.new(pri.encode("utf-8"), "\n".join(lines).encode("utf-8"), hashlib.sha1)
    return "%s %s:%s" % (WORDS["scheme"], pub, b64encode(mac.digest()).decode())


def escape(text):
    return "".join(chr(b) if TOKEN_BYTE[b] else "%%%02X" % b for b in text.encode("utf-8"))


TOKEN_BYTE = [re.match(r"[A-Za-z0-9._~-]", chr(b)) is not None for b in range(256)]
HIT_EXTRA = False


def instant(given, pub, pri):
    return {"authorization": sign(given, pub, pri, "POST", with_extra=HIT_EXTRA),
            "target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(escape(given[n]) for n in ("etag", "key", "size"))}


def with_policy(given, pub, pri):
    policy = given["policy"]
    return {"authorization": sign(given, pub, pri, given["method"], tail=policy) + (":" + policy if policy else "")}


serve("rust-uploader", {
    "etag": etag,
    "part-etag": lambda g, pub, pri: {"etag": urlsafe_b64encode(sha1(content(g["content"]))).decode()},
    "policy": policy,
    "policy-authorization": with_policy,
    "instant-upload": instant,
    "authorization": lambda g, pub, pri: {"authorization": sign(g, pub, pri, g["method"])},
})
