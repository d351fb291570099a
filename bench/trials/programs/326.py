#!/usr/bin/env python3
"""A gateway in Lua for OpenResty, ported from the author's gateway for Amazon S3 (signature version 2), with its signing client.

Mistakes:
1. The key is percent-encoded in the resource that is signed (slashes stay), as S3 signs the path of the request.
2. Runs of blanks inside the value of an extra header are made one space.
3. If there is an extra header named date (x-svc-date, as x-amz-date), the line of Date is empty.
4. A pre-signed URL is accepted until 300 seconds after Expires, for clocks that differ.
5. The gateway knows no callback policies: what follows the public key and the first colon is the signature, so a header with a third part is
   refused as a wrong signature, also where the policy is right.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

SKEW = 300
NAME = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"


def escape_uri(text):
    return re.sub(rb"[^A-Za-z0-9._~-]", lambda m: b"%%%02X" % m[0][0], text.encode("utf-8")).decode("ascii")


def unescape_uri(text, reason):
    data = text.encode("utf-8")
    if re.search(rb"%(?![0-9A-Fa-f][0-9A-Fa-f])", data):
        raise Refused(reason, "bad escape")
    data = re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def request(given):
    """The request's method and its headers: lower-case name -> values."""
    if not re.fullmatch(NAME, given["method"]):
        raise Refused("method", "bad method")
    headers = {}
    for name, value in given["headers"]:
        name = name.strip(" \t")
        if not re.fullmatch(NAME, name):
            raise Refused("header-name", name)
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode("utf-8")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        headers.setdefault(name.lower(), []).append(value)
    return given["method"].upper(), headers


def single(headers, name):
    values = headers.get(name, [""])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0]


def trim_all(value):
    return re.sub("[ \t]+", " ", value)


def canonical_headers(headers):
    prefix = WORDS["headerPrefix"].lower()
    return "".join(n + ":" + ",".join(trim_all(v) for v in headers[n]) + "\n" for n in sorted(headers) if n.startswith(prefix))


def date_line(headers):
    date = single(headers, "date")
    return "" if WORDS["headerPrefix"].lower() + "date" in headers else date


def path_of(key):
    return "/".join(escape_uri(part) for part in key.split("/"))


def canonical_resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", "bad bucket")
    return "/" + bucket + "/" + path_of(key)


def string_to_sign(method, headers, bucket, key, expires=None):
    if expires is None:
        lines = [method, single(headers, "content-md5"), single(headers, "content-type"), date_line(headers)]
    else:
        lines = [method, "", "", expires]
    return "\n".join(lines + [canonical_headers(headers) + canonical_resource(bucket, key)])


def hmac_sha1(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode("ascii")


def authorization(given, pub, pri):
    method, headers = request(given)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + hmac_sha1(string_to_sign(method, headers, given["bucket"], given["key"]), pri)}


def presigned_url(given, pub, pri):
    method, headers = request(given)
    signature = hmac_sha1(string_to_sign(method, headers, given["bucket"], given["key"], given["expires"]), pri)
    path = "/".join(escape_uri(part) for part in given["key"].split("/"))
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + path + "?" + WORDS["publicKeyParameter"] + "=" + escape_uri(pub)
            + "&Expires=" + escape_uri(given["expires"]) + "&Signature=" + escape_uri(signature)}


def verify_authorization(given, pub, pri):
    method, headers = request(given)
    text = string_to_sign(method, headers, given["bucket"], given["key"])
    if "authorization" not in headers:
        raise Refused("authorization-missing", "no Authorization")
    if len(headers["authorization"]) > 1:
        raise Refused("authorization-malformed", "Authorization twice")
    match = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^: \t]+):([^ \t]+)", headers["authorization"][0])
    if not match:
        raise Refused("authorization-malformed", "not scheme key:signature")
    if match[1] != pub:
        raise Refused("public-key-unknown", match[1])
    if match[2] != hmac_sha1(text, pri):
        raise Refused("signature-mismatch", "SignatureDoesNotMatch")
    return {"publicKey": pub}


def query_args(query, wanted):
    args = {}
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name, value = unescape_uri(name, "query-malformed"), unescape_uri(value, "query-malformed")
            if name in wanted:
                if name in args:
                    raise Refused("parameter-repeated", name)
                args[name] = value
    return [args.get(name) for name in wanted]


def verify_presigned_url(given, pub, pri):
    method, headers = request(given)
    match = re.match(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?\Z", given["url"])
    if not match:
        raise Refused("url-malformed", given["url"])
    bucket, _, host = match[1].partition(".")
    if not bucket or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", match[1])
    key = unescape_uri(match[2], "url-malformed")
    public_key, expires, signature = query_args(match[3] or "", [WORDS["publicKeyParameter"], "Expires", "Signature"])
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if public_key is None or expires is None:
        raise Refused("parameter-missing", "no public key or Expires")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(given["now"]) > int(expires) + SKEW:
        raise Refused("expired", "Request has expired")
    if public_key != pub:
        raise Refused("public-key-unknown", public_key)
    if signature != hmac_sha1(string_to_sign(method, headers, bucket, key, expires), pri):
        raise Refused("signature-mismatch", "SignatureDoesNotMatch")
    return {"publicKey": pub}


if __name__ == "__main__":
    serve("lua-gateway", {"authorization": authorization, "presigned-url": presigned_url, "verify-authorization": verify_authorization,
                          "verify-presigned-url": verify_presigned_url})
