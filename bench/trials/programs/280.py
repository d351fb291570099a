#!/usr/bin/env python3
"""An uploader for a small device, ported from C: fixed buffers, strncmp, fread.

Mistakes:
1. Every header value (positional or extra) is copied into a buffer of 128 bytes, so it is cut after 127 bytes.
2. Sorts the extra headers by strncmp over the first 16 characters only: names equal so far stay in the order in which they were sent.
3. Reads blocks until one is shorter than 4 MiB. A file above 4 MiB of whole blocks gets an empty block at its end, counted and hashed.
"""
import base64
import functools
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

NAME = re.compile(r"[-!#$%&'*+.^_`|~0-9a-zA-Z]+")
BLOCK = 4 << 20
VALUE_SIZE = 128
NAME_COMPARED = 16


def snprintf(value):
    return value[:VALUE_SIZE - 1]


def strncmp(a, b):
    a, b = a[:NAME_COMPARED], b[:NAME_COMPARED]
    return (a > b) - (a < b)


def skip_folds(value):
    raw = value.encode("utf-8").replace(b"\r\n", b"\n")
    if b"\n" not in raw:
        return value.encode("utf-8")
    if re.search(rb"\n(?![ \t])", raw):
        raise Refused("header-value", "a line break")
    return re.sub(rb"[ \t]*\n[ \t\n]*", b" ", raw)


def read_value(value):
    raw = skip_folds(value).strip(b" \t")
    if re.search(rb"[\r\n\0]", raw):
        raise Refused("header-value", "a line break or NUL")
    return snprintf(raw)


def parse(headers):
    table = []
    for name, value in headers:
        name = name.strip(" \t")
        if NAME.fullmatch(name) is None:
            raise Refused("header-name", "bad name")
        table.append((name.lower(), read_value(value)))
    return table


def single(table, name):
    values = [v for n, v in table if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else b""


def extra(table):
    slots = []
    for name, value in table:
        if not name.startswith(WORDS["headerPrefix"].lower()):
            continue
        for slot in slots:
            if slot[0] == name:
                slot[1] += b"," + value
                break
        else:
            slots.append([name, value])
    slots.sort(key=functools.cmp_to_key(lambda a, b: strncmp(a[0], b[0])))
    return b"".join(n.encode() + b":" + v + b"\n" for n, v in slots)


def authorization(given, pub, pri):
    table = parse(given["headers"])
    if NAME.fullmatch(given["method"]) is None:
        raise Refused("method", "bad method")
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", "bad bucket")
    pub.encode("utf-8")
    message = given["method"].upper().encode() + b"\n"
    for name in ("content-md5", "content-type", "date"):
        message += single(table, name) + b"\n"
    message += extra(table) + ("/" + given["bucket"] + "/" + given["key"]).encode("utf-8")
    mac = hmac.new(pri.encode("utf-8"), message, hashlib.sha1).digest()
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + base64.b64encode(mac).decode()}


def done(block, at, size):
    return len(block) < BLOCK


def etag(given, pub, pri):
    data = content(given["content"])
    if len(data) <= BLOCK:
        count, digest = min(len(data), 1), hashlib.sha1(data).digest()
    else:
        at, count, all_hashes = 0, 0, hashlib.sha1()
        while True:
            block = data[at:at + BLOCK]
            at += len(block)
            all_hashes.update(hashlib.sha1(block).digest())
            count += 1
            if done(block, at, len(data)):
                break
        digest = all_hashes.digest()
    return {"etag": base64.b64encode(bytes([count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24]) + digest, b"-_").decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.b64encode(hashlib.sha1(content(given["content"])).digest(), b"-_").decode()}


serve("device-uploader", {"authorization": authorization, "etag": etag, "part-etag": part_etag})
