#!/usr/bin/env python3
"""A port of a JavaScript client (Node.js, crypto, encodeURIComponent).

1. The values of a repeated extra header are joined by ", ", as Node's incoming headers have them.
2. encodeURIComponent stands for the percent-encoding: ! ' ( ) * stay as they are.
3. URL-safe Base64 is .replace('+', '-').replace('/', '_') with texts, which replaces only the first of each.
4. Instant upload signs the resource with the key already encoded for the query.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, Unsupported, WORDS, content, serve  # noqa: E402


BLOCK = 4 * 1024 * 1024
TOKEN = re.compile(r"^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+\Z")


def encode_uri_component(text):
    return urllib.parse.quote(text.encode("utf-8"), safe="-_.!~*'()")


def url_safe(data):
    return base64.b64encode(data).decode().replace("+", "-", 1).replace("/", "_", 1)


def lower_headers(pairs, positional=("content-type", "content-md5", "date")):
    out = {}
    for name, value in pairs:
        if not TOKEN.match(name):
            raise Refused("header-name", "ERR_INVALID_HTTP_TOKEN")
        if re.search(r"\r?\n[ \t]", value):
            raise Unsupported("Node does not send folded values")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", "ERR_INVALID_CHAR")
        name, value = name.lower(), value.strip(" \t")
        if name in out and name in positional:
            raise Refused("header-repeated", name)
        out[name] = out[name] + ", " + value if name in out else value
    return out


def canonical(headers):
    prefix = WORDS["headerPrefix"].lower()
    return "".join(name + ":" + headers[name] + "\n" for name in sorted(headers) if name.startswith(prefix))


def hmac_sha1(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def string_to_sign(method, headers, bucket, key, policy=""):
    if not TOKEN.match(method):
        raise Refused("method", "ERR_INVALID_HTTP_TOKEN")
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    parts = [method.upper(), headers.get("content-md5", ""), headers.get("content-type", ""), headers.get("date", "")]
    return "\n".join(parts) + "\n" + canonical(headers) + "/%s/%s" % (bucket, key) + policy


def token(public, private, text):
    return "%s %s:%s" % (WORDS["scheme"], public, hmac_sha1(private, text))


def authorization(q, public, private):
    return {"authorization": token(public, private, string_to_sign(q["method"], lower_headers(q["headers"]), q["bucket"], q["key"]))}


def policy_authorization(q, public, private):
    policy = q["policy"]
    text = string_to_sign(q["method"], lower_headers(q["headers"]), q["bucket"], q["key"], policy)
    return {"authorization": token(public, private, text) + (":" + policy if policy else "")}


def policy(q, public, private):
    names = [n for n, _ in q["members"]]
    if len(names) != len(set(names)):
        raise Unsupported("an object holds a name once")
    return {"policy": url_safe(json.dumps(dict(q["members"]), separators=(",", ":"), ensure_ascii=False).encode("utf-8"))}


def instant_upload(q, public, private):
    file_name = encode_uri_component(q["key"])
    text = string_to_sign("POST", lower_headers(q["headers"]), q["bucket"], file_name)
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (encode_uri_component(q["etag"]), file_name, encode_uri_component(q["size"])),
            "authorization": token(public, private, text)}


def presigned_url(q, public, private):
    headers = lower_headers(q["headers"], positional=())
    headers.pop("content-md5", None)
    headers.pop("content-type", None)
    headers["date"] = q["expires"]
    signature = hmac_sha1(private, string_to_sign(q["method"], headers, q["bucket"], q["key"]))
    path = "/".join(encode_uri_component(part) for part in q["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        q["scheme"], q["bucket"], q["fileHost"], path, WORDS["publicKeyParameter"], encode_uri_component(public),
        encode_uri_component(q["expires"]), encode_uri_component(signature))}


def etag(q, public, private):
    data = content(q["content"])
    blocks = [data[i:i + BLOCK] for i in range(0, len(data), BLOCK)]
    sha1 = lambda b: hashlib.sha1(b).digest()
    digest = sha1(data) if len(data) <= BLOCK else sha1(b"".join(map(sha1, blocks)))
    return {"etag": url_safe(len(blocks).to_bytes(4, "little") + digest)}


serve("js-port", {"url-encode": lambda q, public, private: {"encoded": encode_uri_component(q["text"])}, "authorization": authorization,
                  "policy": policy, "policy-authorization": policy_authorization, "instant-upload": instant_upload, "presigned-url": presigned_url, "etag": etag,
                  "part-etag": lambda q, public, private: {"etag": url_safe(hashlib.sha1(content(q["content"])).digest())}})
