#!/usr/bin/env python3
"""Java with servlets: a filter that checks requests (verify-query, verify-json and verify-presigned-url).

1. Everything is decoded with java.net.URLDecoder, which makes a raw + a space: in the names and values of verify-query, and in the
   query and also in the path of verify-presigned-url.
2. verify-presigned-url reads Expires with Integer.parseInt: a value above 2147483647 is refused with expires-malformed.
3. Numbers of a JSON body are signed as BigDecimal.toPlainString() prints them, with all their decimals: 42.0 stays 42.0, 1.50 stays
   1.50, and 0e-2 is 0.00 (1e3 is 1000 and -0 is 0, which is right).
"""
import base64
import decimal
import hashlib
import hmac
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import WORDS, Refused, serve  # noqa: E402


class URLDecoder:
    @staticmethod
    def decode(text, code):
        result = b""
        rest = text.replace("+", " ")
        while rest:
            plain, percent, rest = rest.partition("%")
            result += plain.encode("utf-8")
            if percent:
                if not re.match("[0-9A-Fa-f]{2}", rest):
                    rest.encode("utf-8")
                    raise Refused(code, "Illegal hex characters in escape (%) pattern")
                result += bytes([int(rest[:2], 16)])
                rest = rest[2:]
        try:
            return result.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(code, "malformed input")


class BigDecimal:
    def __init__(self, source):
        self.source = source

    def to_plain_string(self):
        try:
            number = decimal.Decimal(self.source)
            if number and not -4000 < number.adjusted() < 4000:
                raise Refused("body-malformed", "number too long")
        except decimal.DecimalException:
            raise Refused("body-malformed", "number too long")
        sign, digits, exponent = number.as_tuple()
        if not number:
            return "0." + "0" * -exponent if exponent < 0 else "0"
        text = "".join(str(d) for d in digits)
        if exponent >= 0:
            text += "0" * exponent
        else:
            text = text.rjust(1 - exponent, "0")
            text = text[:exponent] + "." + text[exponent:]
        return "-" + text if sign else text


class JsonObject:
    def __init__(self, pairs):
        seen = set()
        for name, _ in pairs:
            if name in seen:
                raise Refused("parameter-repeated", "duplicate member")
            seen.add(name)
        self.pairs = pairs


def constant(word):
    raise ValueError(word)


def add(out, path, node):
    if node is None:
        raise Refused("body-malformed", "null")
    elif node is True or node is False:
        out.append((path, str(node).lower()))
    elif isinstance(node, str):
        out.append((path, node))
    elif isinstance(node, BigDecimal):
        out.append((path, node.to_plain_string()))
    elif isinstance(node, JsonObject):
        for name, child in node.pairs:
            add(out, path + "." + name, child)
    else:
        for index in range(len(node)):
            add(out, path + "." + str(index), node[index])


def check_parameters(flat, signature, public_key, private_key):
    sorted_map = {}
    for name, value in flat:
        if name == "Signature":
            continue
        if name in sorted_map:
            raise Refused("parameter-repeated", name)
        sorted_map[name] = value
    digest = hashlib.sha1()
    for name in sorted(sorted_map, key=str.encode):
        digest.update(name.encode() + sorted_map[name].encode("utf-8", "surrogatepass"))
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "Signature")
    if "Action" not in sorted_map or "PublicKey" not in sorted_map:
        raise Refused("parameter-missing", "Action or PublicKey")
    if sorted_map["PublicKey"] != public_key:
        raise Refused("public-key-unknown", "unknown")
    for value in sorted_map.values():
        value.encode("utf-8")
    digest.update(private_key.encode("utf-8"))
    if digest.hexdigest() != signature:
        raise Refused("signature-mismatch", "mismatch")
    return {"publicKey": public_key}


def query_map(query):
    pairs = []
    for piece in query.split("&"):
        if len(piece) > 0:
            i = piece.find("=")
            name, value = (piece, "") if i < 0 else (piece[:i], piece[i + 1:])
            pairs.append((URLDecoder.decode(name, "query-malformed"), URLDecoder.decode(value, "query-malformed")))
    return pairs


def verify_query(given, public_key, private_key):
    pairs = query_map(given["query"])
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated", "twice")
    return check_parameters(pairs, dict(pairs).get("Signature"), public_key, private_key)


def verify_json(given, public_key, private_key):
    try:
        root = json.loads(given["body"], object_pairs_hook=JsonObject, parse_int=BigDecimal, parse_float=BigDecimal,
                          parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "JsonParseException")
    if not isinstance(root, JsonObject):
        raise Refused("body-malformed", "not an object")
    flat = []
    for name, node in root.pairs:
        add(flat, name, node)
    return check_parameters(flat, dict(root.pairs).get("Signature"), public_key, private_key)


def verify_presigned_url(given, public_key, private_key):
    token = re.compile(r"[A-Za-z0-9!#$%&'*+\-.^_`|~]+")
    if not token.fullmatch(given["method"]):
        raise Refused("method", "bad")
    extra = {}
    for name, value in given["headers"]:
        name = name.strip(" \t")
        if not token.fullmatch(name):
            raise Refused("header-name", "bad")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode("utf-8")
        if re.search(r"[\r\n\x00]", value):
            raise Refused("header-value", "bad")
        if name.lower().startswith(WORDS["headerPrefix"].lower()):
            extra.setdefault(name.lower(), []).append(value)
    parts = re.fullmatch(r"(?:http|https)://([^/?#]*)/([^?#]*)(\?[^#]*)?", given["url"])
    if parts is None:
        raise Refused("url-malformed", "bad")
    dot = parts[1].find(".")
    bucket = parts[1] if dot < 0 else parts[1][:dot]
    host = "" if dot < 0 else parts[1][dot + 1:]
    if bucket == "" or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = URLDecoder.decode(parts[2], "url-malformed")
    wanted = {WORDS["publicKeyParameter"]: None, "Expires": None, "Signature": None}
    repeated = False
    for name, value in query_map((parts[3] or "?")[1:]):
        if name in wanted:
            repeated |= wanted[name] is not None
            wanted[name] = value
    if repeated:
        raise Refused("parameter-repeated", "twice")
    if not wanted["Signature"]:
        raise Refused("signature-missing", "Signature")
    if wanted["Expires"] is None or wanted[WORDS["publicKeyParameter"]] is None:
        raise Refused("parameter-missing", "missing")
    if not re.fullmatch("[0-9]{1,15}", wanted["Expires"]) or int(wanted["Expires"]) > 2147483647:
        raise Refused("expires-malformed", "NumberFormatException")
    if int(given["now"]) > int(wanted["Expires"]):
        raise Refused("expired", "late")
    if wanted[WORDS["publicKeyParameter"]] != public_key:
        raise Refused("public-key-unknown", "unknown")
    text = given["method"].upper() + "\n\n\n" + wanted["Expires"] + "\n"
    for name in sorted(extra):
        text += name + ":" + ",".join(extra[name]) + "\n"
    text += "/" + bucket + "/" + key
    mac = hmac.new(private_key.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
    if base64.b64encode(mac.digest()).decode() != wanted["Signature"]:
        raise Refused("signature-mismatch", "mismatch")
    return {"publicKey": public_key}


OPS = {"verify-query": verify_query, "verify-json": verify_json, "verify-presigned-url": verify_presigned_url}

if __name__ == "__main__":
    serve("servlet-filter", OPS)
