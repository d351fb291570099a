#!/usr/bin/env python3
"""A Dart package for Flutter apps, with package:crypto and package:http.

Mistakes:
1. Escaping is Uri.encodeComponent, which leaves ! ' ( ) * as they are.
2. Numbers with a point or an exponent are doubles written by toString: 42.0 stays 42.0, 1e3 is 1000.0, 1e21 is 1e+21.
3. The HMAC is fed with text.codeUnits instead of utf8.encode(text): each UTF-16 unit is cut to its low byte, so everything outside ASCII is signed wrongly.
4. The path of a link is Uri.encodeFull(key), which leaves ? and # and + & = : ; , @ $ as they are, so a key with ? or # ends early.
5. The ETag of a part has lost its = at the end.
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
from serving import WORDS, Refused, Unsupported, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
BLOCK = 4 * 1024 * 1024
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def encodeComponent(text):
    out = ""
    for byte in text.encode("utf-8"):
        out += chr(byte) if chr(byte) in UNRESERVED or byte in b"!'()*" else "%%%02X" % byte
    return out


def encodeFull(text):
    return "".join(c if c in "!#$&'()*+,/:;=?@" else encodeComponent(c) for c in text)


def doubleToString(value):
    if not value:
        return "0.0"
    if 1e-6 <= abs(value) < 1e21:
        text = format(Decimal(repr(value)), "f")
        return text if "." in text else text + ".0"
    return re.sub("e([+-])0", r"e\1", repr(value))


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
    if re.fullmatch("-?[0-9]+", written):
        return str(int(value))
    number = float(written)
    if number in (float("inf"), float("-inf")):
        raise Refused("number", "too large")
    return doubleToString(number)


def codeUnits(text):
    raw = text.encode("utf-16-le")
    return raw[0::2]


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


def sortedEntries(pairs):
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
    pieces = [encodeComponent(name) + "=" + encodeComponent(value) for name, value, _ in params]
    return "&".join(pieces + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": encodeComponent(given["text"])}


def password(given, pub, pri):
    return {"value": base64.b64encode(given["text"].encode("utf-8")).decode()}


def action_signature(given, pub, pri):
    return {"signature": sign_parameters(sortedEntries(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = sortedEntries(given["parameters"])
    require(params, "Action", "PublicKey")
    return {"query": buildQuery(params, sign_parameters(params, pri))}


def clean(name, value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def readHeaders(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise Unsupported("headers are a Map<String, String>")
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
    return "/" + bucket + "/" + key


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def stringToSign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      canonical(headers) + resource(bucket, key)])


def urlStringToSign(method, bucket, key, headers, expires):
    return "\n".join([verb(method), "", "", expires, canonical(headers) + resource(bucket, key)])


def sign(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), codeUnits(text), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = stringToSign(given["method"], given["bucket"], given["key"], readHeaders(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + sign(text, pri)}


def instant_upload(given, pub, pri):
    text = stringToSign("POST", given["bucket"], given["key"], readHeaders(given["headers"]))
    return {"target": "/uploadhit?Hash=" + encodeComponent(given["etag"]) + "&FileName=" + encodeComponent(given["key"]) + "&FileSize=" + encodeComponent(given["size"]),
            "authorization": WORDS["scheme"] + " " + pub + ":" + sign(text, pri)}


def url_path(key):
    return encodeFull(key)


def presigned_url(given, pub, pri):
    signature = sign(urlStringToSign(given["method"], given["bucket"], given["key"], readHeaders(given["headers"]), given["expires"]), pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + url_path(given["key"]) + "?"
            + WORDS["publicKeyParameter"] + "=" + encodeComponent(pub) + "&Expires=" + encodeComponent(given["expires"]) + "&Signature=" + encodeComponent(signature)}


def etag(given, pub, pri):
    data = content(given["content"])
    blocks = [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]
    if len(blocks) < 2:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(block).digest() for block in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", len(blocks)) + digest).decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode().replace("=", "")}


if __name__ == "__main__":
    serve("dart-flutter", {"url-encode": url_encode, "password": password, "action-signature": action_signature, "action-query": action_query,
                          "authorization": authorization, "instant-upload": instant_upload, "presigned-url": presigned_url, "etag": etag,
                          "part-etag": part_etag})
