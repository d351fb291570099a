#!/usr/bin/env python3
"""A PowerShell module for administrators: cmdlets that sign, and a test cmdlet for incoming requests.

Mistakes:
1. Extra headers are sorted with Sort-Object, whose culture sort passes over hyphens: x-svc-ab stands before x-svc-a-z.
2. Parameters are read with ConvertFrom-Json, which makes dates of texts like 2024-01-02T03:04:05Z; back as text they are 01/02/2024 03:04:05, signed and sent.
3. Escaping is [System.Web.HttpUtility]::UrlEncode with + made %20: hexadecimal digits are small, ! ( ) * stay, ~ is %7e.
4. Files are read with Get-Content, which drops a UTF-8 byte order mark at the start: ETags of such files are those of the rest.
5. Signatures and public keys are compared with -eq, which does not mind case, when requests are checked.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import struct
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

BLOCK = 4 * 1024 * 1024
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
LEFT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!*()"


def UrlEncode(text):
    out = ""
    for byte in text.encode("utf-8"):
        out += chr(byte) if chr(byte) in LEFT else "%%%02x" % byte
    return out


def ConvertFromJson(text):
    match = re.fullmatch(r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(\.[0-9]+)?Z?", text)
    return "%s/%s/%s %s:%s:%s" % (match[2], match[3], match[1], match[4], match[5], match[6]) if match else text


def exact(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written[:40])
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    return value


def decimal(written):
    text = format(exact(written), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if text.strip("-0") else "0"


def boolean(value):
    return "true" if value else "false"


def flatten(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        return [(name, boolean(value), False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, decimal(value["number"]), False)]
    if "list" in value:
        children = [(str(index), item) for index, item in enumerate(value["list"])]
    else:
        children = value["object"]
    out = []
    for child, item in children:
        out += flatten(name + "." + child, item)
    return out


def from_json(name, leaf):
    return (ConvertFromJson(leaf[0]), True) if leaf[1] else leaf


def ReadParameters(pairs):
    return [(name,) + from_json(name, (text, quoted)) for name, text, quoted in collect(pairs)]


def ordered(names):
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
    return [(name,) + found[name] for name in ordered(found)]


def sign_parameters(params, pri):
    text = "".join(name + value for name, value, _ in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def build_query(params, signature):
    pieces = [UrlEncode(name) + "=" + UrlEncode(value) for name, value, _ in params]
    return "&".join(pieces + ["Signature=" + signature])


def url_encode(given, pub, pri):
    return {"encoded": UrlEncode(given["text"])}


def action_signature(given, pub, pri):
    return {"signature": sign_parameters(ReadParameters(given["parameters"]), pri)}


def action_query(given, pub, pri):
    params = ReadParameters(given["parameters"])
    require(params, "Action", "PublicKey")
    return {"query": build_query(params, sign_parameters(params, pri))}


def SortObject(names):
    return sorted(names, key=lambda name: (name.replace("-", ""), name))


def clean(name, value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def read_headers(pairs):
    out = []
    for name, value in pairs:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
        out.append((name.lower(), clean(name, value)))
    return out


def single(headers, wanted):
    values = [value for name, value in headers if name == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return values[0] if values else ""


def CanonicalHeaders(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(groups[name]) + "\n" for name in SortObject(groups))


def GetContent(given):
    data = content(given)
    return data[3:] if data.startswith(b"\xef\xbb\xbf") else data


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def StringToSign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      CanonicalHeaders(headers) + resource(bucket, key)])


def HmacSha1(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = StringToSign(given["method"], given["bucket"], given["key"], read_headers(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + HmacSha1(text, pri)}


def etag(given, pub, pri):
    data = GetContent(given["content"])
    blocks = [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]
    if len(blocks) < 2:
        digest = hashlib.sha1(data).digest()
    else:
        digest = hashlib.sha1(b"".join(hashlib.sha1(block).digest() for block in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack("<I", len(blocks)) + digest).decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(GetContent(given["content"])).digest()).decode()}


def is_policy(text):
    if re.search("[+/]", text) and re.search("[-_]", text):
        return False
    try:
        bare = text.replace("-", "+").replace("_", "/").rstrip("=")
        return isinstance(json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def Eq(expected, got):
    return expected.lower() == got.lower()


def verify_authorization(given, pub, pri):
    headers = read_headers(given["headers"])
    text = StringToSign(given["method"], given["bucket"], given["key"], headers)
    values = [value for name, value in headers if name == "authorization"]
    if not values:
        raise Refused("authorization-missing", "no Authorization")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme != WORDS["scheme"] or not blank or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "expected scheme publicKey:signature")
    if len(parts) == 3:
        if given["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "no policy")
        text += parts[2]
    if not Eq(pub, parts[0]):
        raise Refused("public-key-unknown", parts[0])
    if not Eq(HmacSha1(text, pri), parts[1]):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": parts[0]}


def unescape(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray %")
    raw = re.sub(b"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"), flags=re.S)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def read_query(query):
    out = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            out.append((unescape(name, "query-malformed"), unescape(value, "query-malformed")))
    return out


def verify_query(given, pub, pri):
    pairs = read_query(given["query"])
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a name is there twice")
    params, signature = collect(pairs), dict(pairs).get("Signature")
    if not signature:
        raise Refused("signature-missing", "no Signature")
    require(params, "Action", "PublicKey")
    public_key = dict(pairs)["PublicKey"]
    if not Eq(pub, public_key):
        raise Refused("public-key-unknown", public_key)
    if not Eq(sign_parameters(params, pri), signature):
        raise Refused("signature-mismatch", "another signature")
    return {"publicKey": public_key}


if __name__ == "__main__":
    serve("powershell-module", {"url-encode": url_encode, "action-signature": action_signature, "action-query": action_query, "authorization": authorization,
                               "etag": etag, "part-etag": part_etag, "verify-authorization": verify_authorization, "verify-query": verify_query})
