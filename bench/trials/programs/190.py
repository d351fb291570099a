#!/usr/bin/env python3
"""An Android client in Java: content hashes, instant upload, and the password helper.

Mistakes:
1. blkcnt is size / BLOCK + 1: one too many for every exact multiple of 4 MiB, so also for an empty file (1) and for exactly 4 MiB
   (2). The SHA-1 part is right.
2. Escapes with URLEncoder.encode(s, "UTF-8").replace("+", "%20"): * stays as it is and ~ becomes %7E.
3. FileSize is an int: (int) Long.parseLong(size), so sizes from 2147483648 on wrap around, and leading zeros are lost.
4. Password is encoded with Base64.DEFAULT: a line feed after each 76 characters and at the end.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, Unsupported, content, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def tidy(v):
    v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
    v.encode("utf-8")
    if re.search(r"[\r\n\0]", v):
        raise Refused("header-value", "line break or NUL")
    return v


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if not re.fullmatch(TOKEN, n):
            raise Refused("header-name", n)
        out.append((n.lower(), tidy(v)))
    return out


def single(values):
    if len(values) > 1:
        raise Refused("header-repeated")
    return values[0] if values else ""


def position(headers, name):
    return single([v for n, v in headers if n == name])


def verb(m):
    if not re.fullmatch(TOKEN, m):
        raise Refused("method", m)
    return m.upper()


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def extra(headers):
    groups = {}
    for n, v in headers:
        if n.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(n, []).append(v)
    return "".join(n + ":" + ",".join(groups[n]) + "\n" for n in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def text_of(method, bucket, key, given):
    h = read(given)
    return "\n".join([verb(method), position(h, "content-md5"), position(h, "content-type"), position(h, "date"),
                      extra(h) + resource(bucket, key)])


def url_encode(s):
    return "".join(chr(b) if b < 128 and (chr(b).isalnum() or chr(b) in "-_.*") else "%%%02X" % b for b in s.encode("utf-8"))


BLOCK = 4 * 1024 * 1024


def etag(g, pub, pri):
    data = content(g["content"])
    count = len(data) // BLOCK + 1
    if len(data) <= BLOCK:
        sha = hashlib.sha1(data).digest()
    else:
        h = hashlib.sha1()
        for at in range(0, len(data), BLOCK):
            h.update(hashlib.sha1(data[at:at + BLOCK]).digest())
        sha = h.digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + sha).decode("ascii")}


def part(g, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(g["content"])).digest()).decode("ascii")}


def java_int(size):
    if not re.fullmatch(r"-?[0-9]+", size) or not -2 ** 63 <= int(size) < 2 ** 63:
        raise Unsupported("the size is a long")
    return str((int(size) + 2 ** 31) % 2 ** 32 - 2 ** 31)


def hit(g, pub, pri):
    target = "/uploadhit?Hash=" + url_encode(g["etag"]) + "&FileName=" + url_encode(g["key"]) + "&FileSize=" + java_int(g["size"])
    pub.encode("utf-8")
    return {"target": target,
            "authorization": WORDS["scheme"] + " " + pub + ":" + mac(text_of("POST", g["bucket"], g["key"], g["headers"]), pri)}


def password(g, pub, pri):
    b = base64.b64encode(g["text"].encode("utf-8")).decode("ascii")
    return {"value": "".join(b[i:i + 76] + "\n" for i in range(0, len(b), 76))}


serve("android-store", {
    "url-encode": lambda g, pub, pri: {"encoded": url_encode(g["text"])},
    "password": password,
    "instant-upload": hit,
    "etag": etag,
    "part-etag": part,
})
