#!/usr/bin/env python3
"""An OpenResty (nginx with Lua) access phase that verifies Authorization headers and pre-signed URLs in front of a storage cluster.

Mistakes:
1. Of an extra header that was sent several times, only the first value is signed: ngx.req.get_headers() gives a table for it, and the
   code takes its first element instead of joining all with commas (both operations).
2. ngx.unescape_uri turns a plus sign into a space, in the names and values of the query and also in the path (verify-presigned-url):
   a key with an unescaped + in the path, or a Signature whose + is not escaped, fails.
3. Expires goes through tonumber(), so everything that Lua reads as a number is accepted and compared: hexadecimal (0x7fffffff), exponents
   (1e10), fractions, signs, surrounding blanks and more than 15 digits. Only other texts are refused as expires-malformed.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def field_value(v):
    v.encode("utf-8")
    if re.search(r"\0|\r(?!\n)|\n(?![ \t])", v):
        raise Refused("header-value", "a line break")
    return re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t")


def get_headers(pairs):
    """name in lower case -> list of values, as ngx.req.get_headers()."""
    t = {}
    for name, value in pairs:
        name = name.strip(" \t")
        if not NAME.fullmatch(name):
            raise Refused("header-name", name)
        t.setdefault(name.lower(), []).append(field_value(value))
    return t


def single(t, name):
    values = t.get(name, [""])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0]


def verb(m):
    if not NAME.fullmatch(m):
        raise Refused("method", m)
    return m.upper()


def extras(t):
    prefix = WORDS["headerPrefix"].lower()
    return "".join(n + ":" + t[n][0] + "\n" for n in sorted(t) if n.startswith(prefix))


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def is_policy(p):
    if re.search("[-_]", p) and re.search("[+/]", p):
        return False
    p = p.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return isinstance(json.loads(base64.b64decode(p + "=" * (-len(p) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def access_header(given, pub, pri):
    t = get_headers(given["headers"])
    method = verb(given["method"])
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    text = "\n".join([method, single(t, "content-md5"), single(t, "content-type"), single(t, "date"),
                      extras(t) + "/" + given["bucket"] + "/" + given["key"]])
    text.encode("utf-8")
    sent = t.get("authorization")
    if sent is None:
        raise Refused("authorization-missing", "no header")
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", sent[0]) if len(sent) == 1 else None
    if m is None:
        raise Refused("authorization-malformed", "not scheme key:signature")
    if m[3] is not None:
        if method not in ("PUT", "POST") or not is_policy(m[3]):
            raise Refused("authorization-malformed", "no policy here")
        text += m[3]
    if m[1] != pub:
        raise Refused("public-key-unknown", m[1])
    if mac(text, pri) != m[2]:
        raise Refused("signature-mismatch", "signatures differ")
    return {"publicKey": pub}


def unescape_uri(s, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, "stray percent sign")
    raw = re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), s.replace("+", " ").encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def tonumber(s):
    s = s.strip(" \t\n\v\f\r")
    if re.fullmatch(r"[+-]?0[xX][0-9A-Fa-f]+", s):
        return float(int(s, 16))
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", s):
        return float(s)
    return None


def access_url(given, pub, pri):
    method = verb(given["method"])
    t = get_headers(given["headers"])
    m = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"])
    if m is None or m[2].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", given["url"][:80])
    key = unescape_uri(m[3], "url-malformed")
    wanted = [WORDS["publicKeyParameter"], "Expires", "Signature"]
    args = {}
    repeated = False
    for piece in (m[4] or "").split("&"):
        if piece:
            n, _, v = piece.partition("=")
            n, v = unescape_uri(n, "query-malformed"), unescape_uri(v, "query-malformed")
            repeated = repeated or (n in args and n in wanted)
            args[n] = v
    if repeated:
        raise Refused("parameter-repeated", "twice in the query")
    who, expires, signature = [args.get(n) for n in wanted]
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if who is None or expires is None:
        raise Refused("parameter-missing", "no key or expiry")
    at = tonumber(expires)
    if at is None:
        raise Refused("expires-malformed", expires)
    if int(given["now"]) > at:
        raise Refused("expired", expires)
    if who != pub:
        raise Refused("public-key-unknown", who)
    if mac(method + "\n\n\n" + expires + "\n" + extras(t) + "/" + m[1] + "/" + key, pri) != signature:
        raise Refused("signature-mismatch", "signatures differ")
    return {"publicKey": pub}


serve("lua-gateway", {"verify-authorization": access_header, "verify-presigned-url": access_url})
