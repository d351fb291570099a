#!/usr/bin/env python3
"""A server in Go, on net/http.

Mistakes:
1. URL.Query() ignores its error: a piece of a query string whose percent escapes are malformed is dropped, and the rest is checked.
2. Expires is read with strconv.ParseInt, so a plus or minus sign before the digits is allowed.
3. The lists and objects of a JSON body are not flattened but signed under their own name, as fmt.Sprint prints them: [a 1 true] and
   map[Key:Value Other:1], members sorted, numbers in them as written.
4. encoding/json matches the field Signature without regard to case: a member such as signature is taken for the Signature and not signed
   (the last one counts if there are several).
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
        if piece and not re.search("%(?![0-9A-Fa-f]{2})", piece):
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


def verify_presigned_url(g, pub, pri):
    method, headers = verb(g["method"]), read(g["headers"])
    m = re.fullmatch("https?://([^/?#]*)/([^?#]*)[?]?([^#]*)", g["url"])
    if not m:
        raise Refused("url-malformed", "no URL")
    bucket, _, host = m[1].partition(".")
    if not bucket or host.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key = unescape(m[2], "url-malformed")
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    pairs = [p for p in query_pairs(m[3]) if p[0] in names]
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    account, expires, signature = (dict(pairs).get(n) for n in names)
    if not signature:
        raise Refused("signature-missing", "none")
    if account is None or expires is None:
        raise Refused("parameter-missing", "no public key or no Expires")
    if not re.fullmatch("[+-]?[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(g["now"]) > int(expires):
        raise Refused("expired", expires)
    if account != pub:
        raise Refused("public-key-unknown", account)
    text = "\n".join([method, "", "", expires, extra(headers) + "/" + bucket + "/" + key])
    if mac(pri, text) != signature:
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
    text = "".join(n + v for n, v in rows) + pri
    if hashlib.sha1(text.encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": pub}


def verify_query(g, pub, pri):
    pairs = query_pairs(g["query"])
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    return check([p for p in pairs if p[0] != "Signature"], dict(pairs).get("Signature"), pub, pri)


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
            return decimal(v)
        except Refused:
            raise Refused("body-malformed", "a number")
    return v


def sprint(v):
    scalar_check(v)
    if isinstance(v, Members):
        return "map[" + " ".join(n + ":" + sprint(x) for n, x in sorted(v, key=lambda p: p[0].encode("utf-8"))) + "]"
    if isinstance(v, list):
        return "[" + " ".join(sprint(x) for x in v) + "]"
    return str(v) if isinstance(v, Number) else scalar(v)


def scalar_check(v):
    if not isinstance(v, list):
        scalar(v)


def verify_json(g, pub, pri):
    try:
        body = json.loads(g["body"], object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "no JSON")
    if not isinstance(body, Members):
        raise Refused("body-malformed", "no object")
    rows, signature = [], None
    for n, v in body:
        text = sprint(v) if isinstance(v, list) else scalar(v)
        if n.lower() == "signature":
            signature = v if isinstance(v, str) and not isinstance(v, Number) else None
        else:
            rows.append((n, text))
    return check(rows, signature, pub, pri)


serve("go-server", {
    "verify-presigned-url": verify_presigned_url,
    "verify-query": verify_query,
    "verify-json": verify_json,
})
