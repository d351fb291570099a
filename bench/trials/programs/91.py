"""A PHP class for buckets and callback policies.

1. Booleans are cast to strings, so true is signed and sent as 1 and false as the empty string.
2. urlencode() is used for the query, so a space becomes + and ~ becomes %7E.
3. The policy is encoded with the standard Base64 alphabet.
4. Extra headers with an empty value are left out of the signed string.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import hashlib
import hmac
import json
import re
from decimal import Decimal
from serving import serve, Refused, WORDS


def bool_string(value):
    return "1" if value else ""


def number_string(written):
    d = Decimal(written)
    s = "{:f}".format(d)
    if "." in s:
        s = s.rstrip("0").rstrip(".")
    return "0" if d == 0 else s


def flat(given):
    todo = [(n, v) for n, v in given["parameters"]]
    array = {}
    while todo:
        n, v = todo.pop(0)
        if v is None:
            raise Refused("parameter-null", n)
        if isinstance(v, dict) and "list" in v:
            todo += [(n + "." + str(i), x) for i, x in enumerate(v["list"])]
            continue
        if isinstance(v, dict) and "object" in v:
            todo += [(n + "." + k, x) for k, x in v["object"]]
            continue
        if n == "Signature":
            continue
        if n in array:
            raise Refused("parameter-repeated", n)
        array[n] = bool_string(v) if isinstance(v, bool) else v if isinstance(v, str) else number_string(v["number"])
    return [(n, array[n]) for n in sorted(array, key=str.encode)]


def sha(pairs, pri):
    return hashlib.sha1("".join([n + v for n, v in pairs] + [pri]).encode()).hexdigest()


def urlencode(text):
    return "".join("+" if b == 32 else chr(b) if chr(b) in "-_." or b < 128 and chr(b).isalnum() else "%%%02X" % b for b in text.encode())


def action_signature(given, pub, pri):
    return {"signature": sha(flat(given), pri)}


def bucket_request(given, pub, pri):
    pairs = flat(given)
    have = dict(pairs)
    for n in ["Action", "PublicKey"] + (["Type", "BucketName"] if have.get("Action") == "CreateBucket" else []):
        if n not in have:
            raise Refused("parameter-missing", n)
    return {"target": "/?" + "&".join(urlencode(n) + "=" + urlencode(v) for n, v in pairs) + "&Signature=" + sha(pairs, pri)}


def b64(data):
    return base64.b64encode(data).decode()


def policy(given, pub, pri):
    items = [json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"]]
    return {"policy": b64(("{" + ",".join(items) + "}").encode())}


def header_line(name, values):
    return name + ":" + ",".join(values) + "\n" if any(values) else ""


def policy_authorization(given, pub, pri):
    lists = {}
    for n, v in given["headers"]:
        lists.setdefault(n.strip(" \t").lower(), []).append(re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t"))
    text = given["method"].upper() + "\n"
    for n in ("content-md5", "content-type", "date"):
        if len(lists.get(n, [])) > 1:
            raise Refused("header-repeated", n)
        text += (lists.get(n) or [""])[0] + "\n"
    text += "".join(header_line(n, lists[n]) for n in sorted(lists) if n.startswith(WORDS["headerPrefix"].lower()))
    text += "/" + given["bucket"] + "/" + given["key"] + given["policy"]
    signature = base64.b64encode(hmac.new(pri.encode(), text.encode(), "sha1").digest()).decode()
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature + ":" + given["policy"]}


OPS = {"action-signature": action_signature, "bucket-request": bucket_request, "policy": policy, "policy-authorization": policy_authorization}
if __name__ == "__main__":
    serve("php-first-try", OPS)
