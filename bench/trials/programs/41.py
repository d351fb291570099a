#!/usr/bin/env python3
"""A servlet filter in Java: verifies file requests.

1. getHeader returns the first of repeated extra headers, and only that one is put into the string to sign.
2. The expiry of a pre-signed URL is checked after its signature.
3. Signatures are compared with equalsIgnoreCase.
4. The servlet path loses path parameters: whatever follows a ; in a segment of the path, until the next slash, is not part of the key.
5. A third part of the credentials is verified as a policy with every method, and need not be Base64 of a JSON object.
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
from serving import Refused, WORDS, serve  # noqa: E402


TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Request:
    def __init__(self, method, bucket, key, pairs):
        if not TOKEN.fullmatch(method):
            raise Refused("method", method)
        self.method, self.bucket, self.key = method.upper(), bucket, key
        self.pairs = []
        for name, value in pairs:
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value).strip(" \t")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", name)
            self.pairs.append((name.lower(), value))

    def get_header(self, name):
        return next((v for n, v in self.pairs if n == name), None)

    def positional(self, name):
        if len([n for n, _ in self.pairs if n == name]) > 1:
            raise Refused("header-repeated", name)
        return self.get_header(name) or ""

    def names(self):
        return sorted({n for n, _ in self.pairs if n.startswith(WORDS["headerPrefix"].lower())})

    def text(self, md5, mime, date):
        extra = "".join(n + ":" + self.get_header(n) + "\n" for n in self.names())
        return "\n".join([self.method, md5, mime, date]) + "\n" + extra + "/" + self.bucket + "/" + self.key


def compare(text, signature, private):
    want = base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()
    if want.lower() != signature.lower():
        raise Refused("signature-mismatch", "403")


def do_header(q, public, private):
    request = Request(q["method"], q["bucket"], q["key"], q["headers"])
    if not q["bucket"] or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    text = request.text(request.positional("content-md5"), request.positional("content-type"), request.positional("date"))
    value = request.get_header("authorization")
    if not value:
        raise Refused("authorization-missing", "401")
    if len([n for n, _ in request.pairs if n == "authorization"]) > 1:
        raise Refused("authorization-malformed", "two")
    match = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^:\s]+):([^:\s]+)(?::([^:\s]+))?", value)
    if not match:
        raise Refused("authorization-malformed", "401")
    if match[1] != public:
        raise Refused("public-key-unknown", match[1])
    compare(text + (match[3] or ""), match[2], private)
    return {"publicKey": public}


def decode(text, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, text)
    try:
        return urllib.parse.unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise Refused(reason, text)


def do_url(q, public, private):
    match = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)\??([^#]*)", q["url"], re.S)
    if not match or match[2].lower() != q["fileHost"].lower():
        raise Refused("url-malformed", q["url"])
    path = decode(re.sub(r";[^/]*", "", match[3]), "url-malformed")
    wanted = (WORDS["publicKeyParameter"], "Expires", "Signature")
    found = {}
    for piece in filter(None, match[4].split("&")):
        name, _, value = piece.partition("=")
        name, value = decode(name, "query-malformed"), decode(value, "query-malformed")
        if name in wanted and name in found:
            raise Refused("parameter-repeated", name)
        found[name] = value
    if not found.get("Signature"):
        raise Refused("signature-missing", "400")
    for name in wanted:
        if name not in found:
            raise Refused("parameter-missing", name)
    expires = found["Expires"]
    if not re.fullmatch(r"[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if found[wanted[0]] != public:
        raise Refused("public-key-unknown", found[wanted[0]])
    request = Request(q["method"], match[1], path, q["headers"])
    compare(request.text("", "", expires), found["Signature"], private)
    if int(q["now"]) > int(expires):
        raise Refused("expired", expires)
    return {"publicKey": public}


serve("servlet-filter", {"verify-authorization": do_header, "verify-presigned-url": do_url})
