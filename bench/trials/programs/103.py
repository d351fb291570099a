#!/usr/bin/env python3
"""A port of a Ruby gem: authorization, form-authorization and instant-upload. Its mistakes:

1. A form upload without the form field Content-Type is signed with the Content-Type of the HTTP request.
2. The instant upload signs the percent-encoded key (with / kept) in the resource, not the key itself.
3. Without a header Date, the value of the extra header X-Svc-Date is put in the Date position, in addition to its own line.
4. Names of extra headers are sorted with _ in the place of -.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402


def token(text, reason):
    if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", text):
        raise Refused(reason, repr(text))
    return text


def clean(value):
    """A header's value on one line."""
    value.encode("utf-8")
    if not re.search(r"\n(?![ \t])", value):
        value = re.sub(r"[ \t]*(\r?\n[ \t]*)+", " ", value)
    value = value.strip(" \t")
    if re.search(r"[\r\n\x00]", value):
        raise Refused("header-value", "line break")
    return value


def headers_of(i):
    out = defaultdict(list)
    for name, value in i["headers"]:
        out[token(name.strip(" \t"), "header-name").lower()].append(clean(value))
    return out


def only(values):
    if len(values) > 1:
        raise Refused("header-repeated", "twice")
    return values[0] if values else ""


def signature(private, verb, bucket, key, md5, mime, headers):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    prefix = WORDS["headerPrefix"].lower()
    when = only(headers["date"])
    if not headers["date"]:
        when = ",".join(headers.get(prefix + "date", []))
    extra = sorted((name for name in headers if name.startswith(prefix)), key=lambda name: name.replace("-", "_"))
    text = "\n".join([verb, md5, mime, when, ""])
    text += "".join(name + ":" + ",".join(headers[name]) + "\n" for name in extra)
    text += "/" + bucket + "/" + key
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def credentials(public, sig):
    public.encode("utf-8")
    return WORDS["scheme"] + " " + public + ":" + sig


def authorization(i, public, private):
    verb = token(i["method"], "method").upper()
    h = headers_of(i)
    return {"authorization": credentials(public, signature(private, verb, i["bucket"], i["key"], only(h["content-md5"]),
                                                           only(h["content-type"]), h))}


def form(i, public, private):
    h = headers_of(i)
    types = [clean(value) for name, value in i["fields"] if name == "Content-Type"]
    sums = [clean(value) for name, value in i["fields"] if name == "Content-MD5"]
    mime = only(types) if types else only(h["content-type"])
    md5 = only(h["content-md5"] or sums)
    return {"authorization": credentials(public, signature(private, "POST", i["bucket"], i["key"], md5, mime, h))}


def escape(text):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8"), flags=re.S).decode("ascii")


def instant(i, public, private):
    h = headers_of(i)
    key = escape(i["key"])
    sig = signature(private, "POST", i["bucket"], key.replace("%2F", "/"), only(h["content-md5"]), only(h["content-type"]), h)
    return {"target": "/uploadhit?Hash=" + escape(i["etag"]) + "&FileName=" + key + "&FileSize=" + escape(i["size"]),
            "authorization": credentials(public, sig)}


serve("one hundred and three", {"authorization": authorization, "form-authorization": form, "instant-upload": instant})
