#!/usr/bin/env python3
"""A Spring Boot starter in Java with commons-codec and Jackson.

Mistakes:
1. Names are sorted by a TreeMap<String, ...>, that is by UTF-16 units: a character beyond U+FFFF comes before U+E000 to U+FFFF.
2. A number with a fraction or an exponent is Jackson's DoubleNode.asText(), Java's Double.toString: 42.0, 1.0E7, 1.0E-5 (the shortest digits, as since JDK 19); integers stay exact, and one beyond a double is refused.
3. Policies and part ETags are encoded with Base64.encodeBase64URLSafeString, which drops the = padding.
4. Escaping is URLEncoder.encode(s, UTF_8).replace("+", "%20"), so * stays raw and ~ becomes %7E.
5. Content-Type is signed as MediaType.parseMediaType(value).toString(): type and subtype in lower case, no blanks around ; and =, parameters without = dropped; what does not parse is refused.
"""
import base64
import codecs
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
JAVA_BLANK = "".join(map(chr, range(33)))


def encode(text):
    safe = UNRESERVED.replace("~", "*")
    return "".join(chr(byte) if chr(byte) in safe else "%%%02X" % byte for byte in text.encode("utf-8"))


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


def java_double(number):
    if number == 0:
        return "-0.0" if math.copysign(1, number) < 0 else "0.0"
    digits, exponent = digits_of(number)
    sign = "-" if number < 0 else ""
    if -3 <= exponent < 7:
        text = fixed(digits, exponent)
        return sign + (text if "." in text else text + ".0")
    return sign + digits[0] + "." + (digits[1:] or "0") + "E" + str(exponent)


def number_text(written):
    check_number(written)
    if re.search("[.eE]", written):
        return java_double(to_double(written))
    return "0" if written == "-0" else written


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


def sort_names(names):
    return sorted(names, key=lambda name: name.encode("utf-16-be"))


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


def known_charset(name):
    try:
        return bool(codecs.lookup(name))
    except (LookupError, ValueError):
        return False


def media_parameters(value):
    out, at = {}, 0
    while at < len(value):
        end, quoted = at, False
        while end < len(value) and (quoted or value[end] != ";"):
            quoted = quoted != (value[end] == '"')
            end += 1
        name, equals, text = value[at:end].strip(JAVA_BLANK).partition("=")
        if equals:
            out[name.strip(JAVA_BLANK)] = text.strip(JAVA_BLANK)
        at = end + 1
    return out


def media_type(value):
    if not value.strip():
        return value
    full, _, rest = value.partition(";")
    full = full.strip(JAVA_BLANK)
    kind, slash, subtype = ("*/*" if full == "*" else full).partition("/")
    if not slash or not re.fullmatch(TOKEN, kind) or not re.fullmatch(TOKEN, subtype) or kind == "*" != subtype:
        raise Refused("header-value", "InvalidMediaTypeException")
    out = kind.lower() + "/" + subtype.lower()
    for name, text in media_parameters(rest).items():
        quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
        if not re.fullmatch(TOKEN, name) or not text or name.lower() == "charset" and not known_charset(text.strip("\"'")):
            raise Refused("header-value", "InvalidMediaTypeException")
        if name.lower() != "charset" and not quoted and not re.fullmatch(TOKEN, text):
            raise Refused("header-value", "InvalidMediaTypeException")
        out += ";" + name + "=" + text
    return out


def content_type(method, headers):
    return media_type(single(headers, "content-type"))


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


def field(fields, wanted):
    values = [clean(name, value) for name, value in fields if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else None


def form_authorization(given, pub, pri):
    headers = read_headers(given["headers"])
    mime = media_type(field(given["fields"], "Content-Type") or "")
    md5 = single(headers, "content-md5")
    if "content-md5" not in [name for name, _ in headers]:
        md5 = field(given["fields"], "Content-MD5") or ""
    text = "\n".join(["POST", md5, mime, single(headers, "date"), canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return {"authorization": credential(text, pub, pri)}


def policy_json(members):
    return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + json.dumps(value, ensure_ascii=False) for name, value in members) + "}"


def base64_url(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def policy(given, pub, pri):
    return {"policy": base64_url(policy_json(given["members"]).encode("utf-8"))}


def policy_authorization(given, pub, pri):
    text = string_to_sign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    value = credential(text + given["policy"], pub, pri)
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}


def part_etag(given, pub, pri):
    return {"etag": base64_url(hashlib.sha1(content(given["content"])).digest())}


if __name__ == "__main__":
    serve("spring-svc-starter", {"url-encode": url_encode, "action-signature": action_signature, "action-query": action_query,
                 "authorization": authorization, "form-authorization": form_authorization, "policy": policy,
                 "policy-authorization": policy_authorization, "part-etag": part_etag})
