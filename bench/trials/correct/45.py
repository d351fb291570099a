#!/usr/bin/env python3
"""Correct. Parser combinators: JSON bodies, queries, URLs, credentials, escapes and folded header values are grammars made of small functions, each of
which takes a text and a position and gives the value and the next position, or None. The four verifiers and url-encode.
"""
import base64, hashlib, hmac, os, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


# ---- combinators: parser(text, at) -> (value, at) or None

def char(test):
    return lambda s, i: (s[i], i + 1) if i < len(s) and test(s[i]) else None


def lit(word):
    return lambda s, i: (word, i + len(word)) if s.startswith(word, i) else None


def seq(*ps):
    def run(s, i):
        out = []
        for p in ps:
            r = p(s, i)
            if r is None:
                return None
            out.append(r[0])
            i = r[1]
        return out, i
    return run


def alt(*ps):
    def run(s, i):
        for p in ps:
            r = p(s, i)
            if r is not None:
                return r
    return run


def many(p, least=0):
    def run(s, i):
        out = []
        while True:
            r = p(s, i)
            if r is None or r[1] == i:
                return (out, i) if len(out) >= least else None
            out.append(r[0])
            i = r[1]
    return run


def maybe(p, otherwise=""):
    return lambda s, i: p(s, i) or (otherwise, i)


def to(p, f):
    def run(s, i):
        r = p(s, i)
        return None if r is None else (f(r[0]), r[1])
    return run


def text(p):
    """What p has read."""
    def run(s, i):
        r = p(s, i)
        return None if r is None else (s[i:r[1]], r[1])
    return run


def between(a, p, z):
    return to(seq(a, p, z), lambda v: v[1])


def lazy(f):
    return lambda s, i: f()(s, i)


def one_of(letters):
    return char(lambda c: c in letters)


def none_of(letters):
    return char(lambda c: c not in letters)


def parse(p, s, reason):
    r = p(s, 0)
    if r is None or r[1] != len(s):
        raise Refused(reason, "no parse")
    return r[0]


def accepts(p, s):
    r = p(s, 0)
    return r is not None and r[1] == len(s)


DIGITS, LETTERS = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
HEX = DIGITS + "abcdefABCDEF"
digit, hex_ = one_of(DIGITS), one_of(HEX)
token = text(many(one_of(LETTERS + DIGITS + "!#$%&'*+-.^_`|~"), 1))
blanks = many(one_of(" \t"))

# ---- escapes
octet = alt(to(seq(lit("%"), hex_, hex_), lambda v: bytes([int(v[1] + v[2], 16)])), to(none_of("%"), lambda c: c.encode()))
escaped = to(many(octet), b"".join)


def unescape(s, reason):
    try:
        return parse(escaped, s, reason).decode()
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


pair = to(seq(text(many(none_of("&="))), maybe(to(seq(lit("="), text(many(none_of("&")))), lambda v: v[1]))), tuple)


def pairs_of(s):
    return [(unescape(n, "query-malformed"), unescape(v, "query-malformed")) for n, v in split_pairs(s)]


def split_pairs(s):
    at, out = 0, []
    while at <= len(s):
        (n, v), end = pair(s, at)
        if end > at:
            out.append((n, v))
        at = end + 1
    return out


# ---- headers
newline = alt(lit("\r\n"), lit("\n"))
fold = to(seq(blanks, many(seq(newline, many(one_of(" \t"), 1)), 1)), lambda v: " ")
field_value = to(many(alt(fold, none_of("\r\n\0"))), lambda v: "".join(v).strip(" \t"))
field_name = between(blanks, token, blanks)


def request_headers(given):
    out = []
    for name, value in given:
        name = parse(field_name, name, "header-name").lower()
        value.encode()
        out.append((name, parse(field_value, value, "header-value")))
    return out


def single(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def canonical(headers):
    out = {}
    for n, v in headers:
        if accepts(seq(lit(WORDS["headerPrefix"].lower()), many(char(lambda c: True))), n):
            out[n] = out[n] + "," + v if n in out else v
    return "".join(n + ":" + out[n] + "\n" for n in sorted(out))


# ---- JSON
space = many(one_of(" \t\r\n"))
unit = to(seq(lit("u"), hex_, hex_, hex_, hex_), lambda v: chr(int("".join(v[1:]), 16)))
short = to(one_of('"\\/bfnrt'), lambda c: {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(c, c))
string = between(lit('"'), to(many(alt(char(lambda c: c >= " " and c not in '"\\'), to(seq(lit("\\"), alt(unit, short)), lambda v: v[1]))),
                              lambda v: "".join(v).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")), lit('"'))
whole = alt(lit("0"), text(seq(one_of(DIGITS[1:]), many(digit))))
number = text(seq(maybe(lit("-")), whole, maybe(text(seq(lit("."), many(digit, 1)))), maybe(text(seq(one_of("eE"), maybe(one_of("+-")), many(digit, 1))))))


def spaced(p):
    return between(space, p, space)


def tagged(tag, p):
    return to(p, lambda v: (tag, v))


DEPTH = [0]


def nested(p):
    def run(s, i):
        DEPTH[0] += 1
        try:
            return p(s, i)
        finally:
            DEPTH[0] -= 1
    return run


value = nested(spaced(alt(tagged("text", string), tagged("number", number), tagged("word", alt(lit("true"), lit("false"), lit("null"))),
                          tagged("list", between(lit("["), alt(to(seq(lazy(lambda: value), many(to(seq(lit(","), lazy(lambda: value)), lambda v: v[1]))), lambda v: [v[0]] + v[1]), to(space, lambda v: [])), lit("]"))),
                          tagged("object", between(lit("{"), alt(to(seq(lazy(lambda: member), many(to(seq(lit(","), lazy(lambda: member)), lambda v: v[1]))), lambda v: [v[0]] + v[1]), to(space, lambda v: [])), lit("}"))))))
member = to(seq(spaced(string), lit(":"), value), lambda v: (v[0], v[2]))


def read_json(s):
    try:
        return parse(value, s, "body-malformed")
    except RecursionError:
        raise Refused("body-malformed", "too deep")


def unique(names):
    if len(names) != len(set(names)):
        raise Refused("parameter-repeated")


def check_names(node):
    tag, v = node
    if tag == "object":
        unique([n for n, _ in v])
        v = [x for _, x in v]
    if tag in ("object", "list"):
        for x in v:
            check_names(x)


exponent = seq(maybe(lit("-")), whole, maybe(to(seq(lit("."), text(many(digit))), lambda v: v[1])), maybe(to(seq(one_of("eE"), text(seq(maybe(one_of("+-")), many(digit)))), lambda v: v[1]), "0"))


def plain(written):
    sign, left, part, power = parse(exponent, written, "body-malformed")
    digits = left + part
    if not digits.strip("0"):
        return "0"
    if len(power.lstrip("+-0")) > 6:
        raise Refused("body-malformed", "number")
    point = len(left) + int(power)
    while digits[0] == "0":
        digits, point = digits[1:], point - 1
    digits = digits.rstrip("0")
    if not -4000 < point - 1 < 4000:
        raise Refused("body-malformed", "number")
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    return sign + digits[:point].ljust(point, "0") + ("." + digits[point:] if digits[point:] else "")


def flatten(name, node):
    tag, v = node
    if tag == "text":
        return [(name, v)]
    if tag == "number":
        return [(name, plain(v))]
    if tag == "word":
        if v == "null":
            raise Refused("body-malformed", "null")
        return [(name, v)]
    return [leaf for k, x in (enumerate(v) if tag == "list" else v) for leaf in flatten(name + "." + str(k), x)]


# ---- URLs and credentials
def url_of(s):
    scheme = alt(lit("https://"), lit("http://"))
    grammar = seq(scheme, text(many(none_of("/?#"))), lit("/"), text(many(none_of("?#"))), maybe(to(seq(lit("?"), text(many(none_of("#")))), lambda v: v[1])))
    return parse(grammar, s, "url-malformed")


part = text(many(none_of(": \t"), 1))
credentials = seq(part, lit(":"), part, maybe(to(seq(lit(":"), part), lambda v: v[1]), None))
base64_ = alt(to(seq(text(many(one_of(LETTERS + DIGITS + "+/"))), many(lit("="))), lambda v: v[0]))
base64url = to(seq(text(many(one_of(LETTERS + DIGITS + "-_"))), many(lit("="))), lambda v: v[0])


def is_policy(s):
    for p in (base64_, base64url):
        if accepts(p, s):
            letters = p(s, 0)[0].replace("-", "+").replace("_", "/")
            try:
                raw = base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True).decode()
                r = value(raw, 0)
                if r is not None and r[1] == len(raw) and r[0][0] == "object":
                    return True
                return False
            except (ValueError, RecursionError):
                return False
    return False


def mac(private, s):
    return base64.b64encode(hmac.new(private.encode(), s.encode(), hashlib.sha1).digest()).decode()


def insist(holds, reason):
    if not holds:
        raise Refused(reason)


def verify_authorization(q, public, private):
    headers = request_headers(q["headers"])
    method = parse(token, q["method"], "method").upper()
    parse(many(none_of("/"), 1), q["bucket"], "bucket")
    lines = [method, single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"), canonical(headers) + "/" + q["bucket"] + "/" + q["key"]]
    given = [v for n, v in headers if n == "authorization"]
    insist(given, "authorization-missing")
    insist(len(given) == 1, "authorization-malformed")
    _, who, _, signature, policy = (lambda v: [v[0]] + v[1])(parse(seq(lit(WORDS["scheme"] + " "), credentials), given[0], "authorization-malformed"))
    if policy is not None:
        insist(method in ("PUT", "POST") and is_policy(policy), "authorization-malformed")
    insist(who == public, "public-key-unknown")
    insist(mac(private, "\n".join(lines) + (policy or "")) == signature, "signature-mismatch")
    return {"publicKey": who}


def verify_url(q, public, private):
    method = parse(token, q["method"], "method").upper()
    headers = request_headers(q["headers"])
    _, host, _, path, rest = url_of(q["url"])
    bucket, dot, file_host = host.partition(".")
    insist(bucket and file_host.lower() == q["fileHost"].lower(), "url-malformed")
    key = unescape(path, "url-malformed")
    names = [WORDS["publicKeyParameter"], "Expires", "Signature"]
    pairs = [p for p in pairs_of(rest) if p[0] in names]
    unique([n for n, _ in pairs])
    who, expires, signature = map(dict(pairs).get, names)
    insist(signature, "signature-missing")
    insist(who is not None and expires is not None, "parameter-missing")
    insist(accepts(many(digit, 1), expires) and len(expires) <= 15, "expires-malformed")
    insist(int(q["now"]) <= int(expires), "expired")
    insist(who == public, "public-key-unknown")
    expected = mac(private, "\n".join([method, "", "", expires, canonical(headers) + "/" + bucket + "/" + key]))
    insist(expected == signature, "signature-mismatch")
    return {"publicKey": who}


def account(leaves, signature, public, private):
    leaves = [leaf for leaf in leaves if leaf[0] != "Signature"]
    unique([n for n, _ in leaves])
    given = dict(leaves)
    insist(signature, "signature-missing")
    insist("Action" in given and "PublicKey" in given, "parameter-missing")
    insist(given["PublicKey"] == public, "public-key-unknown")
    signed = "".join(n + v for n, v in sorted(leaves, key=lambda leaf: leaf[0].encode())) + private
    insist(hashlib.sha1(signed.encode()).hexdigest() == signature, "signature-mismatch")
    return {"publicKey": public}


def verify_query(q, public, private):
    pairs = pairs_of(q["query"])
    unique([n for n, _ in pairs])
    return account(pairs, dict(pairs).get("Signature"), public, private)


def verify_json(q, public, private):
    node = read_json(q["body"])
    check_names(node)
    insist(node[0] == "object", "body-malformed")
    leaves = [leaf for n, x in node[1] for leaf in flatten(n, x)]
    tag, signature = dict(node[1]).get("Signature", ("none", None))
    return account(leaves, signature if tag == "text" else None, public, private)


def url_encode(q, public, private):
    safe = one_of(LETTERS + DIGITS + "-_.~")
    return {"encoded": parse(to(many(alt(safe, to(char(lambda c: True), lambda c: "".join("%%%02X" % x for x in c.encode())))), "".join), q["text"], "text")}


sys.setrecursionlimit(20000)
serve("combinators", {"url-encode": url_encode, "verify-authorization": verify_authorization, "verify-presigned-url": verify_url, "verify-query": verify_query, "verify-json": verify_json})
