#!/usr/bin/env python3
"""A Ruby server on Rack: headers come from env, signatures are decoded before they are compared.

Mistakes:
1. Header names have gone through env (HTTP_X_SVC_META_A_B) and back: every underscore in a name is a hyphen, so x-svc-meta_a is
   x-svc-meta-a, and Content_Type is Content-Type.
2. Signatures are decoded with Base64.decode64 and compared as bytes: it skips characters that are not in the standard alphabet and
   needs no padding, so such a signature passes.
3. The path of a pre-signed URL is decoded with CGI.unescape: a literal plus sign in it becomes a space (%2B is right).
4. Expires is read with to_i: text after the first digits is ignored, white space or a sign before them is accepted, any number of
   digits too, and text without digits at the start is 0 (so it has expired). No expiry is refused as malformed.
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
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def tidy(v):
    v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
    v.encode("utf-8")
    if re.search(r"[\r\n\0]", v):
        raise Refused("header-value", "line break or NUL")
    return v


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if not re.fullmatch(TOKEN, n):
            raise Refused("header-name", n)
        out.append((n.lower().replace("_", "-"), tidy(v)))
    return out


def single(values):
    if len(values) > 1:
        raise Refused("header-repeated")
    return values[0] if values else ""


def position(headers, name):
    return single([v for n, v in headers if n == name])


def verb(m):
    if not re.fullmatch(TOKEN, m):
        raise Refused("method", m)
    return m.upper()


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def extra(headers):
    groups = {}
    for n, v in headers:
        if n.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(n, []).append(v)
    return "".join(n + ":" + ",".join(groups[n]) + "\n" for n in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def unescape(s, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, "stray percent sign")
    raw = re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode("ascii")), s.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def pairs_of(query):
    out = []
    for piece in query.split("&"):
        if piece:
            n, _, v = piece.partition("=")
            out.append((unescape(n, "query-malformed"), unescape(v, "query-malformed")))
    return out


def split_url(g):
    m = re.fullmatch(r"(https?)://([^/?#]*)/([^?#]*)\??([^#]*)", g["url"], re.S)
    if not m:
        raise Refused("url-malformed", "not a URL")
    bucket, _, host = m[2].partition(".")
    if not bucket or host.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    pairs = [p for p in pairs_of(m[4]) if p[0] in names]
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated")
    who, expires, signature = (dict(pairs).get(n) for n in names)
    if not signature:
        raise Refused("signature-missing")
    if who is None or expires is None:
        raise Refused("parameter-missing")
    return bucket, m[3], who, expires, signature


def split_header(headers):
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme != WORDS["scheme"] or not blank or re.search(r"[ \t]", rest):
        raise Refused("authorization-malformed")
    if len(parts) not in (2, 3) or "" in parts:
        raise Refused("authorization-malformed")
    return parts + [None] * (3 - len(parts))


def policy_ok(policy):
    if re.search("[+/]", policy) and re.search("[-_]", policy):
        return False
    plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def decode64(s):
    s = re.sub(r"[^A-Za-z0-9+/]", "", s.partition("=")[0])
    s = s[:-1] if len(s) % 4 == 1 else s
    return base64.b64decode(s + "=" * (-len(s) % 4))


def check(text, signature, who, pub, pri):
    if who != pub:
        raise Refused("public-key-unknown")
    if decode64(mac(text, pri)) != decode64(signature):
        raise Refused("signature-mismatch")
    return {"publicKey": who}


def verify_header(g, pub, pri):
    h = read(g["headers"])
    text = "\n".join([verb(g["method"]), position(h, "content-md5"), position(h, "content-type"), position(h, "date"),
                      extra(h) + resource(g["bucket"], g["key"])])
    who, signature, policy = split_header(h)
    if policy is not None:
        if g["method"].upper() not in ("PUT", "POST") or not policy_ok(policy):
            raise Refused("authorization-malformed")
        text += policy
    return check(text, signature, who, pub, pri)


def to_i(s):
    m = re.match(r"\s*([+-]?[0-9]+)", s)
    return int(m[1]) if m else 0


def verify_url(g, pub, pri):
    method, h = verb(g["method"]), read(g["headers"])
    bucket, path, who, expires, signature = split_url(g)
    key = unescape(path.replace("+", " "), "url-malformed")
    if int(g["now"]) > to_i(expires):
        raise Refused("expired")
    return check("\n".join([method, "", "", expires, extra(h) + resource(bucket, key)]), signature, who, pub, pri)


serve("rack-store", {"verify-authorization": verify_header, "verify-presigned-url": verify_url})
