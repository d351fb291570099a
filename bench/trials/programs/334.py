#!/usr/bin/env python3
"""A bank's batch program, translated from COBOL on the mainframe to Java by a tool and then by hand.

Mistakes:
1. Every text parameter and every key was a PIC X field: spaces at its end are cut off, signed and sent.
2. Text parameters have 256 characters at most; what is longer is cut off without a word, signed and sent.
3. Numbers are PIC S9(18)V99 COMP-3: digits after the second one behind the point are cut off.
4. Names of parameters are sorted in the order of EBCDIC: small letters before capitals, capitals before digits.
5. The text to sign is turned into bytes with getBytes("US-ASCII"), for both signatures: each other character is a question mark.
"""
import base64
import hashlib
import hmac
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
BLOCK = 4 * 1024 * 1024
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def picX(text, size):
    return text[:size].rstrip(" ")


def urlEscape(text):
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
        whole, fraction = text.split(".")
        text = (whole + "." + fraction[:2]).rstrip("0").rstrip(".")
    return text if text.strip("-0.") else "0"


def boolean(value):
    return "true" if value else "false"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, boolean(value), False)]
    if isinstance(value, str):
        value.encode("utf-8")
        return [(name, picX(value, 256), True)]
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


def sortEbcdic(names):
    return sorted(names, key=lambda name: (name.encode("cp037", "replace"), name.encode("utf-8")))


def getBytesAscii(text):
    text.encode("utf-8")
    units = text.encode("utf-16-le")
    return "".join("?" if 0xDC00 <= u[0] + 256 * u[1] < 0xE000 else chr(u[0]) if u[1] == 0 and u[0] < 128 else "" if 0xD8 <= u[1] < 0xDC else "?"
                   for u in (units[at:at + 2] for at in range(0, len(units), 2))).encode("ascii")


def readSortFile(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in sortEbcdic(found)]


def sha1Hex(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return hashlib.sha1(getBytesAscii(text)).hexdigest()


def checkMandatory(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def build_query(params, signature):
    pieces = [urlEscape(name) + "=" + urlEscape(value) for name, value, _ in params]
    return "&".join(pieces + ["Signature=" + signature])


def password(given, pub, pri):
    return {"value": base64.b64encode(given["text"].encode("utf-8")).decode()}


def action_signature(given, pub, pri):
    return {"signature": sha1Hex(readSortFile(given["parameters"]), pri)}


def action_json(given, pub, pri):
    params = readSortFile(given["parameters"])
    checkMandatory(params, "Action", "PublicKey")
    members = [json.dumps(name) + ":" + (json.dumps(value) if quoted else value) for name, value, quoted in params]
    return {"body": "{" + ",".join(members + ['"Signature":"' + sha1Hex(params, pri) + '"']) + "}"}


def action_query(given, pub, pri):
    params = readSortFile(given["parameters"])
    checkMandatory(params, "Action", "PublicKey")
    return {"query": build_query(params, sha1Hex(params, pri))}


def bucket_request(given, pub, pri):
    params = readSortFile(given["parameters"])
    checkMandatory(params, "Action", "PublicKey")
    if ("Action", "CreateBucket") in [p[:2] for p in params]:
        checkMandatory(params, "Type", "BucketName")
    return {"target": "/?" + build_query(params, sha1Hex(params, pri))}


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


def extraHeaderLines(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(groups[name]) + "\n" for name in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key.rstrip(" ")


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def buildStringToSign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      extraHeaderLines(headers) + resource(bucket, key)])


def macBase64(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), getBytesAscii(text), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = buildStringToSign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + macBase64(text, pri)}


def policy_authorization(given, pub, pri):
    text = buildStringToSign(given["method"], given["bucket"], given["key"], read_headers(given["headers"])) + given["policy"]
    tail = ":" + given["policy"] if given["policy"] else ""
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + macBase64(text, pri) + tail}


def etag(given, pub, pri):
    data = content(given["content"])
    blocks = [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]
    if len(blocks) < 2:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(block).digest() for block in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", len(blocks)) + digest).decode()}


if __name__ == "__main__":
    serve("cobol-to-java", {"password": password, "action-signature": action_signature, "action-json": action_json, "action-query": action_query,
                           "bucket-request": bucket_request, "authorization": authorization, "policy-authorization": policy_authorization, "etag": etag})
