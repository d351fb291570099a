"""Aliyun OSS client, adapted (one class, method per operation).

1. A PUT or POST without a Content-Type header is signed with application/octet-stream (authorization and policy-authorization).
2. Only extra headers whose prefix is written exactly as in the dialect or all in lower case are signed; X-SVC- is ignored.
3. A repeated extra header gives one line for each value, instead of one line with values joined by commas.
4. The policy is encoded in standard Base64 instead of the URL-safe alphabet.
"""
import base64
import hashlib
import hmac
import json
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402



class Bucket:
    token = re.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+")

    def __init__(self, pub, pri, bucket):
        if not bucket or "/" in bucket:
            self.bad = True
        else:
            self.bad = False
        self.pub, self.pri, self.bucket = pub, pri, bucket

    def _headers(self, headers):
        out = []
        for name, value in headers:
            name = name.strip(" \t")
            if not self.token.fullmatch(name):
                raise Refused("header-name", name)
            value.encode()
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            out.append((name, value))
        return out

    def _extra(self, headers):
        prefix = WORDS["headerPrefix"]
        picked = [(n.lower(), v) for n, v in headers if n.startswith(prefix) or n.startswith(prefix.lower())]
        picked.sort(key=lambda pair: pair[0])
        return "".join(n + ":" + v + "\n" for n, v in picked)

    def _get(self, headers, name, default=""):
        values = [v for n, v in headers if n.lower() == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else default

    def _method(self, method):
        if not self.token.fullmatch(method):
            raise Refused("method", method)
        if self.bad:
            raise Refused("bucket", self.bucket)
        return method.upper()

    def _hmac(self, text):
        return base64.b64encode(hmac.new(self.pri.encode(), text.encode(), hashlib.sha1).digest()).decode()

    def string(self, method, key, headers):
        headers = self._headers(headers)
        method = self._method(method)
        default = "application/octet-stream" if method in ("PUT", "POST") else ""
        return "\n".join([method, self._get(headers, "content-md5"), self._get(headers, "content-type", default),
                          self._get(headers, "date"), self._extra(headers) + "/" + self.bucket + "/" + key])

    def authorization(self, method, key, headers, policy=""):
        value = WORDS["scheme"] + " " + self.pub + ":" + self._hmac(self.string(method, key, headers) + policy)
        return {"authorization": value + (":" + policy if policy else "")}

    def sign_url(self, method, key, headers, expires, scheme, host):
        headers = self._headers(headers)
        text = "\n".join([self._method(method), "", "", expires, self._extra(headers) + "/" + self.bucket + "/" + key])
        query = [(WORDS["publicKeyParameter"], self.pub), ("Expires", expires), ("Signature", self._hmac(text))]
        return {"url": scheme + "://" + self.bucket + "." + host + "/" + "/".join(map(enc, key.split("/"))) + "?" + "&".join(n + "=" + enc(v) for n, v in query)}


def enc(text):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], text.encode()).decode()


def policy(i, pub, pri):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in i["members"]) + "}"
    return {"policy": base64.standard_b64encode(text.encode()).decode()}


if __name__ == "__main__":
    serve("oss-port", {
        "authorization": lambda i, pub, pri: Bucket(pub, pri, i["bucket"]).authorization(i["method"], i["key"], i["headers"]),
        "policy-authorization": lambda i, pub, pri: Bucket(pub, pri, i["bucket"]).authorization(i["method"], i["key"], i["headers"], i["policy"]),
        "presigned-url": lambda i, pub, pri: Bucket(pub, pri, i["bucket"]).sign_url(i["method"], i["key"], i["headers"], i["expires"], i["scheme"], i["fileHost"]),
        "policy": policy})
