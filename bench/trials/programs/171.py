#!/usr/bin/env python3
"""An upload helper ported from Kotlin with OkHttp: callback policies and instant upload.

Mistakes:
1. OkHttp's RequestBody adds "; charset=utf-8" to a text/ Content-Type without charset, and the helper signs the type so.
2. Signs an instant upload on the percent-encoded file name instead of the name itself.
3. Leaves members with an empty value out of the policy.
4. Adds the policy to the signed text only for PUT; with any other method the policy is sent but not signed.
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

TOKEN = re.compile(r"[-A-Za-z0-9!#$%&'*+.^_`|~]+")


def encode(s):
    return "".join(c if re.fullmatch(r"[A-Za-z0-9._~-]", c) else "".join("%%%02X" % b for b in c.encode("utf-8")) for c in s)


def media_type(v):
    if v.lower().startswith("text/") and "charset=" not in v.lower():
        return v + "; charset=utf-8"
    return v


class Signer:
    def __init__(self, pub, pri):
        self.pub, self.pri = pub, pri

    def text(self, method, bucket, key, headers):
        rows = []
        for n, v in headers:
            n = n.strip(" \t")
            if not TOKEN.fullmatch(n):
                raise Refused("header-name", n)
            v.encode("utf-8")
            v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
            if set(v) & set("\r\n\0"):
                raise Refused("header-value", n)
            rows.append((n.lower(), v))
        if not TOKEN.fullmatch(method):
            raise Refused("method", method)
        if not bucket or "/" in bucket:
            raise Refused("bucket", bucket)
        head = [method.upper()]
        for wanted in ("content-md5", "content-type", "date"):
            found = [v for n, v in rows if n == wanted]
            if len(found) > 1:
                raise Refused("header-repeated", wanted)
            v = found[0] if found else ""
            head.append(media_type(v) if wanted == "content-type" else v)
        prefix = WORDS["headerPrefix"].lower()
        names = sorted({n for n, v in rows if n.startswith(prefix)})
        extra = "".join(n + ":" + ",".join(v for m, v in rows if m == n) + "\n" for n in names)
        return "\n".join(head) + "\n" + extra + "/" + bucket + "/" + key

    def header(self, text):
        mac = hmac.new(self.pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
        return WORDS["scheme"] + " " + self.pub + ":" + base64.b64encode(mac.digest()).decode("ascii")


def policy(given, pub, pri):
    rows = [(n, v) for n, v in given["members"] if v != ""]
    js = ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in rows)
    return {"policy": base64.urlsafe_b64encode(("{" + js + "}").encode("utf-8")).decode("ascii")}


def policy_authorization(given, pub, pri):
    s = Signer(pub, pri)
    t = s.text(given["method"], given["bucket"], given["key"], given["headers"])
    p = given["policy"]
    a = s.header(t + p if given["method"].upper() == "PUT" else t)
    return {"authorization": a + ":" + p if p else a}


def instant(given, pub, pri):
    name = encode(given["key"])
    a = Signer(pub, pri).header(Signer(pub, pri).text("POST", given["bucket"], name, given["headers"]))
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (encode(given["etag"]), name, encode(given["size"])), "authorization": a}


serve("kotlin-upload", {"policy": policy, "policy-authorization": policy_authorization, "instant-upload": instant})
