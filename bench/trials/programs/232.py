#!/usr/bin/env python3
"""A shell script with curl, sort, sha1sum and base64: name=value lines in a file, no lists.

Mistakes:
1. Sorts the lines name=value, not the names, so a-b=1 and a1=1 come before a=1.
2. echo "$password" | base64 encodes the line break that echo adds too.
3. base64 without -w0 breaks a long Password value after 76 characters.
"""
import base64
import hashlib
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, serve  # noqa: E402


def plain(written):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written) is None:
        raise Refused("number", "not a number")
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) >= 4000:
            raise Refused("number", "too long")
        t = format(d, "f")
    except ArithmeticError:
        raise Refused("number", "too large")
    if "." in t:
        t = t.rstrip("0").rstrip(".")
    return "0" if t in ("0", "-0", "") else t

SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

def esc(text):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in text.encode("utf-8"))

def text_of(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if "number" not in value:
        raise Unsupported("no lists or objects in a shell script")
    return plain(value["number"])


def sort_key(pair):
    """LC_ALL=C sort"""
    return (pair[0] + "=" + pair[1]).encode("utf-8")


ECHO_BREAK = "\n"
WIDTH = 76


def base64_tool(text):
    out = base64.b64encode(text.encode("utf-8")).decode("ascii")
    return "\n".join(out[i:i + WIDTH] for i in range(0, len(out), WIDTH))


def pairs_of(g):
    if any(isinstance(v, dict) and "number" not in v for _, v in g["parameters"]):
        raise Unsupported("no lists or objects in a shell script")
    pairs = [(n, text_of(n, v)) for n, v in g["parameters"]]
    pairs = [p for p in pairs if p[0] != "Signature"]
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "uniq -d")
    return sorted(pairs, key=sort_key)


def sha1sum(pairs, pri):
    return hashlib.sha1(("".join(n + v for n, v in pairs) + pri).encode("utf-8")).hexdigest()


def checked(g):
    pairs = pairs_of(g)
    for name in ("Action", "PublicKey"):
        if name not in dict(pairs):
            raise Refused("parameter-missing", name)
    return pairs


def query(pairs, pri):
    return "&".join(esc(n) + "=" + esc(v) for n, v in pairs) + "&Signature=" + sha1sum(pairs, pri)


def bucket(g, pub, pri):
    pairs = checked(g)
    target = "/?" + query(pairs, pri)
    if dict(pairs)["Action"] == "CreateBucket":
        for name in ("Type", "BucketName"):
            if name not in dict(pairs):
                raise Refused("parameter-missing", name)
    return {"target": target}


serve("shell", {
    "url-encode": lambda g, pub, pri: {"encoded": esc(g["text"])},
    "password": lambda g, pub, pri: {"value": base64_tool(g["text"] + ECHO_BREAK)},
    "action-signature": lambda g, pub, pri: {"signature": sha1sum(pairs_of(g), pri)},
    "action-query": lambda g, pub, pri: {"query": query(checked(g), pri)},
    "bucket-request": bucket,
})
