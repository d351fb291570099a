#!/usr/bin/env python3
"""A Go command-line tool: put, sign, hash and call.

Mistakes:
1. Reads each extra header with http.Header.Get, so that only the first value of a repeated one is signed.
2. Builds the resource as "/" + path.Join(bucket, key), which cleans the key: double slashes become one, a slash at the end goes
   (an empty key gives /<bucket>), and the segments . and .. are resolved. The URL still holds the key as given.
3. Counts the blocks of an ETag as size/4MiB + 1: an empty file has count 1, and a file of a multiple of 4 MiB has one more than it
   should. The empty last block is hashed too if the file is larger than 4 MiB.
"""
import base64
import hashlib
import hmac
import json
import os
import posixpath
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

blockSize = 4 << 20
token = re.compile("[-!#$%&'*+.^_`|~0-9A-Za-z]+")


# --- call

def escape(s):
    buf = []
    for c in s.encode("utf-8"):
        if 48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c in (45, 46, 95, 126):
            buf.append(chr(c))
        else:
            buf.append("%" + "0123456789ABCDEF"[c >> 4] + "0123456789ABCDEF"[c & 15])
    return "".join(buf)


def format_number(lit):
    if not re.fullmatch("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]{1,9})?", lit):
        raise Refused("number", lit)
    d = Decimal(lit)
    if d == 0:
        return "0"
    if abs(d.adjusted()) >= 4000:
        raise Refused("number", "too long")
    s = "{:f}".format(d)
    return s.rstrip("0").rstrip(".") if "." in s else s


def walk(out, name, v):
    if v is None:
        raise Refused("parameter-null", name)
    kind = None
    if isinstance(v, bool):
        kind = ("raw", "true" if v else "false")
    elif isinstance(v, str):
        kind = ("str", v)
    elif "number" in v:
        kind = ("raw", format_number(v["number"]))
    elif "list" in v:
        for i in range(len(v["list"])):
            walk(out, "%s.%d" % (name, i), v["list"][i])
    else:
        for k, x in v["object"]:
            walk(out, "%s.%s" % (name, k), x)
    if kind is not None and name != "Signature":
        if name in out:
            raise Refused("parameter-repeated", name)
        out[name] = kind


def params(g):
    out = {}
    for n, v in g["parameters"]:
        walk(out, n, v)
    keys = sorted(out, key=lambda k: k.encode("utf-8"))
    return {k: out[k] for k in keys}


def complete(g):
    p = params(g)
    for n in ("Action", "PublicKey"):
        if n not in p:
            raise Refused("parameter-missing", n)
    return p


def sha(p, pri):
    s = ""
    for k in p:
        s += k + p[k][1]
    s += pri
    return hashlib.sha1(s.encode("utf-8")).hexdigest()


def query(p, pri):
    return "".join(escape(k) + "=" + escape(p[k][1]) + "&" for k in p) + "Signature=" + sha(p, pri)


def body(p, pri):
    m = []
    for k, (kind, text) in p.items():
        m.append(json.dumps(k) + ":" + (json.dumps(text) if kind == "str" else text))
    m.append('"Signature":' + json.dumps(sha(p, pri)))
    return "{" + ",".join(m) + "}"


def cmd_bucket(g, pub, pri):
    p = complete(g)
    if p["Action"][1] == "CreateBucket":
        for n in ("Type", "BucketName"):
            if n not in p:
                raise Refused("parameter-missing", n)
    return {"target": "/?" + query(p, pri)}


# --- put, sign

def header(pairs):
    h = {}
    for n, v in pairs:
        n = n.strip(" \t")
        if not token.fullmatch(n):
            raise Refused("header-name", n)
        v.encode("utf-8")
        v = re.sub("(?:[ \t]*\r?\n[ \t]+)+", " ", v).strip(" \t")
        if set(v) & set("\r\n\0"):
            raise Refused("header-value", n)
        h.setdefault(n.lower(), []).append(v)
    return h


def get(h, n):
    return h[n][0] if n in h else ""


def once(h, n):
    if len(h.get(n, [])) > 1:
        raise Refused("header-repeated", n)
    return get(h, n)


def string_to_sign(g, md5, mime, date, h):
    if not token.fullmatch(g["method"]):
        raise Refused("method", g["method"])
    if g["bucket"] == "" or "/" in g["bucket"]:
        raise Refused("bucket", g["bucket"])
    extra = ""
    for n in sorted(h):
        if n.startswith(WORDS["headerPrefix"].lower()):
            extra += n + ":" + get(h, n) + "\n"
    return "%s\n%s\n%s\n%s\n%s/%s" % (g["method"].upper(), md5, mime, date, extra, posixpath.normpath(g["bucket"] + "/" + g["key"]))


def mac(pri, s):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), s.encode("utf-8"), hashlib.sha1).digest()).decode()


def cmd_put(g, pub, pri):
    h = header(g["headers"])
    s = string_to_sign(g, once(h, "content-md5"), once(h, "content-type"), once(h, "date"), h)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(pri, s)}


def cmd_sign(g, pub, pri):
    sig = mac(pri, string_to_sign(g, "", "", g["expires"], header(g["headers"])))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        g["scheme"], g["bucket"], g["fileHost"], escape(g["key"]).replace("%2F", "/"), WORDS["publicKeyParameter"], escape(pub),
        escape(g["expires"]), escape(sig))}


# --- hash

def cmd_hash(g, pub, pri):
    data = content(g["content"])
    n = len(data) // blockSize + 1
    if len(data) <= blockSize:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(data[i * blockSize:(i + 1) * blockSize]).digest() for i in range(n))).digest()
    return {"etag": base64.urlsafe_b64encode(n.to_bytes(4, "little") + digest).decode()}


serve("go-cli", {
    "url-encode": lambda g, pub, pri: {"encoded": escape(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode()},
    "action-signature": lambda g, pub, pri: {"signature": sha(params(g), pri)},
    "action-query": lambda g, pub, pri: {"query": query(complete(g), pri)},
    "action-json": lambda g, pub, pri: {"body": body(complete(g), pri)},
    "bucket-request": cmd_bucket,
    "authorization": cmd_put,
    "presigned-url": cmd_sign,
    "etag": cmd_hash,
})
