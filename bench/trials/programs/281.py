#!/usr/bin/env python3
"""The checking side of file management, as a middleware in front of a web application.

Mistakes:
1. Decodes the query of a pre-signed URL like a form: a plus sign is a blank.
2. A pre-signed URL is refused in its last second already, when the time equals Expires.
3. Splits the Authorization header at any run of blanks, so more than one blank, or a tab, between scheme and public key is accepted.
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

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def clean(value):
    value.encode("utf-8")
    if re.search(r"\n", value) and not re.search(r"\n(?![ \t])", value):
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value)
    value = value.strip(" \t")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "a line break or NUL")
    return value


class HttpRequest:
    def __init__(self, given):
        self.headers = []
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if not re.fullmatch(TOKEN, name):
                raise Refused("header-name", "no token")
            self.headers.append((name.lower(), clean(value)))

    def values(self, name):
        return [v for n, v in self.headers if n == name]

    def meta(self, name):
        values = self.values(name)
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return "".join(values)

    def extra(self):
        groups = {}
        for name, value in self.headers:
            if name.startswith(WORDS["headerPrefix"].lower()):
                groups[name] = groups[name] + "," + value if name in groups else value
        return "".join(name + ":" + groups[name] + "\n" for name in sorted(groups))


def method_of(given):
    if not re.fullmatch(TOKEN, given["method"]):
        raise Refused("method", "no token")
    return given["method"].upper()


def signature(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def compare(right, got):
    if right != got:
        raise Refused("signature-mismatch", "another signature")


def who(public_key, pub):
    if public_key != pub:
        raise Refused("public-key-unknown", "nobody")
    return public_key


def is_policy(text):
    if re.search(r"[+/]", text) and re.search(r"[-_]", text):
        return False
    try:
        bare = text.replace("-", "+").replace("_", "/").rstrip("=")
        return isinstance(json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def words_of(header):
    return re.split(r"[ \t]+", header, maxsplit=1)


def authorization(given, pub, pri):
    request, method = HttpRequest(given), method_of(given)
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", "no bucket")
    text = "\n".join([method, request.meta("content-md5"), request.meta("content-type"), request.meta("date"),
                      request.extra() + "/" + given["bucket"] + "/" + given["key"]])
    found = request.values("authorization")
    if not found:
        raise Refused("authorization-missing", "none")
    words = words_of(found[0])
    if len(found) > 1 or len(words) != 2 or words[0] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "one header, two words")
    parts = words[1].split(":")
    if len(parts) not in (2, 3) or not all(parts) or re.search(r"[ \t]", words[1]):
        raise Refused("authorization-malformed", "key:signature")
    if len(parts) == 3:
        if method not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "no policy here")
        text += parts[2]
    who(parts[0], pub)
    compare(signature(text, pri), parts[1])
    return {"publicKey": pub}


def decode(text, reason):
    raw, at = bytearray(), 0
    data = text.encode("utf-8")
    while at < len(data):
        if data[at] == 0x25:
            if not re.match(rb"[0-9A-Fa-f]{2}", data[at + 1:at + 3]):
                raise Refused(reason, "a stray percent sign")
            raw.append(int(data[at + 1:at + 3], 16))
            at += 3
        else:
            raw.append(data[at])
            at += 1
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def form_decode(text):
    return decode(text.replace("+", " "), "query-malformed")


def is_over(now, expires):
    return now >= expires


def presigned(given, pub, pri):
    method, request = method_of(given), HttpRequest(given)
    match = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)\??([^#]*)", given["url"], re.S)
    bucket, _, host = match[1].partition(".") if match else ("", "", "")
    if not match or not bucket or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "not one of our URLs")
    key = decode(match[2], "url-malformed")
    fields = {}
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    repeated = False
    for piece in filter(None, match[3].split("&")):
        name, _, value = piece.partition("=")
        name, value = form_decode(name), form_decode(value)
        repeated = repeated or name in fields and name in names
        fields[name] = value
    if repeated:
        raise Refused("parameter-repeated", "twice")
    public_key, expires, got = (fields.get(name) for name in names)
    if not got:
        raise Refused("signature-missing", "no Signature")
    if public_key is None or expires is None:
        raise Refused("parameter-missing", "no key or no expiry")
    if not re.fullmatch(r"[0-9]{1,15}", expires):
        raise Refused("expires-malformed", "no seconds")
    if is_over(int(given["now"]), int(expires)):
        raise Refused("expired", "over")
    who(public_key, pub)
    compare(signature("\n".join([method, "", "", expires, request.extra() + "/" + bucket + "/" + key]), pri), got)
    return {"publicKey": pub}


serve("file-middleware", {"verify-authorization": authorization, "verify-presigned-url": presigned})
