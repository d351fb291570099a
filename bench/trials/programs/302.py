#!/usr/bin/env python3
r"""A Java developer of a Spring back end: the account API and the files, signing only.

Mistakes:
1. Cleans header values with String.trim(), which removes every character up to U+0020 at both ends: also other control characters such as U+0001 or U+000B, and
   a NUL or line break at an end, which should be refused.
2. Escapes with URLEncoder.encode(s, "UTF-8").replace("+", "%20") and nothing more: * stays as it is, and ~ becomes %7E.
3. Sorts parameters in a TreeMap<String, String>, by UTF-16 code units: a name with a character above U+FFFF comes before one with U+E000 to U+FFFF at that place.
4. In a form upload the HTTP client's media type adds "; charset=utf-8" to a form field Content-Type that starts with text/ and has no charset, and this longer value
   is signed.
5. Encodes Password with Base64.getMimeEncoder(): a CR LF after every 76 characters, except at the end.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal, InvalidOperation

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

BLOCK_SIZE = 4 * 1024 * 1024
LOW = "".join(map(chr, range(33)))
TOKEN_CHARS = set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def urlencode(s):
    out = []
    for b in s.encode("utf-8"):
        if 48 <= b <= 57 or 65 <= b <= 90 or 97 <= b <= 122 or b in b".-*_":
            out.append(chr(b))
        else:
            out.append("%%%02X" % b)
    return "".join(out)


# ---- account API

class Text(str):
    pass


class Literal(str):
    """Goes into JSON without quotes."""


def to_plain_string(written):
    if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", written, re.ASCII) is None:
        raise Refused("number", "NumberFormatException")
    try:
        d = Decimal(written)
        if d == 0:
            return "0"
        if not -4000 < d.adjusted() < 4000:
            raise Refused("number", "out of range")
        s = format(d, "f")
    except InvalidOperation:
        raise Refused("number", "out of range")
    return re.sub(r"\.?0+\Z", "", s) if "." in s else s


def visit(name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, bool):
        yield name, Literal("true" if v else "false")
    elif isinstance(v, str):
        yield name, Text(v)
    elif "number" in v:
        yield name, Literal(to_plain_string(v["number"]))
    else:
        children = v["object"] if "object" in v else [(str(i), x) for i, x in enumerate(v["list"])]
        for n, x in children:
            yield from visit(name + "." + n, x)


def tree_map(parameters):
    found = [pair for n, v in parameters for pair in visit(n, v) if pair[0] != "Signature"]
    tree = dict(found)
    if len(tree) != len(found):
        raise Refused("parameter-repeated", "same name twice")
    return sorted(tree.items(), key=lambda e: e[0].encode("utf-16-be"))


def sha1_hex(tree, pri):
    text = "".join([n + v for n, v in tree] + [pri])
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(tree, *names):
    for n in names:
        if n not in dict(tree):
            raise Refused("parameter-missing", n)


def signature(given, pub, pri):
    return {"signature": sha1_hex(tree_map(given["parameters"]), pri)}


def to_json(given, pub, pri):
    tree = tree_map(given["parameters"])
    require(tree, "Action", "PublicKey")
    entries = tree + [("Signature", Text(sha1_hex(tree, pri)))]
    return {"body": "{" + ",".join("%s:%s" % (json.dumps(n), v if isinstance(v, Literal) else json.dumps(v)) for n, v in entries) + "}"}


def query_of(tree, pri):
    return "&".join(["%s=%s" % (urlencode(n), urlencode(v)) for n, v in tree] + ["Signature=" + sha1_hex(tree, pri)])


def to_query(given, pub, pri):
    tree = tree_map(given["parameters"])
    require(tree, "Action", "PublicKey")
    return {"query": query_of(tree, pri)}


def to_target(given, pub, pri):
    tree = tree_map(given["parameters"])
    require(tree, "Action", "PublicKey")
    if dict(tree)["Action"] == "CreateBucket":
        require(tree, "Type", "BucketName")
    return {"target": "/?" + query_of(tree, pri)}


def password(given, pub, pri):
    s = base64.b64encode(given["text"].encode("utf-8")).decode("ascii")
    return {"value": "\r\n".join(s[i:i + 76] for i in range(0, len(s), 76))}


# ---- files

def trim(v):
    v.encode("utf-8")
    v = re.sub("[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(LOW)
    if re.search("[\r\n\0]", v):
        raise Refused("header-value", "IllegalArgumentException")
    return v


class FileRequest:
    def __init__(self, method, given):
        self.headers = []
        for n, v in given["headers"]:
            n = n.strip(" \t")
            if not n or set(n) - TOKEN_CHARS:
                raise Refused("header-name", "IllegalArgumentException")
            self.headers.append((n.lower(), trim(v)))
        if not method or set(method) - TOKEN_CHARS:
            raise Refused("method", "IllegalArgumentException")
        if not given["bucket"] or "/" in given["bucket"]:
            raise Refused("bucket", "IllegalArgumentException")
        self.method = method.upper()
        self.resource = "/" + given["bucket"] + "/" + given["key"]

    def all(self, name):
        values = [v for n, v in self.headers if n == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values

    def get(self, name):
        return (self.all(name) + [""])[0]

    def sign(self, pri, md5, mime, date):
        prefix, names = WORDS["headerPrefix"].lower(), []
        for n, _ in self.headers:
            if n.startswith(prefix) and n not in names:
                names.append(n)
        canonical = "".join(n + ":" + ",".join(v for m, v in self.headers if m == n) + "\n" for n in sorted(names))
        text = self.method + "\n" + md5 + "\n" + mime + "\n" + date + "\n" + canonical + self.resource
        return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def header(pub, signed):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + signed


def plain(method, given, pub, pri):
    r = FileRequest(method, given)
    return header(pub, r.sign(pri, r.get("content-md5"), r.get("content-type"), r.get("date")))


def put(given, pub, pri):
    return {"authorization": plain(given["method"], given, pub, pri)}


def form(given, pub, pri):
    r = FileRequest("POST", given)
    fields = {"Content-Type": [], "Content-MD5": []}
    for n, v in given["fields"]:
        if n in fields:
            fields[n].append(trim(v))
    md5, mime = r.all("content-md5") or fields["Content-MD5"], fields["Content-Type"]
    if len(md5) > 1 or len(mime) > 1:
        raise Refused("header-repeated", "form field")
    mime = mime[0] if mime else ""
    if mime.lower().startswith("text/") and "charset" not in mime.lower():
        mime += "; charset=utf-8"
    return {"authorization": header(pub, r.sign(pri, md5[0] if md5 else "", mime, r.get("date")))}


def hit(given, pub, pri):
    return {"authorization": plain("POST", given, pub, pri),
            "target": "/uploadhit?Hash=" + urlencode(given["etag"]) + "&FileName=" + urlencode(given["key"]) + "&FileSize=" + urlencode(given["size"])}


def link(given, pub, pri):
    signed = FileRequest(given["method"], given).sign(pri, "", "", given["expires"])
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + urlencode(given["key"]).replace("%2F", "/") + "?"
            + WORDS["publicKeyParameter"] + "=" + urlencode(pub) + "&Expires=" + urlencode(given["expires"]) + "&Signature=" + urlencode(signed)}


def etag(given, pub, pri):
    data = content(given["content"])
    count = (len(data) + BLOCK_SIZE - 1) // BLOCK_SIZE
    sha = hashlib.sha1()
    if count <= 1:
        sha.update(data)
    else:
        for i in range(count):
            sha.update(hashlib.sha1(data[i * BLOCK_SIZE:(i + 1) * BLOCK_SIZE]).digest())
    return {"etag": base64.urlsafe_b64encode(bytes([count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24]) + sha.digest()).decode("ascii")}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode("ascii")}


serve("java-spring", {"url-encode": lambda given, pub, pri: {"encoded": urlencode(given["text"])}, "password": password, "action-signature": signature,
                      "action-json": to_json, "action-query": to_query, "bucket-request": to_target, "authorization": put, "form-authorization": form,
                      "instant-upload": hit, "presigned-url": link, "etag": etag, "part-etag": part_etag})
