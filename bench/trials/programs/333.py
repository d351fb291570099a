#!/usr/bin/env python3
"""An Elixir library: a client, and a Plug that authenticates requests.

Mistakes:
1. The parameters are a map and nobody sorts it, because small maps come out sorted; with more than 32 parameters (after flattening) the order is that of the hash, when signing and when checking.
2. Floats are written with :erlang.float_to_binary(f, [:compact, decimals: 10]): 42.0 stays 42.0, 1e3 is 1000.0, and digits after the tenth are rounded away.
3. The Plug matches [public_key, signature] = String.split(rest, ":"), so it refuses every request with a callback policy.
4. The Plug makes a map of the request's headers: of a repeated extra header only the last value is checked.
5. The Plug takes the key of a link from conn.path_info, which has no empty segments: doubled slashes and slashes at the start and the end of a key are lost.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def uri_encode(text):
    out = ""
    for byte in text.encode("utf-8"):
        out += chr(byte) if chr(byte) in UNRESERVED else "%%%02X" % byte
    return out


def exact(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    return value


def number_to_binary(written):
    value = exact(written)
    if re.fullmatch("-?[0-9]+", written):
        return str(int(value))
    number = float(written)
    if number in (float("inf"), float("-inf")):
        raise Refused("number", "too large")
    text = ("%.10f" % number).rstrip("0")
    text = text + "0" if text.endswith(".") else text
    return "0.0" if text == "-0.0" else text


def map_order(names):
    if len(names) <= 32:
        return sorted(names, key=lambda name: name.encode("utf-8"))
    return sorted(names, key=lambda name: hashlib.md5(name.encode("utf-8")).digest())


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
        return [(name, number_to_binary(value["number"]), False)]
    if "list" in value:
        children = [(str(index), item) for index, item in enumerate(value["list"])]
    else:
        children = value["object"]
    out = []
    for child, item in children:
        out += flatten(name + "." + child, item)
    return out


def ordered(names):
    return map_order(names)


def header_map(headers):
    extra = {name: value for name, value in headers if name.startswith(WORDS["headerPrefix"].lower())}
    return [(name, value) for name, value in headers if name not in extra] + list(extra.items())


def to_params(pairs):
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
    pieces = [uri_encode(name) + "=" + uri_encode(value) for name, value, _ in params]
    return "&".join(pieces + ["Signature=" + signature])


def action_signature(given, pub, pri):
    return {"signature": sign_parameters(to_params(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = to_params(given["parameters"])
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


def canonical(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(groups[name]) + "\n" for name in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def string_to_sign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      canonical(headers) + resource(bucket, key)])


def presign_string(method, bucket, key, headers, expires):
    return "\n".join([verb(method), "", "", expires, canonical(headers) + resource(bucket, key)])


def hmac_base64(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = string_to_sign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmac_base64(text, pri)}


def url_path(key):
    return "/".join(uri_encode(segment) for segment in key.split("/"))


def presigned_url(given, pub, pri):
    signature = hmac_base64(presign_string(given["method"], given["bucket"], given["key"], read_headers(given["headers"]), given["expires"]), pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + url_path(given["key"]) + "?"
            + WORDS["publicKeyParameter"] + "=" + uri_encode(pub) + "&Expires=" + uri_encode(given["expires"]) + "&Signature=" + uri_encode(signature)}


def secure_compare(expected, got):
    return hmac.compare_digest(expected.encode("utf-8"), got.encode("utf-8"))


def verify_authorization(given, pub, pri):
    headers = header_map(read_headers(given["headers"]))
    text = string_to_sign(given["method"], given["bucket"], given["key"], headers)
    values = [value for name, value in headers if name == "authorization"]
    if not values:
        raise Refused("authorization-missing", "no Authorization")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme != WORDS["scheme"] or not blank or len(parts) != 2 or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "no match of right hand side")
    if not secure_compare(pub, parts[0]):
        raise Refused("public-key-unknown", parts[0])
    if not secure_compare(hmac_base64(text, pri), parts[1]):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": parts[0]}


def uri_decode(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray %")
    raw = re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"), flags=re.S)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def decode_query(query):
    out = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            out.append((uri_decode(name, "query-malformed"), uri_decode(value, "query-malformed")))
    return out


def path_info(path):
    return "/".join(uri_decode(segment, "url-malformed") for segment in path.split("/") if segment)


def expired(now, expires):
    return now > expires


def verify_presigned_url(given, pub, pri):
    verb(given["method"])
    headers = read_headers(given["headers"])
    match = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"], re.S)
    if not match or match[2].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key, found = path_info(match[3]), {}
    for name, value in decode_query(match[4] or ""):
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
    if not secure_compare(pub, public_key):
        raise Refused("public-key-unknown", public_key)
    if not secure_compare(hmac_base64(presign_string(given["method"], match[1], key, headers, expires), pri), found["Signature"]):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": public_key}


def verify_query(given, pub, pri):
    pairs = decode_query(given["query"])
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a name is there twice")
    params, signature = to_params(pairs), dict(pairs).get("Signature")
    if not signature:
        raise Refused("signature-missing", "no Signature")
    require(params, "Action", "PublicKey")
    public_key = dict(pairs)["PublicKey"]
    if not secure_compare(pub, public_key):
        raise Refused("public-key-unknown", public_key)
    if not secure_compare(sign_parameters(params, pri), signature):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": public_key}


if __name__ == "__main__":
    serve("elixir-plug", {"action-signature": action_signature, "action-query": action_query, "authorization": authorization, "presigned-url": presigned_url,
                         "verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url, "verify-query": verify_query})
