#!/usr/bin/env python3
"""A client in Dart for Flutter (dart:convert, Uri, ByteData).

1. Uri(queryParameters: ...) encodes a blank in a name or value of the query as + (url-encode and the path of a URL have %20).
2. Uri.encodeComponent, for url-encode and for what goes into a pre-signed URL, leaves ! * ' ( ) as they are.
3. Numbers with a point or an exponent, and whole ones beyond 64 bits, are doubles: 42.0 is signed and sent as 42.0, 1e3 as 1000.0, 1e21 as 1e+21.
4. The block count goes into the ETag by ByteData.setUint32, which is big-endian unless told otherwise.
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
from serving import Refused, serve, Unsupported, WORDS  # noqa: E402


ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def _uri_encode(text, safe, plus=False):
    out = []
    for unit in text.encode("utf-8"):
        c = chr(unit)
        out.append(c if c in ALNUM + safe else "+" if plus and c == " " else "%" + "%02X" % unit)
    return "".join(out)


def encode_component(text):
    return _uri_encode(text, "-_.!~*'()")


def encode_query_component(text):
    return _uri_encode(text, "-._~", plus=True)


def double_text(value):
    """double.toString of the VM."""
    text = repr(value)
    if value == value and abs(value) >= 1e21 or value != 0 and abs(value) < 1e-6:
        if "e" not in text:
            return text
        mantissa, exponent = text.split("e")
        return mantissa + "e" + "%+d" % int(exponent)
    if "e" in text:
        mantissa, exponent = text.split("e")
        sign = "-" if mantissa.startswith("-") else ""
        digits = mantissa.lstrip("-").replace(".", "")
        point = 1 + int(exponent)
        text = sign + ("0." + "0" * -point + digits if point <= 0 else digits.ljust(point, "0") + ".0")
    return text


def number_text(written):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    if re.fullmatch("-?[0-9]+", written) and -2 ** 63 <= int(written) < 2 ** 63:
        return str(int(written))
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise Refused("number", written)
    return double_text(value)


def expand(name, value, add):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        add(name, str(value).lower(), str(value).lower())
    elif isinstance(value, str):
        add(name, value, json.dumps(value))
    elif "number" in value:
        text = number_text(value["number"])
        add(name, text, text)
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            expand("%s.%d" % (name, i), item, add)
    else:
        for member, item in value["object"]:
            expand(name + "." + member, item, add)


class Action:
    def __init__(self, q, private):
        self.params = {}
        for name, value in q["parameters"]:
            expand(name, value, self.add)
        self.names = sorted(self.params, key=lambda name: name.encode("utf-8"))
        self.signature = hashlib.sha1(("".join(name + self.params[name][0] for name in self.names) + private).encode("utf-8")).hexdigest()

    def add(self, name, text, literal):
        if name != "Signature":
            if name in self.params:
                raise Refused("parameter-repeated", name)
            self.params[name] = (text, literal)

    def complete(self):
        for name in ("Action", "PublicKey"):
            if name not in self.params:
                raise Refused("parameter-missing", name)
        return self

    def query(self):
        return "&".join(encode_query_component(n) + "=" + encode_query_component(self.params[n][0]) for n in self.names) + "&Signature=" + self.signature

    def body(self):
        return "{" + ",".join('%s:%s' % (json.dumps(n), self.params[n][1]) for n in self.names) + ',"Signature":"%s"}' % self.signature


def header_map(q):
    out = {}
    for name, value in q["headers"]:
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        if re.search(r"\r?\n[ \t]", value):
            raise Unsupported("package:http sends no folded values")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        value.encode("utf-8")
        if name.lower() in out:
            raise Unsupported("headers are a Map<String, String>")
        out[name.lower()] = value.strip(" \t")
    return out


def sign(q, private, md5, mime, when, headers):
    if not TOKEN.fullmatch(q["method"]):
        raise Refused("method", q["method"])
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    buffer = [q["method"].upper(), "\n", md5, "\n", mime, "\n", when, "\n"]
    buffer += [name + ":" + headers[name] + "\n" for name in sorted(headers) if name.startswith(WORDS["headerPrefix"].lower())]
    buffer += ["/", q["bucket"], "/", q["key"]]
    return base64.b64encode(hmac.new(private.encode("utf-8"), "".join(buffer).encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(q, public, private):
    h = header_map(q)
    return {"authorization": WORDS["scheme"] + " " + public + ":" + sign(q, private, h.get("content-md5", ""), h.get("content-type", ""), h.get("date", ""), h)}


def presigned(q, public, private):
    signature = sign(q, private, "", "", q["expires"], header_map(q))
    path = "/".join(encode_component(segment) for segment in q["key"].split("/"))
    query = "&".join(n + "=" + encode_component(v) for n, v in ((WORDS["publicKeyParameter"], public), ("Expires", q["expires"]), ("Signature", signature)))
    return {"url": "%s://%s.%s/%s?%s" % (q["scheme"], q["bucket"], q["fileHost"], path, query)}


def read(content):
    if "bytes" in content:
        return base64.b64decode(content["bytes"])
    with open(content["file"], "rb") as file:
        return file.read()


def etag(q, public, private):
    data, size = read(q["content"]), 4 << 20
    count = (len(data) + size - 1) // size
    digest = hashlib.sha1(data).digest()
    if count > 1:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[n * size:n * size + size]).digest() for n in range(count))).digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "big") + digest).decode()}


serve("dart-client", {"url-encode": lambda q, public, private: {"encoded": encode_component(q["text"])},
                      "action-signature": lambda q, public, private: {"signature": Action(q, private).signature},
                      "action-query": lambda q, public, private: {"query": Action(q, private).complete().query()},
                      "action-json": lambda q, public, private: {"body": Action(q, private).complete().body()},
                      "authorization": authorization, "presigned-url": presigned, "etag": etag,
                      "part-etag": lambda q, public, private: {"etag": base64.urlsafe_b64encode(hashlib.sha1(read(q["content"])).digest()).decode()}})
