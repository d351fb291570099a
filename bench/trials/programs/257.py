#!/usr/bin/env python3
"""A Swift client: Foundation strings, CharacterSet, NSString paths, FileHandle.

Mistakes:
1. Escapes with addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed), which leaves ! $ & ' ( ) * + , / : ; = ? @ as they are
   as well: in account queries, in the target of an instant upload and in the query (not the path) of a pre-signed URL, its signature
   included.
2. Header values go through trimmingCharacters(in: .whitespacesAndNewlines): Unicode spaces (such as U+00A0 and U+3000) and line breaks
   at their ends are removed, and such a line break is not refused.
3. CanonicalizedResource is ("/" + bucket as NSString).appendingPathComponent(key): runs of slashes become one, a slash at the end of the
   key is lost, and an empty key gives /<bucket>.
4. The block count of the ETag is size / 4 MB + 1, one too many for an empty file and for a whole multiple of 4 MB.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import unicodedata
from decimal import Decimal, DecimalException

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
urlQueryAllowed = alphanumerics + "-._~!$&'()*+,/:;=?@"
pathAllowed = alphanumerics + "-._~/"


def addingPercentEncoding(text, allowed=urlQueryAllowed):
    return "".join(chr(b) if chr(b) in allowed else "%%%02X" % b for b in text.encode("utf-8"))


def isWhitespaceOrNewline(c):
    return c in "\t\n\x0b\x0c\r\x85\u2028\u2029" or unicodedata.category(c) == "Zs"


def trimmed(text):
    start, end = 0, len(text)
    while start < end and isWhitespaceOrNewline(text[start]):
        start += 1
    while end > start and isWhitespaceOrNewline(text[end - 1]):
        end -= 1
    return text[start:end]


def description(number):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", number):
        raise Refused("number", number)
    try:
        decimal = Decimal(number)
    except DecimalException:
        raise Refused("number", number)
    if not decimal:
        return "0"
    if not -4000 < decimal.adjusted() < 4000:
        raise Refused("number", number)
    whole, point, fraction = format(decimal, "f").partition(".")
    fraction = fraction.rstrip("0")
    return whole + "." + fraction if fraction else whole


class Parameters:
    def __init__(self, list_):
        self.texts, self.encoded = {}, {}
        for name, value in list_:
            self.append(name, value)
        self.names = sorted(self.texts, key=lambda name: list(name.encode("utf-8")))

    def append(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        kind = next(iter(value)) if isinstance(value, dict) else None
        if kind == "list":
            for offset, element in enumerate(value["list"]):
                self.append(name + "." + str(offset), element)
            return
        if kind == "object":
            for key, element in value["object"]:
                self.append(name + "." + key, element)
            return
        if name == "Signature":
            return
        if name in self.texts:
            raise Refused("parameter-repeated", name)
        if kind == "number":
            self.texts[name] = self.encoded[name] = description(value["number"])
        elif value is True or value is False:
            self.texts[name] = self.encoded[name] = json.dumps(value)
        else:
            self.texts[name], self.encoded[name] = value, json.dumps(value)

    def guard(self, *names):
        for name in names:
            if name not in self.texts:
                raise Refused("parameter-missing", name)
        return self

    def signature(self, privateKey):
        joined = "".join(name + self.texts[name] for name in self.names) + privateKey
        return hashlib.sha1(joined.encode("utf-8")).hexdigest()

    def query(self, privateKey):
        items = [(name, self.texts[name]) for name in self.names] + [("Signature", self.signature(privateKey))]
        return "&".join(addingPercentEncoding(name) + "=" + addingPercentEncoding(text) for name, text in items)

    def body(self, privateKey):
        members = [json.dumps(name) + " : " + self.encoded[name] for name in self.names]
        members.append('"Signature" : ' + json.dumps(self.signature(privateKey)))
        return "{ " + ", ".join(members) + " }"


def bucketRequest(input, publicKey, privateKey):
    parameters = Parameters(input["parameters"]).guard("Action", "PublicKey")
    if parameters.texts["Action"] == "CreateBucket":
        parameters.guard("Type", "BucketName")
    return {"target": "/?" + parameters.query(privateKey)}


token = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class Request:
    def __init__(self, input, method):
        self.method, self.bucket, self.key, self.fields = method, input["bucket"], input["key"], {}
        if not token.fullmatch(method):
            raise Refused("method", method)
        if self.bucket == "" or "/" in self.bucket:
            raise Refused("bucket", self.bucket)
        for name, value in input["headers"]:
            name = name.strip(" \t")
            if not token.fullmatch(name):
                raise Refused("header-name", name)
            value = trimmed(re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value))
            value.encode("utf-8")
            if "\r" in value or "\n" in value or "\0" in value:
                raise Refused("header-value", name)
            self.fields.setdefault(name.lower(), []).append(value)

    def value(self, name):
        values = self.fields.get(name, [])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def resource(self):
        path = re.sub("/+", "/", "/" + self.bucket + "/" + self.key)
        return path[:-1] if path.endswith("/") else path

    def sign(self, contentMD5, contentType, date, privateKey):
        text = ""
        for line in (self.method.upper(), contentMD5, contentType, date):
            text += line + "\n"
        for name in sorted(self.fields):
            if name.startswith(WORDS["headerPrefix"].lower()):
                text += name + ":" + ",".join(self.fields[name]) + "\n"
        text += self.resource()
        code = hmac.new(privateKey.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()
        return base64.b64encode(code).decode("ascii")

    def credentials(self, publicKey, privateKey):
        publicKey.encode("utf-8")
        signature = self.sign(self.value("content-md5"), self.value("content-type"), self.value("date"), privateKey)
        return "%s %s:%s" % (WORDS["scheme"], publicKey, signature)


def authorization(input, publicKey, privateKey):
    return {"authorization": Request(input, input["method"]).credentials(publicKey, privateKey)}


def instantUpload(input, publicKey, privateKey):
    items = [("Hash", input["etag"]), ("FileName", input["key"]), ("FileSize", input["size"])]
    return {"target": "/uploadhit?" + "&".join(name + "=" + addingPercentEncoding(text) for name, text in items),
            "authorization": Request(input, "POST").credentials(publicKey, privateKey)}


def presignedURL(input, publicKey, privateKey):
    signature = Request(input, input["method"]).sign("", "", input["expires"], privateKey)
    items = [(WORDS["publicKeyParameter"], publicKey), ("Expires", input["expires"]), ("Signature", signature)]
    return {"url": input["scheme"] + "://" + input["bucket"] + "." + input["fileHost"] + "/"
            + addingPercentEncoding(input["key"], pathAllowed) + "?"
            + "&".join(name + "=" + addingPercentEncoding(text) for name, text in items)}


def etag(input, publicKey, privateKey):
    data, blockSize = content(input["content"]), 4 * 1024 * 1024
    if len(data) <= blockSize:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[at:at + blockSize]).digest() for at in range(0, len(data), blockSize))).digest()
    count = len(data) // blockSize + 1
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode("ascii")}


serve("swift", {
    "url-encode": lambda input, publicKey, privateKey: {"encoded": addingPercentEncoding(input["text"])},
    "action-signature": lambda input, publicKey, privateKey: {"signature": Parameters(input["parameters"]).signature(privateKey)},
    "action-query": lambda input, publicKey, privateKey: {"query": Parameters(input["parameters"]).guard("Action", "PublicKey").query(privateKey)},
    "action-json": lambda input, publicKey, privateKey: {"body": Parameters(input["parameters"]).guard("Action", "PublicKey").body(privateKey)},
    "bucket-request": bucketRequest,
    "authorization": authorization,
    "instant-upload": instantUpload,
    "presigned-url": presignedURL,
    "etag": etag,
    "part-etag": lambda input, publicKey, privateKey: {
        "etag": base64.urlsafe_b64encode(hashlib.sha1(content(input["content"])).digest()).decode("ascii")},
})
