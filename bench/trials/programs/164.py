#!/usr/bin/env python3
"""File requests signed and verified by one module: class Canonical makes the text for both sides.

Mistakes:
1. Collapses each run of blanks inside the value of an extra header into one space, as AWS Signature 4 does.
2. Recognises the extra headers by their prefix in its exact spelling (X-Svc-), so x-svc-... in lower case is not signed.
3. Puts the verb into the text as the caller wrote it, without converting it to upper case.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import quote, unquote_to_bytes

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

NAME = re.compile(r"[!#-'*+\-.^_`|~0-9A-Za-z]+")
FOLD = re.compile(r"[ \t]*(?:\r?\n[ \t]+)+")
HEX = re.compile(r"%(?![0-9A-Fa-f]{2})")


def tidy(value):
    value = FOLD.sub(" ", value).strip(" \t")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "a line break")
    value.encode("utf-8")
    return value


def single(values, name):
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


class Canonical:
    """The text to sign of one request."""

    def __init__(self, method, bucket, key, headers):
        if not NAME.fullmatch(method):
            raise Refused("method", method)
        if not bucket or "/" in bucket:
            raise Refused("bucket", bucket)
        self.method, self.resource, self.headers = method, "/%s/%s" % (bucket, key), []
        for name, value in headers:
            name = name.strip(" \t")
            if not NAME.fullmatch(name):
                raise Refused("header-name", name)
            self.headers.append((name, tidy(value)))

    def all(self, name):
        return [v for n, v in self.headers if n.lower() == name]

    def get(self, name):
        return single(self.all(name), name)

    def extra(self):
        groups = {}
        for name, value in self.headers:
            if name.startswith(WORDS["headerPrefix"]):
                groups.setdefault(name.lower(), []).append(re.sub("[ \t]+", " ", value))
        return "".join("%s:%s\n" % (name, ",".join(groups[name])) for name in sorted(groups))

    def text(self, md5=None, mime=None, when=None):
        md5 = self.get("content-md5") if md5 is None else md5
        mime = self.get("content-type") if mime is None else mime
        when = self.get("date") if when is None else when
        return "%s\n%s\n%s\n%s\n%s%s" % (self.method, md5, mime, when, self.extra(), self.resource)


def mac(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


# ---- the signing side

def authorization(o, public, private):
    c = Canonical(o["method"], o["bucket"], o["key"], o["headers"])
    return {"authorization": WORDS["scheme"] + " " + public + ":" + mac(private, c.text())}


def form_authorization(o, public, private):
    c = Canonical("POST", o["bucket"], o["key"], o["headers"])
    field = {name: [tidy(v) for n, v in o["fields"] if n == name] for name in ("Content-Type", "Content-MD5")}
    md5 = None if c.all("content-md5") else single(field["Content-MD5"], "Content-MD5")
    text = c.text(md5=md5, mime=single(field["Content-Type"], "Content-Type"))
    return {"authorization": WORDS["scheme"] + " " + public + ":" + mac(private, text)}


def presigned_url(o, public, private):
    c = Canonical(o["method"], o["bucket"], o["key"], o["headers"])
    signature = mac(private, c.text("", "", o["expires"]))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        o["scheme"], o["bucket"], o["fileHost"], quote(o["key"], "/", errors="strict"), WORDS["publicKeyParameter"],
        quote(public, "", errors="strict"), quote(o["expires"], "", errors="strict"), quote(signature, ""))}


# ---- the verifying side

def check(public, user, expected, got):
    if user != public:
        raise Refused("public-key-unknown", user)
    if expected != got:
        raise Refused("signature-mismatch", "signed otherwise")
    return {"publicKey": user}


def is_json_object(policy):
    if re.search("[+/]", policy) and re.search("[-_]", policy):
        return False
    bare = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        value = json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def verify_authorization(o, public, private):
    c = Canonical(o["method"], o["bucket"], o["key"], o["headers"])
    text = c.text()
    values = c.all("authorization")
    if not values:
        raise Refused("authorization-missing", "none")
    m = re.fullmatch(r"([^ ]+) ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", values[0])
    if len(values) > 1 or not m or m[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "not scheme key:signature")
    if m[4] and not (o["method"].upper() in ("PUT", "POST") and is_json_object(m[4])):
        raise Refused("authorization-malformed", "no policy here")
    return check(public, m[2], mac(private, text + (m[4] or "")), m[3])


def decode(text, code):
    if HEX.search(text):
        raise Refused(code, "stray %")
    try:
        return unquote_to_bytes(text.encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(code, "not UTF-8")


def verify_presigned_url(o, public, private):
    m = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]+)/([^?#]*)(?:\?([^#]*))?", o["url"])
    if not m or m[2].lower() != o["fileHost"].lower():
        raise Refused("url-malformed", "not a URL of this service")
    c = Canonical(o["method"], m[1], decode(m[3], "url-malformed"), o["headers"])
    found = {}
    for piece in filter(None, (m[4] or "").split("&")):
        name, _, value = piece.partition("=")
        found.setdefault(decode(name, "query-malformed"), []).append(decode(value, "query-malformed"))
    public_name = WORDS["publicKeyParameter"]
    for name in (public_name, "Expires", "Signature"):
        if len(found.get(name, [])) > 1:
            raise Refused("parameter-repeated", name)
    if found.get("Signature", [""]) == [""]:
        raise Refused("signature-missing", "no Signature")
    if public_name not in found or "Expires" not in found:
        raise Refused("parameter-missing", "public key or expiry")
    expires = found["Expires"][0]
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(o["now"]) > int(expires):
        raise Refused("expired", expires)
    return check(public, found[public_name][0], mac(private, c.text("", "", expires)), found["Signature"][0])


serve("canonical", {
    "authorization": authorization,
    "form-authorization": form_authorization,
    "presigned-url": presigned_url,
    "verify-authorization": verify_authorization,
    "verify-presigned-url": verify_presigned_url,
})
