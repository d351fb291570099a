#!/usr/bin/env python3
"""The download gate of a compatible server, nginx with Lua: it verifies pre-signed URLs.

Mistakes:
1. Compares Expires and the present time as texts, so a URL counts as expired or not by the first digit that differs.
2. Its query arguments decode a plus sign as a space, so a signature or public key with an unencoded + is refused.
3. Takes only the headers that start with X-Svc-Meta- into the signed text, not the other extra headers.
4. nginx merges slashes (merge_slashes): the key a//b is verified as a/b.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

NAME = re.compile(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+")


def unescape(s, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, s)
    raw, i, b = bytearray(), 0, s.encode("utf-8")
    while i < len(b):
        if b[i] == 37:
            raw.append(int(b[i + 1:i + 3], 16))
            i += 3
        else:
            raw.append(b[i])
            i += 1
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, s)


def arg(s):
    return unescape(s.replace("+", " "), "query-malformed")


def late(now, expires):
    return now > expires


def signed_start():
    return WORDS["headerPrefix"].lower() + "meta-"


def extra(raw):
    got = {}
    for n, v in raw:
        n = n.strip(" \t").lower()
        if not NAME.fullmatch(n):
            raise Refused("header-name", n)
        v.encode("utf-8")
        v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
        if set("\r\n\0") & set(v):
            raise Refused("header-value", n)
        got.setdefault(n, []).append(v)
    return "".join(n + ":" + ",".join(got[n]) + "\n" for n in sorted(got) if n.startswith(signed_start()))


def merge(path):
    return re.sub("/+", "/", "/" + path)[1:]


def verify(given, pub, pri):
    if not NAME.fullmatch(given["method"]):
        raise Refused("method", given["method"])
    headers = extra(given["headers"])
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"])
    if not m:
        raise Refused("url-malformed", given["url"])
    bucket, _, host = m[1].partition(".")
    if bucket == "" or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", m[1])
    key = merge(unescape(m[2], "url-malformed"))
    args = {}
    wanted = (WORDS["publicKeyParameter"], "Expires", "Signature")
    repeated = False
    for piece in (m[3] or "").split("&"):
        if piece:
            n, _, v = piece.partition("=")
            n, v = arg(n), arg(v)
            repeated = repeated or n in args and n in wanted
            args[n] = v
    if repeated:
        raise Refused("parameter-repeated", "twice")
    who, expires, signature = (args.get(n) for n in wanted)
    if not signature:
        raise Refused("signature-missing", "none")
    if who is None or expires is None:
        raise Refused("parameter-missing", "none")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if late(given["now"], expires):
        raise Refused("expired", expires)
    if who != pub:
        raise Refused("public-key-unknown", who)
    text = "%s\n\n\n%s\n%s/%s/%s" % (given["method"].upper(), expires, headers, bucket, key)
    expected = base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")
    if expected != signature:
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": who}


serve("nginx-gate", {"verify-presigned-url": verify})
