#!/usr/bin/env python3
"""A Dart package for Flutter apps: uploads with and without a policy, instant upload, links, and the account API.

Mistakes:
1. Signs file requests with hmac.convert(text.codeUnits) instead of utf8.encode(text): each UTF-16 code unit of the text is cut to its low byte.
2. The JSON body of the account API holds lists and objects as JSON lists and objects (jsonEncode of the caller's map), while the signature is over the
   flattened names.
3. Uses base64Url for the signature in links, so + and / are - and _ there. Authorization has the standard alphabet.
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
from serving import WORDS, Refused, serve  # noqa: E402


def escape(text):
    out = bytearray()
    for b in text.encode("utf-8"):
        if 48 <= b <= 57 or 65 <= b <= 90 or 97 <= b <= 122 or b in b"-_.~":
            out.append(b)
        else:
            out += b"%%%02X" % b
    return out.decode("ascii")


def code_units(text):
    text.encode("utf-8")
    return text.encode("utf-16-le")[::2]


def token(text):
    return bool(re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", text))


def value_of(raw):
    raw.encode("utf-8")
    folded = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", raw)
    if re.search(r"[\0\r\n]", folded.strip(" \t")):
        raise Refused("header-value", "control character")
    return folded.strip(" \t")


def signature(given, pri, method, expires=None, policy=""):
    headers = []
    for name, raw in given["headers"]:
        name = name.strip(" \t")
        if not token(name):
            raise Refused("header-name", name)
        headers.append((name.lower(), value_of(raw)))
    if not token(method):
        raise Refused("method", method)
    if given["bucket"] in ("",) or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])

    def header(name):
        values = [v for n, v in headers if n == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return "".join(values)
    if expires is None:
        middle = [header("content-md5"), header("content-type"), header("date")]
    else:
        middle = ["", "", expires]
    prefix, extra = WORDS["headerPrefix"].lower(), {}
    for n, v in headers:
        if n.startswith(prefix):
            extra.setdefault(n, []).append(v)
    text = "\n".join([method.upper()] + middle) + "\n"
    for n in sorted(extra):
        text += n + ":" + ",".join(extra[n]) + "\n"
    text += "/" + given["bucket"] + "/" + given["key"] + policy
    return hmac.new(pri.encode("utf-8"), code_units(text), hashlib.sha1).digest()


def header(given, pub, pri, method, policy=""):
    pub.encode("utf-8")
    value = WORDS["scheme"] + " " + pub + ":" + base64.b64encode(signature(given, pri, method, policy=policy)).decode("ascii")
    return value + (":" + policy if policy else "")


def policy(given, pub, pri):
    text = ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"])
    return {"policy": base64.urlsafe_b64encode(("{" + text + "}").encode("utf-8")).decode("ascii")}


def link(given, pub, pri):
    sig = base64.urlsafe_b64encode(signature(given, pri, given["method"], expires=given["expires"])).decode("ascii")
    path = "/".join(map(escape, given["key"].split("/")))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], escape(pub), escape(given["expires"]), escape(sig))}


def hit(given, pub, pri):
    value = header(given, pub, pri, "POST")
    return {"target": "/uploadhit?Hash=" + escape(given["etag"]) + "&FileName=" + escape(given["key"]) + "&FileSize=" + escape(given["size"]), "authorization": value}


def number(written):
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) > 3999:
            raise Refused("number", "size")
    except ArithmeticError:
        raise Refused("number", "size")
    text = format(d, "f") if d else "0"
    while "." in text and text[-1] in "0.":
        text = text[:-1]
    return text


def flatten(name, v, out):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, str):
        out.append((name, v))
    elif isinstance(v, bool):
        out.append((name, "true" if v else "false"))
    elif "number" in v:
        out.append((name, number(v["number"])))
    elif "list" in v:
        for i, x in enumerate(v["list"]):
            flatten(name + "." + str(i), x, out)
    else:
        for k, x in v["object"]:
            flatten(name + "." + k, x, out)


def table(given, *needed):
    out = []
    for n, v in given["parameters"]:
        flatten(n, v, out)
    out = [p for p in out if p[0] != "Signature"]
    found = dict(out)
    if len(found) != len(out):
        raise Refused("parameter-repeated", "twice")
    for n in needed:
        if n not in found:
            raise Refused("parameter-missing", n)
    return {n: found[n] for n in sorted(found, key=lambda n: n.encode("utf-8"))}


def sha(found, pri):
    return hashlib.sha1(("".join(n + v for n, v in found.items()) + pri).encode("utf-8")).hexdigest()


def query(given, pub, pri):
    found = table(given, "Action", "PublicKey")
    return {"query": "&".join(escape(n) + "=" + escape(v) for n, v in list(found.items()) + [("Signature", sha(found, pri))])}


def encode(v):
    if isinstance(v, (str, bool)):
        return json.dumps(v)
    if "number" in v:
        return number(v["number"])
    if "list" in v:
        return "[" + ",".join(map(encode, v["list"])) + "]"
    return "{" + ",".join(json.dumps(k) + ":" + encode(x) for k, x in v["object"]) + "}"


def body(given, pub, pri):
    found = table(given, "Action", "PublicKey")
    members = [json.dumps(n) + ":" + encode(v) for n, v in given["parameters"] if n != "Signature"]
    return {"body": "{" + ",".join(members + ['"Signature":"' + sha(found, pri) + '"']) + "}"}


serve("dart-flutter", {
    "authorization": lambda g, pub, pri: {"authorization": header(g, pub, pri, g["method"])},
    "policy": policy,
    "policy-authorization": lambda g, pub, pri: {"authorization": header(g, pub, pri, g["method"], g["policy"])},
    "instant-upload": hit,
    "presigned-url": link,
    "url-encode": lambda g, pub, pri: {"encoded": escape(g["text"])},
    "action-signature": lambda g, pub, pri: {"signature": sha(table(g), pri)},
    "action-query": query,
    "action-json": body,
})
