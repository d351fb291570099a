#!/usr/bin/env python3
"""A file server in the style of ASP.NET (C#): verifies Authorization headers and pre-signed URLs.

Mistakes:
1. Compares signatures with StringComparison.OrdinalIgnoreCase, so a signature with letters in the wrong case is accepted.
2. Allows 300 seconds of clock skew: a pre-signed URL is accepted up to 300 seconds after its expiry.
3. The path of a pre-signed URL goes through System.Uri, which resolves the segments . and .. (unescaped or with %2E) before the key is decoded:
   /a/../b is the key b.
4. Content-Type is only the media type (MediaTypeHeaderValue.MediaType): parameters from the first semicolon on are not signed.
"""
import base64
import hashlib
import hmac
import json
import re
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class Headers:
    def __init__(self, pairs):
        self.all = []
        for name, value in pairs:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            value.encode("utf-8")
            value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            self.all.append((name.lower(), value))

    def values(self, name):
        return [v for n, v in self.all if n == name]

    def single(self, name):
        v = self.values(name)
        if len(v) > 1:
            raise Refused("header-repeated", name)
        return v[0] if v else ""

    def canonical(self):
        groups = {}
        for n, v in self.all:
            if n.startswith(WORDS["headerPrefix"].lower()):
                groups[n] = groups[n] + "," + v if n in groups else v
        return "".join("%s:%s\n" % pair for pair in sorted(groups.items()))


def media_type(value):
    return value.split(";")[0].strip(" \t")


def ordinal_ignore_case(a, b):
    return a.upper() == b.upper()


def check(text, pri, got):
    right = base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()
    if not ordinal_ignore_case(right, got):
        raise Refused("signature-mismatch", "no")


def verb(m):
    if not TOKEN.fullmatch(m):
        raise Refused("method", m)
    return m.upper()


def is_policy(text):
    if re.search("[-_]", text) and re.search("[+/]", text):
        return False
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return isinstance(json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def header(g, pub, pri):
    h = Headers(g["headers"])
    method = verb(g["method"])
    if not g["bucket"] or "/" in g["bucket"]:
        raise Refused("bucket", g["bucket"])
    text = "\n".join([method, h.single("content-md5"), media_type(h.single("content-type")), h.single("date"),
                      h.canonical() + "/" + g["bucket"] + "/" + g["key"]])
    sent = h.values("authorization")
    if not sent:
        raise Refused("authorization-missing", "none")
    if len(sent) > 1:
        raise Refused("authorization-malformed", "several")
    m = re.fullmatch(r"(\S+) ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", sent[0])
    if not m or m[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "form")
    if m[4] is not None:
        if method not in ("PUT", "POST") or not is_policy(m[4]):
            raise Refused("authorization-malformed", "policy")
        text += m[4]
    if m[2] != pub:
        raise Refused("public-key-unknown", m[2])
    check(text, pri, m[3])
    return {"publicKey": pub}


def unescape(text, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "percent")
    try:
        return re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "UTF-8")


def system_uri(path):
    out = []
    segments = path.split("/")
    for i, raw in enumerate(segments):
        dots = re.sub("%2e", ".", raw, flags=re.I)
        if dots == "..":
            out = out[:-1]
        elif dots != ".":
            out.append(raw)
        if dots in (".", "..") and i == len(segments) - 1:
            out.append("")
    return "/".join(out)


SKEW = 300


def presigned(g, pub, pri):
    method, h = verb(g["method"]), Headers(g["headers"])
    m = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", g["url"], re.S)
    if not m or m[2].lower() != g["fileHost"].lower():
        raise Refused("url-malformed", g["url"])
    key = unescape(system_uri(m[3]), "url-malformed")
    query = {}
    for piece in filter(None, (m[4] or "").split("&")):
        n, _, v = piece.partition("=")
        n, v = unescape(n, "query-malformed"), unescape(v, "query-malformed")
        query.setdefault(n, []).append(v)
    for n in (WORDS["publicKeyParameter"], "Expires", "Signature"):
        if len(query.get(n, [])) > 1:
            raise Refused("parameter-repeated", n)
    if not query.get("Signature", [""])[0]:
        raise Refused("signature-missing", "none")
    if WORDS["publicKeyParameter"] not in query or "Expires" not in query:
        raise Refused("parameter-missing", "key or expiry")
    expires = query["Expires"][0]
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(g["now"]) > int(expires) + SKEW:
        raise Refused("expired", expires)
    if query[WORDS["publicKeyParameter"]][0] != pub:
        raise Refused("public-key-unknown", "no")
    check("\n".join([method, "", "", expires, h.canonical() + "/" + m[1] + "/" + key]), pri, query["Signature"][0])
    return {"publicKey": pub}


serve("csharp-server", {"verify-authorization": header, "verify-presigned-url": presigned})
