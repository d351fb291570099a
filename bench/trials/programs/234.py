#!/usr/bin/env python3
"""A middleware for Express, in front of the storage and of the action API, with the client that its tests use.

Mistakes:
1. Takes the merged headers of Node: the values of a repeated extra header are joined with a comma and a space.
2. The query parser reads a plus sign in a query as a space.
3. Takes authorization.split(' ')[1] and never looks at the scheme, so any scheme is accepted.
4. Signs originalUrl's key, still percent-encoded, when a header request is checked or signed.
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
from serving import Refused, WORDS, serve  # noqa: E402


def plain(written):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written) is None:
        raise Refused("number", "not a number")
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) >= 4000:
            raise Refused("number", "too long")
        t = format(d, "f")
    except ArithmeticError:
        raise Refused("number", "too large")
    if "." in t:
        t = t.rstrip("0").rstrip(".")
    return "0" if t in ("0", "-0", "") else t

def flat(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, "true" if value else "false", False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, plain(value["number"]), False)]
    if "list" in value:
        children = [(str(i), v) for i, v in enumerate(value["list"])]
    else:
        children = value["object"]
    return [row for part, v in children for row in flat(name + "." + part, v)]


def collect(given):
    rows = [row for n, v in given for row in flat(n, v) if row[0] != "Signature"]
    if len({row[0] for row in rows}) < len(rows):
        raise Refused("parameter-repeated", "a parameter is there twice")
    rows.sort(key=lambda row: row[0].encode("utf-8"))
    return rows


def required(rows, *names):
    for n in names:
        if n not in [row[0] for row in rows]:
            raise Refused("parameter-missing", n)

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def clean(value):
    """A header's value: unfolded, trimmed, checked."""
    value = re.sub(r"([ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if any(c in value for c in "\r\n\0"):
        raise Refused("header-value", "a line break or NUL")
    return value


def read(headers):
    out = []
    for n, v in headers:
        n = n.strip(" \t")
        if TOKEN.fullmatch(n) is None:
            raise Refused("header-name", n)
        out.append((n.lower(), clean(v)))
    return out


def single(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def verb_of(method):
    if TOKEN.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


def bucket_of(bucket):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    return bucket

def extras(headers):
    prefix = WORDS["headerPrefix"].lower()
    groups = {}
    for n, v in headers:
        if n.startswith(prefix):
            groups.setdefault(n, []).append(v)
    return "".join(n + ":" + COMMA.join(groups[n]) + "\n" for n in sorted(groups))

def mac(text, private):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")

SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

def esc(text):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in text.encode("utf-8"))

def decode(text, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "a stray percent sign")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")

def known(public, pub):
    if public != pub:
        raise Refused("public-key-unknown", public)

COMMA = ", "


def parse_plus(text):
    return text.replace("+", " ")


def any_scheme(scheme):
    return True


def original(key):
    return "/".join(esc(part) for part in key.split("/"))


def text_of(g, headers):
    start = verb_of(g["method"])
    bucket_of(g["bucket"])
    return "\n".join([start, single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      extras(headers) + "/" + g["bucket"] + "/" + original(g["key"])])


def authorization(g, pub, pri):
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(text_of(g, read(g["headers"])), pri)}


def is_policy(policy):
    if re.search("[-_]", policy) and re.search("[+/]", policy):
        return False
    bare = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(g, pub, pri):
    headers = read(g["headers"])
    text = text_of(g, headers)
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing", "")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or not blank or not any_scheme(scheme) or re.search(r"[ \t]", rest) or not 2 <= len(parts) <= 3 or not all(parts):
        raise Refused("authorization-malformed", values[0])
    if len(parts) == 3:
        if g["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "a third part")
        text += parts[2]
    known(parts[0], pub)
    if not hmac.compare_digest(mac(text, pri).encode(), parts[1].encode("utf-8")):
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def sign(rows, private):
    return hashlib.sha1(("".join(n + t for n, t, _ in rows) + private).encode("utf-8")).hexdigest()


def check(members, pub, pri):
    rows = collect(members)
    got = dict(members).get("Signature")
    if not isinstance(got, str) or not got:
        raise Refused("signature-missing", "")
    required(rows, "Action", "PublicKey")
    known([t for n, t, _ in rows if n == "PublicKey"][0], pub)
    if sign(rows, pri) != got:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def verify_query(g, pub, pri):
    members = []
    for piece in g["query"].split("&"):
        if piece:
            name, _, value = piece.partition("=")
            members.append((decode(parse_plus(name), "query-malformed"), decode(parse_plus(value), "query-malformed")))
    if len(dict(members)) < len(members):
        raise Refused("parameter-repeated", "")
    return check(members, pub, pri)


def wrapped(value):
    return {"list": [wrapped(v) for v in value]} if isinstance(value, list) else value


def no_repeats(pairs):
    if len(dict(pairs)) < len(pairs):
        raise Refused("parameter-repeated", "")
    return {"object": [[n, wrapped(v)] for n, v in pairs]}


def no_constant(word):
    raise ValueError(word)


def verify_json(g, pub, pri):
    try:
        value = json.loads(g["body"], object_pairs_hook=no_repeats, parse_int=lambda w: {"number": w}, parse_float=lambda w: {"number": w},
                           parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "")
    if not isinstance(value, dict) or "object" not in value:
        raise Refused("body-malformed", "no object")
    try:
        for n, v in value["object"]:
            flat(n, v)
    except Refused as e:
        raise Refused("body-malformed", *e.args)
    return check(value["object"], pub, pri)


serve("express", {
    "authorization": authorization, "verify-authorization": verify_authorization, "verify-query": verify_query, "verify-json": verify_json,
    "action-signature": lambda g, pub, pri: {"signature": sign(collect(g["parameters"]), pri)},
})
