#!/usr/bin/env python3
"""A service in Rust (axum, serde_json, form_urlencoded): verifies the account API and pre-signed URLs.

1. A serde_json::Number that is no 64-bit integer is an f64 and written as such: 42.0 stays 42.0, 1e3 is 1000.0, 1e21 stays 1e21, -0 is -0.0.
2. serde_json::Map keeps the last of repeated members, and so does the map for the query of the account API; nothing is refused.
3. form_urlencoded::parse reads the queries: + is a blank, a stray % stays as it is, and bytes that are not UTF-8 become U+FFFD.
4. Expires is parsed as u32: a plus sign before it is accepted, and one after 4294967295 (in 2106) is refused as malformed.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import unquote_to_bytes

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, Unsupported, WORDS  # noqa: E402


def ryu(f):
    """Display of an f64 in serde_json."""
    digits, exponent = ("%r" % f).lstrip("-"), 0
    if "e" in digits:
        digits, exponent = digits.split("e")
    whole, _, part = digits.partition(".")
    part = "" if part == "0" else part
    every = (whole + part).lstrip("0")
    point = len(whole) + int(exponent) - (len(whole + part) - len(every))
    every = every.rstrip("0")
    sign = "-" if str(f).startswith("-") else ""
    if not every:
        return sign + "0.0"
    if len(every) <= point <= 16:
        return sign + every + "0" * (point - len(every)) + ".0"
    if 0 < point <= 16:
        return sign + every[:point] + "." + every[point:]
    if -5 < point <= 0:
        return sign + "0." + "0" * -point + every
    return sign + every[0] + ("." + every[1:] if every[1:] else "") + "e%d" % (point - 1)


class Number:
    def __init__(self, written):
        if re.fullmatch(r"-?[0-9]+", written) and written != "-0" and -2 ** 63 <= int(written) < 2 ** 64:
            self.text = written
        else:
            value = float(written)
            if value in (float("inf"), float("-inf")):
                raise ValueError("number out of range")
            self.text = ryu(value)


def bad_word(word):
    raise ValueError(word)


def flatten(out, name, value):
    if isinstance(value, Number):
        out[name] = value.text
    elif isinstance(value, bool):
        out[name] = "true" if value else "false"
    elif isinstance(value, str):
        value.encode("utf-8")
        out[name] = value
    elif isinstance(value, list):
        for i, item in enumerate(value):
            flatten(out, name + "." + str(i), item)
    elif isinstance(value, dict):
        for member, item in value.items():
            flatten(out, name + "." + member, item)
    else:
        raise Refused("body-malformed", name + " is null")


def check(params, public, private):
    signature = params.pop("Signature", None)
    if not signature:
        raise Refused("signature-missing")
    if "Action" not in params or "PublicKey" not in params:
        raise Refused("parameter-missing")
    if params["PublicKey"] != public:
        raise Refused("public-key-unknown")
    hasher = hashlib.sha1()
    for name, value in sorted((n.encode(), v.encode()) for n, v in params.items()):
        hasher.update(name)
        hasher.update(value)
    hasher.update(private.encode())
    if hasher.hexdigest() != signature:
        raise Refused("signature-mismatch")
    return {"publicKey": public}


def verify_json(q, public, private):
    try:
        body = json.loads(q["body"], parse_int=Number, parse_float=Number, parse_constant=bad_word)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "expected value")
    if not isinstance(body, dict):
        raise Refused("body-malformed", "invalid type, expected a map")
    if not isinstance(body.get("Signature"), str):
        raise Refused("signature-missing")
    params = {}
    for name, value in body.items():
        flatten(params, name, value)
    return check(params, public, private)


def form_urlencoded(query):
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.replace("+", " ").partition("=")
            yield unquote_to_bytes(name).decode("utf-8", "replace"), unquote_to_bytes(value).decode("utf-8", "replace")


def verify_query(q, public, private):
    return check(dict(form_urlencoded(q["query"])), public, private)


TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def svc_headers(pairs):
    map_ = {}
    for name, value in pairs:
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        if re.search(r"\r?\n[ \t]", value):
            raise Unsupported("hyper hands over no folded values")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        value.encode("utf-8")
        map_.setdefault(name.lower(), []).append(value.strip(" \t"))
    return "".join(n + ":" + ",".join(v) + "\n" for n, v in sorted(map_.items()) if n.startswith(WORDS["headerPrefix"].lower()))


def verify_url(q, public, private):
    extra = svc_headers(q["headers"])
    if not TOKEN.fullmatch(q["method"]):
        raise Refused("method", q["method"])
    found = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]+)/([^?#]*)(?:\?([^#]*))?", q["url"], re.S)
    if not found or found[2].lower() != q["fileHost"].lower() or re.search("%(?![0-9A-Fa-f]{2})", found[3]):
        raise Refused("url-malformed", q["url"])
    try:
        key = unquote_to_bytes(found[3]).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("url-malformed", q["url"])
    params = {}
    for name, value in form_urlencoded(found[4] or ""):
        if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if name in params:
                raise Refused("parameter-repeated", name)
            params[name] = value
    if not params.get("Signature"):
        raise Refused("signature-missing")
    if len(params) < 3:
        raise Refused("parameter-missing")
    expires = params["Expires"]
    if not re.fullmatch(r"\+?[0-9]+", expires) or int(expires) > 0xFFFFFFFF:
        raise Refused("expires-malformed", "invalid digit found in string")
    if int(q["now"]) > int(expires):
        raise Refused("expired")
    if params[WORDS["publicKeyParameter"]] != public:
        raise Refused("public-key-unknown")
    text = "%s\n\n\n%s\n%s/%s/%s" % (q["method"].upper(), expires, extra, found[1], key)
    if base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode() != params["Signature"]:
        raise Refused("signature-mismatch")
    return {"publicKey": public}


serve("axum-service", {"verify-query": verify_query, "verify-json": verify_json, "verify-presigned-url": verify_url})
