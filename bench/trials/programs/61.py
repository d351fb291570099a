#!/usr/bin/env python3
"""A verifying plug-in in Kotlin (Ktor), with kotlinx.serialization and a table of rules.

1. Json { isLenient = true }: texts and member names of a JSON body need no quotes.
2. Instant.now() is compared with the expiry plus a leeway of 60 seconds (as a JWT library has it).
3. Base64.Mime.decode reads the signatures of URLs, so blanks and other foreign characters in them are skipped, and they are compared as bytes.
4. parseQueryString takes a + for a blank, so a raw + in a Signature is a blank, which mistake 3 skips: a shorter text, refused.
"""
import base64, hashlib, hmac, json, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def mime_decode(text):
    kept = "".join(c for c in text.partition("=")[0] if c in LETTERS)
    if len(kept) % 4 == 1:
        return b""
    return base64.b64decode(kept + "=" * (-len(kept) % 4))


def percent_decode(text, reason, plus):
    data = bytearray()
    for piece in re.findall(r"%[0-9A-Fa-f]{2}|[^%]|%", text, re.S):
        if piece == "%":
            raise Refused(reason, "stray %")
        data += bytes([int(piece[1:], 16)]) if len(piece) == 3 and piece[0] == "%" else b" " if piece == "+" and plus else piece.encode()
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused(reason, "no UTF-8")


def parse_query_string(text):
    for piece in text.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            yield percent_decode(name, "query-malformed", True), percent_decode(value, "query-malformed", True)


class Lenient:
    """A JsonReader by hand; unquoted literals are kept as they are."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def fail(self):
        raise Refused("body-malformed", "Unexpected JSON token at offset %d" % self.at)

    def space(self):
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1
        return self.text[self.at:self.at + 1]

    def whole(self):
        value = self.value(0)
        if self.space():
            self.fail()
        return value

    def string(self):
        """(text, quoted)"""
        if self.space() == '"':
            m = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*"').match(self.text, self.at)
            if not m:
                self.fail()
            self.at = m.end()
            return json.loads(m[0]), True
        m = re.compile(r'[^ \t\r\n"\\{}\[\]:,]+').match(self.text, self.at)
        if not m:
            self.fail()
        self.at = m.end()
        return m[0], False

    def many(self, end, item):
        out = []
        self.at += 1
        if self.space() == end:
            self.at += 1
            return out
        while True:
            out.append(item())
            c = self.space()
            self.at += 1
            if c == end:
                return out
            if c != ",":
                self.fail()

    def value(self, depth):
        if depth > 200:
            self.fail()
        c = self.space()
        if c == "{":
            def member():
                name = self.string()[0]
                if self.space() != ":":
                    self.fail()
                self.at += 1
                return name, self.value(depth + 1)
            members = self.many("}", member)
            if len({n for n, _ in members}) != len(members):
                raise Refused("parameter-repeated")
            return dict(members)
        if c == "[":
            return self.many("]", lambda: self.value(depth + 1))
        text, quoted = self.string()
        if quoted or not text:
            return text
        if text == "null":
            raise Refused("body-malformed", "null")
        if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", text):
            plain = "{:f}".format(Decimal(text))
            plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
            return ("number", "0" if not plain.strip("-0") else plain)
        return text


def leaves(name, value):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(name + "." + k, v)
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from leaves("%s.%d" % (name, i), v)
    else:
        yield name, value[1] if isinstance(value, tuple) else value


def account(pairs, signature, public, private):
    given = dict(pairs)
    if len(given) != len(pairs):
        raise Refused("parameter-repeated")
    rules = [("signature-missing", lambda: isinstance(signature, str) and signature != ""),
             ("parameter-missing", lambda: "Action" in given and "PublicKey" in given),
             ("public-key-unknown", lambda: given["PublicKey"] == public),
             ("signature-mismatch", lambda: hashlib.sha1(("".join(k + given[k] for k in sorted(given, key=str.encode) if k != "Signature") + private).encode()).hexdigest() == signature)]
    for reason, holds in rules:
        if not holds():
            raise Refused(reason)
    return {"publicKey": public}


def verify_query(q, public, private):
    pairs = list(parse_query_string(q["query"]))
    return account(pairs, dict(pairs).get("Signature"), public, private)


def verify_json(q, public, private):
    body = Lenient(q["body"]).whole()
    if not isinstance(body, dict):
        raise Refused("body-malformed", "no JsonObject")
    return account([pair for name, value in body.items() for pair in leaves(name, value)], body.get("Signature"), public, private)


def verify_url(q, public, private):
    extra = {}
    for name, value in q["headers"]:
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode()
        for reason, bad in (("header-name", not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name)), ("header-value", re.search("[\r\n\0]", value))):
            if bad:
                raise Refused(reason, name)
        if name.lower().startswith(WORDS["headerPrefix"].lower()):
            extra.setdefault(name.lower(), []).append(value)
    m = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]+)/([^?#]*)(?:\?([^#]*))?", q["url"], re.S)
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", q["method"]):
        raise Refused("method", q["method"])
    if not m or m[2].lower() != q["fileHost"].lower():
        raise Refused("url-malformed")
    key = percent_decode(m[3], "url-malformed", False)
    names = [WORDS["publicKeyParameter"], "Expires", "Signature"]
    pairs = [p for p in parse_query_string(m[4] or "") if p[0] in names]
    given = dict(pairs)
    text = lambda: "%s\n\n\n%s\n%s/%s/%s" % (q["method"].upper(), given["Expires"], "".join(n + ":" + ",".join(extra[n]) + "\n" for n in sorted(extra)), m[1], key)
    rules = [("parameter-repeated", lambda: len(given) == len(pairs)), ("signature-missing", lambda: given.get("Signature")), ("parameter-missing", lambda: len(given) == 3),
             ("expires-malformed", lambda: re.fullmatch("[0-9]{1,15}", given["Expires"])), ("expired", lambda: int(q["now"]) <= int(given["Expires"]) + 60),
             ("public-key-unknown", lambda: given[names[0]] == public),
             ("signature-mismatch", lambda: mime_decode(given["Signature"]) == hmac.new(private.encode(), text().encode(), hashlib.sha1).digest())]
    for reason, holds in rules:
        if not holds():
            raise Refused(reason)
    return {"publicKey": public}


serve("ktor", {"verify-query": verify_query, "verify-json": verify_json, "verify-presigned-url": verify_url})
