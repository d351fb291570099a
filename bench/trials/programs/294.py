#!/usr/bin/env python3
r"""A download and upload gate on cowboy (Erlang), which checks the Authorization header and links before it passes a request on.

Mistakes:
1. cowboy hands out repeated headers as one, joined with a comma and a space. The gate signs an extra header that is there twice as name:a, b.
2. Takes a callback policy only with PUT. An upload with POST that has a policy is refused as malformed.
3. Compares now and Expires as binaries, that is, letter by letter: 999999999 counts as later than 1700000000, and 10000000000 or 0001800000000 as
   earlier.
4. Takes the key of a link with binary:split(Path, <<"/">>, [global, trim_all]) and joins the segments again. Empty segments are lost: a//b becomes a/b, and
   a slash at the beginning or end of the key disappears. Slashes that are written %2F stay.
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


def badreq(reason, why=""):
    raise Refused(reason, why)


def is_token(b):
    return re.fullmatch("[-!#$%&'*+.^_`|~0-9A-Za-z]+", b) is not None


def unfold(lines):
    """obs-fold: the first line, and every further line that begins with a blank."""
    out = [lines[0].rstrip(" \t")] if len(lines) > 1 else [lines[0]]
    for i, line in enumerate(lines[1:]):
        if line[:1] not in (" ", "\t"):
            badreq("header-value", "line break")
        line = line.lstrip(" \t") if i == len(lines) - 2 else line.strip(" \t")
        if line:
            out.append(line)
    return " ".join(out)


def value(raw):
    raw.encode("utf-8")
    v = unfold(re.split("\r?\n", raw)).strip(" \t")
    if "\r" in v or "\0" in v:
        badreq("header-value", "control character")
    return v


def headers(pairs):
    m = {}
    for name, raw in pairs:
        name = name.strip(" \t")
        if not is_token(name):
            badreq("header-name", name)
        m.setdefault(name.lower(), []).append(value(raw))
    return m


def header(name, m):
    vs = m.get(name, [])
    if len(vs) > 1:
        badreq("header-repeated", name)
    return vs[0] if vs else ""


def canonical(m):
    prefix = WORDS["headerPrefix"].lower()
    return "".join(n + ":" + ", ".join(m[n]) + "\n" for n in sorted(m) if n.startswith(prefix))


def method(name):
    return name.upper() if is_token(name) else badreq("method", name)


def mac(pri, iolist):
    return base64.b64encode(hmac.digest(pri.encode("utf-8"), "".join(iolist).encode("utf-8"), hashlib.sha1)).decode("ascii")


def is_policy(p):
    if re.search("[-_]", p) and re.search("[+/]", p):
        return False
    p = p.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    p += "=" * (-len(p) % 4)
    try:
        return type(json.loads(base64.b64decode(p, validate=True).decode("utf-8"))) is dict
    except (ValueError, RecursionError):
        return False


def authorize(req, pub, pri):
    m = headers(req["headers"])
    verb, bucket = method(req["method"]), req["bucket"]
    if bucket == "" or "/" in bucket:
        badreq("bucket")
    text = [verb, "\n", header("content-md5", m), "\n", header("content-type", m), "\n", header("date", m), "\n", canonical(m), "/", bucket, "/", req["key"]]
    match m.get("authorization", []):
        case []:
            badreq("authorization-missing")
        case [one]:
            scheme, _, credentials = one.partition(" ")
        case _:
            badreq("authorization-malformed", "several")
    parts = credentials.split(":")
    if scheme != WORDS["scheme"] or not all(parts) or re.search("[ \t]", credentials):
        badreq("authorization-malformed", "shape")
    match parts:
        case [user, signature]:
            pass
        case [user, signature, policy]:
            if verb != "PUT" or not is_policy(policy):
                badreq("authorization-malformed", "policy")
            text.append(policy)
        case _:
            badreq("authorization-malformed", "parts")
    if user != pub:
        badreq("public-key-unknown")
    if mac(pri, text) != signature:
        badreq("signature-mismatch")
    return {"publicKey": user}


def percent_decode(raw, reason):
    if re.search("%(?![0-9a-fA-F][0-9a-fA-F])", raw):
        badreq(reason, "percent")
    first, *rest = raw.encode("utf-8").split(b"%")
    try:
        return (first + b"".join(bytes([int(r[:2], 16)]) + r[2:] for r in rest)).decode("utf-8")
    except UnicodeDecodeError:
        badreq(reason, "not UTF-8")


def key_of(path):
    return "/".join(percent_decode(segment, "url-malformed") for segment in path.split("/") if segment)


def link(req, pub, pri):
    verb = method(req["method"])
    m = headers(req["headers"])
    uri = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", req["url"])
    if not uri:
        badreq("url-malformed")
    bucket, _, domain = uri[1].partition(".")
    if not bucket or domain.lower() != req["fileHost"].lower():
        badreq("url-malformed", "host")
    key = key_of(uri[2])
    qs = []
    for pair in (uri[3] or "").split("&"):
        if pair:
            n, _, v = pair.partition("=")
            qs.append((percent_decode(n, "query-malformed"), percent_decode(v, "query-malformed")))
    got = {}
    for n, v in qs:
        if n in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if n in got:
                badreq("parameter-repeated", n)
            got[n] = v
    if got.get("Signature", "") == "":
        badreq("signature-missing")
    if len(got) < 3:
        badreq("parameter-missing")
    user, expires = got[WORDS["publicKeyParameter"]], got["Expires"]
    if not re.fullmatch("[0-9]{1,15}", expires):
        badreq("expires-malformed")
    if req["now"].encode() > expires.encode():
        badreq("expired")
    if user != pub:
        badreq("public-key-unknown")
    if mac(pri, [verb, "\n\n\n", expires, "\n", canonical(m), "/", bucket, "/", key]) != got["Signature"]:
        badreq("signature-mismatch")
    return {"publicKey": user}


serve("erlang-cowboy", {"verify-authorization": authorize, "verify-presigned-url": link})
