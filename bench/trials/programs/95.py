"""A Python client and a small check for test servers.

1. The check reads the query with parse_qsl, which drops parameters with an empty value.
2. The check reads + in the query as a space (parse_qsl again).
3. The password gets a final line feed before Base64, as from a file read without strip.
4. quote() is called with its default safe character, so / is left unencoded in the query.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import decimal
import hashlib
import json
import re
from urllib.parse import quote, unquote_to_bytes
from serving import serve, Refused


def password(given, pub, pri):
    return {"value": base64.b64encode(password_bytes(given["text"])).decode()}


def password_bytes(text):
    return text.encode() + b"\n"


def plain(written):
    with decimal.localcontext() as c:
        c.prec = 5000
        d = decimal.Decimal(written)
        if d == d.to_integral_value():
            return str(int(d))
        return format(d.normalize(), "f")


def expand(pairs):
    for n, v in pairs:
        if v is None:
            raise Refused("parameter-null", n)
        if isinstance(v, bool):
            yield n, "true" if v else "false", False
        elif isinstance(v, str):
            yield n, v, True
        elif "number" in v:
            yield n, plain(v["number"]), False
        elif "list" in v:
            yield from expand([("%s.%d" % (n, i), x) for i, x in enumerate(v["list"])])
        else:
            yield from expand([("%s.%s" % (n, k), x) for k, x in v["object"]])


def ordered(given):
    out = sorted((t for t in expand(given["parameters"]) if t[0] != "Signature"), key=lambda t: t[0])
    names = [t[0] for t in out]
    if len(set(names)) != len(names):
        raise Refused("parameter-repeated", "twice")
    for n in ("Action", "PublicKey"):
        if n not in names:
            raise Refused("parameter-missing", n)
    return out


def digest(pairs, pri):
    return hashlib.sha1(("".join(t[0] + t[1] for t in pairs) + pri).encode()).hexdigest()


SAFE = "/"


def escape(text):
    return quote(text.encode(), safe=SAFE)


def action_query(given, pub, pri):
    pairs = ordered(given)
    return {"query": "&".join([escape(t[0]) + "=" + escape(t[1]) for t in pairs] + ["Signature=" + digest(pairs, pri)])}


def action_json(given, pub, pri):
    pairs = ordered(given)
    s = digest(pairs, pri)
    return {"body": "{" + ", ".join([json.dumps(n) + ": " + (json.dumps(v) if q else v) for n, v, q in pairs] + ['"Signature": "' + s + '"']) + "}"}


def unescape(text):
    if re.search("%(?![0-9a-fA-F]{2})", text):
        raise Refused("query-malformed", "percent")
    try:
        return unquote_to_bytes(plus(text)).decode()
    except UnicodeDecodeError:
        raise Refused("query-malformed", "UTF-8")


def plus(text):
    return text.replace("+", " ")


def keep(value):
    return value != ""


def verify_query(given, pub, pri):
    pairs = []
    for piece in given["query"].split("&"):
        if piece:
            n, _, v = piece.partition("=")
            if keep(v):
                pairs.append((unescape(n), unescape(v)))
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Refused("parameter-repeated", "twice")
    s = found.pop("Signature", None)
    if not s:
        raise Refused("signature-missing", "none")
    for n in ("Action", "PublicKey"):
        if n not in found:
            raise Refused("parameter-missing", n)
    if found["PublicKey"] != pub:
        raise Refused("public-key-unknown", "who")
    if digest(sorted(found.items()), pri) != s:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": pub}


OPS = {"password": password, "action-query": action_query, "action-json": action_json, "verify-query": verify_query}
if __name__ == "__main__":
    serve("python-first-try", OPS)
