#!/usr/bin/env python3
"""A C# Azure Function that checks signed calls and downloads, with the client that its own tests use.

Mistakes:
1. Sorts the parameters with OrderBy(p => p.Key, StringComparer.OrdinalIgnoreCase), in the client and in the checks: ChargeType comes
   before CPU, and an underscore after all letters.
2. Escapes with HttpUtility.UrlEncode (url-encode and action-query): the hexadecimal digits are in lower case, a space becomes a plus
   sign, ! * ( ) stay as they are, and ~ becomes %7e.
3. Reads a JSON body with JObject.Parse, which makes a DateTime of each text that is an ISO date and time, and signs its ToString():
   2024-05-06T07:08:09Z is verified as 05/06/2024 07:08:09, an offset is converted to UTC (verify-json).
4. Takes the key of a pre-signed URL from System.Uri, which has resolved the segments . and .. (also when escaped as %2E).
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from datetime import datetime, timedelta

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402


class Num(str):
    """A JSON number, as written."""


def OrdinalIgnoreCase(name):
    name.encode("utf-8")
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in name).encode("utf-16-be")


def UrlEncode(s):
    out = []
    for b in s.encode("utf-8"):
        if b == 32:
            out.append("+")
        elif b < 128 and (chr(b).isalnum() or b in b"-_.!*()"):
            out.append(chr(b))
        else:
            out.append("%" + format(b, "02x"))
    return "".join(out)


def UrlDecode(s, code):
    s.encode("utf-8")
    if re.search("%(?![0-9A-Fa-f][0-9A-Fa-f])", s):
        raise Refused(code, s)
    raw = b"".join(bytes([int(p[1:], 16)]) if p.startswith("%") else p.encode("utf-8") for p in re.split("(%..)", s) if p)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(code, s)


def NumberToString(s):
    m = re.fullmatch("(-?)(0|[1-9][0-9]*)(?:[.]([0-9]+))?(?:[eE]([+-]?)([0-9]+))?", s)
    if m is None:
        raise Refused("number", s)
    mantissa = m[2] + (m[3] or "")
    if set(mantissa) == {"0"}:
        return "0"
    if len((m[5] or "").lstrip("0")) > 5:
        raise Refused("number", s)
    scale = len(m[3] or "") - int((m[4] or "") + (m[5] or "0"))
    digits = mantissa.lstrip("0")
    if abs(len(digits) - scale) > 4000:
        raise Refused("number", s)
    if scale <= 0:
        return m[1] + digits + "0" * -scale
    digits = digits.rjust(scale + 1, "0")
    frac = digits[-scale:].rstrip("0")
    return m[1] + digits[:-scale] + ("." + frac if frac else "")


class ParameterSet:
    def __init__(self, nullCode):
        self.rows, self.nullCode = [], nullCode

    def Add(self, name, value):
        if value is None:
            raise Refused(self.nullCode, name)
        if isinstance(value, Num):
            value = NumberToString(value)
        elif isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, dict):
            for k, v in value.items():
                self.Add(name + "." + k, v)
            return
        elif isinstance(value, list):
            for i, v in enumerate(value):
                self.Add(name + "." + str(i), v)
            return
        if name == "Signature":
            return
        if any(name == n for n, _ in self.rows):
            raise Refused("parameter-repeated", name)
        self.rows.append((name, value))

    def __getitem__(self, name):
        for n, v in self.rows:
            if n == name:
                return v
        raise Refused("parameter-missing", name)

    def Sorted(self):
        return sorted(self.rows, key=lambda r: OrdinalIgnoreCase(r[0]))

    def Sign(self, privateKey):
        text = "".join(n + v for n, v in self.Sorted()) + privateKey
        return hashlib.sha1(text.encode("utf-8")).hexdigest()

    def Check(self, signature, publicKey, privateKey):
        if type(signature) is not str or signature == "":
            raise Refused("signature-missing", "401")
        self["Action"]
        if self["PublicKey"] != publicKey:
            raise Refused("public-key-unknown", self["PublicKey"])
        if self.Sign(privateKey) != signature:
            raise Refused("signature-mismatch", "403")
        return {"publicKey": publicKey}


def Plain(value):
    if isinstance(value, dict):
        if "number" in value:
            return Num(value["number"])
        if "list" in value:
            return [Plain(v) for v in value["list"]]
        if len({n for n, _ in value["object"]}) < len(value["object"]):
            raise Refused("parameter-repeated", "a member")
        return {n: Plain(v) for n, v in value["object"]}
    return value


def Client(g):
    p = ParameterSet("parameter-null")
    for n, v in g["parameters"]:
        p.Add(n, Plain(v))
    return p


def ActionQuery(g, pub, pri):
    p = Client(g)
    p["Action"], p["PublicKey"]
    return {"query": "".join(UrlEncode(n) + "=" + UrlEncode(v) + "&" for n, v in p.Sorted()) + "Signature=" + p.Sign(pri)}


def Pairs(query):
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            yield UrlDecode(name, "query-malformed"), UrlDecode(value, "query-malformed")


def VerifyQuery(g, pub, pri):
    pairs = list(Pairs(g["query"]))
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "400")
    p = ParameterSet("query-malformed")
    for n, v in pairs:
        p.Add(n, v)
    return p.Check(dict(pairs).get("Signature"), pub, pri)


def JToken(value):
    if type(value) is str:
        m = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,7})?(Z|[+-]\d\d:\d\d)?", value, re.ASCII)
        if m:
            try:
                t = datetime.strptime(m[1], "%Y-%m-%dT%H:%M:%S")
                if m[2] and m[2] != "Z":
                    shift = timedelta(hours=int(m[2][1:3]), minutes=int(m[2][4:]))
                    t = t - shift if m[2][0] == "+" else t + shift
                return "%02d/%02d/%04d %02d:%02d:%02d" % (t.month, t.day, t.year, t.hour, t.minute, t.second)
            except (ValueError, OverflowError):
                pass
        return value
    if isinstance(value, list):
        return [JToken(v) for v in value]
    if isinstance(value, dict):
        return {n: JToken(v) for n, v in value.items()}
    return value


def Properties(pairs):
    if len({n for n, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a property")
    return dict(pairs)


def Constant(word):
    raise ValueError(word)


def VerifyJson(g, pub, pri):
    try:
        body = json.loads(g["body"], object_pairs_hook=Properties, parse_int=Num, parse_float=Num, parse_constant=Constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "400")
    if not isinstance(body, dict):
        raise Refused("body-malformed", "not an object")
    p = ParameterSet("body-malformed")
    for n, v in body.items():
        try:
            p.Add(n, JToken(v))
        except Refused as e:
            raise Refused("body-malformed", n) if e.args[0] == "number" else e
    return p.Check(body.get("Signature"), pub, pri)


def AbsolutePath(path):
    out = []
    segments = re.sub("%2[Ee]", ".", path).split("/")
    for i, s in enumerate(segments):
        last = i == len(segments) - 1
        if s == "..":
            out = out[:-1]
        elif s != ".":
            out.append(s)
        if last and s in (".", ".."):
            out.append("")
    return "/".join(out)


def Token(s, code):
    if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", s):
        raise Refused(code, s)
    return s


def VerifyUrl(g, pub, pri):
    method = Token(g["method"], "method").upper()
    headers = {}
    for n, v in g["headers"]:
        n = Token(n.strip(" \t"), "header-name").lower()
        v.encode("utf-8")
        v = re.sub("(?:[ \t]*\r?\n[ \t]+)+", " ", v).strip(" \t")
        if "\r" in v or "\n" in v or "\0" in v:
            raise Refused("header-value", n)
        headers[n] = headers[n] + "," + v if n in headers else v
    uri = re.fullmatch(r"https?://([^/?#]*)(/[^?#]*)(?:\?([^#]*))?", g["url"])
    if not uri:
        raise Refused("url-malformed", g["url"])
    bucket, _, host = uri[1].partition(".")
    if bucket == "" or host.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", uri[1])
    key = UrlDecode(AbsolutePath(uri[2][1:]), "url-malformed")
    query = {}
    for n, v in Pairs(uri[3] or ""):
        if n in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if n in query:
                raise Refused("parameter-repeated", n)
            query[n] = v
    if not query.get("Signature"):
        raise Refused("signature-missing", "401")
    if WORDS["publicKeyParameter"] not in query or "Expires" not in query:
        raise Refused("parameter-missing", "401")
    expires = query["Expires"]
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(g["now"]) > int(expires):
        raise Refused("expired", expires)
    if query[WORDS["publicKeyParameter"]] != pub:
        raise Refused("public-key-unknown", "401")
    text = method + "\n\n\n" + expires + "\n"
    for n in sorted(headers):
        if n.startswith(WORDS["headerPrefix"].lower()):
            text += n + ":" + headers[n] + "\n"
    text += "/" + bucket + "/" + key
    signature = base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()
    if not hmac.compare_digest(signature.encode(), query["Signature"].encode("utf-8")):
        raise Refused("signature-mismatch", "403")
    return {"publicKey": pub}


serve("azure-function", {
    "url-encode": lambda g, pub, pri: {"encoded": UrlEncode(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode()},
    "action-signature": lambda g, pub, pri: {"signature": Client(g).Sign(pri)},
    "action-query": ActionQuery,
    "verify-query": VerifyQuery,
    "verify-json": VerifyJson,
    "verify-presigned-url": VerifyUrl,
})
