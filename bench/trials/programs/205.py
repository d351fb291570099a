#!/usr/bin/env python3
"""A Rust crate: byte vectors, a BTreeMap of parameters, and a hashing module.

Mistakes:
1. The ETag of an empty file is that of 24 zero bytes.
2. Escapes have lower-case hexadecimal digits (format!("%{:02x}")).
3. List items are named with brackets: Name[0] instead of Name.0.
4. In queries Signature is put into the map with the other parameters and sent at its place in the order, not last (it is not signed).
5. The policy is spaced JSON: a space after each colon and each comma.
"""
import base64
import hashlib
import json
import re
from decimal import Decimal
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, content, serve  # noqa: E402

def percent(s):
    out = bytearray()
    for b in s.encode("utf-8"):
        out += bytes([b]) if chr(b) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~" else b"%%%02x" % b
    return out.decode("ascii")


class Value:
    def __init__(self, text, json_text):
        self.text, self.json = text, json_text


def decimal(s):
    m = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?", s)
    if not m:
        raise Refused("number", s)
    digits, fraction, e = m[2] + (m[3] or ""), len(m[3] or ""), int(m[4] or "0") if len(m[4] or "") < 9 else None
    if not digits.strip("0"):
        return "0"
    if e is None or abs(e) > 4000 or len(digits) > 4000:
        adjusted = None if e is None else Decimal(digits).adjusted() - fraction + e
        if adjusted is None or not -4000 < adjusted < 4000:
            raise Refused("number", s)
    point = len(digits) - fraction + e
    if point < 0:
        digits, point = "0" * -point + digits, 0
    digits += "0" * (point - len(digits))
    whole, rest = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    return m[1] + whole + ("." + rest if rest else "")


def insert(rows, name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if v is True or v is False:
        rows.append((name, Value(str(v).lower(), str(v).lower())))
    elif isinstance(v, str):
        rows.append((name, Value(v, json.dumps(v))))
    elif "number" in v:
        t = decimal(v["number"])
        rows.append((name, Value(t, t)))
    elif "list" in v:
        for i, x in enumerate(v["list"]):
            insert(rows, "%s[%d]" % (name, i), x)
    else:
        for k, x in v["object"]:
            insert(rows, name + "." + k, x)


def btree(g):
    rows = []
    for n, v in g["parameters"]:
        insert(rows, n, v)
    rows = [r for r in rows if r[0] != "Signature"]
    if len({n for n, _ in rows}) != len(rows):
        raise Refused("parameter-repeated", "key")
    rows.sort(key=lambda r: r[0].encode("utf-8"))
    for need in ("Action", "PublicKey"):
        if need not in dict(rows):
            raise Refused("parameter-missing", need)
    return rows


def sign(rows, pri):
    return hashlib.sha1(b"".join(n.encode("utf-8") + v.text.encode("utf-8") for n, v in rows) + pri.encode("utf-8")).hexdigest()


def to_json(g, pub, pri):
    rows = btree(g)
    rows.append(("Signature", Value("", json.dumps(sign(rows, pri)))))
    return {"body": "{" + ",".join(json.dumps(n) + ":" + v.json for n, v in rows) + "}"}


def to_target(g, pub, pri):
    rows = btree(g)
    signature = sign(rows, pri)
    if dict(rows)["Action"].text == "CreateBucket":
        for need in ("Type", "BucketName"):
            if need not in dict(rows):
                raise Refused("parameter-missing", need)
    rows.append(("Signature", Value(signature, "")))
    rows.sort(key=lambda r: r[0].encode("utf-8"))
    return {"target": "/?" + "&".join(percent(n) + "=" + percent(v.text) for n, v in rows)}


def etag(g, pub, pri):
    data = content(g["content"])
    out = bytearray(24)
    chunks = [data[i:i + 0x400000] for i in range(0, len(data), 0x400000)]
    if chunks:
        out[:4] = len(chunks).to_bytes(4, "little")
        sums = [hashlib.sha1(c).digest() for c in chunks]
        out[4:] = sums[0] if len(sums) == 1 else hashlib.sha1(b"".join(sums)).digest()
    return {"etag": base64.urlsafe_b64encode(bytes(out)).decode()}


def policy(g, pub, pri):
    text = "{" + ", ".join(json.dumps(n, ensure_ascii=False) + ": " + json.dumps(v, ensure_ascii=False) for n, v in g["members"]) + "}"
    return {"policy": base64.urlsafe_b64encode(text.encode("utf-8")).decode()}


serve("rust-crate", {
    "url-encode": lambda g, pub, pri: {"encoded": percent(g["text"])},
    "action-json": to_json,
    "bucket-request": to_target,
    "etag": etag,
    "part-etag": lambda g, pub, pri: {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(g["content"])).digest()).decode()},
    "policy": policy,
})
