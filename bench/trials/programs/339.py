#!/usr/bin/env python3
"""A beginner's Python client with requests, hmac and hashlib.

Mistakes:
1. Escaping is urllib.parse.quote(text) with its default safe="/", so a slash is not escaped (in url-encode and action-query).
2. Every value is signed and put in the query as str(value): True, False, 42.0, 1e+16; integers stay exact, and a float beyond the range is refused.
3. The headers are put in a dict by lower-case name, so of a repeated header only the last value counts, and nothing is refused.
4. Header values are unfolded with " ".join(value.split()), which also collapses inner runs of (Unicode) whitespace, strips it at the ends and takes bare line breaks.
5. A link's key goes into an f-string and through requests' PreparedRequest: the key's ?, #, ! $ & ' ( ) * + , ; : = @ and (when every % starts an escape) %XY stay raw, dot segments are removed, the host is put in lower case and a bucket that is no host name is refused; a space in the public key is +.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal
from urllib.parse import quote, urlencode, urlunparse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
PATH_CHARS = UNRESERVED + "!$&'()*+,;=:@/"


def encode(text):
    return quote(text)


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


def to_double(written):
    check_number(written)
    number = float(written)
    if number in (float("inf"), float("-inf")):
        raise Refused("number", "out of range")
    return number


def python_number(written):
    check_number(written)
    return int(written) if re.fullmatch("-?[0-9]+", written) else to_double(written)


def number_text(written):
    return str(python_number(written))


def bool_text(value):
    return str(value)


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
    return {"encoded": encode(given["text"])}


def action_signature(given, pub, pri):
    return {"signature": sign_params(collect(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = request_params(given)
    return {"query": query_string(params, sign_params(params, pri))}


def json_body(params, signature):
    body = {}
    for name, text, quoted in params:
        if quoted:
            body[name] = text
        else:
            body[name] = text == "True" if text in ("True", "False") else json.loads(text)
    body["Signature"] = signature
    return json.dumps(body)


def action_json(given, pub, pri):
    params = request_params(given)
    return {"body": json_body(params, sign_params(params, pri))}


def unfold(value):
    return " ".join(value.split())


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
    headers = {}
    for name, value in pairs:
        headers[field_name(name)] = clean(name, value)
    return list(headers.items())


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


def field(fields, wanted):
    values = [clean(name, value) for name, value in fields if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else None


def form_authorization(given, pub, pri):
    headers = read_headers(given["headers"])
    mime = field(given["fields"], "Content-Type") or ""
    if "content-md5" in [name for name, _ in headers]:
        md5 = single(headers, "content-md5")
    else:
        md5 = field(given["fields"], "Content-MD5") or ""
    text = "\n".join(["POST", md5, mime, single(headers, "date"), canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return {"authorization": credential(text, pub, pri)}


def presigned_signature(given, pri):
    headers = read_headers(given["headers"])
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical_headers(headers) + resource(given["bucket"], given["key"])])
    return hmac_base64(text, pri)


def encode_invalid_chars(component, allowed):
    component, found = re.subn("%[a-fA-F0-9]{2}", lambda m: m[0].upper(), component)
    raw = component.encode("utf-8")
    already = found == raw.count(b"%")
    return "".join(chr(byte) if already and byte == 37 or byte < 128 and chr(byte) in allowed else "%%%02X" % byte for byte in raw)


def remove_path_dot_segments(path):
    output = []
    for segment in path.split("/"):
        if segment == ".":
            continue
        if segment != "..":
            output.append(segment)
        elif output:
            output.pop()
    if path.startswith("/") and (not output or output[0]):
        output.insert(0, "")
    if path.endswith(("/.", "/..")):
        output.append("")
    return "/".join(output)


def unquote_unreserved(uri):
    return re.sub("%([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)) if chr(int(m[1], 16)) in UNRESERVED else m[0], uri)


def prepare_url(scheme, host, key, params):
    if not re.fullmatch(r"[^\[\]%:/?#@\\\s]+", host.partition(".")[0]) or not host.isascii():
        raise Refused("bucket", "InvalidURL")
    path, query, fragment = re.fullmatch(r"([^?#]*)(?:\?([^#]*))?(?:#(.*))?", "/" + key, re.S).groups()
    path = encode_invalid_chars(remove_path_dot_segments(path), PATH_CHARS)
    encoded = urlencode(params)
    if query:
        encoded = encode_invalid_chars(query, PATH_CHARS + "?") + "&" + encoded
    fragment = encode_invalid_chars(fragment, PATH_CHARS + "?") if fragment else ""
    uri = urlunparse([scheme, host.lower(), path or "/", "", encoded, fragment])
    return quote(unquote_unreserved(uri), safe="!#$%&'()*+,/:;=?@[]~")


def presigned_url(given, pub, pri):
    signature = presigned_signature(given, pri)
    params = [(WORDS["publicKeyParameter"], pub), ("Expires", given["expires"]), ("Signature", signature)]
    return {"url": prepare_url(given["scheme"], given["bucket"] + "." + given["fileHost"], given["key"], params)}


if __name__ == "__main__":
    serve("my-requests-client", {"url-encode": url_encode, "action-signature": action_signature, "action-json": action_json,
                 "action-query": action_query, "authorization": authorization, "form-authorization": form_authorization,
                 "presigned-url": presigned_url})
