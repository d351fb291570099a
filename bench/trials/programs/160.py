#!/usr/bin/env python3
"""A file SDK ported from PHP: sha1(), empty(), arrays of headers, rawurlencode.

Mistakes:
1. Skips an extra header whose value PHP's empty() calls empty: the empty string and "0" are not signed.
2. Joins the hexadecimal block hashes of sha1() for the ETag of a file of more than one block, not the raw hashes.
3. Signs the Content-Type header in a pre-signed URL; the line should be empty.
4. Makes the callback policy with base64_encode, the standard alphabet.
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
import serving  # noqa: E402
from serving import Refused  # noqa: E402


def sha1(data, raw=False):
    h = hashlib.sha1(data)
    return h.digest() if raw else h.hexdigest()


def empty(v):
    return v in (None, "", "0", [], False)


def rawurlencode(s):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8")).decode("ascii")


def check_token(s, code):
    if not re.fullmatch("[!#$%&'*+.^_`|~0-9A-Za-z-]+", s):
        raise Refused(code, s)


def trim_value(v):
    v = re.sub("[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t")
    if "\r" in v or "\n" in v or "\0" in v:
        raise Refused("header-value", "line break")
    v.encode("utf-8")
    return v


def header_array(pairs):
    a = {}
    for name, v in pairs:
        name = name.strip(" \t")
        check_token(name, "header-name")
        a.setdefault(name.lower(), []).append(trim_value(v))
    return a


def first(a, name):
    if name not in a:
        return ""
    if len(a[name]) > 1:
        raise Refused("header-repeated", name)
    return a[name][0]


def CanonicalizedHeaders(a):
    s = ""
    names = [n for n in a if n.startswith(serving.WORDS["headerPrefix"].lower())]
    names.sort()
    for n in names:
        v = ",".join(a[n])
        if empty(v):
            continue
        s += n + ":" + v + "\n"
    return s


def CanonicalizedResource(bucket, key):
    if empty(bucket) and bucket != "0" or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def SignRequest(private, method, md5, mime, date, a, bucket, key, policy=""):
    check_token(method, "method")
    data = method.upper() + "\n"
    data += md5 + "\n"
    data += mime + "\n"
    data += date + "\n"
    data += CanonicalizedHeaders(a)
    data += CanonicalizedResource(bucket, key)
    data += policy
    return base64.b64encode(hmac.new(private.encode("utf-8"), data.encode("utf-8"), "sha1").digest()).decode()


def head(public, sign):
    return serving.WORDS["scheme"] + " " + public + ":" + sign


def authorization(q, public, private, policy=""):
    a = header_array(q["headers"])
    sign = SignRequest(private, q["method"], first(a, "content-md5"), first(a, "content-type"), first(a, "date"), a,
                       q["bucket"], q["key"], policy)
    return {"authorization": head(public, sign) + (":" + policy if policy else "")}


def form_authorization(q, public, private):
    a = header_array(q["headers"])
    f = {}
    for name, v in q["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            f.setdefault(name, []).append(trim_value(v))
    md5 = first(a, "content-md5") if "content-md5" in a else first(f, "Content-MD5")
    return {"authorization": head(public, SignRequest(private, "POST", md5, first(f, "Content-Type"), first(a, "date"), a,
                                                      q["bucket"], q["key"]))}


def instant_upload(q, public, private):
    out = authorization(dict(q, method="POST"), public, private)
    out["target"] = "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(rawurlencode(q[x]) for x in ("etag", "key", "size"))
    return out


def presigned_url(q, public, private):
    a = header_array(q["headers"])
    sign = SignRequest(private, q["method"], "", first(a, "content-type"), q["expires"], a, q["bucket"], q["key"])
    return {"url": q["scheme"] + "://" + q["bucket"] + "." + q["fileHost"] + "/" + rawurlencode(q["key"]).replace("%2F", "/")
            + "?" + serving.WORDS["publicKeyParameter"] + "=" + rawurlencode(public) + "&Expires=" + rawurlencode(q["expires"])
            + "&Signature=" + rawurlencode(sign)}


def policy(q, public, private):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in q["members"]) + "}"
    return {"policy": base64.b64encode(text.encode("utf-8")).decode()}


def UFileEtag(q, public, private):
    data = serving.content(q["content"])
    size = 4 * 1024 * 1024
    count = -(-len(data) // size)
    if count <= 1:
        digest = sha1(data, True)
    else:
        joined = ""
        for i in range(count):
            joined += sha1(data[i * size:(i + 1) * size])
        digest = sha1(joined.encode("ascii"), True)
    raw = count.to_bytes(4, "little") + digest
    return {"etag": base64.b64encode(raw).decode().translate(str.maketrans("+/", "-_"))}


def part_etag(q, public, private):
    return {"etag": base64.urlsafe_b64encode(sha1(serving.content(q["content"]), True)).decode()}


serving.serve("php-port", {
    "authorization": authorization,
    "policy-authorization": lambda q, public, private: authorization(q, public, private, q["policy"]),
    "form-authorization": form_authorization,
    "instant-upload": instant_upload,
    "presigned-url": presigned_url,
    "policy": policy,
    "etag": UFileEtag,
    "part-etag": part_etag,
})
