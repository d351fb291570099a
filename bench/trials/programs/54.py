#!/usr/bin/env python3
"""A Lambda authorizer in Node (API Gateway's event): verifies file requests and queries.

1. event.headers has one value of each name: of a repeated header, also of Authorization, Content-Type, Content-MD5 or Date, the last one counts.
2. The values of event.queryStringParameters are decoded already and go through decodeURIComponent once more (if that fails, they stay as they are).
3. Number(expires) < now: an empty Expires is 0; 0x..., 1.8e9, a sign, a fraction and blanks around are accepted; what is no number is NaN and never
   expires.
4. The policy is JSON.parse(Buffer.from(policy, 'base64')) with typeof 'object': lists and null pass, and characters that are no Base64 are skipped.
5. timingSafeEqual throws if the lengths differ, so a signature of another length is an exception, not a refusal.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import unquote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


class RangeError(Exception):
    pass


def timing_safe_equal(a, b):
    if len(a) != len(b):
        raise RangeError("Input buffers must have the same byte length")
    return hmac.compare_digest(a, b)


def deny(reason, message="Unauthorized"):
    raise Refused(reason, message)


def event_headers(pairs):
    out = {}
    for name, value in pairs:
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            deny("header-name", name)
        value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value).strip(" \t")
        if re.search(r"[\r\n\0]", value):
            deny("header-value", name)
        value.encode()
        out[name.lower()] = value
    return out


def string_to_sign(method, md5, mime, when, headers, bucket, key):
    prefix = WORDS["headerPrefix"].lower()
    names = sorted(name for name in headers if name.startswith(prefix))
    return "\n".join([method.upper(), md5, mime, when, ""]) + "".join("%s:%s\n" % (n, headers[n]) for n in names) + "/" + bucket + "/" + key


def check(text, signature, private):
    expected = base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest())
    if not timing_safe_equal(expected, signature.encode()):
        deny("signature-mismatch")


def check_method(method):
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
        deny("method")


def is_policy(policy):
    plain = re.sub("[^A-Za-z0-9+/]", "", policy.split("=")[0].replace("-", "+").replace("_", "/"))
    plain = plain[:-1] if len(plain) % 4 == 1 else plain
    try:
        value = json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace"), parse_constant=int)
    except (ValueError, RecursionError):
        return False
    return value is None or isinstance(value, (dict, list))


def by_header(q, public, private):
    headers = event_headers(q["headers"])
    check_method(q["method"])
    if not q["bucket"] or "/" in q["bucket"]:
        deny("bucket")
    if "authorization" not in headers:
        deny("authorization-missing")
    scheme, space, rest = headers["authorization"].partition(" ")
    parts = rest.split(":")
    if scheme != WORDS["scheme"] or not space or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        deny("authorization-malformed")
    if len(parts) == 3 and (q["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2])):
        deny("authorization-malformed")
    if parts[0] != public:
        deny("public-key-unknown")
    text = string_to_sign(q["method"], headers.get("content-md5", ""), headers.get("content-type", ""), headers.get("date", ""), headers, q["bucket"], q["key"])
    check(text + "".join(parts[2:]), parts[1], private)
    return {"publicKey": public}


def decoded(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        deny(reason)
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        deny(reason)


def query_string_parameters(query, names=None):
    out = {}
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name, value = decoded(name, "query-malformed"), decoded(value, "query-malformed")
            if names is None or name in names:
                if name in out:
                    deny("parameter-repeated", name)
                try:
                    value = decoded(value, "URIError")
                except Refused:
                    pass
                out[name] = value
    return out


def Number(text):
    text = text.strip(" \t\r\n\x0b\x0c\xa0\ufeff\u2028\u2029")
    if text == "":
        return 0.0
    for pattern, base in (("0[xX][0-9A-Fa-f]+", 16), ("0[oO][0-7]+", 8), ("0[bB][01]+", 2)):
        if re.fullmatch(pattern, text):
            return float(int(text[2:], base))
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?Infinity", text):
        return float(text)
    return float("nan")


def by_url(q, public, private):
    headers = event_headers(q["headers"])
    check_method(q["method"])
    match = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]+)/([^?#]*)(?:\?([^#]*))?", q["url"], re.S)
    if not match or match[2].lower() != q["fileHost"].lower():
        deny("url-malformed")
    key = decoded(match[3], "url-malformed")
    params = query_string_parameters(match[4] or "", (WORDS["publicKeyParameter"], "Expires", "Signature"))
    if not params.get("Signature"):
        deny("signature-missing")
    if len(params) < 3:
        deny("parameter-missing")
    if Number(params["Expires"]) < float(q["now"]):
        deny("expired")
    if params[WORDS["publicKeyParameter"]] != public:
        deny("public-key-unknown")
    check(string_to_sign(q["method"], "", "", params["Expires"], headers, match[1], key), params["Signature"], private)
    return {"publicKey": public}


def by_query(q, public, private):
    params = query_string_parameters(q["query"])
    signature = params.pop("Signature", "")
    if signature == "":
        deny("signature-missing")
    if "Action" not in params or "PublicKey" not in params:
        deny("parameter-missing")
    if params["PublicKey"] != public:
        deny("public-key-unknown")
    text = "".join(name + params[name] for name in sorted(params, key=lambda name: name.encode())) + private
    if not timing_safe_equal(hashlib.sha1(text.encode()).hexdigest().encode(), signature.encode()):
        deny("signature-mismatch")
    return {"publicKey": public}


serve("lambda-authorizer", {"verify-authorization": by_header, "verify-presigned-url": by_url, "verify-query": by_query})
