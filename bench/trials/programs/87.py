"""A Node client of the action API, ported line by line.

1. Numbers go through JavaScript's Number, so integers beyond 2^53 are rounded, and from 1e21 or below 1e-6 an exponent is written.
2. Parameters are sorted by UTF-16 code units (Array.prototype.sort), not by bytes of their names.
3. encodeURIComponent leaves ! ' ( ) and * unencoded in the query and in url-encode.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import hashlib
from serving import serve, Refused


def number_to_string(x):
    """Number.prototype.toString"""
    if x == 0:
        return "0"
    if abs(x) == float("inf"):
        return "Infinity" if x > 0 else "-Infinity"
    sign, x = ("-", -x) if x < 0 else ("", x)
    mantissa, _, exponent = ("%r" % x if "e" in "%r" % x else "%re0" % x).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    k = len(digits)
    if k <= point <= 21:
        return sign + digits + "0" * (point - k)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    e = point - 1
    return sign + digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + ("+" if e >= 0 else "-") + str(abs(e))


def number(written):
    return number_to_string(float(written))


def walk(out, name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if value is True or value is False:
        out[name] = "true" if value else "false"
    elif isinstance(value, str):
        out[name] = value
    elif "number" in value:
        out[name] = number(value["number"])
    elif "list" in value:
        for i, v in enumerate(value["list"]):
            walk(out, "%s.%d" % (name, i), v)
    else:
        for k, v in value["object"]:
            walk(out, name + "." + k, v)


def sort_key(name):
    return name.encode("utf-16-be")


def collect(given):
    out = {}
    for name, value in given["parameters"]:
        walk(out, name, value)
    out.pop("Signature", None)
    return [(n, out[n]) for n in sorted(out, key=sort_key)]


def sign(pairs, private_key):
    return hashlib.sha1(("".join(n + v for n, v in pairs) + private_key).encode()).hexdigest()


LEFT = "!'()*"


def encode_uri_component(text):
    keep = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~" + LEFT)
    return "".join(chr(b) if chr(b) in keep else "%%%02X" % b for b in text.encode())


def url_encode(given, pub, pri):
    return {"encoded": encode_uri_component(given["text"])}


def action_signature(given, pub, pri):
    return {"signature": sign(collect(given), pri)}


def action_query(given, pub, pri):
    pairs = collect(given)
    for name in ("Action", "PublicKey"):
        if name not in dict(pairs):
            raise Refused("parameter-missing", name)
    query = "&".join(encode_uri_component(n) + "=" + encode_uri_component(v) for n, v in pairs)
    return {"query": query + "&Signature=" + sign(pairs, pri)}


OPS = {"url-encode": url_encode, "action-signature": action_signature, "action-query": action_query}
if __name__ == "__main__":
    serve("node-first-try", OPS)
