#!/usr/bin/env python3
"""An SRE's Bash script with openssl, jq 1.6, xxd and split.

Mistakes:
1. Every text (key, parameter, text to encode) is taken with $(jq -r ...), which loses line feeds at its end and NUL everywhere.
2. The file string to sign is printed with echo -ne, so backslash escapes in the key or in a header value are interpreted.
3. Numbers are what jq 1.6 prints of a double: 1e+17, 12345678901234567000, 1e-05, -0, and 1.7976931348623157e+308 for 1e400.
4. Passwords and policies are encoded with openssl base64 without -A, so a line feed stays after every 64 characters.
5. The block count of an ETag is printf %08x through xxd -r -p, that is big-endian.
"""
import base64
import hashlib
import hmac
import json
import math
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
BLOCK = 4 * 1024 * 1024


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


def number_text(written):
    check_number(written)
    number = max(-1.7976931348623157e308, min(1.7976931348623157e308, float(written)))
    sign = "-" if math.copysign(1, number) < 0 else ""
    digits, exponent = digits_of(number)
    if exponent < -4 or exponent >= len(digits) + 15:
        return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%+03d" % exponent
    return sign + fixed(digits, exponent)


def bool_text(value):
    return "true" if value else "false"


def substitute(text):
    return text.replace("\0", "").rstrip("\n")


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(substitute(name), bool_text(value), False)]
    if isinstance(value, str):
        return [(substitute(name), substitute(value), True)]
    if "number" in value:
        return [(substitute(name), number_text(value["number"]), False)]
    children = value["object"] if "object" in value else [(str(i), item) for i, item in enumerate(value["list"])]
    return [leaf for child, item in children for leaf in flatten(name + "." + child, item)]


def sort_names(names):
    return sorted(names, key=lambda name: name.encode("utf-8"))


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
    return {"encoded": encode(substitute(given["text"]))}


def openssl_base64(raw):
    text = base64.b64encode(raw).decode()
    return "\n".join(text[i:i + 64] for i in range(0, len(text), 64))


def password(given, pub, pri):
    return {"value": openssl_base64(substitute(given["text"]).encode("utf-8"))}


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
    value = unfold(value).strip(" \t")
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


def bash_echo(text):
    out, at, raw = b"", 0, text.encode("utf-8")
    simple = {"a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
    while at < len(raw):
        match = re.compile(rb"\\(?:0([0-7]{0,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([abeEfnrtv\\])|(c))", re.S).match(raw, at)
        if not match:
            out, at = out + raw[at:at + 1], at + 1
            continue
        octal, byte, short, long, letter, stop = match.groups()
        if stop:
            break
        if octal is not None:
            out += bytes([int(octal or b"0", 8) & 255])
        elif byte:
            out += bytes([int(byte, 16)])
        elif short or long:
            out += chr(min(int(short or long, 16), 0x10ffff)).encode("utf-8", "surrogatepass")
        else:
            out += bytes([simple[letter.decode()]])
        at = match.end()
    return out


def hmac_base64(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), bash_echo(text), hashlib.sha1).digest()).decode()


def credential(text, pub, pri):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + hmac_base64(text, pri)


def authorization(given, pub, pri):
    text = string_to_sign(given["method"], given["bucket"], substitute(given["key"]), read_headers(given["headers"]))
    return {"authorization": credential(text, pub, pri)}


def policy_json(members):
    return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + json.dumps(value, ensure_ascii=False) for name, value in members) + "}"


def base64_url(raw):
    return base64.urlsafe_b64encode(raw).decode()


def policy(given, pub, pri):
    return {"policy": openssl_base64(policy_json(given["members"]).encode("utf-8")).replace("+", "-").replace("/", "_")}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def key_path(key):
    return "/".join(encode(segment) for segment in key.split("/"))


def presigned_query(pub, expires, signature):
    return WORDS["publicKeyParameter"] + "=" + encode(pub) + "&Expires=" + encode(expires) + "&Signature=" + encode(signature)


def presigned_url(given, pub, pri):
    given = dict(given, key=substitute(given["key"]))
    signature = presigned_signature(given, pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + key_path(given["key"]) + "?"
            + presigned_query(pub, given["expires"], signature)}


def blocks_of(data):
    return [data[i:i + BLOCK] for i in range(0, len(data), BLOCK)]


def etag(given, pub, pri):
    data = content(given["content"])
    blocks = blocks_of(data)
    if len(data) <= BLOCK:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(block).digest() for block in blocks)).digest()
    return {"etag": base64_url(bytes.fromhex("%08x" % len(blocks)) + digest)}


def part_etag(given, pub, pri):
    return {"etag": base64_url(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("svc.sh", {"url-encode": url_encode, "password": password, "action-signature": action_signature,
                 "action-query": action_query, "action-json": action_json, "authorization": authorization, "policy": policy,
                 "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag})
