#!/usr/bin/env python3
r"""The file half of an SDK that was first a Go package, made by somebody who had just finished a client for S3: PUT and other calls, form upload,
callback policies, instant upload, pre-signed links.

Mistakes:
1. Reads every header with http.Header.Get, which returns the first value: of an extra header that is there several times (in any case of letters) only
   the first value is signed. Two Content-Type, Date or Content-MD5 headers are still refused.
2. Unfolds with strings.Replace(v, "\r\n ", " ", 1) and its cousins, that is, only the first fold of a value. What follows a second fold keeps its line
   break and blanks in the signed text.
3. Trims header values with strings.TrimSpace, which removes every Unicode white space at both ends, for example a no-break space (U+00A0)
   or an ideographic space (U+3000), not only space and tab.
4. Instant upload: FileName in the target is path.Base(key), the part after the last slash (a key that ends in slashes loses them first; an
   empty key gives "." and a key of slashes gives "/"). The signature is over the whole key.
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
from serving import WORDS, Refused, serve  # noqa: E402

TCHAR = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
UNRESERVED = frozenset(b"-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
GO_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
FOLD = re.compile(r"[ \t]*(?:\r?\n[ \t]+)+")


def escape(text):
    return "".join(chr(c) if c in UNRESERVED else "%{:02X}".format(c) for c in text.encode())


def is_token(text):
    return text != "" and TCHAR.issuperset(text)


def trim_space(text):
    return text.strip(GO_SPACE)


def validate(value):
    """What net/http would refuse, after folds are gone."""
    value.encode()
    if any(c in FOLD.sub(" ", value).strip(" \t") for c in "\r\n\0"):
        raise Refused("header-value", "invalid header field value")


def unfold(value):
    return FOLD.sub(" ", value, count=1)


class Header(dict):
    """textproto.MIMEHeader: lower-case name -> values."""

    def __init__(self, pairs):
        super().__init__()
        for name, value in pairs:
            name = name.strip(" \t")
            if not is_token(name):
                raise Refused("header-name", "invalid header field name")
            validate(value)
            self.setdefault(name.lower(), []).append(trim_space(unfold(value.strip(" \t"))))

    def get(self, name):
        return self[name][0] if name in self else ""

    def positional(self, name):
        if len(self.get_all(name)) > 1:
            raise Refused("header-repeated", name)
        return self.get(name)

    def get_all(self, name):
        return self[name] if name in self else []

    def amz(self):
        """The name is from the S3 client."""
        prefix = WORDS["headerPrefix"].lower()
        return "".join(name + ":" + self.get(name) + "\n" for name in sorted(self) if name.startswith(prefix))


def check_method(method):
    if not is_token(method):
        raise Refused("method", "net/http: invalid method")
    return method.upper()


def check_bucket(bucket):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", "invalid bucket name")


class Signer:
    def __init__(self, pub, pri):
        self.pub, self.pri = pub, pri.encode()

    def sign(self, method, md5, mime, date, header, bucket, key, policy=""):
        check_bucket(bucket)
        text = "\n".join([method, md5, mime, date, header.amz() + "/" + bucket + "/" + key + policy])
        return base64.b64encode(hmac.new(self.pri, text.encode(), hashlib.sha1).digest()).decode()

    def request(self, method, header, bucket, key, policy=""):
        signature = self.sign(method, header.positional("content-md5"), header.positional("content-type"), header.positional("date"), header,
                              bucket, key, policy)
        self.pub.encode()
        return WORDS["scheme"] + " " + self.pub + ":" + signature + (":" + policy if policy else "")


def do(given, pub, pri):
    header = Header(given["headers"])
    method = check_method(given["method"])
    return {"authorization": Signer(pub, pri).request(method, header, given["bucket"], given["key"], given.get("policy", ""))}


def post_form(given, pub, pri):
    header = Header(given["headers"])

    def form_value(name):
        values = []
        for field, value in given["fields"]:
            if field == name:
                validate(value)
                values.append(trim_space(unfold(value.strip(" \t"))))
        return values

    def single(values, name):
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""
    mime, sums = form_value("Content-Type"), form_value("Content-MD5")
    md5 = header.positional("content-md5") if "content-md5" in header else single(sums, "Content-MD5")
    signer = Signer(pub, pri)
    signature = signer.sign("POST", md5, single(mime, "Content-Type"), header.positional("date"), header, given["bucket"], given["key"])
    pub.encode()
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature}


def put_policy(given, pub, pri):
    members = ["{}:{}".format(json.dumps(name, ensure_ascii=False), json.dumps(value, ensure_ascii=False)) for name, value in given["members"]]
    return {"policy": base64.urlsafe_b64encode(("{" + ",".join(members) + "}").encode()).decode()}


def path_base(key):
    if key == "":
        return "."
    key = key.rstrip("/")
    return key.rsplit("/", 1)[-1] or "/"


def upload_hit(given, pub, pri):
    header = Header(given["headers"])
    authorization = Signer(pub, pri).request("POST", header, given["bucket"], given["key"])
    query = "Hash=" + escape(given["etag"]) + "&FileName=" + escape(path_base(given["key"])) + "&FileSize=" + escape(given["size"])
    return {"target": "/uploadhit?" + query, "authorization": authorization}


def presign(given, pub, pri):
    header = Header(given["headers"])
    method = check_method(given["method"])
    signature = Signer(pub, pri).sign(method, "", "", given["expires"], header, given["bucket"], given["key"])
    path = "/".join(map(escape, given["key"].split("/")))
    query = (WORDS["publicKeyParameter"], escape(pub), escape(given["expires"]), escape(signature))
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + path + "?%s=%s&Expires=%s&Signature=%s" % query}


serve("go-files", {"authorization": do, "policy-authorization": do, "form-authorization": post_form, "policy": put_policy,
                   "instant-upload": upload_hit, "presigned-url": presign})
