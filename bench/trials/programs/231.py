#!/usr/bin/env python3
"""A browser client: action requests by fetch, downloads by pre-signed URL, file hashes before an upload.

Mistakes:
1. encodeURIComponent leaves ! * ' ( ) as they are.
2. Sorts names with sort(), by UTF-16 code unit, so U+1F600 comes before U+FF21.
3. Numbers are doubles: 9007199254740993 becomes 9007199254740992, and 1e21 or more (or below 1e-6) has an exponent.
4. Makes Base64 URL-safe with replace('+', '-').replace('/', '_'), which change only the first of each.
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
from serving import Refused, WORDS, content, serve  # noqa: E402


SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~" + b"!*'()"

def esc(text):
    return "".join(chr(b) if b in SAFE else "%%%02X" % b for b in text.encode("utf-8"))

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
    return "".join(n + ":" + ",".join(groups[n]) + "\n" for n in sorted(groups))

def mac(text, private):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")

def exact(written):
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

def plain(written):
    text = exact(written)
    f = float(text)
    if f in (float("inf"), float("-inf")):
        raise Refused("number", "Infinity")
    if f == 0:
        return "0"
    sign, (mantissa, _, e) = "-" if f < 0 else "", repr(abs(f)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(e or 0) - (len(whole + fraction) - len(digits))   # 0.digits * 10^point
    digits = digits.rstrip("0")
    if point > 21 or point <= -6:
        e = point - 1
        return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e" + ("+" if e >= 0 else "-") + str(abs(e))
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    if len(digits) <= point:
        return sign + digits + "0" * (point - len(digits))
    return sign + digits[:point] + "." + digits[point:]


def units(name):
    name.encode("utf-8")
    return name.encode("utf-16-be")


def replace_one(text, old, new):
    return text.replace(old, new, 1)

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
    rows.sort(key=lambda row: units(row[0]))
    return rows


def required(rows, *names):
    for n in names:
        if n not in [row[0] for row in rows]:
            raise Refused("parameter-missing", n)

def sign(rows, private):
    return hashlib.sha1(("".join(n + t for n, t, _ in rows) + private).encode("utf-8")).hexdigest()


def checked(g):
    rows = collect(g["parameters"])
    required(rows, "Action", "PublicKey")
    return rows


def action_json(g, pub, pri):
    rows = checked(g)
    members = [json.dumps(n) + ":" + (json.dumps(t) if quoted else t) for n, t, quoted in rows]
    return {"body": "{" + ",".join(members + ['"Signature":"' + sign(rows, pri) + '"']) + "}"}


def action_query(g, pub, pri):
    rows = checked(g)
    return {"query": "".join(esc(n) + "=" + esc(t) + "&" for n, t, _ in rows) + "Signature=" + sign(rows, pri)}


def download_url(g, pub, pri):
    h = read(g["headers"])
    text = verb_of(g["method"]) + "\n\n\n" + g["expires"] + "\n" + extras(h) + "/" + bucket_of(g["bucket"]) + "/" + g["key"]
    path = "/".join(esc(part) for part in g["key"].split("/"))
    return {"url": g["scheme"] + "://" + g["bucket"] + "." + g["fileHost"] + "/" + path + "?" + WORDS["publicKeyParameter"] + "=" + esc(pub)
            + "&Expires=" + esc(g["expires"]) + "&Signature=" + esc(mac(text, pri))}


def btoa(raw):
    return replace_one(replace_one(base64.b64encode(raw).decode("ascii"), "+", "-"), "/", "_")


def etag(g, pub, pri):
    data, size = content(g["content"]), 4194304
    hashes = [hashlib.sha1(data[i:i + size]).digest() for i in range(0, len(data), size)]
    whole = hashlib.sha1(b"".join(hashes) if len(hashes) > 1 else data).digest()
    return {"etag": btoa(len(hashes).to_bytes(4, "little") + whole)}


serve("browser", {
    "url-encode": lambda g, pub, pri: {"encoded": esc(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": sign(collect(g["parameters"]), pri)},
    "action-json": action_json, "action-query": action_query, "presigned-url": download_url, "etag": etag,
    "part-etag": lambda g, pub, pri: {"etag": btoa(hashlib.sha1(content(g["content"])).digest())},
})
