#!/usr/bin/env python3
"""A Kotlin client for Android: parameters in a LinkedHashMap, android.net.Uri.encode, java.nio.ByteBuffer.

Mistakes:
1. Escapes with Uri.encode, which leaves ! * ' ( ) as they are besides the letters, digits and - _ . ~: in names and values of a query,
   and in path, key and expiry of a pre-signed URL.
2. Sorts the parameters with toSortedMap(), that is String.compareTo, which compares UTF-16 code units: a name with a character above
   U+FFFF sorts before one with a character from U+E000 to U+FFFF.
3. A number written with a point or an exponent is a BigDecimal, signed and sent as toString() writes it: a zero fraction stays (42.0,
   1.50) and there may be an exponent (1E+3, 1E-7); minus zero loses its sign (0.0).
4. The block count of the ETag is ByteBuffer.putInt, thus big-endian.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal, DecimalException

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


class Uri:
    ALLOWED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-!.~'()*")

    @staticmethod
    def encode(s, allow=""):
        extra = allow.encode("ascii")
        return "".join(chr(b) if b in Uri.ALLOWED or b in extra else "%" + format(b, "02X") for b in s.encode("utf-8"))


def big_decimal(written):
    if not re.fullmatch("-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
        raise Refused("number", "NumberFormatException: " + written)
    if re.fullmatch("-?[0-9]+", written):
        if len(written) > 4000:
            raise Refused("number", "too long")
        return "0" if written == "-0" else written
    try:
        d = Decimal(written)
    except DecimalException:
        raise Refused("number", "exponent")
    if d and abs(d.adjusted()) >= 4000:
        raise Refused("number", "exponent")
    return str(d if d else d.copy_abs())


class ActionRequest:
    def __init__(self, pairs):
        self.map = {}                       # LinkedHashMap<String, Pair<String, String>>: text and JSON
        for name, value in pairs:
            self.put(name, value)
        self.sorted = sorted(self.map.items(), key=lambda e: e[0].encode("utf-16-be"))

    def put(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict) and "list" in value:
            for i, item in enumerate(value["list"]):
                self.put(f"{name}.{i}", item)
            return
        if isinstance(value, dict) and "object" in value:
            for member, item in value["object"]:
                self.put(f"{name}.{member}", item)
            return
        if name == "Signature":
            return
        if name in self.map:
            raise Refused("parameter-repeated", name)
        if isinstance(value, dict):
            text = big_decimal(value["number"])
            self.map[name] = (text, text)
        elif isinstance(value, bool):
            text = str(value).lower()
            self.map[name] = (text, text)
        else:
            self.map[name] = (value, json.dumps(value))

    def require(self, *names):
        missing = [n for n in names if n not in self.map]
        if missing:
            raise Refused("parameter-missing", missing[0])

    def signature(self, secret):
        text = "".join(name + text for name, (text, _) in self.sorted) + secret
        return hashlib.sha1(text.encode("utf-8")).hexdigest()

    def query(self, secret):
        self.require("Action", "PublicKey")
        parts = [Uri.encode(name) + "=" + Uri.encode(text) for name, (text, _) in self.sorted]
        return "&".join(parts + ["Signature=" + self.signature(secret)])

    def body(self, secret):
        self.require("Action", "PublicKey")
        rows = [json.dumps(name) + ":" + js for name, (_, js) in self.sorted]
        return "{" + ",".join(rows + ['"Signature":"%s"' % self.signature(secret)]) + "}"


def bucket_request(g, pub, pri):
    r = ActionRequest(g["parameters"])
    r.require("Action")
    if r.map["Action"][0] == "CreateBucket":
        r.require("Type", "BucketName")
    return {"target": "/?" + r.query(pri)}


TCHAR = re.compile("[-!#$%&'*+.^_`|~0-9A-Za-z]+")


class FileRequest:
    def __init__(self, g):
        if not TCHAR.fullmatch(g["method"]):
            raise Refused("method", g["method"])
        if g["bucket"] == "" or "/" in g["bucket"]:
            raise Refused("bucket", g["bucket"])
        self.method, self.bucket, self.key = g["method"].upper(), g["bucket"], g["key"]
        self.headers = {}
        for name, value in g["headers"]:
            name = name.strip(" \t")
            if not TCHAR.fullmatch(name):
                raise Refused("header-name", name)
            value = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
            if any(c in value for c in "\r\n\0"):
                raise Refused("header-value", name)
            value.encode("utf-8")
            self.headers.setdefault(name.lower(), []).append(value)

    def single(self, name):
        values = self.headers.get(name, [""])
        if len(values) != 1:
            raise Refused("header-repeated", name)
        return values[0]

    def sign(self, secret, md5, mime, date):
        prefix = WORDS["headerPrefix"].lower()
        text = "\n".join([self.method, md5, mime, date, ""])
        for name in sorted(self.headers):
            if name.startswith(prefix):
                text += name + ":" + ",".join(self.headers[name]) + "\n"
        text += "/" + self.bucket + "/" + self.key
        mac = hmac.new(secret.encode("utf-8"), text.encode("utf-8"), "sha1")
        return base64.b64encode(mac.digest()).decode("ascii")


def authorization(g, pub, pri):
    r = FileRequest(g)
    s = r.sign(pri, r.single("content-md5"), r.single("content-type"), r.single("date"))
    pub.encode("utf-8")
    return {"authorization": f"{WORDS['scheme']} {pub}:{s}"}


def presigned(g, pub, pri):
    r = FileRequest(g)
    s = r.sign(pri, "", "", g["expires"])
    return {"url": f"{g['scheme']}://{r.bucket}.{g['fileHost']}/{Uri.encode(r.key, '/')}?{WORDS['publicKeyParameter']}={Uri.encode(pub)}"
                   f"&Expires={Uri.encode(g['expires'])}&Signature={Uri.encode(s)}"}


def etag(g, pub, pri):
    data = content(g["content"])
    step = 4 * 1024 * 1024
    hashes = [hashlib.sha1(data[i:i + step]).digest() for i in range(0, len(data), step)]
    digest = hashlib.sha1(data if len(data) <= step else b"".join(hashes)).digest()
    return {"etag": base64.urlsafe_b64encode(len(hashes).to_bytes(4, "big") + digest).decode("ascii")}


serve("kotlin-android", {
    "url-encode": lambda g, pub, pri: {"encoded": Uri.encode(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": ActionRequest(g["parameters"]).signature(pri)},
    "action-query": lambda g, pub, pri: {"query": ActionRequest(g["parameters"]).query(pri)},
    "action-json": lambda g, pub, pri: {"body": ActionRequest(g["parameters"]).body(pri)},
    "bucket-request": bucket_request,
    "authorization": authorization,
    "presigned-url": presigned,
    "etag": etag,
})
