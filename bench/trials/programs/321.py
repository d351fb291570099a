#!/usr/bin/env python3
"""A PHP developer's token server: a web page asks it for the authorization of its uploads, by form or with a callback policy.

Mistakes:
1. Content-MD5, Content-Type and Date count as absent if empty($value), which is true for the text "0" too.
2. A form without the field Content-Type is signed with the Content-Type header of the HTTP request.
3. A header is an extra header if its name has the prefix anywhere (strpos($name, $prefix) !== false), not only at the beginning.
4. The members of a policy are a PHP array for json_encode: a repeated name keeps its first place and its last value, and no members give [] instead of {}
   (so do names that count 0, 1, 2: they give a list).
5. policy-authorization signs the method as it is given, without making it upper case.
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

TCHAR = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def clean(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)
    value = value.strip(" \t")
    value.encode("utf-8")
    if "\r" in value or "\n" in value or "\0" in value:
        raise Refused("header-value", "Header may not contain new lines")
    return value


def read_headers(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not re.fullmatch(TCHAR, name):
            raise Refused("header-name", name)
        out.append((name.lower(), clean(value)))
    return out


def empty(value):
    return value is None or value in ("", "0")


def get_one(values):
    if len(values) > 1:
        raise Refused("header-repeated", "more than one value")
    return "" if not values or empty(values[0]) else values[0]


def get(headers, wanted):
    return get_one([v for n, v in headers if n == wanted])


def is_extra(name):
    return name.find(WORDS["headerPrefix"].lower()) != -1


def extra(headers):
    found = {}
    for name, value in headers:
        if is_extra(name):
            found[name] = found[name] + "," + value if name in found else value
    return "".join(name + ":" + found[name] + "\n" for name in sorted(found))


def resource(bucket, key):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    return "/" + bucket + "/" + key


def sign(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def form_authorization(given, pub, pri):
    headers = read_headers(given["headers"])
    path = resource(given["bucket"], given["key"])
    fields = [(n, clean(v)) for n, v in given["fields"] if n in ("Content-Type", "Content-MD5")]
    types = [v for n, v in fields if n == "Content-Type"]
    mime = get_one(types) if types else get(headers, "content-type")
    md5s = [v for n, v in headers if n == "content-md5"] or [v for n, v in fields if n == "Content-MD5"]
    text = "POST\n%s\n%s\n%s\n" % (get_one(md5s), mime, get(headers, "date")) + extra(headers) + path
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + sign(text, pri)}


def php_array(members):
    array = {}
    for name, value in members:
        array[name] = value
    return list(array.items())


def is_list(array):
    return [n for n, _ in array] == [str(i) for i in range(len(array))]


def quote(text):
    return json.dumps(text, ensure_ascii=False)


def policy(given, pub, pri):
    array = php_array(given["members"])
    if is_list(array):
        text = "[" + ",".join(quote(v) for _, v in array) + "]"
    else:
        text = "{" + ",".join(quote(n) + ":" + quote(v) for n, v in array) + "}"
    return {"policy": base64.b64encode(text.encode("utf-8")).decode().replace("+", "-").replace("/", "_")}


def policy_authorization(given, pub, pri):
    method = given["method"]
    if not re.fullmatch(TCHAR, method):
        raise Refused("method", method)
    headers = read_headers(given["headers"])
    text = method + "\n" + get(headers, "content-md5") + "\n" + get(headers, "content-type") + "\n" + get(headers, "date") + "\n"
    text += extra(headers) + resource(given["bucket"], given["key"]) + given["policy"]
    value = WORDS["scheme"] + " " + pub + ":" + sign(text, pri)
    return {"authorization": value + ":" + given["policy"] if given["policy"] != "" else value}


if __name__ == "__main__":
    serve("php-token-server", {"form-authorization": form_authorization, "policy": policy, "policy-authorization": policy_authorization})
