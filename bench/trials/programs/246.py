#!/usr/bin/env python3
"""A first try at a verifying server in Python (a Django view) with nothing but urllib.parse and json.

Mistakes:
1. Reads query strings with urllib.parse.parse_qsl as it is: a parameter with an empty value is dropped, a plus sign is a space,
   a stray percent sign stays, and bytes that are not UTF-8 become U+FFFD.
2. Takes the path of a pre-signed URL from urllib.parse.urlparse, which cuts off what follows a semicolon in its last segment
   (and drops tabs and line breaks).
3. The key is the path after path.lstrip("/"), so slashes at the start of a key are lost.
4. Numbers with a fraction or an exponent in a JSON body are decimal.Decimal, signed as str() writes them: 1.50 stays 1.50, 42.0 stays 42.0, 1e2 becomes
   1E+2 and 0.0000001 becomes 1E-7.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import urllib.parse
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402


def integer(text):
    if len(text) > 4000:
        raise ValueError("too long")
    return int(text)


def no_constant(text):
    raise ValueError(text)


def no_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Refused("parameter-repeated")
    return result


def expand(name, value):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from expand(name + "." + key, item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from expand(name + "." + str(index), item)
    elif value is None:
        raise Refused("body-malformed", name)
    elif isinstance(value, bool):
        yield name, str(value).lower()
    else:
        yield name, str(value)


def check_parameters(pairs, signature, public_key, private_key):
    pairs = [(n, v) for n, v in pairs if n != "Signature"]
    parameters = no_duplicates(pairs)
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing")
    for name in ("Action", "PublicKey"):
        if name not in parameters:
            raise Refused("parameter-missing", name)
    if parameters["PublicKey"] != public_key:
        raise Refused("public-key-unknown", parameters["PublicKey"])
    text = "".join(n + v for n, v in sorted(pairs, key=lambda pair: pair[0].encode()))
    expected = hashlib.sha1((text + private_key).encode()).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise Refused("signature-mismatch")
    return {"publicKey": public_key}


def verify_query(given, public_key, private_key):
    pairs = urllib.parse.parse_qsl(given["query"])
    return check_parameters(pairs, no_duplicates(pairs).get("Signature"), public_key, private_key)


def verify_json(given, public_key, private_key):
    try:
        body = json.loads(given["body"], parse_int=integer, parse_float=Decimal, parse_constant=no_constant,
                          object_pairs_hook=no_duplicates)
    except (ValueError, RecursionError, ArithmeticError):
        raise Refused("body-malformed")
    if not isinstance(body, dict):
        raise Refused("body-malformed", "not an object")
    return check_parameters([pair for name in body for pair in expand(name, body[name])], body.get("Signature"), public_key,
                            private_key)


TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def canonical_headers(headers):
    groups = {}
    for name, value in headers:
        name = name.strip(" \t").lower()
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        value.encode()
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(values) + "\n" for name, values in sorted(groups.items()))


def strict_unquote(path):
    if re.search(r"%(?![0-9A-Fa-f]{2})", path):
        raise Refused("url-malformed", path)
    try:
        return urllib.parse.unquote(path, errors="strict")
    except UnicodeDecodeError:
        raise Refused("url-malformed", path)


def verify_url(given, public_key, private_key):
    method = given["method"]
    if not TOKEN.fullmatch(method):
        raise Refused("method", method)
    extra = canonical_headers(given["headers"])
    try:
        url = urllib.parse.urlparse(given["url"])
    except ValueError:
        raise Refused("url-malformed", given["url"])
    bucket, _, host = url.netloc.partition(".")
    if not given["url"].startswith(("http://", "https://")) or "#" in given["url"] or not url.path.startswith("/"):
        raise Refused("url-malformed", given["url"])
    if not bucket or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", url.netloc)
    key = strict_unquote(url.path.lstrip("/"))
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    query = no_duplicates([(n, v) for n, v in urllib.parse.parse_qsl(url.query) if n in names])
    if "Signature" not in query:
        raise Refused("signature-missing")
    if names[0] not in query or "Expires" not in query:
        raise Refused("parameter-missing")
    if not re.fullmatch("[0-9]{1,15}", query["Expires"]):
        raise Refused("expires-malformed", query["Expires"])
    if int(given["now"]) > int(query["Expires"]):
        raise Refused("expired")
    if query[names[0]] != public_key:
        raise Refused("public-key-unknown")
    text = method.upper() + "\n\n\n" + query["Expires"] + "\n" + extra + "/" + bucket + "/" + key
    expected = base64.b64encode(hmac.new(private_key.encode(), text.encode(), hashlib.sha1).digest())
    if not hmac.compare_digest(expected, query["Signature"].encode()):
        raise Refused("signature-mismatch")
    return {"publicKey": public_key}


serve("django-view", {"verify-query": verify_query, "verify-json": verify_json, "verify-presigned-url": verify_url})
