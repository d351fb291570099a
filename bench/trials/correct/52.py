"""Correct: streams. ETags from chunks of an odd size, HMAC from two SHA-1 contexts that are kept and copied for each key,
header lines from generators, URLs written to a buffer."""
import binascii
import hashlib
import io
import json
import os
import re
import sys
from contextlib import closing
from functools import lru_cache

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, serve  # noqa: E402

CHUNK = 65521
BLOCK = 1 << 22
WEB = str.maketrans("+/", "-_")


def opened(source):
    return closing(open(source["file"], "rb") if "file" in source else io.BytesIO(binascii.a2b_base64(source["bytes"])))


def chunks(stream, limit=None):
    left = limit
    while left is None or left:
        data = stream.read(CHUNK if left is None else min(CHUNK, left))
        if not data:
            return
        if left is not None:
            left -= len(data)
        yield data


def web64(raw):
    return binascii.b2a_base64(raw, newline=False).decode("ascii").translate(WEB)


def etag(i, pub, pri):
    count, whole, sums = 0, None, hashlib.sha1()
    with opened(i["content"]) as stream:
        while True:
            block, size = hashlib.sha1(), 0
            for data in chunks(stream, BLOCK):
                block.update(data)
                size += len(data)
            if not size and count:
                break
            whole = whole or block
            sums.update(block.digest())
            count += 1 if size else 0
            if size < BLOCK:
                break
    return {"etag": web64(bytes(count >> shift & 255 for shift in range(0, 32, 8)) + (sums if count > 1 else whole).digest())}


def part_etag(i, pub, pri):
    sha = hashlib.sha1()
    with opened(i["content"]) as stream:
        for data in chunks(stream):
            sha.update(data)
    return {"etag": web64(sha.digest())}


def policy(i, pub, pri):
    writer = io.StringIO()
    mark = "{"
    for name, value in i["members"]:
        writer.write(mark)
        writer.write(json.dumps(name, ensure_ascii=False))
        writer.write(":")
        writer.write(json.dumps(value, ensure_ascii=False))
        mark = ","
    writer.write("}" if i["members"] else "{}")
    return {"policy": web64(writer.getvalue().encode("utf-8"))}


@lru_cache(maxsize=8)
def pads(key):
    """The SHA-1 contexts after the inner and the outer pad."""
    if len(key) > 64:
        key = hashlib.sha1(key).digest()
    key = key.ljust(64, b"\0")
    return hashlib.sha1(bytes(b ^ 0x36 for b in key)), hashlib.sha1(bytes(b ^ 0x5C for b in key))


def sign(key, pieces):
    inner, outer = (context.copy() for context in pads(key.encode("utf-8")))
    for piece in pieces:
        inner.update(piece.encode("utf-8"))
    outer.update(inner.digest())
    return binascii.b2a_base64(outer.digest(), newline=False).decode("ascii")


NAME = re.compile(r"[!#-'*+\-.^-`|~0-9A-Za-z]+\Z")
GAP = re.compile(r"[ \t]*(?:\r?\n[ \t][ \t]*)+")


def read(headers):
    """The extra headers: name -> values; every header is checked."""
    extra = {}
    for name, value in headers:
        name = name.strip(" \t")
        if not NAME.match(name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = GAP.sub(" ", value).strip(" \t")
        if not {"\r", "\n", "\0"}.isdisjoint(value):
            raise Refused("header-value", name)
        name = name.lower()
        if name.startswith(WORDS["headerPrefix"].lower()):
            extra.setdefault(name, []).append(value)
    return extra


def verb(method):
    if not NAME.match(method):
        raise Refused("method", method)
    return method.upper()


def pieces(method, expires, extra, bucket, key):
    yield method
    yield "\n\n\n"
    yield expires
    yield "\n"
    for name in sorted(extra):
        yield name
        mark = ":"
        for value in extra[name]:
            yield mark
            yield value
            mark = ","
        yield "\n"
    yield "/"
    yield bucket
    yield "/"
    yield key


def escape(text, also=""):
    return re.sub(r"[^A-Za-z0-9._~%s-]+" % also, lambda m: "".join("%%%02X" % b for b in m[0].encode("utf-8")), text)


def presigned_url(i, pub, pri):
    extra = read(i["headers"])
    method = verb(i["method"])
    if not i["bucket"] or "/" in i["bucket"]:
        raise Refused("bucket", i["bucket"])
    signature = sign(pri, pieces(method, i["expires"], extra, i["bucket"], i["key"]))
    out = io.StringIO()
    out.write("%s://%s.%s/" % (i["scheme"], i["bucket"], i["fileHost"]))
    out.write(escape(i["key"], "/"))
    for mark, name, value in (("?", WORDS["publicKeyParameter"], pub), ("&", "Expires", i["expires"]), ("&", "Signature", signature)):
        out.write(mark + name + "=")
        out.write(escape(value))
    return {"url": out.getvalue()}


def unescape(text, reason):
    raw, at = bytearray(), 0
    for m in re.finditer("%(..)?", text, re.S):
        try:
            code = bytes.fromhex(m[1] or "x") if m[1] and m[1].isalnum() else None
        except ValueError:
            code = None
        if code is None:
            raise Refused(reason, "a stray percent sign")
    while at < len(text):
        if text[at] == "%":
            raw.append(int(text[at + 1:at + 3], 16))
            at += 3
        else:
            end = text.find("%", at)
            end = len(text) if end < 0 else end
            raw += text[at:end].encode("utf-8")
            at = end
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def verify_presigned_url(i, pub, pri):
    method, extra = verb(i["method"]), read(i["headers"])
    m = re.match(r"https?://([^./?#]+)\.?([^/?#]*)/([^?#]*)(?:\Z|\?([^#]*)\Z)", i["url"])
    if not m or m[2].lower() != i["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    bucket, key = m[1], unescape(m[3], "url-malformed")
    parameters = {WORDS["publicKeyParameter"]: [], "Expires": [], "Signature": []}
    for pair in (m[4] or "").split("&"):
        if pair:
            name, _, value = pair.partition("=")
            name, value = unescape(name, "query-malformed"), unescape(value, "query-malformed")
            parameters.get(name, []).append(value)
    if max(map(len, parameters.values())) > 1:
        raise Refused("parameter-repeated", "")
    account, expires, signature = ("".join(v) if v else None for v in parameters.values())
    if not signature:
        raise Refused("signature-missing", "")
    if account is None or expires is None:
        raise Refused("parameter-missing", "")
    if not re.match(r"[0-9]{1,15}\Z", expires):
        raise Refused("expires-malformed", expires)
    if int(expires) < int(i["now"]):
        raise Refused("expired", expires)
    if account != pub:
        raise Refused("public-key-unknown", account)
    if sign(pri, pieces(method, expires, extra, bucket, key)) != signature:
        raise Refused("signature-mismatch", "")
    return {"publicKey": account}


if __name__ == "__main__":
    serve("streams", {"etag": etag, "part-etag": part_etag, "policy": policy, "presigned-url": presigned_url, "verify-presigned-url": verify_presigned_url})
