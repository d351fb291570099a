#!/usr/bin/env python3
"""A Rack application (Ruby) that verifies file requests, with a small signer for its own tests on the same code.

Mistakes:
1. Header names pass through the Rack environment: "_" in the name of an extra header becomes "-" (and two such headers merge).
2. An extra header whose value is blank is left out (reject { |_, v| v.strip.empty? }); of a repeated header only the blank values go.
3. Content-Type is cut before the first ";" and put in lower case (Rack's media_type).
4. Expires is read with to_i: "123abc" counts as 123, a text without digits as 0 (so it is expired, not malformed).
5. HEAD is verified as GET in verify-presigned-url (Rack::Head).
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
from serving import Refused, WORDS, serve  # noqa: E402

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Env:
    """The Rack environment."""

    def __init__(self, headers):
        self.fields, prefix = [], WORDS["headerPrefix"].lower()
        for name, value in headers:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", name)
            value.encode("utf-8")
            name = name.lower()
            self.fields.append((name.replace("_", "-") if name.startswith(prefix) else name, value))

    def values(self, name):
        return [v for n, v in self.fields if n == name]

    def fetch(self, name):
        found = self.values(name)
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def media_type(self):
        return self.fetch("content-type").split(";")[0].rstrip(" \t").lower()

    def extras(self):
        kept = [(n, v) for n, v in self.fields if n.startswith(WORDS["headerPrefix"].lower()) and v]
        names = sorted({n for n, _ in kept})
        return "".join(n + ":" + ",".join(v for m, v in kept if m == n) + "\n" for n in names)


def digest(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def request_method(o):
    if not TOKEN.fullmatch(o["method"]):
        raise Refused("method", o["method"])
    return o["method"].upper()


def canonical(o, env):
    verb = request_method(o)
    if not o["bucket"] or "/" in o["bucket"]:
        raise Refused("bucket", o["bucket"])
    return "\n".join((verb, env.fetch("content-md5"), env.media_type(), env.fetch("date"),
                      env.extras() + "/" + o["bucket"] + "/" + o["key"]))


def authorization(o, pub, pri):
    text = canonical(o, Env(o["headers"]))
    pub.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, digest(text, pri))}


def json_object(b64):
    if not re.fullmatch(r"(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)=*", b64):
        return False
    b64 = b64.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return type(json.loads(base64.b64decode(b64 + "=" * (-len(b64) % 4)).decode("utf-8"))) is dict
    except ValueError:
        return False


def secure_compare(a, b):
    if not hmac.compare_digest(a.encode("utf-8"), b.encode("utf-8")):
        raise Refused("signature-mismatch", "differs")


def verify_authorization(o, pub, pri):
    env = Env(o["headers"])
    text = canonical(o, env)
    auth = env.values("authorization")
    if not auth:
        raise Refused("authorization-missing", "none")
    m = re.fullmatch(r"(\S+) ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", auth[0])
    if len(auth) > 1 or not m or m[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "form")
    if m[4]:
        if o["method"].upper() not in ("PUT", "POST") or not json_object(m[4]):
            raise Refused("authorization-malformed", "policy")
        text += m[4]
    if m[2] != pub:
        raise Refused("public-key-unknown", m[2])
    secure_compare(digest(text, pri), m[3])
    return {"publicKey": m[2]}


def unescape(s, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, "percent")
    try:
        return re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), s.encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "utf-8")


def to_i(s):
    m = re.match(r"[0-9]+", s)
    return int(m[0]) if m else 0


def verify_presigned(o, pub, pri):
    verb = request_method(o)
    if verb == "HEAD":
        verb = "GET"
    env = Env(o["headers"])
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)\??([^#]*)", o["url"], re.S)
    bucket, dot, host = m[1].partition(".") if m else ("", "", "")
    if not bucket or host.lower() != o["fileHost"].lower():
        raise Refused("url-malformed", o["url"])
    key = unescape(m[2], "url-malformed")
    query = {}
    wanted = (WORDS["publicKeyParameter"], "Expires", "Signature")
    for piece in m[3].split("&"):
        if piece:
            n, _, v = piece.partition("=")
            n, v = unescape(n, "query-malformed"), unescape(v, "query-malformed")
            if n in wanted:
                query.setdefault(n, []).append(v)
    if any(len(v) > 1 for v in query.values()):
        raise Refused("parameter-repeated", "twice")
    who, expires, signature = (query.get(n, [None])[0] for n in wanted)
    if not signature:
        raise Refused("signature-missing", "none")
    if who is None or expires is None:
        raise Refused("parameter-missing", "one")
    if int(o["now"]) > to_i(expires):
        raise Refused("expired", expires)
    if who != pub:
        raise Refused("public-key-unknown", who)
    secure_compare(digest(verb + "\n\n\n" + expires + "\n" + env.extras() + "/" + bucket + "/" + key, pri), signature)
    return {"publicKey": who}


serve("rack-storage", {"authorization": authorization, "verify-authorization": verify_authorization,
                       "verify-presigned-url": verify_presigned})
