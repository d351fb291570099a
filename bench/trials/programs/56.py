#!/usr/bin/env python3
"""A middleware in C# (ASP.NET Core: Request.Query, StringValues, PathString), verifying.

1. QueryCollection knows names in any case, and a repeated one has its values joined by a comma (StringValues.ToString()): expires= and signature=
   count, and in a query of the account API Tag and TAG are one parameter.
2. The signature in hexadecimal is compared with StringComparison.OrdinalIgnoreCase.
3. Request.Path is decoded but for %2F, which stays as it is: a key whose slash was escaped does not match.
4. DateTimeOffset.FromUnixTimeSeconds throws beyond the year 9999, which is caught as a malformed expiry; long.Parse before it takes a sign and blanks.
"""
import base64, hashlib, hmac, json, os, re, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


class StringValues(list):
    def __str__(self):
        return ",".join(self)


class CaseInsensitive:
    def __init__(self):
        self.entries = {}

    def add(self, name, value):
        self.entries.setdefault(name.upper(), (name, StringValues()))[1].append(value)

    def get(self, name):
        found = self.entries.get(name.upper())
        return str(found[1]) if found else None

    def __iter__(self):
        return iter((name, str(values)) for name, values in self.entries.values())


class Query(CaseInsensitive):
    def __init__(self, text):
        super().__init__()
        for piece in filter(None, text.split("&")):
            name, _, value = piece.partition("=")
            self.add(Escapes.decode(name, "query-malformed"), Escapes.decode(value, "query-malformed"))


class Escapes:
    @staticmethod
    def decode(text, reason, keep=()):
        out = bytearray()
        at = 0
        raw = text.encode("utf-8")
        while at < len(raw):
            if raw[at] != 0x25:
                out.append(raw[at])
                at += 1
                continue
            digits = raw[at + 1:at + 3]
            if not re.fullmatch(rb"[0-9A-Fa-f]{2}", digits):
                raise Refused(reason, text)
            out += raw[at:at + 3] if int(digits, 16) in keep else bytes([int(digits, 16)])
            at += 3
        try:
            return out.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(reason, text)


class HeaderDictionary(CaseInsensitive):
    token = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

    def __init__(self, pairs):
        super().__init__()
        for name, value in pairs:
            if not self.token.fullmatch(name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            value.encode("utf-8")
            if set(value) & set("\r\n\0"):
                raise Refused("header-value", name)
            self.add(name, value)

    def single(self, name):
        found = self.entries.get(name.upper())
        if found and len(found[1]) > 1:
            raise Refused("header-repeated", name)
        return str(found[1]) if found else ""

    def canonical(self):
        prefix = WORDS["headerPrefix"].lower()
        rows = sorted((name.lower(), value) for name, value in self if name.lower().startswith(prefix))
        return "".join("%s:%s\n" % row for row in rows)


class Verifier:
    def __init__(self, public, private):
        self.public, self.secret = public, private.encode("utf-8")

    def account(self, public):
        if public != self.public:
            raise Refused("public-key-unknown", public)

    def file(self, text, signature):
        if not hmac.compare_digest(base64.b64encode(hmac.new(self.secret, text.encode("utf-8"), "sha1").digest()), signature.encode("utf-8")):
            raise Refused("signature-mismatch", "HMACSHA1")

    def method(self, name):
        if not HeaderDictionary.token.fullmatch(name):
            raise Refused("method", name)
        return name.upper()

    def header(self, q):
        headers = HeaderDictionary(q["headers"])
        method = self.method(q["method"])
        if not q["bucket"] or "/" in q["bucket"]:
            raise Refused("bucket", q["bucket"])
        text = "\n".join([method] + [headers.single(n) for n in ("Content-MD5", "Content-Type", "Date")] + [headers.canonical()])
        text += "/" + q["bucket"] + "/" + q["key"]
        value = headers.get("Authorization")
        if value is None:
            raise Refused("authorization-missing")
        if len(headers.entries["AUTHORIZATION"][1]) > 1:
            raise Refused("authorization-malformed", "two")
        scheme, _, rest = value.partition(" ")
        parts = rest.split(":")
        if scheme != WORDS["scheme"] or len(parts) not in (2, 3) or not all(parts) or re.search(r"[ \t]", rest):
            raise Refused("authorization-malformed", value)
        if len(parts) == 3 and (method not in ("PUT", "POST") or not self.policy(parts[2])):
            raise Refused("authorization-malformed", "policy")
        self.account(parts[0])
        self.file(text + "".join(parts[2:]), parts[1])
        return {"publicKey": parts[0]}

    @staticmethod
    def policy(text):
        if re.search("[-_]", text) and re.search("[+/]", text):
            return False
        body = text.rstrip("=").replace("-", "+").replace("_", "/")
        try:
            return type(json.loads(base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8"))) is dict
        except (ValueError, RecursionError):
            return False

    def url(self, q):
        headers = HeaderDictionary(q["headers"])
        method = self.method(q["method"])
        m = re.fullmatch(r"https?://([^./?#]+)\.([^/?#]*)/([^?#]*)(?:\?([^#]*))?", q["url"], re.S)
        if not m or m[2].lower() != q["fileHost"].lower():
            raise Refused("url-malformed", q["url"])
        key = Escapes.decode(m[3], "url-malformed", keep=(0x2F,))
        query = Query(m[4] or "")
        public, expires, signature = (query.get(n) for n in (WORDS["publicKeyParameter"], "Expires", "Signature"))
        if not signature:
            raise Refused("signature-missing")
        if public is None or expires is None:
            raise Refused("parameter-missing")
        if not re.fullmatch(r"[ \t\n\v\f\r]*[+-]?[0-9]+[ \t\n\v\f\r]*\0*", expires) or not -62135596800 <= int(expires.strip(" \t\n\v\f\r\0")) <= 253402300799:
            raise Refused("expires-malformed", expires)
        if int(q["now"]) > int(expires.strip(" \t\n\v\f\r\0")):
            raise Refused("expired")
        self.account(public)
        self.file(method + "\n\n\n" + expires + "\n" + headers.canonical() + "/" + m[1] + "/" + key, signature)
        return {"publicKey": public}

    def query(self, q):
        query = Query(q["query"])
        signature = query.get("Signature")
        if not signature:
            raise Refused("signature-missing")
        names = {name for name, _ in query}
        if query.get("Action") is None or query.get("PublicKey") is None:
            raise Refused("parameter-missing")
        self.account(query.get("PublicKey"))
        text = "".join(n + v for n, v in sorted(query, key=lambda p: p[0].encode("utf-8")) if n.upper() != "SIGNATURE")
        if hashlib.sha1(text.encode("utf-8") + self.secret).hexdigest() != signature.lower():
            raise Refused("signature-mismatch", "SHA1")
        return {"publicKey": query.get("PublicKey")}


serve("aspnet", {"verify-authorization": lambda q, public, private: Verifier(public, private).header(q),
                 "verify-presigned-url": lambda q, public, private: Verifier(public, private).url(q),
                 "verify-query": lambda q, public, private: Verifier(public, private).query(q)})
