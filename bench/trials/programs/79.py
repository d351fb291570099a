"""A PHP client of the action API (arrays, ksort, urlencode).

1. Parameters for which PHP's empty() holds (empty text, text 0, number 0, false) are left out, signed and sent.
2. Numbers with a fraction are cast with precision=14 in the signed text and the query string (1.0E+25, 3.1415926535898), while the JSON body keeps them as written.
3. ksort orders two names that are both decimal integers as numbers (9 before 10), all others as byte strings.
4. The tilde is escaped as %7E (urlencode with plus signs replaced by %20).
"""
import base64
import functools
import hashlib
import json
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from decimal import Decimal  # noqa: E402


def plain(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    text = format(Decimal(written), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if text.strip("-0.") else "0"


def php_float(written):
    mantissa, mark, exponent = ("%.14G" % float(written)).partition("E")
    if not mark:
        return plain(mantissa)
    return (mantissa if "." in mantissa else mantissa + ".0") + "E" + exponent[0] + exponent[1:].lstrip("0")


class Param:
    def __init__(self, text, json_text, empty):
        self.text, self.json, self.empty = text, json_text, empty


def walk(name, v, out):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, bool):
        t = "true" if v else "false"
        out.append((name, Param(t, t, not v)))
    elif isinstance(v, str):
        out.append((name, Param(v, json.dumps(v), v in ("", "0"))))
    elif "number" in v:
        p = plain(v["number"])
        out.append((name, Param(php_float(p) if "." in p else p, p, p == "0")))
    elif "list" in v:
        for k, item in enumerate(v["list"]):
            walk(name + "." + str(k), item, out)
    else:
        for member, item in v["object"]:
            walk(name + "." + member, item, out)


def compare(a, b):
    if re.fullmatch("0|[1-9][0-9]{0,17}", a) and re.fullmatch("0|[1-9][0-9]{0,17}", b):
        return int(a) - int(b)
    x, y = a.encode("utf-8"), b.encode("utf-8")
    return (x > y) - (x < y)


def ksort(params):
    flat = []
    for name, v in params:
        walk(name, v, flat)
    flat = [pair for pair in flat if pair[0] != "Signature"]
    array = dict(flat)
    if len(array) != len(flat):
        raise Refused("parameter-repeated", "")
    return {n: array[n] for n in sorted(array, key=functools.cmp_to_key(compare)) if not array[n].empty}


def verify_ac(array, private):
    s = ""
    for name, p in array.items():
        s += name
        s += p.text
    return hashlib.sha1((s + private).encode("utf-8")).hexdigest()


def needed(array, *names):
    for n in names:
        if n not in array:
            raise Refused("parameter-missing", n)


def urlencode(text):
    return "".join(chr(b) if chr(b).isascii() and (chr(b).isalnum() or chr(b) in "-_.") else "%%%02X" % b for b in text.encode("utf-8"))


def action_json(i, pub, pri):
    array = ksort(i["parameters"])
    needed(array, "Action", "PublicKey")
    members = [json.dumps(n) + ":" + p.json for n, p in array.items()]
    return {"body": "{" + ",".join(members + ['"Signature":"' + verify_ac(array, pri) + '"']) + "}"}


def query(array, pri):
    s = ""
    for name, p in array.items():
        s += urlencode(name) + "=" + urlencode(p.text) + "&"
    return s + "Signature=" + verify_ac(array, pri)


def action_query(i, pub, pri):
    array = ksort(i["parameters"])
    needed(array, "Action", "PublicKey")
    return {"query": query(array, pri)}


def bucket_request(i, pub, pri):
    array = ksort(i["parameters"])
    needed(array, "Action", "PublicKey")
    if array["Action"].text == "CreateBucket":
        needed(array, "Type", "BucketName")
    return {"target": "/?" + query(array, pri)}


if __name__ == "__main__":
    serve("php-client", {
        "url-encode": lambda i, pub, pri: {"encoded": urlencode(i["text"])},
        "password": lambda i, pub, pri: {"value": base64.b64encode(i["text"].encode("utf-8")).decode()},
        "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request})
