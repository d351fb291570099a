#!/usr/bin/env python3
"""An account API and bucket client in C++ on libcurl and OpenSSL.

Mistakes:
1. Sorts with a comparator of its own over char, which is signed on this machine: bytes from 0x80 on are negative, so a name with a letter
   outside ASCII comes before one with an ASCII character in the same place.
2. Escapes with curl_easy_escape(curl, s.c_str(), 0): the length 0 means strlen, so a name or a value is cut at its first NUL in the query.
   The signature is over the whole std::string.
3. A number that is no 64-bit integer is a double printed with "%.17g": 0.1 becomes 0.10000000000000001, large and small ones get an
   exponent, and one beyond the range of a double is refused.
"""
import base64
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def curl_easy_escape(raw):
    raw = raw[:raw.index(b"\0")] if b"\0" in raw else raw
    return "".join(chr(b) if b in UNRESERVED else "%" + format(b, "02X") for b in raw)


def to_text(written):
    if re.fullmatch("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?", written) is None:
        raise Refused("number", written)
    if re.fullmatch("-?[0-9]{1,19}", written) and -1 << 63 <= int(written) < 1 << 63:
        return str(int(written))
    d = float(written)
    if d == 0:
        return "0"
    if d - d != 0:
        raise Refused("number", "overflow")
    return "%.17g" % d


class Params:
    """A vector of names, texts and JSON texts; names and texts are bytes, as in std::string."""

    def __init__(self, given):
        self.rows = []
        for name, v in given["parameters"]:
            self.push(name.encode("utf-8"), v)
        self.rows = [r for r in self.rows if r[0] != b"Signature"]
        self.rows.sort(key=lambda r: [b - 256 if b > 127 else b for b in r[0]])
        for a, b in zip(self.rows, self.rows[1:]):
            if a[0] == b[0]:
                raise Refused("parameter-repeated", "twice")

    def push(self, name, v):
        if v is None:
            raise Refused("parameter-null", "null")
        if v is True or v is False:
            word = "true" if v else "false"
            self.rows.append((name, word.encode(), word))
        elif isinstance(v, str):
            self.rows.append((name, v.encode("utf-8"), json.dumps(v)))
        elif "number" in v:
            t = to_text(v["number"])
            self.rows.append((name, t.encode(), t))
        elif "list" in v:
            for i in range(len(v["list"])):
                self.push(name + b"." + str(i).encode(), v["list"][i])
        else:
            for k, x in v["object"]:
                self.push(name + b"." + k.encode("utf-8"), x)

    def require(self, *names):
        for n in names:
            if all(r[0] != n for r in self.rows):
                raise Refused("parameter-missing", n.decode())

    def signature(self, pri):
        return hashlib.sha1(b"".join(n + t for n, t, _ in self.rows) + pri.encode("utf-8")).hexdigest()


def query(given, pri, bucket=False):
    p = Params(given)
    p.require(b"Action", b"PublicKey")
    if bucket and any(r[:2] == (b"Action", b"CreateBucket") for r in p.rows):
        p.require(b"Type", b"BucketName")
    out = ""
    for n, t, _ in p.rows:
        out += curl_easy_escape(n) + "=" + curl_easy_escape(t) + "&"
    return out + "Signature=" + p.signature(pri)


def body(given, pub, pri):
    p = Params(given)
    p.require(b"Action", b"PublicKey")
    out = "{"
    for n, _, j in p.rows:
        out += json.dumps(n.decode("utf-8")) + ":" + j + ","
    return {"body": out + '"Signature":"' + p.signature(pri) + '"}'}


serve("cpp-api", {
    "url-encode": lambda g, pub, pri: {"encoded": curl_easy_escape(g["text"].encode("utf-8"))},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda g, pub, pri: {"signature": Params(g).signature(pri)},
    "action-json": body,
    "action-query": lambda g, pub, pri: {"query": query(g, pri)},
    "bucket-request": lambda g, pub, pri: {"target": "/?" + query(g, pri, True)},
})
