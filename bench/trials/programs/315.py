#!/usr/bin/env python3
"""A C# developer's port of an Azure shared-key handler on HttpClient: it signs uploads and forms, and a controller checks them.

Mistakes:
1. The resource holds Uri.AbsolutePath, so the key is percent-encoded in the signed text (slashes stay), when signing and when checking.
2. Extra headers are sorted with OrderBy(name), which compares by the culture: an underscore comes before a hyphen, a hyphen before a dot, a dot before digits and letters.
3. Content-Type is signed as MediaTypeHeaderValue.ToString() gives it, with "; " before each parameter (text/html;charset=utf-8 is text/html; charset=utf-8).
4. A Date that parses as an HTTP date is signed in the form "R" in GMT: Wed, 5 Mar 2025 12:00:00 +0200 is Wed, 05 Mar 2025 10:00:00 GMT.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from datetime import timezone
from email.utils import format_datetime, parsedate_to_datetime

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
COLLATION = "_-!.'*&#%`^+|~$0123456789abcdefghijklmnopqrstuvwxyz"


class Headers:
    def __init__(self, pairs):
        self.pairs = []
        for name, value in pairs:
            name = name.strip(" \t")
            if not re.fullmatch(TOKEN, name):
                raise Refused("header-name", "The header name format is invalid")
            self.pairs.append((name.lower(), value_of(value)))

    def all(self, name):
        return [v for n, v in self.pairs if n == name]

    def single(self, name):
        values = self.all(name)
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def canonical(self):
        prefix = WORDS["headerPrefix"].lower()
        names = {n for n, _ in self.pairs if n.startswith(prefix)}
        return "".join(n + ":" + ",".join(self.all(n)) + "\n" for n in sorted(names, key=lambda n: [COLLATION.index(c) for c in n]))


def value_of(value):
    if re.search(r"\n[ \t]", value) and not re.search(r"\n(?![ \t])", value):
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value)
    value = value.strip(" \t")
    value.encode("utf-8")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "New-line characters are not allowed in header values")
    return value


def media_type(value):
    pieces = re.findall(r'((?:"(?:[^"\\]|\\.)*"|[^;"])+)', value)
    if len(pieces) < 2 or not re.fullmatch(TOKEN + "/" + TOKEN, pieces[0].strip(" \t")) or ";".join(pieces) != value:
        return value
    pieces = [p.strip(" \t") for p in pieces]
    if not all(re.fullmatch(TOKEN + r'=(?:' + TOKEN + r'|"(?:[^"\\]|\\.)*")', p) for p in pieces[1:]):
        return value
    return "; ".join(pieces)


def http_date(value):
    if not re.fullmatch(r"(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} [1-9]\d{3} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]\d{4})", value, re.A):
        return value
    try:
        when = parsedate_to_datetime(value)
        if "," in value and when.strftime("%a") != value[:3]:
            return value                             # DateTimeOffset.TryParse: the day of the week is wrong
        return format_datetime(when.astimezone(timezone.utc), usegmt=True)
    except (ValueError, OverflowError):
        return value


def absolute_path(key):
    return "".join(chr(c) if c < 128 and (chr(c).isalnum() or chr(c) in "-_.~/") else "%%%02X" % c for c in key.encode("utf-8"))


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", "The format of the HTTP method is invalid")
    return method.upper()


def string_to_sign(method, md5, mime, headers, bucket, key):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", "bucket name")
    return "\n".join([method, md5, media_type(mime), http_date(headers.single("date")), headers.canonical() + "/" + bucket + "/" + absolute_path(key)])


def request_string(method, headers, given):
    return string_to_sign(verb(method), headers.single("content-md5"), headers.single("content-type"), headers, given["bucket"], given["key"])


def compute(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def header(text, pub, pri):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + compute(text, pri)


def authorization(given, pub, pri):
    return {"authorization": header(request_string(given["method"], Headers(given["headers"]), given), pub, pri)}


def policy_authorization(given, pub, pri):
    policy = given["policy"]
    value = header(request_string(given["method"], Headers(given["headers"]), given) + policy, pub, pri)
    return {"authorization": value + ":" + policy if policy else value}


def form_authorization(given, pub, pri):
    headers, fields = Headers(given["headers"]), {"Content-Type": [], "Content-MD5": []}
    for name, value in given["fields"]:
        if name in fields:
            fields[name].append(value_of(value))
    mime, md5 = fields["Content-Type"], headers.all("content-md5") or fields["Content-MD5"]
    if len(mime) > 1 or len(md5) > 1:
        raise Refused("header-repeated", "a field is there twice")
    return {"authorization": header(string_to_sign("POST", "".join(md5), "".join(mime), headers, given["bucket"], given["key"]), pub, pri)}


def escape(text):
    return absolute_path(text).replace("/", "%2F")


def instant_upload(given, pub, pri):
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(escape(given[n]) for n in ("etag", "key", "size")),
            "authorization": header(request_string("POST", Headers(given["headers"]), given), pub, pri)}


def is_policy(text):
    if re.search("[+/]", text) and re.search("[-_]", text):
        return False
    text = text.rstrip("=").translate({45: "+", 95: "/"})
    try:
        return isinstance(json.loads(base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, pub, pri):
    headers = Headers(given["headers"])
    text = request_string(given["method"], headers, given)
    values = headers.all("authorization")
    if not values:
        raise Refused("authorization-missing", "401")
    match = re.fullmatch(r"([^ ]*) ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", values[0])
    if len(values) > 1 or not match or match[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "400")
    if match[4] is not None and (given["method"].upper() not in ("PUT", "POST") or not is_policy(match[4])):
        raise Refused("authorization-malformed", "400")
    if match[2] != pub:
        raise Refused("public-key-unknown", "403")
    if compute(text + (match[4] or ""), pri) != match[3]:
        raise Refused("signature-mismatch", "403")
    return {"publicKey": match[2]}


serve("csharp-shared-key", {
    "authorization": authorization, "form-authorization": form_authorization, "policy-authorization": policy_authorization,
    "instant-upload": instant_upload, "verify-authorization": verify_authorization})
