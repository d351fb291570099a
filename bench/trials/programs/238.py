#!/usr/bin/env python3
"""A port of a Java servlet filter that checks signatures: a gateway's verifier, without any signer.

Mistakes:
1. The path of a pre-signed URL is decoded with java.net.URLDecoder, so a plus sign in it is taken for a space.
2. Takes the credentials apart with rest.split(":"), which drops empty parts at the end: "pub:signature:" is accepted.
3. Goes through request.getHeaderNames() and takes request.getHeader(name), the first value only, of an extra header that is repeated.
4. Reads Expires with Integer.parseInt: an expiry after 2147483647 is refused as malformed, and a sign before the digits is
   allowed.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class Request:
    """The part of HttpServletRequest that the filter uses."""

    def __init__(self, method, headers):
        if not TOKEN.fullmatch(method):
            raise Refused("method", method)
        self.method = method.upper()
        self.headers = {}
        for name, value in headers:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            self.headers.setdefault(name.lower(), []).append(self.unfold(value))

    @staticmethod
    def unfold(value):
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search(r"[\0\r\n]", value):
            raise Refused("header-value", "line break")
        value.encode("utf-8")
        return value

    def get_header_names(self):
        return list(self.headers)

    def get_header(self, name):
        values = self.headers.get(name.lower())
        return values[0] if values else None

    def single(self, name):
        if len(self.headers.get(name, [])) > 1:
            raise Refused("header-repeated", name)
        return self.get_header(name) or ""


def java_split(text, separator):
    parts = text.split(separator)
    while len(parts) > 1 and parts[-1] == "":
        parts.pop()
    return parts


def parse_int(text):
    if not re.fullmatch(r"[+-]?[0-9]+", text) or not -2147483648 <= int(text) <= 2147483647:
        raise Refused("expires-malformed", text)
    return int(text)


def url_decode(text, reason, plus):
    out, i = bytearray(), 0
    while i < len(text):
        c = text[i]
        if c == "%":
            if not re.fullmatch(r"[0-9A-Fa-f]{2}", text[i + 1:i + 3]):
                raise Refused(reason, "Illegal hex characters in escape (%) pattern")
            out.append(int(text[i + 1:i + 3], 16))
            i += 3
            continue
        out += plus if c == "+" else c.encode("utf-8")
        i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def canonical_headers(request):
    prefix = WORDS["headerPrefix"].lower()
    names = sorted(n for n in request.get_header_names() if n.startswith(prefix))
    return "".join(n + ":" + request.get_header(n) + "\n" for n in names)


def hmac_sha1(text, private_key):
    return base64.b64encode(hmac.new(private_key.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def is_policy(text):
    if re.search("[-_]", text) and re.search("[+/]", text):
        return False
    text = text.translate({45: 43, 95: 47}).rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")), dict)
    except (binascii.Error, ValueError, RecursionError):
        return False


def check(expected, got):
    if expected != got:
        raise Refused("signature-mismatch", "SignatureDoesNotMatch")


def verify_authorization(given, pub, pri):
    request = Request(given["method"], given["headers"])
    bucket = given["bucket"]
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    text = "\n".join([request.method, request.single("content-md5"), request.single("content-type"), request.single("date"),
                      canonical_headers(request) + "/" + bucket + "/" + given["key"]])
    count = len(request.headers.get("authorization", []))
    if count == 0:
        raise Refused("authorization-missing")
    if count > 1:
        raise Refused("authorization-malformed", "more than one")
    header = request.get_header("authorization")
    if not header.startswith(WORDS["scheme"] + " "):
        raise Refused("authorization-malformed", "scheme")
    rest = header[len(WORDS["scheme"]) + 1:]
    parts = java_split(rest, ":")
    if len(parts) < 2 or len(parts) > 3 or "" in parts or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "credentials")
    if len(parts) == 3:
        if request.method not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "policy")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    check(hmac_sha1(text, pri), parts[1])
    return {"publicKey": pub}


def pairs(query):
    for piece in query.split("&"):
        if piece != "":
            name, _, value = piece.partition("=")
            yield url_decode(name, "query-malformed", b"+"), url_decode(value, "query-malformed", b"+")


def verify_presigned_url(given, pub, pri):
    request = Request(given["method"], given["headers"])
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"], re.S)
    if m is None:
        raise Refused("url-malformed", given["url"])
    bucket, _, host = m.group(1).partition(".")
    if not bucket or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = url_decode(m.group(2), "url-malformed", b" ")
    parameters = {}
    for name, value in pairs(m.group(3) or ""):
        if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if name in parameters:
                raise Refused("parameter-repeated", name)
            parameters[name] = value
    if not parameters.get("Signature"):
        raise Refused("signature-missing")
    for name in (WORDS["publicKeyParameter"], "Expires"):
        if name not in parameters:
            raise Refused("parameter-missing", name)
    if int(given["now"]) > parse_int(parameters["Expires"]):
        raise Refused("expired")
    if parameters[WORDS["publicKeyParameter"]] != pub:
        raise Refused("public-key-unknown")
    text = request.method + "\n\n\n" + parameters["Expires"] + "\n" + canonical_headers(request) + "/" + bucket + "/" + key
    check(hmac_sha1(text, pri), parameters["Signature"])
    return {"publicKey": pub}


serve("servlet-filter", {
    "verify-authorization": verify_authorization,
    "verify-presigned-url": verify_presigned_url,
})
