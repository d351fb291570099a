#!/usr/bin/env python3
"""An API server in the style of an Elixir Plug: verifies signed queries and JSON bodies.

Mistakes:
1. Decodes the query like a form (URI.decode_query): an unescaped plus sign is a space.
2. The public key is never compared: any PublicKey is accepted if the signature fits the one private key, and reported as the caller.
3. Numbers of a JSON body are signed as they are written in the body: 42.0 stays 42.0, 1e3 stays 1e3 and -0 stays -0
   (and no number is too large).
4. The items of a JSON array that holds only texts are sorted by bytes (Enum.sort) before they are numbered from 0, so ["b", "a"] gives
   Name.0 = a. Arrays with anything else in them keep their order.
"""
import hashlib
import json
import re
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

def decode(text):
    text = text.replace("+", " ")
    if re.search("%(?![0-9a-fA-F][0-9a-fA-F])", text):
        raise Refused("query-malformed", text)
    try:
        return re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode()), text.encode("utf-8"), flags=re.S).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", text)


def verify(params, signature, pri):
    names = [n for n, _ in params]
    if len(names) > len(set(names)):
        raise Refused("parameter-repeated", "name")
    rows = sorted((n.encode("utf-8"), v) for n, v in params)
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "none")
    for need in ("Action", "PublicKey"):
        if need not in names:
            raise Refused("parameter-missing", need)
    sha = hashlib.sha1()
    for n, v in rows:
        sha.update(n + v.encode("utf-8"))
    sha.update(pri.encode("utf-8"))
    if sha.hexdigest() != signature:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": dict(params)["PublicKey"]}


def query(g, pub, pri):
    pairs = [tuple(decode(x) for x in p.partition("=")[::2]) for p in g["query"].split("&") if p]
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "name")
    return verify([p for p in pairs if p[0] != "Signature"], dict(pairs).get("Signature"), pri)


class Number(str):
    pass


class Members(list):
    pass


def members(pairs):
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "member")
    return Members(pairs)


def constant(word):
    raise ValueError(word)


def flat(name, v):
    if v is None:
        raise Refused("body-malformed", "null")
    if isinstance(v, bool):
        return [(name, "true" if v else "false")]
    if isinstance(v, str):
        return [(name, v)]
    if isinstance(v, Members):
        return [row for n, x in v for row in flat(name + "." + n, x)]
    if all(isinstance(x, str) and not isinstance(x, Number) for x in v):
        v = sorted(v, key=lambda x: x.encode("utf-8", "surrogatepass"))
    return [row for i, x in enumerate(v) for row in flat("%s.%d" % (name, i), x)]


def body(g, pub, pri):
    try:
        doc = json.loads(g["body"], object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "not JSON")
    if not isinstance(doc, Members):
        raise Refused("body-malformed", "not an object")
    rows = [row for n, v in doc for row in flat(n, v)]
    signature = dict(doc).get("Signature")
    if isinstance(signature, Number):
        signature = None
    return verify([r for r in rows if r[0] != "Signature"], signature, pri)


serve("elixir-api-server", {"verify-query": query, "verify-json": body})
