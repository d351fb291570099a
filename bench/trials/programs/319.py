#!/usr/bin/env python3
"""A Java developer's servlet filter in Spring that verifies file requests, with the small client that its tests use.

Mistakes:
1. Path and query of a pre-signed URL go through URLDecoder.decode, so a plus sign that is not escaped becomes a space (in the key, in the public key and in
   the signature).
2. The part of Authorization after the blank is split with String.split(":"), which drops empty parts at the end: a header with one or more colons at its end
   is accepted.
3. The signature is not compared as text: both sides are read with Base64.getMimeDecoder() and the bytes compared, so a signature without its = at the end
   or with characters in it that are not Base64 is accepted.
4. Content-Type passes through Spring's MediaType, in the client and in the filter: type and subtype become lower case and the blanks around semicolons go.
   A text that is no media type stays as it is.
5. Expires is read with Long.parseLong: a plus sign before the digits is accepted, and so are more than 15 digits; a negative number is refused as expired.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
MEDIA = re.compile("(" + TOKEN + "/" + TOKEN + r")((?:[ \t]*;[ \t]*" + TOKEN + r'=(?:' + TOKEN + r'|"[^"]*"))*)[ \t]*')


class HttpServletRequest:
    def __init__(self, method, headers):
        if not re.fullmatch(TOKEN, method):
            raise Refused("method", "Invalid HTTP method")
        self.method = method.upper()
        self.headers = []
        for name, value in headers:
            name = name.strip(" \t")
            if not re.fullmatch(TOKEN, name):
                raise Refused("header-name", "Invalid header name")
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            value.encode("utf-8")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", "Invalid header value")
            self.headers.append((name.lower(), value))

    def get_headers(self, name):
        return [v for n, v in self.headers if n == name]

    def get_header(self, name):
        values = self.get_headers(name)
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""


def media_type(text):
    found = MEDIA.fullmatch(text)
    if not found:
        return text
    parameters = re.findall(TOKEN + "=(?:" + TOKEN + r'|"[^"]*")', found[2])
    return ";".join([found[1].lower()] + parameters)


def canonical_headers(request):
    tree_map = {}
    for name, value in request.headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            tree_map.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(tree_map[name]) + "\n" for name in sorted(tree_map))


def check_bucket(bucket):
    if not bucket or "/" in bucket:
        raise Refused("bucket", "Illegal bucket")


def string_to_sign(request, bucket, key):
    check_bucket(bucket)
    return "\n".join([request.method, request.get_header("content-md5"), media_type(request.get_header("content-type")), request.get_header("date"),
                      canonical_headers(request) + "/" + bucket + "/" + key])


def hmac_sha1(text, private_key):
    return base64.b64encode(hmac.new(private_key.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def mime_decode(text):
    clean = re.sub("[^A-Za-z0-9+/]", "", text)
    if len(clean) % 4 == 1:
        return None
    return base64.b64decode(clean + "=" * (-len(clean) % 4))


def same_signature(expected, given):
    return mime_decode(expected) == mime_decode(given)


def split(text):
    """String.split(":")"""
    parts = text.split(":")
    while len(parts) > 1 and parts[-1] == "":
        parts.pop()
    return parts


def is_policy(text):
    if re.search("[+/]", text) and re.search("[-_]", text):
        return False
    try:
        bare = text.rstrip("=").replace("-", "+").replace("_", "/")
        return isinstance(json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def authorization(given, pub, pri):
    request = HttpServletRequest(given["method"], given["headers"])
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmac_sha1(string_to_sign(request, given["bucket"], given["key"]), pri)}


def verify_authorization(given, pub, pri):
    request = HttpServletRequest(given["method"], given["headers"])
    text = string_to_sign(request, given["bucket"], given["key"])
    values = request.get_headers("authorization")
    if not values:
        raise Refused("authorization-missing", "No Authorization")
    if len(values) > 1 or not values[0].startswith(WORDS["scheme"] + " "):
        raise Refused("authorization-malformed", "Bad Authorization")
    rest = values[0][len(WORDS["scheme"]) + 1:]
    parts = split(rest)
    if len(parts) not in (2, 3) or "" in parts or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "Bad credentials")
    if len(parts) == 3:
        if request.method not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "Bad policy")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", "No such account")
    if not same_signature(hmac_sha1(text, pri), parts[1]):
        raise Refused("signature-mismatch", "Signature does not match")
    return {"publicKey": pub}


def url_decode(text, reason):
    """URLDecoder.decode(text, UTF_8), but strict about bytes."""
    text = text.replace("+", " ")
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "Illegal hex characters in escape pattern")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "Not UTF-8")


def parse_long(text):
    if not re.fullmatch(r"[+-]?[0-9]+", text, re.A) or not -2 ** 63 <= int(text) < 2 ** 63:
        raise Refused("expires-malformed", "For input string")
    return int(text)


def verify_presigned_url(given, pub, pri):
    request = HttpServletRequest(given["method"], given["headers"])
    url = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"], re.S)
    if not url or url[2].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "Not one of our URLs")
    key = url_decode(url[3], "url-malformed")
    wanted = [WORDS["publicKeyParameter"], "Expires", "Signature"]
    parameters = {}
    for pair in (url[4] or "").split("&"):
        if not pair:
            continue
        name, _, value = pair.partition("=")
        name, value = url_decode(name, "query-malformed"), url_decode(value, "query-malformed")
        if name in wanted and name in parameters:
            raise Refused("parameter-repeated", name)
        parameters[name] = value
    public_key, expires, signature = (parameters.get(name) for name in wanted)
    if not signature:
        raise Refused("signature-missing", "No Signature")
    if public_key is None or expires is None:
        raise Refused("parameter-missing", "No public key or no Expires")
    if int(given["now"]) > parse_long(expires):
        raise Refused("expired", "Request has expired")
    if public_key != pub:
        raise Refused("public-key-unknown", "No such account")
    text = "\n".join([request.method, "", "", expires, canonical_headers(request) + "/" + url[1] + "/" + key])
    if not same_signature(hmac_sha1(text, pri), signature):
        raise Refused("signature-mismatch", "Signature does not match")
    return {"publicKey": pub}


if __name__ == "__main__":
    serve("spring-filter", {"authorization": authorization, "verify-authorization": verify_authorization,
                            "verify-presigned-url": verify_presigned_url})
