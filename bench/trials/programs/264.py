#!/usr/bin/env python3
"""A Django middleware that authenticates file requests, pre-signed downloads and calls of the account API.

Mistakes:
1. Restores the names of headers from request.META (HTTP_X_SVC_META_A): an underscore in any header name is read as a hyphen.
2. Never compares the public key of the Authorization header with the account's: since it is not part of the signed text, any public
   key is accepted with a right signature.
3. Leaves parameters with an empty value out of the set of a query (verify-query).
4. Writes JSON booleans with str(): True and False (verify-json).
5. Writes JSON numbers that have a fraction or an exponent as str(float): 42.0 stays 42.0, 1e2 gives 100.0, and 0.00001 gives 1e-05;
   they are rounded to a double, and 1e400 gives inf (verify-json).
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
from serving import WORDS, Refused, serve  # noqa: E402

HTTP_TOKEN = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)


class META:
    def __init__(self, headers):
        self.rows = {}
        for name, value in headers:
            name = name.strip(" \t")
            if HTTP_TOKEN.fullmatch(name) is None:
                raise Refused("header-name", name)
            value.encode("utf-8")
            value = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\x00]", value):
                raise Refused("header-value", name)
            self.rows.setdefault("HTTP_" + name.upper().replace("-", "_"), []).append(value)

    def get(self, variable):
        values = self.rows.get(variable, [""])
        if len(values) > 1:
            raise Refused("header-repeated", variable)
        return values[0]

    def extra(self):
        headers = {k[5:].replace("_", "-").lower(): ",".join(v) for k, v in self.rows.items()}
        return "".join("%s:%s\n" % (n, headers[n]) for n in sorted(headers) if n.startswith(WORDS["headerPrefix"].lower()))


def file_signature(private_key, parts):
    mac = hmac.new(private_key.encode("utf-8"), "\n".join(parts).encode("utf-8"), hashlib.sha1)
    return base64.b64encode(mac.digest())


def same(expected, got):
    if not hmac.compare_digest(expected, got.encode("utf-8")):
        raise Refused("signature-mismatch", "403 Forbidden")


def check_method(method):
    if HTTP_TOKEN.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


def is_policy(text):
    urlsafe = re.fullmatch(r"[A-Za-z0-9_-]+={0,2}", text)
    standard = re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", text)
    if not urlsafe and not standard:
        return False
    body = text.rstrip("=")
    body += "=" * (-len(body) % 4)
    try:
        raw = base64.urlsafe_b64decode(body) if urlsafe else base64.b64decode(body)
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def process_authorization(request, account, secret):
    meta = META(request["headers"])
    method = check_method(request["method"])
    if not request["bucket"] or "/" in request["bucket"]:
        raise Refused("bucket", request["bucket"])
    parts = [method, meta.get("HTTP_CONTENT_MD5"), meta.get("HTTP_CONTENT_TYPE"), meta.get("HTTP_DATE"),
             "%s/%s/%s" % (meta.extra(), request["bucket"], request["key"])]
    header = meta.rows.get("HTTP_AUTHORIZATION")
    if header is None:
        raise Refused("authorization-missing", "401")
    m = re.fullmatch(r"(\S+) ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", header[0])
    if len(header) > 1 or m is None or m[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "401")
    if m[4] is not None:
        if method not in ("PUT", "POST") or not is_policy(m[4]):
            raise Refused("authorization-malformed", "a policy that is none")
        parts[-1] += m[4]
    same(file_signature(secret, parts), m[3])
    return {"publicKey": m[2]}


def unquote(text, reason):
    if re.search(r"%(?![0-9a-fA-F]{2})", text):
        raise Refused(reason, text)
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, text)


def pairs_of(query):
    return [tuple(unquote(x, "query-malformed") for x in (p.split("=", 1) + [""])[:2]) for p in query.split("&") if p]


def process_download(request, account, secret):
    method = check_method(request["method"])
    meta = META(request["headers"])
    m = re.match(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?\Z", request["url"])
    if m is None:
        raise Refused("url-malformed", request["url"])
    bucket, _, host = m[1].partition(".")
    if not bucket or host.lower() != request["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key = unquote(m[2], "url-malformed")
    wanted = (WORDS["publicKeyParameter"], "Expires", "Signature")
    rows = [row for row in pairs_of(m[3] or "") if row[0] in wanted]
    get = dict(rows)
    if len(get) < len(rows):
        raise Refused("parameter-repeated", "400")
    if not get.get("Signature"):
        raise Refused("signature-missing", "401")
    if wanted[0] not in get or "Expires" not in get:
        raise Refused("parameter-missing", "401")
    if not re.fullmatch("[0-9]{1,15}", get["Expires"]):
        raise Refused("expires-malformed", get["Expires"])
    if int(get["Expires"]) < int(request["now"]):
        raise Refused("expired", get["Expires"])
    if get[wanted[0]] != account:
        raise Refused("public-key-unknown", get[wanted[0]])
    same(file_signature(secret, [method, "", "", get["Expires"], "%s/%s/%s" % (meta.extra(), bucket, key)]), get["Signature"])
    return {"publicKey": account}


def check_params(params, signature, account, secret):
    """params: dict of texts, without Signature."""
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "401")
    for name in ("Action", "PublicKey"):
        if name not in params:
            raise Refused("parameter-missing", name)
    if params["PublicKey"] != account:
        raise Refused("public-key-unknown", params["PublicKey"])
    text = "".join(n + params[n] for n in sorted(params, key=lambda n: n.encode("utf-8"))) + secret
    same(hashlib.sha1(text.encode("utf-8")).hexdigest().encode(), signature)
    return {"publicKey": account}


def process_query(request, account, secret):
    params = {}
    for name, value in pairs_of(request["query"]):
        if name in params:
            raise Refused("parameter-repeated", name)
        params[name] = value
    params = {n: v for n, v in params.items() if v}
    return check_params(params, params.pop("Signature", None), account, secret)


def members(pairs):
    out = dict(pairs)
    if len(out) < len(pairs):
        raise Refused("parameter-repeated", "a member is there twice")
    return out


def not_json(word):
    raise ValueError(word)


def flatten(value, name):
    if value is None:
        raise Refused("body-malformed", name + " is null")
    if isinstance(value, dict):
        for k, v in value.items():
            yield from flatten(v, "%s.%s" % (name, k))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from flatten(v, "%s.%d" % (name, i))
    else:
        yield name, str(value)


def process_json(request, account, secret):
    try:
        body = json.loads(request["body"], object_pairs_hook=members, parse_constant=not_json)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "400")
    if not isinstance(body, dict):
        raise Refused("body-malformed", "not an object")
    rows = [row for n, v in body.items() for row in flatten(v, n) if row[0] != "Signature"]
    params = dict(rows)
    if len(params) < len(rows):
        raise Refused("parameter-repeated", "400")
    return check_params(params, body.get("Signature"), account, secret)


serve("django-middleware", {"verify-authorization": process_authorization, "verify-presigned-url": process_download,
                            "verify-query": process_query, "verify-json": process_json})
