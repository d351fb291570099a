#!/usr/bin/env python3
"""A Java uploader, ported from a Qiniu SDK: ETags with a ByteBuffer, callback policies, instant upload.

Mistakes:
1. The block count of the ETag is big-endian (ByteBuffer.putInt).
2. An empty file counts as one block.
3. The policy is encoded in the standard Base64 alphabet (+ and /) instead of the URL-safe one.
4. The policy is signed on a line of its own: there is a line feed between the resource and the policy.
"""
import base64
import hashlib
import hmac
import json
import re
import struct
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402

class ByteBuffer:
    def __init__(self):
        self.array = b""

    def putInt(self, i):
        self.array += struct.pack(">i", i)
        return self

    def put(self, b):
        self.array += b
        return self


class Etag:
    BLOCK_SIZE = 4 * 1024 * 1024

    @staticmethod
    def sha1(b):
        return hashlib.sha1(b).digest()

    @classmethod
    def file(cls, data):
        count = max(1, (len(data) + cls.BLOCK_SIZE - 1) // cls.BLOCK_SIZE)
        if count == 1:
            digest = cls.sha1(data)
        else:
            sums = ByteBuffer()
            for i in range(count):
                sums.put(cls.sha1(data[i * cls.BLOCK_SIZE:(i + 1) * cls.BLOCK_SIZE]))
            digest = cls.sha1(sums.array)
        return base64.urlsafe_b64encode(ByteBuffer().putInt(count).put(digest).array).decode()


class HttpHeaders:
    def __init__(self, pairs):
        self.map = {}
        for name, value in pairs:
            name = name.strip(" \t")
            if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.A):
                raise Refused("header-name", name)
            value.encode("utf-8")
            value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search(r"[\r\n\x00]", value):
                raise Refused("header-value", name)
            self.map.setdefault(name.lower(), []).append(value)

    def getOnly(self, name):
        values = self.map.get(name, [""])
        if len(values) != 1:
            raise Refused("header-repeated", name)
        return values[0]

    def canonical(self):
        sb = []
        for name in sorted(self.map):
            if name.startswith(WORDS["headerPrefix"].lower()):
                sb.append(name + ":" + ",".join(self.map[name]) + "\n")
        return "".join(sb)


class Auth:
    def __init__(self, pub, pri):
        self.pub, self.pri = pub, pri

    def sign(self, method, bucket, key, headers, policy=""):
        h = HttpHeaders(headers)
        if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", method, re.A):
            raise Refused("method", method)
        if not bucket or "/" in bucket:
            raise Refused("bucket", bucket)
        sb = [method.upper(), h.getOnly("content-md5"), h.getOnly("content-type"), h.getOnly("date"),
              h.canonical() + "/" + bucket + "/" + key]
        if policy:
            sb.append(policy)
        mac = hmac.new(self.pri.encode("utf-8"), "\n".join(sb).encode("utf-8"), hashlib.sha1)
        self.pub.encode("utf-8")
        token = WORDS["scheme"] + " " + self.pub + ":" + base64.b64encode(mac.digest()).decode()
        return token + ":" + policy if policy else token


def encode(s):
    return "".join(chr(b) if re.match(rb"[A-Za-z0-9._~-]", bytes([b])) else "%%%02X" % b for b in s.encode("utf-8"))


def instant(g, pub, pri):
    auth = Auth(pub, pri).sign("POST", g["bucket"], g["key"], g["headers"])
    return {"target": "/uploadhit?Hash=" + encode(g["etag"]) + "&FileName=" + encode(g["key"]) + "&FileSize=" + encode(g["size"]),
            "authorization": auth}


def policy(g, pub, pri):
    members = ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in g["members"])
    return {"policy": base64.b64encode(("{" + members + "}").encode("utf-8")).decode()}


serve("java-uploader", {
    "etag": lambda g, pub, pri: {"etag": Etag.file(content(g["content"]))},
    "part-etag": lambda g, pub, pri: {"etag": base64.urlsafe_b64encode(Etag.sha1(content(g["content"]))).decode()},
    "policy": policy,
    "policy-authorization": lambda g, pub, pri: {
        "authorization": Auth(pub, pri).sign(g["method"], g["bucket"], g["key"], g["headers"], g["policy"])},
    "instant-upload": instant,
})
