#!/usr/bin/env python3
"""A Postman collection's pre-request script, with CryptoJS.

Mistakes:
1. Numbers pass through JSON.parse and String(): whole numbers beyond 2^53 change, 1e21 is 1e+21 and 0.0000001 is 1e-7.
2. Parameters are sorted with a.localeCompare(b), the browser's alphabet: ChargeType before CPU, marks before digits.
3. The resource is "/{bucket}/{key}".replace("{key}", key): $$ in a key becomes $, and $& $` $' bring in parts of the template, in the signed text only.
4. Form fields are looked up without regard to case, so a field content-type is signed as if it were Content-Type.
5. A fold in a header's value is removed with its white space instead of being replaced by one space.
"""
import base64
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

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
ALPHABET = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"


def encodeRFC3986(text):
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


def numberToString(written):
    exact(written)
    number = float(written)
    if number in (float("inf"), float("-inf")):
        raise Refused("number", "Infinity")
    if not number:
        return "0"
    if 1e-6 <= abs(number) < 1e21:
        text = format(Decimal(repr(number)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return re.sub(r"e([+-])0", r"e\1", repr(number))


def localeKey(name):
    name.encode("utf-8")
    first = [(ALPHABET.find(c.lower()) + 1) or 1000 + ord(c) for c in name]
    return first, [c.isupper() for c in name]


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
        return [(name, numberToString(value["number"]), False)]
    if "list" in value:
        children = [(str(index), item) for index, item in enumerate(value["list"])]
    else:
        children = value["object"]
    out = []
    for child, item in children:
        out += flatten(name + "." + child, item)
    return out


def ordered(names):
    return sorted(names, key=localeKey)


def sortedParameters(pairs):
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


def buildQuery(params, signature):
    pieces = [encodeRFC3986(name) + "=" + encodeRFC3986(value) for name, value, _ in params]
    return "&".join(pieces + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": encodeRFC3986(given["text"])}


def password(given, pub, pri):
    return {"value": base64.b64encode(given["text"].encode("utf-8")).decode()}


def action_signature(given, pub, pri):
    return {"signature": sign_parameters(sortedParameters(given["parameters"]), pri)}


def action_json(given, pub, pri):
    params = sortedParameters(given["parameters"])
    require(params, "Action", "PublicKey")
    members = [json.dumps(name) + ":" + (json.dumps(value) if quoted else value) for name, value, quoted in params]
    return {"body": "{" + ",".join(members + ['"Signature":"' + sign_parameters(params, pri) + '"']) + "}"}


def action_query(given, pub, pri):
    params = sortedParameters(given["parameters"])
    require(params, "Action", "PublicKey")
    return {"query": buildQuery(params, sign_parameters(params, pri))}


def bucket_request(given, pub, pri):
    params = sortedParameters(given["parameters"])
    require(params, "Action", "PublicKey")
    if ("Action", "CreateBucket") in [p[:2] for p in params]:
        require(params, "Type", "BucketName")
    return {"target": "/?" + buildQuery(params, sign_parameters(params, pri))}


def clean(name, value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", "", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def replace(template, wanted, text):
    before, _, after = template.partition(wanted)
    meaning = {"$$": "$", "$&": wanted, "$`": before, "$'": after}
    return before + re.sub(r"\$[$&`']", lambda m: meaning[m[0]], text) + after


def readHeaders(pairs):
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
    return replace("/" + bucket + "/{key}", "{key}", key)


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def stringToSign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      canonical(headers) + resource(bucket, key)])


def urlStringToSign(method, bucket, key, headers, expires):
    return "\n".join([verb(method), "", "", expires, canonical(headers) + resource(bucket, key)])


def hmacBase64(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = stringToSign(given["method"], given["bucket"], given["key"], readHeaders(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmacBase64(text, pri)}


def formField(fields, wanted):
    values = [value for name, value in fields if name.lower() == wanted.lower()]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return clean(wanted, values[0]) if values else ""


def form_authorization(given, pub, pri):
    headers, fields = readHeaders(given["headers"]), given["fields"]
    md5 = single(headers, "content-md5") if "content-md5" in [name for name, _ in headers] else formField(fields, "Content-MD5")
    text = "\n".join(["POST", md5, formField(fields, "Content-Type"), single(headers, "date"),
                      canonical(headers) + resource(given["bucket"], given["key"])])
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmacBase64(text, pri)}


def policy(given, pub, pri):
    text = "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + json.dumps(value, ensure_ascii=False) for name, value in given["members"]) + "}"
    return {"policy": base64.urlsafe_b64encode(text.encode("utf-8")).decode()}


def url_path(key):
    return "/".join(encodeRFC3986(segment) for segment in key.split("/"))


def presigned_url(given, pub, pri):
    signature = hmacBase64(urlStringToSign(given["method"], given["bucket"], given["key"], readHeaders(given["headers"]), given["expires"]), pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + url_path(given["key"]) + "?"
            + WORDS["publicKeyParameter"] + "=" + encodeRFC3986(pub) + "&Expires=" + encodeRFC3986(given["expires"]) + "&Signature=" + encodeRFC3986(signature)}


if __name__ == "__main__":
    serve("postman-script", {"url-encode": url_encode, "password": password, "action-signature": action_signature, "action-json": action_json,
                            "action-query": action_query, "bucket-request": bucket_request, "authorization": authorization, "form-authorization": form_authorization,
                            "policy": policy, "presigned-url": presigned_url})
