#!/usr/bin/env python3
"""A C# client and webhook receiver: Dictionary<string, object>, StringBuilder, HttpUtility.

Mistakes:
1. Escapes with HttpUtility.UrlEncode(s).Replace("+", "%20"): the hexadecimal digits are lower case, ! * ( ) stay as they are, and ~
   becomes %7e; in queries, in paths and in the signature of a pre-signed URL.
2. Booleans are signed, and written into a query, as True and False (bool.ToString()); the JSON body holds true and false, and the JSON
   verifier signs True and False as well.
3. StringToSign of files is built with StringBuilder.AppendLine on Windows, so each of its line breaks, those of the extra headers
   included, is CR LF.
4. The query verifier reads with HttpUtility.ParseQueryString, so a plus sign in a name or value is a space.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal, DecimalException

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402


class HttpUtility:
    SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!*()")

    @classmethod
    def UrlEncode(cls, s):
        return "".join("+" if b == 32 else chr(b) if chr(b) in cls.SAFE else "%%%02x" % b for b in s.encode("utf-8"))

    @staticmethod
    def UrlDecode(s):
        if re.search("%(?![0-9a-fA-F][0-9a-fA-F])", s):
            raise Refused("query-malformed", "stray percent sign")
        data = re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), s.replace("+", " ").encode("utf-8"), flags=re.S)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("query-malformed", "not UTF-8")


def Escape(s):
    return HttpUtility.UrlEncode(s).replace("+", "%20")


def NumberToString(n):
    if re.fullmatch("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?", n) is None:
        raise Refused("number", n)
    try:
        d = Decimal(n)
    except DecimalException:
        raise Refused("number", n)
    if d == 0:
        return "0"
    if d.adjusted() >= 4000 or d.adjusted() <= -4000:
        raise Refused("number", n)
    s = format(d, "f")
    return s.rstrip("0").rstrip(".") if "." in s else s


class Parameters:
    def __init__(self, pairs):
        self.values = {}
        self.json = {}
        for name, value in pairs:
            self.Add(name, value)

    def Add(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict) and "list" in value:
            for i, v in enumerate(value["list"]):
                self.Add(name + "." + str(i), v)
        elif isinstance(value, dict) and "object" in value:
            for k, v in value["object"]:
                self.Add(name + "." + k, v)
        elif name != "Signature":
            if name in self.values:
                raise Refused("parameter-repeated", name)
            if isinstance(value, dict):
                self.values[name] = self.json[name] = NumberToString(value["number"])
            else:
                self.values[name] = str(value)
                self.json[name] = json.dumps(value)

    def Require(self, *names):
        for name in names:
            if name not in self.values:
                raise Refused("parameter-missing", name)
        return self

    @property
    def Keys(self):
        return sorted(self.values, key=str.encode)

    def Sign(self, secret):
        text = "".join(k + self.values[k] for k in self.Keys) + secret
        return hashlib.sha1(text.encode("utf-8")).hexdigest()

    def ToQuery(self, secret):
        return "".join(Escape(k) + "=" + Escape(self.values[k]) + "&" for k in self.Keys) + "Signature=" + self.Sign(secret)

    def ToJson(self, secret):
        members = [json.dumps(k) + ":" + self.json[k] for k in self.Keys]
        return "{" + ",".join(members + ['"Signature":"' + self.Sign(secret) + '"']) + "}"


def ActionSignature(g, pub, pri):
    return {"signature": Parameters(g["parameters"]).Sign(pri)}


def ActionQuery(g, pub, pri):
    return {"query": Parameters(g["parameters"]).Require("Action", "PublicKey").ToQuery(pri)}


def ActionJson(g, pub, pri):
    return {"body": Parameters(g["parameters"]).Require("Action", "PublicKey").ToJson(pri)}


def BucketRequest(g, pub, pri):
    p = Parameters(g["parameters"]).Require("Action", "PublicKey")
    if p.values["Action"] == "CreateBucket":
        p.Require("Type", "BucketName")
    return {"target": "/?" + p.ToQuery(pri)}


def Check(p, signature, pub, pri):
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "no Signature")
    p.Require("Action", "PublicKey")
    if p.values["PublicKey"] != pub:
        raise Refused("public-key-unknown", p.values["PublicKey"])
    if p.Sign(pri) != signature:
        raise Refused("signature-mismatch", "the signatures differ")
    return {"publicKey": pub}


def VerifyQuery(g, pub, pri):
    pairs = []
    for piece in g["query"].split("&"):
        if piece != "":
            name, _, value = piece.partition("=")
            pairs.append((HttpUtility.UrlDecode(name), HttpUtility.UrlDecode(value)))
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a name is there twice")
    return Check(Parameters(pairs), dict(pairs).get("Signature"), pub, pri)


def ToModel(v):
    if isinstance(v, list):
        return {"list": [ToModel(x) for x in v]}
    return v


def ReadObject(pairs):
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a member is there twice")
    return {"object": [(n, ToModel(v)) for n, v in pairs]}


def NotJson(word):
    raise ValueError(word)


def VerifyJson(g, pub, pri):
    def number(t):
        return {"number": t}

    try:
        root = json.loads(g["body"], object_pairs_hook=ReadObject, parse_int=number, parse_float=number, parse_constant=NotJson)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(root, dict) or "object" not in root:
        raise Refused("body-malformed", "not an object")
    seen = []
    for name, value in root["object"]:
        if name == "Signature":
            seen.append(value)
    try:
        p = Parameters(root["object"])
    except Refused as e:
        raise Refused(e.args[0] if e.args[0] == "parameter-repeated" else "body-malformed", "bad member")
    return Check(p, seen[0] if seen else None, pub, pri)


TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


class StringBuilder(list):
    def AppendLine(self, s):
        self.append(s + "\r\n")
        return self

    def ToString(self):
        return "".join(self)


def CleanValue(v):
    v = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", v).strip(" \t")
    v.encode("utf-8")
    if re.search(r"[\r\n\x00]", v):
        raise Refused("header-value", "a line break or NUL")
    return v


class Headers:
    def __init__(self, pairs):
        self.groups = {}
        for name, value in pairs:
            name = name.strip(" \t")
            if TOKEN.fullmatch(name) is None:
                raise Refused("header-name", name)
            self.groups.setdefault(name.lower(), []).append(CleanValue(value))

    def Single(self, name):
        return Only(self.groups.get(name, []))


def Only(values):
    if len(values) > 1:
        raise Refused("header-repeated", "twice")
    return values[0] if values else ""


def SignFile(method, md5, mime, date, headers, bucket, key, secret):
    if TOKEN.fullmatch(method) is None:
        raise Refused("method", method)
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    sb = StringBuilder()
    sb.AppendLine(method.upper()).AppendLine(md5).AppendLine(mime).AppendLine(date)
    for name in sorted(headers.groups):
        if name.startswith(WORDS["headerPrefix"].lower()):
            sb.AppendLine(name + ":" + ",".join(headers.groups[name]))
    sb.append("/" + bucket + "/" + key)
    return base64.b64encode(hmac.new(secret.encode("utf-8"), sb.ToString().encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def Credentials(pub, signature):
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature}


def Authorization(g, pub, pri):
    h = Headers(g["headers"])
    return Credentials(pub, SignFile(g["method"], h.Single("content-md5"), h.Single("content-type"), h.Single("date"), h,
                                     g["bucket"], g["key"], pri))


def FormAuthorization(g, pub, pri):
    h = Headers(g["headers"])
    mime = Only([CleanValue(v) for n, v in g["fields"] if n == "Content-Type"])
    fieldMd5 = [CleanValue(v) for n, v in g["fields"] if n == "Content-MD5"]
    md5 = h.Single("content-md5") if "content-md5" in h.groups else Only(fieldMd5)
    return Credentials(pub, SignFile("POST", md5, mime, h.Single("date"), h, g["bucket"], g["key"], pri))


def PresignedUrl(g, pub, pri):
    s = SignFile(g["method"], "", "", g["expires"], Headers(g["headers"]), g["bucket"], g["key"], pri)
    path = "/".join(Escape(x) for x in g["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        g["scheme"], g["bucket"], g["fileHost"], path, WORDS["publicKeyParameter"], Escape(pub), Escape(g["expires"]), Escape(s))}


serve("csharp", {
    "url-encode": lambda g, pub, pri: {"encoded": Escape(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
    "action-signature": ActionSignature,
    "action-query": ActionQuery,
    "action-json": ActionJson,
    "bucket-request": BucketRequest,
    "authorization": Authorization,
    "form-authorization": FormAuthorization,
    "presigned-url": PresignedUrl,
    "verify-query": VerifyQuery,
    "verify-json": VerifyJson,
})
