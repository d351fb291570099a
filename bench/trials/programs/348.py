#!/usr/bin/env python3
r"""A Kotlin library for Android on OkHttp 4.

Mistakes:
1. Queries are written with HttpUrl.Builder.addQueryParameter, which leaves * raw and writes ~ as %7E.
2. The key of a link goes through addPathSegments, which leaves ! $ & ' ( ) * + , : ; = @ [ and ] raw, takes \ for /, skips . segments and lets .. remove the segment before it; HttpUrl puts the host in lower case and refuses a bucket that is no host name.
3. The Content-Type of a PUT or POST is signed as String.toRequestBody(mediaType) makes it: with "; charset=utf-8" appended when it names no known charset.
4. A positional header is read as headers["Date"], which is the last value of a repeated one, and nothing is refused.
"""
import base64
import codecs
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

TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def canonicalize(text, encode_set):
    out = ""
    for byte in text.encode("utf-8"):
        out += "%%%02X" % byte if byte < 32 or byte >= 127 or chr(byte) in encode_set + "%" else chr(byte)
    return out


def encode(text):
    return canonicalize(text, " !\"#$&'(),/:;<=>?@[]\\^`{|}~+")


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


def request_params(given):
    params = collect(given["parameters"])
    require(params, "Action", "PublicKey")
    return params


def query_string(params, signature):
    return "&".join([encode(name) + "=" + encode(value) for name, value, _ in params] + ["Signature=" + signature])


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
    return values[-1] if values else ""


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


def known_charset(name):
    try:
        return bool(codecs.lookup(name))
    except (LookupError, ValueError):
        return False


def request_body_type(value):
    if not re.match(TOKEN + "/" + TOKEN, value):
        return value
    charset = re.search(r';\s*charset="?([^";\s]*)', value, re.I)
    return value if charset and known_charset(charset[1]) else value + "; charset=utf-8"


def content_type(method, headers):
    value = single(headers, "content-type")
    return request_body_type(value) if method.upper() in ("PUT", "POST") else value


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


def presigned_query(pub, expires, signature):
    return WORDS["publicKeyParameter"] + "=" + encode(pub) + "&Expires=" + encode(expires) + "&Signature=" + encode(signature)


def add_path_segments(path):
    segments, parts = [""], re.split(r"[/\\]", path)
    for index, part in enumerate(parts):
        if part == ".":
            continue
        if part == "..":
            if segments.pop() == "" and segments:
                segments[-1] = ""
            else:
                segments.append("")
            continue
        piece = canonicalize(part, " \"<>^`{}|/\\?#")
        if segments[-1] == "":
            segments[-1] = piece
        else:
            segments.append(piece)
        if index < len(parts) - 1:
            segments.append("")
    return "/" + "/".join(segments)


def presigned_url(given, pub, pri):
    signature = presigned_signature(given, pri)
    host = (given["bucket"] + "." + given["fileHost"]).lower()
    if not host.isascii() or re.search(r"[\x00- \x7f#%/:?@\[\\\]]", given["bucket"]):
        raise Refused("bucket", "unexpected host")
    return {"url": given["scheme"] + "://" + host + add_path_segments(given["key"]) + "?" + presigned_query(pub, given["expires"], signature)}


def part_etag(given, pub, pri):
    return {"etag": base64_url(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("svc-android", {"action-signature": action_signature, "action-query": action_query, "bucket-request": bucket_request,
                 "authorization": authorization, "form-authorization": form_authorization, "policy": policy,
                 "policy-authorization": policy_authorization, "presigned-url": presigned_url, "part-etag": part_etag})
