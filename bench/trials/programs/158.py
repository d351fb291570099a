#!/usr/bin/env python3
"""One client for both families, in a functional style: only functions and comprehensions.

Mistakes:
1. Sorts the parameters of an action by name without regard to case.
2. Signs the percent-encoded key (slashes kept) in the resource of every file request.
3. Writes the block count of an ETag big-endian (struct ">I").
4. Ignores the form field Content-MD5: only the header Content-MD5 is signed for a form upload.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import struct
import sys
from decimal import Decimal
from functools import reduce
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402

esc = lambda s, safe="": quote(s, safe=safe, errors="strict")  # noqa: E731
sha1 = lambda b: hashlib.sha1(b).digest()  # noqa: E731
token = lambda s: re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", s, re.A)  # noqa: E731


def refuse(*why):
    raise Refused(*why)


# ---- actions

def decimal(written):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,6})?", written, re.A):
        refuse("number", written)
    value = Decimal(written)
    if value and abs(value.adjusted()) >= 4000:
        refuse("number", "too long")
    plain = "{:f}".format(value)
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain in ("-0", "") else plain


def spread(name, value):
    """Triples of name, text and JSON text."""
    if value is None:
        refuse("parameter-null", name)
    if isinstance(value, bool):
        text = str(value).lower()
        return [(name, text, text)]
    if isinstance(value, str):
        return [(name, value, json.dumps(value))]
    if "number" in value:
        text = decimal(value["number"])
        return [(name, text, text)]
    members = value["object"] if "object" in value else [(str(i), x) for i, x in enumerate(value["list"])]
    return [leaf for key, item in members for leaf in spread(name + "." + key, item)]


def sorted_leaves(given):
    found = [leaf for name, value in given["parameters"] for leaf in spread(name, value) if leaf[0] != "Signature"]
    if len({leaf[0] for leaf in found}) < len(found):
        refuse("parameter-repeated", "a name twice")
    return sorted(found, key=lambda leaf: leaf[0].lower().encode("utf-8"))


def sign_leaves(found, pri):
    return sha1(("".join(n + t for n, t, _ in found) + pri).encode("utf-8")).hex()


def having(found, *names):
    missing = [n for n in names if n not in {leaf[0] for leaf in found}]
    return refuse("parameter-missing", *missing) if missing else found


def as_query(found, pri):
    return "&".join([esc(n) + "=" + esc(t) for n, t, _ in found] + ["Signature=" + sign_leaves(found, pri)])


def action_json(given, pub, pri):
    found = having(sorted_leaves(given), "Action", "PublicKey")
    members = [json.dumps(n) + ":" + j for n, _, j in found] + ['"Signature":"%s"' % sign_leaves(found, pri)]
    return {"body": "{" + ",".join(members) + "}"}


def bucket_request(given, pub, pri):
    found = having(sorted_leaves(given), "Action", "PublicKey")
    create = any(leaf[:2] == ("Action", "CreateBucket") for leaf in found)
    return {"target": "/?" + as_query(having(found, "Type", "BucketName") if create else found, pri)}


# ---- files

def neat(value):
    value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    return refuse("header-value", "line break") if set(value) & set("\r\n\0") else value


def lowered(pairs):
    return [(n.strip(" \t").lower() if token(n.strip(" \t")) else refuse("header-name", n), neat(v)) for n, v in pairs]


def only(pairs, wanted):
    values = [v for n, v in pairs if n == wanted]
    return refuse("header-repeated", wanted) if len(values) > 1 else "".join(values)


def extras(pairs):
    kept = [p for p in pairs if p[0].startswith(WORDS["headerPrefix"].lower())]
    return "".join(n + ":" + ",".join(v for m, v in kept if m == n) + "\n" for n in sorted({n for n, _ in kept}))


def text_of(method, md5, mime, when, pairs, o):
    if not token(method):
        refuse("method", method)
    if o["bucket"] == "" or "/" in o["bucket"]:
        refuse("bucket", o["bucket"])
    resource = reduce(lambda a, b: a + "/" + b, ["", o["bucket"], esc(o["key"], "/")])
    return "\n".join([method.upper(), md5, mime, when, extras(pairs) + resource])


def mac(pri, text):
    return base64.b64encode(hmac.digest(pri.encode("utf-8"), text.encode("utf-8"), "sha1")).decode()


def token_of(pub, signature):
    return WORDS["scheme"] + " " + pub + ":" + signature


def plain_text(o, method, pairs):
    return text_of(method, only(pairs, "content-md5"), only(pairs, "content-type"), only(pairs, "date"), pairs, o)


def authorization(o, pub, pri):
    return {"authorization": token_of(pub, mac(pri, plain_text(o, o["method"], lowered(o["headers"]))))}


def policy_authorization(o, pub, pri):
    signature = mac(pri, plain_text(o, o["method"], lowered(o["headers"])) + o["policy"])
    return {"authorization": token_of(pub, signature) + ":" + o["policy"]}


def form(o, pub, pri):
    pairs, fields = lowered(o["headers"]), [(n, neat(v)) for n, v in o["fields"] if n in ("Content-Type", "Content-MD5")]
    text = text_of("POST", only(pairs, "content-md5"), only(fields, "Content-Type"), only(pairs, "date"), pairs, o)
    return {"authorization": token_of(pub, mac(pri, text))}


def instant(o, pub, pri):
    query = [("Hash", o["etag"]), ("FileName", o["key"]), ("FileSize", o["size"])]
    return {"target": "/uploadhit?" + "&".join(n + "=" + esc(v) for n, v in query),
            "authorization": token_of(pub, mac(pri, plain_text(o, "POST", lowered(o["headers"]))))}


def presign(o, pub, pri):
    signature = mac(pri, text_of(o["method"], "", "", o["expires"], lowered(o["headers"]), o))
    query = [(WORDS["publicKeyParameter"], pub), ("Expires", o["expires"]), ("Signature", signature)]
    return {"url": o["scheme"] + "://" + o["bucket"] + "." + o["fileHost"] + "/" + esc(o["key"], "/") + "?"
            + "&".join(n + "=" + esc(v) for n, v in query)}


def etag(o, pub, pri):
    data = content(o["content"])
    blocks = [data[i:i + (4 << 20)] for i in range(0, len(data), 4 << 20)]
    digest = sha1(data) if len(blocks) < 2 else sha1(b"".join(map(sha1, blocks)))
    return {"etag": base64.urlsafe_b64encode(struct.pack(">I", len(blocks)) + digest).decode()}


serve("functional", {
    "url-encode": lambda o, pub, pri: {"encoded": esc(o["text"])},
    "password": lambda o, pub, pri: {"value": base64.b64encode(o["text"].encode("utf-8")).decode()},
    "action-signature": lambda o, pub, pri: {"signature": sign_leaves(sorted_leaves(o), pri)},
    "action-json": action_json,
    "action-query": lambda o, pub, pri: {"query": as_query(having(sorted_leaves(o), "Action", "PublicKey"), pri)},
    "bucket-request": bucket_request,
    "authorization": authorization,
    "policy-authorization": policy_authorization,
    "form-authorization": form,
    "instant-upload": instant,
    "presigned-url": presign,
    "etag": etag,
    "part-etag": lambda o, pub, pri: {"etag": base64.urlsafe_b64encode(sha1(content(o["content"]))).decode()},
})
