#!/usr/bin/env python3
"""A .NET 8 library in C# with HttpClient and System.Text.Json.

Mistakes:
1. Parameters are in a SortedDictionary<string, string> with the default comparer, so names sort by ICU's culture rules: punctuation, digits, then letters with case deciding last (ChargeType before CPU); names equal by those rules are refused.
2. A number that is no 64-bit integer is double.ToString(InvariantCulture): 1E+15, 1.2345678901234567E+19, 1E-05, -0, and one beyond a double is refused.
3. A link is returned as new Uri(text).AbsoluteUri, which resolves . and .. segments of the key, puts the host in lower case and refuses a bucket that is no host name.
4. The block count of an ETag is size / BlockSize + 1, one too many for an empty file and for a whole number of blocks.
5. Header values are trimmed with string.Trim(), which takes every Unicode white space off, line breaks included.
"""
import base64
import hashlib
import hmac
import json
import math
import os
import re
import struct
import sys
import unicodedata
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
BLOCK = 4 * 1024 * 1024
PUNCTUATION = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def encode(text):
    return "".join(chr(byte) if chr(byte) in UNRESERVED else "%%%02X" % byte for byte in text.encode("utf-8"))


def check_number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    return value


def digits_of(number):
    """The shortest digits that give this double back, and its decimal exponent (d.ddd times ten to the exponent)."""
    _, digits, exponent = Decimal(repr(abs(number))).as_tuple()
    text = "".join(map(str, digits))
    exponent += len(text) - 1
    text = text.lstrip("0") or "0"
    return text.rstrip("0") or "0", exponent - (0 if number else exponent)


def fixed(digits, exponent):
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    if exponent >= len(digits) - 1:
        return digits + "0" * (exponent - len(digits) + 1)
    return digits[:exponent + 1] + "." + digits[exponent + 1:]


def to_double(written):
    check_number(written)
    number = float(written)
    if number in (float("inf"), float("-inf")):
        raise Refused("number", "out of range")
    return number


def double_to_string(number):
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    digits, exponent = digits_of(number)
    sign = "-" if number < 0 else ""
    if -5 <= exponent < 15:
        return sign + fixed(digits, exponent)
    return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "E%+03d" % exponent


def number_text(written):
    check_number(written)
    if re.search("[.eE]", written) or not -2**63 <= int(written) < 2**63:
        return double_to_string(to_double(written))
    return str(int(written))


def bool_text(value):
    return "true" if value else "false"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, bool_text(value), False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, number_text(value["number"]), False)]
    children = value["object"] if "object" in value else [(str(i), item) for i, item in enumerate(value["list"])]
    return [leaf for child, item in children for leaf in flatten(name + "." + child, item)]


def collation_key(name):
    primary, secondary, tertiary = [], [], []
    for char in unicodedata.normalize("NFD", name):
        if unicodedata.combining(char):
            secondary.append((len(primary), ord(char)))
        elif char in PUNCTUATION:
            primary.append((0, PUNCTUATION.index(char)))
            tertiary.append(0)
        elif not unicodedata.category(char).startswith("C") or ord(char) > 0x9f:
            primary.append((1, ord(char.lower()[0])))
            tertiary.append(int(char != char.lower()))
    return primary, secondary, tertiary


def sort_names(names):
    out = sorted(names, key=collation_key)
    for one, other in zip(out, out[1:]):
        if collation_key(one) == collation_key(other):
            raise Refused("parameter-repeated", "an entry with the same key already exists")
    return out


def collect(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in sort_names(found)]


def sign_params(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def request_params(given):
    params = collect(given["parameters"])
    require(params, "Action", "PublicKey")
    return params


def query_string(params, signature):
    return "&".join([encode(name) + "=" + encode(value) for name, value, _ in params] + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": encode(given["text"])}


def action_signature(given, pub, pri):
    return {"signature": sign_params(collect(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = request_params(given)
    return {"query": query_string(params, sign_params(params, pri))}


def json_body(params, signature):
    members = [json.dumps(name) + ":" + (json.dumps(text) if quoted else text) for name, text, quoted in params]
    return "{" + ",".join(members + ['"Signature":' + json.dumps(signature)]) + "}"


def action_json(given, pub, pri):
    params = request_params(given)
    return {"body": json_body(params, sign_params(params, pri))}


def unfold(value):
    return re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)


def clean(name, value):
    value = unfold(value).strip(WHITE_SPACE)
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def field_name(name):
    name = name.strip(" \t")
    if not re.fullmatch(TOKEN, name):
        raise Refused("header-name", name)
    return name.lower()


def read_headers(pairs):
    return [(field_name(name), clean(name, value)) for name, value in pairs]


def single(headers, wanted):
    values = [value for name, value in headers if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def canonical_headers(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(groups[name]) + "\n" for name in sorted(groups))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def content_type(method, headers):
    return single(headers, "content-type")


def string_to_sign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), content_type(method, headers), single(headers, "date"),
                      canonical_headers(headers) + resource(bucket, key)])


def hmac_base64(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def credential(text, pub, pri):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + hmac_base64(text, pri)


def authorization(given, pub, pri):
    text = string_to_sign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    return {"authorization": credential(text, pub, pri)}


def policy_json(members):
    return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + json.dumps(value, ensure_ascii=False) for name, value in members) + "}"


def base64_url(raw):
    return base64.urlsafe_b64encode(raw).decode()


def policy(given, pub, pri):
    return {"policy": base64_url(policy_json(given["members"]).encode("utf-8"))}


def policy_authorization(given, pub, pri):
    text = string_to_sign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    value = credential(text + given["policy"], pub, pri)
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def key_path(key):
    return "/".join(encode(segment) for segment in key.split("/"))


def presigned_query(pub, expires, signature):
    return WORDS["publicKeyParameter"] + "=" + encode(pub) + "&Expires=" + encode(expires) + "&Signature=" + encode(signature)


def compress(path):
    out, segments = [], path.split("/")
    for segment in segments:
        if segment == "..":
            out = out[:-1]
        elif segment != ".":
            out.append(segment)
    if segments[-1] in (".", ".."):
        out.append("")
    return "/".join(out)


def presigned_url(given, pub, pri):
    signature = presigned_signature(given, pri)
    host = (given["bucket"] + "." + given["fileHost"]).lower()
    if not re.fullmatch(r"[\w-]+(\.[\w-]+)*\.?(:[0-9]+)?", host):
        raise Refused("bucket", "UriFormatException: the hostname could not be parsed")
    return {"url": given["scheme"] + "://" + host + "/" + compress(key_path(given["key"])) + "?"
            + presigned_query(pub, given["expires"], signature)}


def blocks_of(data):
    return [data[i:i + BLOCK] for i in range(0, len(data), BLOCK)]


def etag(given, pub, pri):
    data = content(given["content"])
    count = len(data) // BLOCK + 1
    if len(data) <= BLOCK:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(block).digest() for block in blocks_of(data))).digest()
    return {"etag": base64_url(struct.pack("<I", count) + digest)}


def part_etag(given, pub, pri):
    return {"etag": base64_url(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("Svc.Net", {"url-encode": url_encode, "action-signature": action_signature, "action-json": action_json,
                 "action-query": action_query, "authorization": authorization, "policy": policy,
                 "policy-authorization": policy_authorization, "presigned-url": presigned_url, "etag": etag,
                 "part-etag": part_etag})
