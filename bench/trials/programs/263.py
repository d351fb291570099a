#!/usr/bin/env python3
"""An upload server with Node and Express: it checks Authorization headers and pre-signed URLs, and returns ETags.

Mistakes:
1. Reads the extra headers from req.headers, where Node has joined the values of a repeated header with a comma and a space.
2. Splits the credentials with `const [publicKey, signature] = rest.split(':')`: whatever follows a second colon is ignored. A callback
   policy is not part of the verified text, so a request with a policy is refused, and a signature without policy is accepted with any
   third part (of any method, also a malformed or empty one).
3. Compares Buffer.from(signature, 'base64') with the digest, in headers and URLs: the padding may be missing, - and _ stand for +
   and /, characters outside the alphabet are skipped, everything after = is ignored, and so are the last two bits.
4. The route app.get also answers HEAD, and verifies the pre-signed URL of a HEAD request as GET.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
TOKEN = re.compile(r"[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+")


def bufferFrom(text):
    bits, size, out = 0, 0, bytearray()
    for c in text:
        if c == "=":
            break
        c = {"-": "+", "_": "/"}.get(c, c)
        if c not in ALPHABET:
            continue
        bits, size = bits << 6 | ALPHABET.index(c), size + 6
        if size >= 8:
            size -= 8
            out.append(bits >> size)
            bits &= (1 << size) - 1
    return bytes(out)


def parseHeaders(rawHeaders):
    """http.IncomingMessage.headers; what may be there once is kept as a list to check."""
    headers = {}
    for name, value in rawHeaders:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search(r"[\r\n\0]", value):
            raise Refused("header-value", name)
        headers.setdefault(name.lower(), []).append(value)
    return headers


def only(headers, name):
    values = headers.get(name, [])
    if len(values) > 1:
        raise Refused("header-repeated", name)
    return values[0] if values else ""


def digestOf(privateKey, method, md5, type_, date, headers, bucket, key):
    prefix = WORDS["headerPrefix"].lower()
    names = sorted(n for n in headers if n.startswith(prefix))
    text = method + "\n" + md5 + "\n" + type_ + "\n" + date + "\n"
    text += "".join(n + ":" + ", ".join(headers[n]) + "\n" for n in names) + "/" + bucket + "/" + key
    return hmac.new(privateKey.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()


def checkMethod(method):
    if not TOKEN.fullmatch(method):
        raise Refused("method", method)
    return method.upper()


def requireSignature(req, publicKey, privateKey):
    headers = parseHeaders(req["headers"])
    method = checkMethod(req["method"])
    if req["bucket"] == "" or "/" in req["bucket"]:
        raise Refused("bucket", req["bucket"])
    digest = digestOf(privateKey, method, only(headers, "content-md5"), only(headers, "content-type"), only(headers, "date"),
                      headers, req["bucket"], req["key"])
    given = headers.get("authorization", [])
    if not given:
        raise Refused("authorization-missing", "no header")
    if len(given) > 1 or not given[0].startswith(WORDS["scheme"] + " "):
        raise Refused("authorization-malformed", "another scheme")
    parts = given[0][len(WORDS["scheme"]) + 1:].split(":")
    if len(parts) < 2 or not re.fullmatch(r"[^ \t]+", parts[0]) or not re.fullmatch(r"[^ \t]+", parts[1]):
        raise Refused("authorization-malformed", "not key:signature")
    who, signature = parts[:2]
    if who != publicKey:
        raise Refused("public-key-unknown", who)
    if not hmac.compare_digest(bufferFrom(signature), digest):
        raise Refused("signature-mismatch", "403")
    return {"publicKey": who}


def decodeURIComponent(s, reason):
    out, i, raw = bytearray(), 0, s.encode("utf-8")
    while i < len(raw):
        if raw[i] == 0x25:
            if not re.fullmatch(rb"[0-9A-Fa-f]{2}", raw[i + 1:i + 3]):
                raise Refused(reason, "URI malformed")
            out.append(int(raw[i + 1:i + 3], 16))
            i += 3
        else:
            out.append(raw[i])
            i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "URI malformed")


def download(req, publicKey, privateKey):
    method = checkMethod(req["method"])
    if method == "HEAD":
        method = "GET"
    headers = parseHeaders(req["headers"])
    m = re.fullmatch(r"https?://([^./?#]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", req["url"], re.S)
    if not m or m[2].lower() != req["fileHost"].lower():
        raise Refused("url-malformed", "404")
    key = decodeURIComponent(m[3], "url-malformed")
    query = {}
    for piece in (m[4] or "").split("&"):
        name, _, value = piece.partition("=")
        name, value = decodeURIComponent(name, "query-malformed"), decodeURIComponent(value, "query-malformed")
        if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if name in query:
                raise Refused("parameter-repeated", name)
            query[name] = value
    if not query.get("Signature"):
        raise Refused("signature-missing", "401")
    who, expires = query.get(WORDS["publicKeyParameter"]), query.get("Expires")
    if who is None or expires is None:
        raise Refused("parameter-missing", "401")
    if not re.fullmatch(r"[0-9]{1,15}", expires):
        raise Refused("expires-malformed", expires)
    if int(req["now"]) > int(expires):
        raise Refused("expired", "410")
    if who != publicKey:
        raise Refused("public-key-unknown", who)
    if not hmac.compare_digest(bufferFrom(query["Signature"]), digestOf(privateKey, method, "", "", expires, headers, m[1], key)):
        raise Refused("signature-mismatch", "403")
    return {"publicKey": who}


def etag(req, publicKey, privateKey):
    data = content(req["content"])
    blocks = [data[i:i + 4194304] for i in range(0, len(data), 4194304)]
    if len(blocks) > 1:
        data = b"".join(hashlib.sha1(b).digest() for b in blocks)
    head = bytearray(4)
    head[0:4] = len(blocks).to_bytes(4, "little")
    return {"etag": base64.b64encode(bytes(head) + hashlib.sha1(data).digest()).decode().replace("+", "-").replace("/", "_")}


def partEtag(req, publicKey, privateKey):
    sha = hashlib.sha1(content(req["content"])).digest()
    return {"etag": base64.b64encode(sha).decode().replace("+", "-").replace("/", "_")}


serve("express-upload", {"verify-authorization": requireSignature, "verify-presigned-url": download, "etag": etag,
                         "part-etag": partEtag})
