#!/usr/bin/env python3
"""An Android developer's upload library in Kotlin on OkHttp, ported from the company's Tencent COS library.

Mistakes:
1. The headers are put into a TreeMap by their lower-case names: of a repeated extra header only the last value is signed.
2. Because of the same map a repeated Content-Type, Content-MD5 or Date is not refused; the last one is signed.
3. The values of extra headers are URL-encoded in the signed text, as COS does with its HttpHeaders.
4. The path of a pre-signed URL is URLEncoder.encode with %2F turned back into a slash: a space of the key becomes a plus sign (and * stays, ~ becomes %7E).
5. The policy is made with Base64.URL_SAFE without NO_WRAP: a line feed after every 76 characters and at the end.
6. A form's Content-Type of text without a charset gets "; charset=utf-8" before it is signed, as OkHttp does with a text body.
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

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def strict_escape(s):
    return "".join(chr(c) if c < 128 and (chr(c).isalnum() or chr(c) in "-_.~") else "%%%02X" % c for c in s.encode("utf-8"))


def url_encoder(s):
    """java.net.URLEncoder"""
    return "".join("+" if c == 32 else chr(c) if c < 128 and (chr(c).isalnum() or chr(c) in "-_.*") else "%%%02X" % c for c in s.encode("utf-8"))


def clean(value):
    """A header value without folds and outer blanks."""
    rows = re.split(r"\r?\n", value)
    if len(rows) > 1 and all(row[:1] in (" ", "\t") and row[:1] for row in rows[1:]):
        kept = [rows[0].rstrip(" \t")] + [row.strip(" \t") for row in rows[1:]]
        value = " ".join([kept[0]] + [row for row in kept[1:-1] if row] + [kept[-1]])
    value = value.strip(" \t")
    value.encode("utf-8")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "Unexpected char in header value")
    return value


def tree_map(pairs):
    headers = {}
    for name, value in pairs:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", "Unexpected char in header name")
        headers[name.lower()] = clean(value)
    return dict(sorted(headers.items()))


def method_of(text):
    if not TOKEN.fullmatch(text):
        raise Refused("method", "bad method")
    return text.upper()


def bucket_of(text):
    if text == "" or "/" in text:
        raise Refused("bucket", "bad bucket name")
    return text


class StringToSign:
    def __init__(self, method, bucket, key, headers):
        self.method, self.headers = method_of(method), headers
        self.resource = "/" + bucket_of(bucket) + "/" + key
        self.md5, self.type, self.date = (headers.get(n, "") for n in ("content-md5", "content-type", "date"))

    def extra(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join("%s:%s\n" % (n, strict_escape(v)) for n, v in self.headers.items() if n.startswith(prefix))

    def __str__(self):
        return "\n".join([self.method, self.md5, self.type, self.date, self.extra() + self.resource])


def sign(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), str(text).encode("utf-8"), hashlib.sha1).digest()).decode()


def header(pub, signature):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + signature


def authorization(given, pub, pri):
    return {"authorization": header(pub, sign(StringToSign(given["method"], given["bucket"], given["key"], tree_map(given["headers"])), pri))}


def policy_authorization(given, pub, pri):
    text = str(StringToSign(given["method"], given["bucket"], given["key"], tree_map(given["headers"])))
    value = header(pub, sign(text + given["policy"], pri))
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}


def the_field(fields, wanted):
    values = [v for n, v in fields if n == wanted]
    for v in values:
        clean(v)
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return clean(values[0]) if values else None


def ok_http(mime):
    if mime.lower().startswith("text/") and "charset" not in mime.lower():
        return mime + "; charset=utf-8"
    return mime


def form_authorization(given, pub, pri):
    headers = tree_map(given["headers"])
    text = StringToSign("POST", given["bucket"], given["key"], headers)
    mime, md5 = the_field(given["fields"], "Content-Type"), None
    if "content-md5" not in headers:
        md5 = the_field(given["fields"], "Content-MD5")
    else:
        for n, v in given["fields"]:
            if n == "Content-MD5":
                clean(v)
    text.type = ok_http(mime) if mime else ""
    text.md5 = headers.get("content-md5", md5 or "")
    return {"authorization": header(pub, sign(text, pri))}


def policy(given, pub, pri):
    members = ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"])
    text = base64.urlsafe_b64encode(("{" + members + "}").encode("utf-8")).decode()
    return {"policy": "".join(text[i:i + 76] + "\n" for i in range(0, len(text), 76))}


def presigned_url(given, pub, pri):
    text = StringToSign(given["method"], given["bucket"], given["key"], tree_map(given["headers"]))
    text.md5, text.type, text.date = "", "", given["expires"]
    path = url_encoder(given["key"]).replace("%2F", "/")
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], strict_escape(pub),
        strict_escape(given["expires"]), strict_escape(sign(text, pri)))}


serve("kotlin-uploader", {
    "authorization": authorization, "form-authorization": form_authorization, "policy": policy,
    "policy-authorization": policy_authorization, "presigned-url": presigned_url})
