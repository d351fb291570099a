#!/usr/bin/env python3
r"""A PHP package for the account API and the buckets, as somebody writes it who knows Laravel better than signatures.

Mistakes:
1. json_encode($params, JSON_NUMERIC_CHECK): in the JSON body, each text that looks like a number is sent as a JSON number (as PHP writes it: "007" is 7,
   "1.50" is 1.5), while the signature is over the text.
2. http_build_query writes true as 1 and false as 0 in the query, while true and false are signed. JSON bodies are right.
3. Sorts with ksort($params, SORT_NATURAL), to keep the items of lists in order: a run of digits in a name counts as a number. Disk10 comes after Disk2 and
   Name.10 after Name.2. (Two names that this comparison finds equal, such as Name.0 and Name.00, stay in byte order.)
4. base64_encode(trim($password)): blanks, tabs, line breaks, U+000B and NUL at both ends of the password are lost.
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


def rawurlencode(s):
    return re.sub(rb"[^A-Za-z0-9\-_.~]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8")).decode("ascii")


def strnat(name):
    """A sort key like strnatcmp: texts and numbers alternate."""
    out = []
    for digits, other in re.findall(rb"([0-9]+)|([^0-9]+)", name.encode("utf-8")):
        if digits:
            out.append((48, int(digits)))         # where the digit 0 stands among the bytes
        else:
            out.extend((byte, -1) for byte in other)
    return out


class Number(str):
    pass


class Flag(str):
    pass


def number(digits):
    """Plain decimal text, with BC Math."""
    m = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?", digits)
    if not m:
        raise Refused("number", "not a number: " + digits)
    sign, whole, fraction, exponent = m[1], m[2], m[3] or "", int(m[4] or "0")
    if not (whole + fraction).strip("0"):
        return Number("0")
    if abs(exponent) >= 10 ** 6:
        raise Refused("number", "too large")
    point = len(whole) + exponent
    figures = whole + fraction
    leading = len(figures) - len(figures.lstrip("0"))
    if not -4000 < point - leading - 1 < 4000:
        raise Refused("number", "too large")
    if point <= 0:
        figures, point = "0" * (1 - point) + figures, 1
    if point > len(figures):
        figures += "0" * (point - len(figures))
    whole, fraction = figures[:point].lstrip("0") or "0", figures[point:].rstrip("0")
    return Number(sign + whole + ("." + fraction if fraction else ""))


def dot(params, prefix=None):
    """Arr::dot"""
    for name, value in params:
        name = name if prefix is None else prefix + "." + name
        if value is None:
            raise Refused("parameter-null", name)
        elif isinstance(value, bool):
            yield name, Flag("true" if value else "false")
        elif isinstance(value, str):
            yield name, value
        elif "number" in value:
            yield name, number(value["number"])
        elif "list" in value:
            yield from dot([(str(i), v) for i, v in enumerate(value["list"])], name)
        else:
            yield from dot(value["object"], name)


class ApiRequest:
    def __init__(self, params, private):
        self.params = {}
        for name, value in dot(params):
            if name == "Signature":
                continue
            if name in self.params:
                raise Refused("parameter-repeated", name)
            self.params[name] = value
        names = sorted(self.params, key=lambda n: n.encode("utf-8"))
        names.sort(key=strnat)
        self.params = {n: self.params[n] for n in names}
        text = "".join(n + v for n, v in self.params.items())
        self.signature = hashlib.sha1((text + private).encode("utf-8")).hexdigest()

    def needs(self, *names):
        for n in names:
            if n not in self.params:
                raise Refused("parameter-missing", n)
        return self

    def query(self):
        out = []
        for n, v in self.params.items():
            if type(v) is Flag:
                v = "1" if v == "true" else "0"
            out.append(rawurlencode(n) + "=" + rawurlencode(v))
        return "&".join(out + ["Signature=" + self.signature])

    def json(self):
        body = []
        for n, v in self.params.items():
            if type(v) is str:
                v = numeric_check(v)
            body.append(json.dumps(n) + ":" + v)
        return "{" + ",".join(body + ['"Signature":"' + self.signature + '"']) + "}"


def numeric_check(text):
    """How json_encode writes a text with JSON_NUMERIC_CHECK."""
    if re.fullmatch(r"[ \t\n\r\v\f]*[+-]?[0-9]+[ \t\n\r\v\f]*", text) and -2 ** 63 <= int(text) < 2 ** 63:
        return str(int(text))
    if re.fullmatch(r"[ \t\n\r\v\f]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\r\v\f]*", text):
        value = float(text)
        if value - value == 0:
            return repr(value)
    return json.dumps(text)


def create(given, pri):
    return ApiRequest(given["parameters"], pri).needs("Action", "PublicKey")


def bucket(given, pub, pri):
    request = create(given, pri)
    if request.params["Action"] == "CreateBucket":
        request.needs("Type", "BucketName")
    return {"target": "/?" + request.query()}


PHP_BLANKS = " \t\n\r\0\x0b"
serve("php-laravel-account", {
    "url-encode": lambda given, pub, pri: {"encoded": rawurlencode(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].strip(PHP_BLANKS).encode("utf-8")).decode("ascii")},
    "action-signature": lambda given, pub, pri: {"signature": ApiRequest(given["parameters"], pri).signature},
    "action-json": lambda given, pub, pri: {"body": create(given, pri).json()},
    "action-query": lambda given, pub, pri: {"query": create(given, pri).query()},
    "bucket-request": bucket,
})
