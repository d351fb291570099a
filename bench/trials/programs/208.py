#!/usr/bin/env python3
"""An Android client of the file service in Kotlin, on OkHttp.

Mistakes:
1. The policy is Base64.encode(json, Base64.URL_SAFE) without NO_WRAP: a line feed after every 76 characters and at the end.
2. A Content-Type header that begins with text/ and names no charset is signed with "; charset=utf-8" added, as OkHttp's RequestBody would
   send it (not in forms).
3. The ETag of an empty file has the block count 1.
4. A form without the field Content-Type is signed with the Content-Type header of the request.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402,F401


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
        if name.startswith(WORDS["headerPrefix"].lower()):
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


def charset(mime):
    return mime + "; charset=utf-8" if mime.lower().startswith("text/") and "charset=" not in mime.lower() else mime


def header_text(g, headers, method, key):
    method, bucket = verb(method), bucket_of(g)
    return "\n".join([method, one(headers, "content-md5"), charset(one(headers, "content-type")), one(headers, "date"),
                      extra(headers) + "/" + bucket + "/" + key])


def scheme(pub, signature):
    pub.encode("utf-8")
    return "%s %s:%s" % (WORDS["scheme"], pub, signature)


def authorization(g, pub, pri):
    return {"authorization": scheme(pub, mac(pri, header_text(g, read(g["headers"]), g["method"], g["key"])))}


def policy_authorization(g, pub, pri):
    text = header_text(g, read(g["headers"]), g["method"], g["key"]) + g["policy"]
    return {"authorization": scheme(pub, mac(pri, text)) + (":" + g["policy"] if g["policy"] else "")}


def form_authorization(g, pub, pri):
    headers, bucket = read(g["headers"]), bucket_of(g)
    fields = [(n, clean(v)) for n, v in g["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = one(headers, "content-md5") if "content-md5" in [n for n, _ in headers] else one(fields, "Content-MD5")
    mime = one(fields, "Content-Type")
    if "Content-Type" not in [n for n, _ in fields]:
        mime = one(headers, "content-type")
    text = "\n".join(["POST", md5, mime, one(headers, "date"), extra(headers) + "/" + bucket + "/" + g["key"]])
    return {"authorization": scheme(pub, mac(pri, text))}


BLOCK = 4 << 20


def sha1(data):
    return hashlib.sha1(data).digest()


def etag(g, pub, pri):
    data = content(g["content"])
    if len(data) <= BLOCK:
        count, digest = 1, sha1(data)
    else:
        blocks = [sha1(data[i:i + BLOCK]) for i in range(0, len(data), BLOCK)]
        count, digest = len(blocks), sha1(b"".join(blocks))
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode("ascii")}


def part_etag(g, pub, pri):
    return {"etag": base64.urlsafe_b64encode(sha1(content(g["content"]))).decode("ascii")}


def policy(g, pub, pri):
    text = "{" + ",".join("%s:%s" % (json.dumps(n, ensure_ascii=False), json.dumps(v, ensure_ascii=False)) for n, v in g["members"]) + "}"
    b64 = base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii")
    return {"policy": "".join(b64[i:i + 76] + "\n" for i in range(0, len(b64), 76))}


serve("okhttp-files", {
    "authorization": authorization,
    "policy": policy,
    "policy-authorization": policy_authorization,
    "form-authorization": form_authorization,
    "etag": etag,
    "part-etag": part_etag,
})
