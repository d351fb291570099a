#!/usr/bin/env python3
r"""A Swift developer of a photo app for iOS: uploads in all forms, callback policies, links and ETags. Rewritten without Foundation.

Mistakes:
1. Escapes the path of a link with addingPercentEncoding(withAllowedCharacters: .urlPathAllowed), so the characters ! $ & ' ( ) * + , : = @ of a key are not
   escaped there. All other places are escaped as they should be.
2. Puts the members of a policy in a dictionary and writes it with JSONSerialization and .sortedKeys: the members come sorted by name, and of a repeated name only
   the last value is left.
3. Signs key.precomposedStringWithCanonicalMapping, so the key in CanonicalizedResource is in NFC even if it was given in another form. The key in a URL is as given.
4. In a form upload without a form field Content-Type the Content-Type header of the HTTP request is signed instead of an empty text.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import unicodedata

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
URL_PATH_ALLOWED = UNRESERVED + "!$&'()*+,/:=@"
MIB4 = 4194304


def adding_percent_encoding(text, allowed):
    return "".join(c if c in allowed else "".join("%%%02X" % b for b in c.encode("utf-8")) for c in text)


def clean(value):
    value.encode("utf-8")
    lines = value.replace("\r\n", "\n").split("\n")
    if any(line[:1] not in (" ", "\t") for line in lines[1:]) or "\r" in value.replace("\r\n", "") or "\0" in value:
        raise Refused("header-value", "a line break or NUL inside")
    if len(lines) == 1:
        return value.strip(" \t")
    kept = [lines[0].rstrip(" \t")] + [line.strip(" \t") for line in lines[1:-1]] + [lines[-1].lstrip(" \t")]
    return " ".join([kept[0]] + [x for x in kept[1:-1] if x] + [kept[-1]]).strip(" \t")


class Signing:
    def __init__(self, given, method, keys):
        self.given, self.keys, self.fields = given, keys, []
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", name) is None:
                raise Refused("header-name", "not a token")
            self.fields.append((name.lower(), clean(value)))
        if re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", method) is None:
            raise Refused("method", "not a token")
        if given["bucket"] == "" or "/" in given["bucket"]:
            raise Refused("bucket", "not a bucket")
        self.method = method.upper()

    def values(self, name):
        return [v for n, v in self.fields if n == name]

    @staticmethod
    def only(values):
        if len(values) > 1:
            raise Refused("header-repeated", "more than one value")
        return values[0] if values else ""

    def header(self, name):
        return self.only(self.values(name))

    def signature(self, md5, mime, date, policy=""):
        text = self.method + "\n" + md5 + "\n" + mime + "\n" + date + "\n"
        prefix = WORDS["headerPrefix"].lower()
        for name in sorted(set(n for n, _ in self.fields if n[:len(prefix)] == prefix)):
            text += name + ":" + ",".join(self.values(name)) + "\n"
        text += "/" + self.given["bucket"] + "/" + unicodedata.normalize("NFC", self.given["key"]) + policy
        mac = hmac.new(self.keys[1].encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
        return base64.b64encode(mac.digest()).decode("ascii")

    def authorization(self, md5=None, mime=None, policy=""):
        md5 = self.header("content-md5") if md5 is None else md5
        mime = self.header("content-type") if mime is None else mime
        self.keys[0].encode("utf-8")
        value = WORDS["scheme"] + " " + self.keys[0] + ":" + self.signature(md5, mime, self.header("date"), policy)
        return value + ":" + policy if policy else value


def put(given, *keys):
    return {"authorization": Signing(given, given["method"], keys).authorization()}


def put_policy(given, *keys):
    return {"authorization": Signing(given, given["method"], keys).authorization(policy=given["policy"])}


def form(given, *keys):
    s = Signing(given, "POST", keys)
    mime = [clean(v) for n, v in given["fields"] if n == "Content-Type"]
    md5 = [clean(v) for n, v in given["fields"] if n == "Content-MD5"]
    return {"authorization": s.authorization(s.only(s.values("content-md5") or md5), s.only(mime) if mime else s.header("content-type"))}


def policy(given, *keys):
    members = {}
    for n, v in given["members"]:
        members[n] = v
    text = json.dumps({n: members[n] for n in sorted(members)}, ensure_ascii=False, separators=(",", ":"))
    return {"policy": base64.b64encode(text.encode("utf-8")).decode("ascii").replace("+", "-").replace("/", "_")}


def hit(given, *keys):
    def q(x):
        return adding_percent_encoding(given[x], UNRESERVED)
    return {"target": "/uploadhit?Hash=" + q("etag") + "&FileName=" + q("key") + "&FileSize=" + q("size"),
            "authorization": Signing(given, "POST", keys).authorization()}


def link(given, *keys):
    signature = Signing(given, given["method"], keys).signature("", "", given["expires"])
    path = adding_percent_encoding("/" + given["key"], URL_PATH_ALLOWED)
    query = [(WORDS["publicKeyParameter"], keys[0]), ("Expires", given["expires"]), ("Signature", signature)]
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + path + "?"
            + "&".join(n + "=" + adding_percent_encoding(v, UNRESERVED) for n, v in query)}


def sha1(data):
    return hashlib.sha1(data).digest()


def base64url(data):
    return base64.b64encode(data).decode("ascii").replace("+", "-").replace("/", "_")


def etag(given, *keys):
    data, hashes = content(given["content"]), []
    while len(hashes) * MIB4 < len(data):
        hashes.append(sha1(data[len(hashes) * MIB4:][:MIB4]))
    digest = hashes[0] if len(hashes) == 1 else sha1(b"".join(hashes))
    return {"etag": base64url(len(hashes).to_bytes(4, "little") + digest)}


def part_etag(given, *keys):
    return {"etag": base64url(sha1(content(given["content"])))}


serve("swift-photos", {"authorization": put, "form-authorization": form, "policy": policy, "policy-authorization": put_policy, "instant-upload": hit,
                       "presigned-url": link, "etag": etag, "part-etag": part_etag})
