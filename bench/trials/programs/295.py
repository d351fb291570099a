#!/usr/bin/env python3
r"""A Dart package for Flutter apps, with a small server part in Dart for local tests: the Authorization header, form uploads, links, and the check of links.

Mistakes:
1. Form upload: the form field Content-MD5 wins over the header Content-MD5, instead of standing in for it only if the header is absent.
2. Leaves out extra headers whose value is empty (if (value.isNotEmpty)), in signing and in checking. A repeated header loses only its empty values.
3. Sorts the finished lines name:value instead of the names. A name that goes on with a hyphen or a digit comes before the shorter one, because
   both characters are below the colon: x-svc-a-b before x-svc-a.
4. The check of links takes an Expires of 12 digits or more for milliseconds, as DateTime has them, and divides by 1000. 1500000000000 counts as expired in
   2017 instead of tens of thousands of years from now.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

SAFE = {ord(c): c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"}


def encodeComponent(text):
    return "".join(SAFE.get(b) or "%" + format(b, "02X") for b in text.encode("utf-8"))


def decodeComponent(text, reason):
    def hex_(m):
        return bytes((int(m.group(1), 16),))
    raw = text.encode("utf-8")
    if re.search(rb"%(?![0-9A-Fa-f]{2})", raw):
        raise Refused(reason, "Illegal percent encoding in URI")
    try:
        return re.sub(rb"%([0-9A-Fa-f]{2})", hex_, raw).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "Invalid UTF-8")


TOKEN = re.compile(r"^[A-Za-z0-9!#$%&'*+.^_`|~\-]+\Z")


class HttpHeaders:
    def __init__(self, pairs):
        self.values = {}
        for name, value in pairs:
            name = name.strip(" \t")
            if not TOKEN.match(name):
                raise Refused("header-name", name)
            self.values.setdefault(name.lower(), []).append(HttpHeaders.check(value))

    @staticmethod
    def check(value):
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search(r"[\r\n\x00]", value):
            raise Refused("header-value", "Invalid HTTP header field value")
        return value

    def __getitem__(self, name):
        found = self.values.get(name, [])
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else None

    @property
    def extra(self):
        lines = []
        for name, values in self.values.items():
            if name.startswith(WORDS["headerPrefix"].lower()):
                values = [v for v in values if v != ""]
                if values:
                    lines.append(name + ":" + ",".join(values) + "\n")
        lines.sort()
        return "".join(lines)


class Svc:
    def __init__(self, publicKey, privateKey):
        self.publicKey, self.privateKey = publicKey, privateKey

    def sign(self, method, md5, type_, date, headers, bucket, key):
        if bucket == "" or "/" in bucket:
            raise Refused("bucket", bucket)
        text = f"{method}\n{md5 or ''}\n{type_ or ''}\n{date or ''}\n{headers.extra}/{bucket}/{key}"
        return base64.b64encode(hmac.new(self.privateKey.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()

    def credential(self, signature):
        self.publicKey.encode("utf-8")
        return {"authorization": f"{WORDS['scheme']} {self.publicKey}:{signature}"}


def checkMethod(method):
    if not TOKEN.match(method):
        raise Refused("method", method)
    return method.upper()


def authorization(given, pub, pri):
    headers, method, svc = HttpHeaders(given["headers"]), checkMethod(given["method"]), Svc(pub, pri)
    return svc.credential(svc.sign(method, headers["content-md5"], headers["content-type"], headers["date"], headers, given["bucket"], given["key"]))


def multipart(given, pub, pri):
    headers, svc = HttpHeaders(given["headers"]), Svc(pub, pri)
    fields = {"Content-Type": [], "Content-MD5": []}
    for name, value in given["fields"]:
        if name in fields:
            fields[name].append(HttpHeaders.check(value))
    md5 = fields["Content-MD5"] or headers.values.get("content-md5", [])
    if len(md5) > 1 or len(fields["Content-Type"]) > 1:
        raise Refused("header-repeated", "form field")
    signature = svc.sign("POST", "".join(md5), "".join(fields["Content-Type"]), headers["date"], headers, given["bucket"], given["key"])
    return svc.credential(signature)


def link(given, pub, pri):
    headers, method = HttpHeaders(given["headers"]), checkMethod(given["method"])
    signature = Svc(pub, pri).sign(method, None, None, given["expires"], headers, given["bucket"], given["key"])
    query = {WORDS["publicKeyParameter"]: pub, "Expires": given["expires"], "Signature": signature}
    path = "/".join(encodeComponent(segment) for segment in given["key"].split("/"))
    return {"url": f"{given['scheme']}://{given['bucket']}.{given['fileHost']}/{path}?" + "&".join(f"{n}={encodeComponent(v)}" for n, v in query.items())}


def checkLink(given, pub, pri):
    method, headers = checkMethod(given["method"]), HttpHeaders(given["headers"])
    uri = re.fullmatch(r"(?:http|https)://([^/?#]*)/([^?#]*)\??([^#]*)", given["url"])
    if uri is None:
        raise Refused("url-malformed", given["url"])
    host, path, query = uri.groups()
    dot = host.find(".")
    if dot < 1 or host[dot + 1:].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", host)
    bucket, key = host[:dot], decodeComponent(path, "url-malformed")
    mine = (WORDS["publicKeyParameter"], "Expires", "Signature")
    found = {name: [] for name in mine}
    for piece in query.split("&"):
        if piece == "":
            continue
        name, _, value = piece.partition("=")
        name, value = decodeComponent(name, "query-malformed"), decodeComponent(value, "query-malformed")
        if name in found:
            found[name].append(value)
    if any(len(values) > 1 for values in found.values()):
        raise Refused("parameter-repeated", query)
    publicKey, expires, signature = (values[0] if values else None for values in found.values())
    if not signature:
        raise Refused("signature-missing", query)
    if publicKey is None or expires is None:
        raise Refused("parameter-missing", query)
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    seconds = int(expires)
    if len(expires) >= 12:
        seconds //= 1000
    if int(given["now"]) > seconds:
        raise Refused("expired", expires)
    if publicKey != pub:
        raise Refused("public-key-unknown", publicKey)
    if Svc(pub, pri).sign(method, None, None, expires, headers, bucket, key) != signature:
        raise Refused("signature-mismatch", signature)
    return {"publicKey": publicKey}


serve("dart-flutter", {"authorization": authorization, "form-authorization": multipart, "presigned-url": link, "verify-presigned-url": checkLink})
