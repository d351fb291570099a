#!/usr/bin/env python3
r"""A Rust crate on reqwest, serde_json and url.

Mistakes:
1. A number is serde_json's Number::to_string(): an integer of 64 bits is exact, every other number is an f64 as ryu writes it, 42.0, 1e16, 1.2345678901234567e25, and one beyond an f64 is refused.
2. Queries are written with url's query_pairs_mut(), that is form-urlencoded: a space is +, * stays raw and ~ becomes %7E.
3. A link's path is set with Url::set_path, which leaves % and all ASCII punctuation but " < > ` # ? { } ^ raw, drops tabs and line breaks, takes \ for / and resolves dot segments (%2e too), and the url crate puts the host in lower case and refuses a bucket that is no host name.
4. Header values are read with HeaderValue::to_str().unwrap_or(""), so a value with any character outside visible ASCII, space and tab is signed as empty.
"""
import base64
import hashlib
import hmac
import json
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


def ryu(number):
    if number == 0:
        return "-0.0" if math.copysign(1, number) < 0 else "0.0"
    digits, exponent = digits_of(number)
    sign = "-" if number < 0 else ""
    if -6 < exponent < 16:
        text = fixed(digits, exponent)
        return sign + (text if "." in text else text + ".0")
    return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%d" % exponent


def number_text(written):
    check_number(written)
    if written == "-0" or re.search("[.eE]", written) or not -2**63 <= int(written) < 2**64:
        return ryu(to_double(written))
    return written


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


def byte_serialize(text):
    safe = UNRESERVED.replace("~", "*")
    return "".join("+" if byte == 32 else chr(byte) if chr(byte) in safe else "%%%02X" % byte for byte in text.encode("utf-8"))


def query_string(params, signature):
    return "&".join([byte_serialize(name) + "=" + byte_serialize(value) for name, value, _ in params] + ["Signature=" + signature])


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


def to_str(value):
    return value if re.fullmatch("[\t -~]*", value) else ""


def read_headers(pairs):
    return [(field_name(name), to_str(clean(name, value))) for name, value in pairs]


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


def base64_url(raw):
    return base64.urlsafe_b64encode(raw).decode()


def instant_upload(given, pub, pri):
    text = string_to_sign("POST", given["bucket"], given["key"], read_headers(given["headers"]))
    target = "/uploadhit?Hash=" + encode(given["etag"]) + "&FileName=" + encode(given["key"]) + "&FileSize=" + encode(given["size"])
    return {"target": target, "authorization": credential(text, pub, pri)}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def presigned_query(pub, expires, signature):
    pairs = [(WORDS["publicKeyParameter"], pub), ("Expires", expires), ("Signature", signature)]
    return "&".join(byte_serialize(name) + "=" + byte_serialize(value) for name, value in pairs)


def path_encode(segment):
    return "".join("%%%02X" % byte if byte <= 32 or byte >= 127 or chr(byte) in '"<>`#?{}^' else chr(byte) for byte in segment.encode("utf-8"))


def set_path(path):
    out, segments = [], re.split(r"[/\\]", re.sub("[\t\n\r]", "", path))
    for index, segment in enumerate(segments):
        last, dots = index == len(segments) - 1, segment.lower().replace("%2e", ".")
        if dots == "..":
            out = out[:-1]
        elif dots != ".":
            out.append(path_encode(segment))
        if dots in (".", "..") and last:
            out.append("")
    return "/" + "/".join(out)


def presigned_url(given, pub, pri):
    signature = presigned_signature(given, pri)
    host = given["bucket"] + "." + given["fileHost"]
    if not given["bucket"].isascii() or re.search(r"[\x00- \x7f#/:<>?@\[\\\]^|%]", given["bucket"]):
        raise Refused("bucket", "invalid domain character")
    return {"url": given["scheme"] + "://" + host.lower() + set_path(given["key"]) + "?" + presigned_query(pub, given["expires"], signature)}


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
    serve("svc-rs", {"url-encode": url_encode, "action-signature": action_signature, "action-json": action_json,
                 "action-query": action_query, "authorization": authorization, "instant-upload": instant_upload,
                 "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag})
