#!/usr/bin/env python3
"""A port of a PHP class: url-encode, password, action-query and bucket-request. Its mistakes:

1. The tilde is percent-encoded as %7E.
2. A list among the parameters is not flattened into Name.0, Name.1 but signed and sent as one parameter of its items (inside it, of an object's values) joined by commas.
3. The booleans true and false are signed and sent as 1 and 0.
"""
import base64
import hashlib
import os
import re
import string
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402

PLAIN = (string.ascii_letters + string.digits + "-_.").encode()
ESCAPED = [chr(b) if b in PLAIN else "%" + "0123456789ABCDEF"[b >> 4] + "0123456789ABCDEF"[b & 15] for b in range(256)]


def rawurlencode(s):
    return "".join(map(ESCAPED.__getitem__, s.encode("utf-8")))


def strval(v):
    if v is True:
        return "1"
    if v is False:
        return "0"
    if isinstance(v, str):
        return v
    n = v["number"]
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", n):
        raise Refused("number", n)
    power = re.search(r"[eE]([+-]?[0-9]+)", n)
    if not re.search("[1-9]", re.split("[eE]", n)[0]):
        return "0"
    if power and abs(int(power[1])) > 3900:
        raise Refused("number", "too long")
    s = "{:f}".format(Decimal(n))
    return re.sub(r"\.$", "", re.sub(r"(\.[0-9]*?)0+$", r"\1", s))


def implode(v):
    if v is None:
        raise Refused("parameter-null", "in a list")
    if isinstance(v, dict) and "list" in v:
        return ",".join(implode(x) for x in v["list"])
    if isinstance(v, dict) and "object" in v:
        return ",".join(implode(x) for _, x in v["object"])
    return strval(v)


def flat(prefix, v, into):
    if v is None:
        raise Refused("parameter-null", prefix)
    if isinstance(v, dict) and "object" in v:
        for k, x in v["object"]:
            flat(prefix + "." + k, x, into)
        return
    if isinstance(v, dict) and "list" in v:
        text = implode(v)
    else:
        text = strval(v)
    if prefix == "Signature":
        return
    if prefix in into:
        raise Refused("parameter-repeated", prefix)
    into[prefix] = text


def build(i, private):
    params = {}
    for name, v in i["parameters"]:
        flat(name, v, params)
    required = ["Action", "PublicKey"]
    for name in required:
        if name not in params:
            raise Refused("parameter-missing", name)
    names = sorted(params, key=lambda name: name.encode())
    params_data = "".join(name + params[name] for name in names)
    sig = hashlib.sha1((params_data + private).encode()).hexdigest()
    return params, "".join("%s=%s&" % (rawurlencode(name), rawurlencode(params[name])) for name in names) + "Signature=" + sig


def url_encode(i, public, private):
    return {"encoded": rawurlencode(i["text"])}


def password(i, public, private):
    return {"value": base64.b64encode(i["text"].encode()).decode("ascii")}


def action_query(i, public, private):
    return {"query": build(i, private)[1]}


def bucket_request(i, public, private):
    params, query = build(i, private)
    if params["Action"] == "CreateBucket" and not {"Type", "BucketName"} <= set(params):
        raise Refused("parameter-missing", "Type or BucketName")
    return {"target": "/?" + query}


serve("one hundred and one", {"url-encode": url_encode, "password": password, "action-query": action_query, "bucket-request": bucket_request})
