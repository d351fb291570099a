#!/usr/bin/env python3
"""A Swift uploader (Foundation, JSONEncoder, addingPercentEncoding).

Mistakes:
1. Encodes with CharacterSet.alphanumerics, so "-", "_", "." and "~" are percent-encoded too, in url-encode and in the query of a pre-signed URL (the path uses another set and is right there).
2. A key that changes when its percent-escapes are removed is taken as encoded already: the path of a pre-signed URL shows it as it is, not encoded (the signature covers the raw key).
3. The policy's JSON is written by a JSONEncoder: slashes are escaped as "\\/".
4. The Base64 of a policy has no "=" padding; policy-authorization also removes "=" from the end of the policy it is given, in the signed text and in the header.
5. Content-MD5 is found only if the header is spelled exactly Content-MD5 or content-md5, when the Authorization header is signed.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

alphanumerics = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
pathAllowed = alphanumerics | set(b"-_.~/")


def addingPercentEncoding(s, allowed):
    return "".join(chr(b) if b in allowed else "%%%02X" % b for b in s.encode("utf-8"))


def removingPercentEncoding(s):
    """None if the escapes are not valid."""
    if re.search("%(?![0-9a-fA-F]{2})", s):
        return None
    raw = re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), s.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def encodedPath(key):
    plain = removingPercentEncoding(key)
    if plain is not None and plain != key:
        return key
    return addingPercentEncoding(key, pathAllowed)


class HTTPFields:
    def __init__(self, pairs):
        self.all = []
        for name, value in pairs:
            name = name.strip(" \t")
            if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.A):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
            if any(c in value for c in "\r\n\0"):
                raise Refused("header-value", name)
            value.encode("utf-8")
            self.all.append((name, value))

    def value(self, *spellings, anyCase=True):
        found = [v for n, v in self.all if (n.lower() if anyCase else n) in spellings]
        if len(found) > 1:
            raise Refused("header-repeated", spellings[0])
        return found[0] if found else ""

    def canonical(self):
        grouped = {}
        for n, v in self.all:
            if n.lower().startswith(WORDS["headerPrefix"].lower()):
                grouped.setdefault(n.lower(), []).append(v)
        return "".join(n + ":" + ",".join(grouped[n]) + "\n" for n in sorted(grouped))


def checked(o):
    if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", o["method"], re.A):
        raise Refused("method", o["method"])
    if not o["bucket"] or "/" in o["bucket"]:
        raise Refused("bucket", o["bucket"])
    return o["method"].upper()


def sign(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode()


def stringToSign(o):
    f = HTTPFields(o["headers"])
    verb = checked(o)
    return "\n".join([verb, f.value("Content-MD5", "content-md5", anyCase=False), f.value("content-type"), f.value("date"),
                      f.canonical() + "/%s/%s" % (o["bucket"], o["key"])])


def token(text, pub, pri):
    pub.encode("utf-8")
    return "%s %s:%s" % (WORDS["scheme"], pub, sign(text, pri))


def authorization(o, pub, pri):
    return {"authorization": token(stringToSign(o), pub, pri)}


def policyAuthorization(o, pub, pri):
    policy = o["policy"].rstrip("=")
    header = token(stringToSign(o) + policy, pub, pri)
    return {"authorization": header + ":" + policy if policy else header}


def policy(o, pub, pri):
    members = [json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in o["members"]]
    data = "{" + ",".join(members).replace("/", "\\/") + "}"
    return {"policy": base64.urlsafe_b64encode(data.encode("utf-8")).decode().rstrip("=")}


def presigned(o, pub, pri):
    f = HTTPFields(o["headers"])
    verb = checked(o)
    text = verb + "\n\n\n" + o["expires"] + "\n" + f.canonical() + "/" + o["bucket"] + "/" + o["key"]
    items = [(WORDS["publicKeyParameter"], pub), ("Expires", o["expires"]), ("Signature", sign(text, pri))]
    query = "&".join(n + "=" + addingPercentEncoding(v, alphanumerics) for n, v in items)
    return {"url": o["scheme"] + "://" + o["bucket"] + "." + o["fileHost"] + "/" + encodedPath(o["key"]) + "?" + query}


serve("swift-uploader", {
    "url-encode": lambda o, pub, pri: {"encoded": addingPercentEncoding(o["text"], alphanumerics)},
    "authorization": authorization,
    "policy": policy,
    "policy-authorization": policyAuthorization,
    "presigned-url": presigned,
})
