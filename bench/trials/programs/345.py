#!/usr/bin/env python3
"""A TypeScript package for Node 20 with axios.

Mistakes:
1. Queries are built by axios.getUri({ params }), whose encoder leaves ! ' ( ) * : $ , [ and ] raw and writes a space as +.
2. Numbers are JavaScript's String(number): 12345678901234567890 is 12345678901234567000, 1e21 is 1e+21, 1e-7 is 1e-7, and one beyond a double is refused.
3. The positional headers are looked up as headers["Content-Type"], headers["Content-MD5"] and headers["Date"], so one whose name is written in another case is signed as empty.
4. URL-safe Base64 (policies, ETags) is .replace("+", "-").replace("/", "_"), which replaces only the first + and the first /.
5. The key of a link is escaped with encodeURI, so ; , ? : @ & = + $ # ! ' ( ) and * stay raw.
"""
import base64
import hashlib
import hmac
import json
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


def number_text(written):
    number = to_double(written)
    if number == 0:
        return "0"
    digits, exponent = digits_of(number)
    sign = "-" if number < 0 else ""
    if -7 < exponent < 21:
        return sign + fixed(digits, exponent)
    return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%+d" % exponent


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


def axios_encode(text):
    safe = UNRESERVED + "!'()*:$,[]"
    return "".join("+" if byte == 32 else chr(byte) if chr(byte) in safe else "%%%02X" % byte for byte in text.encode("utf-8"))


def query_string(params, signature):
    return "&".join([axios_encode(name) + "=" + axios_encode(value) for name, value, _ in params] + ["Signature=" + signature])


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
    out = []
    for name, value in pairs:
        lower = field_name(name)
        exact = name.strip(" \t") in ("Content-Type", "Content-MD5", "Date")
        if exact or lower not in ("content-type", "content-md5", "date"):
            out.append((lower, clean(name, value)))
        else:
            clean(name, value)
    return out


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
    return base64.b64encode(raw).decode().replace("+", "-", 1).replace("/", "_", 1)


def policy(given, pub, pri):
    return {"policy": base64_url(policy_json(given["members"]).encode("utf-8"))}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def key_path(key):
    safe = UNRESERVED + ";,/?:@&=+$#!'()*"
    return "".join(chr(byte) if chr(byte) in safe else "%%%02X" % byte for byte in key.encode("utf-8"))


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


def part_etag(given, pub, pri):
    return {"etag": base64_url(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("svc-axios", {"url-encode": url_encode, "action-signature": action_signature, "action-json": action_json,
                 "action-query": action_query, "bucket-request": bucket_request, "authorization": authorization,
                 "form-authorization": form_authorization, "policy": policy, "presigned-url": presigned_url, "etag": etag,
                 "part-etag": part_etag})
