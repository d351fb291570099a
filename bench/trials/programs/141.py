#!/usr/bin/env python3
"""A file SDK for Ruby, started from a gem for another object storage, written again in Python.

Mistakes:
1. Encodes Password with Base64.encode64 and strips the end: a clear text of more than 45 bytes gets line feeds inside.
2. Sorts the extra headers by the names as given and only then makes them lower case, so X-Svc-Zoo comes before x-svc-ant; repeated headers in different spellings are merged in that order too.
3. The ETag of a file of more than 4 MiB is the hash over the hexadecimal digests of the blocks (hexdigest instead of digest).
4. Without a form field Content-Type, a form upload is signed with the Content-Type header of the HTTP request.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402

BLOCK_SIZE = 4 * 1024 * 1024
TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def encode64(data):
    text = base64.b64encode(data).decode()
    return "".join(text[i:i + 60] + "\n" for i in range(0, len(text), 60))


def escape(text):
    return "".join(c if re.fullmatch("[A-Za-z0-9_.~-]", c) else "".join("%%%02X" % b for b in c.encode()) for c in text)


def clean(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode()
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "line break")
    return value


def clean_all(headers):
    found = [(name.strip(" \t"), clean(value)) for name, value in headers]
    for name, _ in found:
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
    return found


def pick(headers, name):
    values = [v for n, v in headers if n.lower() == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else None


def field(fields, name):
    values = [clean(v) for n, v in fields if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else None


def extra_lines(headers):
    mine = [(n, v) for n, v in headers if n.lower().startswith(WORDS["headerPrefix"].lower())]
    hash = {}
    for name, value in sorted(mine, key=lambda pair: pair[0]):
        hash.setdefault(name.lower(), []).append(value)
    return "".join(name + ":" + ",".join(values) + "\n" for name, values in hash.items())


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def sign(pri, verb, md5, type, date, headers, bucket, key):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    string = "\n".join([verb, md5 or "", type or "", date or "", extra_lines(headers) + "/" + bucket + "/" + key])
    return encode64(hmac.new(pri.encode(), string.encode(), "sha1").digest()).strip()


def authorization(o, pub, pri):
    headers = clean_all(o["headers"])
    signature = sign(pri, verb(o["method"]), pick(headers, "content-md5"), pick(headers, "content-type"), pick(headers, "date"),
                     headers, o["bucket"], o["key"])
    return {"authorization": f'{WORDS["scheme"]} {pub}:{signature}'}


def form(o, pub, pri):
    headers = clean_all(o["headers"])
    md5 = pick(headers, "content-md5")
    if md5 is None:
        md5 = field(o["fields"], "Content-MD5")
    type = field(o["fields"], "Content-Type")
    if type is None:
        type = pick(headers, "content-type")
    signature = sign(pri, "POST", md5, type, pick(headers, "date"), headers, o["bucket"], o["key"])
    return {"authorization": f'{WORDS["scheme"]} {pub}:{signature}'}


def presign(o, pub, pri):
    signature = sign(pri, verb(o["method"]), None, None, o["expires"], clean_all(o["headers"]), o["bucket"], o["key"])
    path = escape(o["key"]).replace("%2F", "/")
    return {"url": f'{o["scheme"]}://{o["bucket"]}.{o["fileHost"]}/{path}?{WORDS["publicKeyParameter"]}={escape(pub)}'
                   f'&Expires={escape(o["expires"])}&Signature={escape(signature)}'}


def etag(o, pub, pri):
    data = content(o["content"])
    blocks = [data[i:i + BLOCK_SIZE] for i in range(0, len(data), BLOCK_SIZE)]
    if len(blocks) > 1:
        digest = hashlib.sha1("".join(hashlib.sha1(b).hexdigest() for b in blocks).encode()).digest()
    else:
        digest = hashlib.sha1(data).digest()
    return {"etag": base64.urlsafe_b64encode(len(blocks).to_bytes(4, "little") + digest).decode()}


def part_etag(o, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(o["content"])).digest()).decode()}


serve("ruby-gem", {
    "url-encode": lambda o, pub, pri: {"encoded": escape(o["text"])},
    "password": lambda o, pub, pri: {"value": encode64(o["text"].encode()).strip()},
    "authorization": authorization, "form-authorization": form, "presigned-url": presign, "etag": etag, "part-etag": part_etag,
})
