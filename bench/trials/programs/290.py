#!/usr/bin/env python3
r"""A gateway in Java (servlets, Gson) that stands in for the service in tests: it only verifies, all four kinds of requests.

Mistakes:
1. pair.split("=") with index 0 and 1, for queries of parameters and of links: a value ends before its first plain equals sign. A plain = at the end of a
   Signature that was not escaped is lost, and so is what follows a second = in any value. %3D is right.
2. Decodes both Base64 signatures with Base64.getDecoder() and compares bytes. The decoder does not need the padding and does not look at the two
   unused bits of the last letter, so several other texts are accepted as the signature (Authorization and links).
3. JSON numbers with a fraction or an exponent become new BigDecimal(jsonNumber.doubleValue()), the exact value of the nearest binary fraction:
   0.1 is signed as 0.1000000000000000055511151231257827021181583404541015625. Numbers such as 1.5 are right. One that does not fit into a double makes the
   body malformed.
4. Decodes the path of a link with URLDecoder.decode, which makes a space of a plain plus sign. %2B is right.
5. Accepts links until 900 seconds after their expiry, as S3 allows clocks to differ by 15 minutes.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

SKEW = 900


class SignatureUtil:
    @staticmethod
    def hmac_sha1(secret, text):
        return hmac.new(secret.encode("utf-8"), text.encode("utf-8"), "sha1").digest()

    @staticmethod
    def java_decode(text):
        """Base64.getDecoder().decode"""
        bare = text
        if text.endswith("="):
            if len(text) % 4:
                raise ValueError("wrong 4-byte ending unit")
            bare = text[:-2] if text.endswith("==") else text[:-1]
            if (len(text) - len(bare) == 2) != (len(bare) % 4 == 2):
                raise ValueError("wrong 4-byte ending unit")
        if not re.fullmatch("[A-Za-z0-9+/]*", bare) or len(bare) % 4 == 1:
            raise ValueError("illegal base64 character")
        return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))

    @staticmethod
    def matches(secret, text, signature):
        expected = SignatureUtil.hmac_sha1(secret, text)
        try:
            return SignatureUtil.java_decode(signature) == expected
        except ValueError:
            return False


def check_account(wanted, public_key):
    if wanted != public_key:
        raise Refused("public-key-unknown", wanted)


def mismatch():
    raise Refused("signature-mismatch", "The signature of the request does not match")


# ---- headers

class HttpHeaders:
    NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")

    def __init__(self, pairs):
        self.all = []
        for name, value in pairs:
            name = name.strip(" \t")
            if self.NAME.fullmatch(name) is None:
                raise Refused("header-name", name)
            self.all.append((name.lower(), self.clean(value)))

    @staticmethod
    def clean(value):
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
        for c in value:
            if c in "\r\n\0":
                raise Refused("header-value", "illegal character")
        return value

    def values(self, name):
        return [v for n, v in self.all if n == name]

    def get(self, name):
        values = self.values(name)
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def extra(self):
        tree = {}
        for n, v in self.all:
            if n.startswith(WORDS["headerPrefix"].lower()):
                tree.setdefault(n, []).append(v)
        lines = []
        for n in sorted(tree):
            lines.append(n + ":" + ",".join(tree[n]) + "\n")
        return "".join(lines)


def http_method(method):
    if HttpHeaders.NAME.fullmatch(method) is None:
        raise Refused("method", method)
    return method.upper()


# ---- Authorization

def is_policy(text):
    if re.search(r"[+/]", text) and re.search(r"[-_]", text):
        return False
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    if not re.fullmatch(r"[A-Za-z0-9+/]*", bare) or len(bare) % 4 == 1:
        return False
    try:
        return isinstance(json.loads(binascii.a2b_base64(bare + "=" * (-len(bare) % 4)).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def authorization_filter(given, public_key, secret):
    headers = HttpHeaders(given["headers"])
    method = http_method(given["method"])
    bucket, key = given["bucket"], given["key"]
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    text = "\n".join([method, headers.get("content-md5"), headers.get("content-type"), headers.get("date"), ""]) + headers.extra()
    text += "/" + bucket + "/" + key
    sent = headers.values("authorization")
    if not sent:
        raise Refused("authorization-missing", "")
    scheme = WORDS["scheme"] + " "
    if len(sent) > 1 or not sent[0].startswith(scheme):
        raise Refused("authorization-malformed", "scheme")
    token = sent[0][len(scheme):]
    parts = token.split(":")
    if " " in token or "\t" in token or "" in parts or len(parts) < 2 or len(parts) > 3:
        raise Refused("authorization-malformed", "credentials")
    if len(parts) == 3:
        if method not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "policy")
        text += parts[2]
    check_account(parts[0], public_key)
    if not SignatureUtil.matches(secret, text, parts[1]):
        mismatch()
    return {"publicKey": parts[0]}


# ---- links

def url_decode(text, reason):
    out = bytearray()
    raw, i = text.encode("utf-8"), 0
    while i < len(raw):
        if raw[i] == 0x25:
            if not re.fullmatch(rb"[0-9A-Fa-f]{2}", raw[i + 1:i + 3]):
                raise Refused(reason, "URLDecoder: illegal hex characters in escape (%) pattern")
            out.append(int(raw[i + 1:i + 3], 16))
            i += 3
        else:
            out.append(raw[i])
            i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def query_pairs(query):
    pairs = []
    for pair in query.split("&"):
        if pair:
            halves = pair.split("=")
            pairs.append((url_decode(halves[0], "query-malformed"), url_decode(halves[1] if len(halves) > 1 else "", "query-malformed")))
    return pairs


def no_repeats(names):
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "")


def download_servlet(given, public_key, secret):
    method = http_method(given["method"])
    headers = HttpHeaders(given["headers"])
    m = re.match(r"(?P<scheme>https?)://(?P<host>[^/?#]*)/(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?\Z", given["url"])
    if m is None:
        raise Refused("url-malformed", "")
    bucket, _, domain = m["host"].partition(".")
    if bucket == "" or domain.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = url_decode(m["path"].replace("+", " "), "url-malformed")
    wanted = (WORDS["publicKeyParameter"], "Expires", "Signature")
    pairs = [p for p in query_pairs(m["query"] or "") if p[0] in wanted]
    no_repeats([name for name, _ in pairs])
    parameter = dict(pairs)
    if not parameter.get("Signature"):
        raise Refused("signature-missing", "")
    for name in wanted:
        if name not in parameter:
            raise Refused("parameter-missing", name)
    expires = parameter["Expires"]
    if re.fullmatch("[0-9]{1,15}", expires) is None:
        raise Refused("expires-malformed", expires)
    if int(given["now"]) > int(expires) + SKEW:
        raise Refused("expired", expires)
    check_account(parameter[wanted[0]], public_key)
    text = method + "\n\n\n" + expires + "\n" + headers.extra() + "/" + bucket + "/" + key
    if not SignatureUtil.matches(secret, text, parameter["Signature"]):
        mismatch()
    return {"publicKey": public_key}


# ---- parameters

def check_parameters(parameters, signature, public_key, secret):
    """parameters: flattened pairs"""
    parameters = [p for p in parameters if p[0] != "Signature"]
    no_repeats([name for name, _ in parameters])
    tree = dict(parameters)
    order = sorted(tree, key=lambda name: name.encode("utf-8"))
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "")
    for name in ("Action", "PublicKey"):
        if name not in tree:
            raise Refused("parameter-missing", name)
    check_account(tree["PublicKey"], public_key)
    text = "".join([name + tree[name] for name in order]) + secret
    if hashlib.sha1(text.encode("utf-8")).hexdigest() != signature:
        mismatch()
    return {"publicKey": public_key}


def query_servlet(given, public_key, secret):
    pairs = query_pairs(given["query"])
    no_repeats([name for name, _ in pairs])
    return check_parameters(pairs, dict(pairs).get("Signature"), public_key, secret)


class JsonNumber:
    def __init__(self, written):
        self.written = written

    def text(self):
        number = Decimal(self.written)
        if number and not -4000 < number.adjusted() < 4000:
            raise ValueError("too long")
        if re.search("[.eE]", self.written):
            number = Decimal(float(self.written))
            if not number.is_finite():
                raise ValueError("Infinite or NaN")
        plain = "{:f}".format(number)
        if "." in plain:
            plain = plain.rstrip("0").rstrip(".")
        return "0" if plain in ("-0", "0") else plain


class JsonObject(list):
    def __init__(self, members):
        super().__init__(members)
        no_repeats([name for name, _ in members])


def flatten(name, value):
    if isinstance(value, JsonNumber):
        return [(name, value.text())]
    if value is True or value is False:
        return [(name, str(value).lower())]
    if isinstance(value, str):
        return [(name, value)]
    if value is None:
        raise ValueError("null")
    members = value if isinstance(value, JsonObject) else [(str(i), item) for i, item in enumerate(value)]
    return [leaf for member, item in members for leaf in flatten(name + "." + member, item)]


def constant(word):
    raise ValueError(word)


def json_servlet(given, public_key, secret):
    try:
        body = json.loads(given["body"], object_pairs_hook=JsonObject, parse_int=JsonNumber, parse_float=JsonNumber, parse_constant=constant)
        if not isinstance(body, JsonObject):
            raise ValueError("Not a JSON Object")
        leaves = [leaf for name, value in body for leaf in flatten(name, value)]
    except UnicodeEncodeError:
        raise
    except (ValueError, ArithmeticError, RecursionError) as e:
        raise Refused("body-malformed", str(e))
    return check_parameters(leaves, dict(body).get("Signature"), public_key, secret)


serve("java-gateway", {"verify-authorization": authorization_filter, "verify-presigned-url": download_servlet, "verify-query": query_servlet,
                       "verify-json": json_servlet})
