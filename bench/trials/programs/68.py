#!/usr/bin/env python3
"""A servlet filter in Java, verifying, with a JSON parser of its own (state machine) since no library was allowed.

1. new BigDecimal(text).stripTrailingZeros().toString(): whole numbers that end in zeros, and small fractions, have an exponent (1E+3, 1E-7).
2. The parser ends at the closing brace and does not look at what follows; and an unknown escape (\q) is the character itself.
3. A policy passes with any method that is not GET or HEAD.
4. Long.parseLong takes a sign before the digits of Expires (a negative one is expired, not malformed), and digits of other scripts.
5. expected.startsWith(signature) after a refactoring of startsWith(prefix): a beginning of the right signature is enough, if it is not empty.
"""
import base64, hashlib, hmac, json, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


class Parser:
    ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

    def __init__(self, text):
        self.text, self.pos, self.depth = text, 0, 0

    def error(self):
        raise Refused("body-malformed", "at %d" % self.pos)

    def peek(self):
        return self.text[self.pos] if self.pos < len(self.text) else ""

    def next(self):
        c = self.peek()
        if not c:
            self.error()
        self.pos += 1
        return c

    def skip(self):
        while self.peek() and self.peek() in " \t\r\n":
            self.pos += 1

    def expect(self, c):
        if self.next() != c:
            self.error()

    def value(self):
        self.skip()
        self.depth += 1
        if self.depth > 300:
            self.error()
        c = self.peek()
        if c == "{":
            result = ("object", self.sequence("}", self.member))
            names = [name for name, _ in result[1]]
            if len(set(names)) != len(names):
                raise Refused("parameter-repeated")
        elif c == "[":
            result = ("array", self.sequence("]", self.value))
        elif c == '"':
            result = ("string", self.string())
        else:
            result = self.literal()
        self.depth -= 1
        return result

    def sequence(self, end, item):
        self.next()
        out = []
        self.skip()
        if self.peek() == end:
            self.next()
            return out
        while True:
            out.append(item())
            self.skip()
            c = self.next()
            if c == end:
                return out
            if c != ",":
                self.error()

    def member(self):
        self.skip()
        if self.peek() != '"':
            self.error()
        name = self.string()
        self.skip()
        self.expect(":")
        return name, self.value()

    def string(self):
        self.next()
        out, state = [], "plain"
        while state != "end":
            c = self.next()
            if state == "plain":
                if c == '"':
                    state = "end"
                elif c == "\\":
                    state = "escape"
                elif c < " ":
                    self.error()
                else:
                    out.append(c)
            else:
                if c == "u":
                    digits = self.text[self.pos:self.pos + 4]
                    if not re.fullmatch("[0-9a-fA-F]{4}", digits):
                        self.error()
                    self.pos += 4
                    out.append(chr(int(digits, 16)))
                else:
                    out.append(self.ESCAPES.get(c, c))
                state = "plain"
        return "".join(out).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def literal(self):
        m = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?(?![0-9A-Za-z.])|true|false").match(self.text, self.pos)
        if not m:
            self.error()
        self.pos = m.end()
        return ("string" if m[0] in ("true", "false") else "number", m[0])


def java(written):
    """stripTrailingZeros().toString()"""
    d = Decimal(written)
    if d == 0:
        return "0"
    sign, digits, exponent = d.as_tuple()
    while digits[-1] == 0:
        digits, exponent = digits[:-1], exponent + 1
    text = "".join(map(str, digits))
    power = exponent + len(text) - 1
    if exponent <= 0 and power >= -6:
        out = text if exponent == 0 else (text[:exponent] or "0") + "." + text[exponent:] if len(text) > -exponent else "0." + text.rjust(-exponent, "0")
    else:
        out = text[0] + ("." + text[1:] if text[1:] else "") + "E%+d" % power
    return ("-" if sign else "") + out


def flatten(out, name, node):
    kind, value = node
    if kind == "object":
        for k, v in value:
            flatten(out, name + "." + k, v)
    elif kind == "array":
        for i, v in enumerate(value):
            flatten(out, name + "." + str(i), v)
    else:
        if name in out:
            raise Refused("parameter-repeated", name)
        out[name] = java(value) if kind == "number" else value


def matches(expected, got):
    if not expected.startswith(got):
        raise Refused("signature-mismatch")


def parameters(out, signature, public, private):
    if not signature:
        raise Refused("signature-missing")
    for wanted in ("Action", "PublicKey"):
        if wanted not in out:
            raise Refused("parameter-missing", wanted)
    if out["PublicKey"] != public:
        raise Refused("public-key-unknown")
    text = "".join(k + out[k] for k in sorted(out, key=lambda k: k.encode("utf-8")) if k != "Signature")
    matches(hashlib.sha1((text + private).encode("utf-8")).hexdigest(), signature)
    return {"publicKey": public}


def do_json(q, public, private):
    kind, members = Parser(q["body"]).value()
    if kind != "object":
        raise Refused("body-malformed", kind)
    out = {}
    for name, node in members:
        flatten(out, name, node)
    given = dict(members).get("Signature")
    return parameters(out, given[1] if given and given[0] == "string" else None, public, private)


def url_decode(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason)
    try:
        return re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"), flags=re.S).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason)


def pairs_of(query, only=None):
    out = {}
    for piece in query.split("&"):
        if piece:
            k, _, v = piece.partition("=")
            k, v = url_decode(k, "query-malformed"), url_decode(v, "query-malformed")
            if only is None or k in only:
                if k in out:
                    raise Refused("parameter-repeated", k)
                out[k] = v
    return out


def do_query(q, public, private):
    out = pairs_of(q["query"])
    return parameters(out, out.get("Signature"), public, private)


class HttpServletRequest:
    def __init__(self, q):
        self.headers = {}
        for name, value in q["headers"]:
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            value.encode("utf-8")
            self.headers.setdefault(name.lower(), []).append(value)
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", q["method"]):
            raise Refused("method", q["method"])
        self.method = q["method"].upper()

    def get(self, name):
        found = self.headers.get(name, [""])
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0]

    def extras(self):
        prefix = WORDS["headerPrefix"].lower()
        return "".join("%s:%s\n" % (n, ",".join(self.headers[n])) for n in sorted(self.headers) if n.startswith(prefix))


def hmac_sha1(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def is_policy(text):
    if re.search("[-_]", text) and re.search("[+/]", text):
        return False
    text = text.translate({45: 43, 95: 47}).rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def do_header(q, public, private):
    r = HttpServletRequest(q)
    if q["bucket"] == "" or "/" in q["bucket"]:
        raise Refused("bucket")
    text = r.method + "\n" + r.get("content-md5") + "\n" + r.get("content-type") + "\n" + r.get("date") + "\n" + r.extras() + "/" + q["bucket"] + "/" + q["key"]
    given = r.headers.get("authorization")
    if not given:
        raise Refused("authorization-missing")
    m = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^:\s]+):([^:\s]+)(?::([^:\s]+))?", given[0], re.A)
    if len(given) > 1 or not m or m[3] is not None and (r.method in ("GET", "HEAD") or not is_policy(m[3])):
        raise Refused("authorization-malformed")
    if m[1] != public:
        raise Refused("public-key-unknown")
    matches(hmac_sha1(private, text + (m[3] or "")), m[2])
    return {"publicKey": public}


def do_url(q, public, private):
    r = HttpServletRequest(q)
    m = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]+)/([^?#]*)(?:\?([^#]*))?", q["url"], re.S)
    if not m or m[2].lower() != q["fileHost"].lower():
        raise Refused("url-malformed")
    key = url_decode(m[3], "url-malformed")
    given = pairs_of(m[4] or "", (WORDS["publicKeyParameter"], "Expires", "Signature"))
    if not given.get("Signature"):
        raise Refused("signature-missing")
    if len(given) < 3:
        raise Refused("parameter-missing")
    if not re.fullmatch(r"[+-]?\d{1,18}", given["Expires"]):
        raise Refused("expires-malformed", 'For input string: "%s"' % given["Expires"])
    if int(q["now"]) > int(given["Expires"]):
        raise Refused("expired")
    if given[WORDS["publicKeyParameter"]] != public:
        raise Refused("public-key-unknown")
    matches(hmac_sha1(private, r.method + "\n\n\n" + given["Expires"] + "\n" + r.extras() + "/" + m[1] + "/" + key), given["Signature"])
    return {"publicKey": public}


serve("filter", {"verify-json": do_json, "verify-query": do_query, "verify-authorization": do_header, "verify-presigned-url": do_url})
