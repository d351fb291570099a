"""AWS signature version 4's canonical headers and path, ported to this scheme.

1. Runs of blanks inside an extra header's value are collapsed to one space (trimall).
2. A Host header, when given among the headers, is signed as an extra header line.
3. Repeated slashes in the key are collapsed to one in the signed resource (path normalisation).
"""
import base64
import binascii
import hashlib
import hmac
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402


UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"


def uri_encode(text):
    return "".join(chr(b) if b in UNRESERVED else "%" + format(b, "02X") for b in text.encode("utf-8"))


class CanonicalRequest:
    def __init__(self, method, bucket, key, headers):
        if not re.fullmatch(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+", method):
            raise Refused("method", method)
        if not bucket or "/" in bucket:
            raise Refused("bucket", bucket)
        self.method, self.bucket, self.key = method.upper(), bucket, key
        self.headers = {}
        for name, value in headers:
            name = name.strip(" \t")
            if not re.fullmatch(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+", name):
                raise Refused("header-name", name)
            value.encode("utf-8")
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            self.headers.setdefault(name.lower(), []).append(value)

    def positional(self, name):
        values = self.headers.get(name, [""])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0]

    def signed_headers(self):
        return sorted(n for n in self.headers if n == "host" or n.startswith(WORDS["headerPrefix"].lower()))

    def text(self):
        rows = [self.method, self.positional("content-md5"), self.positional("content-type"), self.positional("date")]
        for name in self.signed_headers():
            rows.append(name + ":" + ",".join(re.sub("[ \t]+", " ", v) for v in self.headers[name]))
        rows.append("/" + self.bucket + "/" + re.sub("/+", "/", self.key))
        return "\n".join(rows)


def signature(pri, text):
    mac = hmac.new(pri.encode("utf-8"), digestmod=hashlib.sha1)
    mac.update(text.encode("utf-8"))
    return binascii.b2a_base64(mac.digest(), newline=False).decode()


def authorization(i, pub, pri):
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature(pri, CanonicalRequest(i["method"], i["bucket"], i["key"], i["headers"]).text())}


def policy_authorization(i, pub, pri):
    s = signature(pri, CanonicalRequest(i["method"], i["bucket"], i["key"], i["headers"]).text() + i["policy"])
    return {"authorization": WORDS["scheme"] + " " + ":".join([pub, s] + ([i["policy"]] if i["policy"] else []))}


def instant_upload(i, pub, pri):
    s = signature(pri, CanonicalRequest("POST", i["bucket"], i["key"], i["headers"]).text())
    query = "&".join(n + "=" + uri_encode(v) for n, v in (("Hash", i["etag"]), ("FileName", i["key"]), ("FileSize", i["size"])))
    return {"target": "/uploadhit?" + query, "authorization": WORDS["scheme"] + " " + pub + ":" + s}


if __name__ == "__main__":
    serve("sigv4-port", {"authorization": authorization, "policy-authorization": policy_authorization, "instant-upload": instant_upload})
