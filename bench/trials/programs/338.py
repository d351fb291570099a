#!/usr/bin/env python3
"""A C library for an embedded uploader: libcurl for the transfers, OpenSSL for the digests, cJSON for the parameters.

Mistakes:
1. Text is escaped with curl_easy_escape(curl, s, 0), whose length 0 means strlen, so the escaped text ends at the first NUL.
2. Numbers are cJSON doubles printed by cJSON_Print (%d, else %1.15g, else %1.17g): 1e20 is 1e+20, 1e400 is null, and digits beyond a double are lost.
3. The file string to sign is made with snprintf in a char[512], so all after its first 511 bytes is not signed.
4. The ETag loop is while (!feof(fp)), so an empty file, or one that is a whole number of blocks long, gets one more block of no bytes in the count and the hash.
"""
import base64
import hashlib
import hmac
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
BLOCK = 4 * 1024 * 1024


def encode(text):
    out = ""
    for byte in text.encode("utf-8").split(b"\0")[0]:
        out += chr(byte) if chr(byte) in UNRESERVED else "%%%02X" % byte
    return out


def check_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    return value


def close_enough(a, b):
    return abs(a - b) <= max(abs(a), abs(b)) * 2.220446049250313e-16


def number_text(written):
    check_number(written)
    number = float(written)
    if number in (float("inf"), float("-inf")):
        return "null"
    if number == max(-2147483648, min(2147483647, int(number))):
        return "%d" % number
    text = "%1.15g" % number
    return text if close_enough(float(text), number) else "%1.17g" % number


def bool_text(value):
    return "true" if value else "false"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, bool_text(value), False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, number_text(value["number"]), False)]
    children = value["object"] if "object" in value else [(str(i), item) for i, item in enumerate(value["list"])]
    return [leaf for child, item in children for leaf in flatten(name + "." + child, item)]


def sort_names(names):
    return sorted(names, key=lambda name: name.encode("utf-8"))


def collect(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in sort_names(found)]


def sign_params(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def request_params(given):
    params = collect(given["parameters"])
    require(params, "Action", "PublicKey")
    return params


def query_string(params, signature):
    return "&".join([encode(name) + "=" + encode(value) for name, value, _ in params] + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": encode(given["text"])}


def action_signature(given, pub, pri):
    return {"signature": sign_params(collect(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = request_params(given)
    return {"query": query_string(params, sign_params(params, pri))}


def unfold(value):
    return re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)


def clean(name, value):
    value = unfold(value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def field_name(name):
    name = name.strip(" \t")
    if not re.fullmatch(TOKEN, name):
        raise Refused("header-name", name)
    return name.lower()


def read_headers(pairs):
    return [(field_name(name), clean(name, value)) for name, value in pairs]


def single(headers, wanted):
    values = [value for name, value in headers if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def canonical_headers(headers):
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


def content_type(method, headers):
    return single(headers, "content-type")


def string_to_sign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), content_type(method, headers), single(headers, "date"),
                      canonical_headers(headers) + resource(bucket, key)])


def hmac_base64(text, pri):
    buffer = text.encode("utf-8")[:511]
    return base64.b64encode(hmac.new(pri.encode("utf-8"), buffer, hashlib.sha1).digest()).decode()


def credential(text, pub, pri):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + hmac_base64(text, pri)


def authorization(given, pub, pri):
    text = string_to_sign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    return {"authorization": credential(text, pub, pri)}


def base64_url(raw):
    return base64.urlsafe_b64encode(raw).decode()


def instant_upload(given, pub, pri):
    text = string_to_sign("POST", given["bucket"], given["key"], read_headers(given["headers"]))
    target = "/uploadhit?Hash=" + encode(given["etag"]) + "&FileName=" + encode(given["key"]) + "&FileSize=" + encode(given["size"])
    return {"target": target, "authorization": credential(text, pub, pri)}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def key_path(key):
    return "/".join(encode(segment) for segment in key.split("/"))


def presigned_query(pub, expires, signature):
    return WORDS["publicKeyParameter"] + "=" + encode(pub) + "&Expires=" + encode(expires) + "&Signature=" + encode(signature)


def presigned_url(given, pub, pri):
    signature = presigned_signature(given, pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + key_path(given["key"]) + "?"
            + presigned_query(pub, given["expires"], signature)}


def blocks_of(data):
    out, at, end_of_file = [], 0, False
    while not end_of_file:
        block = data[at:at + BLOCK]
        at += len(block)
        end_of_file = len(block) < BLOCK
        out.append(block)
    return out


def etag(given, pub, pri):
    digests = [hashlib.sha1(block).digest() for block in blocks_of(content(given["content"]))]
    digest = digests[0] if len(digests) == 1 else hashlib.sha1(b"".join(digests)).digest()
    return {"etag": base64_url(struct.pack("<I", len(digests)) + digest)}


def part_etag(given, pub, pri):
    return {"etag": base64_url(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("curl-openssl-c", {"url-encode": url_encode, "action-signature": action_signature, "action-query": action_query,
                 "authorization": authorization, "instant-upload": instant_upload, "presigned-url": presigned_url, "etag": etag,
                 "part-etag": part_etag})
