"""Embedded C: fixed tables, char pointers, qsort.

1. Only the first eight extra headers of a request go into a fixed table; later ones are not signed.
2. Parameter names are sorted with a comparison of signed chars, so names with bytes from 0x80 come before ASCII letters.
3. Parameter values are C strings: everything from the first NUL character on is lost.
4. Expires passes through atoll and %lld, so leading zeros are dropped, signed and sent.
"""
import base64
import hashlib
import hmac
import re
import struct
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from decimal import Decimal  # noqa: E402

MAX_EXTRA = 8
HEX = "0123456789ABCDEF"


def is_token(b):
    return len(b) > 0 and all(0x30 <= c <= 0x39 or 0x41 <= c <= 0x5A or 0x61 <= c <= 0x7A or c in b"!#$%&'*+.^_`|~-" for c in b)


def scan_value(v):
    """Unfolds and trims, byte by byte."""
    v = v.encode("utf-8")
    out = bytearray()
    k, n = 0, len(v)
    while k < n:
        c = v[k]
        j = k + 1 if c == 10 else k + 2 if v[k:k + 2] == b"\r\n" else 0
        if j and j < n and v[j] in b" \t":
            while out and out[-1] in b" \t":
                out.pop()
            out.append(32)
            k = j
            while k < n:
                if v[k] in b" \t":
                    k += 1
                elif v[k:k + 1] == b"\n" and k + 1 < n and v[k + 1] in b" \t":
                    k += 1
                elif v[k:k + 2] == b"\r\n" and k + 2 < n and v[k + 2] in b" \t":
                    k += 2
                else:
                    break
            continue
        if c in b"\r\n\0":
            raise Refused("header-value", "control")
        out.append(c)
        k += 1
    return bytes(out).strip(b" \t")


def lower(b):
    return bytes(c + 32 if 65 <= c <= 90 else c for c in b)


def sign_file(method, bucket, key, headers, expires, pri):
    positional = {b"content-md5": None, b"content-type": None, b"date": None}
    table = []
    parsed = []
    prefix = lower(WORDS["headerPrefix"].encode())
    for name, value in headers:
        name = name.encode("utf-8").strip(b" \t")
        if not is_token(name):
            raise Refused("header-name", "")
        parsed.append((lower(name), scan_value(value)))
    if not is_token(method.encode("utf-8")):
        raise Refused("method", "")
    if not bucket or "/" in bucket:
        raise Refused("bucket", "")
    for name, value in parsed:
        if name in positional:
            if positional[name] is not None and expires is None:
                raise Refused("header-repeated", "")
            positional[name] = value
        elif name.startswith(prefix) and len(table) < MAX_EXTRA:
            table.append((name, value))
    for k in range(1, len(table)):                      # insertion sort, stable
        j = k
        while j and table[j - 1][0] > table[j][0]:
            table[j - 1], table[j] = table[j], table[j - 1]
            j -= 1
    mac = hmac.new(pri.encode("utf-8"), digestmod=hashlib.sha1)
    mac.update(method.upper().encode() + b"\n")
    if expires is None:
        for name in (b"content-md5", b"content-type", b"date"):
            mac.update((positional[name] or b"") + b"\n")
    else:
        mac.update(b"\n\n" + expires.encode() + b"\n")
    for k, (name, value) in enumerate(table):
        if k and table[k - 1][0] == name:
            mac.update(b"," + value)
        else:
            mac.update((b"\n" if k else b"") + name + b":" + value)
    if table:
        mac.update(b"\n")
    mac.update(b"/" + bucket.encode("utf-8") + b"/" + key.encode("utf-8"))
    return base64.b64encode(mac.digest()).decode()


def authorization(i, pub, pri):
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign_file(i["method"], i["bucket"], i["key"], i["headers"], None, pri))}


def escape(text, keep=""):
    out = ""
    for b in text.encode("utf-8"):
        c = chr(b)
        if b < 128 and (c.isalnum() or c in "-_.~" or c in keep):
            out += c
        else:
            out += "%" + HEX[b >> 4] + HEX[b & 15]
    return out


def presigned_url(i, pub, pri):
    e = i["expires"]
    m = re.fullmatch("[0-9]+", e)
    e = str(int(e)) if m else e
    s = sign_file(i["method"], i["bucket"], i["key"], i["headers"], e, pri)
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (i["scheme"], i["bucket"], i["fileHost"], escape(i["key"], "/"),
                                                                 WORDS["publicKeyParameter"], escape(pub), escape(e), escape(s))}


def etag(i, pub, pri):
    data = content(i["content"])
    inner, n, at = b"", 0, 0
    while at < len(data):
        inner += hashlib.sha1(data[at:at + 4194304]).digest()
        n += 1
        at += 4194304
    digest = inner if n == 1 else hashlib.sha1(inner).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", n) + digest).decode()}


def part_etag(i, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(i["content"])).digest()).decode()}


def add(table, name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if v is True or v is False:
        table.append((name, "true" if v else "false"))
    elif isinstance(v, str):
        table.append((name, v.split("\0")[0]))
    elif "list" in v:
        for n, item in enumerate(v["list"]):
            add(table, name + "." + str(n), item)
    elif "object" in v:
        for n, item in v["object"]:
            add(table, name + "." + n, item)
    else:
        if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", v["number"]):
            raise Refused("number", "")
        t = format(Decimal(v["number"]), "f")
        t = t.rstrip("0").rstrip(".") if "." in t else t
        table.append((name, t if t.strip("-0.") else "0"))


def action_signature(i, pub, pri):
    table = []
    for name, v in i["parameters"]:
        add(table, name, v)
    table = [(n.encode("utf-8"), v.encode("utf-8")) for n, v in table if n != "Signature"]
    if len({n for n, _ in table}) < len(table):
        raise Refused("parameter-repeated", "")
    table.sort(key=lambda row: [c - 256 if c > 127 else c for c in row[0]])
    h = hashlib.sha1()
    for n, v in table:
        h.update(n)
        h.update(v)
    h.update(pri.encode("utf-8"))
    return {"signature": h.hexdigest()}


if __name__ == "__main__":
    serve("embedded-c", {"authorization": authorization, "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag, "action-signature": action_signature})
