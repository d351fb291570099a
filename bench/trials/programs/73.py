"""AWS S3 signature version 2, ported (boto style).

1. The key in the signed resource is percent-encoded as in the URL (slashes kept).
2. The Date line is empty when an X-Svc-Date header is sent.
3. The bucket in the signed resource is lower-cased, as for a virtual host.
4. verify-authorization compares the scheme without regard to letter case.
"""
import base64
import hashlib
import hmac
import json
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from urllib.parse import quote  # noqa: E402

NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.A)


def canonical_string(method, bucket, key, headers, expires=None):
    if not NAME.fullmatch(method):
        raise Refused("method", method)
    if not bucket or "/" in bucket:
        raise Refused("bucket", bucket)
    prefix = WORDS["headerPrefix"].lower()
    interesting = {}
    positional = {"content-md5": "", "content-type": "", "date": ""}
    seen = set()
    for name, value in headers:
        lk = name.lower()
        if lk in positional:
            if lk in seen:
                raise Refused("header-repeated", name)
            seen.add(lk)
            if expires is None:
                positional[lk] = value
        elif lk.startswith(prefix):
            interesting[lk] = interesting[lk] + "," + value if lk in interesting else value
    if prefix + "date" in interesting:
        positional["date"] = ""
    if expires is not None:
        positional["date"] = expires
    buf = method.upper() + "\n"
    for n in ("content-md5", "content-type", "date"):
        buf += positional[n] + "\n"
    for n in sorted(interesting):
        buf += n + ":" + interesting[n] + "\n"
    return buf + "/" + bucket.lower() + "/" + quote(key, safe="/~")


def prepare(headers):
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not NAME.fullmatch(name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if set(value) & set("\r\n\0"):
            raise Refused("header-value", name)
        out.append((name, value))
    return out


def sign(pri, text):
    return base64.b64encode(hmac.new(pri.encode(), text.encode(), "sha1").digest()).decode()


def authorization(i, pub, pri):
    text = canonical_string(i["method"], i["bucket"], i["key"], prepare(i["headers"]))
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, sign(pri, text))}


def presigned_url(i, pub, pri):
    headers = [h for h in prepare(i["headers"]) if h[0].lower() not in ("content-md5", "content-type", "date")]
    signature = sign(pri, canonical_string(i["method"], i["bucket"], i["key"], headers, i["expires"]))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (i["scheme"], i["bucket"], i["fileHost"], quote(i["key"], safe="/~"),
            WORDS["publicKeyParameter"], quote(pub, safe="~"), quote(i["expires"], safe="~"), quote(signature, safe=""))}


def policy_object(policy):
    if re.search("[+/]", policy) and re.search("[-_]", policy):
        return False
    try:
        plain = policy.translate({45: "+", 95: "/"}).rstrip("=")
        return isinstance(json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(i, pub, pri):
    headers = prepare(i["headers"])
    text = canonical_string(i["method"], i["bucket"], i["key"], headers)
    found = [v for n, v in headers if n.lower() == "authorization"]
    if not found:
        raise Refused("authorization-missing", "")
    scheme, blank, rest = found[0].partition(" ")
    parts = rest.split(":")
    if len(found) > 1 or not blank or scheme.lower() != WORDS["scheme"].lower() or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "")
    if len(parts) == 3:
        if i["method"].upper() not in ("PUT", "POST") or not policy_object(parts[2]):
            raise Refused("authorization-malformed", "policy")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", "")
    if not hmac.compare_digest(sign(pri, text).encode(), parts[1].encode()):
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


if __name__ == "__main__":
    serve("s3-v2", {"authorization": authorization, "presigned-url": presigned_url, "verify-authorization": verify_authorization})
