#!/usr/bin/env python3
"""An async Rust client with reqwest, serde_json and url.

Mistakes:
1. Escapes names and values of queries with url::form_urlencoded (also in url-encode): a space becomes a plus sign, * stays as it is,
   and ~ becomes %7E.
2. Holds the headers in a HeaderMap filled with insert(): only the last value of a repeated extra header is signed.
3. Signs and sends numbers as serde_json writes them: integers that fit an i64 or u64 are right, but every other number is an f64,
   rounded and written with at least one decimal (42.0 stays 42.0, 1e3 gives 1000.0, -0 gives -0.0) or, from 1e16 and below 1e-5, with
   an exponent (1e16, 1.5e-7); one beyond f64 (1e400) is refused.
4. Escapes the path of a pre-signed URL with the PATH set of the WHATWG URL Standard, which has no percent sign (a key a%41 is
   written a%41, which a server reads as aA); of ASCII it escapes only the controls, the space and " # < > ? ` { }.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


def byte_serialize(text):
    def one(b):
        if b == 0x20:
            return "+"
        return chr(b) if b < 128 and (chr(b).isalnum() or b in b"*-._") else "%%%02X" % b
    return "".join(one(b) for b in text.encode("utf-8"))


PATH = set(range(0x20)) | {0x7f} | set(b' "#<>?`{}') | set(range(0x80, 0x100))


def utf8_percent_encode(text, ascii_set):
    return "".join("%%%02X" % b if b in ascii_set else chr(b) for b in text.encode("utf-8"))


def ryu(f):
    """ryu::Buffer::format_finite."""
    sign, text = ("-", repr(f)[1:]) if repr(f).startswith("-") else ("", repr(f))
    if f == 0:
        return sign + "0.0"
    mantissa, _, exp = text.partition("e")
    whole, _, frac = mantissa.partition(".")
    k = int(exp or "0") - len(frac)
    digits = (whole + frac).lstrip("0")
    stripped = digits.rstrip("0")
    k += len(digits) - len(stripped)
    digits = stripped
    kk = len(digits) + k
    if 0 <= k and kk <= 16:
        return sign + digits + "0" * k + ".0"
    if 0 < kk <= 16:
        return sign + digits[:kk] + "." + digits[kk:]
    if -5 < kk <= 0:
        return sign + "0." + "0" * -kk + digits
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e" + str(kk - 1)


class Value:
    """enum Value { Bool, Number, String }, with its text and its JSON."""

    def __init__(self, text, literal):
        self.text, self.literal = text, literal

    @staticmethod
    def number(written):
        m = re.fullmatch(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written)
        if m is None:
            raise Refused("number", "invalid number")
        if not m[1] and not m[2] and written != "-0" and len(written) < 25 and -2 ** 63 <= int(written) < 2 ** 64:
            return Value(written, written)
        f = float(written)
        if f in (float("inf"), float("-inf")):
            raise Refused("number", "number out of range")
        return Value(ryu(f), ryu(f))


def flatten(prefix, v, sink):
    match v:
        case None:
            raise Refused("parameter-null", prefix)
        case bool():
            sink.append((prefix, Value("true", "true") if v else Value("false", "false")))
        case str():
            sink.append((prefix, Value(v, json.dumps(v))))
        case {"number": written}:
            sink.append((prefix, Value.number(written)))
        case {"list": items}:
            for i, item in enumerate(items):
                flatten(f"{prefix}.{i}", item, sink)
        case {"object": members}:
            for member, item in members:
                flatten(f"{prefix}.{member}", item, sink)


class Request:
    def __init__(self, given, secret, *required):
        sink = []
        for name, v in given["parameters"]:
            flatten(name, v, sink)
        self.tree = {}
        for name, v in sink:
            if name == "Signature":
                continue
            if name in self.tree:
                raise Refused("parameter-repeated", name)
            self.tree[name] = v
        for name in required:
            if name not in self.tree:
                raise Refused("parameter-missing", name)
        self.order = sorted(self.tree, key=str.encode)
        text = "".join(n + self.tree[n].text for n in self.order)
        self.signature = hashlib.sha1((text + secret).encode()).hexdigest()

    def query(self):
        pairs = [(n, self.tree[n].text) for n in self.order] + [("Signature", self.signature)]
        return "&".join(byte_serialize(n) + "=" + byte_serialize(v) for n, v in pairs)

    def json(self):
        inner = [json.dumps(n) + ":" + self.tree[n].literal for n in self.order]
        inner.append('"Signature":"' + self.signature + '"')
        return "{" + ",".join(inner) + "}"


def bucket_request(given, pub, pri):
    r = Request(given, pri, "Action", "PublicKey")
    if r.tree["Action"].text == "CreateBucket":
        Request(given, pri, "Type", "BucketName")
    return {"target": "/?" + r.query()}


HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
POSITIONAL = ("content-md5", "content-type", "date")


def header_map(pairs):
    m, seen = {}, set()
    for name, value in pairs:
        name = name.strip(" \t").lower()
        if not HEADER_NAME.fullmatch(name):
            raise Refused("header-name", name)
        value.encode()
        value = re.sub(r"([ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
        if any(c in "\r\n\0" for c in value):
            raise Refused("header-value", name)
        if name in seen and name in POSITIONAL:
            m[name] = None
        else:
            m[name] = value
        seen.add(name)
    return m


def positional(m, name):
    value = m.get(name, "")
    if value is None:
        raise Refused("header-repeated", name)
    return value


def canonical(given, secret, m, md5, mime, when):
    if not HEADER_NAME.fullmatch(given["method"]):
        raise Refused("method", "invalid method")
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", "invalid bucket")
    prefix = WORDS["headerPrefix"].lower()
    extra = "".join(f"{n}:{v}\n" for n, v in sorted(m.items(), key=lambda x: x[0]) if n.startswith(prefix))
    text = "\n".join((given["method"].upper(), md5, mime, when, f"{extra}/{given['bucket']}/{given['key']}"))
    return base64.b64encode(hmac.digest(secret.encode(), text.encode(), "sha1")).decode()


def authorization(given, pub, pri):
    m = header_map(given["headers"])
    signature = canonical(given, pri, m, *(positional(m, n) for n in POSITIONAL))
    return {"authorization": f"{WORDS['scheme']} {pub}:{signature}"}


def presign(given, pub, pri):
    signature = canonical(given, pri, header_map(given["headers"]), "", "", given["expires"])
    query = "&".join(n + "=" + byte_serialize(v) for n, v in (
        (WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", signature)))
    return {"url": f"{given['scheme']}://{given['bucket']}.{given['fileHost']}/{utf8_percent_encode(given['key'], PATH)}?{query}"}


def etag(given, pub, pri):
    data, size = content(given["content"]), 4 * 1024 * 1024
    hashes = [hashlib.sha1(data[i:i + size]).digest() for i in range(0, len(data), size)]
    if len(hashes) > 1:
        digest = hashlib.sha1(b"".join(hashes)).digest()
    else:
        digest = hashlib.sha1(data).digest()
    return {"etag": base64.urlsafe_b64encode(len(hashes).to_bytes(4, "little") + digest).decode()}


serve("rust", {
    "url-encode": lambda g, pub, pri: {"encoded": byte_serialize(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode()).decode()},
    "action-signature": lambda g, pub, pri: {"signature": Request(g, pri).signature},
    "action-query": lambda g, pub, pri: {"query": Request(g, pri, "Action", "PublicKey").query()},
    "action-json": lambda g, pub, pri: {"body": Request(g, pri, "Action", "PublicKey").json()},
    "bucket-request": bucket_request,
    "authorization": authorization,
    "presigned-url": presign,
    "etag": etag,
})
