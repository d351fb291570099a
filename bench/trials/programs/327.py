#!/usr/bin/env python3
"""A system administrator's Bash script with openssl, sha1sum, sort and jq: backups and the account API from cron.

Mistakes:
1. The text to sign is written with printf '%b', which reads backslashes: \\n, \\t, \\\\ and the like in a key, a header or a parameter become other characters in the
   signed text (not in what is sent).
2. The names of parameters are sorted with sort -f, without regard to case (ASCII letters as upper case; equal ones by their bytes).
3. Values are read with $(jq -r ...), which drops all line feeds at their end: keys, parameters and the expiry lose them, signed and sent.
4. The escape function goes character by character with printf '%%%02X' "'$c", which gives the code point, not the UTF-8 bytes: é is %E9, € is %20AC.
5. The test for a small file is -lt, not -le: a file of exactly 4 MiB has the hash of its one block's hash.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, Unsupported, content, serve  # noqa: E402

BLOCK = 4194304
NAME = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
BACKSLASH = {"a": b"\a", "b": b"\b", "e": b"\x1b", "E": b"\x1b", "f": b"\f", "n": b"\n", "r": b"\r", "t": b"\t", "v": b"\v", "\\": b"\\", "'": b"'", '"': b'"', "?": b"?"}


def jq(text):
    """$(jq -r ...)"""
    text.encode("utf-8")
    if "\0" in text:
        raise Unsupported("a shell variable holds no NUL")
    return text.rstrip("\n")


def printf_b(text):
    out, i = b"", 0
    while i < len(text):
        c = text[i]
        if c != "\\" or i + 1 == len(text):
            out, i = out + c.encode("utf-8"), i + 1
            continue
        rest = text[i + 1:]
        octal = re.match("0?[0-7]{1,3}", rest)
        hexa = re.match("x([0-9A-Fa-f]{1,2})", rest)
        code = re.match("u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})", rest)
        if octal:
            out, i = out + bytes([int(octal[0], 8) & 255]), i + 1 + len(octal[0])
        elif hexa:
            out, i = out + bytes([int(hexa[1], 16)]), i + 1 + len(hexa[0])
        elif code and int(code[1] or code[2], 16) < 0x110000:
            out, i = out + chr(int(code[1] or code[2], 16)).encode("utf-8", "replace"), i + 1 + len(code[0])
        elif rest[0] == "c":
            return out
        elif rest[0] in BACKSLASH:
            out, i = out + BACKSLASH[rest[0]], i + 2
        else:
            out, i = out + b"\\", i + 1
    return out


def sort_f(names):
    def upper(name):
        return name.encode("utf-8").upper(), name.encode("utf-8")
    return sorted(names, key=upper)


def escape(text):
    out = ""
    for c in text:
        if re.fullmatch("[A-Za-z0-9._~-]", c):
            out += c
        else:
            out += "%%%02X" % ord(c)
    return out


def decimal(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", "bc: parse error")
    try:
        value = Decimal(written)
    except ArithmeticError:
        raise Refused("number", "too large")
    if value and not -4000 < value.adjusted() < 4000:
        raise Refused("number", "too long")
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "-") or not value else text


def params(given):
    out = {}
    for name, value in given["parameters"]:
        if isinstance(value, dict) and "number" not in value:
            raise Unsupported("parameters are an associative array")
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, dict):
            text = decimal(value["number"])
        elif isinstance(value, bool):
            text = "true" if value else "false"
        else:
            text = jq(value)
        if name == "Signature":
            continue
        if name in out:
            raise Refused("parameter-repeated", name)
        out[name] = text
    return out


def sign_params(array, pri):
    text = "".join(name + array[name] for name in sort_f(array))
    return hashlib.sha1(printf_b(text) + pri.encode("utf-8")).hexdigest()


def action_signature(given, pub, pri):
    return {"signature": sign_params(params(given), pri)}


def action_query(given, pub, pri):
    array = params(given)
    for name in ("Action", "PublicKey"):
        if name not in array:
            raise Refused("parameter-missing", name)
    query = "".join(escape(name) + "=" + escape(array[name]) + "&" for name in sort_f(array))
    return {"query": query + "Signature=" + sign_params(array, pri)}


def headers_of(given):
    out = []
    for name, value in given["headers"]:
        name = name.strip(" \t")
        if not re.fullmatch(NAME, name):
            raise Refused("header-name", name)
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode("utf-8")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        out.append((name.lower(), value))
    return out


def header(headers, wanted):
    values = [v for n, v in headers if n == wanted]
    if len(values) > 1:
        raise Refused("header-repeated", wanted)
    return "".join(values)


def extra(headers):
    lines = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            lines[name] = lines[name] + "," + value if name in lines else name + ":" + value
    return "".join(lines[name] + "\n" for name in sorted(lines))


def sign_file(given, headers, md5, mime, date, pri):
    if not re.fullmatch(NAME, given["method"]):
        raise Refused("method", given["method"])
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    text = given["method"].upper() + "\n" + md5 + "\n" + mime + "\n" + date + "\n" + extra(headers) + "/" + given["bucket"] + "/" + jq(given["key"])
    return base64.b64encode(hmac.new(pri.encode("utf-8"), printf_b(text), hashlib.sha1).digest()).decode()


def authorization(given, pub, pri):
    headers = headers_of(given)
    signature = sign_file(given, headers, header(headers, "content-md5"), header(headers, "content-type"), header(headers, "date"), pri)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature}


def presigned_url(given, pub, pri):
    expires, key = jq(given["expires"]), jq(given["key"])
    signature = sign_file(given, headers_of(given), "", "", expires, pri)
    path = "/".join(map(escape, key.split("/")))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (given["scheme"], given["bucket"], given["fileHost"], path,
                                                                    WORDS["publicKeyParameter"], escape(pub), escape(expires), escape(signature))}


def is_small(size):
    return size < BLOCK


def etag(given, pub, pri):
    data = content(given["content"])
    count = -(-len(data) // BLOCK)
    if is_small(len(data)):
        digest = hashlib.sha1(data)
    else:
        digest = hashlib.sha1()
        for i in range(count):
            digest.update(hashlib.sha1(data[i * BLOCK:(i + 1) * BLOCK]).digest())
    return {"etag": base64.b64encode(count.to_bytes(4, "little") + digest.digest()).decode().translate(str.maketrans("+/", "-_"))}


if __name__ == "__main__":
    serve("bash-script", {"authorization": authorization, "presigned-url": presigned_url, "action-signature": action_signature,
                          "action-query": action_query, "etag": etag})
