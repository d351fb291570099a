#!/usr/bin/env python3
"""A TypeScript SDK with lodash and Buffer: the account API, the Authorization header and pre-signed URLs.

Mistakes:
1. Cleans the parameters with _.pickBy(params) before it signs and sends them, which drops every top-level parameter whose value
   is falsy: the empty text, false and the number zero in any spelling (members of lists and objects stay). An empty Action is
   then refused as missing.
2. Escapes with encodeURIComponent alone, which leaves ! ' ( ) and * as they are (url-encode, queries and pre-signed URLs).
3. Gives the text of file management to hmac.update(text, 'binary'): each UTF-16 code unit is cut to its low byte instead of
   being written as UTF-8, so every non-ASCII character (in the key, a header or the Expires) gives another signature.
4. Sorts the parameters with _.sortBy, which compares UTF-16 code units, not bytes: a name with a character above U+FFFF comes
   before one with a character of U+E000 to U+FFFF in the same place.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
import json

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

UNESCAPED = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~!'()*")
TOKEN = re.compile(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
NUMBER = re.compile(r"^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?\Z")


def encodeURIComponent(s):
    return "".join(chr(b) if chr(b) in UNESCAPED else "%" + format(b, "02X") for b in s.encode("utf-8"))


def plainDecimal(written):
    """Shifts the point by hand, so nothing is ever rounded."""
    m = NUMBER.match(written)
    if not m:
        raise Refused("number", "not a number")
    sign, whole, frac, exp = m[1], m[2], m[3] or "", int((m[4] or "0")[:9])
    digits = whole + frac
    if not digits.strip("0"):
        return "0"
    point = len(whole) + exp
    if abs(exp) > 4000:
        raise Refused("number", "too long")
    if point <= 0:
        digits, point = "0" * (1 - point) + digits, 1
    if point > len(digits):
        digits += "0" * (point - len(digits))
    whole, frac = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    return sign + whole + ("." + frac if frac else "")


def isFalsy(value):
    if value is False or value == "":
        return True
    return isinstance(value, dict) and "number" in value and plainDecimal(value["number"]) == "0"


def flattenDeep(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if value is True or value is False:
        yield name, str(value).lower(), str(value).lower()
    elif isinstance(value, str):
        yield name, value, json.dumps(value)
    elif "number" in value:
        text = plainDecimal(value["number"])
        yield name, text, text
    else:
        children = value["object"] if "object" in value else [[str(i), v] for i, v in enumerate(value["list"])]
        for child, v in children:
            yield from flattenDeep(name + "." + child, v)


def buildParams(input_):
    rows = []
    for name, value in input_["parameters"]:
        if not isFalsy(value):
            rows.extend(flattenDeep(name, value))
    rows = [r for r in rows if r[0] != "Signature"]
    if len({r[0] for r in rows}) < len(rows):
        raise Refused("parameter-repeated", "a name is given twice")
    return sorted(rows, key=lambda r: r[0].encode("utf-16-be"))


def requireParams(rows, *wanted):
    for w in wanted:
        if all(r[0] != w for r in rows):
            raise Refused("parameter-missing", w)
    return rows


def signParams(rows, privateKey):
    return hashlib.sha1(("".join(n + v for n, v, _ in rows) + privateKey).encode("utf-8")).hexdigest()


def toQuery(rows, privateKey):
    return "&".join([encodeURIComponent(n) + "=" + encodeURIComponent(v) for n, v, _ in rows]
                    + ["Signature=" + signParams(rows, privateKey)])


def toJson(rows, privateKey):
    members = [json.dumps(n) + ":" + j for n, _, j in rows]
    return "{" + ",".join(members + ['"Signature":"%s"' % signParams(rows, privateKey)]) + "}"


def createBucketTarget(input_, privateKey):
    rows = requireParams(buildParams(input_), "Action", "PublicKey")
    if any(n == "Action" and v == "CreateBucket" for n, v, _ in rows):
        requireParams(rows, "Type", "BucketName")
    return "/?" + toQuery(rows, privateKey)


# ---- files

def normalizeHeaders(headers):
    result = {}
    for name, value in headers:
        name = name.strip(" \t")
        if not TOKEN.match(name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        result.setdefault(name.lower(), []).append(value)
    return result


def single(headers, name):
    values = headers.get(name, [""])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0]


def canonicalHeaders(headers):
    prefix = WORDS["headerPrefix"].lower()
    return "".join(n + ":" + ",".join(headers[n]) + "\n" for n in sorted(headers) if n.startswith(prefix))


def hmacBase64(privateKey, text):
    text.encode("utf-8")
    units = text.encode("utf-16-le")[::2]
    return base64.b64encode(hmac.new(privateKey.encode("utf-8"), units, hashlib.sha1).digest()).decode("ascii")


def stringToSign(method, bucket, key, md5, mime, when, headers):
    if not TOKEN.match(method):
        raise Refused("method", method)
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    return "\n".join([method.upper(), md5, mime, when, canonicalHeaders(headers) + "/" + bucket + "/" + key])


def authorization(g, pub, pri):
    h = normalizeHeaders(g["headers"])
    text = stringToSign(g["method"], g["bucket"], g["key"], single(h, "content-md5"), single(h, "content-type"), single(h, "date"), h)
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, hmacBase64(pri, text))}


def presign(g, pub, pri):
    h = normalizeHeaders(g["headers"])
    signature = hmacBase64(pri, stringToSign(g["method"], g["bucket"], g["key"], "", "", g["expires"], h))
    path = "/".join(map(encodeURIComponent, g["key"].split("/")))
    query = [(WORDS["publicKeyParameter"], pub), ("Expires", g["expires"]), ("Signature", signature)]
    return {"url": "%s://%s.%s/%s?%s" % (g["scheme"], g["bucket"], g["fileHost"], path,
                                         "&".join(n + "=" + encodeURIComponent(v) for n, v in query))}


serve("ts-sdk", {
    "url-encode": lambda g, pub, pri: {"encoded": encodeURIComponent(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda g, pub, pri: {"signature": signParams(buildParams(g), pri)},
    "action-json": lambda g, pub, pri: {"body": toJson(requireParams(buildParams(g), "Action", "PublicKey"), pri)},
    "action-query": lambda g, pub, pri: {"query": toQuery(requireParams(buildParams(g), "Action", "PublicKey"), pri)},
    "bucket-request": lambda g, pub, pri: {"target": createBucketTarget(g, pri)},
    "authorization": authorization,
    "presigned-url": presign,
})
