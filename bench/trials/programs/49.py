#!/usr/bin/env python3
"""A port of a Java client for Google Cloud Storage (signed URLs V2).

1. The extra headers x-svc-encryption-key and x-svc-encryption-key-sha256 are left out of the canonical headers, as Google leaves out its own.
2. A pre-signed URL signs Content-MD5 and Content-Type if the headers have them.
3. Blanks around commas within the values of extra headers are removed.
4. A pre-signed URL for GET is accepted for HEAD too, as a HEAD is always verified as GET (so one that is signed for HEAD is a mismatch).
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


TCHAR = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def refuse(reason, message=""):
    raise Refused(reason, message)


def is_token(text):
    return text != "" and set(text) <= TCHAR


class CanonicalExtensionHeaders:
    def __init__(self, pairs):
        self.positional, self.extension = {}, {}
        prefix = WORDS["headerPrefix"].lower()
        for name, value in pairs:
            if not is_token(name):
                refuse("header-name", name)
            value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value).strip(" \t")
            if any(c in value for c in "\r\n\0"):
                refuse("header-value", name)
            value.encode("utf-8")
            name = name.lower()
            if name.startswith(prefix):
                if name not in (prefix + "encryption-key", prefix + "encryption-key-sha256"):
                    self.extension.setdefault(name, []).append(re.sub(r"[ \t]*,[ \t]*", ",", value))
            else:
                self.positional.setdefault(name, []).append(value)

    def one(self, name):
        values = self.positional.get(name, [])
        if len(values) > 1:
            refuse("header-repeated", name)
        return "".join(values)

    def __str__(self):
        out = []
        for name in sorted(self.extension):
            out.append(name + ":" + ",".join(self.extension[name]) + "\n")
        return "".join(out)


class SignatureInfo:
    def __init__(self, verb, md5, mime, when, headers, bucket, key):
        if not is_token(verb):
            refuse("method", verb)
        if bucket == "" or "/" in bucket:
            refuse("bucket", bucket)
        self.parts = [verb.upper(), md5, mime, when, str(headers) + "/" + bucket + "/" + key]

    def sign(self, private, more=""):
        text = "\n".join(self.parts) + more
        return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def rfc3986(text, keep=""):
    return "".join(chr(c) if chr(c).isascii() and (chr(c).isalnum() or chr(c) in "-._~" + keep) else "%%%02X" % c for c in text.encode("utf-8"))


def header_info(q):
    h = CanonicalExtensionHeaders(q["headers"])
    return SignatureInfo(q["method"], h.one("content-md5"), h.one("content-type"), h.one("date"), h, q["bucket"], q["key"])


def authorization(q, public, private):
    return {"authorization": WORDS["scheme"] + " " + public + ":" + header_info(q).sign(private)}


def policy_authorization(q, public, private):
    value = WORDS["scheme"] + " " + public + ":" + header_info(q).sign(private, q["policy"])
    return {"authorization": value + ":" + q["policy"] if q["policy"] else value}


def sign_url(q, public, private):
    h = CanonicalExtensionHeaders(q["headers"])
    info = SignatureInfo(q["method"], h.one("content-md5"), h.one("content-type"), q["expires"], h, q["bucket"], q["key"])
    url = q["scheme"] + "://" + q["bucket"] + "." + q["fileHost"] + "/" + rfc3986(q["key"], "/")
    return {"url": url + "?" + WORDS["publicKeyParameter"] + "=" + rfc3986(public) + "&Expires=" + rfc3986(q["expires"]) + "&Signature=" + rfc3986(info.sign(private))}


def decode(text, reason):
    out, data, i = bytearray(), text.encode("utf-8"), 0
    while i < len(data):
        if data[i] == ord("%"):
            if not re.fullmatch(rb"[0-9A-Fa-f]{2}", data[i + 1:i + 3]):
                refuse(reason, "stray percent sign")
            out.append(int(data[i + 1:i + 3], 16))
            i += 2
        else:
            out.append(data[i])
        i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        refuse(reason, "not UTF-8")


def verify_url(q, public, private):
    h = CanonicalExtensionHeaders(q["headers"])
    verb = "GET" if q["method"].upper() == "HEAD" else q["method"]
    if not is_token(verb):
        refuse("method", verb)
    url = q["url"]
    scheme, found, rest = url.partition("://")
    if scheme not in ("http", "https") or not found or "#" in rest:
        refuse("url-malformed", url)
    target, _, query = rest.partition("?")
    host, slash, path = target.partition("/")
    bucket, dot, domain = host.partition(".")
    if not slash or not bucket or domain.lower() != q["fileHost"].lower():
        refuse("url-malformed", url)
    key, values = decode(path, "url-malformed"), {}
    for piece in filter(None, query.split("&")):
        name, _, value = piece.partition("=")
        name, value = decode(name, "query-malformed"), decode(value, "query-malformed")
        if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if name in values:
                refuse("parameter-repeated", name)
            values[name] = value
    if not values.get("Signature"):
        refuse("signature-missing")
    if len(values) < 3:
        refuse("parameter-missing")
    if not re.fullmatch("[0-9]{1,15}", values["Expires"]):
        refuse("expires-malformed")
    if int(q["now"]) > int(values["Expires"]):
        refuse("expired")
    if values[WORDS["publicKeyParameter"]] != public:
        refuse("public-key-unknown")
    if SignatureInfo(verb, "", "", values["Expires"], h, bucket, key).sign(private) != values["Signature"]:
        refuse("signature-mismatch")
    return {"publicKey": public}


serve("gcs-port", {"authorization": authorization, "policy-authorization": policy_authorization, "presigned-url": sign_url, "verify-presigned-url": verify_url})
