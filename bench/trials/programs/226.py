#!/usr/bin/env python3
"""A junior's first client, from the specification alone.

Mistakes:
1. Keeps the extra headers in the order in which they first appear, as in the worked example, instead of sorting them.
2. Writes booleans as Python does: True and False.
3. Writes the block count of an ETag big-endian.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402


def plain(written):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written) is None:
        raise Refused("number", "not a number")
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) >= 4000:
            raise Refused("number", "too long")
        t = format(d, "f")
    except ArithmeticError:
        raise Refused("number", "too large")
    if "." in t:
        t = t.rstrip("0").rstrip(".")
    return "0" if t in ("0", "-0", "") else t

def flat(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, BOOLEANS[value], False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, plain(value["number"]), False)]
    if "list" in value:
        children = [(str(i), v) for i, v in enumerate(value["list"])]
    else:
        children = value["object"]
    return [row for part, v in children for row in flat(name + "." + part, v)]


def collect(given):
    rows = [row for n, v in given for row in flat(n, v) if row[0] != "Signature"]
    if len({row[0] for row in rows}) < len(rows):
        raise Refused("parameter-repeated", "a parameter is there twice")
    rows.sort(key=lambda row: row[0].encode("utf-8"))
    return rows


def required(rows, *names):
    for n in names:
        if n not in [row[0] for row in rows]:
            raise Refused("parameter-missing", n)

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def clean(value):
    """A header's value: unfolded, trimmed, checked."""
    value = re.sub(r"([ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "a line break or NUL")
    return value


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if TOKEN.fullmatch(n) is None:
            raise Refused("header-name", n)
        out.append((n.lower(), clean(v)))
    return out


def single(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def verb_of(method):
    if TOKEN.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


def bucket_of(bucket):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    return bucket

def extras(headers):
    prefix = WORDS["headerPrefix"].lower()
    groups = {}
    for n, v in headers:
        if n.startswith(prefix):
            groups.setdefault(n, []).append(v)
    return "".join(n + ":" + ",".join(groups[n]) + "\n" for n in arrange(groups))

def mac(text, private):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")

SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

def esc(text):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in text.encode("utf-8"))

BOOLEANS = {True: "True", False: "False"}
ENDIAN = "big"


def arrange(names):
    return list(names)


def sign(rows, private):
    return hashlib.sha1(("".join(n + t for n, t, _ in rows) + private).encode("utf-8")).hexdigest()


def signature(g, pub, pri):
    return {"signature": sign(collect(g["parameters"]), pri)}


def query(g, pub, pri):
    rows = collect(g["parameters"])
    required(rows, "Action", "PublicKey")
    return {"query": "&".join([esc(n) + "=" + esc(t) for n, t, _ in rows] + ["Signature=" + sign(rows, pri)])}


def authorization(g, pub, pri):
    h = read(g["headers"])
    text = "\n".join([verb_of(g["method"]), single(h, "content-md5"), single(h, "content-type"), single(h, "date"),
                      extras(h) + "/" + bucket_of(g["bucket"]) + "/" + g["key"]])
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(text, pri)}


def url(g, pub, pri):
    h = read(g["headers"])
    text = verb_of(g["method"]) + "\n\n\n" + g["expires"] + "\n" + extras(h) + "/" + bucket_of(g["bucket"]) + "/" + g["key"]
    path = "/".join(esc(part) for part in g["key"].split("/"))
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + path + "?" + WORDS["publicKeyParameter"] + "=" + esc(pub)
            + "&Expires=" + esc(g["expires"]) + "&Signature=" + esc(mac(text, pri))}


def etag(g, pub, pri):
    data = content(g["content"])
    size = 4 * 1024 * 1024
    blocks = [data[i:i + size] for i in range(0, len(data), size)]
    if len(data) <= size:
        sha = hashlib.sha1(data).digest()
    else:
        sha = hashlib.sha1(b"".join(hashlib.sha1(b).digest() for b in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(len(blocks).to_bytes(4, ENDIAN) + sha).decode("ascii")}


serve("junior", {"action-signature": signature, "action-query": query, "authorization": authorization, "presigned-url": url, "etag": etag})
