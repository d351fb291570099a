#!/usr/bin/env python3
"""A Perl module: hashes, MIME::Base64, numbers as Perl holds them, and a small CGI that verifies.

Mistakes:
1. Tests header values for truth: Content-MD5, Content-Type or Date with the value 0 signs as if it were absent, and the values "" and 0
   of extra headers are left out (without another value, the whole header is), when signing and verifying.
2. A number that is not an integer from -2**63 to 2**64 - 1, or that is written with a point or an exponent, becomes a double, signed and
   sent as %.15g writes it: at most 15 digits, and an exponent from 1e+15 on and below 0.0001; one beyond the doubles is refused.
3. encode_base64 is called without its second argument for the password and the policy: a line feed follows every 76 characters and the
   end.
4. verify-authorization accepts an Authorization that contains "<public key>:<signature>" anywhere: any scheme before it and any text
   after it pass, and a callback policy is never part of the signed text.
"""
import base64
import hashlib
import hmac
import json
import math
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


def true(s):
    return s != "" and s != "0"


def uri_escape(s):
    return re.sub(rb"[^A-Za-z0-9\-._~]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8")).decode("ascii")


def encode_base64(data, eol="\n"):
    text = base64.b64encode(data).decode("ascii")
    return "".join(text[i:i + 76] + eol for i in range(0, len(text), 76))


def numify(s):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", s):
        raise Refused("number", s + " isn't numeric")
    if re.fullmatch("-?[0-9]{1,20}", s) and -2 ** 63 <= int(s) < 2 ** 64:
        return str(int(s))
    nv = float(s)
    if math.isinf(nv):
        raise Refused("number", "Inf")
    return "%.15g" % nv if nv else "0"


def flatten(h, name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, dict) and "list" in v:
        for i in range(len(v["list"])):
            flatten(h, "%s.%s" % (name, i), v["list"][i])
        return
    if isinstance(v, dict) and "object" in v:
        for k, x in v["object"]:
            flatten(h, "%s.%s" % (name, k), x)
        return
    if name == "Signature":
        return
    if name in h:
        raise Refused("parameter-repeated", name)
    if v is True:
        h[name] = ["true", "true"]
    elif v is False:
        h[name] = ["false", "false"]
    elif isinstance(v, str):
        h[name] = [v, json.dumps(v)]
    else:
        h[name] = [numify(v["number"])] * 2


def params(g, *needed):
    h = {}
    for name, v in g["parameters"]:
        flatten(h, name, v)
    for name in needed:
        if name not in h:
            raise Refused("parameter-missing", name)
    return h


def keys(h):
    return sorted(h, key=lambda k: k.encode("utf-8"))


def sha1_hex(h, secret):
    return hashlib.sha1(("".join(k + h[k][0] for k in keys(h)) + secret).encode("utf-8")).hexdigest()


def query(h, secret):
    pairs = ["%s=%s" % (uri_escape(k), uri_escape(h[k][0])) for k in keys(h)]
    pairs.append("Signature=" + sha1_hex(h, secret))
    return "&".join(pairs)


def action_json(g, pub, pri):
    h = params(g, "Action", "PublicKey")
    pairs = ["%s:%s" % (json.dumps(k), h[k][1]) for k in keys(h)]
    pairs.append('"Signature":"%s"' % sha1_hex(h, pri))
    return {"body": "{%s}" % ",".join(pairs)}


def bucket_request(g, pub, pri):
    h = params(g, "Action", "PublicKey")
    if h["Action"][0] == "CreateBucket":
        params(g, "Type", "BucketName")
    return {"target": "/?" + query(h, pri)}


TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def headers(g):
    h = {}
    for name, v in g["headers"]:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
        v = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", v)
        v = re.sub(r"\A[ \t]+|[ \t]+\Z", "", v)
        v.encode("utf-8")
        if re.search(r"[\r\n\0]", v):
            raise Refused("header-value", name)
        h.setdefault(name.lower(), []).append(v)
    return h


def scalar(h, name):
    v = h.get(name, [""])
    if len(v) > 1:
        raise Refused("header-repeated", name)
    return v[0] if true(v[0]) else ""


def string_to_sign(g, h):
    if not re.fullmatch(TOKEN, g["method"]):
        raise Refused("method", g["method"])
    if g["bucket"] == "" or "/" in g["bucket"]:
        raise Refused("bucket", g["bucket"])
    s = "\n".join([g["method"].upper()] + [scalar(h, n) for n in ("content-md5", "content-type", "date")]) + "\n"
    for name in sorted(n for n in h if n.startswith(WORDS["headerPrefix"].lower())):
        values = [v for v in h[name] if true(v)]
        if values:
            s += name + ":" + ",".join(values) + "\n"
    return s + "/" + g["bucket"] + "/" + g["key"]


def hmac_sha1(s, secret):
    return encode_base64(hmac.new(secret.encode("utf-8"), s.encode("utf-8"), hashlib.sha1).digest(), "")


def authorization(g, pub, pri):
    pub.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, hmac_sha1(string_to_sign(g, headers(g)), pri))}


def policy_authorization(g, pub, pri):
    pub.encode("utf-8")
    value = "%s %s:%s" % (WORDS["scheme"], pub, hmac_sha1(string_to_sign(g, headers(g)) + g["policy"], pri))
    return {"authorization": value + ":" + g["policy"] if len(g["policy"]) else value}


def policy(g, pub, pri):
    def string(s):
        return json.dumps(s, ensure_ascii=False)

    text = "{" + ",".join(string(n) + ":" + string(v) for n, v in g["members"]) + "}"
    return {"policy": encode_base64(text.encode("utf-8")).replace("+", "-").replace("/", "_")}


def etag(g, pub, pri):
    data, step = content(g["content"]), 4194304
    sums = []
    for at in range(0, len(data), step):
        sums.append(hashlib.sha1(data[at:at + step]).digest())
    digest = hashlib.sha1(b"".join(sums)).digest() if len(sums) > 1 else hashlib.sha1(data).digest()
    return {"etag": encode_base64(len(sums).to_bytes(4, "little") + digest, "").replace("+", "-").replace("/", "_")}


def verify_authorization(g, pub, pri):
    h = headers(g)
    good = pub + ":" + hmac_sha1(string_to_sign(g, h), pri)
    given = h.get("authorization", [])
    if not given:
        raise Refused("authorization-missing", "no Authorization")
    if len(given) > 1:
        raise Refused("authorization-malformed", "two Authorizations")
    if good in given[0]:
        return {"publicKey": pub}
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^: \t]+):([^: \t]+)(:[^: \t]+)?", given[0])
    if m is None:
        raise Refused("authorization-malformed", given[0])
    if m[1] != pub:
        raise Refused("public-key-unknown", m[1])
    if m[3] and g["method"].upper() not in ("PUT", "POST"):
        raise Refused("authorization-malformed", "a third part")
    raise Refused("signature-mismatch", "expected another one")


serve("perl", {
    "url-encode": lambda g, pub, pri: {"encoded": uri_escape(g["text"])},
    "password": lambda g, pub, pri: {"value": encode_base64(g["text"].encode("utf-8"))},
    "action-signature": lambda g, pub, pri: {"signature": sha1_hex(params(g), pri)},
    "action-query": lambda g, pub, pri: {"query": query(params(g, "Action", "PublicKey"), pri)},
    "action-json": action_json,
    "bucket-request": bucket_request,
    "authorization": authorization,
    "policy": policy,
    "policy-authorization": policy_authorization,
    "etag": etag,
    "verify-authorization": verify_authorization,
})
