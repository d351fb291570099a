"""Port of a Go client of the account API (encoding/json, net/url).

Mistakes:
1. Numbers are float64 (json.Unmarshal into interface{}) and written with strconv.FormatFloat(f, 'f', -1, 64): integers beyond
   2^53 and long fractions are rounded, numbers beyond the double range are refused, and those below it become 0.
2. bucket-request adds Type=private to a CreateBucket without Type, signed and sent, instead of refusing it.
3. The names in a query string are escaped with url.PathEscape, which leaves $ & + = : @ as they are (values are right).
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from account import UNRESERVED, decimal, demand, escape, sha1  # noqa: E402
from serving import Refused, serve  # noqa: E402


def flatten(prefix, value, out):
    """Appends (name, text, is text)."""
    if value is None:
        raise Refused("parameter-null", prefix)
    if isinstance(value, bool):
        out.append((prefix, "true" if value else "false", False))
    elif isinstance(value, str):
        out.append((prefix, value, True))
    elif "number" in value:
        out.append((prefix, number(value["number"]), False))
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            flatten("%s.%d" % (prefix, i), item, out)
    else:
        for name, item in value["object"]:
            flatten(prefix + "." + name, item, out)


def collect(parameters):
    out = []
    for name, value in parameters:
        flatten(name, value, out)
    out = [leaf for leaf in out if leaf[0] != "Signature"]
    if len({leaf[0] for leaf in out}) < len(out):
        raise Refused("parameter-repeated", "a name twice")
    return sort(out)


def number(written):
    decimal(written)                        # the syntax
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise Refused("number", "value out of range of float64")
    return decimal(repr(value).replace("e+", "e"))


def sort(leaves):
    return sorted(leaves, key=lambda leaf: leaf[0].encode())


def ready(given):
    leaves = collect(given["parameters"])
    demand(leaves, "Action", "PublicKey")
    return leaves


def query(leaves, private):
    pairs = [escape(n, UNRESERVED + b"$&+=:@") + "=" + escape(v) for n, v, _ in leaves]
    return "&".join(pairs + ["Signature=" + sha1(leaves, private)])


def action_signature(given, public, private):
    return {"signature": sha1(collect(given["parameters"]), private)}


def action_json(given, public, private):
    leaves = ready(given)
    members = [json.dumps(n) + ":" + (json.dumps(v) if quoted else v) for n, v, quoted in leaves]
    return {"body": "{" + ",".join(members + ['"Signature":"%s"' % sha1(leaves, private)]) + "}"}


def action_query(given, public, private):
    return {"query": query(ready(given), private)}


def bucket_request(given, public, private):
    leaves = ready(given)
    if ("Action", "CreateBucket") in [leaf[:2] for leaf in leaves]:
        if not any(leaf[0] == "Type" for leaf in leaves):
            leaves = sort(leaves + [("Type", "private", True)])
        demand(leaves, "BucketName")
    return {"target": "/?" + query(leaves, private)}


serve("go-account", {"action-signature": action_signature, "action-json": action_json, "action-query": action_query,
                     "bucket-request": bucket_request,
                     "url-encode": lambda given, public, private: {"encoded": escape(given["text"])}})
