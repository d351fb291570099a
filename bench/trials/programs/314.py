#!/usr/bin/env python3
"""A Rust developer's storage gateway on axum, with the url crate and http::HeaderMap; it checks uploads and links and computes ETags.

Mistakes:
1. A link goes through Url::parse, which resolves dot segments in the path (a/../b is b, %2e is a dot as well) and turns a backslash into a slash before the key is read.
2. Url::parse also normalises the host: the bucket of a link comes out in lower case (and in punycode).
3. The query of a link is read with query_pairs(): a plus sign is a space (so a raw + in Signature breaks), stray percent signs are kept and bytes that are not UTF-8 replaced.
4. Each name of the HeaderMap is read once with get(), which gives the first value: the other values of a repeated extra header are not signed, and repeated Content-Type,
   Content-MD5, Date or Authorization headers are not refused.
5. Header values are read with to_str().unwrap_or(""): a value with any character outside visible ASCII counts as empty.
6. A link is refused already in the second of Expires (now >= expires).
"""
import base64
import hashlib
import hmac
import json
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402


# ---- http

def header_map(headers):
    """name in lower case -> first value"""
    out = {}
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", "InvalidHeaderName")
        value = header_text(value)
        out.setdefault(name.lower(), value if all(c == "\t" or " " <= c <= "~" for c in value) else "")
    return out


def header_text(value):
    folds = re.findall(r"\n(.?)", value, re.S)
    if folds and all(c in (" ", "\t") for c in folds if c) and "" not in folds:
        value = re.sub(r"[ \t]*\r?\n[ \t](?:[ \t]|\r?\n[ \t])*", " ", value)
    value = value.strip(" \t")
    value.encode("utf-8")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "InvalidHeaderValue")
    return value


def method_text(method):
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
        raise Refused("method", "InvalidMethod")
    return method.upper()


def svc_headers(headers):
    prefix = WORDS["headerPrefix"].lower()
    return "".join(n + ":" + headers[n] + "\n" for n in sorted(headers) if n.startswith(prefix))


def sign(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def put_policy(text):
    if re.search(r"[+/]", text):
        if re.search(r"[-_]", text):
            return False
    else:
        text = text.replace("-", "+").replace("_", "/")
    text = text.rstrip("=")
    try:
        value = json.loads(base64.b64decode(text + "===="[:-len(text) % 4], validate=True).decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def verify_authorization(given, pub, pri):
    headers = header_map(given["headers"])
    method = method_text(given["method"])
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", "InvalidBucket")
    text = "%s\n%s\n%s\n%s\n%s/%s/%s" % (method, headers.get("content-md5", ""), headers.get("content-type", ""), headers.get("date", ""),
                                         svc_headers(headers), given["bucket"], given["key"])
    if "authorization" not in headers:
        raise Refused("authorization-missing", "no header")
    scheme, blank, rest = headers["authorization"].partition(" ")
    parts = rest.split(":")
    if scheme != WORDS["scheme"] or not blank or not 2 <= len(parts) <= 3 or not all(parts) or re.search(r"[ \t]", rest):
        raise Refused("authorization-malformed", "cannot parse")
    if len(parts) == 3:
        if method not in ("PUT", "POST") or not put_policy(parts[2]):
            raise Refused("authorization-malformed", "no policy expected")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", "unknown account")
    if sign(text, pri) != parts[1]:
        raise Refused("signature-mismatch", "mismatch")
    return {"publicKey": parts[0]}


# ---- url

def decode(text):
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"))


def url_path(path):
    out = []
    parts = re.split(r"[/\\]", path)
    for i, part in enumerate(parts):
        dots = re.sub("%2[eE]", ".", part)
        if dots == "..":
            del out[-1:]
        elif dots != ".":
            out.append(part)
            continue
        if i == len(parts) - 1:
            out.append("")
    return "/".join(out)


def key_of(path):
    if re.search(r"%(?![0-9A-Fa-f]{2})", path):
        raise Refused("url-malformed", "bad escape")
    try:
        return decode(url_path(path)).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("url-malformed", "Utf8Error")


def url_host(host):
    host = host.lower()
    labels = []
    for label in host.split("."):
        try:
            labels.append(label if label.isascii() else label.encode("idna").decode())
        except UnicodeError:
            raise Refused("url-malformed", "InvalidDomainCharacter")
    return ".".join(labels)


def query_pairs(query):
    out = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.replace("+", " ").partition("=")
            out.append((decode(name).decode("utf-8", "replace"), decode(value).decode("utf-8", "replace")))
    return out


def verify_presigned_url(given, pub, pri):
    method = method_text(given["method"])
    headers = header_map(given["headers"])
    match = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)\??([^#]*)", given["url"], re.S)
    if not match:
        raise Refused("url-malformed", "ParseError")
    bucket, _, host = url_host(match[1]).partition(".")
    if not bucket or host != url_host(given["fileHost"]):
        raise Refused("url-malformed", "another host")
    key = key_of(match[2])
    pairs = [(n, v) for n, v in query_pairs(match[3]) if n in (WORDS["publicKeyParameter"], "Expires", "Signature")]
    params = dict(pairs)
    if len(params) != len(pairs):
        raise Refused("parameter-repeated", "twice")
    if not params.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    for name in (WORDS["publicKeyParameter"], "Expires"):
        if name not in params:
            raise Refused("parameter-missing", name)
    expires, account = params["Expires"], params[WORDS["publicKeyParameter"]]
    if not re.fullmatch(r"[0-9]{1,15}", expires):
        raise Refused("expires-malformed", "ParseIntError")
    if int(given["now"]) >= int(expires):
        raise Refused("expired", "link is too old")
    if account != pub:
        raise Refused("public-key-unknown", "unknown account")
    text = "%s\n\n\n%s\n%s/%s/%s" % (method, expires, svc_headers(headers), bucket, key)
    if sign(text, pri) != params["Signature"]:
        raise Refused("signature-mismatch", "mismatch")
    return {"publicKey": account}


# ---- ETag

def etag(given, pub, pri):
    data = content(given["content"])
    chunks = [data[i:i + 4194304] for i in range(0, len(data), 4194304)]
    digest = hashlib.sha1(data if len(chunks) <= 1 else b"".join(hashlib.sha1(c).digest() for c in chunks)).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", len(chunks)) + digest).decode()}


serve("axum-gateway", {
    "verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url, "etag": etag,
    "part-etag": lambda given, pub, pri: {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode()}})
