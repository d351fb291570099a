#!/usr/bin/env python3
"""An OpenResty gateway: verifies Authorization and pre-signed URLs in access_by_lua, and signs what it sends on to the store.

Mistakes:
1. Takes the key from ngx.var.uri, which nginx has normalised: runs of slashes (also one at the start of the key) become one, the
   segments . and .. are resolved, and a path that climbs above the root is refused; in all three operations.
2. Header names with a character other than letters, digits and hyphens (for example an underscore) are ignored, as nginx does by
   default: such an extra header is not signed.
3. An extra header that is sent more than once is a table in ngx.req.get_headers(), of which only the first value is signed.
4. Expires goes through tonumber(): a sign, a fraction, an exponent, 0x and white space around it pass as well, and so does a number of
   any length.
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


def ngx_uri(key):
    """ngx.var.uri, without its first slash."""
    out = []
    parts = key.split("/")
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part == "..":
            if not out:
                raise Refused("url-malformed", "400 Bad Request")
            out.pop()
        elif part not in ("", "."):
            out.append(part + ("" if last else "/"))
    return "".join(out)


def unescape(s, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, "stray percent sign")
    raw = bytearray()
    for piece in re.findall("%..|[^%]+", s, re.S):
        raw += bytes.fromhex(piece[1:]) if piece[0] == "%" else piece.encode("utf-8")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def tonumber(s):
    s = s.strip(" \t\n\v\f\r")
    m = re.fullmatch("([+-]?)0[xX]([0-9a-fA-F]+)", s)
    if m:
        return int(m[1] + m[2], 16)
    if re.fullmatch(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?", s):
        return float(s)
    return None


TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def get_headers(rows):
    h = {}
    for name, value in rows:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
        value = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode("utf-8")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        if re.fullmatch("[A-Za-z0-9-]+", name):
            h.setdefault(name.lower(), []).append(value)
    return h


def single(h, name):
    t = h.get(name)
    if t is None:
        return ""
    if len(t) > 1:
        raise Refused("header-repeated", name)
    return t[0]


def check(method, bucket):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)


def string_to_sign(method, md5, mime, date, h, bucket, key):
    t = [method.upper(), md5, mime, date]
    prefix = WORDS["headerPrefix"].lower()
    for name in sorted(h):
        if name[:len(prefix)] == prefix:
            t.append(name + ":" + h[name][0])
    t.append("/" + bucket + "/" + ngx_uri(key))
    return "\n".join(t)


def hmac_sha1(secret, text):
    return base64.b64encode(hmac.new(secret.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def request_text(g, h):
    check(g["method"], g["bucket"])
    return string_to_sign(g["method"], single(h, "content-md5"), single(h, "content-type"), single(h, "date"), h, g["bucket"], g["key"])


def authorization(g, pub, pri):
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmac_sha1(pri, request_text(g, get_headers(g["headers"])))}


def json_object(text):
    text = text.rstrip("=")
    if not (re.fullmatch("[A-Za-z0-9+/]+", text) or re.fullmatch("[A-Za-z0-9_-]+", text)):
        return False
    text = text.replace("-", "+").replace("_", "/")
    try:
        return isinstance(json.loads(base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(g, pub, pri):
    h = get_headers(g["headers"])
    text = request_text(g, h)
    if "authorization" not in h:
        raise Refused("authorization-missing", "401")
    if len(h["authorization"]) > 1:
        raise Refused("authorization-malformed", "more than one")
    m = re.fullmatch("([^ ]*) ([^ \t:]+):([^ \t:]+)(?::([^ \t:]+))?", h["authorization"][0])
    if m is None or m[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "not " + WORDS["scheme"])
    if m[4] is not None:
        if g["method"].upper() not in ("PUT", "POST") or not json_object(m[4]):
            raise Refused("authorization-malformed", "no policy")
        text += m[4]
    if m[2] != pub:
        raise Refused("public-key-unknown", m[2])
    if m[3] != hmac_sha1(pri, text):
        raise Refused("signature-mismatch", "403")
    return {"publicKey": pub}


def verify_presigned_url(g, pub, pri):
    h = get_headers(g["headers"])
    m = re.fullmatch("https?://([^/?#]*)/([^?#]*)(?:[?]([^#]*))?", g["url"])
    if m is None:
        raise Refused("url-malformed", "not a URL")
    bucket, _, rest = m[1].partition(".")
    if bucket == "" or rest.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", "not our host")
    key = unescape(m[2], "url-malformed")
    check(g["method"], bucket)
    args = {}
    for pair in (m[3] or "").split("&"):
        if pair == "":
            continue
        name, _, value = pair.partition("=")
        name, value = unescape(name, "query-malformed"), unescape(value, "query-malformed")
        args.setdefault(name, []).append(value)
    wanted = (WORDS["publicKeyParameter"], "Expires", "Signature")
    for name in wanted:
        if len(args.get(name, [])) > 1:
            raise Refused("parameter-repeated", name)
    public_key, expires, signature = (args.get(name, [None])[0] for name in wanted)
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if public_key is None or expires is None:
        raise Refused("parameter-missing", "no key, or no expiry")
    t = tonumber(expires)
    if t is None:
        raise Refused("expires-malformed", expires)
    if int(g["now"]) > t:
        raise Refused("expired", expires)
    if public_key != pub:
        raise Refused("public-key-unknown", public_key)
    if hmac_sha1(pri, string_to_sign(g["method"], "", "", expires, h, bucket, key)) != signature:
        raise Refused("signature-mismatch", "403")
    return {"publicKey": pub}


serve("openresty", {"authorization": authorization, "verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url})
