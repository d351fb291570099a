"""Port of a JavaScript (Node) module that signs and verifies account requests.

Mistakes:
1. Names are sorted by Array.prototype.sort(), i.e. by UTF-16 code units, so U+10000 and up come before U+E000 to U+FFFF.
2. verify-query reads the query with node:querystring: + is a space, stray percent signs stay as they are, and escapes that are
   not UTF-8 become U+FFFD, where the last two should be refused.
3. verify-query and verify-json do not ask for Action: a well signed request without it is accepted.
"""
import json
import os
import sys
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from account import decimal, demand, escape, sha1  # noqa: E402
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


number = decimal


def sort(leaves):
    for name, _, _ in leaves:
        name.encode()
    return sorted(leaves, key=lambda leaf: leaf[0].encode("utf-16-be"))


def action_signature(given, public, private):
    return {"signature": sha1(collect(given["parameters"]), private)}


def action_query(given, public, private):
    leaves = collect(given["parameters"])
    demand(leaves, "Action", "PublicKey")
    pairs = [escape(n) + "=" + escape(v) for n, v, _ in leaves]
    return {"query": "&".join(pairs + ["Signature=" + sha1(leaves, private)])}


def check(parameters, public, private):
    leaves = collect(parameters)
    signature = dict(parameters).get("Signature")
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "no Signature")
    demand(leaves, "PublicKey")
    if [v for n, v, _ in leaves if n == "PublicKey"] != [public]:
        raise Refused("public-key-unknown", "unknown")
    if sha1(leaves, private) != signature:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": public}


def verify_query(given, public, private):
    pairs = []
    for piece in given["query"].split("&"):
        if piece:
            name, _, value = piece.replace("+", " ").partition("=")
            pairs.append([urllib.parse.unquote(name), urllib.parse.unquote(value)])
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a name twice")
    return check(pairs, public, private)


def tagged(value):
    return {"list": [tagged(item) for item in value]} if isinstance(value, list) else value


def members(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "a member twice")
    return {"object": [[name, tagged(value)] for name, value in pairs]}


def no_constant(word):
    raise ValueError(word)


def verify_json(given, public, private):
    def as_number(written):
        return {"number": written}
    try:
        body = json.loads(given["body"], object_pairs_hook=members, parse_int=as_number, parse_float=as_number,
                          parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "no JSON")
    if not isinstance(body, dict) or "object" not in body:
        raise Refused("body-malformed", "no object")
    try:
        for name, value in body["object"]:
            flatten(name, value, [])
    except Refused as e:
        raise Refused("body-malformed", str(e))
    return check(body["object"], public, private)


serve("js-account", {"action-signature": action_signature, "action-query": action_query, "verify-query": verify_query,
                     "verify-json": verify_json})
