#!/usr/bin/env python3
r"""A Rust crate for object storage with a small proxy that checks requests: files only, signing and verifying. Transcribed for the harness.

Mistakes:
1. Escapes every char for which char::is_alphanumeric() is false, apart from - _ . ~: letters and numbers of all scripts (categories L and N, such as U+00E9 or
   U+4E2D) stay as they are in escaped texts and in URLs.
2. Trims header values with str::trim(), which removes all Unicode white space at both ends, such as U+00A0, U+3000, U+0085 or U+000B. Line breaks were refused before.
3. The verifier reads the scheme with strip_prefix("Svc") and trim_start(): no blank is needed after it, and many are allowed.
4. The verifier removes all leading slashes of the URL's path with trim_start_matches('/'), so the key /a is verified as a.
5. The verifier reads Expires with parse::<u32>(): a plus sign in front and any number of leading zeros are accepted, and numbers above 4294967295 are malformed.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import unicodedata

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def is_alphanumeric(c):
    return unicodedata.category(c)[0] in "LN"


def escape(s):
    s.encode("utf-8")
    return "".join(c if is_alphanumeric(c) or c in "-_.~" else "".join("%%%02X" % b for b in c.encode("utf-8")) for c in s)


def unescape(s, reason):
    data, out = s.encode("utf-8").split(b"%"), bytearray()
    out += data[0]
    for piece in data[1:]:
        if not re.match(b"[0-9a-fA-F]{2}", piece):
            raise Refused(reason, "bad escape")
        out.append(int(piece[:2], 16))
        out += piece[2:]
    try:
        return bytes(out).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "bad UTF-8")


def token(s):
    return re.fullmatch("[-!#$%&'*+.^_`|~0-9A-Za-z]+", s) is not None


class Headers:
    def __init__(self, pairs):
        self.map = []
        for name, value in pairs:
            name = name.strip("\t ")
            if not token(name):
                raise Refused("header-name", "invalid HeaderName")
            value.encode("utf-8")
            value = re.sub("[\t ]*(?:\r?\n[\t ]+)+", " ", value)
            if re.search("[\n\r\0]", value.strip(" \t")):
                raise Refused("header-value", "invalid HeaderValue")
            self.map.append((name.lower(), value.strip(WHITE)))

    def all(self, name):
        return [v for n, v in self.map if n == name]

    def get(self, name):
        found = self.all(name)
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def canonical(self):
        names = sorted({n for n, _ in self.map if n.startswith(WORDS["headerPrefix"].lower())})
        return "".join(n + ":" + ",".join(self.all(n)) + "\n" for n in names)


def method_of(s):
    if not token(s):
        raise Refused("method", "invalid Method")
    return s.upper()


def bucket_of(s):
    if s == "" or "/" in s:
        raise Refused("bucket", "invalid bucket")
    return s


def hmac_sha1(pri, text):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def string_to_sign(given):
    h = Headers(given["headers"])
    method, bucket = method_of(given["method"]), bucket_of(given["bucket"])
    lines = [method, h.get("content-md5"), h.get("content-type"), h.get("date"), h.canonical() + "/" + bucket + "/" + given["key"]]
    return h, "\n".join(lines)


def authorization(given, pub, pri):
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmac_sha1(pri, string_to_sign(given)[1])}


def policy_authorization(given, pub, pri):
    pub.encode("utf-8")
    value = WORDS["scheme"] + " " + pub + ":" + hmac_sha1(pri, string_to_sign(given)[1] + given["policy"])
    return {"authorization": value + (":" + given["policy"] if given["policy"] else "")}


def presigned_text(method, headers, bucket, key, expires):
    return method + "\n\n\n" + expires + "\n" + headers.canonical() + "/" + bucket + "/" + key


def presigned(given, pub, pri):
    headers = Headers(given["headers"])
    text = presigned_text(method_of(given["method"]), headers, bucket_of(given["bucket"]), given["key"], given["expires"])
    path = "/".join(escape(segment) for segment in given["key"].split("/"))
    query = [(WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", hmac_sha1(pri, text))]
    return {"url": "%s://%s.%s/%s?%s" % (given["scheme"], given["bucket"], given["fileHost"], path, "&".join(n + "=" + escape(v) for n, v in query))}


def check(pub, pri, who, text, signature):
    if who != pub:
        raise Refused("public-key-unknown", "unknown account")
    if hmac_sha1(pri, text) != signature:
        raise Refused("signature-mismatch", "bad signature")
    return {"publicKey": who}


def policy_is_valid(s):
    alphabets = [bool(re.search("[+/]", s)), bool(re.search("[-_]", s))]
    if all(alphabets):
        return False
    s = s.rstrip("=").translate({45: 43, 95: 47})
    try:
        raw = base64.b64decode(s + "=" * (-len(s) % 4), validate=True)
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, pub, pri):
    headers, text = string_to_sign(given)
    values = headers.all("authorization")
    if not values:
        raise Refused("authorization-missing", "none")
    if len(values) > 1:
        raise Refused("authorization-malformed", "several")
    if not values[0].startswith(WORDS["scheme"]):
        raise Refused("authorization-malformed", "scheme")
    rest = values[0][len(WORDS["scheme"]):].lstrip(WHITE)
    parts = rest.split(":")
    if not 2 <= len(parts) <= 3 or "" in parts or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "parts")
    if len(parts) == 3:
        if given["method"].upper() not in ("PUT", "POST") or not policy_is_valid(parts[2]):
            raise Refused("authorization-malformed", "policy")
        text += parts[2]
    return check(pub, pri, parts[0], text, parts[1])


def verify_presigned(given, pub, pri):
    method, headers = method_of(given["method"]), Headers(given["headers"])
    m = re.fullmatch("https?://([^/?#]*)(/[^?#]*)([?][^#]*)?", given["url"])
    if m is None:
        raise Refused("url-malformed", "url")
    bucket, _, rest = m[1].partition(".")
    if bucket == "" or rest.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = unescape(m[2].lstrip("/"), "url-malformed")
    found = {}
    repeated = False
    for pair in (m[3] or "?")[1:].split("&"):
        if pair == "":
            continue
        n, _, v = pair.partition("=")
        n, v = unescape(n, "query-malformed"), unescape(v, "query-malformed")
        if n in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            repeated = repeated or n in found
            found[n] = v
    if repeated:
        raise Refused("parameter-repeated", "query")
    if not found.get("Signature"):
        raise Refused("signature-missing", "query")
    if WORDS["publicKeyParameter"] not in found or "Expires" not in found:
        raise Refused("parameter-missing", "query")
    expires = found["Expires"]
    digits = re.fullmatch("[+]?0*([0-9]{1,10})", expires)
    if not digits or int(digits[1]) > 0xFFFFFFFF:
        raise Refused("expires-malformed", "ParseIntError")
    if int(given["now"]) > int(digits[1]):
        raise Refused("expired", "late")
    return check(pub, pri, found[WORDS["publicKeyParameter"]], presigned_text(method, headers, bucket, key, expires), found["Signature"])


serve("rust-crate", {"url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])}, "authorization": authorization,
                     "policy-authorization": policy_authorization, "presigned-url": presigned, "verify-authorization": verify_authorization,
                     "verify-presigned-url": verify_presigned})
