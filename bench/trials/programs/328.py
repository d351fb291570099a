#!/usr/bin/env python3
"""A Kotlin Multiplatform developer's common-code SDK with Ktor and kotlinx.serialization.

Mistakes:
1. A number that is no Long is a Double and written by toString: 42.0 stays 42.0, 1e3 is 1000.0, 12345678.5 is 1.23456785E7 (signed and sent).
2. The values of a repeated extra header are joined with joinToString(), whose separator is a comma and a space.
3. There is one Base64 helper, Base64.UrlSafe, made for the ETag; the password is encoded with it too (- and _ instead of + and /).
4. Keys pass through key.trim('/'): slashes at both ends are gone from the signed resource and from the link.
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
BLOCK = 4 * 1024 * 1024
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def doubleToString(value):
    value = Decimal(repr(value))
    if not value:
        return "0.0"
    digits = "".join(map(str, value.as_tuple().digits)).rstrip("0")
    sign, exponent = "-" if value < 0 else "", value.adjusted()
    if -3 <= exponent < 7:
        text = format(abs(value), "f")
        return sign + (text if "." in text else text + ".0")
    return sign + digits[0] + "." + (digits[1:] or "0") + "E" + str(exponent)


def encodeUrlParameter(text):
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


def decimal(written):
    value = exact(written)
    if re.fullmatch("-?[0-9]+", written) and -2**63 <= value < 2**63:
        return str(int(value))
    try:
        number = float(written)
    except OverflowError:
        raise Refused("number", "too large")
    if number in (float("inf"), float("-inf")):
        raise Refused("number", "too large")
    return doubleToString(number)


def encodeBase64(data):
    return base64.urlsafe_b64encode(data).decode()


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
        return [(name, decimal(value["number"]), False)]
    if "list" in value:
        children = [(str(index), item) for index, item in enumerate(value["list"])]
    else:
        children = value["object"]
    out = []
    for child, item in children:
        out += flatten(name + "." + child, item)
    return out


def ordered(names):
    return sorted(names, key=lambda name: name.encode("utf-8"))


def toSortedList(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in ordered(found)]


def signParameters(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def formUrlEncode(params, signature):
    pieces = [encodeUrlParameter(name) + "=" + encodeUrlParameter(value) for name, value, _ in params]
    return "&".join(pieces + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": encodeUrlParameter(given["text"])}


def password(given, pub, pri):
    return {"value": encodeBase64(given["text"].encode("utf-8"))}


def joinToString(values):
    return ", ".join(values)


def action_signature(given, pub, pri):
    return {"signature": signParameters(toSortedList(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = toSortedList(given["parameters"])
    require(params, "Action", "PublicKey")
    return {"query": formUrlEncode(params, signParameters(params, pri))}


def clean(name, value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def headersOf(pairs):
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
    return "".join(name + ":" + joinToString(groups[name]) + "\n" for name in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key.strip("/")


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def stringToSign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      canonical(headers) + resource(bucket, key)])


def stringToSignUrl(method, bucket, key, headers, expires):
    return "\n".join([verb(method), "", "", expires, canonical(headers) + resource(bucket, key)])


def sign(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = stringToSign(given["method"], given["bucket"], given["key"], headersOf(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + sign(text, pri)}


def encodePath(key):
    return "/".join(encodeUrlParameter(segment) for segment in key.strip("/").split("/"))


def presigned_url(given, pub, pri):
    signature = sign(stringToSignUrl(given["method"], given["bucket"], given["key"], headersOf(given["headers"]), given["expires"]), pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + encodePath(given["key"]) + "?"
            + WORDS["publicKeyParameter"] + "=" + encodeUrlParameter(pub) + "&Expires=" + encodeUrlParameter(given["expires"]) + "&Signature=" + encodeUrlParameter(signature)}


def etag(given, pub, pri):
    data = content(given["content"])
    blocks = [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]
    digest = hashlib.sha1(data).digest()
    if len(blocks) > 1:
        digest = hashlib.sha1(b"".join(hashlib.sha1(block).digest() for block in blocks)).digest()
    return {"etag": encodeBase64(struct.pack("<I", len(blocks)) + digest)}


def part_etag(given, pub, pri):
    return {"etag": encodeBase64(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("kotlin-multiplatform", {"url-encode": url_encode, "password": password, "action-signature": action_signature, "action-query": action_query,
                                  "authorization": authorization, "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag})
