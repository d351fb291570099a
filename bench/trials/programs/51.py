#!/usr/bin/env python3
"""A plug in Elixir (Plug.Conn, Jason): verifies the Authorization header and the account API.

1. Plug.Conn.Query decodes a + in a query as a blank.
2. Queries and JSON objects become maps: of a repeated name the last value counts, nothing is refused.
3. [value | _] = get_req_header(conn, "authorization") takes the first of two Authorization headers instead of refusing them.
4. String.trim takes no-break spaces and other Unicode blanks off both ends of a header value.
5. JSON numbers with a point or an exponent are floats and are signed as to_string writes them: 42.0, 1000.0, 1.0e21, 1.0e-7.
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
from serving import Refused, serve, WORDS  # noqa: E402


def refuse(reason, message="halted"):
    raise Refused(reason, message)


# --- headers

def string_trim(text):
    return text.strip(" \t\x0b\x0c\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000")


def req_headers(pairs):
    for name, value in pairs:
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            refuse("header-name", name)
        value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value)
        if re.search(r"[\r\n\0]", value.strip(" \t")):
            refuse("header-value", name)
        value.encode()
        yield name.lower(), string_trim(value)


def one(conn, name):
    found = [value for known, value in conn if known == name]
    if len(found) > 1:
        refuse("header-repeated", name)
    return found[0] if found else ""


def valid_policy(policy):
    if re.search("[+/]", policy) and re.search("[-_]", policy):
        return False
    plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8"), parse_constant=int), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(q, public, private):
    conn = list(req_headers(q["headers"]))
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", q["method"]):
        refuse("method")
    if q["bucket"] == "" or "/" in q["bucket"]:
        refuse("bucket")
    method = q["method"].upper()
    extra = {}
    for name, value in conn:
        if name.startswith(WORDS["headerPrefix"].lower()):
            extra[name] = extra[name] + "," + value if name in extra else value
    text = "\n".join([method, one(conn, "content-md5"), one(conn, "content-type"), one(conn, "date"), ""])
    text += "".join(name + ":" + extra[name] + "\n" for name in sorted(extra)) + "/" + q["bucket"] + "/" + q["key"]
    values = [value for name, value in conn if name == "authorization"]
    if not values:
        refuse("authorization-missing")
    scheme, space, rest = values[0].partition(" ")
    parts = rest.split(":")
    if scheme != WORDS["scheme"] or not space or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        refuse("authorization-malformed")
    if len(parts) == 3:
        if method not in ("PUT", "POST") or not valid_policy(parts[2]):
            refuse("authorization-malformed")
        text += parts[2]
    if parts[0] != public:
        refuse("public-key-unknown")
    if base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode() != parts[1]:
        refuse("signature-mismatch")
    return {"publicKey": public}


# --- parameters

def check(params, public, private):
    signature = params.get("Signature")
    if not isinstance(signature, str) or signature == "":
        refuse("signature-missing")
    for name in ("Action", "PublicKey"):
        if name not in params:
            refuse("parameter-missing", name)
    if params["PublicKey"] != public:
        refuse("public-key-unknown")
    names = sorted((name for name in params if name != "Signature"), key=lambda name: name.encode())
    text = "".join(name + params[name] for name in names) + private
    if hashlib.sha1(text.encode()).hexdigest() != signature:
        refuse("signature-mismatch")
    return {"publicKey": public}


def www_form(text):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        refuse("query-malformed")
    try:
        return urllib.parse.unquote_plus(text, errors="strict")
    except UnicodeDecodeError:
        refuse("query-malformed")


def verify_query(q, public, private):
    params = {}
    for piece in q["query"].split("&"):
        if piece:
            name, _, value = piece.partition("=")
            params[www_form(name)] = www_form(value)
    return check(params, public, private)


def to_string(value):
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float):
        text = repr(value)
        if "e" in text:
            mantissa, exponent = text.split("e")
            text = (mantissa if "." in mantissa else mantissa + ".0") + "e" + str(int(exponent))
        return text
    return str(value)


def flatten(name, value):
    if value is None:
        refuse("body-malformed", name + " is null")
    if isinstance(value, (dict, list)):
        for member, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flatten("%s.%s" % (name, member), item)
    else:
        yield name, to_string(value)


def no_word(word):
    raise ValueError(word)


def finite(text):
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(text)
    return value


def verify_json(q, public, private):
    try:
        body = json.loads(q["body"], parse_constant=no_word, parse_float=finite)
    except (ValueError, RecursionError):
        refuse("body-malformed")
    if not isinstance(body, dict):
        refuse("body-malformed")
    if not isinstance(body.get("Signature", ""), str):
        refuse("signature-missing")
    return check(dict(pair for name, value in body.items() for pair in flatten(name, value)), public, private)


serve("elixir-plug", {"verify-authorization": verify_authorization, "verify-query": verify_query, "verify-json": verify_json})
