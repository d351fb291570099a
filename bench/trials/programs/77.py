"""Tencent COS client, adapted.

1. The values of extra headers are percent-encoded before they are signed, as COS does.
2. Form fields are read with lower-cased names, so fields content-type and content-md5 are signed too.
3. verify-authorization leaves extra headers with an empty value out of the string to sign (signing keeps them).
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

from urllib.parse import quote  # noqa: E402

T = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def value_of(value):
    value.encode("utf-8")
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "")
    return value


def parse(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch(T, name):
            raise Refused("header-name", name)
        out.append((name.lower(), value_of(value)))
    return out


def one(pairs, name):
    values = [v for n, v in pairs if n == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else None


def format_string(method, md5, mime, date, headers, bucket, key, empty=True):
    lines = {}
    for n, v in headers:
        if n.startswith(WORDS["headerPrefix"].lower()) and (v or empty):
            lines.setdefault(n, []).append(quote(v, safe="~"))
    text = "\n".join((method, md5 or "", mime or "", date or "", ""))
    for n, vs in sorted(lines.items()):
        text += n + ":" + ",".join(vs) + "\n"
    return text + "/" + bucket + "/" + key


def check(method, bucket):
    if not re.fullmatch(T, method):
        raise Refused("method", method)
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)


def sign(pri, text):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def header_string(i, empty=True):
    headers = parse(i["headers"])
    check(i["method"], i["bucket"])
    return headers, format_string(i["method"].upper(), one(headers, "content-md5"), one(headers, "content-type"), one(headers, "date"),
                                  headers, i["bucket"], i["key"], empty)


def authorization(i, pub, pri):
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign(pri, header_string(i)[1]))}


def form_authorization(i, pub, pri):
    headers = parse(i["headers"])
    check("POST", i["bucket"])
    fields = []
    for n, v in i["fields"]:
        if n in [m for m, _ in i["fields"][:len(fields)]] and n in ("Content-Type", "Content-MD5"):
            raise Refused("header-repeated", n)
        fields.append((n.lower(), value_of(v)))
    fields = list(dict(fields).items())          # later fields win over earlier ones of the same lower-cased name
    md5 = one(headers, "content-md5")
    if md5 is None:
        md5 = one(fields, "content-md5")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign(pri, format_string(
        "POST", md5, one(fields, "content-type"), one(headers, "date"), headers, i["bucket"], i["key"])))}


def verify_authorization(i, pub, pri):
    headers, text = header_string(i, False)
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing", "")
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^:\s]+):([^:\s]+)(?::([^:\s]+))?", values[0])
    if len(values) > 1 or not m:
        raise Refused("authorization-malformed", "")
    if m[3] is not None:
        ok = i["method"].upper() in ("PUT", "POST") and not (re.search("[+/]", m[3]) and re.search("[-_]", m[3]))
        try:
            p = m[3].replace("-", "+").replace("_", "/").rstrip("=")
            ok = ok and isinstance(json.loads(base64.b64decode(p + "=" * (-len(p) % 4), validate=True).decode("utf-8")), dict)
        except (ValueError, RecursionError):
            ok = False
        if not ok:
            raise Refused("authorization-malformed", "policy")
        text += m[3]
    if m[1] != pub:
        raise Refused("public-key-unknown", "")
    if sign(pri, text) != m[2]:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


if __name__ == "__main__":
    serve("cos-port", {"authorization": authorization, "form-authorization": form_authorization, "verify-authorization": verify_authorization})
