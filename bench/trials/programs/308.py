#!/usr/bin/env python3
"""A Go developer's first client of the account API: parameters in a map[string]interface{} that encoding/json has filled, queries made with net/url.

Mistakes:
1. Every number is a float64 and goes into the signed text (and into the query) with fmt.Sprint: from 1000000 on it has an exponent (1e+06, 2.097152e+07), below
   0.0001 too (1e-05), whole numbers above 2^53 lose digits, and -0 stays -0. The body has the same float64 as encoding/json writes it.
2. Names and values are escaped with url.QueryEscape, in url-encode as well: a space becomes a plus sign.
3. The query is url.Values.Encode(): Signature stands among the parameters by its name (before Type and Zone), not at the end.
4. A number that float64 cannot hold (above 1.8e308) is refused, since encoding/json cannot read it.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


# ---- what Go's standard library does

def query_escape(s):
    out = []
    for c in s.encode("utf-8"):
        if c == 0x20:
            out.append("+")
        elif c < 128 and (chr(c).isalnum() or chr(c) in "-_.~"):
            out.append(chr(c))
        else:
            out.append("%%%02X" % c)
    return "".join(out)


def parse_float(s):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", s):
        raise Refused("number", "invalid character in numeric literal")
    f = float(s)
    if f in (float("inf"), float("-inf")):
        raise Refused("number", "cannot unmarshal number into Go value of type float64")
    return f


def shortest(f):
    """sign, digits, position of the decimal point: f = 0.digits * 10**point"""
    d = Decimal(repr(f)).as_tuple()
    digits = "".join(map(str, d.digits))
    point = len(digits) + d.exponent
    digits = digits.rstrip("0") or "0"
    return "-" if d.sign else "", digits, point


def plain(sign, digits, point):
    if digits == "0":
        return sign + "0"
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return sign + digits[:point] + "." + digits[point:]


def scientific(sign, digits, point):
    exponent = point - 1
    return "%s%s%se%s%02d" % (sign, digits[0], "." + digits[1:] if len(digits) > 1 else "", "-" if exponent < 0 else "+", abs(exponent))


def sprint(f):
    """fmt.Sprint(f): strconv 'g' with precision -1"""
    sign, digits, point = shortest(f)
    if digits == "0":
        return sign + "0"
    return scientific(sign, digits, point) if point - 1 < -4 or point - 1 >= 6 else plain(sign, digits, point)


def marshal_float(f):
    """encoding/json: 'f', or 'e' below 1e-6 and from 1e21 on"""
    sign, digits, point = shortest(f)
    if digits == "0":
        return sign + "0"
    if point - 1 < -6 or point - 1 >= 21:
        return scientific(sign, digits, point).replace("e-0", "e-")
    return plain(sign, digits, point)


# ---- the client

def flatten(out, name, value):
    """out: name -> float64, bool or string"""
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, dict) and "list" in value:
        for i, item in enumerate(value["list"]):
            flatten(out, "%s.%d" % (name, i), item)
        return
    if isinstance(value, dict) and "object" in value:
        for key, item in value["object"]:
            flatten(out, name + "." + key, item)
        return
    if isinstance(value, dict):
        value = parse_float(value["number"])
    if name == "Signature":
        return
    if name in out:
        raise Refused("parameter-repeated", name)
    out[name] = value


def build(given):
    params = {}
    for name, value in given["parameters"]:
        flatten(params, name, value)
    return params


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return sprint(value) if isinstance(value, float) else value


def calculate_signature(params, private_key):
    names = sorted(params, key=lambda n: n.encode("utf-8"))
    joined = "".join(n + text(params[n]) for n in names) + private_key
    return hashlib.sha1(joined.encode("utf-8")).hexdigest()


def require(params, *names):
    for n in names:
        if n not in params:
            raise Refused("parameter-missing", n)


def signed_request(given, private_key):
    params = build(given)
    require(params, "Action", "PublicKey")
    params["Signature"] = calculate_signature(params, private_key)
    return params


def action_signature(given, pub, pri):
    return {"signature": calculate_signature(build(given), pri)}


def action_json(given, pub, pri):
    params = signed_request(given, pri)
    members = []
    for n in sorted(params, key=lambda n: n.encode("utf-8")):
        v = params[n]
        members.append(json.dumps(n) + ":" + (marshal_float(v) if isinstance(v, float) else json.dumps(v)))
    return {"body": "{" + ",".join(members) + "}"}


def encode(params):
    return "&".join(query_escape(n) + "=" + query_escape(text(params[n])) for n in sorted(params, key=lambda n: n.encode("utf-8")))


def action_query(given, pub, pri):
    return {"query": encode(signed_request(given, pri))}


def bucket_request(given, pub, pri):
    params = signed_request(given, pri)
    if params["Action"] == "CreateBucket":
        require(params, "Type", "BucketName")
    return {"target": "/?" + encode(params)}


serve("go-account-client", {
    "url-encode": lambda given, pub, pri: {"encoded": query_escape(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode()},
    "action-signature": action_signature, "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request})
