#!/usr/bin/env python3
"""A small client in the style of C for embedded use: fixed buffers, qsort, printf, its own HMAC.

Mistakes:
1. The string to sign of a file request is printed into char buf[1024] with snprintf: cut after 1023 bytes.
2. qsort with strcasecmp: the case of ASCII letters does not count in the order of parameters, so ChargeType before CPU.
3. URL escapes with %%%02x: lower-case hexadecimal.
4. ETag: the hash over the hashes runs over size / BLOCK whole blocks, so a shorter last block is left out (the count is right).
"""
import base64
import hashlib
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

BUFFER = 1024
BLOCK = 0x400000
HEX = b"%%%02x"


def fold(name):
    return name.encode("utf-8").lower()


def whole_blocks(size):
    return size // BLOCK


def is_token(text):
    return re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", text)


def hmac_sha1(key, message):
    if len(key) > 64:
        key = hashlib.sha1(key).digest()
    key = key.ljust(64, b"\0")
    inner = hashlib.sha1(bytes(b ^ 0x36 for b in key) + message).digest()
    return hashlib.sha1(bytes(b ^ 0x5c for b in key) + inner).digest()


def url_encode(text):
    out = b""
    for b in text.encode("utf-8"):
        out += bytes([b]) if b in b"-_.~" or bytes([b]).isalnum() else HEX % b
    return out.decode("ascii")


def print_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        number = Decimal(written)
        if number and abs(number.adjusted()) >= 4000:
            raise Refused("number", written)
        text = format(number, "f")
    except ArithmeticError:
        raise Refused("number", written)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if number else "0"


def add(array, name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        array.append((name, "true" if value else "false"))
    elif isinstance(value, str):
        array.append((name, value))
    elif "number" in value:
        array.append((name, print_number(value["number"])))
    elif "list" in value:
        for i in range(len(value["list"])):
            add(array, "%s.%d" % (name, i), value["list"][i])
    else:
        for member, item in value["object"]:
            add(array, name + "." + member, item)


def action_signature(given, pub, pri):
    array = []
    for name, value in given["parameters"]:
        add(array, name, value)
    array = [(name, text) for name, text in array if name != "Signature"]
    if len({name for name, _ in array}) < len(array):
        raise Refused("parameter-repeated", "twice")
    array.sort(key=lambda pair: fold(pair[0]))
    sha = hashlib.sha1()
    for name, text in array:
        sha.update(name.encode("utf-8"))
        sha.update(text.encode("utf-8"))
    sha.update(pri.encode("utf-8"))
    return {"signature": "".join("%02x" % b for b in sha.digest())}


def authorization(given, pub, pri):
    extra, fixed = {}, {"content-md5": "", "content-type": "", "date": ""}
    seen = set()
    for name, value in given["headers"]:
        name = name.strip(" \t")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if not is_token(name):
            raise Refused("header-name", name)
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        name = name.lower()
        if name in fixed:
            if name in seen:
                raise Refused("header-repeated", name)
            seen.add(name)
            fixed[name] = value
        elif name.startswith(WORDS["headerPrefix"].lower()):
            extra[name] = extra[name] + "," + value if name in extra else value
    if not is_token(given["method"]):
        raise Refused("method", given["method"])
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    text = given["method"].upper() + "\n" + fixed["content-md5"] + "\n" + fixed["content-type"] + "\n" + fixed["date"] + "\n"
    for name in sorted(extra):
        text += name + ":" + extra[name] + "\n"
    text += "/" + given["bucket"] + "/" + given["key"]
    buf = text.encode("utf-8")[:BUFFER - 1]
    signature = base64.b64encode(hmac_sha1(pri.encode("utf-8"), buf)).decode("ascii")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature}


def etag(given, pub, pri):
    data = content(given["content"])
    if len(data) <= BLOCK:
        digest = hashlib.sha1(data).digest()
    else:
        outer = hashlib.sha1()
        for i in range(whole_blocks(len(data))):
            outer.update(hashlib.sha1(data[i * BLOCK:(i + 1) * BLOCK]).digest())
        digest = outer.digest()
    count = (len(data) + BLOCK - 1) // BLOCK
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode("ascii")}


serve("embedded-c", {
    "url-encode": lambda given, pub, pri: {"encoded": url_encode(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode("ascii")},
    "action-signature": action_signature, "authorization": authorization, "etag": etag,
})
