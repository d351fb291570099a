#!/usr/bin/env python3
r"""A Swift package for iOS with CryptoKit (Insecure.SHA1) and URLComponents.

Mistakes:
1. Text is escaped with addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed), so ! $ & ' ( ) * + , / : ; = ? and @ stay raw (in url-encode, action-query and the query of a link).
2. Names are sorted with Swift's String <, which compares their NFC forms: e with a combining acute sorts as é, after z; canonically equal names are refused as repeated.
3. A boolean from JSON is an NSNumber, and "\(value)" signs and sends it in the query as 1 or 0, while the JSON body has true or false.
4. The path of a link is made with key.split(separator: "/"), which omits all empty segments (a//b/ becomes a/b), and URLComponents leaves ! $ & ' ( ) * + , : = and @ raw in it.
5. Folds and line breaks are looked for as the Character "\n", and CR LF is another Character, so a CR LF fold stays in the signed value, and a bare CR LF is not refused.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import struct
import sys
import unicodedata
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
BLOCK = 4 * 1024 * 1024


def url_query_allowed(text):
    safe = UNRESERVED + "!$&'()*+,/:;=?@"
    return "".join(chr(byte) if chr(byte) in safe else "%%%02X" % byte for byte in text.encode("utf-8"))


def encode(text):
    return url_query_allowed(text)


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
    return "1" if value else "0"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, bool_text(value), value)]
    if isinstance(value, str):
        return [(name, value, "text")]
    if "number" in value:
        return [(name, number_text(value["number"]), "number")]
    children = value["object"] if "object" in value else [(str(i), item) for i, item in enumerate(value["list"])]
    return [leaf for child, item in children for leaf in flatten(name + "." + child, item)]


def nfc(name):
    return unicodedata.normalize("NFC", name)


def sort_names(names):
    if len({nfc(name) for name in names}) < len(list(names)):
        raise Refused("parameter-repeated", "a key is there twice")
    return sorted(names, key=nfc)


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


def json_value(text, kind):
    if kind == "text":
        return json.dumps(text)
    return text if kind == "number" else json.dumps(kind)


def json_body(params, signature):
    members = [json.dumps(name) + ":" + json_value(text, kind) for name, text, kind in params]
    return "{" + ",".join(members + ['"Signature":' + json.dumps(signature)]) + "}"


def action_json(given, pub, pri):
    params = request_params(given)
    return {"body": json_body(params, sign_params(params, pri))}


def clean(name, value):
    value = re.sub(r"[ \t]*(?:(?<!\r)\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value.replace("\r\n", "")):
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


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def path_encode(segment):
    safe = UNRESERVED + "!$&'()*+,:=@"
    return "".join(chr(byte) if chr(byte) in safe else "%%%02X" % byte for byte in segment.encode("utf-8"))


def key_path(key):
    return "/".join(path_encode(segment) for segment in key.split("/") if segment)


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
    serve("SvcKit", {"url-encode": url_encode, "action-signature": action_signature, "action-json": action_json,
                 "action-query": action_query, "authorization": authorization, "form-authorization": form_authorization,
                 "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag})
