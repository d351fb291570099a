#!/usr/bin/env python3
"""A Rust server (hyper, serde_json, base64, BTreeMap) that verifies, and computes ETags for its store.

Mistakes:
1. Extra headers are collected with entry(name).or_insert(value): of a repeated header only the first value is signed.
2. Header values are trimmed with str::trim, which removes any Unicode white space (no-break space, ideographic space) at both ends, not only spaces and tabs.
3. Numbers of a JSON body are serde_json numbers: one with a fraction or exponent, or beyond 64 bits, is a float and keeps its ".0" (42.0), with an exponent from 1e16 on or below 1e-5.
4. Expires is parsed as a u32: more than 4294967295 is refused as malformed.
5. The given file signature is decoded without regard to padding and the bytes are compared: a signature without its "=" is accepted, in verify-authorization and verify-presigned-url.
6. The callback policy need only be Base64: it is not checked to hold a JSON object.
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
from serving import Refused, WORDS, content, serve  # noqa: E402


def is_token(s):
    return re.fullmatch(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+", s) is not None


def header_map(pairs):
    out = []
    for name, value in pairs:
        name = name.strip(" \t")
        if not is_token(name):
            raise Refused("header-name", name)
        value = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value)
        if re.search("[\r\n\0]", value.strip(" \t")):
            raise Refused("header-value", name)
        value.encode("utf-8")
        out.append((name.lower(), re.sub(r"^[ \t\x0b\x0c\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[ \t\x0b\x0c\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$", "", value)))
    return out


def get(map_, name):
    found = [v for n, v in map_ if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def canonical_headers(map_):
    tree = {}
    for name, value in map_:
        if name.startswith(WORDS["headerPrefix"].lower()):
            tree.setdefault(name, value)
    return "".join(f"{n}:{tree[n]}\n" for n in sorted(tree))


def decode_indifferent(s):
    """STANDARD alphabet, padding indifferent; None if it cannot be decoded."""
    bare = s.rstrip("=")
    if not re.fullmatch(r"[A-Za-z0-9+/]+", bare) or len(s) - len(bare) > 2 or len(bare) % 4 == 1:
        return None
    raw = base64.b64decode(bare + "=" * (-len(bare) % 4))
    return raw if base64.b64encode(raw).decode().rstrip("=") == bare else None


def compare(text, pri, given):
    if decode_indifferent(given) != hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest():
        raise Refused("signature-mismatch", "mac")


def known(who, pub):
    if who != pub:
        raise Refused("public-key-unknown", who)


def policy_base64(p):
    bare = p.rstrip("=")
    return re.fullmatch(r"[A-Za-z0-9+/]+|[A-Za-z0-9_-]+", bare) and len(bare) % 4 != 1


def verify_authorization(q, pub, pri):
    h = header_map(q["headers"])
    if not is_token(q["method"]):
        raise Refused("method", q["method"])
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    verb = q["method"].upper()
    text = f"{verb}\n{get(h, 'content-md5')}\n{get(h, 'content-type')}\n{get(h, 'date')}\n{canonical_headers(h)}/{q['bucket']}/{q['key']}"
    auth = [v for n, v in h if n == "authorization"]
    if not auth:
        raise Refused("authorization-missing", "none")
    scheme, blank, rest = auth[0].partition(" ")
    parts = rest.split(":")
    if len(auth) > 1 or scheme != WORDS["scheme"] or len(parts) not in (2, 3) or not all(parts) or re.search("[ \t]", rest):
        raise Refused("authorization-malformed", "form")
    if len(parts) == 3:
        if verb not in ("PUT", "POST") or not policy_base64(parts[2]):
            raise Refused("authorization-malformed", "policy")
        text += parts[2]
    known(parts[0], pub)
    compare(text, pri, parts[1])
    return {"publicKey": parts[0]}


def percent_decode(s, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", s):
        raise Refused(reason, "percent")
    raw = re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), s.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "utf-8")


def verify_url(q, pub, pri):
    if not is_token(q["method"]):
        raise Refused("method", q["method"])
    h = header_map(q["headers"])
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)\??([^#]*)", q["url"], re.S)
    if not m:
        raise Refused("url-malformed", "form")
    bucket, _, host = m[1].partition(".")
    if bucket == "" or host.lower() != q["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = percent_decode(m[2], "url-malformed")
    got = {}
    for piece in filter(None, m[3].split("&")):
        n, _, v = piece.partition("=")
        n, v = percent_decode(n, "query-malformed"), percent_decode(v, "query-malformed")
        if n in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if n in got:
                raise Refused("parameter-repeated", n)
            got[n] = v
    if not got.get("Signature"):
        raise Refused("signature-missing", "none")
    if "Expires" not in got or WORDS["publicKeyParameter"] not in got:
        raise Refused("parameter-missing", "one")
    expires = got["Expires"]
    if not re.fullmatch("[0-9]+", expires) or int(expires) > 4294967295:
        raise Refused("expires-malformed", expires)
    if int(q["now"]) > int(expires):
        raise Refused("expired", expires)
    known(got[WORDS["publicKeyParameter"]], pub)
    compare(f"{q['method'].upper()}\n\n\n{expires}\n{canonical_headers(h)}/{bucket}/{key}", pri, got["Signature"])
    return {"publicKey": pub}


def serde_number(w):
    if re.fullmatch("-?[0-9]+", w) and -2 ** 63 <= int(w) < 2 ** 64:
        return str(int(w))
    f = float(w)
    if f in (float("inf"), -float("inf")):
        raise ValueError("number out of range")
    d = Decimal(repr(f))
    if f == 0 or -6 < d.adjusted() < 16:
        t = format(d, "f")
        return t if "." in t else t + ".0"
    sign, digits, _ = d.normalize().as_tuple()
    t = "".join(map(str, digits))
    return ("-" if sign else "") + t[0] + ("." + t[1:] if t[1:] else "") + "e" + str(d.adjusted())


class Obj(list):
    pass


class Num(str):
    pass


def flatten(name, v):
    if v is None:
        raise ValueError("null")
    if isinstance(v, bool):
        return [(name, "true" if v else "false")]
    if isinstance(v, str):
        return [(name, str(v))]
    pairs = v if isinstance(v, Obj) else [(str(i), x) for i, x in enumerate(v)]
    return [leaf for n, x in pairs for leaf in flatten(name + "." + n, x)]


def verify_json(q, pub, pri):
    def members(pairs):
        if len({n for n, _ in pairs}) != len(pairs):
            raise Refused("parameter-repeated", "twice")
        return Obj(pairs)

    def constant(w):
        raise ValueError(w)

    try:
        body = json.loads(q["body"], object_pairs_hook=members, parse_constant=constant,
                          parse_int=lambda w: Num(serde_number(w)), parse_float=lambda w: Num(serde_number(w)))
        if not isinstance(body, Obj):
            raise ValueError("not an object")
        flat = [leaf for n, v in body for leaf in flatten(n, v) if leaf[0] != "Signature"]
    except (ValueError, RecursionError) as e:
        if isinstance(e, UnicodeEncodeError):
            raise
        raise Refused("body-malformed", str(e))
    if len({n for n, _ in flat}) != len(flat):
        raise Refused("parameter-repeated", "flat")
    flat.sort(key=lambda leaf: leaf[0].encode("utf-8"))
    signature = dict(body).get("Signature")
    if not isinstance(signature, str) or isinstance(signature, Num) or not signature:
        raise Refused("signature-missing", "none")
    for n in ("Action", "PublicKey"):
        if n not in dict(flat):
            raise Refused("parameter-missing", n)
    known(dict(flat)["PublicKey"], pub)
    if hashlib.sha1(("".join(n + v for n, v in flat) + pri).encode("utf-8")).hexdigest() != signature:
        raise Refused("signature-mismatch", "sha1")
    return {"publicKey": pub}


def etag(q, pub, pri):
    data = content(q["content"])
    chunks = [data[i:i + 4194304] for i in range(0, len(data), 4194304)]
    if len(chunks) > 1:
        digest = hashlib.sha1(b"".join(hashlib.sha1(c).digest() for c in chunks)).digest()
    else:
        digest = hashlib.sha1(data).digest()
    return {"etag": base64.urlsafe_b64encode(len(chunks).to_bytes(4, "little") + digest).decode()}


serve("rust-store", {"verify-authorization": verify_authorization, "verify-presigned-url": verify_url,
                     "verify-json": verify_json, "etag": etag})
