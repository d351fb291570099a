#!/usr/bin/env python3
"""A test double of the service in Go on net/http: it only verifies.

Mistakes:
1. Reads every header with r.Header.Get, which gives the first value: further values of a repeated extra header are not part of the signed text, and a
   second Date, Content-Type, Content-MD5 or Authorization is not noticed.
2. Reads queries with r.URL.Query(): a plus sign becomes a space, and a piece with a semicolon or a malformed escape is silently left out.
3. Decodes bodies with UseNumber and signs json.Number.String(), the number as it was written: 42.0 stays 42.0, 1e3 stays 1e3, -0 stays -0.
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

TCHAR = re.compile(r"[-A-Za-z0-9!#$%&'*+.^_`|~]+")
FOLD = re.compile(r"[ \t]*(?:\r?\n[ \t]+)+")


def header_map(headers):
    m = {}
    for name, raw in headers:
        name = name.strip(" \t")
        if TCHAR.fullmatch(name) is None:
            raise Refused("header-name", name)
        v = FOLD.sub(" ", raw).strip(" \t")
        v.encode("utf-8")
        if any(c in v for c in "\r\n\0"):
            raise Refused("header-value", name)
        m.setdefault(name.lower(), v)
    return m


def verb(method):
    if TCHAR.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


def mac(pri, first, h, resource):
    prefix = WORDS["headerPrefix"].lower()
    text = "\n".join(first) + "\n"
    for name in sorted(h):
        if name.startswith(prefix):
            text += name + ":" + h[name] + "\n"
    text = (text + resource).encode("utf-8")
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text, hashlib.sha1).digest()).decode("ascii")


def good_policy(p):
    alphabets = [re.search(c, p) is not None for c in ("[+/]", "[-_]")]
    bare = p.rstrip("=")
    if all(alphabets) or re.fullmatch("[A-Za-z0-9+/_-]*", bare) is None:
        return False
    try:
        raw = base64.b64decode(bare.replace("-", "+").replace("_", "/") + "=" * (-len(bare) % 4))
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def authorization(given, pub, pri):
    h = header_map(given["headers"])
    method = verb(given["method"])
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    given["key"].encode("utf-8")
    if "authorization" not in h:
        raise Refused("authorization-missing", "")
    scheme, blank, rest = h["authorization"].partition(" ")
    parts = rest.split(":")
    if scheme != WORDS["scheme"] or not blank or len(parts) not in (2, 3) or "" in parts or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "")
    policy = parts[2] if len(parts) == 3 else ""
    if policy and (method not in ("PUT", "POST") or not good_policy(policy)):
        raise Refused("authorization-malformed", "policy")
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    first = [method, h.get("content-md5", ""), h.get("content-type", ""), h.get("date", "")]
    if parts[1] != mac(pri, first, h, "/" + given["bucket"] + "/" + given["key"] + policy):
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def unescape(s):
    """The decoded text, or None."""
    if re.search("%(?![0-9A-Fa-f]{2})", s):
        return None
    raw = re.sub(b"%(..)", lambda m: bytes.fromhex(m[1].decode("ascii")), s.encode("utf-8"), flags=re.S)
    return raw.decode("utf-8", "replace") if valid(raw) else ""


def valid(raw):
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")
    return True


def parse_query(text):
    values = {}
    for piece in text.split("&"):
        if piece == "" or ";" in piece:
            continue
        name, _, v = piece.replace("+", " ").partition("=")
        name, v = unescape(name), unescape(v)
        if name is not None and v is not None:
            values.setdefault(name, []).append(v)
    return values


def link(given, pub, pri):
    method, h = verb(given["method"]), header_map(given["headers"])
    m = re.fullmatch(r"(?:http|https)://([^/?#]*)/([^?#]*)\??([^#]*)", given["url"], re.S)
    if m is None:
        raise Refused("url-malformed", "")
    bucket, _, host = m[1].partition(".")
    try:
        key = unescape(m[2])
    except Refused:
        key = None
    if bucket == "" or host.lower() != given["fileHost"].lower() or key is None:
        raise Refused("url-malformed", "")
    q = parse_query(m[3])
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    if any(len(q.get(n, [])) > 1 for n in names):
        raise Refused("parameter-repeated", "")
    public, expires, signature = (q.get(n, [None])[0] for n in names)
    if not signature:
        raise Refused("signature-missing", "")
    if public is None or expires is None:
        raise Refused("parameter-missing", "")
    if re.fullmatch("[0-9]{1,15}", expires) is None:
        raise Refused("expires-malformed", expires)
    if int(given["now"]) > int(expires):
        raise Refused("expired", expires)
    if public != pub:
        raise Refused("public-key-unknown", public)
    if signature != mac(pri, [method, "", "", expires], h, "/" + bucket + "/" + key):
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def judge(found, signature, pub, pri):
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "")
    for n in ("Action", "PublicKey"):
        if n not in found:
            raise Refused("parameter-missing", n)
    if found["PublicKey"] != pub:
        raise Refused("public-key-unknown", found["PublicKey"])
    h = hashlib.sha1()
    for n in sorted(found, key=lambda n: n.encode("utf-8")):
        h.update((n + found[n]).encode("utf-8"))
    h.update(pri.encode("utf-8"))
    if h.hexdigest() != signature:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def query(given, pub, pri):
    q = parse_query(given["query"])
    if any(len(v) > 1 for v in q.values()):
        raise Refused("parameter-repeated", "")
    signature = q.pop("Signature", [None])[0]
    return judge({n: v[0] for n, v in q.items()}, signature, pub, pri)


class Number(str):
    pass


class Object(dict):
    def __init__(self, pairs):
        super().__init__(pairs)
        if len(self) != len(pairs):
            raise Refused("parameter-repeated", "member")


def constant(word):
    raise ValueError(word)


def number(text):
    return Number(text)


def flatten(name, v, out):
    if v is None:
        raise Refused("body-malformed", "null")
    if isinstance(v, (dict, list)):
        for k, x in v.items() if isinstance(v, dict) else enumerate(v):
            flatten(name + "." + str(k), x, out)
    else:
        out.append((name, str(v) if isinstance(v, str) else "true" if v else "false"))


def body(given, pub, pri):
    try:
        o = json.loads(given["body"], parse_int=number, parse_float=number, parse_constant=constant, object_pairs_hook=Object)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "")
    if not isinstance(o, Object):
        raise Refused("body-malformed", "")
    out = []
    for n, v in o.items():
        flatten(n, v, out)
    out = [pair for pair in out if pair[0] != "Signature"]
    if len(dict(out)) != len(out):
        raise Refused("parameter-repeated", "")
    signature = o.get("Signature")
    return judge(dict(out), None if isinstance(signature, Number) else signature, pub, pri)


serve("go-double", {"verify-authorization": authorization, "verify-presigned-url": link, "verify-query": query, "verify-json": body})
