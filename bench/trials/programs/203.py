#!/usr/bin/env python3
"""An iOS uploader (Swift style): headers in a small struct, ETags read block by block.

Mistakes:
1. Every run of spaces and tabs inside a header's value is collapsed to one space before signing (components(separatedBy: .whitespaces).joined), in
   extra and in positional headers and form fields.
2. Extra headers whose value is empty are left out of the string to sign.
3. In files of more than one block the SHA is taken over the hexadecimal texts of the blocks' SHA values, not over their bytes.
4. The instant upload never signs the Date header: the Date line is empty even if the header is sent.
"""
import base64
import hashlib
import hmac
import re
from urllib.parse import quote_from_bytes
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402

def is_token(s):
    return re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", s) is not None


def value(raw):
    raw.encode("utf-8")
    v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", raw).strip(" \t")
    if any(c in v for c in "\r\n\0"):
        raise Refused("header-value", "control")
    return re.sub(r"[ \t]+", " ", v)


class Fields:
    def __init__(self, pairs):
        self.pairs = []
        for n, v in pairs:
            n = n.strip(" \t")
            if not is_token(n):
                raise Refused("header-name", n)
            self.pairs.append((n.lower(), value(v)))

    def __contains__(self, name):
        return any(n == name for n, _ in self.pairs)

    def __getitem__(self, name):
        return first([v for n, v in self.pairs if n == name], name)

    def svc(self):
        grouped = {}
        for n, v in self.pairs:
            if n.startswith(WORDS["headerPrefix"].lower()):
                grouped.setdefault(n, []).append(v)
        joined = {n: ",".join(vs) for n, vs in grouped.items()}
        return "".join(n + ":" + joined[n] + "\n" for n in sorted(joined) if joined[n] != "")


def first(values, name):
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def check_bucket(g):
    if not g["bucket"] or "/" in g["bucket"]:
        raise Refused("bucket", g["bucket"])


def token(g, pub, pri, method, md5, mime, date, fields):
    check_bucket(g)
    text = f"{method}\n{md5()}\n{mime()}\n{date()}\n{fields.svc()}/{g['bucket']}/{g['key']}"
    mac = hmac.new(pri.encode(), text.encode(), hashlib.sha1).digest()
    pub.encode()
    return f"{WORDS['scheme']} {pub}:{base64.b64encode(mac).decode()}"


def put(g, pub, pri):
    f = Fields(g["headers"])
    if not is_token(g["method"]):
        raise Refused("method", g["method"])
    return {"authorization": token(g, pub, pri, g["method"].upper(), lambda: f["content-md5"], lambda: f["content-type"],
                                   lambda: f["date"], f)}


def form(g, pub, pri):
    f = Fields(g["headers"])
    check_bucket(g)
    types = [value(v) for n, v in g["fields"] if n == "Content-Type"]
    sums = [value(v) for n, v in g["fields"] if n == "Content-MD5"]
    return {"authorization": token(g, pub, pri, "POST",
                                   lambda: f["content-md5"] if "content-md5" in f else first(sums, "Content-MD5"),
                                   lambda: first(types, "Content-Type"), lambda: f["date"], f)}


def esc(s):
    return quote_from_bytes(s.encode("utf-8"), safe="~")


def hit(g, pub, pri):
    f = Fields(g["headers"])
    return {"target": f"/uploadhit?Hash={esc(g['etag'])}&FileName={esc(g['key'])}&FileSize={esc(g['size'])}",
            "authorization": token(g, pub, pri, "POST", lambda: f["content-md5"], lambda: f["content-type"],
                                   lambda: f["date"] and "", f)}


def etag(g, pub, pri):
    data, size = content(g["content"]), 4 << 20
    sums = [hashlib.sha1(data[i:i + size]) for i in range(0, len(data), size)]
    if len(sums) > 1:
        total = hashlib.sha1("".join(s.hexdigest() for s in sums).encode()).digest()
    else:
        total = hashlib.sha1(data).digest()
    return {"etag": base64.urlsafe_b64encode(bytes([len(sums) >> s & 255 for s in (0, 8, 16, 24)]) + total).decode()}


serve("swift-uploader", {"authorization": put, "form-authorization": form, "instant-upload": hit, "etag": etag})
