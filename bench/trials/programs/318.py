#!/usr/bin/env python3
"""A Go developer's uploader for the command line (net/http, path, net/url), here line by line in Python.

Mistakes:
1. The resource is "/" + path.Join(bucket, key): repeated slashes, . and .. are cleaned away, and so is a slash at the end (an empty key gives /bucket without a slash).
2. Of an extra header that is there more than once only the first value is signed (http.Header.Get).
3. The path of a pre-signed URL is made with url.QueryEscape for each part between slashes, so a space becomes a plus sign.
4. The loop that reads blocks ends only at a short block and counts it although it is empty: an empty file has one block, exactly 4 MiB have two (and so the hash of
   two hashes, the second that of nothing), exactly 8 MiB have three.
"""
import base64
import hashlib
import hmac
import io
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

BLOCK_SIZE = 4 << 20
TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


class Header:
    """http.Header: name in lower case -> values."""

    def __init__(self, pairs):
        self.values = {}
        for name, value in pairs:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", "invalid header field name")
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            value.encode("utf-8")
            if any(c in value for c in "\r\n\0"):
                raise Refused("header-value", "invalid header field value")
            self.values.setdefault(name.lower(), []).append(value)

    def get(self, name):
        return self.values.get(name, [""])[0]

    def only(self, name):
        if len(self.values.get(name, [])) > 1:
            raise Refused("header-repeated", name)
        return self.get(name)


def path_join(*elements):
    out = []
    for part in "/".join(elements).split("/"):
        if part == ".." and out:
            out.pop()
        elif part not in ("", ".", ".."):
            out.append(part)
    return "/".join(out)


def canonical_resource(bucket, key):
    return "/" + path_join(bucket, key)


def canonical_headers(header):
    prefix = WORDS["headerPrefix"].lower()
    names = sorted(name for name in header.values if name.startswith(prefix))
    return "".join(name + ":" + header.get(name) + "\n" for name in names)


def new_request(given):
    method = given["method"]
    if not TOKEN.fullmatch(method):
        raise Refused("method", "net/http: invalid method")
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", "invalid bucket name")
    return method.upper(), Header(given["headers"])


def sign(private_key, *parts):
    mac = hmac.new(private_key.encode("utf-8"), "\n".join(parts).encode("utf-8"), hashlib.sha1)
    return base64.b64encode(mac.digest()).decode()


def authorization(given, pub, pri):
    method, header = new_request(given)
    signature = sign(pri, method, header.only("content-md5"), header.only("content-type"), header.only("date"),
                     canonical_headers(header) + canonical_resource(given["bucket"], given["key"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature}


def query_escape(text):
    out = ""
    for b in text.encode("utf-8"):
        c = chr(b)
        if b < 128 and (c.isalnum() or c in "-_.~"):
            out += c
        elif c == " ":
            out += "+"
        else:
            out += "%%%02X" % b
    return out


def escape(text):
    return query_escape(text).replace("+", "%20")


def presigned_url(given, pub, pri):
    method, header = new_request(given)
    signature = sign(pri, method, "", "", given["expires"],
                     canonical_headers(header) + canonical_resource(given["bucket"], given["key"]))
    path = "/".join(query_escape(part) for part in given["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], escape(pub),
        escape(given["expires"]), escape(signature))}


def etag(given, pub, pri):
    data = content(given["content"])
    reader = io.BytesIO(data)
    blocks, count = b"", 0
    while True:
        block = reader.read(BLOCK_SIZE)
        count += 1
        blocks += hashlib.sha1(block).digest()
        if len(block) < BLOCK_SIZE:
            break
    digest = hashlib.sha1(data if count <= 1 else blocks).digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode()}


if __name__ == "__main__":
    serve("go-uploader", {"authorization": authorization, "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag})
