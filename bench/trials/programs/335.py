#!/usr/bin/env python3
"""A VBA macro in Excel: a module copied from a forum has SHA-1 and HMAC in plain VBA, parameters stand in a sheet.

Mistakes:
1. The forum's SHA-1 reckons the number of blocks as the whole part of Len / 64, plus 1, so a message with 56 to 63 bytes in its last block has its length written over the padding.
2. The forum's HMAC cuts a private key longer than 64 bytes instead of hashing it.
3. Numbers are written with Trim(Str(x)), which has no zero before the point: 0.5 is .5, -0.5 is -.5 (in the JSON body too it stands as a number that the macro repairs: 0.5).
4. Text to be signed is made bytes with StrConv(text, vbFromUnicode), which is Windows-1252 with question marks, for both signatures (escaping and passwords are UTF-8).
5. A cell with digits only is a number in Excel: a text like 007 loses its leading zeros, signed and sent.
"""
import base64
import json
import os
import re
import struct
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def RotL(x, n):
    return (x << n | x >> 32 - n) & 0xFFFFFFFF


def SHA1(message):
    blocks = len(message) // 64 + 1
    words = [0] * (blocks * 16)
    for at, byte in enumerate(message + b"\x80"):
        words[at >> 2] |= byte << (24 - at % 4 * 8)
    words[-1] = len(message) * 8
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    for start in range(0, len(words), 16):
        w = words[start:start + 16]
        for t in range(16, 80):
            w.append(RotL(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
        a, b, c, d, e = h
        for t in range(80):
            if t < 20:
                f, k = b & c | ~b & d, 0x5A827999
            elif t < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif t < 60:
                f, k = b & c | b & d | c & d, 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (RotL(a, 5) + (f & 0xFFFFFFFF) + e + k + w[t]) & 0xFFFFFFFF, a, RotL(b, 30), c, d
        h = [(x + y) & 0xFFFFFFFF for x, y in zip(h, (a, b, c, d, e))]
    return struct.pack(">5I", *h)


def HMAC_SHA1(key, message):
    key = key[:64].ljust(64, b"\0")
    return SHA1(bytes(k ^ 0x5C for k in key) + SHA1(bytes(k ^ 0x36 for k in key) + message))


def StrConv(text):
    text.encode("utf-8")
    return text.encode("cp1252", "replace")


def TrimStr(text):
    if text.startswith(("0.", "-0.")):
        return text.replace("0.", ".", 1)
    return text


def CellText(text):
    return text.lstrip("0") or "0" if re.fullmatch("[0-9]{1,15}", text) else text


def EncodeURL(text):
    out = ""
    for byte in text.encode("utf-8"):
        out += chr(byte) if chr(byte) in UNRESERVED else "%%%02X" % byte
    return out


def exact(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    return value


def decimal(written):
    text = format(exact(written), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if text.strip("-0") else "0"


def boolean(value):
    return "true" if value else "false"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, boolean(value), False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, decimal(value["number"]), False)]
    if "list" in value:
        children = [(str(index), item) for index, item in enumerate(value["list"])]
    else:
        children = value["object"]
    out = []
    for child, item in children:
        out += flatten(name + "." + child, item)
    return out


def QuickSort(names):
    return sorted(names, key=lambda name: name.encode("utf-8"))


def ReadSheet(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (CellText(text) if quoted else TrimStr(text), quoted)
    return [(name,) + found[name] for name in QuickSort(found)]


def sign_parameters(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return SHA1(StrConv(text)).hex()


def json_number(text):
    return text.replace(".", "0.", 1) if text.startswith((".", "-.")) else text


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def build_query(params, signature):
    pieces = [EncodeURL(name) + "=" + EncodeURL(value) for name, value, _ in params]
    return "&".join(pieces + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": EncodeURL(given["text"])}


def password(given, pub, pri):
    return {"value": base64.b64encode(given["text"].encode("utf-8")).decode()}


def action_signature(given, pub, pri):
    return {"signature": sign_parameters(ReadSheet(given["parameters"]), pri)}


def action_json(given, pub, pri):
    params = ReadSheet(given["parameters"])
    require(params, "Action", "PublicKey")
    members = [json.dumps(name) + ":" + (json.dumps(value) if quoted else json_number(value)) for name, value, quoted in params]
    return {"body": "{" + ",".join(members + ['"Signature":"' + sign_parameters(params, pri) + '"']) + "}"}


def action_query(given, pub, pri):
    params = ReadSheet(given["parameters"])
    require(params, "Action", "PublicKey")
    return {"query": build_query(params, sign_parameters(params, pri))}


def clean(name, value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def read_headers(pairs):
    out = []
    for name, value in pairs:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
        out.append((name.lower(), clean(name, value)))
    return out


def single(headers, wanted):
    values = [value for name, value in headers if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def canonical(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(groups[name]) + "\n" for name in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def BuildText(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      canonical(headers) + resource(bucket, key)])


def BuildLinkText(method, bucket, key, headers, expires):
    return "\n".join([verb(method), "", "", expires, canonical(headers) + resource(bucket, key)])


def sign(text, pri):
    return base64.b64encode(HMAC_SHA1(pri.encode("utf-8"), StrConv(text))).decode()


def authorization(given, pub, pri):
    text = BuildText(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + sign(text, pri)}


def url_path(key):
    return "/".join(EncodeURL(segment) for segment in key.split("/"))


def presigned_url(given, pub, pri):
    signature = sign(BuildLinkText(given["method"], given["bucket"], given["key"], read_headers(given["headers"]), given["expires"]), pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + url_path(given["key"]) + "?"
            + WORDS["publicKeyParameter"] + "=" + EncodeURL(pub) + "&Expires=" + EncodeURL(given["expires"]) + "&Signature=" + EncodeURL(signature)}


if __name__ == "__main__":
    serve("vba-macro", {"url-encode": url_encode, "password": password, "action-signature": action_signature, "action-json": action_json,
                       "action-query": action_query, "authorization": authorization, "presigned-url": presigned_url})
