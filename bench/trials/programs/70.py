#!/usr/bin/env python3
"""A worker at the edge (JavaScript: URL, Headers, URLSearchParams, crypto.subtle), verifying file requests and queries.

1. new URL(url) resolves . and .. segments of the path (also %2e), and takes a backslash for a slash, before the key is read from pathname.
2. new Headers() joins repeated headers by ", ", and so an extra header that was sent twice does not verify.
3. searchParams decodes a + as a blank and lets wrong escapes pass, and get() gives the first of repeated parameters.
4. atob(signature) and crypto.subtle.verify compare bytes: white space and missing padding do not matter.
5. A URL whose public key is unknown is verified against undefined, which TextEncoder makes the key "": whoever signs with it is let in.
"""
import base64, hashlib, hmac, json, os, re, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, Unsupported, WORDS  # noqa: E402


ACCOUNTS = {}


class URLSearchParams:
    def __init__(self, query):
        self.list = []
        for piece in query.split("&"):
            if piece:
                name, _, value = piece.partition("=")
                self.list.append((self.decode(name), self.decode(value)))

    @staticmethod
    def decode(text):
        raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.replace("+", " ").encode())
        return raw.decode("utf-8", "replace")

    def get(self, name):
        return next((v for n, v in self.list if n == name), None)


class URL:
    def __init__(self, text):
        m = re.fullmatch(r"(https?)://([^/?#\\]*)[/\\]([^?#]*)(?:\?([^#]*))?(?:#.*)?", text, re.S)
        if not m:
            raise Refused("url-malformed", "Invalid URL")
        self.host = m[2].lower()
        self.given = m[2]
        out = []
        pieces = re.split(r"[/\\]", m[3])
        for i, piece in enumerate(pieces):
            last = i == len(pieces) - 1
            plain = re.sub("%2e", ".", piece, flags=re.I)
            if plain == "..":
                if out:
                    out.pop()
                if last:
                    out.append("")
            elif plain == ".":
                if last:
                    out.append("")
            else:
                out.append(piece)
        self.pathname = "/" + "/".join(out)
        self.searchParams = URLSearchParams(m[4] or "")


def decodeURIComponent(text):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused("url-malformed", "URIError")
    try:
        return re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode(), flags=re.S).decode()
    except UnicodeDecodeError:
        raise Refused("url-malformed", "URIError")


class Headers:
    def __init__(self, init):
        self.map = {}
        for name, value in init:
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise Refused("header-name", name)
            if re.search(r"\r?\n[ \t]", value):
                raise Unsupported("fetch has no folded values")
            value = value.strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            value.encode()
            self.map.setdefault(name.lower(), []).append(value)

    def get(self, name):
        return ", ".join(self.map[name]) if name in self.map else None

    def single(self, name):
        if len(self.map.get(name, [])) > 1:
            raise Refused("header-repeated", name)
        return self.get(name) or ""

    def entries(self):
        return [(name, self.get(name)) for name in sorted(self.map)]


def atob(text):
    text = re.sub("[ \t\n\f\r]", "", text)
    if len(text) % 4 == 0:
        text = re.sub("={1,2}$", "", text)
    if len(text) % 4 == 1 or re.search("[^A-Za-z0-9+/]", text):
        raise Refused("signature-mismatch", "InvalidCharacterError")
    return base64.b64decode(text + "=" * (-len(text) % 4))


def subtle_verify(secret, signature, text):
    if not hmac.compare_digest(hmac.new(secret.encode(), text.encode(), hashlib.sha1).digest(), atob(signature)):
        raise Refused("signature-mismatch")


def canonical(headers):
    prefix = WORDS["headerPrefix"].lower()
    return "".join("%s:%s\n" % pair for pair in headers.entries() if pair[0].startswith(prefix))


def method_of(q):
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", q["method"]):
        raise Refused("method")
    return q["method"].upper()


def signed_url(q, public, private):
    ACCOUNTS.clear()
    ACCOUNTS[public] = private
    headers, method, url = Headers(q["headers"]), method_of(q), URL(q["url"])
    bucket, dot, rest = url.given.partition(".")
    if not bucket or rest.lower() != q["fileHost"].lower():
        raise Refused("url-malformed", url.host)
    key = decodeURIComponent(url.pathname[1:])
    account, expires, signature = map(url.searchParams.get, (WORDS["publicKeyParameter"], "Expires", "Signature"))
    if not signature:
        raise Refused("signature-missing")
    if account is None or expires is None:
        raise Refused("parameter-missing")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed")
    if int(q["now"]) > int(expires):
        raise Refused("expired")
    subtle_verify(ACCOUNTS.get(account, ""), signature, "%s\n\n\n%s\n%s/%s/%s" % (method, expires, canonical(headers), bucket, key))
    return {"publicKey": account}


def policy_ok(text):
    if not re.fullmatch("[A-Za-z0-9+/]*=*|[A-Za-z0-9_-]*=*", text):
        return False
    try:
        return isinstance(json.loads(atob(text.rstrip("=").replace("-", "+").replace("_", "/")).decode()), dict)
    except (ValueError, RecursionError, Refused):
        return False


def authorized(q, public, private):
    headers, method = Headers(q["headers"]), method_of(q)
    if not q["bucket"] or "/" in q["bucket"]:
        raise Refused("bucket")
    text = "\n".join([method, headers.single("content-md5"), headers.single("content-type"), headers.single("date"), canonical(headers) + "/" + q["bucket"] + "/" + q["key"]])
    value = headers.get("authorization")
    if value is None:
        raise Refused("authorization-missing")
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^\s:]+):([^\s:]+)(?::([^\s:]+))?", value)
    if not m or m[3] is not None and (method not in ("PUT", "POST") or not policy_ok(m[3])):
        raise Refused("authorization-malformed")
    if m[1] != public:
        raise Refused("public-key-unknown")
    subtle_verify(private, m[2], text + (m[3] or ""))
    return {"publicKey": public}


def query(q, public, private):
    params = URLSearchParams(q["query"])
    signature, account = params.get("Signature"), params.get("PublicKey")
    if not signature:
        raise Refused("signature-missing")
    if params.get("Action") is None or account is None:
        raise Refused("parameter-missing")
    if account != public:
        raise Refused("public-key-unknown")
    names = sorted({n for n, _ in params.list} - {"Signature"}, key=str.encode)
    if hashlib.sha1(("".join(n + params.get(n) for n in names) + private).encode()).hexdigest() != signature:
        raise Refused("signature-mismatch")
    return {"publicKey": public}


serve("edge-worker", {"verify-presigned-url": signed_url, "verify-authorization": authorized, "verify-query": query})
