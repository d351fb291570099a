"""A Ruby gem for the action API.

1. The password comes from Base64.encode64: a line feed after every 60 characters and at the end.
2. Numbers with a fraction or an exponent are Floats and written by Float#to_s, so 42.0 stays 42.0 and 1e-7 becomes 1.0e-07.
3. Lists are flattened with indices from 1 (each.with_index(1)).
"""
import base64
import hashlib
import json
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402



def float_to_s(f):
    text = repr(f)
    if "e" in text:
        mantissa, exponent = text.split("e")
        return (mantissa if "." in mantissa else mantissa + ".0") + "e" + exponent
    return text


def flat_hash(pairs, prefix=""):
    for name, v in pairs:
        name = prefix + name
        if v is None:
            raise Refused("parameter-null", name)
        if isinstance(v, bool):
            yield name, "true" if v else "false", False
        elif isinstance(v, str):
            yield name, v, True
        elif "number" in v:
            if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", v["number"]):
                raise Refused("number", name)
            if re.search("[.eE]", v["number"]):
                yield name, float_to_s(float(v["number"])), False
            else:
                yield name, str(int(v["number"])), False
        elif "list" in v:
            yield from flat_hash([(str(k), item) for k, item in enumerate(v["list"], 1)], name + ".")
        else:
            yield from flat_hash(v["object"], name + ".")


def params(i):
    rows = [row for row in flat_hash(i["parameters"]) if row[0] != "Signature"]
    if len({row[0] for row in rows}) != len(rows):
        raise Refused("parameter-repeated", "")
    return sorted(rows, key=lambda row: row[0].encode("utf-8"))


def signature(rows, pri):
    return hashlib.sha1(("".join(n + v for n, v, _ in rows) + pri).encode("utf-8")).hexdigest()


def action_signature(i, pub, pri):
    return {"signature": signature(params(i), pri)}


def action_json(i, pub, pri):
    rows = params(i)
    for needed in ("Action", "PublicKey"):
        if needed not in [n for n, _, _ in rows]:
            raise Refused("parameter-missing", needed)
    out = ",\n".join("  " + json.dumps(n, ensure_ascii=False) + ": " + (json.dumps(v, ensure_ascii=False) if quoted else v) for n, v, quoted in rows)
    return {"body": "{\n" + out + ',\n  "Signature": "' + signature(rows, pri) + '"\n}'}


def password(i, pub, pri):
    text = base64.b64encode(i["text"].encode("utf-8")).decode()
    return {"value": "".join(text[k:k + 60] + "\n" for k in range(0, len(text), 60))}


if __name__ == "__main__":
    serve("ruby-gem", {"action-signature": action_signature, "action-json": action_json, "password": password})
