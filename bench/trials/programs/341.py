#!/usr/bin/env python3
"""A Go client and a small checking proxy with net/http, net/url and encoding/json.

Mistakes:
1. A number is the float64 of encoding/json printed by fmt.Sprint: 1000000 is 1e+06, 2048000 is 2.048e+06, -0 is -0, and one beyond a float64 is refused.
2. A list or an object among the parameters is not flattened but printed by fmt.Sprint under its own name: [a b], map[k:v].
3. The resource is path.Join("/", bucket, key), which merges slashes, drops a last slash and resolves . and .. .
4. Extra headers are made into lines first and the lines are sorted, so x-svc-a-b:1 comes before x-svc-a:1.
5. verify-query reads the query with url.ParseQuery: + is a space, and a piece with a raw ; is an error.
"""
import base64
import hashlib
import hmac
import math
import os
import re
import struct
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
BLOCK = 4 * 1024 * 1024


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


def go_float(written):
    number = to_double(written)
    digits, exponent = digits_of(number)
    sign = "-" if math.copysign(1, number) < 0 else ""
    if exponent < -4 or exponent >= 6:
        return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%+03d" % exponent
    return sign + fixed(digits, exponent)


def sprint(value):
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if "number" in value:
        return go_float(value["number"])
    if "list" in value:
        return "[" + " ".join(sprint(item) for item in value["list"]) + "]"
    members = dict(value["object"])
    return "map[" + " ".join(name + ":" + sprint(members[name]) for name in sort_names(members)) + "]"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    return [(name, sprint(value), isinstance(value, str))]


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


def query_string(params, signature):
    return "&".join([encode(name) + "=" + encode(value) for name, value, _ in params] + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": encode(given["text"])}


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
    values = [value for name, value in headers if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def canonical_headers(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    lines = [name + ":" + ",".join(values) + "\n" for name, values in groups.items()]
    return "".join(sorted(lines, key=lambda line: line.encode("utf-8")))


def path_join(*parts):
    out = []
    for segment in "/".join(parts).split("/"):
        if segment == "..":
            out = out[:-1]
        elif segment not in ("", "."):
            out.append(segment)
    return "/" + "/".join(out)


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return path_join(bucket, key)


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


def base64_url(raw):
    return base64.urlsafe_b64encode(raw).decode()


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


def blocks_of(data):
    return [data[i:i + BLOCK] for i in range(0, len(data), BLOCK)]


def etag(given, pub, pri):
    data = content(given["content"])
    blocks = blocks_of(data)
    if len(data) <= BLOCK:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(block).digest() for block in blocks)).digest()
    return {"etag": base64_url(struct.pack("<I", len(blocks)) + digest)}


def percent_decode(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray %")
    raw = re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"), flags=re.S)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def query_pairs(query):
    out = []
    for piece in query.split("&"):
        if ";" in piece:
            raise Refused("query-malformed", "invalid semicolon separator in query")
        if piece:
            name, _, value = piece.replace("+", " ").partition("=")
            out.append((percent_decode(name, "query-malformed"), percent_decode(value, "query-malformed")))
    return out


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


if __name__ == "__main__":
    serve("gosvc", {"url-encode": url_encode, "action-signature": action_signature, "action-query": action_query,
                 "bucket-request": bucket_request, "authorization": authorization, "presigned-url": presigned_url, "etag": etag,
                 "verify-query": verify_query})
