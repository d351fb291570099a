#!/usr/bin/env python3
"""A Perl module: subs, a hash of header arrays, MIME::Base64 and Digest::HMAC_SHA1.

Mistakes:
1. The password is the unchanged result of encode_base64: a line feed after every 76 characters and at the end (nothing for an empty password).
2. The pattern for extra headers lacks the last hyphen of the prefix, so headers such as X-SvcFoo are signed among the extra headers too.
3. The verb is signed as given, not in upper case.
4. The resource is built with "$bucket/$key" where an empty key (false in Perl) or the key 0 leaves out the key and its slash: /bucket.
"""
import base64
import hashlib
import hmac
import re
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402

ATOM = re.compile(r"\A[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")


def encode_base64(octets, eol="\n"):
    text = base64.b64encode(octets).decode("ascii")
    return "".join(text[i:i + 76] + eol for i in range(0, len(text), 76))


def uri_escape(text):
    return re.sub(rb"[^A-Za-z0-9._~\-]", lambda m: ("%%%02X" % ord(m.group())).encode(), text.encode("utf-8")).decode("ascii")


def _headers(list_of_pairs):
    hash_of_arrays = {}
    for name, val in list_of_pairs:
        name = name.strip(" \t")
        if not ATOM.match(name):
            raise Refused("header-name", name)
        val.encode("utf-8")
        val = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", val).strip(" \t")
        if re.search(r"[\r\n\x00]", val):
            raise Refused("header-value", name)
        hash_of_arrays.setdefault(name.lower(), []).append(val)
    return hash_of_arrays


def _lone(headers, name):
    array = headers.get(name, [])
    if len(array) > 1:
        raise Refused("header-repeated", name)
    return array[0] if array else ""


def _merged(headers):
    word = WORDS["headerPrefix"].lower().rstrip("-")
    text = ""
    for name in sorted(headers):
        if name.startswith(word):
            text += name + ":" + ",".join(headers[name]) + "\n"
    return text


def _resource(bucket, key):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)
    path = "/" + bucket
    if key != "" and key != "0":
        path += "/" + key
    return path


def _hmac(text, pri):
    return encode_base64(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest(), "")


def _verb(method):
    if not ATOM.match(method):
        raise Refused("method", method)
    return method


def authorization(g, pub, pri):
    h = _headers(g["headers"])
    verb, resource = _verb(g["method"]), _resource(g["bucket"], g["key"])
    text = "\n".join((verb, _lone(h, "content-md5"), _lone(h, "content-type"), _lone(h, "date"), _merged(h) + resource))
    pub.encode("utf-8")
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, _hmac(text, pri))}


def presigned(g, pub, pri):
    h = _headers(g["headers"])
    verb, resource = _verb(g["method"]), _resource(g["bucket"], g["key"])
    text = "\n".join((verb, "", "", g["expires"], _merged(h) + resource))
    path = uri_escape(g["key"]).replace("%2F", "/")
    return {"url": "%s://%s.%s/%s?Expires=%s&%s=%s&Signature=%s" % (
        g["scheme"], g["bucket"], g["fileHost"], path, uri_escape(g["expires"]), WORDS["publicKeyParameter"], uri_escape(pub),
        uri_escape(_hmac(text, pri)))}


serve("perl-files", {
    "password": lambda g, pub, pri: {"value": encode_base64(g["text"].encode("utf-8"))},
    "url-encode": lambda g, pub, pri: {"encoded": uri_escape(g["text"])},
    "authorization": authorization,
    "presigned-url": presigned,
})
