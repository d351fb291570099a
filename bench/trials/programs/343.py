#!/usr/bin/env python3
"""A Ruby gem on Faraday.

Mistakes:
1. Passwords are encoded with Base64.encode64(text).chomp, which puts a line feed after every 60 characters and loses only the last one.
2. The query is left to Faraday: its encoder writes a space as + and sorts all parameters again, so Signature is not last.
3. A number with a fraction or an exponent is signed and sent as Float#to_s: 42.0, 1.0e+16, 1.0e-05; integers stay exact, and one beyond a double is refused.
4. Values of a repeated header are joined with ", " as Net::HTTP's req[name] does, the positional ones too, which are not refused.
5. The path of a link is made with key.split("/"), which drops empty segments at the end: dir/ becomes dir.
"""
import base64
import hashlib
import hmac
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


def digits_of(number):
    """The shortest digits that give this double back, and its decimal exponent (d.ddd times ten to the exponent)."""
    _, digits, exponent = Decimal(repr(abs(number))).as_tuple()
    text = "".join(map(str, digits))
    exponent += len(text) - 1
    text = text.lstrip("0") or "0"
    return text.rstrip("0") or "0", exponent - (0 if number else exponent)


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


def float_to_s(number):
    if number == 0:
        return "-0.0" if math.copysign(1, number) < 0 else "0.0"
    digits, exponent = digits_of(number)
    sign = "-" if number < 0 else ""
    if -4 <= exponent < 15 or 15 <= exponent < len(digits) - 1:
        text = fixed(digits, exponent)
        return sign + (text if "." in text else text + ".0")
    return sign + digits[0] + "." + (digits[1:] or "0") + "e%+03d" % exponent


def number_text(written):
    check_number(written)
    if re.search("[.eE]", written):
        return float_to_s(to_double(written))
    return "0" if written == "-0" else written


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


def request_params(given):
    params = collect(given["parameters"])
    require(params, "Action", "PublicKey")
    return params


def faraday_escape(text):
    return encode(text).replace("%20", "+")


def query_string(params, signature):
    pairs = {name: value for name, value, _ in params}
    pairs["Signature"] = signature
    return "&".join(faraday_escape(name) + "=" + faraday_escape(pairs[name]) for name in sort_names(pairs))


def url_encode(given, pub, pri):
    return {"encoded": encode(given["text"])}


def password(given, pub, pri):
    text = base64.b64encode(given["text"].encode("utf-8")).decode()
    return {"value": "\n".join(text[i:i + 60] for i in range(0, len(text), 60))}


def action_signature(given, pub, pri):
    return {"signature": sign_params(collect(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = request_params(given)
    return {"query": query_string(params, sign_params(params, pri))}


def bucket_request(given, pub, pri):
    params = request_params(given)
    if ("Action", "CreateBucket") in [(p[0], p[1]) for p in params]:
        require(params, "Type", "BucketName")
    return {"target": "/?" + query_string(params, sign_params(params, pri))}


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
    return ", ".join(value for name, value in headers if name == wanted)


def canonical_headers(headers):
    names = sorted({name for name, _ in headers if name.startswith(WORDS["headerPrefix"].lower())})
    return "".join(name + ":" + single(headers, name) + "\n" for name in names)


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


def instant_upload(given, pub, pri):
    text = string_to_sign("POST", given["bucket"], given["key"], read_headers(given["headers"]))
    target = "/uploadhit?Hash=" + encode(given["etag"]) + "&FileName=" + encode(given["key"]) + "&FileSize=" + encode(given["size"])
    return {"target": target, "authorization": credential(text, pub, pri)}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def key_path(key):
    return "/".join(encode(segment) for segment in key.rstrip("/").split("/"))


def presigned_query(pub, expires, signature):
    return WORDS["publicKeyParameter"] + "=" + encode(pub) + "&Expires=" + encode(expires) + "&Signature=" + encode(signature)


def presigned_url(given, pub, pri):
    signature = presigned_signature(given, pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + key_path(given["key"]) + "?"
            + presigned_query(pub, given["expires"], signature)}


if __name__ == "__main__":
    serve("svc-faraday", {"password": password, "url-encode": url_encode, "action-signature": action_signature,
                 "action-query": action_query, "bucket-request": bucket_request, "authorization": authorization,
                 "instant-upload": instant_upload, "presigned-url": presigned_url})
