#!/usr/bin/env python3
"""A PHP package for Laravel: arrays, ksort, hash_hmac, and a middleware that checks signed queries.

Mistakes:
1. Calls ksort($params, SORT_STRING) before it flattens lists and objects: their parts stay in the order given (Backends.2 before
   Backends.10) and at the place of the parameter that holds them, in the signed text and in what is sent.
2. Booleans are cast with (string): true is signed, and written into a query, as 1 and false as the empty text; the JSON body holds true
   and false.
3. hash_hmac is called without its fourth argument: the file signature is Base64 of the 40 hexadecimal digits, in Authorization, for
   forms and in pre-signed URLs.
4. The middleware takes the parameters from parse_str: a plus sign is a space, and each dot or space in a parameter name becomes an
   underscore, so Backends.0 is checked as Backends_0.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal, DecimalException

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


def rawurlencode(s):
    keep = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~"
    return "".join(chr(b) if b < 128 and chr(b) in keep else "%%%02X" % b for b in s.encode("utf-8"))


def number(s):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", s):
        raise Refused("number", s)
    try:
        d = Decimal(s)
    except DecimalException:
        raise Refused("number", s)
    if d.is_zero():
        return "0"
    if abs(d.adjusted()) >= 4000:
        raise Refused("number", s)
    s = f"{d:f}"
    if "." in s:
        s = s.rstrip("0")
    return s[:-1] if s.endswith(".") else s


def ksort(params):
    return sorted(params, key=lambda p: p[0].encode("utf-8"))


def array_flatten(params):
    for name, value in params:
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict) and "list" in value:
            yield from array_flatten((name + "." + str(i), v) for i, v in enumerate(value["list"]))
        elif isinstance(value, dict) and "object" in value:
            yield from array_flatten((name + "." + k, v) for k, v in value["object"])
        elif name != "Signature":
            yield name, value


def to_string(value):
    if isinstance(value, dict):
        return number(value["number"])
    return {True: "1", False: ""}[value] if isinstance(value, bool) else value


def to_json(value):
    return to_string(value) if isinstance(value, dict) else json.dumps(value)


class Client:
    def __init__(self, pub, pri):
        self.pub, self.pri = pub, pri

    def prepare(self, params, required=()):
        flat = list(array_flatten(ksort(params)))
        names = [n for n, _ in flat]
        if len(set(names)) != len(names):
            raise Refused("parameter-repeated", "a name is there twice")
        for name in required:
            if name not in names:
                raise Refused("parameter-missing", name)
        return flat

    def signature(self, flat):
        s = "".join(n + to_string(v) for n, v in flat)
        return hashlib.sha1((s + self.pri).encode("utf-8")).hexdigest()

    def query(self, params):
        flat = self.prepare(params, ("Action", "PublicKey"))
        return "&".join([rawurlencode(n) + "=" + rawurlencode(to_string(v)) for n, v in flat] + ["Signature=" + self.signature(flat)])

    def bucket(self, params):
        flat = self.prepare(params, ("Action", "PublicKey"))
        if any(n == "Action" and to_string(v) == "CreateBucket" for n, v in flat):
            self.prepare(params, ("Type", "BucketName"))
        return "/?" + self.query(params)

    def json(self, params):
        flat = self.prepare(params, ("Action", "PublicKey"))
        rows = [json.dumps(n) + ":" + to_json(v) for n, v in flat]
        return "{" + ",".join(rows + ['"Signature":"' + self.signature(flat) + '"']) + "}"

    def hmac(self, text):
        digest = hmac.new(self.pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).hexdigest()
        return base64.b64encode(digest.encode("ascii")).decode("ascii")

    def header(self, text):
        self.pub.encode("utf-8")
        return {"authorization": f"{WORDS['scheme']} {self.pub}:{self.hmac(text)}"}


TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def clean(value):
    value = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "a line break or NUL")
    return value


def header_bag(headers):
    bag = {}
    for name, value in headers:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        bag.setdefault(name.lower(), []).append(clean(value))
    return bag


def first(values):
    if len(values) > 1:
        raise Refused("header-repeated", "twice")
    return values[0] if values else ""


def implode(method, md5, mime, date, bag, bucket, key):
    if not TOKEN.fullmatch(method):
        raise Refused("method", method)
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    prefix = WORDS["headerPrefix"].lower()
    extra = [name + ":" + ",".join(values) for name, values in sorted(bag.items()) if name.startswith(prefix)]
    return "\n".join([method.upper(), md5, mime, date] + extra + ["/" + bucket + "/" + key])


def authorization(g, pub, pri):
    bag = header_bag(g["headers"])
    md5, mime, date = (first(bag.get(n, [])) for n in ("content-md5", "content-type", "date"))
    return Client(pub, pri).header(implode(g["method"], md5, mime, date, bag, g["bucket"], g["key"]))


def form_authorization(g, pub, pri):
    bag = header_bag(g["headers"])
    fields = {"Content-Type": [], "Content-MD5": []}
    for name, value in g["fields"]:
        if name in fields:
            fields[name].append(clean(value))
    md5 = first(bag.get("content-md5") or fields["Content-MD5"])
    return Client(pub, pri).header(implode("POST", md5, first(fields["Content-Type"]), first(bag.get("date", [])), bag, g["bucket"], g["key"]))


def presigned_url(g, pub, pri):
    s = Client(pub, pri).hmac(implode(g["method"], "", "", g["expires"], header_bag(g["headers"]), g["bucket"], g["key"]))
    path = rawurlencode(g["key"]).replace("%2F", "/")
    return {"url": f"{g['scheme']}://{g['bucket']}.{g['fileHost']}/{path}?{WORDS['publicKeyParameter']}={rawurlencode(pub)}"
                   f"&Expires={rawurlencode(g['expires'])}&Signature={rawurlencode(s)}"}


def etag(g, pub, pri):
    data = content(g["content"])
    blocks = [data[i:i + 4194304] for i in range(0, len(data), 4194304)]
    sha = hashlib.sha1(b"".join(hashlib.sha1(b).digest() for b in blocks) if len(blocks) > 1 else data).digest()
    return {"etag": base64.urlsafe_b64encode(len(blocks).to_bytes(4, "little") + sha).decode("ascii")}


def urldecode(s):
    if re.search("%(?![0-9A-Fa-f]{2})", s):
        raise Refused("query-malformed", "stray percent sign")
    try:
        return re.sub(b"%(..)", lambda m: bytes.fromhex(m[1].decode("ascii")), s.replace("+", " ").encode("utf-8")).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def parse_str(query):
    out = {}
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name = re.sub("[. ]", "_", urldecode(name))
            if name in out:
                raise Refused("parameter-repeated", name)
            out[name] = urldecode(value)
    return out


def verify_query(g, pub, pri):
    params = parse_str(g["query"])
    signature = params.pop("Signature", "")
    if signature == "":
        raise Refused("signature-missing", "no Signature")
    client = Client(pub, pri)
    flat = client.prepare(list(params.items()), ("Action", "PublicKey"))
    if params["PublicKey"] != pub:
        raise Refused("public-key-unknown", params["PublicKey"])
    if not hmac.compare_digest(client.signature(flat).encode("ascii"), signature.encode("utf-8")):
        raise Refused("signature-mismatch", "403")
    return {"publicKey": pub}


def action_signature(g, pub, pri):
    client = Client(pub, pri)
    return {"signature": client.signature(client.prepare(g["parameters"]))}


serve("php-laravel", {
    "url-encode": lambda g, pub, pri: {"encoded": rawurlencode(g["text"])},
    "password": lambda g, pub, pri: {"value": base64.b64encode(g["text"].encode("utf-8")).decode("ascii")},
    "action-signature": action_signature,
    "action-query": lambda g, pub, pri: {"query": Client(pub, pri).query(g["parameters"])},
    "action-json": lambda g, pub, pri: {"body": Client(pub, pri).json(g["parameters"])},
    "bucket-request": lambda g, pub, pri: {"target": Client(pub, pri).bucket(g["parameters"])},
    "authorization": authorization,
    "form-authorization": form_authorization,
    "presigned-url": presigned_url,
    "etag": etag,
    "verify-query": verify_query,
})
