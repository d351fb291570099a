#!/usr/bin/env python3
"""A Terraform provider in Go, whose resources send schema values to the account API and upload objects.

Mistakes:
1. Numbers come as float64 and are written with strconv.FormatFloat(v, 'f', -1, 64): whole numbers beyond 2^53 change.
2. Top-level parameters are read with d.GetOk, so an empty text, 0 and false count as not set and are neither signed nor sent.
3. Lists are schema.TypeSet: an item that is there twice is kept once (the indices move up).
4. The resource is path.Join("/", bucket, key): doubled slashes, a slash at the end and . or .. in keys are cleaned away in the signed text.
5. The query is url.Values.Encode() with Signature among the values, so it stands in alphabetical order and not last.
"""
import base64
import hashlib
import hmac
import json
import os
import posixpath
import re
import struct
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
BLOCK = 4 * 1024 * 1024
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def queryEscape(text):
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


def formatFloat(written):
    exact(written)
    number = float(written)
    if number in (float("inf"), float("-inf")):
        raise Refused("number", "too large")
    text = format(Decimal(repr(number)), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if number else "0"


def expandSet(items):
    out = []
    for item in items:
        if not any(type(item) is type(other) and item == other for other in out):
            out.append(item)
    return out


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
        return [(name, formatFloat(value["number"]), False)]
    if "list" in value:
        children = [(str(index), item) for index, item in enumerate(expandSet(value["list"]))]
    else:
        children = value["object"]
    out = []
    for child, item in children:
        out += flatten(name + "." + child, item)
    return out


def getOk(value):
    if isinstance(value, dict) and "number" in value:
        return formatFloat(value["number"]) != "0"
    return value is not False and value != ""


def ordered(names):
    return sorted(names, key=lambda name: name.encode("utf-8"))


def expandParams(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value) if getOk(value) else []:
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in ordered(found)]


def signParams(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def encodeValues(params, signature):
    values = {name: value for name, value, _ in params}
    values["Signature"] = signature
    return "&".join(queryEscape(name) + "=" + queryEscape(values[name]) for name in ordered(values))


def action_signature(given, pub, pri):
    return {"signature": signParams(expandParams(given["parameters"]), pri)}


def action_json(given, pub, pri):
    params = expandParams(given["parameters"])
    require(params, "Action", "PublicKey")
    members = [json.dumps(name) + ":" + (json.dumps(value) if quoted else value) for name, value, quoted in params]
    return {"body": "{" + ",".join(members + ['"Signature":"' + signParams(params, pri) + '"']) + "}"}


def action_query(given, pub, pri):
    params = expandParams(given["parameters"])
    require(params, "Action", "PublicKey")
    return {"query": encodeValues(params, signParams(params, pri))}


def bucket_request(given, pub, pri):
    params = expandParams(given["parameters"])
    require(params, "Action", "PublicKey")
    if ("Action", "CreateBucket") in [p[:2] for p in params]:
        require(params, "Type", "BucketName")
    return {"target": "/?" + encodeValues(params, signParams(params, pri))}


def clean(name, value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def readHeader(pairs):
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


def canonicalHeaders(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(groups[name]) + "\n" for name in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return posixpath.normpath("/" + bucket + "/" + key)


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def stringToSign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      canonicalHeaders(headers) + resource(bucket, key)])


def sign(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = stringToSign(given["method"], given["bucket"], given["key"], readHeader(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + sign(text, pri)}


def etag(given, pub, pri):
    data = content(given["content"])
    blocks = [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]
    if len(blocks) < 2:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(block).digest() for block in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", len(blocks)) + digest).decode()}


if __name__ == "__main__":
    serve("terraform-provider", {"action-signature": action_signature, "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
                                "authorization": authorization, "etag": etag})
