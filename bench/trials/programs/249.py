#!/usr/bin/env python3
"""A Dart package: package:crypto, dart:convert, headers as a Map<String, String> as package:http wants them.

Mistakes:
1. Escapes with Uri.encodeQueryComponent everywhere, so a space becomes a plus sign, in query strings, in the target of an instant
   upload and in the path of a pre-signed URL.
2. The file signature is base64UrlEncode: - and _ stand where + and / should, in Authorization and in pre-signed URLs.
3. An extra header that is sent more than once keeps only its last value, as the map entry is overwritten.
4. Hashes text.codeUnits instead of utf8.encode(text) for the SHA-1 of parameters: each UTF-16 code unit is cut to its low byte, so
   any name, value or private key outside ASCII gives another signature.
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


def encodeQueryComponent(text):
    out = []
    for unit in text.encode("utf-8"):
        if unit == 0x20:
            out.append("+")
        elif re.match(rb"[A-Za-z0-9\-._~]", bytes([unit])):
            out.append(chr(unit))
        else:
            out.append("%{:02X}".format(unit))
    return "".join(out)


def codeUnits(text):
    units = text.encode("utf-16-be")
    return units[1::2]                                   # a Uint8List keeps the low byte


def plain(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?", written):
        raise Refused("number", "FormatException")
    try:
        value = Decimal(written)
    except DecimalException:
        raise Refused("number", "FormatException")
    if value == 0:
        return "0"
    if not -4000 < value.adjusted() < 4000:
        raise Refused("number", "RangeError")
    text = "{:f}".format(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def toFlat(parameters):
    flat = {}

    def visit(name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict):
            if "list" in value:
                for index in range(len(value["list"])):
                    visit("%s.%d" % (name, index), value["list"][index])
                return
            if "object" in value:
                for key, inner in value["object"]:
                    visit(name + "." + key, inner)
                return
        if name == "Signature":
            return
        if name in flat:
            raise Refused("parameter-repeated", name)
        if value is True or value is False:
            flat[name] = ("true", "true") if value else ("false", "false")
        elif isinstance(value, dict):
            flat[name] = (plain(value["number"]),) * 2
        else:
            flat[name] = (value, json.dumps(value))

    for name, value in parameters:
        visit(name, value)
    return dict(sorted(flat.items(), key=lambda entry: entry[0].encode("utf-8")))


def sign(flat, privateKey):
    buffer = ""
    for name, (text, _) in flat.items():
        buffer += name + text
    return hashlib.sha1(codeUnits(buffer + privateKey)).hexdigest()


def checked(parameters):
    flat = toFlat(parameters)
    for name in ("Action", "PublicKey"):
        if name not in flat:
            raise Refused("parameter-missing", name)
    return flat


def toQuery(flat, privateKey):
    query = ""
    for name, (text, _) in flat.items():
        query += encodeQueryComponent(name) + "=" + encodeQueryComponent(text) + "&"
    return query + "Signature=" + sign(flat, privateKey)


def actionJson(given, publicKey, privateKey):
    flat = checked(given["parameters"])
    members = [json.dumps(name) + ":" + encoded for name, (_, encoded) in flat.items()]
    members.append('"Signature":' + json.dumps(sign(flat, privateKey)))
    return {"body": "{" + ",".join(members) + "}"}


def bucketRequest(given, publicKey, privateKey):
    flat = checked(given["parameters"])
    if flat["Action"][0] == "CreateBucket":
        for name in ("Type", "BucketName"):
            if name not in flat:
                raise Refused("parameter-missing", name)
    return {"target": "/?" + toQuery(flat, privateKey)}


token = re.compile(r"[0-9A-Za-z!#$%&'*+\-.^_`|~]+")
positionalNames = ("content-md5", "content-type", "date")


def toHeaderMap(headers):
    result = {}
    for name, value in headers:
        name = name.strip(" \t")
        if token.fullmatch(name) is None:
            raise Refused("header-name", name)
        name = name.lower()
        value = re.sub(r"([ \t]*\r?\n[ \t]+)+", " ", value).strip("\t ")
        value.encode("utf-8")
        if re.search("[\r\n\x00]", value):
            raise Refused("header-value", name)
        if name in positionalNames and name in result:
            raise (Repeated(name))
        result[name] = value
    return result


class Repeated(Refused):
    def __init__(self, name):
        super().__init__("header-repeated", name)


def fileSignature(method, bucket, key, contentMd5, contentType, date, headers, privateKey):
    if token.fullmatch(method) is None:
        raise Refused("method", "not a token")
    if bucket == "" or bucket.find("/") >= 0:
        raise Refused("bucket", "empty, or with a slash")
    prefix = WORDS["headerPrefix"].lower()
    extra = "".join("%s:%s\n" % (name, headers[name]) for name in sorted(headers) if name.startswith(prefix))
    text = "%s\n%s\n%s\n%s\n%s/%s/%s" % (method.upper(), contentMd5, contentType, date, extra, bucket, key)
    mac = hmac.new(privateKey.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
    return base64.urlsafe_b64encode(mac.digest()).decode("ascii")


def credentials(given, method, publicKey, privateKey):
    headers = toHeaderMap(given["headers"])
    positional = [headers.get(name, "") for name in positionalNames]
    publicKey.encode("utf-8")
    return WORDS["scheme"] + " " + publicKey + ":" + fileSignature(method, given["bucket"], given["key"], *positional, headers, privateKey)


def instantUpload(given, publicKey, privateKey):
    fields = {"Hash": given["etag"], "FileName": given["key"], "FileSize": given["size"]}
    return {"target": "/uploadhit?" + "&".join(name + "=" + encodeQueryComponent(value) for name, value in fields.items()),
            "authorization": credentials(given, "POST", publicKey, privateKey)}


def presignedUrl(given, publicKey, privateKey):
    try:
        headers = toHeaderMap(given["headers"])
    except Repeated:                                     # positional headers are not signed here
        headers = toHeaderMap([pair for pair in given["headers"] if pair[0].strip(" \t").lower() not in positionalNames])
    signature = fileSignature(given["method"], given["bucket"], given["key"], "", "", given["expires"], headers, privateKey)
    path = "/".join(encodeQueryComponent(segment) for segment in given["key"].split("/"))
    query = {WORDS["publicKeyParameter"]: publicKey, "Expires": given["expires"], "Signature": signature}
    return {"url": "%s://%s.%s/%s?%s" % (given["scheme"], given["bucket"], given["fileHost"], path,
                                         "&".join(name + "=" + encodeQueryComponent(value) for name, value in query.items()))}


serve("dart", {
    "url-encode": lambda given, publicKey, privateKey: {"encoded": encodeQueryComponent(given["text"])},
    "password": lambda given, publicKey, privateKey: {"value": base64.b64encode(given["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda given, publicKey, privateKey: {"signature": sign(toFlat(given["parameters"]), privateKey)},
    "action-query": lambda given, publicKey, privateKey: {"query": toQuery(checked(given["parameters"]), privateKey)},
    "action-json": actionJson,
    "bucket-request": bucketRequest,
    "authorization": lambda given, publicKey, privateKey: {"authorization": credentials(given, given["method"], publicKey, privateKey)},
    "instant-upload": instantUpload,
    "presigned-url": presignedUrl,
})
