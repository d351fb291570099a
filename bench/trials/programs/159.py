#!/usr/bin/env python3
"""An SDK for the action API ported from Go: url.Values, map[string]interface{}, error values become exceptions.

Mistakes:
1. Encodes the query string (and url-encode) with Go's url.QueryEscape, which writes a space as +.
2. Builds the query with url.Values.Encode, so Signature stands at its sorted place and not last.
3. Numbers are float64 (encoding/json into interface{}), formatted without an exponent: digits beyond 2^53 are lost, in the
   signature and in what is sent.
"""
import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve  # noqa: E402


def QueryEscape(s):
    buf = bytearray()
    for c in s.encode("utf-8"):
        if c in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~":
            buf.append(c)
        elif c == 32:
            buf += b"+"
        else:
            buf += b"%%%02X" % c
    return buf.decode("ascii")


class Values(dict):
    def Encode(self):
        keys = sorted(self, key=lambda k: k.encode("utf-8"))
        return "&".join(QueryEscape(k) + "=" + QueryEscape(self[k]) for k in keys)


def FormatFloat(f):
    """strconv.FormatFloat(f, 'f', -1, 64)"""
    s = format(Decimal(repr(f)), "f")
    if "." in s:
        s = s.rstrip("0").rstrip(".")
    return "0" if s in ("-0", "") else s


def ParseFloat(s):
    if re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", s) is None:
        raise Refused("number", s)
    f = float(s)
    if f - f != 0:
        raise Refused("number", "value out of range")
    return f


class Request:
    def __init__(self, parameters):
        self.values = Values()
        self.kinds = {}
        for name, v in parameters:
            self.add(name, v)

    def add(self, name, v):
        if v is None:
            raise Refused("parameter-null", name + " is nil")
        if v is True or v is False:
            self.set(name, "true" if v else "false", "bool")
        elif type(v) is str:
            self.set(name, v, "string")
        elif "number" in v:
            self.set(name, FormatFloat(ParseFloat(v["number"])), "float64")
        elif "list" in v:
            for i in range(len(v["list"])):
                self.add("%s.%d" % (name, i), v["list"][i])
        else:
            for member, item in v["object"]:
                self.add(name + "." + member, item)

    def set(self, name, text, kind):
        if name == "Signature":
            return
        if name in self.values:
            raise Refused("parameter-repeated", name)
        self.values[name] = text
        self.kinds[name] = kind

    def Sign(self, privateKey):
        h = hashlib.sha1()
        for k in sorted(self.values, key=lambda k: k.encode("utf-8")):
            h.update(k.encode("utf-8"))
            h.update(self.values[k].encode("utf-8"))
        h.update(privateKey.encode("utf-8"))
        return h.hexdigest()

    def Check(self, *names):
        for name in names:
            if name not in self.values:
                raise Refused("parameter-missing", name)


def actionSignature(o, pub, pri):
    return {"signature": Request(o["parameters"]).Sign(pri)}


def signedQuery(r, pri):
    r.Check("Action", "PublicKey")
    v = Values(r.values)
    v["Signature"] = r.Sign(pri)
    return v.Encode()


def actionQuery(o, pub, pri):
    return {"query": signedQuery(Request(o["parameters"]), pri)}


def bucketRequest(o, pub, pri):
    r = Request(o["parameters"])
    query = signedQuery(r, pri)
    if r.values["Action"] == "CreateBucket":
        r.Check("Type", "BucketName")
    return {"target": "/?" + query}


def actionJson(o, pub, pri):
    r = Request(o["parameters"])
    r.Check("Action", "PublicKey")
    out = []
    for k in sorted(r.values):
        out.append(json.dumps(k) + ":" + (json.dumps(r.values[k]) if r.kinds[k] == "string" else r.values[k]))
    out.append('"Signature":"' + r.Sign(pri) + '"')
    return {"body": "{" + ",".join(out) + "}"}


serve("go-port", {
    "url-encode": lambda o, pub, pri: {"encoded": QueryEscape(o["text"])},
    "password": lambda o, pub, pri: {"value": base64.b64encode(o["text"].encode()).decode()},
    "action-signature": actionSignature,
    "action-json": actionJson,
    "action-query": actionQuery,
    "bucket-request": bucketRequest,
})
