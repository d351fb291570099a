#!/usr/bin/env python3
"""Correct. An SDK of a typed language that supports only some operations, and not all of their inputs: headers and form fields are dictionaries
without folded values, booleans and numbers are there but no lists or objects (each such input is unsupported, with a sentence). Integers
instead of bytes: SHA-1's block is an int, Base64 and hexadecimal are written by divmod. JSON bodies have every character as an escape,
Signature first, blanks and line breaks between the members; a pre-signed URL's query begins with its Signature and has @ as it is."""
import base64
import hashlib
import json
import re
import sys

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


class Refusal(Exception):
    pass


class Inexpressible(Exception):
    pass


def octets(text):
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refusal("text", "half of a surrogate pair")


def sha1(data):
    return int.from_bytes(hashlib.sha1(data).digest(), "big")


def digits(value, base, count, alphabet):
    out = []
    for _ in range(count):
        value, rest = divmod(value, base)
        out.append(alphabet[rest])
    return "".join(reversed(out))


def base64_text(value, length, alphabet):
    """value: the bytes as one integer; length: how many."""
    count, missing = (8 * length + 5) // 6, -length % 3
    return digits(value << 6 * count - 8 * length, 64, count, alphabet) + "=" * missing


STANDARD, SAFE = LETTERS + "+/", LETTERS + "-_"


def hmac(key, message):
    block = octets(key)
    if len(block) > 64:
        block = hashlib.sha1(block).digest()
    block = int.from_bytes(block.ljust(64, b"\0"), "big")
    pad = lambda octet: (block ^ int.from_bytes(bytes([octet]) * 64, "big")).to_bytes(64, "big")
    inner = hashlib.sha1(pad(0x36) + octets(message)).digest()
    return base64_text(sha1(pad(0x5C) + inner), 20, STANDARD)


def encode(text, also=""):
    out = ""
    for octet in octets(text):
        out += chr(octet) if chr(octet) in LETTERS or chr(octet) in "-_.~" + also else "%" + digits(octet, 16, 2, "0123456789ABCDEF")
    return out


# ------------------------------------------------------------------ the account API

def decimal(written):
    found = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?", written)
    if not found:
        raise Refusal("number", "no JSON number")
    minus, whole, part, sign, exponent = found.groups("")
    number = (whole + part).lstrip("0")
    if not number:
        return "0"
    if len(exponent.lstrip("0")) > 5:
        raise Refusal("number", "more digits than this type has")
    places = len(part) - int(sign + (exponent or "0"))
    if not -4000 < len(number) - 1 - places < 4000:
        raise Refusal("number", "more digits than this type has")
    while number.endswith("0"):
        number, places = number[:-1], places - 1
    if places <= 0:
        return minus + number + "0" * -places
    number = number.rjust(places + 1, "0")
    return minus + number[:-places] + "." + number[-places:]


class Call:
    def __init__(self, parameters):
        self.members = {}
        for name, value in parameters:
            if isinstance(value, dict) and "number" not in value:
                raise Inexpressible("parameters are texts, numbers and booleans")
            if name == "Signature":
                continue
            if name in self.members:
                raise Refusal("parameter-repeated", name)
            if value is None:
                raise Refusal("parameter-null", name)
            if isinstance(value, dict):
                self.members[name] = decimal(value["number"]), False
            elif isinstance(value, bool):
                self.members[name] = ("false", "true")[value], False
            else:
                self.members[name] = value, True

    def sign(self, private):
        octets_of = {octets(name): octets(text) for name, (text, _) in self.members.items()}
        data = b""
        for name in sorted(octets_of):
            data += name + octets_of[name]
        return digits(sha1(data + octets(private)), 16, 40, "0123456789abcdef")

    def complete(self):
        for name in ("PublicKey", "Action"):
            if name not in self.members:
                raise Refusal("parameter-missing", name)
        return self


def json_text(text):
    out = '"'
    for c in text:
        code = ord(c)
        for unit in (code,) if code < 0x10000 else (0xD7C0 + (code >> 10), 0xDC00 + (code & 1023)):
            out += "\\u" + digits(unit, 16, 4, "0123456789abcdef")
    return out + '"'


def action_signature(q, keys, words):
    return {"signature": Call(q["parameters"]).sign(keys["privateKey"])}


def action_json(q, keys, words):
    call = Call(q["parameters"]).complete()
    out = "\n{" + json_text("Signature") + ":\t" + json_text(call.sign(keys["privateKey"]))
    for name, (text, is_text) in call.members.items():
        out += " ,\r\n" + json_text(name) + " : " + (json_text(text) if is_text else text)
    return {"body": out + "}\n"}


# ------------------------------------------------------------------ files

TOKEN = re.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def dictionary(headers):
    out = {}
    for name, value in headers:
        if not TOKEN.fullmatch(name):
            raise Refusal("header-name", name)
        if re.search("\n[ \t]", value):
            raise Inexpressible("values of headers have one line")
        if "\r" in value or "\n" in value or "\0" in value:
            raise Refusal("header-value", name)
        octets(value)
        if name.lower() in out:
            raise Inexpressible("headers are a dictionary")
        out[name.lower()] = value.strip(" \t")
    return out


def place(q):
    if q["bucket"] == "" or q["bucket"].count("/"):
        raise Refusal("bucket", "not a bucket")
    return "/" + q["bucket"] + "/" + q["key"]


def string_to_sign(method, md5, mime, when, headers, words, resource):
    if not TOKEN.fullmatch(method):
        raise Refusal("method", method)
    prefix = words["headerPrefix"].lower()
    extra = [name + ":" + headers[name] + "\n" for name in sorted(headers) if name[:len(prefix)] == prefix]
    return "%s\n%s\n%s\n%s\n" % (method.upper(), md5, mime, when) + "".join(extra) + resource


def form_authorization(q, keys, words):
    headers, fields = dictionary(q["headers"]), {}
    for name, value in q["fields"]:
        if name in fields:
            raise Inexpressible("form fields are a dictionary")
        fields[name] = dictionary([[name, value]])[name.lower()] if name in ("Content-Type", "Content-MD5") else value
    md5 = headers["content-md5"] if "content-md5" in headers else fields.get("Content-MD5", "")
    text = string_to_sign("POST", md5, fields.get("Content-Type", ""), headers.get("date", ""), headers, words, place(q))
    octets(keys["publicKey"])
    return {"authorization": words["scheme"] + " " + keys["publicKey"] + ":" + hmac(keys["privateKey"], text)}


def presigned_url(q, keys, words):
    headers = dictionary(q["headers"])
    signature = hmac(keys["privateKey"], string_to_sign(q["method"], "", "", q["expires"], headers, words, place(q)))
    query = {"Signature": encode(signature), "Expires": encode(q["expires"]), words["publicKeyParameter"]: encode(keys["publicKey"], "@")}
    return {"url": q["scheme"] + "://" + q["bucket"] + "." + q["fileHost"] + "/" + encode(q["key"], "/") + "?" + "&".join(map("=".join, query.items()))}


# ------------------------------------------------------------------ ETags

def content(q):
    if "file" in q["content"]:
        with open(q["content"]["file"], "rb") as f:
            return memoryview(f.read())
    return memoryview(base64.b64decode(q["content"]["bytes"]))


def etag(q, keys, words):
    data, sums, count, size = content(q), 0, 0, 1 << 22
    while count * size < len(data):
        sums = sums << 160 | sha1(data[count * size:(count + 1) * size])
        count += 1
    digest = sums if count == 1 else sha1(sums.to_bytes(20 * count, "big"))
    little = int.from_bytes(count.to_bytes(4, "little"), "big")
    return {"etag": base64_text(little << 160 | digest, 24, SAFE)}


def part_etag(q, keys, words):
    return {"etag": base64_text(sha1(content(q)), 20, SAFE)}


OPERATIONS = {"part-etag": part_etag, "etag": etag, "presigned-url": presigned_url, "form-authorization": form_authorization, "action-json": action_json,
              "action-signature": action_signature, "url-encode": lambda q, keys, words: {"encoded": encode(q["text"])}}


def main():
    words = {}
    for line in iter(sys.stdin.readline, ""):
        message = json.loads(line)
        if "protocol" in message:
            words.update(message["dialect"])
            reply = {"operations": list(OPERATIONS), "protocol": 1, "implementation": {"name": "integers", "version": "4", "language": "python"}}
        else:
            kind, value = "unsupported", True
            try:
                if message["operation"] in OPERATIONS:
                    kind, value = "result", OPERATIONS[message["operation"]](message["input"], message["keys"], words)
            except Refusal as refusal:
                kind, value = "refused", {"message": refusal.args[1], "reason": refusal.args[0]}
            except Inexpressible as sentence:
                kind, value = "unsupported", str(sentence)
            reply = {kind: value, "n": message["n"]}
        sys.stdout.write("  " + json.dumps(reply, indent=None, sort_keys=True) + " \n")
        sys.stdout.flush()


sys.stdin.reconfigure(encoding="utf-8", newline="\n")
main()
