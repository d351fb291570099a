#!/usr/bin/env python3
"""A gateway in Lua for OpenResty that checks signatures (server side).

Mistakes:
1. Decodes "+" as a space wherever it decodes: in the names and values of a query and in the path of a URL (ngx.unescape_uri).
2. Does not turn the method into upper case before it signs (ngx.req.get_method), in verify-authorization and verify-presigned-url.
3. A repeated parameter in a query is not refused; the last one counts, in verify-query and verify-presigned-url.
4. A pre-signed URL is already expired in the second that Expires names (now >= Expires).
5. In a folded extra header, the line break is removed but the blanks around it stay (no single space in their place).
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


class ngx:
    @staticmethod
    def unescape_uri(s, reason="query-malformed"):
        if re.search(r"%(?![0-9A-Fa-f]{2})", s):
            raise Refused(reason, "percent")
        raw = s.replace("+", " ").encode("utf-8")
        raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), raw)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(reason, "utf-8")

    @staticmethod
    def hmac_sha1(secret, s):
        return hmac.new(secret.encode("utf-8"), s.encode("utf-8"), hashlib.sha1).digest()

    @staticmethod
    def encode_base64(b):
        return base64.b64encode(b).decode("ascii")


def get_uri_args(query):
    args = {}
    for piece in query.split("&"):
        if piece != "":
            name, _, value = piece.partition("=")
            args[ngx.unescape_uri(name)] = ngx.unescape_uri(value)
    return args


def token(s):
    return re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", s) is not None


def get_headers(list_):
    h = []
    for name, value in list_:
        name = name.strip(" \t")
        if not token(name):
            raise Refused("header-name", name)
        name = name.lower()
        if name.startswith(WORDS["headerPrefix"].lower()):
            value = re.sub(r"\r?\n([ \t])", r"\1", value)
        else:
            value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value)
        value = value.strip(" \t")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        value.encode("utf-8")
        h.append((name, value))
    return h


def single(h, name):
    found = [v for n, v in h if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def extra_block(h):
    names = sorted({n for n, _ in h if n.startswith(WORDS["headerPrefix"].lower())})
    return "".join(n + ":" + ",".join(v for m, v in h if m == n) + "\n" for n in names)


def account(got, pub):
    if got != pub:
        raise Refused("public-key-unknown", got)


def same(a, b):
    if a != b:
        raise Refused("signature-mismatch", "no match")


def good_policy(p):
    if not re.fullmatch(r"([A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}", p):
        return False
    p = p.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return isinstance(json.loads(base64.b64decode(p + "=" * (-len(p) % 4)).decode("utf-8")), dict)
    except ValueError:
        return False


def access_by_header(given, pub, pri):
    h = get_headers(given["headers"])
    method = given["method"]
    if not token(method):
        raise Refused("method", method)
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    text = "\n".join([method, single(h, "content-md5"), single(h, "content-type"), single(h, "date"),
                      extra_block(h) + "/" + given["bucket"] + "/" + given["key"]])
    auth = [v for n, v in h if n == "authorization"]
    if not auth:
        raise Refused("authorization-missing", "none")
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^:\s]+):([^:\s]+)(?::([^:\s]+))?", auth[0])
    if len(auth) > 1 or not m:
        raise Refused("authorization-malformed", "form")
    if m[3] is not None:
        if method.upper() not in ("PUT", "POST") or not good_policy(m[3]):
            raise Refused("authorization-malformed", "policy")
        text += m[3]
    account(m[1], pub)
    same(ngx.encode_base64(ngx.hmac_sha1(pri, text)), m[2])
    return {"publicKey": m[1]}


def access_by_url(given, pub, pri):
    method = given["method"]
    if not token(method):
        raise Refused("method", method)
    h = get_headers(given["headers"])
    m = re.fullmatch(r"(https?)://([^/?#]*)/([^?#]*)\??([^#]*)", given["url"], re.S)
    if not m:
        raise Refused("url-malformed", "url")
    bucket, _, host = m[2].partition(".")
    if bucket == "" or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = ngx.unescape_uri(m[3], "url-malformed")
    args = get_uri_args(m[4])
    who, expires, signature = args.get(WORDS["publicKeyParameter"]), args.get("Expires"), args.get("Signature")
    if not signature:
        raise Refused("signature-missing", "none")
    if who is None or expires is None:
        raise Refused("parameter-missing", "key or expiry")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(given["now"]) >= int(expires):
        raise Refused("expired", expires)
    account(who, pub)
    text = method + "\n\n\n" + expires + "\n" + extra_block(h) + "/" + bucket + "/" + key
    same(ngx.encode_base64(ngx.hmac_sha1(pri, text)), signature)
    return {"publicKey": who}


def access_by_args(given, pub, pri):
    args = get_uri_args(given["query"])
    signature = args.pop("Signature", None)
    if not signature:
        raise Refused("signature-missing", "none")
    for name in ("Action", "PublicKey"):
        if name not in args:
            raise Refused("parameter-missing", name)
    account(args["PublicKey"], pub)
    text = "".join(n + args[n] for n in sorted(args, key=lambda n: n.encode("utf-8"))) + pri
    same(hashlib.sha1(text.encode("utf-8")).hexdigest(), signature)
    return {"publicKey": args["PublicKey"]}


serve("lua-gate", {"verify-authorization": access_by_header, "verify-presigned-url": access_by_url, "verify-query": access_by_args})
