#!/usr/bin/env python3
"""A TypeScript client for browsers (encodeURIComponent, btoa, URL, JSON).

Mistakes:
1. encodeURIComponent is completed with .replace("!", "%21") and so on, with strings as patterns: only the first of each of ! ' ( ) * is encoded, later ones stay, wherever it encodes.
2. Numbers are JavaScript numbers: digits beyond 2^53 are lost, and from 1e21 on or below 1e-6 they are written with an exponent, in the signed text and in what is sent.
3. Parameters are sorted by UTF-16 code units (Array.sort), so a name with a character beyond U+FFFF comes before one with U+E000 to U+FFFF.
4. A policy is made URL-safe with .replace("+", "-").replace("/", "_"): only the first + and the first / are replaced.
5. btoa is tried on the policy first: a policy whose characters are all below U+0100 is encoded as Latin-1, not as UTF-8.
6. A pre-signed URL goes through new URL(): "." and ".." segments of the key are removed from the path (the signature covers the key as it is).
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402


def encodeURIComponent(s):
    keep = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()"
    return "".join(chr(b) if chr(b) in keep else "%%%02X" % b for b in s.encode("utf-8"))


def escape(s):
    s = encodeURIComponent(s)
    for c, e in (("!", "%21"), ("'", "%27"), ("(", "%28"), (")", "%29"), ("*", "%2A")):
        s = s.replace(c, e, 1)
    return s


def numberToString(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    x = float(written)
    if x in (float("inf"), -float("inf")):
        raise Refused("number", written)
    if x == 0:
        return "0"
    d = Decimal(repr(x))
    e = d.adjusted()
    if -7 < e < 21:
        t = format(d, "f")
        return t.rstrip("0").rstrip(".") if "." in t else t
    sign, digits, _ = d.normalize().as_tuple()
    t = "".join(map(str, digits))
    return ("-" if sign else "") + t[0] + ("." + t[1:] if len(t) > 1 else "") + "e" + ("+" if e > 0 else "-") + str(abs(e))


def utf16(s):
    s.encode("utf-8")
    return s.encode("utf-16-be")


class Params:
    def __init__(self, pairs):
        self.flat = []
        for name, value in pairs:
            self.visit(name, value)
        self.flat = [x for x in self.flat if x[0] != "Signature"]
        names = [x[0] for x in self.flat]
        if len(set(names)) != len(names):
            raise Refused("parameter-repeated", "twice")
        self.flat.sort(key=lambda x: utf16(x[0]))

    def visit(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if value is True or value is False:
            self.flat.append((name, "true" if value else "false", 0))
        elif isinstance(value, str):
            self.flat.append((name, value, 1))
        elif "number" in value:
            self.flat.append((name, numberToString(value["number"]), 0))
        else:
            for k, v in enumerate(value["list"]) if "list" in value else value["object"]:
                self.visit("%s.%s" % (name, k), v)

    def complete(self):
        for name in ("Action", "PublicKey"):
            if all(x[0] != name for x in self.flat):
                raise Refused("parameter-missing", name)
        return self

    def sign(self, pri):
        return hashlib.sha1(("".join(n + v for n, v, _ in self.flat) + pri).encode("utf-8")).hexdigest()

    def query(self, pri):
        return "&".join([escape(n) + "=" + escape(v) for n, v, _ in self.flat] + ["Signature=" + self.sign(pri)])

    def json(self, pri):
        parts = [json.dumps(n) + ":" + (json.dumps(v) if q else v) for n, v, q in self.flat]
        return "{" + ",".join(parts + ['"Signature":"' + self.sign(pri) + '"']) + "}"


def policy(o, pub, pri):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in o["members"]) + "}"
    try:
        raw = text.encode("latin-1")            # btoa(text)
    except UnicodeEncodeError:
        raw = text.encode("utf-8")              # btoa(unescape(encodeURIComponent(text)))
    return {"policy": base64.b64encode(raw).decode().replace("+", "-", 1).replace("/", "_", 1)}


def normalizePath(path):
    out = []
    segments = path.split("/")
    for i, s in enumerate(segments):
        last = i == len(segments) - 1
        if s == "..":
            if out:
                out.pop()
            if last:
                out.append("")
        elif s == ".":
            if last:
                out.append("")
        else:
            out.append(s)
    return "/".join(out)


def presign(o, pub, pri):
    extra = {}
    token = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
    for name, value in o["headers"]:
        name = name.strip(" \t")
        if not re.fullmatch(token, name):
            raise Refused("header-name", name)
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        value.encode("utf-8")
        if name.lower().startswith(WORDS["headerPrefix"].lower()):
            extra.setdefault(name.lower(), []).append(value)
    if not re.fullmatch(token, o["method"]):
        raise Refused("method", o["method"])
    if o["bucket"] == "" or "/" in o["bucket"]:
        raise Refused("bucket", o["bucket"])
    text = "%s\n\n\n%s\n%s/%s/%s" % (o["method"].upper(), o["expires"],
                                     "".join(n + ":" + ",".join(extra[n]) + "\n" for n in sorted(extra)), o["bucket"], o["key"])
    mac = hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()
    path = normalizePath("/".join(escape(s) for s in o["key"].split("/")))
    query = {WORDS["publicKeyParameter"]: pub, "Expires": o["expires"], "Signature": base64.b64encode(mac).decode()}
    return {"url": "%s://%s.%s/%s?" % (o["scheme"], o["bucket"], o["fileHost"], path) + "&".join(n + "=" + escape(v) for n, v in query.items())}


serve("ts-browser", {
    "url-encode": lambda o, pub, pri: {"encoded": escape(o["text"])},
    "action-signature": lambda o, pub, pri: {"signature": Params(o["parameters"]).sign(pri)},
    "action-json": lambda o, pub, pri: {"body": Params(o["parameters"]).complete().json(pri)},
    "action-query": lambda o, pub, pri: {"query": Params(o["parameters"]).complete().query(pri)},
    "policy": policy,
    "presigned-url": presign,
})
