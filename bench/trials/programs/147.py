#!/usr/bin/env python3
"""An Elixir library for the action API, with a Plug that verifies (URI, Base, Enum).

Mistakes:
1. The query is encoded with URI.encode_www_form: a space becomes "+", in names and values of action-query.
2. verify-query decodes with URI.decode_www_form: a raw "+" in the query is taken as a space.
3. A list whose first item is an object is numbered from 1, every other list from 0 (two clauses, one with Enum.with_index(1)).
4. A number written with a fraction or an exponent becomes a float and is written as to_string does: 42.0 stays "42.0", and 1.50 becomes "1.5" but 1e3 "1000.0"; an exponent where the shortest float text has one. Signing and verify-json.
5. The hexadecimal signature is in upper case when it signs (Base.encode16); the Plug compares without regard to case, so it accepts upper case too.
"""
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def encode_www_form(s):
    out = []
    for b in s.encode("utf-8"):
        c = chr(b)
        if b == 0x20:
            out.append("+")
        elif c in "-_.~" or c.isascii() and c.isalnum():
            out.append(c)
        else:
            out.append("%" + format(b, "02X"))
    return "".join(out)


def decode_www_form(s):
    if re.search("%(?![0-9A-Fa-f]{2})", s):
        raise Refused("query-malformed", "percent")
    raw = re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode()), s.replace("+", " ").encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "utf-8")


def number_to_string(written):
    m = NUMBER.fullmatch(written)
    if not m:
        raise Refused("number", written)
    if m[1] or m[2]:
        f = float(written)
        if f - f != 0:
            raise Refused("number", "too large")
        return repr(f)
    return "0" if written == "-0" else written


def flatten(name, value):
    match value:
        case None:
            raise Refused("parameter-null", name)
        case bool():
            return [(name, "true" if value else "false", False)]
        case str():
            return [(name, value, True)]
        case {"number": written}:
            return [(name, number_to_string(written), False)]
        case {"list": [{"object": _}, *_] as items}:
            return [x for i, item in enumerate(items, 1) for x in flatten(name + "." + str(i), item)]
        case {"list": items}:
            return [x for i, item in enumerate(items) for x in flatten(name + "." + str(i), item)]
        case {"object": members}:
            return [x for n, item in members for x in flatten(name + "." + n, item)]


def to_params(pairs):
    flat = [x for name, value in pairs for x in flatten(name, value) if x[0] != "Signature"]
    if len({x[0] for x in flat}) < len(flat):
        raise Refused("parameter-repeated", "twice")
    return sorted(flat, key=lambda x: x[0].encode("utf-8"))


def encode16(params, private_key):
    text = "".join(n + v for n, v, _ in params) + private_key
    return hashlib.sha1(text.encode("utf-8")).hexdigest().upper()


def need(params):
    for name in ("Action", "PublicKey"):
        if name not in [x[0] for x in params]:
            raise Refused("parameter-missing", name)


def action_signature(o, pub, pri):
    return {"signature": encode16(to_params(o["parameters"]), pri)}


def action_json(o, pub, pri):
    params = to_params(o["parameters"])
    need(params)
    pairs = ["%s:%s" % (json.dumps(n), json.dumps(v) if quoted else v) for n, v, quoted in params]
    return {"body": "{" + ",".join(pairs + ['"Signature":"%s"' % encode16(params, pri)]) + "}"}


def action_query(o, pub, pri):
    params = to_params(o["parameters"])
    need(params)
    pairs = [encode_www_form(n) + "=" + encode_www_form(v) for n, v, _ in params]
    return {"query": "&".join(pairs + ["Signature=" + encode16(params, pri)])}


def verify(pairs, pub, pri):
    params = to_params(pairs)
    signature = dict(map(tuple, pairs)).get("Signature")
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "none")
    need(params)
    who = [v for n, v, _ in params if n == "PublicKey"][0]
    if who != pub:
        raise Refused("public-key-unknown", who)
    if signature.upper() != encode16(params, pri):
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": who}


def verify_query(o, pub, pri):
    pairs = []
    for piece in o["query"].split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append((decode_www_form(name), decode_www_form(value)))
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    return verify(pairs, pub, pri)


def verify_json(o, pub, pri):
    def members(pairs):
        if len({n for n, _ in pairs}) < len(pairs):
            raise Refused("parameter-repeated", "twice")
        return {"object": [[n, wrap(v)] for n, v in pairs]}

    def wrap(v):
        return {"list": [wrap(x) for x in v]} if isinstance(v, list) else v

    def constant(word):
        raise ValueError(word)

    def number(written):
        return {"number": written}

    try:
        body = json.loads(o["body"], object_pairs_hook=members, parse_int=number, parse_float=number, parse_constant=constant)
        pairs = body["object"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise Refused("body-malformed", "not an object")
    try:
        for n, v in pairs:
            flatten(n, v)
    except Refused as e:
        raise Refused("body-malformed", str(e))
    return verify(pairs, pub, pri)


serve("elixir-actions", {"action-signature": action_signature, "action-json": action_json, "action-query": action_query,
                         "verify-query": verify_query, "verify-json": verify_json})
