#!/usr/bin/env python3
"""A Go server middleware that verifies all four kinds of request: net/http, net/url, encoding/json with UseNumber.

Mistakes:
1. Reads queries with r.URL.Query(), whose error nobody looks at: a plus sign is a space, and a piece with a stray percent sign or a raw
   semicolon is dropped without a word, both for account queries and for pre-signed URLs.
2. A number in a JSON body is a json.Number, signed as it is written: 42.0 as 42.0, 1e3 as 1e3, -0 as -0.
3. The expiry of a pre-signed URL is checked only if Expires is there and not empty; without it the line of Date is empty and the URL
   never expires.
4. Joins the values of a repeated extra header with a comma and a space, for Authorization and for pre-signed URLs.
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


class BadEscape(Exception):
    pass


def unescape(s, plus):
    out = bytearray()
    raw = s.encode("utf-8")
    i = 0
    while i < len(raw):
        if raw[i] == ord("%"):
            if not re.match(rb"[0-9A-Fa-f]{2}", raw[i + 1:i + 3]):
                raise BadEscape(s)
            out.append(int(raw[i + 1:i + 3], 16))
            i += 3
            continue
        out.append(32 if plus and raw[i] == ord("+") else raw[i])
        i += 1
    return bytes(out)


def text(b, reason):
    try:
        return b.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "invalid UTF-8")


def parse_query(raw):
    values = {}
    for piece in raw.split("&"):
        if piece == "" or ";" in piece:
            continue
        name, _, value = piece.partition("=")
        try:
            name, value = unescape(name, True), unescape(value, True)
        except BadEscape:
            continue
        values.setdefault(text(name, "query-malformed"), []).append(text(value, "query-malformed"))
    return values


def single(values, name):
    v = values.get(name)
    if v is None:
        return None
    if len(v) != 1:
        raise Refused("parameter-repeated", name)
    return v[0]


def account(public_key, pub):
    if public_key != pub:
        raise Refused("public-key-unknown", public_key)


def check_params(params, signature, pub, pri):
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "no Signature")
    for name in ("Action", "PublicKey"):
        if name not in params:
            raise Refused("parameter-missing", name)
    account(params["PublicKey"], pub)
    h = hashlib.sha1()
    for name in sorted(params, key=lambda n: n.encode("utf-8")):
        h.update(name.encode("utf-8"))
        h.update(params[name].encode("utf-8"))
    h.update(pri.encode("utf-8"))
    if not hmac.compare_digest(h.hexdigest().encode(), signature.encode("utf-8")):
        raise Refused("signature-mismatch", "403 Forbidden")
    return {"publicKey": pub}


def verify_query(g, pub, pri):
    values = parse_query(g["query"])
    params = {name: single(values, name) for name in values}
    signature = params.pop("Signature", None)
    return check_params(params, signature, pub, pri)


class Number(str):
    pass


class Object(list):
    pass


def no_constant(word):
    raise ValueError("invalid character in " + word)


def once(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated", "a member is there twice")
    return Object(pairs)


def verify_json(g, pub, pri):
    try:
        body = json.loads(g["body"], object_pairs_hook=once, parse_int=Number, parse_float=Number, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "400 Bad Request")
    if not isinstance(body, Object):
        raise Refused("body-malformed", "cannot unmarshal into map[string]interface{}")
    params = {}

    def walk(name, v):
        if v is None:
            raise Refused("body-malformed", name + " is null")
        if isinstance(v, Object):
            for k, x in v:
                walk(name + "." + k, x)
        elif isinstance(v, list):
            for i, x in enumerate(v):
                walk(name + "." + str(i), x)
        elif name != "Signature":
            if name in params:
                raise Refused("parameter-repeated", name)
            params[name] = ("false", "true")[v] if isinstance(v, bool) else str(v)

    for name, v in body:
        walk(name, v)
    signature = dict(body).get("Signature")
    return check_params(params, None if isinstance(signature, Number) else signature, pub, pri)


TCHAR = r"[A-Za-z0-9!#$%&'*+\-.^_`|~]+"


def read_header(rows):
    header = {}
    for name, value in rows:
        name = name.strip(" \t")
        if re.fullmatch(TCHAR, name) is None:
            raise Refused("header-name", "malformed MIME header line")
        value = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode("utf-8")
        if re.search(r"[\r\n\x00]", value):
            raise Refused("header-value", "malformed MIME header line")
        header.setdefault(name.title(), []).append(value)
    return header


def get(header, name):
    v = header.get(name, [])
    if len(v) > 1:
        raise Refused("header-repeated", name)
    return v[0] if v else ""


def canonical(header):
    prefix = WORDS["headerPrefix"].lower()
    lines = [(k.lower(), v) for k, v in header.items() if k.lower().startswith(prefix)]
    return "".join("%s:%s\n" % (k, ", ".join(v)) for k, v in sorted(lines))


def sign(pri, method, md5, mime, date, header, bucket, key):
    s = "%s\n%s\n%s\n%s\n%s/%s/%s" % (method.upper(), md5, mime, date, canonical(header), bucket, key)
    return s, lambda tail="": base64.b64encode(hmac.new(pri.encode("utf-8"), (s + tail).encode("utf-8"), hashlib.sha1).digest()).decode()


def check_method(method):
    if re.fullmatch(TCHAR, method) is None:
        raise Refused("method", "invalid method")


def policy(method, s):
    bare = s.rstrip("=")
    alphabet = re.fullmatch("[A-Za-z0-9_-]+|[A-Za-z0-9+/]+", bare)
    if method.upper() not in ("PUT", "POST") or alphabet is None:
        return False
    try:
        raw = base64.b64decode(bare.replace("-", "+").replace("_", "/") + "==="[:-len(bare) % 4])
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(g, pub, pri):
    header = read_header(g["headers"])
    check_method(g["method"])
    if g["bucket"] == "" or "/" in g["bucket"]:
        raise Refused("bucket", g["bucket"])
    _, signed = sign(pri, g["method"], get(header, "Content-Md5"), get(header, "Content-Type"), get(header, "Date"), header,
                     g["bucket"], g["key"])
    values = header.get("Authorization")
    if values is None:
        raise Refused("authorization-missing", "401 Unauthorized")
    scheme, ok, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme != WORDS["scheme"] or not ok or not 2 <= len(parts) <= 3 or not all(parts) or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "400 Bad Request")
    if len(parts) == 3 and not policy(g["method"], parts[2]):
        raise Refused("authorization-malformed", "no callback policy")
    account(parts[0], pub)
    if signed("".join(parts[2:])) != parts[1]:
        raise Refused("signature-mismatch", "403 Forbidden")
    return {"publicKey": pub}


def verify_presigned_url(g, pub, pri):
    header = read_header(g["headers"])
    check_method(g["method"])
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)\??([^#]*)", g["url"], re.S)
    if not m:
        raise Refused("url-malformed", "url.Parse")
    bucket, _, host = m.group(1).partition(".")
    if not bucket or host.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", "404 Not Found")
    try:
        key = text(unescape(m.group(2), False), "url-malformed")
    except BadEscape:
        raise Refused("url-malformed", "invalid URL escape")
    q = parse_query(m.group(3))
    public_key, expires, signature = (single(q, n) for n in (WORDS["publicKeyParameter"], "Expires", "Signature"))
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if public_key is None:
        raise Refused("parameter-missing", WORDS["publicKeyParameter"])
    if expires:
        if re.fullmatch("[0-9]{1,15}", expires) is None:
            raise Refused("expires-malformed", "strconv.ParseInt")
        if int(expires) < int(g["now"]):
            raise Refused("expired", "403 Forbidden")
    account(public_key, pub)
    _, signed = sign(pri, g["method"], "", "", expires or "", header, bucket, key)
    if signed() != signature:
        raise Refused("signature-mismatch", "403 Forbidden")
    return {"publicKey": pub}


serve("go-middleware", {
    "verify-authorization": verify_authorization,
    "verify-presigned-url": verify_presigned_url,
    "verify-query": verify_query,
    "verify-json": verify_json,
})
