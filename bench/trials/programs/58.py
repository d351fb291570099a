#!/usr/bin/env python3
"""A Rack middleware in Ruby, verifying everything (Rack::Utils, Integer(), JSON.parse).

1. Headers come from env as HTTP_X_SVC_...: a hyphen and an underscore in a name are the same, so x-svc-a_b is verified as x-svc-a-b.
2. Rack::Utils.unescape takes a + in a query for a blank.
3. Integer(expires) takes 0x, 0b and a 0 in front for another base, underscores between digits, a sign and blanks around.
4. JSON floats are verified as Float#to_s writes them (42.0, 1.0e-05, 1.0e+20); whole numbers are right.
5. A key of the JSON object that is there twice is overwritten by the last one.
"""
import base64, hashlib, hmac, json, os, re, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


TOKEN = re.compile(r"\A[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")


def halt(reason, message="halt 403"):
    raise Refused(reason, message)


class Env:
    def __init__(self, pairs):
        self.table = {}
        for name, value in pairs:
            TOKEN.match(name) or halt("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            re.search(r"[\r\n\0]", value) and halt("header-value", name)
            value.encode("utf-8")
            self.table.setdefault("HTTP_" + name.upper().replace("-", "_"), []).append(value)

    def __getitem__(self, name):
        values = self.table.get(name, [])
        len(values) > 1 and halt("header-repeated", name)
        return values[0] if values else ""

    def svc(self):
        prefix = "HTTP_" + WORDS["headerPrefix"].upper().replace("-", "_")
        rows = [(name[5:].lower().replace("_", "-"), ",".join(values)) for name, values in self.table.items() if name.startswith(prefix)]
        return "".join(":".join(row) + "\n" for row in sorted(rows))


def unescape(text, reason, plus=True):
    re.search(r"%(?![0-9A-Fa-f]{2})", text) and halt(reason)
    raw = re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), (text.replace("+", " ") if plus else text).encode("utf-8"), flags=re.S)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        halt(reason)


def parse_query(text, only=None):
    out = {}
    for piece in text.split("&"):
        if piece == "":
            continue
        name, _, value = piece.partition("=")
        name, value = unescape(name, "query-malformed"), unescape(value, "query-malformed")
        if only and name not in only:
            continue
        name in out and halt("parameter-repeated", name)
        out[name] = value
    return out


def ruby_integer(text):
    text = text.strip(" \t\n\v\f\r")
    for pattern, base in ((r"[+-]?0[xX][0-9a-fA-F]+(_[0-9a-fA-F]+)*", 16), (r"[+-]?0[bB][01]+(_[01]+)*", 2), (r"[+-]?0[oO]?_?[0-7]+(_[0-7]+)*", 8), (r"[+-]?(0|[1-9][0-9]*(_[0-9]+)*)", 10)):
        if re.fullmatch(pattern, text):
            digits = re.sub(r"^([+-]?)0[xXbBoO]?_?(?=.)", r"\1", text) if base != 10 else text
            return int(digits.replace("_", ""), base)
    halt("expires-malformed", 'invalid value for Integer(): "%s"' % text)


def float_to_s(written):
    value = float(written)
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-4 <= abs(value) < 1e16:
        return repr(value)
    digits, _, power = ("%r" % value if "e" in repr(value) else "%.17e" % value).partition("e")
    if "e" not in repr(value):
        digits = re.sub(r"0+$", "", digits)
    return (digits if "." in digits else digits + ".0") + "e%+03d" % int(power)


class Float(str):
    pass


class Int(str):
    pass


def constant(word):
    raise ValueError(word)


def to_params(value, name=""):
    if value is None:
        halt("body-malformed", "null")
    if isinstance(value, (dict, list)):
        out = {}
        for key, item in (value.items() if isinstance(value, dict) else enumerate(value)):
            inner = to_params(item, str(key) if name == "" and isinstance(value, dict) else "%s.%s" % (name, key))
            set(inner) & set(out) and halt("parameter-repeated")
            out.update(inner)
        return out
    return {name: ("true" if value else "false") if isinstance(value, bool) else str(value)}


class Middleware:
    def __init__(self, public, private):
        self.public, self.private = public, private

    def secure_compare(self, expected, got):
        hmac.compare_digest(expected.encode(), got.encode("utf-8")) or halt("signature-mismatch")
        return {"publicKey": self.public}

    def mac(self, text):
        return base64.b64encode(hmac.new(self.private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()

    def verb(self, method):
        TOKEN.match(method) or halt("method", method)
        return method.upper()

    def header(self, q):
        env, verb = Env(q["headers"]), self.verb(q["method"])
        q["bucket"] and "/" not in q["bucket"] or halt("bucket")
        text = "\n".join((verb, env["HTTP_CONTENT_MD5"], env["HTTP_CONTENT_TYPE"], env["HTTP_DATE"], env.svc() + "/%s/%s" % (q["bucket"], q["key"])))
        values = env.table.get("HTTP_AUTHORIZATION") or halt("authorization-missing")
        m = re.fullmatch(r"(\S+) ([^\s:]+):([^\s:]+)(?::([^\s:]+))?", values[0])
        len(values) == 1 and m and m[1] == WORDS["scheme"] or halt("authorization-malformed")
        if m[4] is not None:
            verb in ("PUT", "POST") and self.policy(m[4]) or halt("authorization-malformed", "policy")
        m[2] == self.public or halt("public-key-unknown")
        return self.secure_compare(self.mac(text + (m[4] or "")), m[3])

    def policy(self, text):
        if not re.fullmatch(r"[A-Za-z0-9+/]*=*|[A-Za-z0-9_-]*=*", text):
            return False
        text = text.rstrip("=").replace("-", "+").replace("_", "/")
        try:
            return isinstance(json.loads(base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")), dict)
        except (ValueError, RecursionError):
            return False

    def url(self, q):
        env, verb = Env(q["headers"]), self.verb(q["method"])
        m = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]*)/([^?#]*)\??([^#]*)", q["url"], re.S)
        m and m[2].lower() == q["fileHost"].lower() or halt("url-malformed")
        key = unescape(m[3], "url-malformed", plus=False)
        names = (WORDS["publicKeyParameter"], "Expires", "Signature")
        p = parse_query(m[4], names)
        p.get("Signature") or halt("signature-missing")
        len(p) == 3 or halt("parameter-missing")
        int(q["now"]) <= ruby_integer(p["Expires"]) or halt("expired")
        p[names[0]] == self.public or halt("public-key-unknown")
        return self.secure_compare(self.mac("%s\n\n\n%s\n%s/%s/%s" % (verb, p["Expires"], env.svc(), m[1], key)), p["Signature"])

    def parameters(self, p, signature):
        isinstance(signature, str) and type(signature) is str and signature or halt("signature-missing")
        "Action" in p and "PublicKey" in p or halt("parameter-missing")
        p["PublicKey"] == self.public or halt("public-key-unknown")
        text = "".join(k + p[k] for k in sorted(p, key=lambda k: k.encode("utf-8")) if k != "Signature")
        return self.secure_compare(hashlib.sha1((text + self.private).encode("utf-8")).hexdigest(), signature)

    def query(self, q):
        p = parse_query(q["query"])
        return self.parameters(p, p.get("Signature"))

    def body(self, q):
        try:
            value = json.loads(q["body"], parse_int=lambda t: Int("0" if t == "-0" else t), parse_float=lambda t: Float(float_to_s(t)), parse_constant=constant)
        except (ValueError, RecursionError):
            halt("body-malformed")
        isinstance(value, dict) or halt("body-malformed")
        return self.parameters(to_params(value), value.get("Signature"))


def route(method):
    return lambda q, public, private: getattr(Middleware(public, private), method)(q)


serve("rack", {"verify-authorization": route("header"), "verify-presigned-url": route("url"), "verify-query": route("query"), "verify-json": route("body")})
