#!/usr/bin/env python3
"""A composer package in PHP (arrays, ksort, json_encode), grown from a script.

1. array_filter without a callback takes out every parameter whose text is empty or 0, and false and the number 0: neither signed nor sent.
2. ksort with its default flags: two names that are numbers compare as numbers.
3. ltrim($key, '/') in the canonical resource, so slashes at the key's start are not signed; the path of nothing else is changed.
4. A form with an empty field Content-Type is signed with the request's header (?: instead of ??), which is multipart/form-data.
5. The Password is trim()med before it is encoded.
"""
import base64, hashlib, hmac, json, os, re, sys
from decimal import Decimal
from functools import cmp_to_key

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


def rawurlencode(text):
    return re.sub(rb"[^A-Za-z0-9_.~-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8")).decode()


def plain(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    if len(written.lower().partition("e")[2]) > 4:
        raise Refused("number", "too long")
    text = "{:f}".format(Decimal(written))
    text = re.sub(r"\.?0+$", "", text) if "." in text else text
    return "0" if text in ("-0", "") else text


def flat(array, prefix=None):
    for key, value in array:
        name = key if prefix is None else prefix + "." + str(key)
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict) and "number" not in value:
            yield from flat(enumerate(value["list"]) if "list" in value else value["object"], name)
        elif isinstance(value, dict):
            yield name, plain(value["number"]), "number"
        elif isinstance(value, bool):
            yield name, "true" if value else "false", "bool"
        else:
            yield name, value, "text"


def php_compare(x, y):
    a, b = x[0], y[0]
    number = re.compile(r"[ \t\n\r\v\f]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\r\v\f]*", re.A)
    if number.fullmatch(a) and number.fullmatch(b):
        a, b = float(a), float(b)
    else:
        a, b = a.encode("utf-8"), b.encode("utf-8")
    return (a > b) - (a < b)


def truthy(row):
    name, text, kind = row
    return not (text in ("", "0") or kind == "bool" and text == "false")


def params(q):
    rows = [row for row in flat(q["parameters"]) if row[0] != "Signature"]
    if len({row[0] for row in rows}) != len(rows):
        raise Refused("parameter-repeated")
    return sorted(filter(truthy, rows), key=cmp_to_key(php_compare))


def sign(rows, private):
    return hashlib.sha1(("".join(n + t for n, t, _ in rows) + private).encode("utf-8")).hexdigest()


def request(q, private):
    rows = params(q)
    for wanted in ("Action", "PublicKey"):
        if wanted not in [n for n, _, _ in rows]:
            raise Refused("parameter-missing", wanted)
    return rows, sign(rows, private)


def action_signature(q, public, private):
    return {"signature": sign(params(q), private)}


def action_json(q, public, private):
    rows, signature = request(q, private)
    out = ",".join(json.dumps(n) + ":" + (json.dumps(t).replace("/", "\\/") if kind == "text" else t) for n, t, kind in rows)
    return {"body": "{" + out + ',"Signature":"' + signature + '"}'}


def action_query(q, public, private):
    rows, signature = request(q, private)
    return {"query": "&".join(rawurlencode(n) + "=" + rawurlencode(t) for n, t, _ in rows) + "&Signature=" + signature}


def password(q, public, private):
    return {"value": base64.b64encode(q["text"].strip(" \t\n\r\0\x0b").encode("utf-8")).decode()}


def clean(value):
    value = re.sub("[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    if re.search("[\r\n\0]", value):
        raise Refused("header-value")
    value.encode("utf-8")
    return value


def headers_of(q):
    out = {}
    for name, value in q["headers"]:
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        out.setdefault(name.lower(), []).append(clean(value))
    return out


def first(array, name, default=""):
    if len(array.get(name, [])) > 1:
        raise Refused("header-repeated", name)
    return array[name][0] if name in array else default


def string_to_sign(method, md5, mime, headers, bucket, key):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket")
    text = [method, md5, mime, first(headers, "date")]
    text += [name + ":" + ",".join(headers[name]) for name in sorted(headers) if name.startswith(WORDS["headerPrefix"].lower())]
    return "\n".join(text) + "\n/" + bucket + "/" + key.lstrip("/")


def auth(text, public, private):
    return {"authorization": WORDS["scheme"] + " " + public + ":" + base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode()}


def authorization(q, public, private):
    headers = headers_of(q)
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", q["method"]):
        raise Refused("method")
    return auth(string_to_sign(q["method"].upper(), first(headers, "content-md5"), first(headers, "content-type"), headers, q["bucket"], q["key"]), public, private)


def form(q, public, private):
    headers, fields = headers_of(q), {}
    for name, value in q["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            fields.setdefault(name, []).append(clean(value))
    md5 = first(headers, "content-md5") if "content-md5" in headers else first(fields, "Content-MD5")
    return auth(string_to_sign("POST", md5, first(fields, "Content-Type") or first(headers, "content-type"), headers, q["bucket"], q["key"]), public, private)


serve("composer", {"url-encode": lambda q, public, private: {"encoded": rawurlencode(q["text"])}, "password": password, "action-signature": action_signature,
                   "action-json": action_json, "action-query": action_query, "authorization": authorization, "form-authorization": form})
