#!/usr/bin/env python3
"""A Rust crate ported from a Google Cloud Storage signer (V2 query strings), which signs and verifies.

Mistakes:
1. The key in CanonicalizedResource is percent-encoded (slashes kept), as the resource of Cloud Storage is, when signing and verifying.
2. A pre-signed URL signs the values of Content-MD5 and Content-Type where the request has these headers, and so does its verifier.
3. The headers <prefix>encryption-key and <prefix>encryption-key-sha256 are left out of the canonical headers, as Cloud Storage
   leaves out x-goog-encryption-key.
4. The value of an extra header goes through split_whitespace().join(" "): each run of (Unicode) white space inside it becomes one
   space, and Unicode white space at its ends goes away.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

CHUNK = 4 << 20
UNRESERVED = set(b"-._~") | set(range(48, 58)) | set(range(65, 91)) | set(range(97, 123))
WHITE_SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def utf8_percent_encode(s, keep=b""):
    buf = bytearray()
    for b in s.encode("utf-8"):
        buf += bytes([b]) if b in UNRESERVED or b in keep else b"%%%02X" % b
    return buf.decode("ascii")


def percent_decode(s, reason):
    raw, i, out = s.encode("utf-8"), 0, bytearray()
    while i < len(raw):
        if raw[i] == 0x25:
            pair = raw[i + 1:i + 3]
            if not re.fullmatch(rb"[0-9a-fA-F]{2}", pair):
                raise Refused(reason, "bad escape")
            out.append(int(pair, 16))
            i += 3
        else:
            out.append(raw[i])
            i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def is_token(s):
    return re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", s, re.ASCII) is not None


def unfold(value):
    value = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode("utf-8")
    if set(value) & {"\r", "\n", "\0"}:
        raise Refused("header-value", "control character")
    return value


def header_map(headers):
    m = []
    for name, value in headers:
        name = name.strip(" \t")
        if not is_token(name):
            raise Refused("header-name", name)
        m.append((name.lower(), unfold(value)))
    return m


def get_all(m, name):
    return [v for n, v in m if n == name]


def get(m, name):
    found = get_all(m, name)
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def canonical_headers(m):
    prefix = WORDS["headerPrefix"].lower()
    skipped = (prefix + "encryption-key", prefix + "encryption-key-sha256")
    tree = {}
    for name, value in m:
        if name.startswith(prefix) and name not in skipped:
            tree.setdefault(name, []).append(" ".join(w for w in WHITE_SPACE.split(value) if w))
    return "".join(n + ":" + ",".join(tree[n]) + "\n" for n in sorted(tree))


def canonical_resource(bucket, key):
    return "/" + bucket + "/" + utf8_percent_encode(key, b"/")


def string_to_sign(method, md5, mime, date, m, bucket, key):
    if not is_token(method):
        raise Refused("method", "not a token")
    if not bucket or "/" in bucket:
        raise Refused("bucket", "bad bucket")
    return "\n".join((method.upper(), md5, mime, date)) + "\n" + canonical_headers(m) + canonical_resource(bucket, key)


def request_string(g, m, method=None):
    return string_to_sign(method or g["method"], get(m, "content-md5"), get(m, "content-type"), get(m, "date"), m, g["bucket"], g["key"])


def url_string(method, expires, m, bucket, key):
    return string_to_sign(method, get(m, "content-md5"), get(m, "content-type"), expires, m, bucket, key)


def sign(text, secret):
    return base64.b64encode(hmac.new(secret.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def header(pub, text, secret):
    pub.encode("utf-8")
    return "{} {}:{}".format(WORDS["scheme"], pub, sign(text, secret))


def authorization(g, pub, pri):
    if g["method"] == "":
        raise Refused("method", "empty")
    return {"authorization": header(pub, request_string(g, header_map(g["headers"])), pri)}


def policy_authorization(g, pub, pri):
    if g["method"] == "":
        raise Refused("method", "empty")
    text = request_string(g, header_map(g["headers"])) + g["policy"]
    tail = ":" + g["policy"] if g["policy"] else ""
    return {"authorization": header(pub, text, pri) + tail}


def form_authorization(g, pub, pri):
    m = header_map(g["headers"])
    fields = [(n, unfold(v)) for n, v in g["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = get(m, "content-md5") if get_all(m, "content-md5") else get(fields, "Content-MD5")
    text = string_to_sign("POST", md5, get(fields, "Content-Type"), get(m, "date"), m, g["bucket"], g["key"])
    return {"authorization": header(pub, text, pri)}


def instant_upload(g, pub, pri):
    text = request_string(g, header_map(g["headers"]), "POST")
    e = utf8_percent_encode
    return {"target": "/uploadhit?Hash={}&FileName={}&FileSize={}".format(e(g["etag"]), e(g["key"]), e(g["size"])),
            "authorization": header(pub, text, pri)}


def presigned_url(g, pub, pri):
    signature = sign(url_string(g["method"], g["expires"], header_map(g["headers"]), g["bucket"], g["key"]), pri)
    e = utf8_percent_encode
    return {"url": "{}://{}.{}/{}?{}={}&Expires={}&Signature={}".format(
        g["scheme"], g["bucket"], g["fileHost"], e(g["key"], b"/"), WORDS["publicKeyParameter"], e(pub), e(g["expires"]), e(signature))}


def etag(g, pub, pri):
    data = content(g["content"])
    chunks = [data[i:i + CHUNK] for i in range(0, len(data), CHUNK)]
    if len(chunks) > 1:
        digest = hashlib.sha1(b"".join(hashlib.sha1(c).digest() for c in chunks)).digest()
    else:
        digest = hashlib.sha1(data).digest()
    return {"etag": base64.urlsafe_b64encode(len(chunks).to_bytes(4, "little") + digest).decode("ascii")}


def part_etag(g, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(g["content"])).digest()).decode("ascii")}


def is_policy(method, policy):
    if method.upper() not in ("PUT", "POST"):
        return False
    body = policy.rstrip("=")
    if re.fullmatch(r"[A-Za-z0-9_-]+", body) is None and re.fullmatch(r"[A-Za-z0-9+/]+", body) is None:
        return False
    try:
        raw = base64.b64decode(body.translate(str.maketrans("-_", "+/")) + "=" * (-len(body) % 4), validate=True)
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(g, pub, pri):
    m = header_map(g["headers"])
    if g["method"] == "":
        raise Refused("method", "empty")
    text = request_string(g, m)
    values = get_all(m, "authorization")
    if not values:
        raise Refused("authorization-missing", "no header")
    scheme, space, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme != WORDS["scheme"] or not space or len(parts) not in (2, 3) or "" in parts or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "not scheme key:signature")
    if len(parts) == 3:
        if not is_policy(g["method"], parts[2]):
            raise Refused("authorization-malformed", "not a policy")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    if not hmac.compare_digest(sign(text, pri).encode(), parts[1].encode("utf-8")):
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": pub}


def verify_presigned_url(g, pub, pri):
    m = header_map(g["headers"])
    if not is_token(g["method"]):
        raise Refused("method", "not a token")
    parsed = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", g["url"], re.S)
    if parsed is None:
        raise Refused("url-malformed", "no URL")
    bucket, _, host = parsed[1].partition(".")
    if not bucket or host.lower() != g["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key = percent_decode(parsed[2], "url-malformed")
    q = {}
    for pair in (parsed[3] or "").split("&"):
        if pair:
            name, _, value = pair.partition("=")
            name, value = percent_decode(name, "query-malformed"), percent_decode(value, "query-malformed")
            if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
                if name in q:
                    raise Refused("parameter-repeated", name)
                q[name] = value
    if not q.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    if WORDS["publicKeyParameter"] not in q or "Expires" not in q:
        raise Refused("parameter-missing", "no key or expiry")
    if re.fullmatch("[0-9]{1,15}", q["Expires"]) is None:
        raise Refused("expires-malformed", q["Expires"])
    if int(g["now"]) > int(q["Expires"]):
        raise Refused("expired", q["Expires"])
    if q[WORDS["publicKeyParameter"]] != pub:
        raise Refused("public-key-unknown", "unknown")
    if sign(url_string(g["method"], q["Expires"], m, bucket, key), pri) != q["Signature"]:
        raise Refused("signature-mismatch", "no match")
    return {"publicKey": pub}


serve("rust-gcs", {f.__name__.replace("_", "-"): f for f in (
    authorization, policy_authorization, form_authorization, instant_upload, presigned_url, etag, part_etag,
    verify_authorization, verify_presigned_url)})
