#!/usr/bin/env python3
"""A Swift developer's photo backup for iOS: uploads in the background, by form too, and links to share.

Mistakes:
1. The values in the query of a pre-signed URL are escaped with addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed), which leaves
   ! $ & ' ( ) * + , / : ; = ? @ as they are.
2. The headers are set with URLRequest.setValue, so of an extra header that is there more than once only the last value is signed.
3. Header values and form fields are trimmed with .whitespacesAndNewlines, which takes no-break spaces, vertical tabs and other Unicode spaces too.
4. The block count of an ETag is count.bigEndian.
5. A form without the field Content-Type (or with an empty one) is signed with application/octet-stream.
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

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
URL_QUERY_ALLOWED = UNRESERVED + "!$&'()*+,/:;=?@"
WHITESPACES_AND_NEWLINES = " \t\n\u000b\u000c\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def adding_percent_encoding(text, allowed):
    return "".join(chr(b) if chr(b) in allowed else "%%%02X" % b for b in text.encode("utf-8"))


def trimmed(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    for c in "\r\n\0":
        if c in value:
            raise Refused("header-value", "line break")
    return value.strip(WHITESPACES_AND_NEWLINES)


class URLRequest:
    ONCE = ("content-md5", "content-type", "date")

    def __init__(self, headers, once):
        self.all = {}
        self.repeated = set()
        for name, value in headers:
            self.set_value(name, value)
        for name in once:
            if name in self.repeated:
                raise Refused("header-repeated", name)

    def set_value(self, name, value):
        name = name.strip(" \t")
        if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        if name.lower() in self.all:
            self.repeated.add(name.lower())
        self.all[name.lower()] = trimmed(value)

    def value(self, name):
        return self.all.get(name, "")

    def canonical(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join("%s:%s\n" % (name, self.all[name]) for name in sorted(self.all) if name.startswith(prefix))


def check(given):
    method = given.get("method", "POST")
    if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
        raise Refused("method", method)
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    return method.upper()


def sign(lines, given, request, pri):
    text = "\n".join(lines) + "\n" + request.canonical() + "/" + given["bucket"] + "/" + given["key"]
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    method = check(given)
    request = URLRequest(given["headers"], URLRequest.ONCE)
    lines = [method, request.value("content-md5"), request.value("content-type"), request.value("date")]
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign(lines, given, request, pri))}


def form_authorization(given, pub, pri):
    method = check(given)
    request = URLRequest(given["headers"], ("content-md5", "date"))
    fields = {}
    for name, value in given["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            fields.setdefault(name, []).append(trimmed(value))
    unused = ["Content-MD5"] if "content-md5" in request.all else []
    for name, values in fields.items():
        if len(values) > 1 and name not in unused:
            raise Refused("header-repeated", name)
    mime = fields.get("Content-Type", [""])[0]
    if mime == "":
        mime = "application/octet-stream"
    md5 = request.value("content-md5") if unused else fields.get("Content-MD5", [""])[0]
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign([method, md5, mime, request.value("date")], given, request, pri))}


def presigned_url(given, pub, pri):
    method = check(given)
    request = URLRequest(given["headers"], ())
    signature = sign([method, "", "", given["expires"]], given, request, pri)
    items = [(WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", signature)]
    query = "&".join(name + "=" + adding_percent_encoding(value, URL_QUERY_ALLOWED) for name, value in items)
    path = adding_percent_encoding(given["key"], UNRESERVED + "/")
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + path + "?" + query}


def url_safe(data):
    return base64.b64encode(data).decode().replace("+", "-").replace("/", "_")


def etag(given, pub, pri):
    data = content(given["content"])
    blocks = [data[i:i + 4194304] for i in range(0, len(data), 4194304)]
    joined = data if len(blocks) < 2 else b"".join(hashlib.sha1(block).digest() for block in blocks)
    return {"etag": url_safe(len(blocks).to_bytes(4, "big") + hashlib.sha1(joined).digest())}


def part_etag(given, pub, pri):
    return {"etag": url_safe(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("swift-backup", {"authorization": authorization, "form-authorization": form_authorization, "presigned-url": presigned_url,
                           "etag": etag, "part-etag": part_etag})
