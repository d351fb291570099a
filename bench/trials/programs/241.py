#!/usr/bin/env python3
"""A port of a C# client for Azure Blob storage (its canonicalizer and its Uri building) to the file interface, with its test server.

Mistakes:
1. Sorts the extra headers with names.Sort(), a culture's word sort of .NET Framework: hyphens and apostrophes count only between
   names that are otherwise equal, and other punctuation comes before digits, digits before letters.
2. The key goes through System.Uri, which resolves its dot segments: "a/../b" is signed as "b" (and stands so in the URL).
3. Unfolds as Azure's canonicalizer does, by deleting the line breaks only: the blanks before and after a fold stay as they are.
4. The verifier takes credentials apart with Split(':', StringSplitOptions.RemoveEmptyEntries): "pub::signature" and
   "pub:signature:" are accepted.
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


def word_sort_key(name):
    weights = []
    for c in name:
        if c in "-'":
            continue
        weights.append((2 if "a" <= c <= "z" else 1 if "0" <= c <= "9" else 0, c))
    return weights, name


def resolve_dots(key):
    """Path compression of System.Uri, RFC 3986 section 5.2.4."""
    out = []
    segments = key.split("/")
    for i, segment in enumerate(segments):
        last = i == len(segments) - 1
        if segment == ".":
            if last:
                out.append("")
        elif segment == "..":
            if out:
                out.pop()
            if last:
                out.append("")
        else:
            out.append(segment)
    return "/".join(out)


def escape_data_string(text):
    return "".join(chr(b) if re.match(rb"[A-Za-z0-9._~-]", bytes([b])) else "%{:02X}".format(b) for b in text.encode("utf-8"))


class HeaderCollection:
    NAME = re.compile(r"[!#-'*+.^_`|~0-9A-Za-z-]+")

    def __init__(self, pairs):
        self.items = []
        for name, value in pairs:
            name = name.strip(" \t")
            if self.NAME.fullmatch(name) is None:
                raise Refused("header-name", name)
            self.items.append((name.lower(), self.value(value)))

    @staticmethod
    def value(value):
        value = re.sub(r"\r?\n(?=[ \t])", "", value).strip(" \t")
        if "\n" in value or "\r" in value or "\0" in value:
            raise Refused("header-value", "line break")
        value.encode("utf-8")
        return value

    def all(self, name):
        return [v for n, v in self.items if n == name]

    def standard(self, name):
        values = self.all(name)
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return "".join(values)

    def canonical(self):
        names = {n for n, _ in self.items if n.startswith(WORDS["headerPrefix"].lower())}
        return "".join("%s:%s\n" % (n, ",".join(self.all(n))) for n in sorted(names, key=word_sort_key))


class Canonicalizer:
    def __init__(self, method, bucket, key, headers):
        if HeaderCollection.NAME.fullmatch(method) is None:
            raise Refused("method", method)
        if bucket == "" or "/" in bucket:
            raise Refused("bucket", bucket)
        self.method, self.resource, self.headers = method.upper(), "/" + bucket + "/" + resolve_dots(key), headers

    def for_header(self):
        return "\n".join([self.method] + [self.headers.standard(n) for n in ("content-md5", "content-type", "date")]
                         + [self.headers.canonical() + self.resource])

    def for_url(self, expiry):
        return self.method + "\n\n\n" + expiry + "\n" + self.headers.canonical() + self.resource


def compute_hmac(text, key):
    return base64.b64encode(hmac.digest(key.encode("utf-8"), text.encode("utf-8"), "sha1")).decode("ascii")


def authorization(g, pub, pri):
    text = Canonicalizer(g["method"], g["bucket"], g["key"], HeaderCollection(g["headers"])).for_header()
    pub.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, compute_hmac(text, pri))}


def presigned_url(g, pub, pri):
    text = Canonicalizer(g["method"], g["bucket"], g["key"], HeaderCollection(g["headers"])).for_url(g["expires"])
    path = "/".join(escape_data_string(s) for s in resolve_dots(g["key"]).split("/"))
    query = [(WORDS["publicKeyParameter"], pub), ("Expires", g["expires"]), ("Signature", compute_hmac(text, pri))]
    return {"url": "%s://%s.%s/%s?%s" % (g["scheme"], g["bucket"], g["fileHost"], path,
                                         "&".join(n + "=" + escape_data_string(v) for n, v in query))}


def policy_given(part, method):
    if method.upper() not in ("PUT", "POST"):
        return False
    if re.fullmatch(r"(?:[A-Za-z0-9_-]*|[A-Za-z0-9+/]*)=*", part) is None:
        return False
    part = part.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return type(json.loads(base64.b64decode(part + "==="[:-len(part) % 4]).decode("utf-8"))) is dict
    except (ValueError, RecursionError):
        return False


def verify_authorization(g, pub, pri):
    headers = HeaderCollection(g["headers"])
    text = Canonicalizer(g["method"], g["bucket"], g["key"], headers).for_header()
    values = headers.all("authorization")
    if not values:
        raise Refused("authorization-missing")
    if len(values) > 1:
        raise Refused("authorization-malformed", "two")
    scheme, blank, parameter = values[0].partition(" ")
    if scheme != WORDS["scheme"] or not blank or re.search(r"[ \t]", parameter):
        raise Refused("authorization-malformed", values[0])
    parts = [p for p in parameter.split(":") if p]
    if len(parts) == 3:
        if not policy_given(parts[2], g["method"]):
            raise Refused("authorization-malformed", "policy")
        text += parts[2]
    elif len(parts) != 2:
        raise Refused("authorization-malformed", values[0])
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    if not hmac.compare_digest(compute_hmac(text, pri).encode(), parts[1].encode("utf-8")):
        raise Refused("signature-mismatch")
    return {"publicKey": parts[0]}


serve("azure-port", {"authorization": authorization, "presigned-url": presigned_url, "verify-authorization": verify_authorization})
