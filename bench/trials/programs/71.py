"""A Java developer's object client (builder, TreeMap, URLEncoder).

1. The values of a repeated extra header are kept in a TreeSet, so they are joined in sorted order and equal values only once.
2. The ETag block count of a file above 4 MiB is Math.ceil of an integer division, so an incomplete last block is not counted (it is hashed).
3. The path of a pre-signed URL comes from URLEncoder, so a space in the key becomes a plus sign.
"""
import base64
import hashlib
import hmac
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from urllib.parse import quote_plus  # noqa: E402


class StringToSignBuilder:
    def __init__(self):
        self.method = self.md5 = self.type = self.date = ""
        self.extra = {}
        self.res = ""

    def set_method(self, method):
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
            raise Refused("method", method)
        self.method = method.upper()
        return self

    def set_resource(self, bucket, key):
        if bucket == "" or "/" in bucket:
            raise Refused("bucket", bucket)
        self.res = "/" + bucket + "/" + key
        return self

    def put_extra(self, name, value):
        self.extra.setdefault(name.lower(), set()).add(value)

    def build(self):
        sb = [self.method, "\n", self.md5, "\n", self.type, "\n", self.date, "\n"]
        for name in sorted(self.extra):
            sb += [name, ":", ",".join(sorted(self.extra[name])), "\n"]
        sb.append(self.res)
        return "".join(sb)


def clean(value):
    value.encode("utf-8")
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "line break")
    return value


def read(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        out.append((name, clean(value)))
    return out


def single(headers, name):
    found = [v for n, v in headers if n.lower() == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def collect(builder, headers):
    for name, value in headers:
        if name.lower().startswith(WORDS["headerPrefix"].lower()):
            builder.put_extra(name, value)


def hmac_sha1(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def authorization(i, pub, pri):
    headers = read(i["headers"])
    b = StringToSignBuilder().set_method(i["method"]).set_resource(i["bucket"], i["key"])
    b.md5, b.type, b.date = (single(headers, n) for n in ("content-md5", "content-type", "date"))
    collect(b, headers)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmac_sha1(pri, b.build())}


def form_authorization(i, pub, pri):
    headers = read(i["headers"])
    b = StringToSignBuilder().set_method("POST").set_resource(i["bucket"], i["key"])
    fields = {}
    for name, value in i["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            if name in fields:
                raise Refused("header-repeated", name)
            fields[name] = clean(value)
    b.type = fields.get("Content-Type", "")
    b.md5 = single(headers, "content-md5") if any(n.lower() == "content-md5" for n, _ in headers) else fields.get("Content-MD5", "")
    b.date = single(headers, "date")
    collect(b, headers)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmac_sha1(pri, b.build())}


def java_encode(text):
    return quote_plus(text, safe="*").replace("~", "%7E")


def presigned_url(i, pub, pri):
    headers = read(i["headers"])
    b = StringToSignBuilder().set_method(i["method"]).set_resource(i["bucket"], i["key"])
    b.date = i["expires"]
    collect(b, headers)
    path = java_encode(i["key"]).replace("%2F", "/")
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        i["scheme"], i["bucket"], i["fileHost"], path, WORDS["publicKeyParameter"], java_encode(pub).replace("+", "%20"),
        java_encode(i["expires"]).replace("+", "%20"), java_encode(hmac_sha1(pri, b.build())))}


BLOCK = 4 * 1024 * 1024


def etag(i, pub, pri):
    data = content(i["content"])
    if len(data) <= BLOCK:
        count, digest = (1 if data else 0), hashlib.sha1(data).digest()
    else:
        count = len(data) // BLOCK
        outer = hashlib.sha1()
        for at in range(0, len(data), BLOCK):
            outer.update(hashlib.sha1(data[at:at + BLOCK]).digest())
        digest = outer.digest()
    raw = bytes((count >> shift) & 255 for shift in (0, 8, 16, 24)) + digest
    return {"etag": base64.urlsafe_b64encode(raw).decode("ascii")}


if __name__ == "__main__":
    serve("java-builder", {"authorization": authorization, "form-authorization": form_authorization, "presigned-url": presigned_url, "etag": etag})
