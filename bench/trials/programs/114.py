#!/usr/bin/env python3
"""A gateway in Lua: verify-authorization and verify-presigned-url. Its mistakes:

1. Extra headers are found with string.find(name:lower(), prefix), without anchor and as a Lua pattern, where "-" after a letter
   means "any number of it": with x-svc- every header whose name contains "sv" (csv-version, x-other-svc) is signed as extra header.
2. Expires is compared with the clock only if it is a number (1 to 15 digits); any other text passes as an expiry that never comes.
3. The path of a pre-signed URL is decoded with ngx.unescape_uri, which also makes a space of +.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def lua_pattern(prefix):
    return re.compile(re.sub(r"(.)-", lambda m: re.escape(m[1]) + "*?", prefix.lower()))


def read(pairs):
    headers = {}
    for name, value in pairs:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", "not a token")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode("utf-8")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", "control character")
        headers.setdefault(name.lower(), []).append(value)
    return headers


def single(headers, name):
    values = headers.get(name, [""])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0]


def extra(headers):
    pattern = lua_pattern(WORDS["headerPrefix"])
    return "".join(name + ":" + ",".join(headers[name]) + "\n" for name in sorted(headers) if pattern.search(name))


def method_of(given):
    if not re.fullmatch(TOKEN, given["method"]):
        raise Refused("method", "not a token")
    return given["method"].upper()


def compare(text, signature, private):
    digest = hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()
    if base64.b64encode(digest).decode() != signature:
        raise Refused("signature-mismatch", "no")


def is_policy(text):
    """Base64, of either alphabet but not of both mixed, of a JSON object."""
    if re.search("[+/]", text) and re.search("[-_]", text):
        return False
    bare = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, public, private):
    headers = read(given["headers"])
    method = method_of(given)
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", "empty or with a slash")
    text = method + "\n"
    for name in ("content-md5", "content-type", "date"):
        text += single(headers, name) + "\n"
    text += extra(headers) + "/" + given["bucket"] + "/" + given["key"]
    values = headers.get("authorization")
    if not values:
        raise Refused("authorization-missing", "no header")
    match = re.fullmatch(r"([^ ]*) ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", values[0])
    if len(values) > 1 or not match or match[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "no")
    if match[4] is not None:
        if method not in ("PUT", "POST") or not is_policy(match[4]):
            raise Refused("authorization-malformed", "policy")
        text += match[4]
    if match[2] != public:
        raise Refused("public-key-unknown", "no")
    compare(text, match[3], private)
    return {"publicKey": public}


def unescape(text, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray %")
    pieces = re.split(rb"%(..)", text.encode("utf-8"), flags=re.S)
    try:
        return b"".join(bytes([int(p, 16)]) if i % 2 else p for i, p in enumerate(pieces)).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def verify_presigned_url(given, public, private):
    method = method_of(given)
    headers = read(given["headers"])
    match = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"], re.S)
    if not match or match[2].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "no")
    bucket, key = match[1], unescape(match[3].replace("+", " "), "url-malformed")
    words = (WORDS["publicKeyParameter"], "Expires", "Signature")
    found = {}
    for piece in (match[4] or "").split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name, value = unescape(name, "query-malformed"), unescape(value, "query-malformed")
            if name in words:
                found.setdefault(name, []).append(value)
    if any(len(values) > 1 for values in found.values()):
        raise Refused("parameter-repeated", "twice")
    owner, expires, signature = (found.get(word, [None])[0] for word in words)
    if not signature:
        raise Refused("signature-missing", "no")
    if owner is None or expires is None:
        raise Refused("parameter-missing", "no")
    if re.fullmatch("[0-9]{1,15}", expires) and int(given["now"]) > int(expires):
        raise Refused("expired", "too late")
    if owner != public:
        raise Refused("public-key-unknown", "no")
    compare(method + "\n\n\n" + expires + "\n" + extra(headers) + "/" + bucket + "/" + key, signature, private)
    return {"publicKey": public}


serve("lua-gateway", {"verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url})
