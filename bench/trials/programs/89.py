"""A Go client: net/url, encoding/json, encoding/binary.

1. url.QueryEscape writes a space as + in the query and in url-encode.
2. The block count of the file ETag is written in big-endian order.
3. The ETag of an empty file is computed with block count 1.
4. Booleans are put into the JSON body as the strings "true" and "false" (map[string]string).
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import hashlib
import json
import struct
from decimal import Decimal
from serving import serve, Refused, content


def query_escape(text):
    out = []
    for b in text.encode():
        if b == 0x20:
            out.append(SPACE)
        elif 0x30 <= b <= 0x39 or 0x41 <= b <= 0x5A or 0x61 <= b <= 0x7A or b in b"-_.~":
            out.append(chr(b))
        else:
            out.append("%" + "0123456789ABCDEF"[b >> 4] + "0123456789ABCDEF"[b & 15])
    return "".join(out)


SPACE = "+"


def big_text(written):
    text = format(Decimal(written), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") or not text.strip("-0") else text


def flatten(prefix, value, out):
    if value is None:
        raise Refused("parameter-null", prefix)
    if isinstance(value, bool):
        out.append((prefix, str(value).lower(), "bool"))
    elif isinstance(value, str):
        out.append((prefix, value, "string"))
    elif "number" in value:
        out.append((prefix, big_text(value["number"]), "number"))
    else:
        for k, v in enumerate(value["list"]) if "list" in value else value["object"]:
            flatten("%s.%s" % (prefix, k), v, out)


def params(given):
    out = []
    for name, value in given["parameters"]:
        flatten(name, value, out)
    out = [p for p in out if p[0] != "Signature"]
    names = [p[0] for p in out]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "twice")
    if not {"Action", "PublicKey"} <= set(names):
        raise Refused("parameter-missing", "Action or PublicKey")
    return sorted(out, key=lambda p: p[0].encode())


def signature(ps, pri):
    h = hashlib.sha1()
    for p in ps:
        h.update(p[0].encode())
        h.update(p[1].encode())
    h.update(pri.encode())
    return h.hexdigest()


def op_query(given, pub, pri):
    ps = params(given)
    return {"query": "".join(query_escape(n) + "=" + query_escape(v) + "&" for n, v, _ in ps) + "Signature=" + signature(ps, pri)}


def body_value(text, kind):
    return text if kind == "number" else json.dumps(text)


def op_json(given, pub, pri):
    ps = params(given)
    return {"body": "{" + "".join(json.dumps(n) + ":" + body_value(v, k) + "," for n, v, k in ps) + '"Signature":"' + signature(ps, pri) + '"}'}


ORDER = ">I"
EMPTY_COUNT = 1


def op_etag(given, pub, pri):
    data = content(given["content"])
    blocks = [data[i:i + (4 << 20)] for i in range(0, len(data), 4 << 20)]
    digest = hashlib.sha1(data if len(blocks) < 2 else b"".join(hashlib.sha1(b).digest() for b in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(struct.pack(ORDER, len(blocks) or EMPTY_COUNT) + digest).decode()}


OPS = {"url-encode": lambda g, a, b: {"encoded": query_escape(g["text"])}, "action-query": op_query, "action-json": op_json, "etag": op_etag}
if __name__ == "__main__":
    serve("go-first-try", OPS)
