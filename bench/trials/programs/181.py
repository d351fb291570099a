#!/usr/bin/env python3
"""A gateway whose verifier was ported from that of Aliyun OSS; its tests use the signer in the same file.

Mistakes:
1. Sub-resources in the query of a pre-signed URL (uploads, uploadId, partNumber, acl, and every response-*) are appended to the signed
   resource, sorted, as ?name=value&name: a URL that carries such a parameter beside its three own ones is refused, although it was signed by
   the specification (verify-presigned-url).
2. If a header X-Svc-Date is there, the Date position is left empty; the extra header itself is signed as usual (authorization and
   verify-authorization).
3. A pre-signed URL counts as expired in the very second of its expiry: now >= Expires instead of now > Expires.
4. Keys are signed without their leading slashes, as OSS forbids these: /a is signed as a (all three operations).
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

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
SUB = {"uploads", "uploadId", "partNumber", "acl"}


def value_of(v):
    v.encode("utf-8")
    v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v)
    if re.search(r"[\r\n\0]", v):
        raise Refused("header-value", "line break")
    return v.strip(" \t")


def parse(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if TOKEN.fullmatch(n) is None:
            raise Refused("header-name", n)
        out.append((n.lower(), value_of(v)))
    return out


def get(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def upper(method):
    if TOKEN.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


def extra(headers):
    lines = {}
    for n, v in headers:
        if n.startswith(WORDS["headerPrefix"].lower()):
            lines.setdefault(n, []).append(v)
    return "".join("%s:%s\n" % (n, ",".join(lines[n])) for n in sorted(lines))


def resource(bucket, key, sub=()):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    path = "/" + bucket + "/" + key.lstrip("/")
    return path + ("?" + "&".join(n + ("=" + v if v else "") for n, v in sorted(sub)) if sub else "")


def signature(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def header_text(given, headers):
    date = get(headers, "date")
    if any(n == WORDS["headerPrefix"].lower() + "date" for n, _ in headers):
        date = ""
    return "\n".join([upper(given["method"]), get(headers, "content-md5"), get(headers, "content-type"), date,
                      extra(headers) + resource(given["bucket"], given["key"])])


def authorization(given, pub, pri):
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature(header_text(given, parse(given["headers"])), pri)}


def json_object(policy):
    if re.search("[+/]", policy) and re.search("[-_]", policy):
        return False
    bare = policy.rstrip("=").translate({45: 43, 95: 47})
    try:
        return isinstance(json.loads(base64.b64decode(bare + "==="[:-len(bare) % 4], validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify(given, pub, pri):
    headers = parse(given["headers"])
    text = header_text(given, headers)
    text.encode("utf-8")
    sent = [v for n, v in headers if n == "authorization"]
    if not sent:
        raise Refused("authorization-missing", "no header")
    head, _, rest = sent[0].partition(" ")
    parts = rest.split(":")
    if len(sent) > 1 or head != WORDS["scheme"] or len(parts) not in (2, 3) or "" in parts or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "no credentials")
    if len(parts) == 3:
        if given["method"].upper() not in ("POST", "PUT") or not json_object(parts[2]):
            raise Refused("authorization-malformed", "no policy here")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    if not hmac.compare_digest(signature(text, pri).encode(), parts[1].encode("utf-8")):
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": pub}


def unquote(s, reason):
    if re.search("%(?![0-9a-fA-F]{2})", s):
        raise Refused(reason, "percent sign")
    try:
        return re.sub(b"%(..)", lambda m: bytes.fromhex(m[1].decode()), s.encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def verify_url(given, pub, pri):
    method = upper(given["method"])
    headers = parse(given["headers"])
    url = given["url"]
    scheme, _, rest = url.partition("://")
    authority, slash, rest = rest.partition("/")
    bucket, dot, domain = authority.partition(".")
    if scheme not in ("http", "https") or not slash or not bucket or domain.lower() != given["fileHost"].lower() or re.search(r"[?#]", authority) or "#" in rest:
        raise Refused("url-malformed", url[:60])
    path, _, query = rest.partition("?")
    key = unquote(path, "url-malformed")
    pairs = []
    for piece in query.split("&"):
        if piece:
            n, _, v = piece.partition("=")
            pairs.append((unquote(n, "query-malformed"), unquote(v, "query-malformed")))
    own = {}
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    for n, v in pairs:
        if n in names:
            if n in own:
                raise Refused("parameter-repeated", n)
            own[n] = v
    if not own.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    if len(own) < 3:
        raise Refused("parameter-missing", "no key or no expiry")
    if re.fullmatch("[0-9]{1,15}", own["Expires"]) is None:
        raise Refused("expires-malformed", own["Expires"])
    if int(given["now"]) >= int(own["Expires"]):
        raise Refused("expired", own["Expires"])
    if own[names[0]] != pub:
        raise Refused("public-key-unknown", own[names[0]])
    sub = [(n, v) for n, v in pairs if n in SUB or n.startswith("response-")]
    text = method + "\n\n\n" + own["Expires"] + "\n" + extra(headers) + resource(bucket, key, sub)
    if signature(text, pri) != own["Signature"]:
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": pub}


serve("oss-port", {"authorization": authorization, "verify-authorization": verify, "verify-presigned-url": verify_url})
