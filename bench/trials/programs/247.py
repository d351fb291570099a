#!/usr/bin/env python3
"""A port of the upload half of a Java SDK for another object store: PUT, form upload, instant upload and the ETag.

Mistakes:
1. As that SDK does, a PUT without a Content-Type is signed with the default application/octet-stream.
2. The file's own MIME type is read as the media type alone: of the form field Content-Type only what stands before the first
   semicolon is signed ("text/plain; charset=utf-8" as "text/plain").
3. In files above 4 MB each block is hashed with md.update(buffer) instead of md.update(buffer, 0, n): a short last block is hashed
   together with what the block before it left in the rest of the 4 MB buffer.
"""
import base64
import hashlib
import hmac
import io
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

DEFAULT_MIMETYPE = "application/octet-stream"
BLOCK_SIZE = 4 * 1024 * 1024
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class ObjectMetadata:
    """Headers, with names compared without case."""

    def __init__(self, pairs):
        self.entries = []
        for name, value in pairs:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            self.entries.append((name.lower(), ObjectMetadata.clean(value)))

    @staticmethod
    def clean(value):
        lines = re.split(r"\r?\n", value)
        if any(line[:1] not in (" ", "\t") for line in lines[1:]):
            raise Refused("header-value", "line break")
        if len(lines) > 1:
            value = lines[0].rstrip(" \t") + "".join(" " + line.strip(" \t") for line in lines[1:] if line.strip(" \t"))
        value = value.strip(" \t")
        if "\r" in value or "\0" in value:
            raise Refused("header-value", "control character")
        value.encode("utf-8")
        return value

    def get(self, name):
        found = [v for n, v in self.entries if n == name]
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else None

    def tree_map(self):
        merged = {}
        for n, v in self.entries:
            if n.startswith(WORDS["headerPrefix"].lower()):
                merged[n] = merged[n] + "," + v if n in merged else v
        return sorted(merged.items())


class StringBuilder:
    def __init__(self):
        self.parts = []

    def line(self, text):
        self.parts += [text or "", "\n"]
        return self

    def append(self, text):
        self.parts.append(text)
        return self

    def __str__(self):
        return "".join(self.parts)


def sign(pub, pri, method, md5, mime, metadata, bucket, key):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    sb = StringBuilder().line(method).line(md5).line(mime).line(metadata.get("date"))
    for name, value in metadata.tree_map():
        sb.append(name).append(":").line(value)
    sb.append("/").append(bucket).append("/").append(key)
    mac = hmac.new(pri.encode("utf-8"), str(sb).encode("utf-8"), hashlib.sha1)
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + base64.b64encode(mac.digest()).decode("ascii")


def authorization(g, pub, pri):
    metadata = ObjectMetadata(g["headers"])
    if not TOKEN.fullmatch(g["method"]):
        raise Refused("method", g["method"])
    method = g["method"].upper()
    mime = metadata.get("content-type")
    if mime is None and method == "PUT":
        mime = DEFAULT_MIMETYPE
    return {"authorization": sign(pub, pri, method, metadata.get("content-md5"), mime, metadata, g["bucket"], g["key"])}


def form_authorization(g, pub, pri):
    metadata = ObjectMetadata(g["headers"])
    fields = {}
    for name, value in g["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            fields.setdefault(name, []).append(ObjectMetadata.clean(value))

    def field(name):
        if len(fields.get(name, [])) > 1:
            raise Refused("header-repeated", name)
        return fields[name][0] if name in fields else None

    mime = (field("Content-Type") or "").split(";")[0].rstrip(" \t")
    md5 = metadata.get("content-md5")
    if md5 is None:
        md5 = field("Content-MD5")
    return {"authorization": sign(pub, pri, "POST", md5, mime, metadata, g["bucket"], g["key"])}


def escape(text):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % ord(m[0]), text.encode("utf-8")).decode("ascii")


def instant_upload(g, pub, pri):
    metadata = ObjectMetadata(g["headers"])
    target = "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (escape(g["etag"]), escape(g["key"]), escape(g["size"]))
    return {"target": target, "authorization": sign(pub, pri, "POST", metadata.get("content-md5"), metadata.get("content-type"), metadata,
                                                    g["bucket"], g["key"])}


def etag(g, pub, pri):
    data = content(g["content"])
    stream, count = io.BytesIO(data), -(-len(data) // BLOCK_SIZE)
    if len(data) <= BLOCK_SIZE:
        sha = hashlib.sha1(data).digest()
    else:
        buffer, digests = bytearray(BLOCK_SIZE), b""
        while True:
            n = stream.readinto(buffer)
            if n <= 0:
                break
            digests += hashlib.sha1(buffer).digest()
        sha = hashlib.sha1(digests).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", count) + sha).decode("ascii")}


serve("java-upload", {"authorization": authorization, "form-authorization": form_authorization, "instant-upload": instant_upload,
                      "etag": etag})
