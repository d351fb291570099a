"""A Go port of the action API (url.Values, float64, url.QueryEscape).

1. Numbers pass through float64 and FormatFloat('f', -1), so integers beyond 2^53 and long fractions lose digits, in the signed and the sent text.
2. Names and values are escaped with url.QueryEscape, so a space is sent as a plus sign.
3. verify-query parses with url.ParseQuery, so a literal plus sign in the query is read as a space.
"""
import hashlib
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from decimal import Decimal  # noqa: E402
from urllib.parse import quote_plus, unquote_to_bytes  # noqa: E402


class Values(dict):
    """url.Values: name -> list of texts."""

    def add(self, name, text):
        self.setdefault(name, []).append(text)

    def check(self):
        for name, texts in self.items():
            if len(texts) > 1:
                raise Refused("parameter-repeated", name)


def float64(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    text = format(Decimal(repr(float(written))), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "0", "") else text


def put(values, name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, bool):
        values.add(name, "true" if v else "false")
    elif isinstance(v, str):
        values.add(name, v)
    elif "number" in v:
        values.add(name, float64(v["number"]))
    elif "list" in v:
        for n, item in enumerate(v["list"]):
            put(values, "%s.%d" % (name, n), item)
    else:
        for member, item in v["object"]:
            put(values, name + "." + member, item)


def build(parameters):
    values = Values()
    for name, v in parameters:
        put(values, name, v)
    values.pop("Signature", None)
    values.check()
    return values


def sign(values, private):
    names = sorted(values, key=lambda n: n.encode("utf-8"))
    h = hashlib.sha1()
    for name in names:
        h.update(name.encode("utf-8"))
        h.update(values[name][0].encode("utf-8"))
    h.update(private.encode("utf-8"))
    return h.hexdigest()


def require(values, *names):
    for name in names:
        if name not in values:
            raise Refused("parameter-missing", name)


def action_signature(i, pub, pri):
    return {"signature": sign(build(i["parameters"]), pri)}


def encode(values, signature):
    names = sorted(values, key=lambda n: n.encode("utf-8"))
    return "&".join([quote_plus(n) + "=" + quote_plus(values[n][0]) for n in names] + ["Signature=" + signature])


def action_query(i, pub, pri):
    values = build(i["parameters"])
    require(values, "Action", "PublicKey")
    return {"query": encode(values, sign(values, pri))}


def bucket_request(i, pub, pri):
    values = build(i["parameters"])
    require(values, "Action", "PublicKey")
    if values["Action"] == ["CreateBucket"]:
        require(values, "Type", "BucketName")
    return {"target": "/?" + encode(values, sign(values, pri))}


def unescape(text):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused("query-malformed", text)
    try:
        return unquote_to_bytes(text.replace("+", " ")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", text)


def verify_query(i, pub, pri):
    values = Values()
    for piece in i["query"].split("&"):
        if piece:
            name, _, text = piece.partition("=")
            values.add(unescape(name), unescape(text))
    values.check()
    got = values.pop("Signature", [""])[0]
    if not got:
        raise Refused("signature-missing", "")
    require(values, "Action", "PublicKey")
    if values["PublicKey"][0] != pub:
        raise Refused("public-key-unknown", "")
    if sign(values, pri) != got:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


if __name__ == "__main__":
    serve("go-values", {"action-signature": action_signature, "action-query": action_query, "bucket-request": bucket_request, "verify-query": verify_query})
