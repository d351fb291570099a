#!/usr/bin/env python3
"""An action API client ported from the Java client for Aliyun RPC requests (AcsRequest, TreeMap, BigDecimal).

Mistakes:
1. TreeMap<String, String> compares UTF-16 units, so a name with an emoji sorts before one with a full-width letter.
2. BigDecimal.toPlainString() keeps the zeros of a fraction: 42.0 stays 42.0 and 1.50 stays 1.50.
3. Parameters with an empty value are dropped (StringUtils.isEmpty).
4. The items of a list are numbered from 1, as in Tag.1.Key.
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

UNRESERVED = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")


def percent_encode(value):
    return "".join(chr(b) if b in UNRESERVED else "%" + format(b, "02X") for b in value.encode("utf-8"))


def tree_map_key(name):
    name.encode("utf-8")
    return name.encode("utf-16-be")


def to_plain_string(written):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        number = Decimal(written)
        if number and abs(number.adjusted()) >= 4000:
            raise Refused("number", "too long")
        plain = format(number, "f")
    except ArithmeticError:
        raise Refused("number", "too large")
    return finish_number(plain.lstrip("-") if not number else plain)


def finish_number(plain):
    return plain


def is_empty(value):
    return value == ""


FIRST_ITEM = 1


class AcsRequest:
    def __init__(self, parameters):
        self.entries = {}
        for name, value in parameters:
            self.put_query_parameter(name, value)

    def put_query_parameter(self, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict) and "list" in value:
            for i, item in enumerate(value["list"]):
                self.put_query_parameter(name + "." + str(i + FIRST_ITEM), item)
        elif isinstance(value, dict) and "object" in value:
            for member, item in value["object"]:
                self.put_query_parameter(name + "." + member, item)
        elif isinstance(value, str):
            self.put(name, value, json.dumps(value))
        else:
            text = to_plain_string(value["number"]) if isinstance(value, dict) else str(value).lower()
            self.put(name, text, text)

    def put(self, name, text, literal):
        if is_empty(text) or name == "Signature":
            return
        if name in self.entries:
            raise Refused("parameter-repeated", name)
        self.entries[name] = (text, literal)

    def sorted_entries(self):
        return sorted(self.entries.items(), key=lambda entry: tree_map_key(entry[0]))

    def require(self, *names):
        for name in names:
            if name not in self.entries:
                raise Refused("parameter-missing", name)

    def signature(self, private_key):
        builder = [name + text for name, (text, _) in self.sorted_entries()]
        return hashlib.sha1(("".join(builder) + private_key).encode("utf-8")).hexdigest()

    def to_query(self, private_key):
        pairs = [percent_encode(name) + "=" + percent_encode(text) for name, (text, _) in self.sorted_entries()]
        return "&".join(pairs + ["Signature=" + self.signature(private_key)])

    def to_json(self, private_key):
        members = [json.dumps(name) + ":" + literal for name, (_, literal) in self.sorted_entries()]
        return "{" + ",".join(members + ['"Signature":"' + self.signature(private_key) + '"']) + "}"


def full(given):
    request = AcsRequest(given["parameters"])
    request.require("Action", "PublicKey")
    return request


def bucket_request(given, pub, pri):
    request = full(given)
    if request.entries["Action"][0] == "CreateBucket":
        request.require("Type", "BucketName")
    return {"target": "/?" + request.to_query(pri)}


serve("acs-java", {
    "url-encode": lambda given, pub, pri: {"encoded": percent_encode(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda given, pub, pri: {"signature": AcsRequest(given["parameters"]).signature(pri)},
    "action-query": lambda given, pub, pri: {"query": full(given).to_query(pri)},
    "action-json": lambda given, pub, pri: {"body": full(given).to_json(pri)},
    "bucket-request": bucket_request,
})
