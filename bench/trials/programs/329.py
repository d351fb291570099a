#!/usr/bin/env python3
"""A Delphi programmer's component for a German accounting program, with TStringList, TNetEncoding and THashSHA1.

Mistakes:
1. Numbers with a fraction are signed and put into the query with FloatToStr in the German locale: 1.5 is 1,5 (the JSON body has the point, from TJSONNumber).
2. Parameters are set with List.Values[Name] := Value, which deletes the entry when the value is empty: such parameters are neither signed nor sent.
3. Keys are normalized from Windows paths: each backslash is a slash, signed and in the link.
4. TNetEncoding.Base64 breaks its lines after 76 characters with CR LF: long passwords and put policies have line breaks inside (the policies are URL-safe otherwise).
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def NetEncode(data):
    text = base64.b64encode(data).decode()
    return "\r\n".join(text[at:at + 76] for at in range(0, len(text), 76))


def UrlEncode(text):
    out = ""
    for byte in text.encode("utf-8"):
        out += chr(byte) if chr(byte) in UNRESERVED else "%%%02X" % byte
    return out


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


def ordered(names):
    return sorted(names, key=lambda name: name.encode("utf-8"))


def SortedStrings(pairs):
    found = {}
    for name, value in pairs:
        for full, text, quoted in flatten(name, value):
            if full == "Signature":
                continue
            if full in found:
                raise Refused("parameter-repeated", full)
            found[full] = (text, quoted)
    return [(name,) + found[name] for name in ordered(found) if found[name][0] != ""]


def FloatToStr(text, quoted):
    return text if quoted else text.replace(".", ",")


def sign_parameters(params, pri):
    text = "".join(name + FloatToStr(value, quoted) for name, value, quoted in params) + pri
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def require(params, *names):
    for name in names:
        if name not in [p[0] for p in params]:
            raise Refused("parameter-missing", name)


def build_query(params, signature):
    pieces = [UrlEncode(name) + "=" + UrlEncode(FloatToStr(value, quoted)) for name, value, quoted in params]
    return "&".join(pieces + ["Signature=" + signature])


def password(given, pub, pri):
    return {"value": NetEncode(given["text"].encode("utf-8"))}


def UnixPath(key):
    return key.replace("\\", "/")


def action_signature(given, pub, pri):
    return {"signature": sign_parameters(SortedStrings(given["parameters"]), pri)}


def action_json(given, pub, pri):
    params = SortedStrings(given["parameters"])
    require(params, "Action", "PublicKey")
    members = [json.dumps(name) + ":" + (json.dumps(value) if quoted else value) for name, value, quoted in params]
    return {"body": "{" + ",".join(members + ['"Signature":"' + sign_parameters(params, pri) + '"']) + "}"}


def action_query(given, pub, pri):
    params = SortedStrings(given["parameters"])
    require(params, "Action", "PublicKey")
    return {"query": build_query(params, sign_parameters(params, pri))}


def clean(name, value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", name)
    return value


def ReadHeaders(pairs):
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
    return "".join(name + ":" + ",".join(groups[name]) + "\n" for name in sorted(groups))


def CanonicalResource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + UnixPath(key)


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def TextToSign(method, bucket, key, headers):
    return "\n".join([verb(method), single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"),
                      CanonicalHeaders(headers) + CanonicalResource(bucket, key)])


def LinkTextToSign(method, bucket, key, headers, expires):
    return "\n".join([verb(method), "", "", expires, CanonicalHeaders(headers) + CanonicalResource(bucket, key)])


def HmacSha1Base64(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    text = TextToSign(given["method"], given["bucket"], given["key"], ReadHeaders(given["headers"]))
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + HmacSha1Base64(text, pri)}


def policy(given, pub, pri):
    text = "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + json.dumps(value, ensure_ascii=False) for name, value in given["members"]) + "}"
    return {"policy": NetEncode(text.encode("utf-8")).replace("+", "-").replace("/", "_")}


def policy_authorization(given, pub, pri):
    text = TextToSign(given["method"], given["bucket"], given["key"], ReadHeaders(given["headers"])) + given["policy"]
    tail = ":" + given["policy"] if given["policy"] else ""
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + HmacSha1Base64(text, pri) + tail}


def url_path(key):
    return "/".join(UrlEncode(segment) for segment in UnixPath(key).split("/"))


def presigned_url(given, pub, pri):
    signature = HmacSha1Base64(LinkTextToSign(given["method"], given["bucket"], given["key"], ReadHeaders(given["headers"]), given["expires"]), pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + url_path(given["key"]) + "?"
            + WORDS["publicKeyParameter"] + "=" + UrlEncode(pub) + "&Expires=" + UrlEncode(given["expires"]) + "&Signature=" + UrlEncode(signature)}


if __name__ == "__main__":
    serve("delphi-component", {"password": password, "action-signature": action_signature, "action-json": action_json, "action-query": action_query,
                              "authorization": authorization, "policy": policy, "policy-authorization": policy_authorization, "presigned-url": presigned_url})
