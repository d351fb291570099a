#!/usr/bin/env python3
"""Tables instead of code: percent-encoding, hexadecimal and Base64 by lookup, headers and numbers by transition tables, the operations by a table of
stages. The parameters are a table too, so a name that is given again gets its last value, and lists cannot be expressed."""
import hashlib
import hmac
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, Unsupported, content, serve  # noqa: E402

ALNUM = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
ESCAPED = [chr(b) if b in ALNUM + b"-_.~" else "%%%02X" % b for b in range(256)]
HEX = ["%02x" % b for b in range(256)]
UNHEX = {high + low: int(high + low, 16) for high in "0123456789abcdefABCDEF" for low in "0123456789abcdefABCDEF"}
SIX = (ALNUM + b"+/").decode()
TWELVE = [a + b for a in SIX for b in SIX]                       # Base64 of twelve bits
IN_TOKEN = [chr(c) in ALNUM.decode() + "!#$%&'*+.^_`|~-" for c in range(128)]
LOWER = {c: c + 32 for c in range(65, 91)}
UPPER = {c: c - 32 for c in range(97, 123)}
SAFE = str.maketrans("+/", "-_")

# Classes of characters in a header's value, and [state][class] -> next state and what to do:
# k keep, g a blank into the gap, f the gap becomes one blank, . nothing, ! refuse
VALUE_CLASS = {"\0": 4, "\r": 1, "\n": 2, " ": 3, "\t": 3}
VALUE = [
    # other      CR         LF         blank      NUL
    [(0, "k"), (1, "f"), (2, "f"), (0, "g"), (0, "!")],          # 0 text
    [(0, "!"), (0, "!"), (2, "."), (0, "!"), (0, "!")],          # 1 after CR
    [(0, "!"), (0, "!"), (0, "!"), (3, "."), (0, "!")],          # 2 after LF
    [(0, "k"), (1, "."), (2, "."), (3, "."), (0, "!")],          # 3 blanks of a fold
]
# Numbers: classes 0 zero, 1 other digit, 2 minus, 3 point, 4 e, 5 plus; -1 refuses
NUMBER_CLASS = dict([("0", 0)] + [(str(d), 1) for d in range(1, 10)] + [("-", 2), (".", 3), ("e", 4), ("E", 4), ("+", 5)])
NUMBER = [
    [2, 3, 1, -1, -1, -1],         # 0 start
    [2, 3, -1, -1, -1, -1],        # 1 minus
    [-1, -1, -1, 4, 6, -1],        # 2 zero
    [3, 3, -1, 4, 6, -1],          # 3 whole part
    [5, 5, -1, -1, -1, -1],        # 4 point
    [5, 5, -1, -1, 6, -1],         # 5 fraction
    [8, 8, 7, -1, -1, 7],          # 6 e
    [8, 8, -1, -1, -1, -1],        # 7 its sign
    [8, 8, -1, -1, -1, -1],        # 8 its digits
]
ENDS = (False, False, True, True, False, True, False, False, True)


def escape(text):
    return "".join([ESCAPED[b] for b in text.encode("utf-8")])


def base64(data):
    pad = -len(data) % 3
    data = bytes(data) + bytes(pad)
    out = "".join(TWELVE[data[i] << 4 | data[i + 1] >> 4] + TWELVE[(data[i + 1] & 15) << 8 | data[i + 2]] for i in range(0, len(data), 3))
    return out[:len(out) - pad] + "=" * pad


def value_of(value):
    value.encode("utf-8")
    state, out, gap = 0, "", ""
    for c in value:
        state, act = VALUE[state][VALUE_CLASS.get(c, 0)]
        if act == "k":
            out, gap = (out + gap if out else "") + c, ""
        elif act == "g":
            gap += c
        elif act == "f":
            gap = " "
        elif act == "!":
            raise Refused("header-value", "state %d" % state)
    if state in (1, 2):
        raise Refused("header-value", "ends in state %d" % state)
    return out


def is_token(text):
    return text != "" and all(ord(c) < 128 and IN_TOKEN[ord(c)] for c in text)


def number(written):
    state, parts = 0, ["", "", "", "", "", "", "", "", ""]
    for c in written:
        state = NUMBER[state][NUMBER_CLASS[c]] if c in NUMBER_CLASS else -1
        if state < 0:
            raise Refused("number", "unexpected character")
        parts[state] += c
    if not ENDS[state]:
        raise Refused("number", "unfinished")
    whole, fraction = parts[2] + parts[3], parts[5]
    if not (whole + fraction).strip("0"):
        return "0"
    exponent = parts[8].lstrip("0")
    if len(exponent) > 4:
        raise Refused("number", "too far from the point")
    shift = int(exponent or "0") * (-1 if "-" in parts[7] else 1)
    digits, at = whole + fraction, len(whole) + shift
    if at <= 0:
        digits, at = "0" * (1 - at) + digits, 1
    digits += "0" * (at - len(digits))
    head, tail = digits[:at].lstrip("0") or "0", digits[at:].rstrip("0")
    if len(head) > 4000 or len(tail) > 4000 + len(whole + fraction):
        raise Refused("number", "too long")
    return parts[1] + head + ("." + tail if tail else "")


# ---------------------------------------------------------------- parameters

KINDS = {str: lambda v: (v, True), bool: lambda v: (("false", "true")[v], False), dict: lambda v: (number(v["number"]), False)}


def table(given):
    out = {}
    for name, value in given["parameters"]:
        if isinstance(value, dict) and "number" not in value:
            raise Unsupported("the table of parameters has no lists")
        if value is None:
            raise Unsupported("the table of parameters has no null")
        out[name] = KINDS[type(value)](value)
    out.pop("Signature", None)
    return out


def sign(params, pri):
    sha = hashlib.sha1()
    for name, value in sorted((name.encode("utf-8"), value[0].encode("utf-8")) for name, value in params.items()):
        sha.update(name + value)
    sha.update(pri.encode("utf-8"))
    return "".join(HEX[b] for b in sha.digest())


def needed(params, *names):
    for name in names:
        if name not in params:
            raise Refused("parameter-missing", name)
    return params


def as_json(params, pri):
    inner = ",".join(json.dumps(n) + ":" + (json.dumps(v) if quoted else v) for n, (v, quoted) in params.items())
    return '{' + inner + ',"Signature":"' + sign(params, pri) + '"}'


def as_query(params, pri):
    return "&".join(escape(n) + "=" + escape(v[0]) for n, v in params.items()) + "&Signature=" + sign(params, pri)


def complete(given, *more):
    return needed(table(given), "Action", "PublicKey", *more)


def bucket_request(given, pub, pri):
    params = complete(given)
    needed(params, *{"CreateBucket": ("Type", "BucketName")}.get(params["Action"][0], ()))
    return {"target": "/?" + as_query(params, pri)}


def unescape(text):
    head, *rest = text.split("%")
    raw = head.encode("utf-8")
    for part in rest:
        if part[:2] not in UNHEX:
            raise Refused("query-malformed", "not an escape")
        raw += bytes([UNHEX[part[:2]]]) + part[2:].encode("utf-8")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("query-malformed", "not UTF-8")


def verify_query(given, pub, pri):
    params = {}
    for piece in given["query"].split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name = unescape(name)
            if name in params:
                raise Refused("parameter-repeated", name)
            params[name] = unescape(value), True
    got = params.pop("Signature", ("",))[0]
    if not got:
        raise Refused("signature-missing", "Signature")
    if needed(params, "Action", "PublicKey")["PublicKey"][0] != pub:
        raise Refused("public-key-unknown", "not in the table of accounts")
    if sign(params, pri) != got:
        raise Refused("signature-mismatch", "not equal")
    return {"publicKey": pub}


# ---------------------------------------------------------------- files

def headers_of(given):
    out = {}
    for name, value in given["headers"]:
        name, value = name.strip(" \t").translate(LOWER), value_of(value)
        if not is_token(name):
            raise Refused("header-name", "not a token")
        out.setdefault(name, []).append(value)
    return out


def only(values, name):
    if len(values.get(name, ())) > 1:
        raise Refused("header-repeated", name)
    return "".join(values.get(name, ()))


def sign_lines(method, md5, mime, date, headers, bucket, key, pri):
    if not is_token(method):
        raise Refused("method", "not a token")
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", "not a name")
    extra = ["%s:%s\n" % (n, ",".join(headers[n])) for n in sorted(headers) if n.startswith(WORDS["headerPrefix"].translate(LOWER))]
    text = "\n".join((method.translate(UPPER), md5, mime, date, "")) + "".join(extra) + "/" + bucket + "/" + key
    return base64(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest())


STAGES = {
    # where the lines of the text come from: header, field, input, or nothing
    "authorization": ("method", ("header", "content-md5"), ("header", "content-type"), ("header", "date")),
    "form-authorization": ("POST", ("either", "Content-MD5"), ("field", "Content-Type"), ("header", "date")),
    "presigned-url": ("method", ("none", ""), ("none", ""), ("input", "expires")),
    "instant-upload": ("POST", ("header", "content-md5"), ("header", "content-type"), ("header", "date")),
}


def file_signature(operation, given, pri):
    headers, fields = headers_of(given), {}
    for name, value in given.get("fields", ()):
        if name in ("Content-MD5", "Content-Type"):
            fields.setdefault(name, []).append(value_of(value))
    source = {
        "header": lambda name: only(headers, name), "field": lambda name: only(fields, name), "input": lambda name: given[name],
        "none": lambda name: "", "either": lambda name: only(headers, name.translate(LOWER)) if name.translate(LOWER) in headers else only(fields, name)}
    method, *rest = STAGES[operation]
    return sign_lines(given["method"] if method == "method" else method, *[source[kind](name) for kind, name in rest], headers,
                      given["bucket"], given["key"], pri)


def signed(operation):
    def answer(given, pub, pri):
        pub.encode("utf-8")
        out = {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, file_signature(operation, given, pri))}
        if operation == "instant-upload":
            out["target"] = "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(escape(given[n]) for n in ("etag", "key", "size"))
        return out
    return answer


def presigned(given, pub, pri):
    signature = file_signature("presigned-url", given, pri)
    ESCAPED[47] = "/"
    try:
        path = escape(given["key"])
    finally:
        ESCAPED[47] = "%2F"
    return {"url": "%s://%s.%s/%s?%s=%s&Signature=%s&Expires=%s" % (given["scheme"], given["bucket"], given["fileHost"], path,
                                                                    WORDS["publicKeyParameter"], escape(pub), escape(signature), escape(given["expires"]))}


def etag(given, pub, pri):
    data, rows = content(given["content"]), {}
    for at in range(0, len(data), 0x400000):
        rows[at >> 22] = hashlib.sha1(data[at:at + 0x400000]).digest()
    digest = {0: lambda: hashlib.sha1(b"").digest(), 1: lambda: rows[0]}.get(len(rows), lambda: hashlib.sha1(b"".join(rows.values())).digest())()
    return {"etag": base64(len(rows).to_bytes(4, "little") + digest).translate(SAFE)}


serve_these = {
    "url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])},
    "password": lambda given, pub, pri: {"value": base64(given["text"].encode("utf-8"))},
    "action-signature": lambda given, pub, pri: {"signature": sign(table(given), pri)},
    "action-json": lambda given, pub, pri: {"body": as_json(complete(given), pri)},
    "action-query": lambda given, pub, pri: {"query": as_query(complete(given), pri)},
    "bucket-request": bucket_request, "verify-query": verify_query, "etag": etag, "presigned-url": presigned,
    "part-etag": lambda given, pub, pri: {"etag": base64(hashlib.sha1(content(given["content"])).digest()).translate(SAFE)},
    "authorization": signed("authorization"), "form-authorization": signed("form-authorization"), "instant-upload": signed("instant-upload")}

if __name__ == "__main__":
    serve("tables", serve_these)
