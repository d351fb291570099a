#!/usr/bin/env python3
"""Regular expressions do all the reading and rewriting: numbers, headers, URLs, queries and even JSON, which is rewritten from the inside out
until one value is left. A positional header that is there twice is joined like any other header (RFC 2616 section 4.2)."""
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

TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
NUMBER = r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?"
STRING = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
FOLD = re.compile(r"[ \t]*(?:\r?\n[ \t]+)+")
LEXEME = re.compile(r"[ \t\r\n]*(?:([{}\[\]:,])|(%s)|(%s)(?![0-9.eE+-])|(true|false|null)(?![a-z]))" % (STRING, NUMBER))


def u(text):
    return text.encode("utf-8")


def escape(text, plain=rb"A-Za-z0-9_.~-"):
    return re.sub(rb"[^" + plain + rb"]", lambda m: b"%%%02X" % m[0][0], u(text)).decode()


def unescape(text, reason):
    if re.search("%(?![0-9a-fA-F][0-9a-fA-F])", text):
        raise Refused(reason, "% without two digits")
    try:
        return re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), u(text)).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "escaped bytes are not UTF-8")


# ---------------------------------------------------------------- parameters

def plain(written):
    m = re.fullmatch(NUMBER, written)
    if not m:
        raise Refused("number", "does not match")
    sign, whole, fraction, exponent = m[1], m[2], m[3] or "", m[4] or "0"
    if re.fullmatch("0*", whole + fraction):
        return "0"
    if re.match("[+-]?0*[1-9][0-9]{5,}", exponent):
        raise Refused("number", "exponent of six digits")
    shift = int(exponent)
    padded = "0" * max(0, -shift) + whole + "." + fraction + "0" * max(0, shift)
    if shift > 0:
        padded = re.sub(r"\.([0-9]{%d})" % shift, r"\1.", padded, count=1)
    elif shift < 0:
        cut = len(whole)
        padded = padded[:cut] + "." + re.sub(r"\.", "", padded[cut:])
    text = re.sub(r"^0+(?=[0-9])", "", padded)
    text = re.sub(r"\.?0*$", "", text) if re.search(r"\.", text) else text
    return sign + text


def leaves(name, value):
    if value is None:
        raise Refused("parameter-null", "null has no text")
    if isinstance(value, bool):
        yield name, re.sub("^.", lambda m: m[0].lower(), str(value)), re.sub("^.", lambda m: m[0].lower(), str(value))
    elif isinstance(value, str):
        yield name, value, json.dumps(value, ensure_ascii=False)
    elif "number" in value:
        yield name, plain(value["number"]), value["number"]            # the body has the number as it was given
    else:
        for step, inner in enumerate(value["list"]) if "list" in value else value["object"]:
            yield from leaves("%s.%s" % (name, step), inner)


def rows(parameters):
    out = {}
    for name, value in parameters:
        for leaf in leaves(name, value):
            if re.fullmatch("Signature", leaf[0]):
                continue
            if leaf[0] in out:
                raise Refused("parameter-repeated", "given twice")
            out[leaf[0]] = leaf
    return [out[name] for name in sorted(out, key=u)]


def signature(ordered, pri):
    return hashlib.sha1(u("".join(name + text for name, text, _ in ordered) + pri)).hexdigest()


def complete(given, *names):
    ordered = rows(given["parameters"])
    for name in ("Action", "PublicKey") + names:
        if not any(row[0] == name for row in ordered):
            raise Refused("parameter-missing", name)
    return ordered


def query(ordered, pri):
    """The @ of the public key may stay as it is."""
    return "".join(escape(n) + "=" + (escape(t, rb"A-Za-z0-9_.~@-") if n == "PublicKey" else escape(t)) + "&" for n, t, _ in ordered) \
        + "Signature=" + signature(ordered, pri)


def action_json(given, pub, pri):
    ordered = complete(given)
    members = ['"Signature":"%s"' % signature(ordered, pri)] + [json.dumps(n, ensure_ascii=False) + ":" + body for n, _, body in ordered[::-1]]
    return {"body": "{%s}" % ",".join(members)}


def bucket_request(given, pub, pri):
    ordered = complete(given)
    if any(row[:2] == ("Action", "CreateBucket") for row in ordered):
        complete(given, "Type", "BucketName")
    return {"target": "/?" + query(ordered, pri)}


# ---------------------------------------------------------------- files

def value_of(value):
    u(value)
    value = FOLD.sub(" ", value)
    value = re.sub(r"\A[ \t]+|[ \t]+\Z", "", value)
    if re.search(r"[\r\n\x00]", value):
        raise Refused("header-value", "line break or NUL")
    return value


def headers_of(given):
    out = []
    for name, value in given["headers"]:
        m = re.fullmatch(r"[ \t]*(%s)[ \t]*" % TOKEN, name)
        if not m:
            raise Refused("header-name", "does not match")
        out.append((m[1].lower(), value_of(value)))
    return out


def named(pairs, pattern):
    return [v for n, v in pairs if re.fullmatch(pattern, n)]


def canonical(headers):
    own = {}
    for name, value in headers:
        if re.match(re.escape(WORDS["headerPrefix"]), name, re.I):
            own[name] = own[name] + "," + value if name in own else value
    return "".join("%s:%s\n" % pair for pair in sorted(own.items()))


def text_of(method, md5, mime, date, headers, bucket, key):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", "does not match")
    if not re.fullmatch("[^/]+", bucket):
        raise Refused("bucket", "does not match")
    return "%s\n%s\n%s\n%s\n%s/%s/%s" % (method.upper(), md5, mime, date, canonical(headers), bucket, key)


def by_header(method, given, headers):
    return text_of(method, *[",".join(named(headers, n)) for n in ("content-md5", "content-type", "date")], headers, given["bucket"], given["key"])


def mac(text, pri):
    return base64.b64encode(hmac.new(u(pri), u(text), "sha1").digest()).decode()


def signed(pub, sig, policy=""):
    u(pub)
    return WORDS["scheme"] + " " + pub + ":" + sig + (":" + policy if policy else "")


def authorization(given, pub, pri):
    return {"authorization": signed(pub, mac(by_header(given["method"], given, headers_of(given)), pri))}


def form(given, pub, pri):
    headers = headers_of(given)
    fields = [(n, value_of(v)) for n, v in given["fields"] if re.fullmatch("Content-(Type|MD5)", n)]
    md5 = named(headers, "content-md5") or named(fields, "Content-MD5")
    return {"authorization": signed(pub, mac(text_of("POST", ",".join(md5), ",".join(named(fields, "Content-Type")), ",".join(named(headers, "date")),
                                                     headers, given["bucket"], given["key"]), pri))}


def policy(given, pub, pri):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"]) + "}"
    swap = {"+": "-", "/": "_"}
    return {"policy": re.sub("[+/]", lambda m: swap[m[0]], base64.b64encode(u(text)).decode())}


def policy_authorization(given, pub, pri):
    return {"authorization": signed(pub, mac(by_header(given["method"], given, headers_of(given)) + given["policy"], pri), given["policy"])}


def instant(given, pub, pri):
    target = re.sub(r"\{(\w+)\}", lambda m: escape(given[m[1]]), "/uploadhit?Hash={etag}&FileName={key}&FileSize={size}")
    return {"target": target, "authorization": signed(pub, mac(by_header("POST", given, headers_of(given)), pri))}


def presigned(given, pub, pri):
    sig = mac(text_of(given["method"], "", "", given["expires"], headers_of(given), given["bucket"], given["key"]), pri)
    return {"url": "%s://%s.%s/%s?Signature=%s&Expires=%s&%s=%s" % (
        given["scheme"], given["bucket"], given["fileHost"], escape(given["key"], rb"A-Za-z0-9_.~/-"), escape(sig), escape(given["expires"]),
        WORDS["publicKeyParameter"], escape(pub, rb"A-Za-z0-9_.~@-"))}


def etag(given, pub, pri):
    data = content(given["content"])
    blocks = [m[0] for m in re.finditer(rb"(?s).{1,%d}" % 4194304, data)] if len(data) > 4194304 else [data] if data else []
    digest = hashlib.sha1(data if len(blocks) < 2 else b"".join(hashlib.sha1(b).digest() for b in blocks)).digest()
    return {"etag": base64.urlsafe_b64encode(len(blocks).to_bytes(4, "little") + digest).decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode()}


# ---------------------------------------------------------------- verifying

def check(pub, got_pub, expected, got):
    if got_pub != pub:
        raise Refused("public-key-unknown", "not ours")
    if u(expected) != u(got):
        raise Refused("signature-mismatch", "they differ")
    return {"publicKey": pub}


def is_policy(text):
    if not re.fullmatch(r"(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}", text):
        return False
    bare = re.sub("=", "", text)
    try:
        raw = base64.urlsafe_b64decode(re.sub("[+]", "-", re.sub("/", "_", bare)) + "=" * (-len(bare) % 4))
        return isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, pub, pri):
    headers = headers_of(given)
    found = named(headers, "authorization")
    if not found:
        raise Refused("authorization-missing", "none")
    if found[1:]:
        raise Refused("authorization-malformed", "two")
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", found[0])
    if not m or m[3] and not (re.fullmatch("put|post", given["method"], re.I) and is_policy(m[3])):
        raise Refused("authorization-malformed", "does not match")
    return check(pub, m[1], mac(by_header(given["method"], given, headers) + (m[3] or ""), pri), m[2])


def read_query(text):
    out = []
    for m in re.finditer(r"(?=[^&])([^&=]*)=?([^&]*)", text):
        out.append((unescape(m[1], "query-malformed"), unescape(m[2], "query-malformed")))
    return out


def no_repeats(names):
    if len(names) > len(set(names)):
        raise Refused("parameter-repeated", "given twice")


def verify_url(given, pub, pri):
    headers = headers_of(given)
    m = re.fullmatch(r"(?s)https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"])
    if not m or m[2].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "does not match")
    key = unescape(m[3], "url-malformed")
    own = WORDS["publicKeyParameter"]
    pairs = [p for p in read_query(m[4] or "") if re.fullmatch(re.escape(own) + "|Expires|Signature", p[0])]
    no_repeats([n for n, _ in pairs])
    have = dict(pairs)
    if not have.get("Signature"):
        raise Refused("signature-missing", "none")
    if own not in have or "Expires" not in have:
        raise Refused("parameter-missing", "public key or expiry")
    if not re.fullmatch("[0-9]{1,15}", have["Expires"]):
        raise Refused("expires-malformed", "does not match")
    if int(have["Expires"]) < int(given["now"]):
        raise Refused("expired", "a while ago")
    return check(pub, have[own], mac(text_of(given["method"], "", "", have["Expires"], headers, m[1], key), pri), have["Signature"])


def verify_pairs(pairs, pub, pri):
    ordered = rows(pairs)
    got = dict(pairs).get("Signature")
    if not isinstance(got, str) or not got:
        raise Refused("signature-missing", "none")
    have = {n: t for n, t, _ in ordered}
    if not {"Action", "PublicKey"} <= set(have):
        raise Refused("parameter-missing", "Action or PublicKey")
    return check(pub, have["PublicKey"], signature(ordered, pri), got)


def verify_query(given, pub, pri):
    pairs = read_query(given["query"])
    no_repeats([n for n, _ in pairs])
    return verify_pairs(pairs, pub, pri)


def text_in(quoted):
    short = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

    def one(m):
        if m[1]:
            return chr(0x10000 + (int(m[1], 16) - 0xD800 << 10) + int(m[2], 16) - 0xDC00)
        return chr(int(m[3], 16)) if m[3] else short.get(m[4], m[4])
    return re.sub(r"\\(?:u([dD][89abAB]..)\\u([dD][c-fC-F]..)|u(....)|(.))", one, quoted[1:-1])


def read_json(body):
    values, text, at = [], "", 0
    body = re.sub(r"[ \t\r\n]*\Z", "", body)
    while at < len(body):
        m = LEXEME.match(body, at)
        if not m:
            raise Refused("body-malformed", "no JSON at character %d" % at)
        at = m.end()
        if m[1]:
            text += m[1]
            continue
        values.append(text_in(m[2]) if m[2] else {"number": m[3]} if m[3] else {"true": True, "false": False, "null": None}[m[8]])
        text += ("s" if m[2] else "v") + str(len(values) - 1) + ";"

    def listed(m):
        values.append({"list": [values[int(i)] for i in re.findall(r"[0-9]+", m[1])]})
        return "v%d;" % (len(values) - 1)

    def mapped(m):
        pairs = [[values[int(n)], values[int(v)]] for n, v in re.findall(r"s([0-9]+);:.([0-9]+);", m[1])]
        no_repeats([n for n, _ in pairs])
        values.append({"object": pairs})
        return "v%d;" % (len(values) - 1)
    changed = 1
    while changed:
        text, one = re.subn(r"\[((?:[sv][0-9]+;(?:,[sv][0-9]+;)*)?)\]", listed, text)
        text, two = re.subn(r"\{((?:s[0-9]+;:[sv][0-9]+;(?:,s[0-9]+;:[sv][0-9]+;)*)?)\}", mapped, text)
        changed = one + two
    m = re.fullmatch("v([0-9]+);", text)
    if not m or not isinstance(values[int(m[1])], dict) or "object" not in values[int(m[1])]:
        raise Refused("body-malformed", "not one JSON object")
    return values[int(m[1])]["object"]


def verify_json(given, pub, pri):
    pairs = read_json(given["body"])
    try:
        for name, value in pairs:
            list(leaves(name, value))
    except Refused as no:
        raise Refused("body-malformed", *no.args)
    return verify_pairs(pairs, pub, pri)


if __name__ == "__main__":
    serve("regular", {
        "url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])},
        "password": lambda given, pub, pri: {"value": base64.b64encode(u(given["text"])).decode()},
        "action-signature": lambda given, pub, pri: {"signature": signature(rows(given["parameters"]), pri)},
        "action-json": action_json, "action-query": lambda given, pub, pri: {"query": query(complete(given), pri)},
        "bucket-request": bucket_request, "authorization": authorization, "form-authorization": form, "policy": policy,
        "policy-authorization": policy_authorization, "instant-upload": instant, "presigned-url": presigned, "etag": etag, "part-etag": part_etag,
        "verify-authorization": verify_authorization, "verify-presigned-url": verify_url, "verify-query": verify_query, "verify-json": verify_json})
