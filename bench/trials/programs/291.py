#!/usr/bin/env python3
r"""A CPAN module, ported line by line: everything that signs (parameters, files, ETags), nothing that verifies and no callback policies.

Mistakes:
1. Uses URI::Escape::uri_escape for a text whose characters are all below U+0100, and uri_escape_utf8 only for others ("uri_escape died with Wide character").
   Hence é alone is %E9 instead of %C3%A9, while é beside a Chinese character is right. Everywhere where something is percent-encoded.
2. A number that is written with a fraction or an exponent is a Perl double and is printed with %.15g: at most 15 significant digits, and 1e+21 or
   1e-07 if it is very large or small. Numbers written as integers stay as they are.
3. Takes extra headers with /^X-Svc-[\w-]*$/i. Names that have a dot or another sign besides letters, digits, underscore and hyphen are not signed.
4. Makes the ETag of a part with encode_base64url, which leaves out the padding: 27 characters instead of 28. (The ETag of a file needs no padding.)
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


def uri_escape(text):
    wide = re.search("[^\x00-\xff]", text)
    octets = text.encode("utf-8" if wide else "latin-1")
    return re.sub(rb"[^A-Za-z0-9\-\._~]", lambda m: b"%%%02X" % ord(m[0]), octets).decode("ascii")


# ---- package Svc::Account

def stringify(digits):
    if not re.match(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z", digits):
        raise Refused("number", "Argument isn't numeric: " + digits)
    if re.search("[.eE]", digits):
        exact = Decimal(digits)
        if exact and abs(exact.adjusted()) >= 4000:
            raise Refused("number", "out of range")
        text = "%.15g" % exact
        return "0" if text == "-0" else text
    return "0" if digits == "-0" else digits


def expand(name, value, into):
    if value is None:
        raise Refused("parameter-null", "undef in " + name)
    if type(value) is bool:
        into.append((name, ("false", "true")[value], False))
    elif type(value) is str:
        into.append((name, value, True))
    elif "number" in value:
        into.append((name, stringify(value["number"]), False))
    else:
        pairs = value["object"] if "object" in value else enumerate(value["list"])
        for inner, item in pairs:
            expand("%s.%s" % (name, inner), item, into)


def arrange(parameters):
    """List of [name, text, quoted] in the order of signing."""
    into, seen = [], {}
    for name, value in parameters:
        expand(name, value, into)
    into = [row for row in into if row[0] != "Signature"]
    for row in into:
        if row[0] in seen:
            raise Refused("parameter-repeated", row[0])
        seen[row[0]] = row[1]
    into.sort(key=lambda row: row[0].encode("utf-8"))
    return into, seen


def sha1_hex(rows, private):
    sha = hashlib.sha1()
    for name, text, _ in rows:
        sha.update(name.encode("utf-8"))
        sha.update(text.encode("utf-8"))
    sha.update(private.encode("utf-8"))
    return sha.hexdigest()


def require(seen, *names):
    missing = [n for n in names if n not in seen]
    if missing:
        raise Refused("parameter-missing", missing[0])


def action_signature(given, pub, pri):
    rows, _ = arrange(given["parameters"])
    return {"signature": sha1_hex(rows, pri)}


def action_json(given, pub, pri):
    rows, seen = arrange(given["parameters"])
    require(seen, "Action", "PublicKey")
    members = ["%s:%s" % (json.dumps(n), json.dumps(t) if quoted else t) for n, t, quoted in rows]
    members.append('"Signature":"%s"' % sha1_hex(rows, pri))
    return {"body": "{%s}" % ",".join(members)}


def query_string(given, pri, bucket=False):
    rows, seen = arrange(given["parameters"])
    require(seen, "Action", "PublicKey")
    if bucket and seen["Action"] == "CreateBucket":
        require(seen, "Type", "BucketName")
    signature = sha1_hex(rows, pri)
    return "".join(uri_escape(n) + "=" + uri_escape(t) + "&" for n, t, _ in rows) + "Signature=" + signature


# ---- package Svc::File

def clean(value):
    value.encode("utf-8")
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)
    value = re.sub(r"\A[ \t]+|[ \t]+\Z", "", value)
    if re.search("[\r\n\0]", value):
        raise Refused("header-value", "Illegal characters in header value")
    return value


def http_headers(pairs):
    out = []
    for name, value in pairs:
        name = re.sub(r"\A[ \t]+|[ \t]+\Z", "", name)
        if not re.match(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+\Z", name):
            raise Refused("header-name", "Illegal field name '%s'" % name)
        out.append((name, clean(value)))
    return out


def field(pairs, wanted):
    found = [v for n, v in pairs if n.lower() == wanted]
    if len(found) > 1:
        raise Refused("header-repeated", wanted)
    return found[0] if found else ""


def canonical(pairs):
    pattern = re.compile("^" + re.escape(WORDS["headerPrefix"]) + r"[A-Za-z0-9_-]*$", re.I)
    joined = {}
    for n, v in pairs:
        if pattern.match(n):
            n = n.lower()
            joined[n] = joined[n] + "," + v if n in joined else v
    return "".join("%s:%s\n" % pair for pair in sorted(joined.items()))


def hmac_base64(pri, verb, md5, mime, date, pairs, given):
    bucket = given["bucket"]
    if bucket == "" or bucket.find("/") >= 0:
        raise Refused("bucket", bucket)
    text = "\n".join((verb, md5, mime, date, canonical(pairs) + "/%s/%s" % (bucket, given["key"])))
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def verb_of(given):
    if not re.match(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+\Z", given["method"]):
        raise Refused("method", given["method"])
    return given["method"].upper()


def header_value(pub, signature):
    pub.encode("utf-8")
    return "%s %s:%s" % (WORDS["scheme"], pub, signature)


def authorization(given, pub, pri):
    pairs = http_headers(given["headers"])
    verb = verb_of(given)
    md5, mime, date = (field(pairs, n) for n in ("content-md5", "content-type", "date"))
    return {"authorization": header_value(pub, hmac_base64(pri, verb, md5, mime, date, pairs, given))}


def form_authorization(given, pub, pri):
    pairs = http_headers(given["headers"])
    mimes = [clean(v) for n, v in given["fields"] if n == "Content-Type"]
    sums = [clean(v) for n, v in given["fields"] if n == "Content-MD5"]
    if any(n.lower() == "content-md5" for n, _ in pairs):
        sums = [field(pairs, "content-md5")]
    if len(mimes) > 1 or len(sums) > 1:
        raise Refused("header-repeated", "form field")
    signature = hmac_base64(pri, "POST", "".join(sums), "".join(mimes), field(pairs, "date"), pairs, given)
    return {"authorization": header_value(pub, signature)}


def instant_upload(given, pub, pri):
    answer = authorization(dict(given, method="POST"), pub, pri)
    parts = (uri_escape(given[n]) for n in ("etag", "key", "size"))
    answer["target"] = "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(parts)
    return answer


def presigned_url(given, pub, pri):
    pairs = http_headers(given["headers"])
    signature = hmac_base64(pri, verb_of(given), "", "", given["expires"], pairs, given)
    path = "/".join(uri_escape(part) for part in given["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], uri_escape(pub), uri_escape(given["expires"]),
        uri_escape(signature))}


# ---- package Svc::ETag

def etag(given, pub, pri):
    data, size = content(given["content"]), 4 * 1024 * 1024
    hashes = [hashlib.sha1(data[at:at + size]).digest() for at in range(0, len(data), size)]
    if len(data) > size:
        digest = hashlib.sha1(b"".join(hashes)).digest()
    else:
        digest = hashlib.sha1(data).digest()
    return {"etag": base64.urlsafe_b64encode(len(hashes).to_bytes(4, "little") + digest).decode("ascii")}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode("ascii").rstrip("=")}


serve("perl-cpan", {
    "url-encode": lambda given, pub, pri: {"encoded": uri_escape(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode("ascii")},
    "action-signature": action_signature, "action-json": action_json,
    "action-query": lambda given, pub, pri: {"query": query_string(given, pri)},
    "bucket-request": lambda given, pub, pri: {"target": "/?" + query_string(given, pri, True)},
    "authorization": authorization, "form-authorization": form_authorization, "instant-upload": instant_upload,
    "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag,
})
