#!/usr/bin/env python3
"""A server of files in Rust, on hyper.

Mistakes:
1. HeaderMap::get gives the first value: of an extra header that is sent twice only the first value is in the text the server signs.
2. uri.path() is not decoded: the key of a pre-signed URL is signed as it is written in the URL, with its percent escapes (a path whose
   escapes are malformed is still refused).
3. With PUT and POST, any third part of the Authorization header is accepted as a policy, without a look at whether it is Base64 of a
   JSON object.
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


def unescape(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray percent sign")
    raw, i, b = bytearray(), 0, text.encode("utf-8")
    while i < len(b):
        if b[i] == 37:
            raw.append(int(b[i + 1:i + 3], 16))
            i += 3
        else:
            raw.append(b[i])
            i += 1
    try:
        return bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def query_pairs(query):
    pairs = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append((unescape(name, "query-malformed"), unescape(value, "query-malformed")))
    return pairs


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
            groups.setdefault(name, [value])
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


def verify_authorization(g, pub, pri):
    headers = read(g["headers"])
    method, bucket = verb(g["method"]), bucket_of(g)
    text = "\n".join([method, one(headers, "content-md5"), one(headers, "content-type"), one(headers, "date"),
                      extra(headers) + "/" + bucket + "/" + g["key"]])
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing", "none")
    word, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or word != WORDS["scheme"] or not blank or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "not %s key:signature" % WORDS["scheme"])
    if len(parts) == 3:
        if method not in ("PUT", "POST"):
            raise Refused("authorization-malformed", "no policy here")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    if mac(pri, text) != parts[1]:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def verify_presigned_url(g, pub, pri):
    method, headers = verb(g["method"]), read(g["headers"])
    m = re.fullmatch("https?://([^/?#]*)/([^?#]*)[?]?([^#]*)", g["url"])
    if not m:
        raise Refused("url-malformed", "no URL")
    bucket, _, host = m[1].partition(".")
    if not bucket or host.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    unescape(m[2], "url-malformed")
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    pairs = [p for p in query_pairs(m[3]) if p[0] in names]
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    account, expires, signature = (dict(pairs).get(n) for n in names)
    if not signature:
        raise Refused("signature-missing", "none")
    if account is None or expires is None:
        raise Refused("parameter-missing", "no public key or no Expires")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(g["now"]) > int(expires):
        raise Refused("expired", expires)
    if account != pub:
        raise Refused("public-key-unknown", account)
    text = "\n".join([method, "", "", expires, extra(headers) + "/" + bucket + "/" + m[2]])
    if mac(pri, text) != signature:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


serve("hyper-server", {
    "verify-authorization": verify_authorization,
    "verify-presigned-url": verify_presigned_url,
})
