#!/usr/bin/env python3
"""A port of a Kotlin client (OkHttp, Moshi).

1. The values of a repeated extra header go through joinToString(), whose separator is a comma and a blank.
2. The Signature of a pre-signed URL is URLEncoder-encoded and then given to addQueryParameter, which encodes it again (%252B).
3. Moshi makes each number a Double: whole ones are signed and sent by toLong() (beyond 64 bits the greatest Long; beyond 2^53 rounded), others by
   toString() (1.0E-7, 1.23456789125E8).
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
from serving import Refused, serve, Unsupported, WORDS  # noqa: E402


BLOCK = 4 * 1024 * 1024
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
LONG = 2 ** 63


def encode(text):
    return "".join(chr(x) if chr(x) in "-_.~" or 48 <= x <= 57 or 65 <= x <= 90 or 97 <= x <= 122 else "%%%02X" % x for x in text.encode())


def java_double(d):
    """Double.toString."""
    if d != d or d in (math.inf, -math.inf):
        return "Infinity" if d > 0 else "-Infinity"
    digits, exponent = re.fullmatch(r"(.*)e(.*)", "%r" % d).groups() if "e" in repr(d) else (repr(d), "0")
    sign = "-" if digits[0] == "-" else ""
    whole, _, part = digits.lstrip("-").partition(".")
    part = "" if part == "0" else part
    point = len(whole) + int(exponent)
    every = whole + part
    point -= len(every) - len(every.lstrip("0"))
    every = every.strip("0") or "0"
    if 1e-3 <= abs(d) < 1e7:
        if point <= 0:
            return sign + "0." + "0" * -point + every
        every = every.ljust(point, "0")
        return sign + every[:point] + "." + (every[point:] or "0")
    return sign + every[0] + "." + (every[1:] or "0") + "E%d" % (point - 1)


def number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    d = float(written)
    if d % 1.0 == 0.0:
        return str(max(-LONG, min(LONG - 1, int(d))))
    return java_double(d)


def flatten(name, value, out):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        out.append((name, "true" if value else "false", False))
    elif isinstance(value, str):
        out.append((name, value, True))
    elif "number" in value:
        out.append((name, number(value["number"]), False))
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            flatten("%s.%d" % (name, i), item, out)
    else:
        for member, item in value["object"]:
            flatten("%s.%s" % (name, member), item, out)


def signed(q, private, names=()):
    flat = []
    for name, value in q["parameters"]:
        flatten(name, value, flat)
    flat = sorted((x for x in flat if x[0] != "Signature"), key=lambda x: x[0].encode())
    known = {x[0] for x in flat}
    if len(known) < len(flat):
        raise Refused("parameter-repeated")
    for name in names:
        if name not in known:
            raise Refused("parameter-missing", name)
    return flat, hashlib.sha1(("".join(n + t for n, t, _ in flat) + private).encode()).hexdigest()


def action_json(q, public, private):
    flat, signature = signed(q, private, ("Action", "PublicKey"))
    return {"body": "{" + ",".join(json.dumps(n) + ":" + (json.dumps(t) if text else t) for n, t, text in flat + [("Signature", signature, True)]) + "}"}


def action_query(q, public, private):
    flat, signature = signed(q, private, ("Action", "PublicKey"))
    return {"query": "&".join(encode(n) + "=" + encode(t) for n, t, _ in flat + [("Signature", signature, True)])}


class Headers:
    def __init__(self, pairs):
        self.map = {}
        for name, value in pairs:
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            if re.search(r"\r?\n[ \t]", value):
                raise Unsupported("OkHttp sends no folded values")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", name)
            value.encode()
            self.map.setdefault(name.lower(), []).append(value.strip(" \t"))

    def get(self, name):
        values = self.map.get(name, [""])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0]

    def canonical(self):
        return "".join("%s:%s\n" % (n, ", ".join(v)) for n, v in sorted(self.map.items()) if n.startswith(WORDS["headerPrefix"].lower()))


def hmac_sha1(private, text):
    return base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()


def header(method, q, public, private):
    if not TOKEN.fullmatch(method):
        raise Refused("method", method)
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    h = Headers(q["headers"])
    text = "\n".join((method.upper(), h.get("content-md5"), h.get("content-type"), h.get("date"), h.canonical())) + "/%s/%s" % (q["bucket"], q["key"])
    return "%s %s:%s" % (WORDS["scheme"], public, hmac_sha1(private, text))


def upload_hit(q, public, private):
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (encode(q["etag"]), encode(q["key"]), encode(q["size"])), "authorization": header("POST", q, public, private)}


def presigned(q, public, private):
    if not TOKEN.fullmatch(q["method"]):
        raise Refused("method", q["method"])
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    text = q["method"].upper() + "\n\n\n" + q["expires"] + "\n" + Headers(q["headers"]).canonical() + "/" + q["bucket"] + "/" + q["key"]
    query = [(WORDS["publicKeyParameter"], public), ("Expires", q["expires"]), ("Signature", encode(hmac_sha1(private, text)))]
    return {"url": "%s://%s.%s/%s?%s" % (q["scheme"], q["bucket"], q["fileHost"], "/".join(map(encode, q["key"].split("/"))), "&".join(n + "=" + encode(v) for n, v in query))}


def etag(q, public, private):
    c = q["content"]
    if "file" in c:
        with open(c["file"], "rb") as f:
            data = f.read()
    else:
        data = base64.b64decode(c["bytes"])
    hashes = [hashlib.sha1(data[i:i + BLOCK]).digest() for i in range(0, len(data), BLOCK)]
    digest = hashes[0] if len(hashes) == 1 else hashlib.sha1(b"".join(hashes)).digest()
    return {"etag": base64.urlsafe_b64encode(len(hashes).to_bytes(4, "little") + digest).decode()}


serve("kotlin-port", {"url-encode": lambda q, public, private: {"encoded": encode(q["text"])},
                      "action-signature": lambda q, public, private: {"signature": signed(q, private)[1]},
                      "action-json": action_json, "action-query": action_query,
                      "authorization": lambda q, public, private: {"authorization": header(q["method"], q, public, private)},
                      "instant-upload": upload_hit, "presigned-url": presigned, "etag": etag})
