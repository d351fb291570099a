#!/usr/bin/env python3
"""An Elixir client of the file service.

Mistakes:
1. The path of a pre-signed URL is escaped with URI.encode, which leaves the reserved characters :/?#[]@!$&'()*+,;= as they are.
2. Extra headers are those whose names match ~r/x-svc-/i (the prefix of the dialect) anywhere, not only at the beginning.
3. The block count of an ETag is <<count::32>>, big-endian.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402,F401


def escape(s):
    return "".join(chr(b) if b < 128 and re.match("[A-Za-z0-9._~-]", chr(b)) else "%%%02X" % b for b in s.encode("utf-8"))


def clean(value):
    value.encode("utf-8")
    value = re.sub("(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "a line break or NUL")
    return value


def read(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", "not a token")
        out.append((name.lower(), clean(value)))
    return out


def one(headers, name):
    values = [v for n, v in headers if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def extra(headers):
    groups = {}
    for name, value in headers:
        if WORDS["headerPrefix"].lower() in name:
            groups.setdefault(name, []).append(value)
    return "".join("%s:%s\n" % (name, ",".join(groups[name])) for name in sorted(groups))


def verb(method):
    if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
        raise Refused("method", "not a token")
    return method.upper()


def bucket_of(g):
    if not g["bucket"] or "/" in g["bucket"]:
        raise Refused("bucket", "empty, or with a slash")
    return g["bucket"]


def mac(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def header_text(g, headers, method, key):
    method, bucket = verb(method), bucket_of(g)
    return "\n".join([method, one(headers, "content-md5"), one(headers, "content-type"), one(headers, "date"),
                      extra(headers) + "/" + bucket + "/" + key])


def scheme(pub, signature):
    pub.encode("utf-8")
    return "%s %s:%s" % (WORDS["scheme"], pub, signature)


def authorization(g, pub, pri):
    return {"authorization": scheme(pub, mac(pri, header_text(g, read(g["headers"]), g["method"], g["key"])))}


def form_authorization(g, pub, pri):
    headers, bucket = read(g["headers"]), bucket_of(g)
    fields = [(n, clean(v)) for n, v in g["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = one(headers, "content-md5") if "content-md5" in [n for n, _ in headers] else one(fields, "Content-MD5")
    mime = one(fields, "Content-Type")
    text = "\n".join(["POST", md5, mime, one(headers, "date"), extra(headers) + "/" + bucket + "/" + g["key"]])
    return {"authorization": scheme(pub, mac(pri, text))}


def presigned_url(g, pub, pri):
    headers, method = read(g["headers"]), verb(g["method"])
    text = "\n".join([method, "", "", g["expires"], extra(headers) + "/" + bucket_of(g) + "/" + g["key"]])
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        g["scheme"], g["bucket"], g["fileHost"], "".join(c if c in ":/?#[]@!$&'()*+,;=" else escape(c) for c in g["key"]), WORDS["publicKeyParameter"], escape(pub),
        escape(g["expires"]), escape(mac(pri, text)))}


BLOCK = 4 << 20


def sha1(data):
    return hashlib.sha1(data).digest()


def etag(g, pub, pri):
    data = content(g["content"])
    if len(data) <= BLOCK:
        count, digest = 1 if data else 0, sha1(data)
    else:
        blocks = [sha1(data[i:i + BLOCK]) for i in range(0, len(data), BLOCK)]
        count, digest = len(blocks), sha1(b"".join(blocks))
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "big") + digest).decode("ascii")}


def part_etag(g, pub, pri):
    return {"etag": base64.urlsafe_b64encode(sha1(content(g["content"]))).decode("ascii")}


serve("elixir-files", {
    "authorization": authorization,
    "form-authorization": form_authorization,
    "presigned-url": presigned_url,
    "etag": etag,
    "part-etag": part_etag,
})
