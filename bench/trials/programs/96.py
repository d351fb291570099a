"""A shell script with sort, awk and openssl.

1. sort runs in an en_US locale, so names are compared without regard to letter case first.
2. Command substitution strips line feeds at the end of values before they are signed and sent.
3. openssl base64 breaks the encoded password into lines of 64 characters.
4. Escapes are printed with %x, so their letters are lower case.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import hashlib
import re
from decimal import Decimal
from serving import serve, Refused


def substitute(text):
    return text.rstrip("\n")


def collate(name):
    return (name.lower(), name.swapcase())


def numeral(written):
    d = Decimal(written)
    text = "%s" % format(d, "f")
    text = re.sub(r"\.?0+$", "", text) if "." in text else text
    return "0" if not d else text


def rows(given):
    out, stack = [], list(reversed(given["parameters"]))
    while stack:
        n, v = stack.pop()
        if v is None:
            raise Refused("parameter-null", n)
        if isinstance(v, str):
            out.append((n, substitute(v)))
        elif isinstance(v, bool):
            out.append((n, ("false", "true")[v]))
        elif "number" in v:
            out.append((n, numeral(v["number"])))
        else:
            members = list(enumerate(v["list"])) if "list" in v else v["object"]
            stack.extend((n + "." + str(k), x) for k, x in reversed(members))
    out = [r for r in out if r[0] != "Signature"]
    if len({r[0] for r in out}) < len(out):
        raise Refused("parameter-repeated", "twice")
    return sorted(out, key=lambda r: collate(r[0]))


def sha1sum(table, pri):
    return hashlib.sha1(("".join(n + v for n, v in table) + pri).encode()).hexdigest()


FORMAT = "%%%02x"


def escape(text):
    return "".join(c if re.match("[A-Za-z0-9_.~-]", c) else "".join(FORMAT % b for b in c.encode()) for c in text)


def password(given, pub, pri):
    return {"value": wrap(base64.b64encode(given["text"].encode()).decode())}


def wrap(text):
    return "\n".join(text[i:i + 64] for i in range(0, len(text), 64))


def action_signature(given, pub, pri):
    return {"signature": sha1sum(rows(given), pri)}


def bucket_request(given, pub, pri):
    table = rows(given)
    have = {n: v for n, v in table}
    for n in ("Action", "PublicKey") + (("Type", "BucketName") if have.get("Action") == "CreateBucket" else ()):
        if n not in have:
            raise Refused("parameter-missing", n)
    return {"target": "/?" + "".join(escape(n) + "=" + escape(v) + "&" for n, v in table) + "Signature=" + sha1sum(table, pri)}


OPS = {"url-encode": lambda g, a, b: {"encoded": escape(g["text"])}, "password": password, "action-signature": action_signature,
       "bucket-request": bucket_request}
if __name__ == "__main__":
    serve("shell-first-try", OPS)
