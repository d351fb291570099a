"""A Rust server's verifying middleware (axum, serde_json).

1. Numbers in a JSON body pass through f64, so integers beyond 2^53 and long fractions lose digits before hashing.
2. A pre-signed URL is accepted until 300 seconds after Expires (leeway for clock skew).
3. The third part of Authorization counts as a policy when it is Base64, whether or not it decodes to a JSON object.
4. The path of a pre-signed URL is percent-decoded twice (once by the router, once by the extractor).
"""
import base64
import binascii
import hashlib
import hmac
import json
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from decimal import Decimal  # noqa: E402
from urllib.parse import unquote_to_bytes  # noqa: E402

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def decode(text, reason, twice=False):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, text)
    try:
        out = unquote_to_bytes(text).decode("utf-8")
        return unquote_to_bytes(out).decode("utf-8") if twice else out
    except UnicodeDecodeError:
        raise Refused(reason, text)


class Headers:
    def __init__(self, raw):
        self.map = {}
        for name, value in raw:
            name = name.strip(" \t")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            value.encode("utf-8")
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            self.map.setdefault(name.lower(), []).append(value)

    def single(self, name):
        values = self.map.get(name, [""])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0]

    def extra(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join("%s:%s\n" % (n, ",".join(v)) for n, v in sorted(self.map.items()) if n.startswith(prefix))


def mac(pri, text):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def method_of(i):
    if not TOKEN.fullmatch(i["method"]):
        raise Refused("method", i["method"])
    return i["method"].upper()


def verify_authorization(i, pub, pri):
    headers = Headers(i["headers"])
    method = method_of(i)
    if not i["bucket"] or "/" in i["bucket"]:
        raise Refused("bucket", i["bucket"])
    text = "\n".join([method, headers.single("content-md5"), headers.single("content-type"), headers.single("date"),
                      headers.extra() + "/" + i["bucket"] + "/" + i["key"]])
    given = headers.map.get("authorization")
    if not given:
        raise Refused("authorization-missing", "")
    if len(given) > 1 or not given[0].startswith(WORDS["scheme"] + " "):
        raise Refused("authorization-malformed", "")
    parts = given[0][len(WORDS["scheme"]) + 1:].split(":")
    if len(parts) not in (2, 3) or not all(parts) or re.search("[ \t]", given[0][len(WORDS["scheme"]) + 1:]):
        raise Refused("authorization-malformed", "")
    if len(parts) == 3:
        policy = parts[2]
        mixed = re.search("[+/]", policy) and re.search("[-_]", policy)
        plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
        try:
            base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        except binascii.Error:
            mixed = True
        if mixed or method not in ("PUT", "POST"):
            raise Refused("authorization-malformed", "policy")
        text += policy
    if parts[0] != pub:
        raise Refused("public-key-unknown", "")
    if mac(pri, text) != parts[1]:
        raise Refused("signature-mismatch", "")
    return {"publicKey": parts[0]}


def verify_presigned_url(i, pub, pri):
    method, headers = method_of(i), Headers(i["headers"])
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)\??([^#]*)", i["url"], re.S)
    if not m:
        raise Refused("url-malformed", "")
    bucket, _, host = m[1].partition(".")
    if not bucket or host.lower() != i["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = decode(m[2], "url-malformed", twice=True)
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    found = {}
    for piece in m[3].split("&"):
        if not piece:
            continue
        name, _, value = piece.partition("=")
        name, value = decode(name, "query-malformed"), decode(value, "query-malformed")
        if name in names:
            found.setdefault(name, []).append(value)
    if any(len(v) > 1 for v in found.values()):
        raise Refused("parameter-repeated", "")
    account, expires, signature = (found.get(n, [None])[0] for n in names)
    if not signature:
        raise Refused("signature-missing", "")
    if account is None or expires is None:
        raise Refused("parameter-missing", "")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", "")
    if int(i["now"]) > int(expires) + 300:
        raise Refused("expired", "")
    if account != pub:
        raise Refused("public-key-unknown", "")
    text = "%s\n\n\n%s\n%s/%s/%s" % (method, expires, headers.extra(), bucket, key)
    if mac(pri, text) != signature:
        raise Refused("signature-mismatch", "")
    return {"publicKey": account}


def check(pairs, signature, pub, pri):
    names = [n for n, _ in pairs]
    if len(names) != len(set(names)):
        raise Refused("parameter-repeated", "")
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "")
    values = dict(pairs)
    for n in ("Action", "PublicKey"):
        if n not in values:
            raise Refused("parameter-missing", n)
    if values["PublicKey"] != pub:
        raise Refused("public-key-unknown", "")
    text = "".join(n + values[n] for n in sorted(names, key=lambda n: n.encode("utf-8")))
    if hashlib.sha1((text + pri).encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def verify_query(i, pub, pri):
    pairs = []
    for piece in i["query"].split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append((decode(name, "query-malformed"), decode(value, "query-malformed")))
    if len(pairs) != len({n for n, _ in pairs}):
        raise Refused("parameter-repeated", "")
    return check([p for p in pairs if p[0] != "Signature"], dict(pairs).get("Signature"), pub, pri)


class Members(list):
    pass


def members(pairs):
    if len(pairs) != len({n for n, _ in pairs}):
        raise Refused("parameter-repeated", "")
    return Members(pairs)


def bad(word):
    raise ValueError(word)


def flatten(name, v):
    if v is None:
        raise Refused("body-malformed", "null")
    if isinstance(v, Members):
        return [row for n, item in v for row in flatten(name + "." + n, item)]
    if isinstance(v, list):
        return [row for n, item in enumerate(v) for row in flatten("%s.%d" % (name, n), item)]
    if isinstance(v, bool):
        return [(name, "true" if v else "false")]
    if isinstance(v, float):
        t = format(Decimal(repr(v)), "f")
        t = t.rstrip("0").rstrip(".") if "." in t else t
        return [(name, t if t.strip("-0.") else "0")]
    return [(name, v)]


def verify_json(i, pub, pri):
    try:
        body = json.loads(i["body"], object_pairs_hook=members, parse_int=float, parse_float=float, parse_constant=bad)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "")
    if not isinstance(body, Members):
        raise Refused("body-malformed", "")
    rows = [row for n, v in body for row in flatten(n, v)]
    return check([r for r in rows if r[0] != "Signature"], dict(body).get("Signature"), pub, pri)


if __name__ == "__main__":
    serve("axum", {"verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url,
                   "verify-query": verify_query, "verify-json": verify_json})
