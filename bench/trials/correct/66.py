#!/usr/bin/env python3
"""Arithmetic: texts are big integers. Hexadecimal, Base64, HMAC's pads, decimals and the ETag's layout are additions, shifts and remainders of them.
A slash in a key goes into the URL as %2F (a server decodes it), a name that is given twice keeps its first value, null is left out."""
import base64
import hashlib
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
OPAD, IPAD = int("5c" * 64, 16), int("36" * 64, 16)


def mask(text):
    """A set of ASCII characters as one integer."""
    return sum(1 << ord(c) for c in set(text))


LETTERS = mask(ALPHABET) & ~mask("+/")
UNRESERVED = LETTERS | mask("-_.~")
TOKEN = LETTERS | mask("!#$%&'*+.^_`|~-")
DIGITS = mask("0123456789")
BLANK = mask(" \t")
HEXADECIMAL = DIGITS | mask("abcdefABCDEF")


def within(text, charset):
    return all(charset >> ord(c) & 1 for c in text)


def integer(data):
    return int.from_bytes(data, "big")


def utf8(text):
    return text.encode("utf-8")


def in_base(value, digits, alphabet, bits):
    out = []
    for _ in range(digits):
        value, rest = value >> bits, value & (1 << bits) - 1
        out.append(alphabet[rest])
    return "".join(reversed(out))


def base64_of(value, size, alphabet=ALPHABET):
    """Base64 of an integer of `size` bytes."""
    pad = -size % 3
    text = in_base(value << 8 * pad, (size + pad) // 3 * 4, alphabet, 6)
    return text[:len(text) - pad] + "=" * pad


def sha1(data):
    return integer(hashlib.sha1(data).digest())


def hmac(key, message):
    if len(key) > 64:
        key = sha1(key).to_bytes(20, "big")
    k = integer(key) << 8 * (64 - len(key))
    inner = sha1((k ^ IPAD).to_bytes(64, "big") + message)
    return sha1((k ^ OPAD).to_bytes(64, "big") + inner.to_bytes(20, "big"))


def escape(text):
    out = []
    for b in utf8(text):
        if UNRESERVED >> b & 1:
            out.append(chr(b))
        else:
            out.append("%" + in_base(b, 2, "0123456789ABCDEF", 4))
    return "".join(out)


def unescape(text, reason):
    data, out, at = utf8(text), bytearray(), 0
    while at < len(data):
        b, at = data[at], at + 1
        if b == 37:
            two, at = data[at:at + 2].decode("latin-1"), at + 2
            if len(two) < 2 or not within(two, HEXADECIMAL):
                raise Refused(reason, "two hexadecimal digits after %")
            b = int(two, 16)
        out.append(b)
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "no UTF-8")


# ---------------------------------------------------------------- parameters

def decimal(written):
    """The value is coefficient * 10 ** -places."""
    negative = written.startswith("-")
    mantissa, e, exponent = written[negative:].replace("E", "e").partition("e")
    whole, point, fraction = mantissa.partition(".")
    sign = -1 if exponent.startswith("-") else 1
    exponent = exponent[1:] if exponent[:1] in ("-", "+") else exponent
    if (not whole or not within(whole + fraction + exponent, DIGITS) or whole != "0" and whole.startswith("0")
            or bool(point) != bool(fraction) or bool(e) != bool(exponent)):
        raise Refused("number", "no decimal number")
    coefficient, places = int(whole + fraction), len(fraction) - sign * int(exponent or "0")
    if coefficient == 0:
        return "0"
    if abs(places) > 20000:
        raise Refused("number", "20000 places are enough")
    if places < 0:
        coefficient, places = coefficient * 10 ** -places, 0
    head, tail = divmod(coefficient, 10 ** places)
    while places and tail % 10 == 0:
        tail, places = tail // 10, places - 1
    text = str(head) + ("." + str(tail).zfill(places) if places else "")
    return "-" + text if negative else text


def flatten(name, value):
    if value is None:
        return
    if isinstance(value, bool):
        yield name, ("false", "true")[value], False
    elif isinstance(value, str):
        yield name, value, True
    elif "number" in value:
        yield name, decimal(value["number"]), False
    else:
        for step, item in enumerate(value["list"]) if "list" in value else value["object"]:
            yield from flatten("%s.%s" % (name, step), item)


def order(name):
    """A name as the digits of a number."""
    return list(utf8(name))


def parameters(given):
    out = {}
    for name, value in given["parameters"]:
        for leaf, text, quoted in flatten(name, value):
            if leaf != "Signature":
                out.setdefault(leaf, (text, quoted))
    return {name: out[name] for name in sorted(out, key=order)}


def needed(params, *names):
    for name in names:
        if name not in params:
            raise Refused("parameter-missing", name)
    return params


def sign(params, pri):
    text = "".join(name + params[name][0] for name in sorted(params, key=order))
    return in_base(sha1(utf8(text + pri)), 40, "0123456789abcdef", 4)


def action_signature(given, pub, pri):
    params = parameters(given)
    if "PublicKey" not in params:
        raise Refused("parameter-missing", "PublicKey")
    return {"signature": sign(params, pri)}


def action_json(given, pub, pri):
    params = needed(parameters(given), "Action", "PublicKey")
    inner = ['"Signature" : "%s"' % sign(params, pri)]
    for at, (name, (text, quoted)) in enumerate(params.items()):
        inner.insert(at // 2, json.dumps(name, ensure_ascii=False).replace("/", "\\/") + " : "
                     + (json.dumps(text, ensure_ascii=False).replace("/", "\\/") if quoted else text))
    return {"body": "{ " + " , ".join(inner) + " }"}


def action_query(given, pub, pri):
    params = needed(parameters(given), "Action", "PublicKey")
    return {"query": "".join(escape(n) + "=" + escape(params[n][0]) + "&" for n in sorted(params, key=len)) + "Signature=" + sign(params, pri)}


def bucket_request(given, pub, pri):
    params = needed(parameters(given), "Action", "PublicKey")
    if params["Action"][0] == "CreateBucket":
        needed(params, "Type", "BucketName")
    return {"target": "/?" + action_query(given, pub, pri)["query"]}


def verify_query(given, pub, pri):
    params = {}
    for piece in given["query"].split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name, value = unescape(name, "query-malformed"), unescape(value, "query-malformed")
            if name in params:
                raise Refused("parameter-repeated", name)
            params[name] = value, True
    signature = params.pop("Signature", ("", True))[0]
    if not signature:
        raise Refused("signature-missing", "no Signature")
    if needed(params, "Action", "PublicKey")["PublicKey"][0] != pub:
        raise Refused("public-key-unknown", "no account")
    if integer(utf8(signature)) != integer(utf8(sign(params, pri))) or len(signature) != 40:
        raise Refused("signature-mismatch", "another number")
    return {"publicKey": pub}


# ---------------------------------------------------------------- files

def value_of(value):
    utf8(value)
    data = value.replace("\r\n", "\n")
    if set(data) & {"\r", "\0"}:
        raise Refused("header-value", "CR or NUL")
    out = ""
    for at, line in enumerate(data.split("\n")):
        if at and (not line or not within(line[0], BLANK)):
            raise Refused("header-value", "a line break that is no fold")
        line = line.strip(" \t")
        out += " " + line if out and line else line
    return out


def headers_of(given):
    out = []
    for name, value in given["headers"]:
        name = name.strip(" \t")
        if not name or not within(name, TOKEN):
            raise Refused("header-name", "other characters")
        out.append((name.lower(), value_of(value)))
    return out


def extra(headers):
    own = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            own.setdefault(name, []).append(value)
    return "".join(name + ":" + ",".join(own[name]) + "\n" for name in sorted(own, key=order))


def sole(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return "".join(found)


def mac(given, three, headers, pri):
    method, bucket = given["method"], given["bucket"]
    if not method or not within(method, TOKEN):
        raise Refused("method", "other characters")
    if not bucket or bucket.count("/"):
        raise Refused("bucket", "empty or with slashes")
    text = "\n".join([method.upper()] + three) + "\n" + extra(headers) + "/" + bucket + "/" + given["key"]
    return base64_of(hmac(utf8(pri), utf8(text)), 20)


def authorization(given, pub, pri):
    utf8(pub)
    headers = headers_of(given)
    three = [sole(headers, name) for name in ("content-md5", "content-type", "date")]
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(given, three, headers, pri)}


def presigned_url(given, pub, pri):
    signature = mac(given, ["", "", given["expires"]], headers_of(given), pri)
    pairs = ((WORDS["publicKeyParameter"], pub), ("Signature", signature), ("Expires", given["expires"]))
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + escape(given["key"]) + "?"
            + "&".join(name + "=" + escape(value) for name, value in pairs)}


def etag(given, pub, pri):
    """count in little-endian before the hash: one integer of 24 bytes"""
    data, size = content(given["content"]), 2 ** 22
    count = (len(data) + size - 1) // size
    if count < 2:
        digest = sha1(data)
    else:
        digests = 0
        for at in range(count):
            digests = digests << 160 | sha1(data[at * size:at * size + size])
        digest = sha1(digests.to_bytes(20 * count, "big"))
    turned = sum((count >> 8 * i & 255) << 8 * (3 - i) for i in range(4))
    return {"etag": base64_of(turned << 160 | digest, 24, ALPHABET[:62] + "-_")}


def part_etag(given, pub, pri):
    return {"etag": base64_of(sha1(content(given["content"])), 20, ALPHABET[:62] + "-_")}


if __name__ == "__main__":
    serve("big-integers", {
        "url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])},
        "password": lambda given, pub, pri: {"value": base64.b64encode(utf8(given["text"])).decode() if len(given["text"]) > 9999 else base64_of(
            integer(utf8(given["text"])), len(utf8(given["text"])))},
        "action-signature": action_signature, "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
        "authorization": authorization, "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag, "verify-query": verify_query})
