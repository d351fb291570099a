#!/usr/bin/env python3
"""A Terraform provider in Go: buckets through the account API, objects with instant upload.

Mistakes:
1. Flattens lists as Terraform's flatmap does: besides Name.0, Name.1 and so on it signs and sends Name.# with the number of items,
   also for an empty list.
2. Writes numbers as strconv.Itoa(int(v.(float64))): the fraction is cut off, integers beyond 2^53 are rounded to a double, those beyond
   int64 give -9223372036854775808, and a number beyond float64 (1e400) is refused.
3. Leaves out an extra header if its value (the joined one, if it is repeated) is empty.
4. Encodes ETags with base64.RawURLEncoding, without padding: that of a part has 27 characters (that of a file needs no padding).
"""
import base64
import hashlib
import hmac
import json
import math
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


def itoa(literal):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", literal):
        raise Refused("number", literal)
    f = float(literal)
    if math.isinf(f):
        raise Refused("number", "value out of range")
    i = int(f)
    return str(i) if -2 ** 63 <= i < 2 ** 63 else "-9223372036854775808"


class flatmap(dict):
    def put(self, name, text, literal):
        if name == "Signature":
            return
        if name in self:
            raise Refused("parameter-repeated", name)
        self[name] = (text, literal)

    def set(self, name, v):
        if v is None:
            raise Refused("parameter-null", name)
        elif v is True:
            self.put(name, "true", "true")
        elif v is False:
            self.put(name, "false", "false")
        elif isinstance(v, str):
            self.put(name, v, json.dumps(v))
        elif "number" in v:
            n = itoa(v["number"])
            self.put(name, n, n)
        elif "list" in v:
            self.put(name + ".#", str(len(v["list"])), str(len(v["list"])))
            for i, x in enumerate(v["list"]):
                self.set("%s.%d" % (name, i), x)
        elif "object" in v:
            for k, x in v["object"]:
                self.set("%s.%s" % (name, k), x)

    def keys_sorted(self):
        return sorted(self, key=lambda k: k.encode("utf-8"))


def expand(g, *required):
    m = flatmap()
    for n, v in g["parameters"]:
        m.set(n, v)
    for n in required:
        if n not in m:
            raise Refused("parameter-missing", n)
    return m


def sum_hex(m, pri):
    h = hashlib.sha1()
    for k in m.keys_sorted():
        h.update(k.encode("utf-8"))
        h.update(m[k][0].encode("utf-8"))
    h.update(pri.encode("utf-8"))
    return h.hexdigest()


def query_escape(s):
    safe = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
    return "".join(chr(c) if c in safe else "%%%02X" % c for c in s.encode("utf-8"))


def encode(m, pri):
    values = [query_escape(k) + "=" + query_escape(m[k][0]) for k in m.keys_sorted()]
    values.append("Signature=" + sum_hex(m, pri))
    return "&".join(values)


def marshal(m, pri):
    values = [json.dumps(k) + ":" + m[k][1] for k in m.keys_sorted()]
    values.append('"Signature":"' + sum_hex(m, pri) + '"')
    return "{" + ",".join(values) + "}"


def resource_bucket_create(g, pub, pri):
    m = expand(g, "Action", "PublicKey")
    if m["Action"][0] == "CreateBucket":
        expand(g, "Type", "BucketName")
    return {"target": "/?" + encode(m, pri)}


tchar = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def valid_token(s):
    return bool(s) and tchar.issuperset(s)


def string_to_sign(method, bucket, key, headers):
    h = {}
    for n, v in headers:
        n = n.strip(" \t")
        if not valid_token(n):
            raise Refused("header-name", n)
        v.encode("utf-8")
        v = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", v).strip(" \t")
        if v.count("\r") + v.count("\n") + v.count("\0"):
            raise Refused("header-value", n)
        h.setdefault(n.lower(), []).append(v)
    if not valid_token(method):
        raise Refused("method", method)
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    lines = [method.upper()]
    for n in ("content-md5", "content-type", "date"):
        vs = h.get(n, [""])
        if len(vs) != 1:
            raise Refused("header-repeated", n)
        lines.append(vs[0])
    for n in sorted(h):
        if not n.startswith(WORDS["headerPrefix"].lower()):
            continue
        v = ",".join(h[n])
        if v == "":
            continue
        lines.append(n + ":" + v)
    lines.append("/" + bucket + "/" + key)
    return "\n".join(lines)


def authorize(s, pub, pri):
    mac = hmac.new(pri.encode("utf-8"), s.encode("utf-8"), hashlib.sha1).digest()
    return WORDS["scheme"] + " " + pub + ":" + base64.standard_b64encode(mac).decode()


def put_object(g, pub, pri):
    return {"authorization": authorize(string_to_sign(g["method"], g["bucket"], g["key"], g["headers"]), pub, pri)}


def upload_hit(g, pub, pri):
    return {"target": "/uploadhit?Hash=" + query_escape(g["etag"]) + "&FileName=" + query_escape(g["key"])
            + "&FileSize=" + query_escape(g["size"]),
            "authorization": authorize(string_to_sign("POST", g["bucket"], g["key"], g["headers"]), pub, pri)}


def raw_url_encoding(b):
    return base64.urlsafe_b64encode(b).decode().rstrip("=")


def etag(g, pub, pri):
    data, n = content(g["content"]), 0
    sums = []
    while n < len(data):
        sums.append(hashlib.sha1(data[n:n + (4 << 20)]).digest())
        n += 4 << 20
    last = hashlib.sha1(b"".join(sums)).digest() if len(sums) > 1 else hashlib.sha1(data).digest()
    return {"etag": raw_url_encoding(len(sums).to_bytes(4, "little") + last)}


serve("terraform-provider", {
    "url-encode": lambda g, pub, pri: {"encoded": query_escape(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": sum_hex(expand(g), pri)},
    "action-query": lambda g, pub, pri: {"query": encode(expand(g, "Action", "PublicKey"), pri)},
    "action-json": lambda g, pub, pri: {"body": marshal(expand(g, "Action", "PublicKey"), pri)},
    "bucket-request": resource_bucket_create,
    "authorization": put_object,
    "instant-upload": upload_hit,
    "etag": etag,
    "part-etag": lambda g, pub, pri: {"etag": raw_url_encoding(hashlib.sha1(content(g["content"])).digest())},
})
