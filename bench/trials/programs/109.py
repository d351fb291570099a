#!/usr/bin/env python3
"""A Go client with a test server: authorization, form-authorization and verify-authorization. Its mistakes:

1. The values of extra headers are read with http.Header.Get, so of several extra headers with the same name only the first value
   is signed (in all three operations).
2. The form fields Content-Type and Content-MD5 are found without regard to case, so a field content-type is signed as well.
3. The verifier tests the scheme with strings.HasPrefix(value, "Svc") and then trims blanks, so it accepts the header without a
   space, or with several spaces, between scheme and public key.
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

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def value_of(raw):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", raw).strip(" \t")
    value.encode("utf-8")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "a control character")
    return value


class Header:
    def __init__(self, pairs):
        self.all = {}
        for name, raw in pairs:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            self.all.setdefault(name.lower(), []).append(value_of(raw))

    def single(self, name):
        values = self.all.get(name, [])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def extra(self):
        names = sorted(n for n in self.all if n.startswith(WORDS["headerPrefix"].lower()))
        return "".join(n + ":" + self.all[n][0] + "\n" for n in names)


def method_of(text):
    if not TOKEN.fullmatch(text):
        raise Refused("method", text)
    return text.upper()


def resource(given):
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    return "/%s/%s" % (given["bucket"], given["key"])


def sign(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def header_text(given):
    header = Header(given["headers"])
    method = method_of(given["method"])
    path = resource(given)
    return header, "%s\n%s\n%s\n%s\n%s%s" % (method, header.single("content-md5"), header.single("content-type"),
                                            header.single("date"), header.extra(), path)


def authorization(given, public, private):
    _, text = header_text(given)
    public.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], public, sign(private, text))}


def form_field(fields, name):
    values = [value for n, value in fields if n.lower() == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return value_of(values[0]) if values else ""


def form_authorization(given, public, private):
    header = Header(given["headers"])
    path = resource(given)
    for name, value in given["fields"]:
        if name.lower() in ("content-type", "content-md5"):
            value_of(value)
    md5 = header.single("content-md5") if "content-md5" in header.all else form_field(given["fields"], "content-md5")
    text = "POST\n%s\n%s\n%s\n%s%s" % (md5, form_field(given["fields"], "content-type"), header.single("date"), header.extra(), path)
    public.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], public, sign(private, text))}


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
    header, text = header_text(given)
    values = header.all.get("authorization", [])
    if not values:
        raise Refused("authorization-missing", "no header")
    if len(values) > 1 or not values[0].startswith(WORDS["scheme"]):
        raise Refused("authorization-malformed", "scheme")
    rest = values[0][len(WORDS["scheme"]):].strip(" \t")
    parts = rest.split(":")
    if len(parts) not in (2, 3) or "" in parts or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "credentials")
    if len(parts) == 3:
        if given["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "policy")
        text += parts[2]
    if parts[0] != public:
        raise Refused("public-key-unknown", parts[0])
    if not hmac.compare_digest(sign(private, text).encode(), parts[1].encode("utf-8")):
        raise Refused("signature-mismatch", "no")
    return {"publicKey": public}


serve("go-client", {"authorization": authorization, "form-authorization": form_authorization,
                    "verify-authorization": verify_authorization})
