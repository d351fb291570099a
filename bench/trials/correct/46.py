#!/usr/bin/env python3
"""Correct. Nothing but bytes and one mutable buffer per answer, as on a small device: texts are encoded once when they come in, names are compared and
sorted as bytes by a heap, percent-encoding and Base64 go through tables of two-byte pairs, HMAC pads are made by bytes.translate.
"""
import base64, hashlib, heapq, json, os, re, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


IPAD, OPAD = bytes(c ^ 0x36 for c in range(256)), bytes(c ^ 0x5C for c in range(256))
LOWER = bytes(c + 32 if 65 <= c <= 90 else c for c in range(256))
SAFE = [bytes([c]) if c in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~" else b"%%%02X" % c for c in range(256)]
TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Buffer(bytearray):
    def put(self, *pieces):
        for piece in pieces:
            self += piece if isinstance(piece, (bytes, bytearray)) else piece.encode()
        return self

    def escape(self, data):
        for c in data:
            self += SAFE[c]
        return self

    def path(self, data):
        for c in data:
            self += b"/" if c == 47 else SAFE[c]
        return self

    def base64(self, raw, last=b"+/"):
        letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last
        at = 0
        while at + 3 <= len(raw):
            n = raw[at] << 16 | raw[at + 1] << 8 | raw[at + 2]
            self += bytes((letters[n >> 18], letters[n >> 12 & 63], letters[n >> 6 & 63], letters[n & 63]))
            at += 3
        if len(raw) - at == 1:
            self += bytes((letters[raw[at] >> 2], letters[(raw[at] & 3) << 4])) + b"=="
        elif len(raw) - at == 2:
            n = raw[at] << 8 | raw[at + 1]
            self += bytes((letters[n >> 10], letters[n >> 4 & 63], letters[(n & 15) << 2])) + b"="
        return self

    def text(self):
        return self.decode()


def sha1(data):
    return hashlib.sha1(data).digest()


def mac(key, message):
    key = (sha1(key) if len(key) > 64 else key).ljust(64, b"\0")
    return sha1(key.translate(OPAD) + sha1(key.translate(IPAD) + message))


def value(text):
    data = text.encode()
    data = re.sub(rb"[ \t]*(?:\r?\n[ \t]+)+", b" ", data).strip(b" \t")
    for c in data:
        if c in (0, 10, 13):
            raise Refused("header-value", "octet %d" % c)
    return data


class Headers:
    def __init__(self, pairs):
        self.heap = []
        for at, (name, text) in enumerate(pairs):
            try:
                name = name.strip(" \t").encode("ascii")
            except UnicodeEncodeError:
                raise Refused("header-name")
            if not TOKEN.fullmatch(name):
                raise Refused("header-name")
            heapq.heappush(self.heap, (name.translate(LOWER), at, value(text)))

    def one(self, wanted, otherwise=b""):
        found = [v for n, _, v in self.heap if n == wanted]
        if len(found) > 1:
            raise Refused("header-repeated", wanted.decode())
        return found[0] if found else otherwise

    def into(self, out):
        heap, prefix, last = list(self.heap), WORDS["headerPrefix"].encode().translate(LOWER), None
        while heap:
            name, _, data = heapq.heappop(heap)
            if name.startswith(prefix):
                if name == last:
                    out.put(b",", data)
                else:
                    out.put(b"" if last is None else b"\n", name, b":", data)
                last = name
        return out if last is None else out.put(b"\n")


def method_of(text):
    data = text.encode()
    if not TOKEN.fullmatch(data):
        raise Refused("method")
    return data.upper()


def resource(out, q):
    bucket = q["bucket"].encode()
    if bucket == b"" or b"/" in bucket:
        raise Refused("bucket")
    return out.put(b"/", bucket, b"/", q["key"])


def string(method, q, md5=None, kind=None, when=None):
    headers = Headers(q["headers"])
    out = Buffer().put(method if isinstance(method, bytes) else method(), b"\n")
    if md5 is None:
        md5 = headers.one(b"content-md5")
    elif callable(md5):
        md5 = md5(headers)
    out.put(md5, b"\n", headers.one(b"content-type") if kind is None else kind, b"\n", headers.one(b"date") if when is None else when, b"\n")
    return resource(headers.into(out), q)


def credentials(public, private, message):
    return Buffer().put(WORDS["scheme"], b" ", public, b":").base64(mac(private.encode(), bytes(message)))


def authorization(q, public, private):
    return {"authorization": credentials(public, private, string(lambda: method_of(q["method"]), q)).text()}


def policy_authorization(q, public, private):
    out = credentials(public, private, string(lambda: method_of(q["method"]), q).put(q["policy"]))
    return {"authorization": (out.put(b":", q["policy"]) if q["policy"] else out).text()}


def form(q, public, private):
    fields = {b"Content-Type": [], b"Content-MD5": []}
    for name, text in q["fields"]:
        fields.get(name.encode("utf-8", "replace"), []).append(value(text)) if name in ("Content-Type", "Content-MD5") else None
    if len(fields[b"Content-Type"]) > 1:
        raise Refused("header-repeated", "Content-Type")

    def md5(headers):
        if any(n == b"content-md5" for n, _, _ in headers.heap):
            return headers.one(b"content-md5")
        if len(fields[b"Content-MD5"]) > 1:
            raise Refused("header-repeated", "Content-MD5")
        return (fields[b"Content-MD5"] or [b""])[0]
    return {"authorization": credentials(public, private, string(b"POST", q, md5, (fields[b"Content-Type"] or [b""])[0])).text()}


def instant(q, public, private):
    value_ = credentials(public, private, string(b"POST", q)).text()
    out = Buffer().put(b"/uploadhit?")
    for name, member, end in ((b"Hash", "etag", b"&"), (b"FileName", "key", b"&"), (b"FileSize", "size", b"")):
        out.put(name, b"=").escape(q[member].encode()).put(end)
    return {"target": out.text(), "authorization": value_}


def presigned(q, public, private):
    message = string(lambda: method_of(q["method"]), q, b"", b"", q["expires"].encode())
    out = Buffer().put(q["scheme"], b"://", q["bucket"], b".", q["fileHost"], b"/").path(q["key"].encode()).put(b"?Expires=").escape(q["expires"].encode())
    out.put(b"&", WORDS["publicKeyParameter"], b"=").escape(public.encode())
    return {"url": out.put(b"&Signature=").escape(Buffer().base64(mac(private.encode(), bytes(message)))).text()}


def policy(q, public, private):
    out = Buffer().put(b"{")
    for at, (name, text) in enumerate(q["members"]):
        out.put(b"," if at else b"", json.dumps(name, ensure_ascii=False), b":", json.dumps(text, ensure_ascii=False))
    return {"policy": Buffer().base64(out.put(b"}"), b"-_").text()}


def content(c):
    if "file" in c:
        with open(c["file"], "rb", buffering=0) as f:
            while True:
                piece = f.read(1 << 20)
                if not piece:
                    return
                yield piece
    else:
        yield base64.b64decode(c["bytes"])


def etag(q, public, private):
    count, left, whole, block, blocks = 0, 0, hashlib.sha1(), None, hashlib.sha1()
    for piece in content(q["content"]):
        whole.update(piece) if count < 2 else None
        view = memoryview(piece)
        while len(view):
            if left == 0:
                if block is not None:
                    blocks.update(block.digest())
                block, left, count = hashlib.sha1(), 4194304, count + 1
            take = view[:left]
            block.update(take)
            left, view = left - len(take), view[len(take):]
    if block is not None:
        blocks.update(block.digest())
    return {"etag": Buffer().base64(bytes((count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24)) + (whole if count < 2 else blocks).digest(), b"-_").text()}


def part_etag(q, public, private):
    whole = hashlib.sha1()
    for piece in content(q["content"]):
        whole.update(piece)
    return {"etag": Buffer().base64(whole.digest(), b"-_").text()}


serve("bytes", {"url-encode": lambda q, public, private: {"encoded": Buffer().escape(q["text"].encode()).text()}, "password": lambda q, public, private: {"value": Buffer().base64(q["text"].encode()).text()},
                "authorization": authorization, "policy-authorization": policy_authorization, "form-authorization": form, "instant-upload": instant, "presigned-url": presigned,
                "policy": policy, "etag": etag, "part-etag": part_etag})
