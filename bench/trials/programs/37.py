#!/usr/bin/env python3
"""A Rust crate's first version (sha1, base64, mime, BTreeMap).

1. The ETag goes over data.chunks_exact(4 MiB), which leaves out a shorter last block of a file of more than 4 MiB (the count has it).
2. The policy is encoded with URL_SAFE_NO_PAD: the = at its end are missing.
3. The Content-Type goes through the mime crate, which writes the type before the ; in lower case.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, WORDS, content, serve  # noqa: E402


BLOCK = 4_194_304
TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def unfold(value):
    if re.search(r"\r?\n[ \t]", value):
        raise Unsupported("HeaderValue takes no line breaks, not even folds")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "InvalidHeaderValue")
    return value.strip(" \t")


def header_map(pairs):
    out = {}
    for name, value in pairs:
        if not TOKEN.fullmatch(name.encode("utf-8")):
            raise Refused("header-name", "InvalidHeaderName")
        out.setdefault(name.lower(), []).append(unfold(value))
    return out


def single(headers, name):
    values = headers.get(name, [""])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0]


def mime(value):
    essence, semicolon, rest = value.partition(";")
    return essence.lower() + semicolon + rest


def canonical(headers):
    out = ""
    for name in sorted(headers):
        if name.startswith(WORDS["headerPrefix"].lower()):
            out += name + ":" + ",".join(headers[name]) + "\n"
    return out


def sign(private, method, md5, content_type, date, extra, q, tail=""):
    if not TOKEN.fullmatch(method.encode("utf-8")):
        raise Refused("method", "InvalidMethod")
    if q["bucket"] == "" or q["bucket"].find("/") >= 0:
        raise Refused("bucket", "InvalidBucket")
    text = f"{method.upper()}\n{md5}\n{content_type}\n{date}\n{extra}/{q['bucket']}/{q['key']}{tail}"
    return base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()


def authorization(q, public, private):
    h = header_map(q["headers"])
    policy = q.get("policy", "")
    s = sign(private, q["method"], single(h, "content-md5"), mime(single(h, "content-type")), single(h, "date"), canonical(h), q, policy)
    return {"authorization": f"{WORDS['scheme']} {public}:{s}" + (f":{policy}" if policy else "")}


def instant(q, public, private):
    auth = authorization(dict(q, method="POST"), public, private)["authorization"]
    enc = lambda text: quote(text, safe="")
    return {"target": f"/uploadhit?Hash={enc(q['etag'])}&FileName={enc(q['key'])}&FileSize={enc(q['size'])}", "authorization": auth}


def presigned(q, public, private):
    s = sign(private, q["method"], "", "", q["expires"], canonical(header_map(q["headers"])), q)
    enc = lambda text: quote(text, safe="")
    return {"url": f"{q['scheme']}://{q['bucket']}.{q['fileHost']}/{quote(q['key'], safe='/')}"
                   f"?{WORDS['publicKeyParameter']}={enc(public)}&Expires={enc(q['expires'])}&Signature={enc(s)}"}


def policy(q, public, private):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in q["members"]) + "}"
    return {"policy": base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")}


def etag(q, public, private):
    data = content(q["content"])
    count = (len(data) + BLOCK - 1) // BLOCK
    if len(data) <= BLOCK:
        digest = hashlib.sha1(data).digest()
    else:
        outer = hashlib.sha1()
        for i in range(len(data) // BLOCK):
            outer.update(hashlib.sha1(data[i * BLOCK:(i + 1) * BLOCK]).digest())
        digest = outer.digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode()}


def part_etag(q, public, private):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(q["content"])).digest()).decode()}


serve("rust-crate", {"authorization": authorization, "policy": policy, "policy-authorization": authorization,
                     "instant-upload": instant, "presigned-url": presigned, "etag": etag, "part-etag": part_etag})
