"""Correct: a checker with its own JSON reader that yields flat parameters, a byte-level query reader, and rules as a list of closures."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import bisect
import hashlib
import hmac
import re
from decimal import Decimal
from serving import serve, Refused, WORDS

HEX = b"0123456789ABCDEFabcdef"


# ---------------------------------------------------------------- numbers and flat parameters

def plain_number(written):
    m = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written)
    if not m:
        raise Refused("number", "not a number")
    if len((m[4] or "").lstrip("eE+-")) > 18:
        raise Refused("number", "exponent")
    digits = m[2] + (m[3] or "")[1:]
    if not digits.strip("0"):
        return "0"
    if len(m[4] or "") > 15 or abs(Decimal(written).adjusted()) >= 4000:
        raise Refused("number", "too large")
    whole, _, fraction = format(Decimal(written), "f").partition(".")
    fraction = fraction.rstrip("0")
    return whole + "." + fraction if fraction else whole


def flat(name, value):
    if value is None:
        raise Refused("parameter-null", "null")
    if value is True or value is False:
        return [(name, str(value).lower())]
    if isinstance(value, str):
        return [(name, value)]
    if "number" in value:
        return [(name, plain_number(value["number"]))]
    steps = enumerate(value["list"]) if "list" in value else value["object"]
    return [leaf for step, item in steps for leaf in flat(name + "." + str(step), item)]


def table(pairs):
    """Sorted rows (name in bytes, name, text) of the flat parameters but Signature."""
    found = [leaf for name, value in pairs for leaf in flat(name, value) if leaf[0] != "Signature"]
    if len(dict(found)) < len(found):
        raise Refused("parameter-repeated", "twice")
    rows = []
    for name, text in found:
        bisect.insort(rows, (name.encode(), name, text))
    return rows


def signature(rows, pri):
    return hashlib.sha1(b"".join(row[0] + row[2].encode() for row in rows) + pri.encode()).hexdigest()


def judge(pairs, given_signature, pub, pri):
    rows = table(pairs)
    if not isinstance(given_signature, str) or given_signature == "":
        raise Refused("signature-missing", "none")
    by_name = {row[1]: row[2] for row in rows}
    for name in ("Action", "PublicKey"):
        if name not in by_name:
            raise Refused("parameter-missing", name)
    if by_name["PublicKey"] != pub:
        raise Refused("public-key-unknown", "who")
    if signature(rows, pri) != given_signature:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": pub}


# ---------------------------------------------------------------- percent escapes

def decoded(text, reason):
    for at, c in enumerate(text):
        if c == "%" and (len(text) < at + 3 or not all(x.isascii() and x.encode() in HEX for x in text[at + 1:at + 3])):
            raise Refused(reason, "stray percent")
    raw, out, i = text.encode(), bytearray(), 0
    while i < len(raw):
        if raw[i] == 37:
            out.append(int(raw[i + 1:i + 3], 16))
            i += 3
        else:
            out.append(raw[i])
            i += 1
    try:
        return out.decode()
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def query_pairs(query):
    out = []
    for piece in filter(None, query.split("&")):
        cut = piece.find("=") if "=" in piece else len(piece)
        name = decoded(piece[:cut], "query-malformed")
        out.append((name, decoded(piece[cut + 1:], "query-malformed")))
    return out


def verify_query(given, pub, pri):
    pairs = query_pairs(given["query"])
    if len({name for name, _ in pairs}) < len(pairs):
        raise Refused("parameter-repeated", "twice")
    return judge(pairs, dict(pairs).get("Signature"), pub, pri)


# ---------------------------------------------------------------- JSON

class Reader:
    BLANK = re.compile(r"[ \t\n\r]*")
    PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
    NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
    ESCAPE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
    WORD = {"true": True, "false": False, "null": None}

    def __init__(self, text):
        self.text, self.at = text, 0

    def bad(self):
        raise Refused("body-malformed", "not JSON at %d" % self.at)

    def blank(self):
        self.at = self.BLANK.match(self.text, self.at).end()
        return self.text[self.at:self.at + 1]

    def take(self, c):
        if self.text[self.at:self.at + 1] != c:
            self.bad()
        self.at += 1

    def four(self):
        digits = self.text[self.at:self.at + 4]
        if not re.fullmatch("[0-9A-Fa-f]{4}", digits):
            self.bad()
        self.at += 4
        return int(digits, 16)

    def string(self):
        self.take('"')
        out = ""
        while True:
            m = self.PLAIN.match(self.text, self.at)
            out += m[0]
            self.at = m.end()
            c = self.text[self.at:self.at + 1]
            self.at += 1
            if c == '"':
                return out
            if c != "\\":
                self.bad()
            c = self.text[self.at:self.at + 1]
            self.at += 1
            if c == "u":
                unit = self.four()
                if 0xD800 <= unit < 0xDC00 and self.text.startswith("\\u", self.at):
                    back = self.at
                    self.at += 2
                    low = self.four()
                    if 0xDC00 <= low < 0xE000:
                        unit = 0x10000 + (unit - 0xD800 << 10) + low - 0xDC00
                    else:
                        self.at = back
                out += chr(unit)
            elif c in self.ESCAPE:
                out += self.ESCAPE[c]
            else:
                self.bad()

    def sequence(self, opening, closing, item):
        self.take(opening)
        out = []
        if self.blank() == closing:
            self.at += 1
            return out
        while True:
            self.blank()
            out.append(item())
            if self.blank() == closing:
                self.at += 1
                return out
            self.take(",")

    def member(self):
        name = self.string()
        self.blank()
        self.take(":")
        return [name, self.value()]

    def value(self):
        c = self.blank()
        if c == '"':
            return self.string()
        if c == "[":
            return {"list": self.sequence("[", "]", self.value)}
        if c == "{":
            members = self.sequence("{", "}", self.member)
            if len({name for name, _ in members}) < len(members):
                raise Refused("parameter-repeated", "twice")
            return {"object": members}
        for word, value in self.WORD.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        m = self.NUMBER.match(self.text, self.at)
        if not m:
            self.bad()
        self.at = m.end()
        return {"number": m[0]}

    def document(self):
        try:
            value = self.value()
        except RecursionError:
            self.bad()
        if self.blank() or not isinstance(value, dict) or "object" not in value:
            self.bad()
        return value["object"]


def verify_json(given, pub, pri):
    members = Reader(given["body"]).document()
    try:
        for name, value in members:
            flat(name, value)
    except Refused as e:
        raise Refused("body-malformed", *e.args)
    return judge(members, dict(members).get("Signature"), pub, pri)


# ---------------------------------------------------------------- pre-signed URLs

TOKEN = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
FOLD = re.compile(r"[ \t]*(?:\r?\n[ \t]+)+")


def canonical(headers):
    rows = {}
    for name, raw in headers:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", "not a token")
        raw.encode()
        value = FOLD.sub(" ", raw).strip(" \t")
        if not {"\r", "\n", "\0"}.isdisjoint(value):
            raise Refused("header-value", "line break or NUL")
        name = name.lower()
        rows[name] = rows[name] + "," + value if name in rows else name + ":" + value
    return [rows[name] for name in sorted(rows) if name.startswith(WORDS["headerPrefix"].lower())]


def verify_url(given, pub, pri):
    if not TOKEN.fullmatch(given["method"]):
        raise Refused("method", "not a token")
    extra = canonical(given["headers"])
    scheme, mark, rest = given["url"].partition("://")
    before, question, query = rest.partition("?")
    host, slash, path = before.partition("/")
    bucket, dot, where = host.partition(".")
    if scheme not in ("http", "https") or not mark or not slash or "#" in rest or not bucket or where.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "no URL of this host")
    key = decoded(path, "url-malformed")
    wanted = {WORDS["publicKeyParameter"]: [], "Expires": [], "Signature": []}
    for name, value in query_pairs(query):
        wanted.get(name, []).append(value)
    who, until, signed = wanted[WORDS["publicKeyParameter"]], wanted["Expires"], wanted["Signature"]
    rules = [
        (lambda: max(map(len, (who, until, signed))) > 1, "parameter-repeated"),
        (lambda: not any(signed), "signature-missing"),
        (lambda: not who or not until, "parameter-missing"),
        (lambda: not (until[0].isascii() and until[0].isdigit() and len(until[0]) <= 15), "expires-malformed"),
        (lambda: int(until[0]) < int(given["now"]), "expired"),
        (lambda: who[0] != pub, "public-key-unknown"),
        (lambda: base64.b64encode(hmac.digest(pri.encode(), "\n".join(
            [given["method"].upper(), "", "", until[0]] + extra + ["/" + bucket + "/" + key]).encode(), "sha1")).decode() != signed[0], "signature-mismatch"),
    ]
    for broken, reason in rules:
        if broken():
            raise Refused(reason, "rule")
    return {"publicKey": pub}


OPS = {"verify-query": verify_query, "verify-json": verify_json, "verify-presigned-url": verify_url,
       "action-signature": lambda given, pub, pri: {"signature": signature(table(given["parameters"]), pri)}}
if __name__ == "__main__":
    serve("rules", OPS)
