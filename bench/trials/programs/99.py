#!/usr/bin/env python3
"""A port of a Kotlin client: authorization, policy and policy-authorization. Its mistakes:

1. Around the value of an extra header only spaces are removed, not tabs.
2. The values of a repeated extra header are joined with a comma and a space.
3. The policy is URL-safe Base64 without its = padding.
4. In a policy authorization a line feed stands between the resource and the policy in the string to sign.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

NAME = re.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class Headers:
    def __init__(self, pairs):
        self.list = []
        for name, value in pairs:
            name = name.strip(" \t")
            if NAME.fullmatch(name) is None:
                raise Refused("header-name", name)
            value = self.unfolded(value)
            value.encode("utf-8")
            if any(c in value.strip(" \t") for c in "\r\n\0"):
                raise Refused("header-value", name)
            self.list.append((name.lower(), value))

    @staticmethod
    def unfolded(value):
        rows = value.replace("\r\n", "\n").split("\n")
        if len(rows) == 1:
            return value
        if any(row[:1] not in (" ", "\t") for row in rows[1:]):
            if any(c in "\r\n" for c in value.strip(" \t")):
                raise Refused("header-value", "a line break")
        rows = [rows[0].rstrip(" \t")] + [row.strip(" \t") for row in rows[1:-1]] + [rows[-1].lstrip(" \t")]
        return rows[0] + " " + " ".join(row for row in rows[1:-1] if row) + (" " if any(rows[1:-1]) else "") + rows[-1]

    def single(self, name):
        values = [value for have, value in self.list if have == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0].strip(" \t") if values else ""

    def canonical(self):
        prefix = WORDS["headerPrefix"].lower()
        merged = {}
        for name, value in self.list:
            if name.startswith(prefix):
                value = value.strip(" ")
                merged[name] = merged[name] + ", " + value if name in merged else value
        return "".join("%s:%s\n" % (name, merged[name]) for name in sorted(merged))


def string_to_sign(i):
    if NAME.fullmatch(i["method"]) is None:
        raise Refused("method", i["method"])
    if i["bucket"] == "" or "/" in i["bucket"]:
        raise Refused("bucket", i["bucket"])
    headers = Headers(i["headers"])
    head = [i["method"].upper(), headers.single("content-md5"), headers.single("content-type"), headers.single("date")]
    return "\n".join(head) + "\n" + headers.canonical() + "/%s/%s" % (i["bucket"], i["key"])


def sign(text, private):
    return base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()


def header(public, signature):
    public.encode()
    return "%s %s:%s" % (WORDS["scheme"], public, signature)


def authorization(i, public, private):
    return {"authorization": header(public, sign(string_to_sign(i), private))}


def policy(i, public, private):
    text = ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in i["members"])
    return {"policy": base64.urlsafe_b64encode(("{" + text + "}").encode()).decode().rstrip("=")}


def policy_authorization(i, public, private):
    if not i["policy"]:
        return authorization(i, public, private)
    signature = sign(string_to_sign(i) + "\n" + i["policy"], private)
    return {"authorization": header(public, signature) + ":" + i["policy"]}


serve("ninety-nine", {"authorization": authorization, "policy": policy, "policy-authorization": policy_authorization})
