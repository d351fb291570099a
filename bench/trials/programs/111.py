#!/usr/bin/env python3
"""A Ruby gem: policy, policy-authorization and presigned-url. Its mistakes:

1. The policy is encoded with Base64.strict_encode64, the standard alphabet, instead of the URL-safe one.
2. policy-authorization puts the policy into the header but does not append it to the signed text.
3. The path of a pre-signed URL is encoded with CGI.escape per segment, which writes a space as +.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve

TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def escape(text):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8")).decode("ascii")


def cgi_escape(text):
    return escape(text).replace("%20", "+")


class Request:
    def __init__(self, given):
        self.extra, self.plain = {}, {}
        for name, value in given["headers"]:
            name = name.strip(" \t")
            if not re.fullmatch(TOKEN, name):
                raise Refused("header-name", "bad name")
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            value.encode("utf-8")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", "bad value")
            group = self.extra if name.lower().startswith(WORDS["headerPrefix"].lower()) else self.plain
            group.setdefault(name.lower(), []).append(value)
        if not re.fullmatch(TOKEN, given["method"]):
            raise Refused("method", "bad method")
        if not given["bucket"] or "/" in given["bucket"]:
            raise Refused("bucket", "bad bucket")
        self.verb = given["method"].upper()
        self.resource = "/" + given["bucket"] + "/" + given["key"]

    def header(self, name):
        values = self.plain.get(name, [""])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0]

    def tail(self):
        return "".join("%s:%s\n" % (name, ",".join(values)) for name, values in sorted(self.extra.items())) + self.resource


def sign(private, lines):
    return base64.b64encode(hmac.new(private.encode("utf-8"), "\n".join(lines).encode("utf-8"), hashlib.sha1).digest()).decode()


def policy(given, public, private):
    text = ",".join(json.dumps(name, ensure_ascii=False) + ":" + json.dumps(value, ensure_ascii=False)
                    for name, value in given["members"])
    return {"policy": base64.b64encode(("{" + text + "}").encode("utf-8")).decode()}


def policy_authorization(given, public, private):
    request = Request(given)
    lines = [request.verb, request.header("content-md5"), request.header("content-type"), request.header("date"), request.tail()]
    public.encode("utf-8")
    value = WORDS["scheme"] + " " + public + ":" + sign(private, lines)
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}


def presigned_url(given, public, private):
    request = Request(given)
    signature = sign(private, [request.verb, "", "", given["expires"], request.tail()])
    path = "/".join(cgi_escape(part) for part in given["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], escape(public),
        escape(given["expires"]), escape(signature))}


serve("ruby-gem", {"policy": policy, "policy-authorization": policy_authorization, "presigned-url": presigned_url})
