#!/usr/bin/env python3
r"""A Laravel package in PHP 8 with Guzzle.

Mistakes:
1. array_filter($params) without a callback drops every top-level parameter that is falsy: "", "0", 0, 0.0, false and an empty list.
2. A boolean is signed as (string)$value, "1" or "", while http_build_query sends 1 or 0 and json_encode sends true or false.
3. Numbers are PHP's: an integer beyond 64 bits and every fraction or exponent is a float written with precision=14, 1.0E+25 or 0.3, and one beyond a double is refused.
4. Folds are undone with str_replace("\r\n ", " ", $value), so blanks around a fold stay, and a fold by LF or by a tab is refused as a line break.
5. The resource and the path of a link use ltrim($key, "/"), so a key's leading slashes are lost.
"""
import base64
import hashlib
import hmac
import json
import math
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


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


def fixed(digits, exponent):
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    if exponent >= len(digits) - 1:
        return digits + "0" * (exponent - len(digits) + 1)
    return digits[:exponent + 1] + "." + digits[exponent + 1:]


def to_double(written):
    check_number(written)
    number = float(written)
    if number in (float("inf"), float("-inf")):
        raise Refused("number", "out of range")
    return number


def php_float(number):
    digits, _, exponent = ("%.13e" % abs(number)).partition("e")
    digits, exponent = digits.replace(".", "").rstrip("0") or "0", int(exponent)
    sign = "-" if math.copysign(1, number) < 0 else ""
    if exponent < -4 or exponent > 13:
        return sign + digits[0] + "." + (digits[1:] or "0") + "E%+d" % exponent
    return sign + fixed(digits, exponent)


def number_text(written):
    check_number(written)
    if re.search("[.eE]", written) or not -2**63 <= int(written) < 2**63:
        return php_float(to_double(written))
    return str(int(written))


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


def falsy(value):
    if isinstance(value, dict) and "number" in value:
        check_number(value["number"])
        return float(value["number"]) == 0
    return value in (None, False, "", "0", {"list": []}, {"object": []})


def array_filter(pairs):
    return [(name, value) for name, value in pairs if not falsy(value)]


def collect(pairs):
    found = {}
    for name, value in array_filter(pairs):
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in sort_names(found)]


def cast(text, quoted):
    return {"true": "1", "false": ""}.get(text, text) if not quoted else text


def sign_params(params, pri):
    text = "".join(name + cast(value, quoted) for name, value, quoted in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def request_params(given):
    params = collect(given["parameters"])
    require(params, "Action", "PublicKey")
    return params


def http_build_query(name, value, quoted):
    value = {"true": "1", "false": "0"}.get(value, value) if not quoted else value
    return encode(name) + "=" + encode(value)


def query_string(params, signature):
    return "&".join([http_build_query(*param) for param in params] + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": encode(given["text"])}


def action_signature(given, pub, pri):
    return {"signature": sign_params(collect(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = request_params(given)
    return {"query": query_string(params, sign_params(params, pri))}


def json_body(params, signature):
    members = [json.dumps(name) + ":" + (json.dumps(text) if quoted else text) for name, text, quoted in params]
    return "{" + ",".join(members + ['"Signature":' + json.dumps(signature)]) + "}"


def action_json(given, pub, pri):
    params = request_params(given)
    return {"body": json_body(params, sign_params(params, pri))}


def unfold(value):
    return value.replace("\r\n ", " ")


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
    return "/" + bucket + "/" + key.lstrip("/")


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


def field(fields, wanted):
    values = [clean(name, value) for name, value in fields if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else None


def form_authorization(given, pub, pri):
    headers = read_headers(given["headers"])
    mime = field(given["fields"], "Content-Type") or ""
    if "content-md5" in [name for name, _ in headers]:
        md5 = single(headers, "content-md5")
    else:
        md5 = field(given["fields"], "Content-MD5") or ""
    text = "\n".join(["POST", md5, mime, single(headers, "date"), canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return {"authorization": credential(text, pub, pri)}


def policy_json(members):
    return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + json.dumps(value, ensure_ascii=False) for name, value in members) + "}"


def base64_url(raw):
    return base64.urlsafe_b64encode(raw).decode()


def policy(given, pub, pri):
    return {"policy": base64_url(policy_json(given["members"]).encode("utf-8"))}


def policy_authorization(given, pub, pri):
    text = string_to_sign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    value = credential(text + given["policy"], pub, pri)
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def key_path(key):
    return "/".join(encode(segment) for segment in key.lstrip("/").split("/"))


def presigned_query(pub, expires, signature):
    return WORDS["publicKeyParameter"] + "=" + encode(pub) + "&Expires=" + encode(expires) + "&Signature=" + encode(signature)


def presigned_url(given, pub, pri):
    signature = presigned_signature(given, pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + key_path(given["key"]) + "?"
            + presigned_query(pub, given["expires"], signature)}


if __name__ == "__main__":
    serve("laravel-svc", {"url-encode": url_encode, "action-signature": action_signature, "action-query": action_query,
                 "action-json": action_json, "authorization": authorization, "form-authorization": form_authorization,
                 "policy": policy, "policy-authorization": policy_authorization, "presigned-url": presigned_url})
