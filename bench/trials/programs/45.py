#!/usr/bin/env python3
"""A Swift package's first version (Foundation: URL, NSNumber, Data, CharacterSet).

1. Booleans are bridged to NSNumber, so true and false are signed and sent as 1 and 0.
2. The Password is base64EncodedString(options: .lineLength64Characters): CR LF stand after every 64 characters if more follow.
3. The resource is made of URL.path, which has lost a slash at its end: the key dir/ is signed as dir (the URL of a pre-signed request keeps it).
4. Extra headers are sorted with localizedStandardCompare, in which digits are numbers: x-svc-m-9 comes before x-svc-m-10.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def adding_percent_encoding(text):
    return "".join(chr(x) if chr(x) in UNRESERVED else "%{:02X}".format(x) for x in text.encode("utf-8"))


def base64_lines(data):
    text = base64.b64encode(data).decode()
    return "\r\n".join(text[i:i + 64] for i in range(0, len(text), 64))


def description(number):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", number):
        raise Refused("number", number)
    try:
        text = "{:f}".format(Decimal(number))
    except ArithmeticError:
        raise Refused("number", number)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def walk(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if value is True or value is False:
        yield name, str(int(value))
    elif isinstance(value, str):
        yield name, value
    elif "number" in value:
        yield name, description(value["number"])
    else:
        inner = enumerate(value["list"]) if "list" in value else value["object"]
        for member, item in inner:
            yield from walk("%s.%s" % (name, member), item)


def sign_action(q, private):
    pairs = [pair for name, value in q["parameters"] for pair in walk(name, value) if pair[0] != "Signature"]
    if len({name for name, _ in pairs}) != len(pairs):
        raise Refused("parameter-repeated")
    pairs.sort(key=lambda pair: pair[0].encode("utf-8"))
    return pairs, hashlib.sha1(("".join(n + v for n, v in pairs) + private).encode("utf-8")).hexdigest()


def action_query(q, public, private):
    pairs, signature = sign_action(q, private)
    for name in ("Action", "PublicKey"):
        if name not in dict(pairs):
            raise Refused("parameter-missing", name)
    return {"query": "&".join(adding_percent_encoding(n) + "=" + adding_percent_encoding(v) for n, v in pairs) + "&Signature=" + signature}


def clean(value):
    value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value).strip(" \t")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value")
    value.encode()
    return value


def headers_of(pairs):
    out = []
    for name, value in pairs:
        if not re.fullmatch(NAME, name):
            raise Refused("header-name", name)
        out.append((name.lower(), clean(value)))
    return out


def first(pairs, name):
    values = [v for n, v in pairs if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else None


def localized_standard(name):
    return [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in re.findall(r"[0-9]+|[^0-9]+", name)]


def extra(headers):
    merged = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            merged.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(merged[name]) + "\n" for name in sorted(merged, key=localized_standard))


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    path = "/" + bucket + "/" + key
    return path[:-1] if key.endswith("/") else path


def mac(private, *parts):
    return base64.b64encode(hmac.new(private.encode(), "".join(parts).encode(), hashlib.sha1).digest()).decode()


def verb(method):
    if not re.fullmatch(NAME, method):
        raise Refused("method", method)
    return method.upper()


def credentials(public, signature):
    return {"authorization": WORDS["scheme"] + " " + public + ":" + signature}


def authorization(q, public, private):
    h = headers_of(q["headers"])
    lines = [verb(q["method"])] + [first(h, n) or "" for n in ("content-md5", "content-type", "date")]
    return credentials(public, mac(private, "\n".join(lines), "\n", extra(h), resource(q["bucket"], q["key"])))


def form(q, public, private):
    h = headers_of(q["headers"])
    fields = [(n, clean(v)) for n, v in q["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = first(h, "content-md5")
    if md5 is None:
        md5 = first(fields, "Content-MD5")
    lines = ["POST", md5 or "", first(fields, "Content-Type") or "", first(h, "date") or "", extra(h)]
    return credentials(public, mac(private, "\n".join(lines), resource(q["bucket"], q["key"])))


def presigned(q, public, private):
    h = headers_of(q["headers"])
    signature = mac(private, verb(q["method"]), "\n\n\n", q["expires"], "\n", extra(h), resource(q["bucket"], q["key"]))
    path = "/".join(adding_percent_encoding(p) for p in q["key"].split("/"))
    items = ((WORDS["publicKeyParameter"], public), ("Expires", q["expires"]), ("Signature", signature))
    return {"url": q["scheme"] + "://" + q["bucket"] + "." + q["fileHost"] + "/" + path + "?" + "&".join(n + "=" + adding_percent_encoding(v) for n, v in items)}


serve("swift-package", {"url-encode": lambda q, public, private: {"encoded": adding_percent_encoding(q["text"])},
                        "password": lambda q, public, private: {"value": base64_lines(q["text"].encode())},
                        "action-signature": lambda q, public, private: {"signature": sign_action(q, private)[1]},
                        "action-query": action_query, "authorization": authorization, "form-authorization": form, "presigned-url": presigned})
