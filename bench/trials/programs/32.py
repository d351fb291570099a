#!/usr/bin/env python3
"""A port of a Java client (TreeMap, java.util.Base64, String.replaceAll).

1. Extra headers go into a TreeMap with put: of a repeated name only the last value is signed.
2. Values are unfolded with replaceAll("\\s+", " "), so runs of blanks that are no fold become one space as well.
3. The policy is encoded with Base64.getEncoder(), which is standard Base64 and not the URL-safe one.
4. A pre-signed URL signs the Content-Type if one is given, as the header's signature does.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, WORDS, serve  # noqa: E402


TOKEN = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.A)


def clean(value):
    unfolded = re.sub(r"\r?\n(?=[ \t])", " ", value)
    if re.search(r"[\r\n\0]", unfolded):
        raise Refused("header-value", "line break")
    return re.sub(r"\s+", " ", unfolded, flags=re.A).strip()


class ObjectAuthorizer:
    def __init__(self, q, public, private):
        self.q, self.public, self.private = q, public, private
        self.extra, self.plain = {}, {}
        for name, value in q["headers"]:
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            value, lower = clean(value), name.lower()
            if lower.startswith(WORDS["headerPrefix"].lower()):
                self.extra[lower] = value
            else:
                self.plain.setdefault(lower, []).append(value)

    def header(self, name):
        values = self.plain.get(name, [""])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0]

    def canonical(self):
        return "".join(k + ":" + self.extra[k] + "\n" for k in sorted(self.extra))

    def resource(self):
        if not self.q["bucket"] or "/" in self.q["bucket"]:
            raise Refused("bucket", "not a bucket")
        return "/" + self.q["bucket"] + "/" + self.q["key"]

    def verb(self):
        if not TOKEN.fullmatch(self.q["method"]):
            raise Refused("method", "not a token")
        return self.q["method"].upper()

    def signature(self, method, md5, mime, date, policy=""):
        text = "\n".join([method, md5, mime, date]) + "\n" + self.canonical() + self.resource() + policy
        mac = hmac.new(self.private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
        return base64.b64encode(mac.digest()).decode()

    def value(self, signature, policy=""):
        return WORDS["scheme"] + " " + self.public + ":" + signature + (":" + policy if policy else "")


def authorization(q, public, private):
    a = ObjectAuthorizer(q, public, private)
    policy = q.get("policy", "")
    s = a.signature(a.verb(), a.header("content-md5"), a.header("content-type"), a.header("date"), policy)
    return {"authorization": a.value(s, policy)}


def form(q, public, private):
    a = ObjectAuthorizer(q, public, private)
    fields = {}
    for name, value in q["fields"]:
        if name in fields and name in ("Content-Type", "Content-MD5"):
            raise Refused("header-repeated", name)
        fields[name] = clean(value) if name in ("Content-Type", "Content-MD5") else value
    md5 = a.header("content-md5") if "content-md5" in a.plain else fields.get("Content-MD5", "")
    return {"authorization": a.value(a.signature("POST", md5, fields.get("Content-Type", ""), a.header("date")))}


def policy(q, public, private):
    text = json.dumps(dict(q["members"]), separators=(",", ":"), ensure_ascii=False)
    if len(dict(q["members"])) != len(q["members"]):
        raise Unsupported("a JSONObject holds a name once")
    return {"policy": base64.b64encode(text.encode("utf-8")).decode()}


def download_url(q, public, private):
    a = ObjectAuthorizer(q, public, private)
    s = a.signature(a.verb(), "", a.header("content-type"), q["expires"])
    e = lambda text: urllib.parse.quote(text, safe="")
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        q["scheme"], q["bucket"], q["fileHost"], urllib.parse.quote(q["key"], safe="/"), WORDS["publicKeyParameter"], e(public), e(q["expires"]), e(s))}


serve("java-port", {"authorization": authorization, "policy-authorization": authorization, "form-authorization": form,
                    "policy": policy, "presigned-url": download_url})
