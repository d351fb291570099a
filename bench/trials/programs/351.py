#!/usr/bin/env python3
"""A compatible storage server for tests, written in Python on Flask, with a small client for its own tests.

Mistakes:
1. The Authorization scheme is compared without regard to case, as HTTP schemes usually are.
2. File signatures are compared as base64.b64decode(got) == digest, which skips foreign characters and spare bits, so altered spellings of a right signature pass.
3. A link whose Expires is more than 604800 seconds after now is refused as expires-malformed, the limit of S3.
4. A JSON body is read with json.loads, which takes the last of repeated members, and nothing is refused.
5. Queries (of links too) are read with parse_qsl and its defaults: + is a space, empty values are dropped, a stray % stays and broken UTF-8 becomes U+FFFD.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal
from urllib.parse import parse_qsl

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
WEEK = 604800


def encode(text):
    return "".join(chr(byte) if chr(byte) in UNRESERVED else "%%%02X" % byte for byte in text.encode("utf-8"))


def check_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    return value


def number_text(written):
    text = format(check_number(written), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if text.strip("-0.") else "0"


def bool_text(value):
    return "true" if value else "false"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, bool_text(value), False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, number_text(value["number"]), False)]
    children = value["object"] if "object" in value else [(str(i), item) for i, item in enumerate(value["list"])]
    return [leaf for child, item in children for leaf in flatten(name + "." + child, item)]


def sort_names(names):
    return sorted(names, key=lambda name: name.encode("utf-8"))


def collect(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in sort_names(found)]


def sign_params(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def url_encode(given, pub, pri):
    return {"encoded": encode(given["text"])}


def action_signature(given, pub, pri):
    return {"signature": sign_params(collect(given["parameters"]), pri)}


def unfold(value):
    return re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)


def clean(name, value):
    value = unfold(value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def field_name(name):
    name = name.strip(" \t")
    if not re.fullmatch(TOKEN, name):
        raise Refused("header-name", name)
    return name.lower()


def read_headers(pairs):
    return [(field_name(name), clean(name, value)) for name, value in pairs]


def single(headers, wanted):
    values = [value for name, value in headers if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def canonical_headers(headers):
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


def content_type(method, headers):
    return single(headers, "content-type")


def string_to_sign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), content_type(method, headers), single(headers, "date"),
                      canonical_headers(headers) + resource(bucket, key)])


def hmac_base64(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def credential(text, pub, pri):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + hmac_base64(text, pri)


def authorization(given, pub, pri):
    text = string_to_sign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    return {"authorization": credential(text, pub, pri)}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def key_path(key):
    return "/".join(encode(segment) for segment in key.split("/"))


def presigned_query(pub, expires, signature):
    return WORDS["publicKeyParameter"] + "=" + encode(pub) + "&Expires=" + encode(expires) + "&Signature=" + encode(signature)


def presigned_url(given, pub, pri):
    signature = presigned_signature(given, pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + key_path(given["key"]) + "?"
            + presigned_query(pub, given["expires"], signature)}


def is_policy(text):
    if re.search("[+/]", text) and re.search("[-_]", text):
        return False
    try:
        bare = text.replace("-", "+").replace("_", "/").rstrip("=")
        return isinstance(json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def percent_decode(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray %")
    raw = re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"), flags=re.S)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def query_pairs(query):
    return parse_qsl(query)


def same(expected, got):
    return hmac.compare_digest(expected.encode("utf-8"), got.encode("utf-8"))


def check_params(pairs, signature, pub, pri):
    params = collect(pairs)
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "no Signature")
    require(params, "Action", "PublicKey")
    public_key = [text for name, text, _ in params if name == "PublicKey"][0]
    if not same(pub, public_key):
        raise Refused("public-key-unknown", public_key)
    if not same(sign_params(params, pri), signature):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": public_key}


def verify_query(given, pub, pri):
    pairs = query_pairs(given["query"])
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a name is there twice")
    return check_params(pairs, dict(pairs).get("Signature"), pub, pri)


def same_digest(text, pri, got):
    try:
        return hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest() == base64.b64decode(got)
    except ValueError:
        return False


def verify_authorization(given, pub, pri):
    headers = read_headers(given["headers"])
    text = string_to_sign(given["method"], given["bucket"], given["key"], headers)
    values = [value for name, value in headers if name == "authorization"]
    if not values:
        raise Refused("authorization-missing", "no Authorization")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme.lower() != WORDS["scheme"].lower() or not blank:
        raise Refused("authorization-malformed", "another scheme")
    if len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "expected publicKey:signature")
    if len(parts) == 3:
        if given["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "no policy")
        text += parts[2]
    if not same(pub, parts[0]):
        raise Refused("public-key-unknown", parts[0])
    if not same_digest(text, pri, parts[1]):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": parts[0]}


def link_parameters(query):
    found = {}
    for name, value in query_pairs(query):
        if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if name in found:
                raise Refused("parameter-repeated", name)
            found[name] = value
    if not found.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    if len(found) < 3:
        raise Refused("parameter-missing", "no public key or no expiry")
    return found[WORDS["publicKeyParameter"]], found["Expires"], found["Signature"]


def check_expiry(now, expires):
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if now > int(expires):
        raise Refused("expired", expires)
    if int(expires) > now + WEEK:
        raise Refused("expires-malformed", "must be less than a week")


def verify_presigned_url(given, pub, pri):
    method, headers = verb(given["method"]), read_headers(given["headers"])
    match = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"], re.S)
    if not match or match[2].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key = percent_decode(match[3], "url-malformed")
    public_key, expires, signature = link_parameters(match[4] or "")
    check_expiry(int(given["now"]), expires)
    if not same(pub, public_key):
        raise Refused("public-key-unknown", public_key)
    text = "\n".join([method, "", "", expires, canonical_headers(headers) + resource(match[1], key)])
    if not same_digest(text, pri, signature):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": public_key}


def not_json(word):
    raise ValueError(word)


def number_member(written):
    return {"number": written}


def object_member(pairs):
    return {"object": list(dict(pairs).items())}


def with_lists(value):
    if isinstance(value, list):
        return {"list": [with_lists(item) for item in value]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [(name, with_lists(item)) for name, item in value["object"]]}
    return value


def read_body(body):
    try:
        value = with_lists(json.loads(body, object_pairs_hook=object_member, parse_int=number_member, parse_float=number_member, parse_constant=not_json))
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise Refused("body-malformed", "not an object")
    return value["object"]


def verify_json(given, pub, pri):
    members = read_body(given["body"])
    try:
        for name, value in members:
            flatten(name, value)
    except Refused:
        raise Refused("body-malformed", "a null or a bad number")
    return check_params(members, dict(members).get("Signature"), pub, pri)


if __name__ == "__main__":
    serve("svc-emulator", {"url-encode": url_encode, "action-signature": action_signature, "authorization": authorization,
                 "presigned-url": presigned_url, "verify-authorization": verify_authorization,
                 "verify-presigned-url": verify_presigned_url, "verify-query": verify_query, "verify-json": verify_json})
