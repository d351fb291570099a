#!/usr/bin/env python3
"""A file server's checks as a Flask application would do them, and the function that makes its signed URLs.

Mistakes:
1. HEAD is answered by the view for GET and verified as GET.
2. Expires and the time are compared as texts: 999999999 counts as later than 1700000000, 10000000000 as earlier.
3. The scheme of Authorization is not looked at: 'Bearer <publicKey>:<signature>' is accepted.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402


def view_method(method):
    return "GET" if method == "HEAD" else method


def scheme_allowed(scheme):
    return True


def expired(now, expires):
    return now > expires


class Request:
    def __init__(self, method, headers):
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
            raise Refused("method", method)
        self.method = method.upper()
        self.headers = []
        for name, value in headers:
            name = name.strip(" \t")
            if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", name)
            self.headers.append((name.lower(), value))

    def all(self, name):
        return [value for n, value in self.headers if n == name]

    def one(self, name):
        values = self.all(name)
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def extra(self):
        names = sorted({n for n, _ in self.headers if n.startswith(WORDS["headerPrefix"].lower())})
        return "".join(name + ":" + ",".join(self.all(name)) + "\n" for name in names)


def check_bucket(bucket):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)


def sign(pri, *rows):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), "\n".join(rows).encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def compare(expected, got):
    if not hmac.compare_digest(expected.encode("utf-8"), got.encode("utf-8")):
        raise Refused("signature-mismatch", "wrong signature")


def is_policy(text):
    if re.search("[+/]", text) and re.search("[-_]", text):
        return False
    try:
        bare = text.replace("-", "+").replace("_", "/").rstrip("=")
        return isinstance(json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, pub, pri):
    request = Request(given["method"], given["headers"])
    check_bucket(given["bucket"])
    rows = [view_method(request.method), request.one("content-md5"), request.one("content-type"), request.one("date"),
            request.extra() + "/" + given["bucket"] + "/" + given["key"]]
    auth = request.all("authorization")
    if not auth:
        raise Refused("authorization-missing", "no header")
    if len(auth) > 1:
        raise Refused("authorization-malformed", "two headers")
    scheme, space, rest = auth[0].partition(" ")
    parts = rest.split(":")
    if not space or not scheme_allowed(scheme) or len(parts) not in (2, 3) or not all(parts) or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", auth[0])
    if len(parts) == 3:
        if request.method not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "not a policy")
        rows[-1] += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    compare(sign(pri, *rows), parts[1])
    return {"publicKey": pub}


def unquote(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "percent sign")
    try:
        return re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def verify_url(given, pub, pri):
    request = Request(given["method"], given["headers"])
    match = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?(?:)", given["url"])
    if not match:
        raise Refused("url-malformed", given["url"])
    bucket, _, host = match[1].partition(".")
    if not bucket or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", match[1])
    key = unquote(match[2], "url-malformed")
    args = {}
    for pair in (match[3] or "").split("&"):
        if pair:
            name, value = [unquote(x, "query-malformed") for x in pair.partition("=")[::2]]
            if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
                if name in args:
                    raise Refused("parameter-repeated", name)
                args[name] = value
    if not args.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    if WORDS["publicKeyParameter"] not in args or "Expires" not in args:
        raise Refused("parameter-missing", "public key or Expires")
    if not re.fullmatch("[0-9]{1,15}", args["Expires"]):
        raise Refused("expires-malformed", args["Expires"])
    if expired(given["now"], args["Expires"]):
        raise Refused("expired", args["Expires"])
    if args[WORDS["publicKeyParameter"]] != pub:
        raise Refused("public-key-unknown", "unknown")
    compare(sign(pri, view_method(request.method), "", "", args["Expires"], request.extra() + "/" + bucket + "/" + key), args["Signature"])
    return {"publicKey": pub}


def signed_url(given, pub, pri):
    request = Request(given["method"], given["headers"])
    check_bucket(given["bucket"])
    signature = sign(pri, request.method, "", "", given["expires"], request.extra() + "/" + given["bucket"] + "/" + given["key"])
    query = ((WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", signature))
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + quote(given["key"]) + "?"
            + "&".join(name + "=" + quote(value, safe="") for name, value in query)}


serve("flask-files", {"verify-authorization": verify_authorization, "verify-presigned-url": verify_url, "presigned-url": signed_url})
