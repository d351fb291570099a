#!/usr/bin/env python3
"""Elixir with Phoenix: a plug that checks requests (verify-authorization and verify-presigned-url).

1. Plug.Head has made every HEAD request a GET before it is verified, in both operations: a signature of HEAD is refused, and one of
   GET is accepted for HEAD.
2. verify-presigned-url decodes the query with URI.decode_query, which makes a raw + a space, in the signature too.
3. verify-authorization checks the form of a callback policy but computes the signature without it: a correctly signed policy is
   refused, and any policy can follow a signature that was made without one.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import WORDS, Refused, serve  # noqa: E402

TCHARS = frozenset(b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def token(text):
    return len(text) > 0 and all(ord(c) in TCHARS for c in text)


def plug_method(conn):
    if not token(conn["method"]):
        raise Refused("method", "bad method")
    method = conn["method"].upper()
    return "GET" if method == "HEAD" else method


def req_headers(conn):
    out = []
    for name, value in conn["headers"]:
        name = name.strip(" \t")
        if not token(name):
            raise Refused("header-name", "bad name")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode("utf-8")
        if any(c in "\r\n\x00" for c in value):
            raise Refused("header-value", "bad value")
        out.append((name.lower(), value))
    return out


def get_req_header(headers, name):
    return [v for n, v in headers if n == name]


def svc_headers(headers):
    prefix = WORDS["headerPrefix"].lower()
    names = sorted({n for n, _ in headers if n[:len(prefix)] == prefix})
    return "".join(n + ":" + ",".join(get_req_header(headers, n)) + "\n" for n in names)


def mac(secret, data):
    return base64.encodebytes(hmac.new(secret.encode("utf-8"), data.encode("utf-8"), hashlib.sha1).digest()).decode().strip()


def unescape(text, reason):
    out = bytearray()
    raw = text.encode("utf-8")
    i = 0
    while i < len(raw):
        if raw[i] == 0x25:
            pair = raw[i + 1:i + 3]
            if not re.fullmatch(rb"[0-9a-fA-F]{2}", pair):
                raise Refused(reason, "malformed URI")
            out.append(int(pair, 16))
            i += 3
        else:
            out.append(raw[i])
            i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "invalid UTF-8")


def decode_policy(policy):
    if re.search("[-_]", policy) and re.search("[+/]", policy):
        raise ValueError("two alphabets")
    body = policy.rstrip("=").replace("-", "+").replace("_", "/")
    return json.loads(base64.b64decode(body.ljust((len(body) + 3) // 4 * 4, "="), validate=True).decode("utf-8"))


def parse_credentials(value, method):
    scheme, space, rest = value.partition(" ")
    parts = rest.split(":")
    if scheme != WORDS["scheme"] or not space or " " in rest or "\t" in rest or "" in parts or len(parts) not in (2, 3):
        raise Refused("authorization-malformed", "credentials")
    if len(parts) == 3:
        if method not in ("PUT", "POST"):
            raise Refused("authorization-malformed", "policy not allowed")
        try:
            policy = decode_policy(parts[2])
        except (ValueError, RecursionError):
            raise Refused("authorization-malformed", "policy")
        if not isinstance(policy, dict):
            raise Refused("authorization-malformed", "policy")
    return parts[0], parts[1]


def verify_authorization(conn, public_key, private_key):
    headers = req_headers(conn)
    method = plug_method(conn)
    if conn["bucket"] == "" or "/" in conn["bucket"]:
        raise Refused("bucket", "bad bucket")
    data = method + "\n"
    for name in ["content-md5", "content-type", "date"]:
        values = get_req_header(headers, name)
        if len(values) > 1:
            raise Refused("header-repeated", name)
        data += (values[0] if values else "") + "\n"
    data += svc_headers(headers) + "/" + conn["bucket"] + "/" + conn["key"]
    values = get_req_header(headers, "authorization")
    if values == []:
        raise Refused("authorization-missing", "none")
    if len(values) > 1:
        raise Refused("authorization-malformed", "many")
    account, signature = parse_credentials(values[0], method)
    if account != public_key:
        raise Refused("public-key-unknown", "unknown")
    if mac(private_key, data) != signature:
        raise Refused("signature-mismatch", "mismatch")
    return {"publicKey": account}


def verify_presigned_url(conn, public_key, private_key):
    method = plug_method(conn)
    headers = req_headers(conn)
    url = conn["url"]
    scheme, sep, rest = url.partition("://")
    authority, slash, tail = rest.partition("/")
    if scheme not in ("http", "https") or not sep or not slash or "#" in url or "?" in authority:
        raise Refused("url-malformed", "bad URL")
    bucket, _, host = authority.partition(".")
    if bucket == "" or host.lower() != conn["fileHost"].lower():
        raise Refused("url-malformed", "bad host")
    path, _, query = tail.partition("?")
    key = unescape(path, "url-malformed")
    params = []
    for pair in query.split("&"):
        if pair != "":
            name, _, value = pair.partition("=")
            params.append((unescape(name.replace("+", " "), "query-malformed"), unescape(value.replace("+", " "), "query-malformed")))
    picked = []
    for wanted in (WORDS["publicKeyParameter"], "Expires", "Signature"):
        values = [value for name, value in params if name == wanted]
        if len(values) > 1:
            raise Refused("parameter-repeated", wanted)
        picked.append(values[0] if values else None)
    account, expires, signature = picked
    if not signature:
        raise Refused("signature-missing", "none")
    if account is None or expires is None:
        raise Refused("parameter-missing", "none")
    if not (1 <= len(expires) <= 15 and expires.isascii() and expires.isdigit()):
        raise Refused("expires-malformed", "not an integer")
    if int(conn["now"]) > int(expires):
        raise Refused("expired", "too late")
    if account != public_key:
        raise Refused("public-key-unknown", "unknown")
    data = method + "\n\n\n" + expires + "\n" + svc_headers(headers) + "/" + bucket + "/" + key
    if mac(private_key, data) != signature:
        raise Refused("signature-mismatch", "mismatch")
    return {"publicKey": account}


OPS = {"verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url}

if __name__ == "__main__":
    serve("phoenix-plug", OPS)
