#!/usr/bin/env python3
"""A port of an account API gem from Ruby.

Mistakes:
1. The password is Base64.encode64(text).chomp: a line feed after every 60 characters of the Base64 stays in it.
2. A number with a fraction or an exponent is a Float, signed and sent as Float#to_s writes it: 42.0 stays 42.0, 1e2 becomes 100.0,
   1e16 becomes 1.0e+16 and 0.00001 becomes 1.0e-05. (Numbers of digits only are Integers and right.)
   A number beyond the doubles is refused.
3. params.reject { |_, v| v.to_s.empty? }: a parameter whose value is an empty text (or null) is neither signed nor sent.
4. Escapes with URI.encode_www_form_component(s).gsub("+", "%20"), which leaves * as it is and escapes ~ as %7E.
"""
import base64
import hashlib
import json
import math
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def encode_www_form_component(s):
    raw = s.encode("utf-8")
    return re.sub(rb"[^*\-.0-9A-Z_a-z]", lambda m: b"+" if m[0] == b" " else b"%%%02X" % m[0][0], raw).decode("ascii")


def escape(s):
    return encode_www_form_component(s).replace("+", "%20")


def encode64(raw):
    """[raw].pack("m")"""
    return "".join(base64.b64encode(raw[i:i + 45]).decode("ascii") + "\n" for i in range(0, len(raw), 45))


def password(text):
    return re.sub(r"\n\Z", "", encode64(text.encode("utf-8")))


def float_to_s(f):
    sign = "-" if math.copysign(1, f) < 0 else ""
    if f == 0:
        return sign + "0.0"
    mantissa, exponent = ("%.16e" % abs(f)).split("e")
    for precision in range(17):
        t = "%.*e" % (precision, abs(f))
        if float(t) == abs(f):
            mantissa, exponent = t.split("e")
            break
    digits, point = mantissa.replace(".", "").rstrip("0"), int(exponent) + 1
    if 0 < point <= 16:
        if len(digits) <= point:
            return sign + digits + "0" * (point - len(digits)) + ".0"
        return sign + digits[:point] + "." + digits[point:]
    if -4 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return "%s%s.%se%+03d" % (sign, digits[0], digits[1:] or "0", point - 1)


NUMERIC = re.compile(r"(?P<int>-?(?:0|[1-9][0-9]*))(?P<frac>\.[0-9]+)?(?P<exp>[eE][+-]?[0-9]+)?")


def number_to_s(t):
    m = NUMERIC.fullmatch(t)
    if not m:
        raise Refused("number", t)
    if m["frac"] is None and m["exp"] is None:
        if len(t) > 4000:
            raise Refused("number", "too long")
        return "0" if t == "-0" else t
    f = float(t)
    if math.isinf(f):
        raise Refused("number", t)
    return float_to_s(f)


def flatten(name, v):
    """Yields [name, text, json]."""
    if v is None:
        yield name, "", "null"
    elif v is True:
        yield name, "true", "true"
    elif v is False:
        yield name, "false", "false"
    elif isinstance(v, str):
        yield name, v, json.dumps(v, ensure_ascii=False)
    elif "number" in v:
        yield name, number_to_s(v["number"]), number_to_s(v["number"])
    elif "list" in v:
        for i, x in enumerate(v["list"]):
            yield from flatten(f"{name}.{i}", x)
    else:
        for k, x in v["object"]:
            yield from flatten(f"{name}.{k}", x)


class Request:
    def __init__(self, pairs, secret):
        rows = [row for name, v in pairs for row in flatten(name, v)]
        rows = [row for row in rows if row[0] != "Signature"]
        if len({row[0] for row in rows}) < len(rows):
            raise Refused("parameter-repeated")
        rows = [row for row in rows if row[1] != ""]
        self.rows = sorted(rows, key=lambda row: row[0].encode("utf-8"))
        self.text = {name: text for name, text, _ in rows}
        self.require("Action", "PublicKey")
        if secret is not None:
            plain = "".join(name + text for name, text, _ in self.rows) + secret
            self.signature = hashlib.sha1(plain.encode("utf-8")).hexdigest()

    def require(self, *names):
        missing = [n for n in names if n not in self.text]
        if missing:
            raise Refused("parameter-missing", missing[0])

    def to_query(self):
        return "&".join([f"{escape(n)}={escape(t)}" for n, t, _ in self.rows] + [f"Signature={self.signature}"])

    def to_json(self):
        rows = [(n, j) for n, _, j in self.rows] + [("Signature", json.dumps(self.signature))]
        return "{" + ",".join(f"{json.dumps(n, ensure_ascii=False)}:{j}" for n, j in rows) + "}"


def bucket_request(g, pub, pri):
    r = Request(g["parameters"], pri)
    if r.text["Action"] == "CreateBucket":
        r.require("Type", "BucketName")
    return {"target": "/?" + r.to_query()}


serve("ruby-gem", {
    "password": lambda g, pub, pri: {"value": password(g["text"])},
    "url-encode": lambda g, pub, pri: {"encoded": escape(g["text"])},
    "action-query": lambda g, pub, pri: {"query": Request(g["parameters"], pri).to_query()},
    "action-json": lambda g, pub, pri: {"body": Request(g["parameters"], pri).to_json()},
    "bucket-request": bucket_request,
})
