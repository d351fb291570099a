#!/usr/bin/env python3
"""An OpenResty (nginx Lua) module: a gateway that signs upstream requests and checks incoming ones.

Mistakes:
1. Numbers are written by LuaJIT's tostring, which is %.14g: 1234567890123456 is 1.2345678901235e+15.
2. A repeated extra header arrives as a table and the code takes its first value only.
3. Incoming query strings are decoded with ngx.unescape_uri, so a raw + (in an unescaped Signature) becomes a space.
4. The key of an incoming link comes from $uri, in which nginx has merged adjacent slashes.
5. A link is refused in the very second of its expiry (expires <= ngx.time()).
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def escape_uri(text):
    out = ""
    for byte in text.encode("utf-8"):
        out += chr(byte) if chr(byte) in UNRESERVED else "%%%02X" % byte
    return out


def cjson_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    return value


def tostring(written):
    cjson_number(written)
    number = float(written)
    return "%.14g" % number if number else "0"


def boolean(value):
    return "true" if value else "false"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, boolean(value), False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, tostring(value["number"]), False)]
    if "list" in value:
        children = [(str(index), item) for index, item in enumerate(value["list"])]
    else:
        children = value["object"]
    out = []
    for child, item in children:
        out += flatten(name + "." + child, item)
    return out


def ordered(names):
    return sorted(names, key=lambda name: name.encode("utf-8"))


def sorted_args(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in ordered(found)]


def sign_parameters(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def build_query(params, signature):
    pieces = [escape_uri(name) + "=" + escape_uri(value) for name, value, _ in params]
    return "&".join(pieces + ["Signature=" + signature])


def action_signature(given, pub, pri):
    return {"signature": sign_parameters(sorted_args(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = sorted_args(given["parameters"])
    require(params, "Action", "PublicKey")
    return {"query": build_query(params, sign_parameters(params, pri))}


def clean(name, value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def read_headers(pairs):
    out = []
    for name, value in pairs:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
        out.append((name.lower(), clean(name, value)))
    return out


def single(headers, wanted):
    values = [value for name, value in headers if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def canonical_headers(headers):
    first = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()) and name not in first:
            first[name] = value
    return "".join(name + ":" + first[name] + "\n" for name in sorted(first))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def file_text(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      canonical_headers(headers) + resource(bucket, key)])


def url_text(method, bucket, key, headers, expires):
    return "\n".join([verb(method), "", "", expires, canonical_headers(headers) + resource(bucket, key)])


def hmac_sha1_base64(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = file_text(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmac_sha1_base64(text, pri)}


def url_path(key):
    return "/".join(escape_uri(segment) for segment in key.split("/"))


def presigned_url(given, pub, pri):
    signature = hmac_sha1_base64(url_text(given["method"], given["bucket"], given["key"], read_headers(given["headers"]), given["expires"]), pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + url_path(given["key"]) + "?"
            + WORDS["publicKeyParameter"] + "=" + escape_uri(pub) + "&Expires=" + escape_uri(given["expires"]) + "&Signature=" + escape_uri(signature)}


def is_policy(text):
    if re.search("[+/]", text) and re.search("[-_]", text):
        return False
    try:
        bare = text.replace("-", "+").replace("_", "/").rstrip("=")
        return isinstance(json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def same(expected, got):
    return hmac.compare_digest(expected.encode("utf-8"), got.encode("utf-8"))


def verify_authorization(given, pub, pri):
    headers = read_headers(given["headers"])
    text = file_text(given["method"], given["bucket"], given["key"], headers)
    values = [value for name, value in headers if name == "authorization"]
    if not values:
        raise Refused("authorization-missing", "no Authorization")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme != WORDS["scheme"] or not blank or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "expected scheme publicKey:signature")
    if len(parts) == 3:
        if given["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "no policy")
        text += parts[2]
    if not same(pub, parts[0]):
        raise Refused("public-key-unknown", parts[0])
    if not same(hmac_sha1_base64(text, pri), parts[1]):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": parts[0]}


def unescape_uri(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray %")
    raw = re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"), flags=re.S)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def get_uri_args(query):
    out = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.replace("+", " ").partition("=")
            out.append((unescape_uri(name, "query-malformed"), unescape_uri(value, "query-malformed")))
    return out


def uri_var(path):
    return re.sub("//+", "/", unescape_uri("/" + path, "url-malformed"))[1:]


def expired(now, expires):
    return expires <= now


def verify_presigned_url(given, pub, pri):
    verb(given["method"])
    headers = read_headers(given["headers"])
    match = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"], re.S)
    if not match or match[2].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key, found = uri_var(match[3]), {}
    for name, value in get_uri_args(match[4] or ""):
        if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if name in found:
                raise Refused("parameter-repeated", name)
            found[name] = value
    if not found.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    if len(found) < 3:
        raise Refused("parameter-missing", "no public key or no expiry")
    public_key, expires = found[WORDS["publicKeyParameter"]], found["Expires"]
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if expired(int(given["now"]), int(expires)):
        raise Refused("expired", expires)
    if not same(pub, public_key):
        raise Refused("public-key-unknown", public_key)
    if not same(hmac_sha1_base64(url_text(given["method"], match[1], key, headers, expires), pri), found["Signature"]):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": public_key}


def verify_query(given, pub, pri):
    pairs = get_uri_args(given["query"])
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a name is there twice")
    params, signature = sorted_args(pairs), dict(pairs).get("Signature")
    if not signature:
        raise Refused("signature-missing", "no Signature")
    require(params, "Action", "PublicKey")
    public_key = dict(pairs)["PublicKey"]
    if not same(pub, public_key):
        raise Refused("public-key-unknown", public_key)
    if not same(sign_parameters(params, pri), signature):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": public_key}


if __name__ == "__main__":
    serve("openresty-gateway", {"action-signature": action_signature, "action-query": action_query, "authorization": authorization, "presigned-url": presigned_url,
                               "verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url, "verify-query": verify_query})
