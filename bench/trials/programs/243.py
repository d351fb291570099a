#!/usr/bin/env python3
"""A first try at the file interface by somebody who read the specification in a hurry: ETags and file signatures.

Mistakes:
1. The number of blocks in the ETag is size // 4 MB + 1, one too many for a file whose size is a multiple of 4 MB (the empty one too).
2. The hash of a file above 4 MB is the SHA-1 of the blocks' SHA-1 values in hexadecimal text, instead of their bytes.
3. Groups and sorts the extra headers by their names as they are given and lower-cases the names last: X-Svc-A and x-svc-a make two
   entries, and X-Svc-B comes before x-svc-a.
4. Finds the form fields Content-Type and Content-MD5 in any case, like headers.
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

MB4 = 4 << 20


def etag(g, pub, pri):
    data = content(g["content"])
    if len(data) <= MB4:
        sha = hashlib.sha1(data).digest()
    else:
        outer = hashlib.sha1()
        for start in range(0, len(data), MB4):
            outer.update(hashlib.sha1(data[start:start + MB4]).hexdigest().encode())
        sha = outer.digest()
    blkcnt = len(data) // MB4 + 1
    return {"etag": base64.urlsafe_b64encode(blkcnt.to_bytes(4, "little") + sha).decode()}


def part_etag(g, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(g["content"])).digest()).decode()}


is_token = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.A).fullmatch


def unfold(v):
    v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v)
    v = v.strip(" \t")
    if "\n" in v or "\r" in v or "\0" in v:
        raise Refused("header-value", "line break in a value")
    v.encode()
    return v


def clean(headers):
    result = []
    for name, value in headers:
        name = name.strip(" \t")
        if not is_token(name):
            raise Refused("header-name", name)
        result.append((name, unfold(value)))
    return result


def lookup(pairs, name):
    hits = [v for n, v in pairs if n.lower() == name.lower()]
    if len(hits) > 1:
        raise Refused("header-repeated", name)
    return hits[0] if hits else None


def extra(headers):
    merged = {}
    for name, value in headers:
        if name.lower().startswith(WORDS["headerPrefix"].lower()):
            merged.setdefault(name, []).append(value)
    return "".join("{}:{}\n".format(name.lower(), ",".join(merged[name])) for name in sorted(merged))


def string_to_sign(method, md5, mime, date, headers, bucket, key):
    if not is_token(method):
        raise Refused("method", method)
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return f"{method.upper()}\n{md5 or ''}\n{mime or ''}\n{date or ''}\n{extra(headers)}/{bucket}/{key}"


def signature(pri, text):
    return base64.b64encode(hmac.new(pri.encode(), text.encode(), hashlib.sha1).digest()).decode()


def header(pub, pri, text):
    pub.encode()
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature(pri, text)}


def authorization(g, pub, pri):
    h = clean(g["headers"])
    return header(pub, pri, string_to_sign(g["method"], lookup(h, "Content-MD5"), lookup(h, "Content-Type"), lookup(h, "Date"), h,
                                           g["bucket"], g["key"]))


def form(g, pub, pri):
    h = clean(g["headers"])
    fields = [(n, unfold(v)) for n, v in g["fields"] if n.lower() in ("content-type", "content-md5")]
    md5 = lookup(h, "Content-MD5")
    if md5 is None:
        md5 = lookup(fields, "Content-MD5")
    return header(pub, pri, string_to_sign("POST", md5, lookup(fields, "Content-Type"), lookup(h, "Date"), h, g["bucket"], g["key"]))


serve("hurry", {"etag": etag, "part-etag": part_etag, "authorization": authorization, "form-authorization": form})
