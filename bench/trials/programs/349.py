#!/usr/bin/env python3
"""A Perl module on LWP, JSON::PP, Digest::SHA, MIME::Base64 and URI::Escape.

Mistakes:
1. A text is encoded as UTF-8 only if it has a character above U+00FF ("Wide character"), so one with Latin-1 characters at most is escaped, hashed and Base64-encoded as Latin-1 bytes.
2. Numbers are Perl's: a fraction or large exponent is written with %.15g, as 1e+22, 1e-05 or 0.3 for 0.30000000000000004, and an integer of 20 digits beyond 64 bits as 1e+20.
3. The header names go through HTTP::Headers, which turns _ into -: X-Svc-Meta_A is signed as x-svc-meta-a.
4. Passwords are encoded with encode_base64($text) and chomp, so a line feed stays after every 76 characters.
5. A positional header is read with scalar($h->header($name)), which joins repeated ones with ", " instead of refusing them.
"""
import base64
import hashlib
import hmac
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


def octets(text):
    return text.encode("utf-8") if any(ord(char) > 255 for char in text) else text.encode("latin-1")


def encode(text):
    return "".join(chr(byte) if chr(byte) in UNRESERVED else "%%%02X" % byte for byte in octets(text))


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
    check_number(written)
    if not re.search("[.eE]", written):
        if len(written) > 20:
            return written
        whole = int(written)
        return str(whole) if -2**63 <= whole < 2**64 else "%.15g" % float(whole)
    number = float(written)
    if number in (float("inf"), float("-inf")):
        return "Inf" if number > 0 else "-Inf"
    integral = number == int(number) and -2**63 <= number < 2**64
    if "." not in written and integral or re.search("[eE]", written) and integral and abs(number) > 2**53:
        return str(int(number))
    return "%.15g" % number if number else "0"


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
    return hashlib.sha1(octets("".join(name + value for name, value, _ in params) + pri)).hexdigest()


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


def password(given, pub, pri):
    text = base64.b64encode(octets(given["text"])).decode()
    return {"value": "\n".join(text[i:i + 76] for i in range(0, len(text), 76))}


def action_signature(given, pub, pri):
    return {"signature": sign_params(collect(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = request_params(given)
    return {"query": query_string(params, sign_params(params, pri))}


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
    return name.lower().replace("_", "-")


def read_headers(pairs):
    return [(field_name(name), clean(name, value)) for name, value in pairs]


def single(headers, wanted):
    return ", ".join(value for name, value in headers if name == wanted)


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
    return base64.b64encode(hmac.new(octets(pri), octets(text), hashlib.sha1).digest()).decode()


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


def part_etag(given, pub, pri):
    return {"etag": base64_url(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("Net-Svc", {"url-encode": url_encode, "password": password, "action-signature": action_signature,
                 "action-query": action_query, "authorization": authorization, "form-authorization": form_authorization,
                 "instant-upload": instant_upload, "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag})
