#!/usr/bin/env python3
r"""A Node developer's Express middleware that checks all four kinds of signed requests; it signs nothing itself.

Mistakes:
1. Takes repeated headers as Node joins them, with ", ", so a repeated extra header is verified as a:1, 2 instead of a:1,2.
2. Decodes names and values of a query (not the path) like a form: + is a space. This holds for verify-query and for the parameters of a pre-signed URL.
3. Reads Expires with Number(): 1.7e9, 0x7fffffff, 0b1, a fraction, blanks around the digits, more than 15 digits and Infinity (which never passes) are all
   accepted. An empty value is 0 and so has passed, and negative numbers have passed as well. Only NaN is malformed.
4. Reads the body with JSON.parse: numbers are doubles and lose digits beyond that precision before the signature is computed (and a number beyond the largest
   double makes the body malformed).
5. Takes a third part for a policy if typeof JSON.parse(it) is "object", which lists and null are too.
"""
import base64
import hashlib
import hmac
import json
import math
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.A)
JS_SPACE = "\t\n\v\f\r \xa0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def b64hmac(pri, text):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def header_value(v):
    v.encode("utf-8")
    v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t")
    if any(c in v for c in "\r\n\0"):
        raise Refused("header-value", "control character")
    return v


def read_headers(pairs):
    out = {}
    for name, v in pairs:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", "bad header name")
        out.setdefault(name.lower(), []).append(header_value(v))
    return out


def single(headers, name):
    values = headers.get(name, [""])
    if len(values) != 1:
        raise Refused("header-repeated", name)
    return values[0]


def extra(headers):
    prefix = WORDS["headerPrefix"].lower()
    return "".join("%s:%s\n" % (n, ", ".join(headers[n])) for n in sorted(headers) if n.startswith(prefix))


def upper(method):
    if not TOKEN.fullmatch(method):
        raise Refused("method", "bad method")
    return method.upper()


def is_policy(text):
    if ("-" in text or "_" in text) and ("+" in text or "/" in text):
        return False
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    if not re.fullmatch("[A-Za-z0-9+/]+", bare) or len(bare) % 4 == 1:
        return False
    try:
        doc = json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return doc is None or isinstance(doc, (dict, list))


def verify_authorization(given, pub, pri):
    headers = read_headers(given["headers"])
    method = upper(given["method"])
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", "bad bucket")
    text = "\n".join([method, single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      extra(headers) + "/" + given["bucket"] + "/" + given["key"]])
    if "authorization" not in headers:
        raise Refused("authorization-missing", "no Authorization header")
    if len(headers["authorization"]) > 1:
        raise Refused("authorization-malformed", "two Authorization headers")
    scheme, space, rest = headers["authorization"][0].partition(" ")
    parts = rest.split(":")
    if scheme != WORDS["scheme"] or not space or len(parts) not in (2, 3) or not all(parts) or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "want scheme, key and signature")
    if len(parts) == 3:
        if method not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "want a policy")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", "who is this")
    if b64hmac(pri, text) != parts[1]:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def decode(s, reason):
    out = bytearray()
    for piece in re.findall(r"%[0-9A-Fa-f]{2}|[^%]+|%", s):
        if piece == "%":
            raise Refused(reason, "malformed escape")
        if piece[0] == "%" and len(piece) == 3:
            out.append(int(piece[1:], 16))
        else:
            out += piece.encode("utf-8")
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "malformed UTF-8")


def form_pairs(query):
    pairs = []
    for piece in query.split("&"):
        if piece:
            n, _, v = piece.replace("+", " ").partition("=")
            pairs.append((decode(n, "query-malformed"), decode(v, "query-malformed")))
    return pairs


def unique(names):
    if len(set(names)) != len(names):
        raise Refused("parameter-repeated", "repeated")


def js_number(s):
    s = s.strip(JS_SPACE)
    if s == "":
        return 0.0
    if re.fullmatch("0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+", s):
        try:
            return float(int(s[2:], {"x": 16, "o": 8, "b": 2}[s[1].lower()]))
        except OverflowError:
            return math.inf
    if re.fullmatch(r"[+-]?(Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)", s):
        return float(s)
    return math.nan


def verify_url(given, pub, pri):
    method = upper(given["method"])
    headers = read_headers(given["headers"])
    m = re.match(r"(?:http|https)://([^/?#]*)/([^?#]*)(?:\?([^#]*))?\Z", given["url"])
    if not m:
        raise Refused("url-malformed", "not a URL")
    bucket, dot, host = m[1].partition(".")
    if not bucket or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = decode(m[2], "url-malformed")
    wanted = [WORDS["publicKeyParameter"], "Expires", "Signature"]
    pairs = [p for p in form_pairs(m[3] or "") if p[0] in wanted]
    unique([n for n, _ in pairs])
    who, expires, signature = map(dict(pairs).get, wanted)
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if who is None or expires is None:
        raise Refused("parameter-missing", "no key or no expiry")
    deadline = js_number(expires)
    if math.isnan(deadline):
        raise Refused("expires-malformed", "NaN")
    if int(given["now"]) > deadline:
        raise Refused("expired", "too late")
    if who != pub:
        raise Refused("public-key-unknown", "who is this")
    if b64hmac(pri, "\n".join([method, "", "", expires, extra(headers) + "/" + bucket + "/" + key])) != signature:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def check(params, signature, pub, pri):
    """params: flattened pairs of texts."""
    params = [p for p in params if p[0] != "Signature"]
    unique([n for n, _ in params])
    params.sort(key=lambda p: p[0].encode("utf-8"))
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "no Signature")
    values = dict(params)
    for n in ("Action", "PublicKey"):
        if n not in values:
            raise Refused("parameter-missing", n)
    if values["PublicKey"] != pub:
        raise Refused("public-key-unknown", "who is this")
    text = "".join(n + v for n, v in params) + pri
    if hashlib.sha1(text.encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def verify_query(given, pub, pri):
    pairs = form_pairs(given["query"])
    unique([n for n, _ in pairs])
    return check(pairs, dict(pairs).get("Signature"), pub, pri)


class Members(list):
    pass


def members(pairs):
    unique([n for n, _ in pairs])
    return Members(pairs)


def plain(x):
    if math.isinf(x):
        raise Refused("body-malformed", "Infinity")
    s = format(Decimal(repr(x)), "f")
    if "." in s:
        s = s.rstrip("0").rstrip(".")
    return "0" if s == "-0" else s


def flat(name, v, out):
    if isinstance(v, Members):
        for n, x in v:
            flat(name + "." + n, x, out)
    elif isinstance(v, list):
        for i, x in enumerate(v):
            flat(name + "." + str(i), x, out)
    elif v is None:
        raise Refused("body-malformed", "null")
    elif isinstance(v, bool):
        out.append((name, "true" if v else "false"))
    else:
        out.append((name, v if isinstance(v, str) else plain(v)))


def no_constant(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        doc = json.loads(given["body"], object_pairs_hook=members, parse_int=float, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(doc, Members):
        raise Refused("body-malformed", "not an object")
    out = []
    for n, v in doc:
        flat(n, v, out)
    return check(out, dict(doc).get("Signature"), pub, pri)


serve("node-middleware", {"verify-authorization": verify_authorization, "verify-presigned-url": verify_url, "verify-query": verify_query,
                          "verify-json": verify_json})
