#!/usr/bin/env python3
"""A C++ library without dependencies: own HMAC, std::map of headers, C strings here and there; it signs and verifies.

Mistakes:
1. The own HMAC cuts a private key longer than 64 bytes after 64 bytes instead of hashing it.
2. Only spaces are trimmed around header values and form fields, not tabs.
3. Between the values of a repeated extra header, only the first comma is written: from the third value on, values follow each other without one.
4. A part's ETag takes the part as a C string: it stops before the first zero byte.
5. verify-authorization compares as many characters as the given signature has (strncmp), so it accepts a shortened signature.
"""
import base64
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402

TCHAR = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def is_token(s):
    return len(s) > 0 and all(c in TCHAR for c in s)


def hmac_sha1(key, msg):
    block = bytearray(64)
    n = min(len(key), 64)
    block[:n] = key[:n]
    inner = hashlib.sha1(bytes(b ^ 0x36 for b in block) + msg).digest()
    return hashlib.sha1(bytes(b ^ 0x5c for b in block) + inner).digest()


def trim(s):
    b, e = 0, len(s)
    while b < e and s[b] == " ":
        b += 1
    while e > b and s[e - 1] == " ":
        e -= 1
    return s[b:e]


def clean(name, v):
    v = trim(re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v))
    if re.search("[\r\n\0]", v):
        raise Refused("header-value", name)
    v.encode("utf-8")
    return v


class Headers:
    def __init__(self, pairs):
        self.multi = []
        for n, v in pairs:
            n = n.strip(" \t")
            if not is_token(n):
                raise Refused("header-name", n)
            self.multi.append((n.lower(), clean(n, v)))

    def all(self, name):
        return [v for n, v in self.multi if n == name]

    def one(self, name):
        v = self.all(name)
        if len(v) > 1:
            raise Refused("header-repeated", name)
        return v[0] if v else ""

    def canonical(self):
        m, count = {}, {}
        prefix = WORDS["headerPrefix"].lower()
        for n, v in self.multi:
            if n[:len(prefix)] != prefix:
                continue
            count[n] = count.get(n, 0) + 1
            if count[n] == 1:
                m[n] = v
            elif count[n] == 2:
                m[n] += "," + v
            else:
                m[n] += v
        out = ""
        for n in sorted(m):
            out += n + ":" + m[n] + "\n"
        return out


def check_bucket(b):
    if b == "" or "/" in b:
        raise Refused("bucket", b)


def signature(text, pri):
    return base64.b64encode(hmac_sha1(pri.encode("utf-8"), text.encode("utf-8"))).decode()


def header_text(o):
    h = Headers(o["headers"])
    if not is_token(o["method"]):
        raise Refused("method", o["method"])
    check_bucket(o["bucket"])
    text = o["method"].upper() + "\n" + h.one("content-md5") + "\n" + h.one("content-type") + "\n" + h.one("date") + "\n"
    return h, text + h.canonical() + "/" + o["bucket"] + "/" + o["key"]


def authorization(o, pub, pri):
    _, text = header_text(o)
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature(text, pri)}


def form(o, pub, pri):
    h = Headers(o["headers"])
    check_bucket(o["bucket"])
    pub.encode("utf-8")
    fields = {"Content-Type": [], "Content-MD5": []}
    for n, v in o["fields"]:
        if n in fields:
            fields[n].append(clean(n, v))

    def one(values):
        if len(values) > 1:
            raise Refused("header-repeated", "field")
        return values[0] if values else ""

    md5 = one(h.all("content-md5") or fields["Content-MD5"])
    text = "POST\n" + md5 + "\n" + one(fields["Content-Type"]) + "\n" + h.one("date") + "\n"
    text += h.canonical() + "/" + o["bucket"] + "/" + o["key"]
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature(text, pri)}


def policy_fits(p, method):
    if method.upper() not in ("PUT", "POST") or re.search("[+/]", p) and re.search("[-_]", p):
        return False
    p = p.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(p + "=" * (-len(p) % 4), validate=True).decode("utf-8")), dict)
    except ValueError:
        return False


def verify(o, pub, pri):
    h, text = header_text(o)
    auth = h.all("authorization")
    if not auth:
        raise Refused("authorization-missing", "none")
    bad = Refused("authorization-malformed", "cannot be read")
    if len(auth) > 1 or not auth[0].startswith(WORDS["scheme"] + " "):
        raise bad
    rest = auth[0][len(WORDS["scheme"]) + 1:]
    parts = rest.split(":")
    if len(parts) not in (2, 3) or "" in parts or " " in rest or "\t" in rest:
        raise bad
    if len(parts) == 3:
        if not policy_fits(parts[2], o["method"]):
            raise bad
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    if signature(text, pri)[:len(parts[1])] != parts[1]:
        raise Refused("signature-mismatch", parts[1])
    return {"publicKey": parts[0]}


def etag(o, pub, pri):
    data, size = content(o["content"]), 4 * 1024 * 1024
    n = (len(data) + size - 1) // size
    h = hashlib.sha1(data)
    if n > 1:
        h = hashlib.sha1()
        for i in range(n):
            h.update(hashlib.sha1(data[i * size:(i + 1) * size]).digest())
    return {"etag": base64.urlsafe_b64encode(bytes([n & 255, n >> 8 & 255, n >> 16 & 255, n >> 24 & 255]) + h.digest()).decode()}


def part_etag(o, pub, pri):
    c_str = content(o["content"]).split(b"\0", 1)[0]
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(c_str).digest()).decode()}


serve("libstorage-cpp", {"authorization": authorization, "form-authorization": form, "verify-authorization": verify,
                         "etag": etag, "part-etag": part_etag})
