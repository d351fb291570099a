#!/usr/bin/env python3
"""A port of an upload SDK from PHP: headers are checked with empty(), policies are arrays given to json_encode.

Mistakes:
1. if (empty($value)) continue; : an extra header whose value is empty or "0" is left out of the canonical headers (one value of a
   repeated header too).
2. The parameters of the instant upload's target are escaped with urlencode(): a space becomes a plus sign, and ~ becomes %7E.
3. A form without a field Content-Type is signed with the HTTP request's header Content-Type.
4. A policy is a PHP array: without members it is written as [] instead of {}, and one whose names are 0, 1, 2 and so on, in order,
   is written as a JSON list of the values.
"""
import base64
import hashlib
import hmac
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, Unsupported, serve  # noqa: E402

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
TCHAR = set(ALNUM + "!#$%&'*+-.^_`|~")


def empty(v):
    return v is None or v == "" or v == "0"


def urlencode(s):
    out = ""
    for b in s.encode("utf-8"):
        c = chr(b)
        if c == " ":
            out += "+"
        elif c in ALNUM or c in "-_.":
            out += c
        else:
            out += "%%%02X" % b
    return out


def is_token(s):
    return s != "" and all(c in TCHAR for c in s)


def header_value(raw):
    """Unfolds and trims by hand."""
    lines = raw.split("\n")
    if len(lines) > 1:
        for i, line in enumerate(lines):
            if i < len(lines) - 1 and line.endswith("\r"):
                lines[i] = line[:-1]
            if i and line[:1] not in (" ", "\t"):
                raise Refused("header-value", "line break")
    kept = [line.strip(" \t") for line in lines]
    value = kept[0]
    for k in kept[1:]:
        value += " " + k if k else ""
    value = value.strip(" \t")
    if "\r" in value or "\0" in value:
        raise Refused("header-value", "control character")
    value.encode("utf-8")
    return value


def json_encode_policy(members):
    if len({n for n, _ in members}) < len(members):
        raise Unsupported("a policy is an array: a name is there once")
    flags = {"ensure_ascii": False, "separators": (",", ":")}
    if [n for n, _ in members] == [str(i) for i in range(len(members))]:
        return json.dumps([v for _, v in members], **flags)
    return json.dumps(dict(members), **flags)


class Auth:
    def __init__(self, public_key, private_key):
        self.public_key, self.private_key = public_key, private_key
        public_key.encode("utf-8")

    @staticmethod
    def headers(pairs):
        out = []
        for name, value in pairs:
            name = name.strip(" \t")
            if not is_token(name):
                raise Refused("header-name", name)
            out.append([name.lower(), header_value(value)])
        return out

    @staticmethod
    def get(pairs, name):
        found = [v for n, v in pairs if n == name]
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else None

    @staticmethod
    def canonicalized_headers(headers):
        keys = {}
        for name, value in headers:
            if not name.startswith(WORDS["headerPrefix"].lower()):
                continue
            if empty(value):
                continue
            keys.setdefault(name, []).append(value)
        return "".join(name + ":" + ",".join(keys[name]) + "\n" for name in sorted(keys))

    @staticmethod
    def resource(bucket, key):
        if bucket == "" or "/" in bucket:
            raise Refused("bucket", bucket)
        return "/" + bucket + "/" + key

    def sign(self, method, md5, mime, headers, bucket, key, policy=""):
        data = [method, md5 or "", mime or "", self.get(headers, "date") or "",
                self.canonicalized_headers(headers) + self.resource(bucket, key) + policy]
        mac = hmac.new(self.private_key.encode("utf-8"), "\n".join(data).encode("utf-8"), hashlib.sha1).digest()
        token = WORDS["scheme"] + " " + self.public_key + ":" + base64.b64encode(mac).decode("ascii")
        return token + ":" + policy if policy else token

    def sign_request(self, g, method, policy=""):
        if not is_token(method):
            raise Refused("method", method)
        headers = self.headers(g["headers"])
        return self.sign(method.upper(), self.get(headers, "content-md5"), self.get(headers, "content-type"), headers,
                         g["bucket"], g["key"], policy)

    def sign_form(self, g):
        headers = self.headers(g["headers"])
        fields = [[n, header_value(v)] for n, v in g["fields"] if n in ("Content-Type", "Content-MD5")]
        mime = self.get(fields, "Content-Type")
        if mime is None:
            mime = self.get(headers, "content-type")
        md5 = self.get(headers, "content-md5")
        if md5 is None:
            md5 = self.get(fields, "Content-MD5")
        return self.sign("POST", md5, mime, headers, g["bucket"], g["key"])


def instant(g, pub, pri):
    target = "/uploadhit?Hash=" + urlencode(g["etag"]) + "&FileName=" + urlencode(g["key"]) + "&FileSize=" + urlencode(g["size"])
    return {"target": target, "authorization": Auth(pub, pri).sign_request(g, "POST")}


serve("php-upload", {
    "authorization": lambda g, pub, pri: {"authorization": Auth(pub, pri).sign_request(g, g["method"])},
    "form-authorization": lambda g, pub, pri: {"authorization": Auth(pub, pri).sign_form(g)},
    "policy": lambda g, pub, pri: {"policy": base64.urlsafe_b64encode(json_encode_policy(g["members"]).encode("utf-8")).decode("ascii")},
    "policy-authorization": lambda g, pub, pri: {"authorization": Auth(pub, pri).sign_request(g, g["method"], g["policy"])},
    "instant-upload": instant,
})
