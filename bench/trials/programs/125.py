#!/usr/bin/env python3
"""Python with Django: a middleware that checks requests (verify-authorization and verify-presigned-url).

1. verify-presigned-url takes request.path.strip("/") for the key, after decoding, so that all slashes at both ends of the key are lost.
2. verify-presigned-url has a leeway of 300 seconds: a URL is expired only if now is later than Expires plus 300.
3. verify-authorization reads META["CONTENT_MD5"] (WSGI calls it HTTP_CONTENT_MD5), so that the line of Content-MD5 is always empty.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import sys
from collections import defaultdict
from urllib.parse import unquote_to_bytes

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = r"[-\w!#$%&'*+.^`|~]+"


def get_method(given):
    if not re.fullmatch(TOKEN, given["method"], re.A):
        raise Refused("method", given["method"])
    return given["method"].upper()


def get_headers(given):
    headers = defaultdict(list)
    for name, value in given["headers"]:
        name = name.strip("\t ")
        if not re.fullmatch(TOKEN, name, re.A):
            raise Refused("header-name", name)
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip("\t ")
        value.encode()
        if "\r" in value or "\n" in value or "\0" in value:
            raise Refused("header-value", name)
        headers[name.lower()].append(value)
    return headers


def canonical(headers):
    prefix = WORDS["headerPrefix"].lower()
    return "".join("%s:%s\n" % (name, ",".join(headers[name])) for name in sorted(headers) if name.startswith(prefix))


def expected(private_key, text):
    return base64.b64encode(hmac.new(private_key.encode(), text.encode(), "sha1").digest()).decode()


def percent_decoded(text, reason):
    for piece in text.split("%")[1:]:
        if not re.match("[0-9A-Fa-f]{2}", piece):
            raise Refused(reason, "percent")
    text.encode()
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def is_policy(text):
    standard, safe = set(text) & set("+/"), set(text) & set("-_")
    if standard and safe:
        return False
    text = text.translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        policy = json.loads(base64.b64decode(text + "===="[:-len(text) % 4], validate=True).decode())
    except (binascii.Error, ValueError, RecursionError):
        return False
    return type(policy) is dict


def verify_authorization(given, public_key, private_key):
    headers = get_headers(given)
    method = get_method(given)
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    lines = [method]
    for name in ("content-md5", "content-type", "date"):
        if len(headers.get(name, [])) > 1:
            raise Refused("header-repeated", name)
        lines.append("" if name == "content-md5" else "".join(headers.get(name, [])))
    values = headers.get("authorization")
    if not values:
        raise Refused("authorization-missing")
    if len(values) > 1:
        raise Refused("authorization-malformed", "repeated")
    start = WORDS["scheme"] + " "
    rest = values[0][len(start):]
    if not values[0].startswith(start) or re.search("[ \t]", rest):
        raise Refused("authorization-malformed")
    parts = rest.split(":")
    if not 2 <= len(parts) <= 3 or not all(parts):
        raise Refused("authorization-malformed")
    policy = ""
    if len(parts) == 3:
        policy = parts[2]
        if method not in ("PUT", "POST") or not is_policy(policy):
            raise Refused("authorization-malformed", "policy")
    if parts[0] != public_key:
        raise Refused("public-key-unknown")
    text = "\n".join(lines) + "\n" + canonical(headers) + "/" + given["bucket"] + "/" + given["key"] + policy
    if expected(private_key, text) != parts[1]:
        raise Refused("signature-mismatch")
    return {"publicKey": public_key}


def verify_presigned_url(given, public_key, private_key):
    method = get_method(given)
    headers = get_headers(given)
    match = re.match(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?\Z", given["url"])
    if not match:
        raise Refused("url-malformed")
    bucket, _, host = match[1].partition(".")
    if not bucket or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = percent_decoded(match[2], "url-malformed").strip("/")
    found = {}
    twice = False
    for piece in (match[3] or "").split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name, value = percent_decoded(name, "query-malformed"), percent_decoded(value, "query-malformed")
            if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
                twice = twice or name in found
                found[name] = value
    if twice:
        raise Refused("parameter-repeated")
    if not found.get("Signature"):
        raise Refused("signature-missing")
    if WORDS["publicKeyParameter"] not in found or "Expires" not in found:
        raise Refused("parameter-missing")
    expires = found["Expires"]
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed")
    if int(given["now"]) > int(expires) + 300:
        raise Refused("expired")
    if found[WORDS["publicKeyParameter"]] != public_key:
        raise Refused("public-key-unknown")
    text = method + "\n\n\n" + expires + "\n" + canonical(headers) + "/" + bucket + "/" + key
    if expected(private_key, text) != found["Signature"]:
        raise Refused("signature-mismatch")
    return {"publicKey": public_key}


OPS = {"verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url}

if __name__ == "__main__":
    serve("django-middleware", OPS)
