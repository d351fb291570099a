#!/usr/bin/env python3
"""A C++ client with libcurl and std::map.

Mistakes:
1. Writes the digest of the account API with `ss << std::hex << int(byte)` and no std::setw: a byte below 16 gives one digit, so that
   most signatures have fewer than 40 characters.
2. Escapes with snprintf("%%%02X", c) where c is a signed char: a byte from 128 on gives eight digits (%FFFFFFC3 instead of %C3).
3. Looks for the extra headers with strncmp and the prefix as the dialect spells it: headers whose prefix is written in any other
   case are not signed.
4. A form without the field Content-Type is signed with the Content-Type of the HTTP request.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

TCHAR = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def is_token(s):
    return s != "" and all(c in TCHAR for c in s)


def url_escape(s):
    out = ""
    for byte in s.encode("utf-8"):
        c = byte - 256 if byte > 127 else byte
        if c >= 0 and (chr(c).isalnum() or chr(c) in "-_.~"):
            out += chr(c)
        else:
            out += "%%%02X" % (c & 0xFFFFFFFF)
    return out


def to_hex(digest):
    return "".join("%x" % b for b in digest)


class ActionRequest:
    def __init__(self, given):
        self.map = {}  # std::map<std::string, std::string>, iterated in byte order
        for name, value in given["parameters"]:
            self.insert(name, value)

    def insert(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if type(value) is dict:
            if "list" in value:
                for i, item in enumerate(value["list"]):
                    self.insert(name + "." + str(i), item)
                return
            if "object" in value:
                for member, item in value["object"]:
                    self.insert(name + "." + member, item)
                return
            value = self.number(value["number"])
        elif type(value) is bool:
            value = ("false", "true")[value]
        if name == "Signature":
            return
        if name in self.map:
            raise Refused("parameter-repeated", name)
        self.map[name] = value

    @staticmethod
    def number(s):
        """The digits as given, with the point moved as the exponent says."""
        m = re.fullmatch("(-?)(0|[1-9][0-9]*)(?:[.]([0-9]+))?(?:[eE]([+-]?[0-9]{1,6}))?", s)
        if not m:
            raise Refused("number", s)
        left, right, e = m[2], m[3] or "", int(m[4] or 0)
        if (left + right).strip("0") == "":
            return "0"
        if abs(e) > 4500:
            raise Refused("number", "exponent")
        if e > 0:
            right = right.ljust(e, "0")
            left, right = left + right[:e], right[e:]
        elif e < 0:
            left = left.rjust(-e, "0")
            left, right = left[:len(left) + e], left[len(left) + e:] + right
        left, right = left.lstrip("0") or "0", right.rstrip("0")
        return m[1] + left + ("." + right if right else "")

    def begin(self):
        return sorted(self.map.items(), key=lambda x: x[0].encode("utf-8"))

    def require(self, *names):
        for name in names:
            if name not in self.map:
                raise Refused("parameter-missing", name)

    def signature(self, pri):
        text = ""
        for first, second in self.begin():
            text += first
            text += second
        return to_hex(hashlib.sha1((text + pri).encode("utf-8")).digest())

    def query(self, pri):
        self.require("Action", "PublicKey")
        text = ""
        for first, second in self.begin():
            text += url_escape(first) + "=" + url_escape(second) + "&"
        return text + "Signature=" + self.signature(pri)


def bucket_request(given, pub, pri):
    r = ActionRequest(given)
    query = r.query(pri)
    if r.map["Action"] == "CreateBucket":
        r.require("Type", "BucketName")
    return {"target": "/?" + query}


def clean(value):
    value.encode("utf-8")
    value = " ".join(p for p in re.split("[ \t]*\r?\n[ \t]+", value) if p).strip(" \t")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "line break")
    return value


class FileRequest:
    def __init__(self, given):
        if not given["bucket"] or "/" in given["bucket"]:
            raise Refused("bucket", given["bucket"])
        self.given = given
        self.headers = []
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if not is_token(name):
                raise Refused("header-name", name)
            self.headers.append((name, clean(value)))

    def has(self, name):
        return any(n.lower() == name for n, _ in self.headers)

    def value(self, name):
        found = [v for n, v in self.headers if n.lower() == name]
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def extra(self):
        m = {}
        for name, value in self.headers:
            if name[:len(WORDS["headerPrefix"])] == WORDS["headerPrefix"]:
                m.setdefault(name.lower(), []).append(value)
        return "".join(n + ":" + ",".join(v) + "\n" for n, v in sorted(m.items()))

    def sign(self, pri, method, md5, mime, when):
        if not is_token(method):
            raise Refused("method", method)
        text = method.upper() + "\n" + md5 + "\n" + mime + "\n" + when + "\n" + self.extra()
        text += "/" + self.given["bucket"] + "/" + self.given["key"]
        return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def put_file(given, pub, pri):
    r = FileRequest(given)
    s = r.sign(pri, given["method"], r.value("content-md5"), r.value("content-type"), r.value("date"))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + s}


def post_form(given, pub, pri):
    r = FileRequest(given)
    fields = {}
    for name, value in given["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            fields.setdefault(name, []).append(clean(value))
    for name in fields:
        if len(fields[name]) > 1 and not (name == "Content-MD5" and r.has("content-md5")):
            raise Refused("header-repeated", name)
    mime = fields["Content-Type"][0] if "Content-Type" in fields else r.value("content-type")
    md5 = r.value("content-md5") if r.has("content-md5") else fields.get("Content-MD5", [""])[0]
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + r.sign(pri, "POST", md5, mime, r.value("date"))}


def private_url(given, pub, pri):
    r = FileRequest(given)
    s = r.sign(pri, given["method"], "", "", given["expires"])
    url = given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"]
    for segment in given["key"].split("/"):
        url += "/" + url_escape(segment)
    return {"url": url + "?" + WORDS["publicKeyParameter"] + "=" + url_escape(pub) + "&Expires=" + url_escape(given["expires"])
            + "&Signature=" + url_escape(s)}


def file_etag(given, pub, pri):
    data = content(given["content"])
    block = 4194304
    count, hashes = 0, b""
    while count * block < len(data):
        hashes += hashlib.sha1(data[count * block:(count + 1) * block]).digest()
        count += 1
    last = hashlib.sha1(data if count < 2 else hashes).digest()
    return {"etag": base64.urlsafe_b64encode(bytes([count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24]) + last).decode()}


serve("cpp", {
    "url-encode": lambda g, pub, pri: {"encoded": url_escape(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": ActionRequest(g).signature(pri)},
    "action-query": lambda g, pub, pri: {"query": ActionRequest(g).query(pri)},
    "bucket-request": bucket_request,
    "authorization": put_file,
    "form-authorization": post_form,
    "presigned-url": private_url,
    "etag": file_etag,
})
