#!/usr/bin/env python3
"""A Spring filter that verifies file requests and action queries, with the client's signing next to it.

Mistakes:
1. Content-Type is MediaType.parseMediaType(type).toString(): lower case and without spaces around the semicolon, so
   'text/plain; charset=utf-8' is signed and verified as 'text/plain;charset=utf-8'.
2. Parts of the credentials after the second are ignored: a policy is not verified, and anything is accepted in its place.
3. Signatures are compared with equalsIgnoreCase, in Authorization and in queries.
4. Query values are trimmed before verification (StringTrimmerEditor).
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def media_type(value):
    match = re.fullmatch(r"(%s/%s)((?:[ \t]*;[ \t]*%s=%s)*)" % (TOKEN, TOKEN, TOKEN, TOKEN), value)
    if not match:
        return value
    return match[1].lower() + "".join(";" + x.strip(" \t") for x in match[2].split(";")[1:])


def trimmed(value):
    return value.strip("".join(map(chr, range(33))))


def equals(a, b):
    return a.lower() == b.lower()


def parts_of(rest):
    parts = rest.split(":")
    if len(parts) < 2 or not parts[0] or not parts[1] or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", rest)
    return parts[0], parts[1], None


def policy_suffix(policy, method):
    return ""


class ServletRequest:
    def __init__(self, given):
        self.headers = []
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if not re.fullmatch(TOKEN, name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", name)
            self.headers.append((name.lower(), value))
        if not re.fullmatch(TOKEN, given["method"]):
            raise Refused("method", given["method"])
        if not given["bucket"] or "/" in given["bucket"]:
            raise Refused("bucket", given["bucket"])
        self.method, self.resource = given["method"].upper(), "/" + given["bucket"] + "/" + given["key"]

    def get_headers(self, name):
        return [v for n, v in self.headers if n == name]

    def get_header(self, name):
        values = self.get_headers(name)
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def string_to_sign(self):
        names = sorted({n for n, _ in self.headers if n.startswith(WORDS["headerPrefix"].lower())})
        return "\n".join([self.method, self.get_header("content-md5"), media_type(self.get_header("content-type")), self.get_header("date")]
                         + [n + ":" + ",".join(self.get_headers(n)) for n in names] + [self.resource])


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def authorization(given, pub, pri):
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, mac(ServletRequest(given).string_to_sign(), pri))}


def verify_authorization(given, pub, pri):
    request = ServletRequest(given)
    text = request.string_to_sign()
    values = request.get_headers("authorization")
    if not values:
        raise Refused("authorization-missing", "no header")
    if len(values) > 1 or not values[0].startswith(WORDS["scheme"] + " "):
        raise Refused("authorization-malformed", "not one of the scheme")
    public_key, signature, policy = parts_of(values[0][len(WORDS["scheme"]) + 1:])
    suffix = policy_suffix(policy, request.method)
    if public_key != pub:
        raise Refused("public-key-unknown", public_key)
    if not equals(mac(text + suffix, pri), signature):
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": pub}


def url_decode(text):
    out, i = bytearray(), 0
    while i < len(text):
        if text[i] == "%":
            if not re.fullmatch("[0-9A-Fa-f]{2}", text[i + 1:i + 3]):
                raise Refused("query-malformed", text)
            out.append(int(text[i + 1:i + 3], 16))
            i += 3
        else:
            out += text[i].encode("utf-8")
            i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def verify_query(given, pub, pri):
    parameters = {}
    for piece in filter(None, given["query"].split("&")):
        name, _, value = piece.partition("=")
        name, value = url_decode(name), trimmed(url_decode(value))
        if name in parameters:
            raise Refused("parameter-repeated", name)
        parameters[name] = value
    signature = parameters.pop("Signature", "")
    if not signature:
        raise Refused("signature-missing", "no Signature")
    for name in ("Action", "PublicKey"):
        if name not in parameters:
            raise Refused("parameter-missing", name)
    if parameters["PublicKey"] != pub:
        raise Refused("public-key-unknown", parameters["PublicKey"])
    digest = hashlib.sha1()
    for name in sorted(parameters, key=lambda n: n.encode("utf-8")):
        digest.update((name + parameters[name]).encode("utf-8"))
    digest.update(pri.encode("utf-8"))
    if not equals(digest.hexdigest(), signature):
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": pub}


serve("spring-filter", {"authorization": authorization, "verify-authorization": verify_authorization, "verify-query": verify_query})
