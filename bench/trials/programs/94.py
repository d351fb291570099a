"""A Rust crate with a request checker.

1. HeaderMap::get is used in signing and checking, so only the first value of a repeated extra header counts.
2. The checker knows no callback policies: every Authorization value with a third part is refused as malformed.
3. The checker trims = from both signatures before it compares them, so a missing padding is accepted.
4. Numbers in the action API are parsed as f64 and printed with Display, so digits beyond 17 are lost.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import hashlib
import hmac
import re
from decimal import Decimal
from serving import serve, Refused, WORDS


def fold(value):
    v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
    if set(v) & set("\r\n\0"):
        raise Refused("header-value", "line break")
    return v


def values_of(all_values):
    return all_values[:1]


def map_of(headers):
    out = {}
    for n, v in headers:
        n = n.strip(" \t")
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", n):
            raise Refused("header-name", n.encode("ascii", "replace").decode())
        v.encode()
        out.setdefault(n.lower(), []).append(fold(v))
    return out


def string_to_sign(method, bucket, key, headers):
    m = map_of(headers)
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", method):
        raise Refused("method", "not a token")
    if not bucket or "/" in bucket:
        raise Refused("bucket", "no")
    out = [method.upper()]
    for n in ("content-md5", "content-type", "date"):
        if len(m.get(n, [])) > 1:
            raise Refused("header-repeated", n)
        out.append(m[n][0] if n in m else "")
    for n in sorted(k for k in m if k.startswith(WORDS["headerPrefix"].lower())):
        out.append(n + ":" + ",".join(values_of(m[n])))
    return "\n".join(out + ["/" + bucket + "/" + key])


def b64_hmac(pri, text):
    return base64.b64encode(hmac.new(pri.encode(), text.encode(), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    s = string_to_sign(given["method"], given["bucket"], given["key"], given["headers"])
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + b64_hmac(pri, s)}


def trimmed(signature):
    return signature.rstrip("=")


def verify(given, pub, pri):
    s = string_to_sign(given["method"], given["bucket"], given["key"], given["headers"])
    found = map_of(given["headers"]).get("authorization", [])
    if not found:
        raise Refused("authorization-missing", "none")
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^: \t]+):([^: \t]+)", found[0], re.S)
    if len(found) > 1 or not m:
        raise Refused("authorization-malformed", "no")
    if m[1] != pub:
        raise Refused("public-key-unknown", "who")
    if trimmed(b64_hmac(pri, s)) != trimmed(m[2]):
        raise Refused("signature-mismatch", "no")
    return {"publicKey": pub}


def display(written):
    d = Decimal(repr(float(written)))
    s = format(d, "f")
    s = s.rstrip("0").rstrip(".") if "." in s else s
    return "0" if d == 0 else s


def visit(name, value, out):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        out[name] = "true" if value else "false"
    elif isinstance(value, str):
        out[name] = value
    elif "number" in value:
        out[name] = display(value["number"])
    elif "list" in value:
        for i in range(len(value["list"])):
            visit(name + "." + str(i), value["list"][i], out)
    else:
        for k, v in value["object"]:
            visit(name + "." + k, v, out)


def action_signature(given, pub, pri):
    out = {}
    for n, v in given["parameters"]:
        if n != "Signature" or isinstance(v, dict):
            visit(n, v, out)
    return {"signature": hashlib.sha1(b"".join(k + v for k, v in sorted((n.encode(), v.encode()) for n, v in out.items() if n != "Signature")) + pri.encode()).hexdigest()}


OPS = {"authorization": authorization, "verify-authorization": verify, "action-signature": action_signature}
if __name__ == "__main__":
    serve("rust-first-try", OPS)
