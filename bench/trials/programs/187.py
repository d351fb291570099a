#!/usr/bin/env python3
"""A Perl module for the action API: parameters are a hash of scalars.

Mistakes:
1. Escapes with the old default set of URI::Escape, which leaves ! * ' ( ) unescaped.
2. `next unless $value` drops every parameter, also within lists and objects, whose text is empty or a single 0 (the text "0" as well as the
   number 0): neither signed nor sent.
3. Numbers are Perl scalars: integers within 64 bits (to 18446744073709551615) are exact, all others are doubles written with %.15g, that is
   with 15 significant digits and an exponent from 1e15 on and below 0.0001 (1e20 becomes 1e+20, 1e-7 becomes 1e-07). A number
   too large for a double is refused.
"""
import base64
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def uri_escape_utf8(text):
    return re.sub(r"[^A-Za-z0-9\-\._~!*'()]", lambda m: "".join("%%%02X" % b for b in m[0].encode("utf-8")), text)


def scalar(written):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    if re.fullmatch(r"-?[0-9]{1,20}", written) and -2 ** 63 <= int(written) < 2 ** 64:
        return str(int(written))
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise Refused("number", written[:40])
    return "%.15g" % value if value else "0"


def leaves(name, value, out):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        out.append((name, str(value).lower(), False))
    elif isinstance(value, str):
        out.append((name, value, True))
    elif "number" in value:
        out.append((name, scalar(value["number"]), False))
    elif "list" in value:
        for i in range(len(value["list"])):
            leaves("%s.%d" % (name, i), value["list"][i], out)
    else:
        for key, member in value["object"]:
            leaves(name + "." + key, member, out)


def true(text):
    return text not in ("", "0")


def parameters(given, needed=()):
    out, seen = [], set()
    for name, value in given["parameters"]:
        leaves(name, value, out)
    out = [leaf for leaf in out if leaf[0] != "Signature"]
    for name, _, _ in out:
        if name in seen:
            raise Refused("parameter-repeated", name)
        seen.add(name)
    out = [leaf for leaf in out if true(leaf[1])]
    have = {name: text for name, text, _ in out}
    for name in needed:
        if name not in have:
            raise Refused("parameter-missing", name)
    return sorted(out, key=lambda leaf: leaf[0].encode("utf-8"))


def digest(rows, pri):
    sha = hashlib.sha1()
    for name, text, _ in rows:
        sha.update(name.encode("utf-8") + text.encode("utf-8"))
    sha.update(pri.encode("utf-8"))
    return sha.hexdigest()


def query(rows, pri):
    return "&".join(uri_escape_utf8(n) + "=" + uri_escape_utf8(t) for n, t, _ in rows) + "&Signature=" + digest(rows, pri)


def body(rows, pri):
    members = ["%s:%s" % (json.dumps(n), json.dumps(t) if quoted else t) for n, t, quoted in rows]
    return "{" + ",".join(members) + ',"Signature":"' + digest(rows, pri) + '"}'


TWO = ("Action", "PublicKey")


def bucket_request(given, pub, pri):
    rows = parameters(given, TWO)
    if ("Action", "CreateBucket") in [(n, t) for n, t, _ in rows]:
        rows = parameters(given, TWO + ("Type", "BucketName"))
    return {"target": "/?" + query(rows, pri)}


serve("perl-api", {
    "url-encode": lambda g, pub, pri: {"encoded": uri_escape_utf8(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode()},
    "action-signature": lambda g, pub, pri: {"signature": digest(parameters(g), pri)},
    "action-query": lambda g, pub, pri: {"query": query(parameters(g, TWO), pri)},
    "action-json": lambda g, pub, pri: {"body": body(parameters(g, TWO), pri)},
    "bucket-request": bucket_request,
})
