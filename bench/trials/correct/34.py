#!/usr/bin/env python3
"""Correct. Everything is hashed in chunks of a few bytes through update(); parameters are kept in order with bisect while they are
flattened (no sort at the end); numbers are an integer and a power of ten; blocks are counted with divmod before the hash."""
import bisect
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

SHAPE = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


def number_text(written):
    match = SHAPE.fullmatch(written) if written.isascii() else None
    if not match or len(match[2]) > 1 and match[2][0] == "0":
        raise base.No("number", "no JSON number")
    sign, digits = match[1], (match[2] + (match[3] or "")).lstrip("0")
    if not digits:
        return "0"
    shift = match[4] or "0"
    if len(shift.lstrip("+-").lstrip("0")) > 5:
        raise base.No("number", "exponent")
    power = int(shift) - len(match[3] or "")
    if not -4000 < power + len(digits) - 1 < 4000:
        raise base.No("number", "too many digits")
    while digits[-1] == "0":
        digits, power = digits[:-1], power + 1
    if power >= 0:
        return sign + digits + "0" * power
    if len(digits) > -power:
        return sign + digits[:power] + "." + digits[power:]
    return sign + "0." + "0" * (-power - len(digits)) + digits


def prepare(parameters):
    keys, out = [], []
    for leaf in base.flatten(parameters):
        if leaf.name == "Signature":
            continue
        raw = base.utf8(leaf.name)
        at = bisect.bisect_left(keys, raw)
        if at < len(keys) and keys[at] == raw:
            raise base.No("parameter-repeated", leaf.name)
        keys.insert(at, raw)
        out.insert(at, leaf)
    return out


def chunks(data, size):
    view = memoryview(data)
    return (view[i:i + size] for i in range(0, len(view), size))


def action_digest(text, private_key):
    state = hashlib.sha1()
    for chunk in chunks(base.utf8(text + private_key), 7):
        state.update(chunk)
    return state.digest()


def file_digest(key, message):
    state = hmac.new(key, None, hashlib.sha1)
    for chunk in chunks(message, 13):
        state.update(chunk)
    return state.digest()


def etag_hash(data):
    state = hashlib.sha1()
    for chunk in chunks(data, 1000):
        state.update(chunk)
    return state.digest()


def block_count(data, blocks):
    full, rest = divmod(len(data), 1 << 22)
    return full + (rest > 0)


def etag_digest(data, blocks):
    if len(data) <= 1 << 22:
        return etag_hash(data)
    outer = hashlib.sha1()
    for i in range(block_count(data, blocks)):
        outer.update(etag_hash(data[i << 22:(i + 1) << 22]))
    return outer.digest()


base.number_text, base.prepare, base.action_digest, base.file_digest = number_text, prepare, action_digest, file_digest
base.etag_hash, base.block_count, base.etag_digest = etag_hash, block_count, etag_digest

if __name__ == "__main__":
    base.main()
