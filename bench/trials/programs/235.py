#!/usr/bin/env python3
"""A gateway in Go, net/http: it signs what it forwards, gives out pre-signed URLs and checks those that come back.

Mistakes:
1. ServeMux cleans the path before the handler sees it, so a pre-signed URL whose key has //, ./ or ../ is checked for another key.
2. Looks at the expiry last, so a late URL with a wrong signature (or an unknown public key) is reported as that, not as expired.
3. mime.ParseMediaType: only the media type, without parameters like charset, goes into the Content-Type line when the gateway signs or
   checks a header request.
"""
import base64
import hashlib
import hmac
import json
import os
import posixpath
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402


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
    return "".join(n + ":" + ",".join(groups[n]) + "\n" for n in sorted(groups))

def mac(text, private):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")

SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

def esc(text):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in text.encode("utf-8"))

def decode(text, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "a stray percent sign")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")

def known(public, pub):
    if public != pub:
        raise Refused("public-key-unknown", public)

EXPIRY_FIRST = False


def cleaned(path):
    out = posixpath.normpath("/" + path.lstrip("/"))
    return out[1:] + ("/" if path.endswith("/") and out != "/" else "")


def media_type(value):
    return value.partition(";")[0].strip(" \t").lower() if ";" in value else value


def string_to_sign(g, headers):
    method = verb_of(g["method"])
    bucket_of(g["bucket"])
    md5, mime, date = (single(headers, n) for n in ("content-md5", "content-type", "date"))
    return method + "\n" + md5 + "\n" + media_type(mime) + "\n" + date + "\n" + extras(headers) + "/" + g["bucket"] + "/" + g["key"]


def authorization(g, pub, pri):
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(string_to_sign(g, read(g["headers"])), pri)}


def is_policy(policy):
    if re.search("[-_]", policy) and re.search("[+/]", policy):
        return False
    bare = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(g, pub, pri):
    headers = read(g["headers"])
    text = string_to_sign(g, headers)
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing", "")
    if len(values) > 1:
        raise Refused("authorization-malformed", "twice")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if scheme != WORDS["scheme"] or not blank or re.search(r"[ \t]", rest) or len(parts) not in (2, 3) or "" in parts:
        raise Refused("authorization-malformed", values[0])
    if len(parts) == 3:
        if g["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "a third part")
        text += parts[2]
    known(parts[0], pub)
    if mac(text, pri) != parts[1]:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def presigned_text(method, expires, headers, bucket, key):
    return method + "\n\n\n" + expires + "\n" + extras(headers) + "/" + bucket + "/" + key


def presign(g, pub, pri):
    headers = read(g["headers"])
    method = verb_of(g["method"])
    signature = mac(presigned_text(method, g["expires"], headers, bucket_of(g["bucket"]), g["key"]), pri)
    path = "/".join(esc(part) for part in g["key"].split("/"))
    values = {"Expires": g["expires"], "Signature": signature, WORDS["publicKeyParameter"]: pub}
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + path + "?"
            + "&".join(n + "=" + esc(values[n]) for n in sorted(values))}


def verify_url(g, pub, pri):
    method = verb_of(g["method"])
    headers = read(g["headers"])
    match = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", g["url"], re.S)
    if match is None:
        raise Refused("url-malformed", g["url"])
    bucket, _, host = match[1].partition(".")
    if not bucket or host.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", match[1])
    key = cleaned(decode(match[2], "url-malformed"))
    seen = {}
    repeated = False
    for piece in (match[3] or "").split("&"):
        name, _, value = piece.partition("=")
        name, value = decode(name, "query-malformed"), decode(value, "query-malformed")
        if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            repeated = repeated or name in seen
            seen[name] = value
    if repeated:
        raise Refused("parameter-repeated", "")
    if not seen.get("Signature"):
        raise Refused("signature-missing", "")
    if WORDS["publicKeyParameter"] not in seen or "Expires" not in seen:
        raise Refused("parameter-missing", "")
    if EXPIRY_FIRST:
        not_late(seen["Expires"], g["now"])
    known(seen[WORDS["publicKeyParameter"]], pub)
    if mac(presigned_text(method, seen["Expires"], headers, bucket, key), pri) != seen["Signature"]:
        raise Refused("signature-mismatch", "")
    not_late(seen["Expires"], g["now"])
    return {"publicKey": pub}


def not_late(expires, now):
    if re.fullmatch("[0-9]{1,15}", expires) is None:
        raise Refused("expires-malformed", expires)
    if int(now) > int(expires):
        raise Refused("expired", expires)


serve("go-gateway", {"authorization": authorization, "verify-authorization": verify_authorization, "presigned-url": presign,
                     "verify-presigned-url": verify_url})
