#!/usr/bin/env python3
"""A middleware in Go (net/http, net/url): verifies file requests.

1. The query of a pre-signed URL is read with url.ParseQuery: a + that is not encoded, also in the Signature, becomes a space.
2. Query().Get takes the first of repeated parameters instead of refusing them.
3. The credentials are split with SplitN(":", 2): a callback policy counts as part of the signature, so such a request never passes.
4. A URL counts as expired in the very second of its Expires (!now.Before(expires)).
"""
import base64
import hashlib
import hmac
import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, WORDS, serve  # noqa: E402


TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def read_header(pairs):
    out = {}
    for name, value in pairs:
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        if re.search(r"\r?\n[ \t]", value):
            raise Unsupported("net/http has unfolded the values already")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        out.setdefault(name.lower(), []).append(value.strip(" \t"))
    return out


def once(header, name):
    values = header.get(name, [""])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0]


def string_to_sign(method, md5, mime, date, header, bucket, key):
    if not TOKEN.fullmatch(method):
        raise Refused("method", method)
    prefix = WORDS["headerPrefix"].lower()
    extra = "".join(name + ":" + ",".join(header[name]) + "\n" for name in sorted(header) if name.startswith(prefix))
    return "\n".join([method.upper(), md5, mime, date, ""]) + extra + "/" + bucket + "/" + key


def check(text, signature, private):
    want = base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()
    if not hmac.compare_digest(want.encode(), signature.encode()):
        raise Refused("signature-mismatch", "Forbidden")


def verify_header(q, public, private):
    header = read_header(q["headers"])
    if not q["bucket"] or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    text = string_to_sign(q["method"], once(header, "content-md5"), once(header, "content-type"), once(header, "date"), header, q["bucket"], q["key"])
    values = header.get("authorization")
    if not values:
        raise Refused("authorization-missing", "Unauthorized")
    prefix = WORDS["scheme"] + " "
    if len(values) > 1 or not values[0].startswith(prefix):
        raise Refused("authorization-malformed", "want " + prefix)
    credentials = values[0][len(prefix):].split(":", 1)
    if len(credentials) != 2 or "" in credentials or re.search(r"[ \t]", values[0][len(prefix):]):
        raise Refused("authorization-malformed", "want key:signature")
    if credentials[0] != public:
        raise Refused("public-key-unknown", credentials[0])
    check(text, credentials[1], private)
    return {"publicKey": public}


def unescape(text, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "invalid URL escape")
    try:
        return urllib.parse.unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def parse_query(query):
    values = {}
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.replace("+", " ").partition("=")
            values.setdefault(unescape(name, "query-malformed"), []).append(unescape(value, "query-malformed"))
    return values


def verify_url(q, public, private):
    header = read_header(q["headers"])
    match = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", q["url"], re.S)
    if not match or match[2].lower() != q["fileHost"].lower():
        raise Refused("url-malformed", q["url"])
    bucket, key, values = match[1], unescape(match[3], "url-malformed"), parse_query(match[4] or "")
    get = lambda name: values.get(name, [""])[0]
    signature, expires = get("Signature"), get("Expires")
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if WORDS["publicKeyParameter"] not in values or "Expires" not in values:
        raise Refused("parameter-missing", "no key or no expiry")
    if not re.fullmatch(r"[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(q["now"]) >= int(expires):
        raise Refused("expired", expires)
    if get(WORDS["publicKeyParameter"]) != public:
        raise Refused("public-key-unknown", get(WORDS["publicKeyParameter"]))
    check(string_to_sign(q["method"], "", "", expires, header, bucket, key), signature, private)
    return {"publicKey": public}


serve("go-middleware", {"verify-authorization": verify_header, "verify-presigned-url": verify_url})
