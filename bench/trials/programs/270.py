#!/usr/bin/env python3
"""A stand-in for the service in Ruby, on Rack and Unicorn: it only verifies.

Mistakes:
1. Rebuilds the headers from Rack's environment (HTTP_X_SVC_META_FOO), where an underscore and a hyphen are the same: x-svc-meta_foo is verified as
   x-svc-meta-foo, and is merged with it.
2. Decodes queries, of the action API and of pre-signed URLs, with URI.decode_www_form_component, which turns a plus sign into a space.
3. Reads the expiry with Integer(text): 0x7fffffff, 0b11, 017 (octal), 1_800_000_000, signs, blanks around it and any length are numbers of seconds.
4. Accepts a callback policy in Authorization whatever the method is, GET included.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal, InvalidOperation

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, Unsupported, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def value_of(v):
    v.encode("utf-8")
    v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
    if re.search(r"[\r\n\0]", v):
        raise Refused("header-value", "control character")
    return v


def environment(headers):
    env = {}
    for name, v in headers:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
        name, v = "HTTP_" + name.upper().replace("-", "_"), value_of(v)
        if name in env:
            if name in ("HTTP_CONTENT_TYPE", "HTTP_CONTENT_MD5", "HTTP_DATE", "HTTP_AUTHORIZATION"):
                raise Unsupported("Unicorn joins repeated headers")
            v = env[name] + "," + v
        env[name] = v
    return env


def method_of(given):
    if not re.fullmatch(TOKEN, given["method"]):
        raise Refused("method", "not a token")
    return given["method"].upper()


def to_sign(method, env, md5, mime, date, bucket, key):
    prefix = "HTTP_" + WORDS["headerPrefix"].upper().replace("-", "_")
    extra = sorted((n[5:].lower().replace("_", "-"), v) for n, v in env.items() if n.startswith(prefix))
    return "\n".join([method, md5, mime, date, "".join(n + ":" + v + "\n" for n, v in extra)]) + "/" + bucket + "/" + key


def file_signature(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode("ascii")


def is_policy(text):
    if re.search("[+/]", text) and re.search("[-_]", text):
        return False
    core = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return isinstance(json.loads(base64.b64decode(core + "=" * (-len(core) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def authorization(given, pub, pri):
    env, method = environment(given["headers"]), method_of(given)
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    text = to_sign(method, env, env.get("HTTP_CONTENT_MD5", ""), env.get("HTTP_CONTENT_TYPE", ""), env.get("HTTP_DATE", ""), given["bucket"], given["key"])
    text.encode("utf-8")
    if "HTTP_AUTHORIZATION" not in env:
        raise Refused("authorization-missing", "none")
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", env["HTTP_AUTHORIZATION"])
    if m is None or m[3] and not is_policy(m[3]):
        raise Refused("authorization-malformed", "not ours")
    if m[1] != pub:
        raise Refused("public-key-unknown", m[1])
    if m[2] != file_signature(text + (m[3] or ""), pri):
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def unescape(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "percent sign")
    try:
        return re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"), flags=re.S).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def www_form(query):
    found = []
    for part in query.split("&"):
        if part:
            name, _, v = part.replace("+", " ").partition("=")
            found.append((unescape(name, "query-malformed"), unescape(v, "query-malformed")))
    return found


def integer(text):
    t = text.strip(" \t\n\v\f\r").lower()[:4000]
    m = re.fullmatch(r"([+-]?)(0x[0-9a-f]+(?:_[0-9a-f]+)*|0b[01]+(?:_[01]+)*|0o?_?[0-7]+(?:_[0-7]+)*|0d[0-9]+(?:_[0-9]+)*|0|[1-9][0-9]*(?:_[0-9]+)*)", t)
    if m is None:
        raise Refused("expires-malformed", text)
    digits = m[2].replace("_", "")
    if digits[:2] in ("0x", "0b", "0o", "0d"):
        n = int(digits[2:], {"x": 16, "b": 2, "o": 8, "d": 10}[digits[1]])
    else:
        n = int(digits, 8 if digits[0] == "0" else 10)
    return -n if m[1] == "-" else n


def link(given, pub, pri):
    method, env = None, None
    method = method_of(given)
    env = environment(given["headers"])
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"], re.S)
    bucket, _, rest = m[1].partition(".") if m else ("", "", "")
    if not m or not bucket or rest.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "not one of ours")
    key = unescape(m[2], "url-malformed")
    ours = (WORDS["publicKeyParameter"], "Expires", "Signature")
    pairs = [(n, v) for n, v in www_form(m[3] or "") if n in ours]
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    if not found.get("Signature"):
        raise Refused("signature-missing", "none")
    if len(found) < 3:
        raise Refused("parameter-missing", "public key or expiry")
    if int(given["now"]) > integer(found["Expires"]):
        raise Refused("expired", found["Expires"])
    if found[ours[0]] != pub:
        raise Refused("public-key-unknown", found[ours[0]])
    if found["Signature"] != file_signature(to_sign(method, env, "", "", found["Expires"], bucket, key), pri):
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def action(pairs, signature, pub, pri):
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "none")
    found = dict(pairs)
    for name in ("Action", "PublicKey"):
        if name not in found:
            raise Refused("parameter-missing", name)
    if found["PublicKey"] != pub:
        raise Refused("public-key-unknown", found["PublicKey"])
    text = "".join(n + found[n] for n in sorted(found)) + pri
    if hashlib.sha1(text.encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def query(given, pub, pri):
    pairs = www_form(given["query"])
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    return action([p for p in pairs if p[0] != "Signature"], dict(pairs).get("Signature"), pub, pri)


def decimal(text):
    try:
        d = Decimal(text)
    except InvalidOperation:
        raise Refused("body-malformed", "number")
    if not d:
        return "0"
    if abs(d.adjusted()) >= 4000:
        raise Refused("body-malformed", "number")
    t = format(d, "f")
    return t.rstrip("0").rstrip(".") if "." in t else t


class Number(str):
    pass


class Members(list):
    pass


def members(pairs):
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "member")
    return Members(pairs)


def constant(word):
    raise ValueError(word)


def flat(name, v):
    if v is None:
        raise Refused("body-malformed", "null")
    if v is True or v is False:
        return [(name, "true" if v else "false")]
    if isinstance(v, Number):
        return [(name, decimal(v))]
    if isinstance(v, str):
        return [(name, v)]
    inner = v if isinstance(v, Members) else enumerate(v)
    return [leaf for k, x in inner for leaf in flat("%s.%s" % (name, k), x)]


def body(given, pub, pri):
    try:
        parsed = json.loads(given["body"], parse_int=Number, parse_float=Number, parse_constant=constant, object_pairs_hook=members)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(parsed, Members):
        raise Refused("body-malformed", "not an object")
    pairs = [leaf for n, v in parsed for leaf in flat(n, v)]
    signature = dict(parsed).get("Signature")
    return action([p for p in pairs if p[0] != "Signature"], None if isinstance(signature, Number) else signature, pub, pri)


serve("ruby-rack", {"verify-authorization": authorization, "verify-presigned-url": link, "verify-query": query, "verify-json": body})
