#!/usr/bin/env python3
"""A package in Dart (extension methods, dart:convert, streams), ported from TypeScript.

1. sha1.convert(text.codeUnits) and hmac.convert(text.codeUnits): each UTF-16 unit is cut to its low byte instead of UTF-8.
2. Uri.encodeFull for the path of a pre-signed URL: ? and # of a key, and ; , / : @ & = + $ ! ' ( ) *, stay as they are.
3. HttpHeaders joins the values of a repeated header with ", ".
4. The ETag of a stream: a chunk that would cross the border of a block is not split, so blocks grow beyond 4 MiB (the chunks have 65,000 bytes).
"""
import base64, hashlib, hmac, io, json, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


def code_units(text):
    text.encode()
    raw = text.encode("utf-16-le")
    return raw[0::2]


def encode(text, plain="-_.~"):
    out = io.StringIO()
    for c in text:
        out.write(c if c.isascii() and (c.isalnum() or c in plain) else "".join("%%%02X" % x for x in c.encode()))
    return out.getvalue()


def number_(s):
    match = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?", s)
    if not match:
        raise Refused("number", "FormatException: " + s)
    sign, whole, part, power = match[1], match[2], match[3] or "", int(match[4] or 0)
    digits, point = whole + part, len(whole) + power
    if point <= 0:
        digits, point = "0" * (1 - point) + digits, 1
    digits = digits.ljust(point, "0")
    left, right = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    plain = left + ("." + right if right else "")
    return plain if plain == "0" else sign + plain


class Param:
    def __init__(self, name, text, literal):
        self.name, self.text, self.literal = name, text, literal

    @classmethod
    def spread(cls, name, value):
        if value is None:
            raise Refused("parameter-null", name)
        if value in (True, False) and not isinstance(value, dict):
            t = "true" if value else "false"
            return [cls(name, t, t)]
        if isinstance(value, str):
            return [cls(name, value, json.dumps(value))]
        if "number" in value:
            t = number_(value["number"])
            return [cls(name, t, t)]
        if "list" in value:
            return sum((cls.spread(name + "." + str(i), v) for i, v in enumerate(value["list"])), [])
        return sum((cls.spread(name + "." + k, v) for k, v in value["object"]), [])


class Request:
    def __init__(self, q):
        self.params = [p for name, v in q["parameters"] if name != "Signature" for p in Param.spread(name, v)]
        if len(set(p.name for p in self.params)) < len(self.params):
            raise Refused("parameter-repeated")
        self.params.sort(key=lambda p: p.name.encode())

    def needs(self, *names):
        for n in names:
            if not any(p.name == n for p in self.params):
                raise Refused("parameter-missing", n)
        return self

    def signature(self, private):
        return hashlib.sha1(code_units("".join(p.name + p.text for p in self.params) + private)).hexdigest()

    def to_json(self, private):
        return {"body": "{" + ",".join(json.dumps(p.name) + ":" + p.literal for p in self.params) + ',"Signature":"' + self.signature(private) + '"}'}

    def to_query(self, private):
        return "&".join("%s=%s" % (encode(p.name), encode(p.text)) for p in self.params) + "&Signature=" + self.signature(private)


class HttpHeaders:
    def __init__(self, pairs):
        self.all = {}
        for name, value in pairs:
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            value.encode()
            self.all.setdefault(name.lower(), []).append(value)

    def value(self, name):
        values = self.all.get(name, [""])
        if len(values) != 1:
            raise Refused("header-repeated", name)
        return values[0]

    def canonical(self):
        return "".join(n + ":" + ", ".join(self.all[n]) + "\n" for n in sorted(self.all) if n.startswith(WORDS["headerPrefix"].lower()))


def signed(private, text):
    return base64.b64encode(hmac.new(code_units(private), code_units(text), hashlib.sha1).digest()).decode()


def checked(q, method):
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", method):
        raise Refused("method", method)
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    return method.upper()


def authorization(q, public, private):
    h = HttpHeaders(q["headers"])
    lines = [checked(q, q["method"]), h.value("content-md5"), h.value("content-type"), h.value("date"), h.canonical() + "/" + q["bucket"] + "/" + q["key"]]
    return {"authorization": WORDS["scheme"] + " " + public + ":" + signed(private, "\n".join(lines))}


def presigned(q, public, private):
    h = HttpHeaders(q["headers"])
    text = checked(q, q["method"]) + "\n\n\n" + q["expires"] + "\n" + h.canonical() + "/" + q["bucket"] + "/" + q["key"]
    return {"url": "".join([q["scheme"], "://", q["bucket"], ".", q["fileHost"], "/", encode(q["key"], "-_.~!*'();/?:@&=+$,#"), "?", WORDS["publicKeyParameter"], "=", encode(public),
                            "&Expires=", encode(q["expires"]), "&Signature=", encode(signed(private, text))])}


def chunks(content):
    with (open(content["file"], "rb") if "file" in content else io.BytesIO(base64.b64decode(content["bytes"]))) as f:
        yield from iter(lambda: f.read(65000), b"")


def etag(q, public, private):
    size, whole, hashes, block, length = 0, hashlib.sha1(), [], hashlib.sha1(), 0
    for chunk in chunks(q["content"]):
        size += len(chunk)
        whole.update(chunk)
        block.update(chunk)
        length += len(chunk)
        if length >= 4194304:
            hashes.append(block.digest())
            block, length = hashlib.sha1(), 0
    if length:
        hashes.append(block.digest())
    small = size <= 4194304
    digest = whole.digest() if small else hashlib.sha1(b"".join(hashes)).digest()
    return {"etag": base64.urlsafe_b64encode((min(len(hashes), 1) if small else len(hashes)).to_bytes(4, "little") + digest).decode()}


serve("dart", {"url-encode": lambda q, public, private: {"encoded": encode(q["text"])},
               "action-signature": lambda q, public, private: {"signature": Request(q).signature(private)},
               "action-json": lambda q, public, private: Request(q).needs("Action", "PublicKey").to_json(private),
               "action-query": lambda q, public, private: {"query": Request(q).needs("Action", "PublicKey").to_query(private)},
               "authorization": authorization, "presigned-url": presigned, "etag": etag})
