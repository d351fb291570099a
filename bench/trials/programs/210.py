#!/usr/bin/env python3
"""A server in Ruby, on Rails.

Mistakes:
1. A number of a JSON body with a point or an exponent is a Float, whose to_s is signed (42.0 stays 42.0, 1e20 becomes 1.0e+20, and
   digits beyond a double are lost); an integer is right.
2. params.except("Signature", "action", "controller", "format"): parameters of these three names in lower case are not in the string the
   server signs.
3. verify-authorization: a POST without Content-Type is checked as if it were application/x-www-form-urlencoded.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402,F401


def decimal(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) >= 4000:
            raise Refused("number", "too long")
        t = format(d, "f")
    except ArithmeticError:
        raise Refused("number", written)
    if "." in t:
        t = t.rstrip("0").rstrip(".")
    return t if t.strip("-0.") else "0"


def unescape(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray percent sign")
    raw, i, b = bytearray(), 0, text.encode("utf-8")
    while i < len(b):
        if b[i] == 37:
            raw.append(int(b[i + 1:i + 3], 16))
            i += 3
        else:
            raw.append(b[i])
            i += 1
    try:
        return bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def query_pairs(query):
    pairs = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append((unescape(name, "query-malformed"), unescape(value, "query-malformed")))
    return pairs


def clean(value):
    value.encode("utf-8")
    value = re.sub("(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "a line break or NUL")
    return value


def read(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", "not a token")
        out.append((name.lower(), clean(value)))
    return out


def one(headers, name):
    values = [v for n, v in headers if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def extra(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return "".join("%s:%s\n" % (name, ",".join(groups[name])) for name in sorted(groups))


def verb(method):
    if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
        raise Refused("method", "not a token")
    return method.upper()


def bucket_of(g):
    if not g["bucket"] or "/" in g["bucket"]:
        raise Refused("bucket", "empty, or with a slash")
    return g["bucket"]


def mac(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def is_policy(policy):
    if re.search("[+/]", policy) and re.search("[_-]", policy):
        return False
    try:
        text = policy.replace("-", "+").replace("_", "/").rstrip("=")
        return isinstance(json.loads(base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(g, pub, pri):
    headers = read(g["headers"])
    method, bucket = verb(g["method"]), bucket_of(g)
    mime = one(headers, "content-type")
    if method == "POST" and "content-type" not in [n for n, _ in headers]:
        mime = "application/x-www-form-urlencoded"
    text = "\n".join([method, one(headers, "content-md5"), mime, one(headers, "date"),
                      extra(headers) + "/" + bucket + "/" + g["key"]])
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing", "none")
    word, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or word != WORDS["scheme"] or not blank or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "not %s key:signature" % WORDS["scheme"])
    if len(parts) == 3:
        if method not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "no policy here")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    if mac(pri, text) != parts[1]:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def check(rows, signature, pub, pri):
    names = [n for n, _ in rows]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    rows = sorted(rows, key=lambda row: row[0].encode("utf-8"))
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "none")
    for name in ("Action", "PublicKey"):
        if name not in names:
            raise Refused("parameter-missing", name)
    if dict(rows)["PublicKey"] != pub:
        raise Refused("public-key-unknown", "unknown")
    rows = [row for row in rows if row[0] not in ("action", "controller", "format")]
    text = "".join(n + v for n, v in rows) + pri
    if hashlib.sha1(text.encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def verify_query(g, pub, pri):
    pairs = query_pairs(g["query"])
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    return check([p for p in pairs if p[0] != "Signature"], dict(pairs).get("Signature"), pub, pri)


def ruby(written):
    t = decimal(written)
    if re.fullmatch("-?[0-9]+", written):
        return t
    f = repr(float(written))
    if "inf" in f:
        return f.replace("inf", "Infinity")
    return f.replace("e", ".0e") if "e" in f and "." not in f else f


class Number(str):
    pass


class Members(list):
    pass


def members(pairs):
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    return Members(pairs)


def constant(word):
    raise ValueError(word)


def scalar(v):
    """The text of a value that is no list and no object."""
    if v is None:
        raise Refused("body-malformed", "null")
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, Number):
        try:
            return ruby(v)
        except Refused:
            raise Refused("body-malformed", "a number")
    return v


def flat(name, v):
    if isinstance(v, Members):
        return [row for n, x in v for row in flat(name + "." + n, x)]
    if isinstance(v, list):
        return [row for i, x in enumerate(v) for row in flat("%s.%d" % (name, i), x)]
    return [(name, scalar(v))]


def verify_json(g, pub, pri):
    try:
        body = json.loads(g["body"], object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "no JSON")
    if not isinstance(body, Members):
        raise Refused("body-malformed", "no object")
    rows = [row for n, v in body for row in flat(n, v)]
    signature = dict(body).get("Signature")
    if isinstance(signature, Number):
        signature = None
    return check([row for row in rows if row[0] != "Signature"], signature, pub, pri)


serve("rails-server", {
    "verify-authorization": verify_authorization,
    "verify-query": verify_query,
    "verify-json": verify_json,
})
