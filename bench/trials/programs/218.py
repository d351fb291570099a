#!/usr/bin/env python3
"""A PHP object client ported from a signer for Google Cloud Storage, version 2.

Mistakes:
1. Extra headers X-Svc-Encryption-Key and X-Svc-Encryption-Key-Sha256 are not signed, as GCS leaves its own two out.
2. Signed URLs sign the request's Content-MD5 and Content-Type instead of two empty lines.
3. ETag: pack('N', $count), the count in big-endian order.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

PACK = "big"
SKIPPED = ("encryption-key", "encryption-key-sha256")
URL_SIGNS = ("content-md5", "content-type")


def rawurlencode(text):
    return re.sub(rb"[^A-Za-z0-9._~-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8")).decode("ascii")


def normalise(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t").lower() if name.isascii() else name
        if not re.fullmatch(r"[a-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        out.append((name, value))
    return out


def line(headers, wanted):
    found = [value for name, value in headers if name == wanted]
    if len(found) > 1:
        raise Refused("header-repeated", wanted)
    return "".join(found)


def canonical_headers(headers):
    prefix = WORDS["headerPrefix"].lower()
    merged = {}
    for name, value in headers:
        if name.startswith(prefix) and name[len(prefix):] not in SKIPPED:
            merged[name] = merged[name] + "," + value if name in merged else value
    return "".join(name + ":" + merged[name] + "\n" for name in sorted(merged))


def check(given):
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", given["method"]):
        raise Refused("method", given["method"])
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])


def hash_hmac(text, private_key):
    raw = hmac.new(private_key.encode("utf-8"), text.encode("utf-8"), "sha1").digest()
    return base64.b64encode(raw).decode("ascii")


def authorization(given, pub, pri):
    check(given)
    headers = normalise(given["headers"])
    parts = [given["method"].upper(), line(headers, "content-md5"), line(headers, "content-type"), line(headers, "date")]
    text = "\n".join(parts) + "\n" + canonical_headers(headers) + "/" + given["bucket"] + "/" + given["key"]
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hash_hmac(text, pri)}


def presigned(given, pub, pri):
    check(given)
    headers = normalise(given["headers"])
    parts = [given["method"].upper()] + [line(headers, n) if n in URL_SIGNS else "" for n in ("content-md5", "content-type")] + [given["expires"]]
    text = "\n".join(parts) + "\n" + canonical_headers(headers) + "/" + given["bucket"] + "/" + given["key"]
    path = rawurlencode(given["key"]).replace("%2F", "/")
    query = {WORDS["publicKeyParameter"]: pub, "Expires": given["expires"], "Signature": hash_hmac(text, pri)}
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + path + "?"
            + "&".join(n + "=" + rawurlencode(v) for n, v in query.items())}


def url_safe(raw):
    return base64.b64encode(raw).decode("ascii").replace("+", "-").replace("/", "_")


def etag(given, pub, pri):
    data, size, hashes = content(given["content"]), 4 * 1024 * 1024, []
    for start in range(0, len(data), size):
        hashes.append(hashlib.sha1(data[start:start + size]).digest())
    if len(hashes) == 0:
        digest = hashlib.sha1(b"").digest()
    else:
        digest = hashes[0] if len(hashes) == 1 else hashlib.sha1(b"".join(hashes)).digest()
    return {"etag": url_safe(len(hashes).to_bytes(4, PACK) + digest)}


def part_etag(given, pub, pri):
    return {"etag": url_safe(hashlib.sha1(content(given["content"])).digest())}


serve("php-gcs", {"authorization": authorization, "presigned-url": presigned, "etag": etag, "part-etag": part_etag})
