"""An iOS library in Swift (Foundation).

1. FileName and Hash of instant upload are escaped with .urlQueryAllowed, which leaves &, =, + and others in the query as they are.
2. The key is put into Unicode form NFC in the signed resource (precomposedStringWithCanonicalMapping), but sent as given.
3. A HEAD request is pre-signed as GET.
"""
import base64
import hashlib
import hmac
import re
import unicodedata
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402


QUERY_ALLOWED = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?")
STRICT = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def adding_percent_encoding(text, allowed):
    return "".join(c if c in allowed else "".join("%%%02X" % b for b in c.encode("utf-8")) for c in text)


class Request:
    def __init__(self, method, bucket, key, headers):
        self.fields = {}
        for name, value in headers:
            name = name.strip(" \t").lower()
            if not re.fullmatch("[a-z0-9!#$%&'*+.^_`|~-]+", name):
                raise Refused("header-name", name)
            value.encode("utf-8")
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            self.fields.setdefault(name, []).append(value)
        if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
            raise Refused("method", method)
        if not bucket or "/" in bucket:
            raise Refused("bucket", bucket)
        self.method, self.bucket, self.key = method.upper(), bucket, key

    def value(self, name):
        values = self.fields.get(name) or [""]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0]

    def sign(self, secret, expires=None):
        if expires is None:
            head = [self.method, self.value("content-md5"), self.value("content-type"), self.value("date")]
        else:
            head = ["GET" if self.method == "HEAD" else self.method, "", "", expires]
        names = sorted(n for n in self.fields if n.startswith(WORDS["headerPrefix"].lower()))
        extra = "".join(n + ":" + ",".join(self.fields[n]) + "\n" for n in names)
        text = "\n".join(head) + "\n" + extra + "/" + self.bucket + "/" + unicodedata.normalize("NFC", self.key)
        return base64.b64encode(hmac.new(secret.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def authorization(i, pub, pri):
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + Request(i["method"], i["bucket"], i["key"], i["headers"]).sign(pri)}


def presigned_url(i, pub, pri):
    s = Request(i["method"], i["bucket"], i["key"], i["headers"]).sign(pri, i["expires"])
    items = [(WORDS["publicKeyParameter"], pub), ("Expires", i["expires"]), ("Signature", s)]
    return {"url": "%s://%s.%s/%s?%s" % (i["scheme"], i["bucket"], i["fileHost"], adding_percent_encoding(i["key"], STRICT | {"/"}),
                                         "&".join(n + "=" + adding_percent_encoding(v, STRICT) for n, v in items))}


def instant_upload(i, pub, pri):
    s = Request("POST", i["bucket"], i["key"], i["headers"]).sign(pri)
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (adding_percent_encoding(i["etag"], QUERY_ALLOWED), adding_percent_encoding(i["key"], QUERY_ALLOWED), i["size"]),
            "authorization": WORDS["scheme"] + " " + pub + ":" + s}


if __name__ == "__main__":
    serve("swift", {"authorization": authorization, "presigned-url": presigned_url, "instant-upload": instant_upload})
