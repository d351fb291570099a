#!/usr/bin/env python3
"""A file SDK as a Perl author would write it (URI::Escape, Digest::HMAC_SHA1, a hash for the headers).

Mistakes:
1. The percent-encoder leaves a slash as it is, wherever it encodes: url-encode, the FileName of instant uploads, and the public key and the signature of a pre-signed URL.
2. Header values lose only the blanks at their end; blanks before the value stay, in positional headers, form fields and extra headers.
3. A repeated extra header is appended to the earlier value only if the earlier value is true in Perl: an earlier value that is empty or "0" is replaced by the next one, without a comma.
4. The Base64 of the HMAC has no padding in a pre-signed URL (hmac_sha1_base64 gives none); the Authorization header adds the missing "=".
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402


def uri_escape_utf8(s):
    return re.sub(rb"[^A-Za-z0-9\-._~/]", lambda m: b"%%%02X" % m[0][0], s.encode("utf-8")).decode("ascii")


def chomp_value(v):
    v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v)
    v = re.sub(r"[ \t]+\Z", "", v)
    if re.search(r"[\r\n\0]", v):
        raise Refused("header-value", "line break")
    v.encode("utf-8")
    return v


def perl_true(s):
    return s not in (None, "", "0")


def parse(pairs):
    """(positional name -> list, extra hash)"""
    seen, extra = {}, {}
    prefix = WORDS["headerPrefix"].lower()
    for k, v in pairs:
        k = re.sub(r"^[ \t]+|[ \t]+$", "", k)
        if not re.search(r"\A[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z", k):
            raise Refused("header-name", k)
        k, v = k.lower(), chomp_value(v)
        if k.startswith(prefix):
            extra[k] = extra[k] + "," + v if perl_true(extra.get(k)) else v
        else:
            seen.setdefault(k, []).append(v)
    return seen, extra


def positional(seen, k):
    vs = seen.get(k, [])
    if len(vs) > 1:
        raise Refused("header-repeated", k)
    return vs[0] if vs else ""


def need_bucket(b):
    if b == "" or "/" in b:
        raise Refused("bucket", b)


def need_method(m):
    if not re.search(r"\A[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z", m):
        raise Refused("method", m)
    return m.upper()


def string_to_sign(verb, md5, type_, date, extra, bucket, key):
    canon = "".join("%s:%s\n" % (k, extra[k]) for k in sorted(extra))
    return "%s\n%s\n%s\n%s\n%s/%s/%s" % (verb, md5, type_, date, canon, bucket, key)


def hmac_sha1_base64(s, secret):
    d = hmac.new(secret.encode("utf-8"), s.encode("utf-8"), hashlib.sha1).digest()
    return base64.b64encode(d).decode("ascii").rstrip("=")


def auth_header(s, pub, pri):
    sig = hmac_sha1_base64(s, pri)
    while len(sig) % 4:
        sig += "="
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + sig


def sub_authorization(o, pub, pri, verb=None):
    seen, extra = parse(o["headers"])
    verb = verb or need_method(o["method"])
    need_bucket(o["bucket"])
    s = string_to_sign(verb, positional(seen, "content-md5"), positional(seen, "content-type"),
                       positional(seen, "date"), extra, o["bucket"], o["key"])
    return {"authorization": auth_header(s, pub, pri)}


def sub_form(o, pub, pri):
    seen, extra = parse(o["headers"])
    need_bucket(o["bucket"])
    form = {}
    for k, v in o["fields"]:
        if k in ("Content-Type", "Content-MD5"):
            form.setdefault(k, []).append(chomp_value(v))
    md5 = positional(seen, "content-md5") if "content-md5" in seen else positional(form, "Content-MD5")
    s = string_to_sign("POST", md5, positional(form, "Content-Type"), positional(seen, "date"), extra, o["bucket"], o["key"])
    return {"authorization": auth_header(s, pub, pri)}


def sub_instant(o, pub, pri):
    r = sub_authorization(o, pub, pri, "POST")
    r["target"] = "/uploadhit?" + "&".join("%s=%s" % (n, uri_escape_utf8(o[f])) for n, f in
                                           (("Hash", "etag"), ("FileName", "key"), ("FileSize", "size")))
    return r


def sub_url(o, pub, pri):
    seen, extra = parse(o["headers"])
    verb = need_method(o["method"])
    need_bucket(o["bucket"])
    sig = hmac_sha1_base64(string_to_sign(verb, "", "", o["expires"], extra, o["bucket"], o["key"]), pri)
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        o["scheme"], o["bucket"], o["fileHost"], uri_escape_utf8(o["key"]), WORDS["publicKeyParameter"],
        uri_escape_utf8(pub), uri_escape_utf8(o["expires"]), uri_escape_utf8(sig))}


serve("perl-file", {
    "url-encode": lambda o, pub, pri: {"encoded": uri_escape_utf8(o["text"])},
    "authorization": sub_authorization,
    "form-authorization": sub_form,
    "instant-upload": sub_instant,
    "presigned-url": sub_url,
})
