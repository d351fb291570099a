#!/usr/bin/env python3
"""A first try in C (char arrays, qsort, printf).

1. Percent-encoding prints a signed char with %02X, so each byte beyond ASCII becomes %FFFFFFC3 and the like.
2. qsort compares the names with strcasecmp.
3. A text ends at its first NUL, in values, names and texts to encode.
4. Numbers with a fraction or an exponent are doubles printed with %g: six digits, and an exponent if they are large or small.
"""
import hashlib
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, serve  # noqa: E402


def c_string(text):
    return text.encode("utf-8").split(b"\0")[0]


def url_encode(raw):
    out = ""
    for byte in raw:
        if byte < 128 and (chr(byte).isalnum() or byte in b"-_.~"):
            out += chr(byte)
        else:
            signed = byte - 256 if byte > 127 else byte
            out += "%%%02X" % (signed & 0xFFFFFFFF)
    return out


def strcasecmp_key(raw):
    return bytes(b + 32 if 65 <= b <= 90 else b for b in raw)


def print_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    if re.search(r"[.eE]", written):
        value = float(written)
        if value in (float("inf"), float("-inf")):
            raise Unsupported("too large for a double")
        return b"%g" % (value + 0.0 if value else 0.0)
    return b"0" if written == "-0" else written.encode()


def add(params, name, value):
    if value is None:
        raise Refused("parameter-null", repr(name))
    if value is True or value is False:
        params.append((name, b"true" if value else b"false"))
    elif isinstance(value, str):
        params.append((name, c_string(value)))
    elif "number" in value:
        params.append((name, print_number(value["number"])))
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            add(params, name + b".%d" % i, item)
    else:
        for member, item in value["object"]:
            add(params, name + b"." + c_string(member), item)


def collect(parameters):
    params = []
    for name, value in parameters:
        if name != "Signature":
            add(params, c_string(name), value)
    params = [p for p in params if p[0] != b"Signature"]
    names = [name for name, _ in params]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    return sorted(params, key=lambda p: strcasecmp_key(p[0]))


def sign(params, private):
    sha = hashlib.sha1()
    for name, value in params:
        sha.update(name)
        sha.update(value)
    sha.update(c_string(private))
    return "".join("%02x" % b for b in sha.digest())


def need(params, *names):
    for name in names:
        if name not in [n for n, _ in params]:
            raise Refused("parameter-missing", name.decode())


def query(q, private):
    params = collect(q["parameters"])
    need(params, b"Action", b"PublicKey")
    out = ""
    for name, value in params:
        out += url_encode(name) + "=" + url_encode(value) + "&"
    return params, out + "Signature=" + sign(params, private)


def bucket_request(q, public, private):
    params, text = query(q, private)
    if (b"Action", b"CreateBucket") in params:
        need(params, b"Type", b"BucketName")
    return {"target": "/?" + text}


serve("c-first-try", {
    "url-encode": lambda q, public, private: {"encoded": url_encode(c_string(q["text"]))},
    "action-signature": lambda q, public, private: {"signature": sign(collect(q["parameters"]), private)},
    "action-query": lambda q, public, private: {"query": query(q, private)[1]},
    "bucket-request": bucket_request})
