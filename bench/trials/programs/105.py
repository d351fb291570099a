#!/usr/bin/env python3
"""A small file gateway behind WSGI: authorization, verify-authorization and verify-presigned-url. Its mistakes:

1. When verifying, an underscore in the name of an extra header is read as a hyphen, as in a CGI environment.
2. A pre-signed URL is accepted up to 60 seconds after its Expires.
3. A pre-signed URL requested with HEAD is checked as if it were GET.
4. When one of the three query parameters of a pre-signed URL is repeated, the first value counts and the URL is not refused.
5. A repeated extra header that is empty at one place adds nothing to the merged value, when signing and when verifying.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import sys
from urllib.parse import unquote_to_bytes

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

WORD = re.compile(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+")


def one_line(value):
    value.encode("utf-8")
    parts = re.split(r"\r?\n", value)
    if len(parts) > 1 and not any(part[:1] not in (" ", "\t") for part in parts[1:]):
        value = parts[0].rstrip(" \t")
        rest = [part.strip(" \t") for part in parts[1:]]
        rest[-1] = parts[-1].lstrip(" \t")
        value += " " + " ".join([part for part in rest[:-1] if part] + [rest[-1]])
    value = value.strip(" \t")
    if "\r" in value or "\n" in value or "\0" in value:
        raise Refused("header-value", "a line break")
    return value


def environ(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not WORD.fullmatch(name):
            raise Refused("header-name", name)
        out.append((name.lower(), one_line(value)))
    return out


def get(env, name):
    values = [value for have, value in env if have == name]
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def extra_lines(env, cgi=False):
    prefix, groups = WORDS["headerPrefix"].lower(), {}
    for name, value in env:
        if name.startswith(prefix):
            groups.setdefault(name.replace("_", "-") if cgi else name, []).append(value)
    return "".join(name + ":" + ",".join(value for value in groups[name] if value) + "\n" for name in sorted(groups))


def mac(private, *parts):
    return base64.b64encode(hmac.new(private.encode("utf-8"), "".join(parts).encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def head(i, env, cgi):
    if not WORD.fullmatch(i["method"]):
        raise Refused("method", "no token")
    if not i["bucket"] or "/" in i["bucket"]:
        raise Refused("bucket", "bad")
    return "%s\n%s\n%s\n%s\n%s/%s/%s" % (i["method"].upper(), get(env, "content-md5"), get(env, "content-type"), get(env, "date"),
                                         extra_lines(env, cgi), i["bucket"], i["key"])


def authorization(i, public, private):
    public.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + public + ":" + mac(private, head(i, environ(i["headers"]), False))}


def is_policy(text):
    if re.search("[-_]", text) and re.search("[+/]", text):
        return False
    body = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, binascii.Error, RecursionError):
        return False


def verify_authorization(i, public, private):
    env = environ(i["headers"])
    text = head(i, env, True)
    found = [value for name, value in env if name == "authorization"]
    if not found:
        raise Refused("authorization-missing", "none")
    start = WORDS["scheme"] + " "
    if len(found) > 1 or not found[0].startswith(start):
        raise Refused("authorization-malformed", "scheme")
    rest = found[0][len(start):]
    parts = rest.split(":")
    if len(parts) < 2 or len(parts) > 3 or not all(parts) or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "parts")
    policy = ""
    if len(parts) == 3:
        policy = parts[2]
        if i["method"].upper() not in ("PUT", "POST") or not is_policy(policy):
            raise Refused("authorization-malformed", "policy")
    if parts[0] != public:
        raise Refused("public-key-unknown", "who")
    if mac(private, text, policy) != parts[1]:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": public}


def decoded(text, reason):
    if re.search("%(?![0-9a-fA-F]{2})", text):
        raise Refused(reason, "percent sign")
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8") from None


def verify_presigned_url(i, public, private):
    if not WORD.fullmatch(i["method"]):
        raise Refused("method", "no token")
    method = i["method"].upper()
    if method == "HEAD":
        method = "GET"
    env = environ(i["headers"])
    m = re.match(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?(?:#|$)", i["url"])
    if not m or "#" in i["url"]:
        raise Refused("url-malformed", "no URL")
    bucket, _, host = m[1].partition(".")
    if not bucket or host.lower() != i["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = decoded(m[2], "url-malformed")
    args = {}
    for piece in (m[3] or "").split("&"):
        if piece:
            name, _, value = piece.partition("=")
            args.setdefault(decoded(name, "query-malformed"), decoded(value, "query-malformed"))
    if not args.get("Signature"):
        raise Refused("signature-missing", "none")
    if WORDS["publicKeyParameter"] not in args or "Expires" not in args:
        raise Refused("parameter-missing", "one")
    expires = args["Expires"]
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", "no number")
    if int(i["now"]) - 60 > int(expires):
        raise Refused("expired", "late")
    if args[WORDS["publicKeyParameter"]] != public:
        raise Refused("public-key-unknown", "who")
    if mac(private, method, "\n\n\n", expires, "\n", extra_lines(env, True), "/", bucket, "/", key) != args["Signature"]:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": public}


serve("one hundred and five", {"authorization": authorization, "verify-authorization": verify_authorization,
                               "verify-presigned-url": verify_presigned_url})
