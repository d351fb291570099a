#!/usr/bin/env python3
"""A Ruby developer's gateway as Rack middleware: it checks the Authorization header, pre-signed links and signed queries.

Mistakes:
1. Rack gives header names as HTTP_X_SVC_META_MY_KEY: the middleware turns every underscore into a hyphen, so X-Svc-Meta-my_key is signed as x-svc-meta-my-key.
2. Puma has joined repeated headers with a comma and a space, so a repeated extra header is signed as name:v1, v2; a repeated Content-Type, Content-MD5 or Date is not
   refused but signed in the same joined form.
3. Queries (of links too) are decoded with CGI.unescape: a plus sign is a space, also in Signature, and stray percent signs and bytes that are not UTF-8 are kept, not refused.
4. The query goes into a Hash: of a repeated parameter the last one counts and nothing is refused.
5. Expires is read with to_i, which takes the digits at the start (12abc is 12) and gives 0 for anything else, so a malformed expiry is late or passes and is never refused as such.
6. The signatures of files are compared after Base64.decode64, which skips unknown characters and padding: a signature without its = or with other characters in it passes.
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
from serving import Refused, WORDS, serve  # noqa: E402


# ---- Ruby; its strings are bytes, here with surrogateescape

def to_bytes(text):
    return text.encode("utf-8", "surrogateescape")


def cgi_unescape(text):
    raw = re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), to_bytes(text.replace("+", " ")))
    return raw.decode("utf-8", "surrogateescape")


def to_i(text):
    match = re.match(r"[ \t\n\v\f\r]*([+-]?[0-9]+(?:_[0-9]+)*)", text)
    return int(match[1].replace("_", "")) if match else 0


def decode64(text):
    text = re.sub("[^A-Za-z0-9+/]", "", text.split("=", 1)[0])
    if len(text) % 4 == 1:
        text = text[:-1]
    return base64.b64decode(text + "=" * (-len(text) % 4))


# ---- Rack

def rack_env(headers):
    env = {}
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", "HTTP::Parser error")
        value = unfolded(value)
        value.encode("utf-8")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", "HTTP::Parser error")
        name = name.upper().replace("-", "_")
        env[name] = env[name] + ", " + value if name in env else value
    return env


def unfolded(value):
    if "\n" in value and all(line[:1] in (" ", "\t") and line for line in value.split("\n")[1:]):
        value = re.sub(r"[ \t]*\r?\n[ \t]*(?:\r?\n[ \t]*)*", " ", value)
    return value.strip(" \t")


def extra_headers(env):
    prefix = WORDS["headerPrefix"].lower()
    names = {name.lower().replace("_", "-"): value for name, value in env.items()}
    return "".join("%s:%s\n" % (name, names[name]) for name in sorted(names) if name.startswith(prefix))


def http_method(text):
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", text):
        raise Refused("method", "HTTP::Parser error")
    return text.upper()


def hmac_sha1(text, pri):
    return hmac.new(pri.encode("utf-8"), to_bytes(text), hashlib.sha1).digest()


def check_file_signature(text, pri, given):
    if not hmac.compare_digest(hmac_sha1(text, pri), decode64(given)):
        raise Refused("signature-mismatch", "signature differs")


def policy_hash(policy):
    if re.search("[+/]", policy) and re.search("[-_]", policy):
        return False
    plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, pub, pri):
    env = rack_env(given["headers"])
    method = http_method(given["method"])
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", "no bucket")
    text = "\n".join([method] + [env.get(n, "") for n in ("CONTENT_MD5", "CONTENT_TYPE", "DATE")] + [
        extra_headers(env) + "/" + given["bucket"] + "/" + given["key"]])
    value = env.get("AUTHORIZATION")
    if value is None:
        raise Refused("authorization-missing", "no Authorization")
    scheme, blank, rest = value.partition(" ")
    parts = rest.split(":")
    if scheme != WORDS["scheme"] or not blank or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "not key:signature")
    if len(parts) == 3:
        if method not in ("PUT", "POST") or not policy_hash(parts[2]):
            raise Refused("authorization-malformed", "no policy")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    text.encode("utf-8")
    check_file_signature(text, pri, parts[1])
    return {"publicKey": parts[0]}


def query_hash(query):
    query.encode("utf-8")
    out = {}
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            out[cgi_unescape(name)] = cgi_unescape(value)
    return out


def unescape_path(path):
    if re.search("%(?![0-9a-fA-F]{2})", path):
        raise Refused("url-malformed", "bad escape")
    try:
        return re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), path.encode("utf-8"), flags=re.S).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("url-malformed", "path is not UTF-8")


def verify_presigned_url(given, pub, pri):
    method = http_method(given["method"])
    env = rack_env(given["headers"])
    match = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"], re.S)
    if not match:
        raise Refused("url-malformed", "bad URI")
    bucket, _, host = match[1].partition(".")
    if not bucket or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key, params = unescape_path(match[2]), query_hash(match[3] or "")
    account, expires, signature = params.get(WORDS["publicKeyParameter"]), params.get("Expires"), params.get("Signature")
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if account is None or expires is None:
        raise Refused("parameter-missing", "no key or no expiry")
    if int(given["now"]) > to_i(expires):
        raise Refused("expired", "link has expired")
    if account != pub:
        raise Refused("public-key-unknown", account)
    bucket.encode("utf-8")
    check_file_signature(method + "\n\n\n" + expires + "\n" + extra_headers(env) + "/" + bucket + "/" + key, pri, signature)
    return {"publicKey": account}


def verify_query(given, pub, pri):
    params = query_hash(given["query"])
    signature = params.pop("Signature", None)
    if not signature:
        raise Refused("signature-missing", "no Signature")
    for name in ("Action", "PublicKey"):
        if name not in params:
            raise Refused("parameter-missing", name)
    if params["PublicKey"] != pub:
        raise Refused("public-key-unknown", params["PublicKey"])
    text = "".join(n + params[n] for n in sorted(params, key=to_bytes)) + pri
    if not hmac.compare_digest(hashlib.sha1(to_bytes(text)).hexdigest().encode(), to_bytes(signature)):
        raise Refused("signature-mismatch", "signature differs")
    return {"publicKey": pub}


serve("rack-gateway", {"verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url, "verify-query": verify_query})
