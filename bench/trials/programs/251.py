#!/usr/bin/env python3
"""A signer by an author who thinks in shell and awk: sort, printf, openssl, sha1sum.

Mistakes:
1. Sorts with LC_ALL=C sort -f, which folds a to z to upper case before it compares (equal ones by bytes): ChargeType comes before CPU,
   and a parameter or extra header name with ^, _ or a backquote sorts after one with a letter at that place.
2. Texts of parameters pass through $(...), so line feeds at the end of a value are lost, in the signed text and in what is sent.
3. Percent-encodes with printf '%%%02X' "'$c": each character outside ASCII becomes one escape of its code point (%E9, %4E2D) instead
   of its UTF-8 bytes.
4. The ETag of a file above 4 MB hashes the hexadecimal texts of sha1sum, put one after the other without line breaks, instead of the
   raw hashes of the blocks.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal, DecimalException

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


def sort_f(names):
    return sorted(names, key=lambda n: (n.encode("utf-8").upper(), n.encode("utf-8")))


def urlencode(text, keep=""):
    text.encode("utf-8")
    out = ""
    for c in text:
        if re.match("[a-zA-Z0-9._~-]", c) or c in keep:
            out += c
        else:
            out += "%%%02X" % ord(c)
    return out


def substitute(text):
    return text.rstrip("\n")


def numeral(t):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([Ee][-+]?[0-9]+)?", t):
        raise Refused("number", "not a number: " + t)
    try:
        d = Decimal(t)
        if not d:
            return "0"
        if abs(d.adjusted()) > 3999:
            raise Refused("number", "too long")
    except DecimalException:
        raise Refused("number", "too long")
    t = format(d, "f")
    return re.sub(r"\.?0*$", "", t) if "." in t else t


# name -> (text, json)
def flatten(rows):
    table, stack = {}, [(n, v) for n, v in reversed(rows)]
    while stack:
        n, v = stack.pop()
        if v is None:
            raise Refused("parameter-null", n)
        if isinstance(v, dict) and "number" not in v:
            if "list" in v:
                below = [(n + "." + str(i), x) for i, x in enumerate(v["list"])]
            else:
                below = [(n + "." + k, x) for k, x in v["object"]]
            stack += reversed(below)
            continue
        if n == "Signature":
            continue
        if n in table:
            raise Refused("parameter-repeated", n)
        if isinstance(v, bool):
            w = "true" if v else "false"
            table[n] = w, w
        elif isinstance(v, dict):
            w = numeral(v["number"])
            table[n] = w, w
        else:
            w = substitute(v)
            table[n] = w, json.dumps(w)
    return table


def sha1sum(data):
    return hashlib.sha1(data).hexdigest()


def sign_table(table, pri):
    return sha1sum(("".join(n + table[n][0] for n in sort_f(table)) + pri).encode("utf-8"))


def want(table, *names):
    for n in names:
        if n not in table:
            raise Refused("parameter-missing", n)


def query(g, pri):
    table = flatten(g["parameters"])
    want(table, "Action", "PublicKey")
    return table, "&".join([urlencode(n) + "=" + urlencode(table[n][0]) for n in sort_f(table)] + ["Signature=" + sign_table(table, pri)])


def action_signature(g, pub, pri):
    return {"signature": sign_table(flatten(g["parameters"]), pri)}


def action_query(g, pub, pri):
    return {"query": query(g, pri)[1]}


def action_json(g, pub, pri):
    table = flatten(g["parameters"])
    want(table, "Action", "PublicKey")
    lines = [json.dumps(n) + ": " + table[n][1] for n in sort_f(table)] + ['"Signature": "' + sign_table(table, pri) + '"']
    return {"body": "{\n  " + ",\n  ".join(lines) + "\n}"}


def bucket_request(g, pub, pri):
    table, text = query(g, pri)
    if table["Action"][0] == "CreateBucket":
        want(table, "Type", "BucketName")
    return {"target": "/?" + text}


TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def read_headers(rows):
    out = []
    for n, v in rows:
        n = n.strip(" \t")
        if not re.fullmatch(TOKEN, n):
            raise Refused("header-name", n)
        v = re.sub("([ \t]*\r?\n[ \t]+)+", " ", v).strip(" \t")
        v.encode("utf-8")
        if re.search("[\r\n\0]", v):
            raise Refused("header-value", n)
        out.append((n.lower(), v))
    return out


def pick(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return "".join(found)


def openssl_hmac(g, md5, mime, date, headers, pri):
    if not re.fullmatch(TOKEN, g["method"]):
        raise Refused("method", "not a token")
    if g["bucket"] == "" or "/" in g["bucket"]:
        raise Refused("bucket", "empty, or with a slash")
    prefix = WORDS["headerPrefix"].lower()
    text = g["method"].upper() + "\n" + md5 + "\n" + mime + "\n" + date + "\n"
    for name in sort_f({n for n, v in headers if n.startswith(prefix)}):
        text += name + ":" + ",".join(v for n, v in headers if n == name) + "\n"
    text += "/" + g["bucket"] + "/" + g["key"]
    return base64.b64encode(hmac.digest(pri.encode("utf-8"), text.encode("utf-8"), "sha1")).decode("ascii")


def authorization(g, pub, pri):
    h = read_headers(g["headers"])
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + openssl_hmac(
        g, pick(h, "content-md5"), pick(h, "content-type"), pick(h, "date"), h, pri)}


def presigned_url(g, pub, pri):
    s = openssl_hmac(g, "", "", g["expires"], read_headers(g["headers"]), pri)
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + urlencode(g["key"], "/") + "?"
            + WORDS["publicKeyParameter"] + "=" + urlencode(pub) + "&Expires=" + urlencode(g["expires"]) + "&Signature=" + urlencode(s)}


def etag(g, pub, pri):
    data = content(g["content"])
    size = 4 * 1048576
    blocks = (len(data) + size - 1) // size
    if blocks > 1:
        data = "".join(sha1sum(data[i * size:(i + 1) * size]) for i in range(blocks)).encode("ascii")
    packed = bytes((blocks >> shift) & 255 for shift in (0, 8, 16, 24)) + bytes.fromhex(sha1sum(data))
    return {"etag": base64.b64encode(packed).decode("ascii").translate({43: "-", 47: "_"})}


serve("shell", {
    "url-encode": lambda g, pub, pri: {"encoded": urlencode(g["text"])},
    "action-signature": action_signature, "action-query": action_query, "action-json": action_json, "bucket-request": bucket_request,
    "authorization": authorization, "presigned-url": presigned_url, "etag": etag,
})
