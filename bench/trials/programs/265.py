#!/usr/bin/env python3
"""An Elixir client: the account API, uploads with or without a policy, pre-signed URLs.

Mistakes:
1. Does not sort the parameters, since a map of Elixir came out sorted in iex: a map of more than 32 keys (after flattening, without
   Signature) comes in the order of a hash of its names, here CRC-32.
2. Encodes the value of Password with Base.url_encode64, the URL-safe alphabet: - and _ instead of + and / (password).
3. Cleans the value of a header with String.split and Enum.join(" "): every run of spaces and tabs inside it becomes one space.
4. Escapes the Signature of a pre-signed URL with URI.encode, which leaves + / = as they are.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import zlib
from decimal import Decimal, InvalidOperation
from functools import reduce

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

tchar = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def encode(text, allowed="-_.~"):
    keep = lambda b: b < 128 and (chr(b).isalnum() or chr(b) in allowed)  # noqa: E731
    return "".join(chr(b) if keep(b) else f"%{b:02X}" for b in text.encode())


# defmodule Params

def expand(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, ("bare", json.dumps(value)))]
    if isinstance(value, str):
        return [(name, ("text", value))]
    if "number" in value:
        return [(name, ("bare", decimal(value["number"])))]
    inner = value["object"] if "object" in value else [(str(i), v) for i, v in enumerate(value["list"])]
    return reduce(lambda acc, kv: acc + expand(name + "." + kv[0], kv[1]), inner, [])


def decimal(written):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written) is None:
        raise Refused("number", written)
    try:
        d = Decimal(written)
    except InvalidOperation:
        raise Refused("number", written)
    if d.is_zero():
        return "0"
    if not -4000 < d.adjusted() < 4000:
        raise Refused("number", "too many digits")
    text = f"{d:f}"
    return re.sub(r"\.?0*\Z", "", text) if "." in text else text


def to_map(parameters):
    pairs = [p for n, v in parameters for p in expand(n, v) if p[0] != "Signature"]
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Refused("parameter-repeated", "a key is there twice")
    by_hash = len(result) > 32
    order = (lambda k: (zlib.crc32(k.encode()), k.encode())) if by_hash else (lambda k: k.encode())
    return {k: result[k] for k in sorted(result, key=order)}


def fetch(params, *names):
    for name in names:
        if name not in params:
            raise Refused("parameter-missing", name)
    return params


def sign(params, secret):
    plain = "".join(k + text for k, (_, text) in params.items()) + secret
    return hashlib.sha1(plain.encode()).hexdigest()


def query(params, secret):
    return "&".join([encode(k) + "=" + encode(text) for k, (_, text) in params.items()] + ["Signature=" + sign(params, secret)])


def body(params, secret):
    rows = [json.dumps(k) + ":" + (json.dumps(text) if kind == "text" else text) for k, (kind, text) in params.items()]
    return "{" + ",".join(rows + [f'"Signature":"{sign(params, secret)}"']) + "}"


def bucket_request(given, pub, secret):
    params = fetch(to_map(given["parameters"]), "Action", "PublicKey")
    if params["Action"][1] == "CreateBucket":
        fetch(params, "Type", "BucketName")
    return {"target": "/?" + query(params, secret)}


# defmodule Files

def clean(value):
    value.encode()
    value = re.sub(r"([ \t]*\r?\n[ \t]+)+", " ", value)
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "a line break")
    return " ".join(x for x in re.split(r"[ \t]+", value) if x)


def headers(pairs):
    out = []
    for name, value in pairs:
        name = name.strip(" \t").lower()
        if not re.fullmatch(tchar, name):
            raise Refused("header-name", name)
        out.append((name, clean(value)))
    return out


def one(hs, name):
    match [v for n, v in hs if n == name]:
        case []:
            return ""
        case [v]:
            return v
        case _:
            raise Refused("header-repeated", name)


def canonical(hs):
    names = sorted({n for n, _ in hs if n.startswith(WORDS["headerPrefix"].lower())})
    return "".join(n + ":" + ",".join(v for m, v in hs if m == n) + "\n" for n in names)


def text(given, hs, positions):
    if not re.fullmatch(tchar, given["method"]):
        raise Refused("method", given["method"])
    if given["bucket"] == "" or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    return "\n".join([given["method"].upper(), *positions, canonical(hs) + "/" + given["bucket"] + "/" + given["key"]])


def mac(secret, plain):
    return base64.b64encode(hmac.digest(secret.encode(), plain.encode(), "sha1")).decode()


def authorization(given, pub, secret):
    hs = headers(given["headers"])
    policy = given.get("policy", "")
    plain = text(given, hs, [one(hs, n) for n in ("content-md5", "content-type", "date")]) + policy
    return {"authorization": f"{WORDS['scheme']} {pub}:{mac(secret, plain)}" + (":" + policy if policy else "")}


def policy(given, pub, secret):
    rows = (":".join(json.dumps(x, ensure_ascii=False) for x in pair) for pair in given["members"])
    return {"policy": base64.urlsafe_b64encode(("{" + ",".join(rows) + "}").encode()).decode()}


def presigned(given, pub, secret):
    signature = mac(secret, text(given, headers(given["headers"]), ["", "", given["expires"]]))
    return {"url": f"{given['scheme']}://{given['bucket']}.{given['fileHost']}/{encode(given['key'], '-_.~/')}"
                   f"?{WORDS['publicKeyParameter']}={encode(pub)}&Expires={encode(given['expires'])}"
                   f"&Signature={encode(signature, '-_.~:/?#[]@!$&()*+,;=' + chr(39))}"}


serve("elixir", {
    "url-encode": lambda g, pub, s: {"encoded": encode(g["text"])},
    "password": lambda g, pub, s: {"value": base64.urlsafe_b64encode(g["text"].encode()).decode()},
    "action-signature": lambda g, pub, s: {"signature": sign(to_map(g["parameters"]), s)},
    "action-query": lambda g, pub, s: {"query": query(fetch(to_map(g["parameters"]), "Action", "PublicKey"), s)},
    "action-json": lambda g, pub, s: {"body": body(fetch(to_map(g["parameters"]), "Action", "PublicKey"), s)},
    "bucket-request": bucket_request,
    "authorization": authorization,
    "policy": policy,
    "policy-authorization": authorization,
    "presigned-url": presigned,
})
