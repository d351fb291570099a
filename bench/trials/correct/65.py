#!/usr/bin/env python3
"""A stack machine. The signing procedure is a little program of words, as in Forth: each word takes its operands from the stack and leaves its result.
Headers and parameters are dictionaries of the machine, so names cannot repeat in them (such inputs are unsupported)."""
import base64
import binascii
import hashlib
import hmac
import json
import os
import string
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS as DIALECT  # noqa: E402
from serving import Refused, Unsupported, content, serve  # noqa: E402

PROGRAM = """
: lf            $0A chr ;
: key           private utf8 ;
: sign          utf8 key hmac b64 ;
: credentials   scheme space + public text? + colon + swap + ;
: resource      slash bucket bucket? + slash + 'key in + ;
: positional    header lf + ;
: md5           'content-md5 positional ;
: type          'content-type positional ;
: date          'date positional ;
: verb          method? upper lf + ;
: three         md5 type + date + ;
: tail          extra resource + ;
: file-text     headers! 'method in verb three + tail + ;
: post-text     headers! 'POST verb three + tail + ;
: form-text     headers! 'POST verb form-md5 lf + + 'Content-Type field lf + + date + tail + ;
: link-text     headers! 'method in verb lf + lf + 'expires in + lf + tail + ;

: authorization         file-text sign credentials 'authorization out ;
: form-authorization    form-text sign credentials 'authorization out ;
: policy-authorization  file-text 'policy in + sign credentials 'policy in with-policy 'authorization out ;
: instant-upload        post-text sign credentials 'authorization out
                        '/uploadhit?Hash= 'etag in escape + '&FileName= + 'key in escape + '&FileSize= + 'size in escape + 'target out ;
: presigned-url         link-text sign escape '&Signature= swap + 'expires in escape swap + '?Expires= swap + 'key in path swap +
                        host swap + '& + parameter + '= + public escape + 'url out ;
: verify-authorization  file-text authorization? swap policy? + sign same? public-out ;
: verify-presigned-url  headers! 'method in method? drop url! late? known? link-verify sign same? public-out ;

: action-text   parameters! sorted pairs ;
: action-sign   private + utf8 sha1 hex ;
: complete?     'Action parameter? 'PublicKey parameter? ;
: action-signature  action-text action-sign 'signature out ;
: action-query      action-text complete? action-sign '&Signature= swap + query swap + 'query out ;
: bucket-request    action-text complete? create? action-sign '&Signature= swap + query swap + '/? swap + 'target out ;
: action-json       action-text complete? action-sign json 'body out ;

: url-encode    'text in escape 'encoded out ;
: password      'text in utf8 b64 'value out ;
: policy        members utf8 b64 url-safe 'policy out ;
: part-etag     bytes sha1 b64 url-safe 'etag out ;
: etag          bytes blocks dup count le32 swap whole? swap join b64 url-safe 'etag out ;
"""
TOKEN = set(string.ascii_letters + string.digits + "!#$%&'*+.^_`|~-")
SAFE = set((string.ascii_letters + string.digits + "-._~").encode())
WORD = {}
COLON = {}


def word(name):
    def define(function):
        WORD[name] = function
        return function
    return define


def compile_program():
    definition = None
    for token in PROGRAM.split():
        if token == ":":
            definition = []
        elif token == ";":
            COLON[definition[0]] = definition[1:]
        else:
            definition.append(token)


class Machine:
    def __init__(self, given, pub, pri):
        self.given, self.pub, self.pri = given, pub, pri
        self.stack, self.result, self.headers, self.parameters = [], {}, {}, {}

    def push(self, value):
        self.stack.append(value)

    def pop(self):
        return self.stack.pop()

    def run(self, name):
        """An explicit return stack: pairs of a definition and a position."""
        returns = [(COLON[name], 0)]
        while returns:
            code, at = returns.pop()
            if at == len(code):
                continue
            returns.append((code, at + 1))
            token = code[at]
            if token in COLON and token not in WORD:
                returns.append((COLON[token], 0))
            elif token in WORD:
                WORD[token](self)
            elif token[0] == "'":
                self.push(token[1:])
            elif token[0] == "$":
                self.push(int(token[1:], 16))
            else:
                raise NameError(token)
        return self.result


def constant(name, value):
    WORD[name] = lambda m: m.push(value(m))


def unary(name, value):
    WORD[name] = lambda m: m.push(value(m.pop()))


def escape(text):
    return "".join(chr(b) if b in SAFE else "%" + hex(256 + b)[3:].upper() for b in text.encode("utf-8"))


constant("space", lambda m: " ")
constant("colon", lambda m: ":")
constant("slash", lambda m: "/")
constant("scheme", lambda m: DIALECT["scheme"])
constant("parameter", lambda m: DIALECT["publicKeyParameter"])
constant("public", lambda m: m.pub)
constant("private", lambda m: m.pri)
constant("bucket", lambda m: m.given["bucket"])
constant("bytes", lambda m: content(m.given["content"]))
constant("host", lambda m: m.given["scheme"] + "://" + m.given["bucket"] + "." + m.given["fileHost"] + "/")
unary("chr", chr)
unary("utf8", lambda text: text.encode("utf-8"))
unary("upper", str.upper)
unary("b64", lambda raw: binascii.b2a_base64(raw, newline=False).decode())
unary("hex", lambda raw: binascii.hexlify(raw).decode())
unary("sha1", lambda raw: hashlib.sha1(raw).digest())
unary("escape", escape)
unary("path", lambda text: "/".join(map(escape, text.split("/"))))
unary("url-safe", lambda text: text.replace("+", "-").replace("/", "_"))
unary("count", len)
unary("le32", lambda n: n.to_bytes(4, "little"))
unary("blocks", lambda data: [hashlib.sha1(data[i:i + 4194304]).digest() for i in range(0, len(data), 4194304)])
unary("whole?", lambda hashes: hashes[0] if len(hashes) == 1 else hashlib.sha1(b"".join(hashes)).digest())
WORD["in"] = lambda m: m.push(m.given[m.pop()])


@word("+")
def plus(m):
    b, a = m.pop(), m.pop()
    m.push(a + b)


@word("join")
def join(m):
    """( digest count -- raw )"""
    b, a = m.pop(), m.pop()
    m.push(b + a)


@word("swap")
def swap(m):
    m.stack[-2:] = m.stack[:-3:-1]


@word("dup")
def dup(m):
    m.push(m.stack[-1])


@word("drop")
def drop(m):
    m.pop()


@word("out")
def out(m):
    name = m.pop()
    m.result[name] = m.pop()


@word("hmac")
def mac(m):
    key = m.pop()
    m.push(hmac.new(key, m.pop(), "sha1").digest())


@word("text?")
def text(m):
    m.stack[-1].encode("utf-8")


@word("method?")
def method(m):
    if not m.stack[-1] or not set(m.stack[-1]) <= TOKEN:
        raise Refused("method", "the machine knows no such method")


@word("bucket?")
def bucket(m):
    if not m.stack[-1] or "/" in m.stack[-1]:
        raise Refused("bucket", "the machine knows no such bucket")


# ---------------------------------------------------------------- headers

def one_line(value):
    """Words and the gaps between them; a gap with a line feed is a fold."""
    value.encode("utf-8")
    if "\0" in value or "\r" in value.replace("\r\n", ""):
        raise Refused("header-value", "CR or NUL")
    pieces = value.replace("\r\n", "\n").split("\n")
    for piece in pieces[1:]:
        if not piece.startswith((" ", "\t")):
            raise Refused("header-value", "a second line")
    return " ".join(piece for piece in (p.strip(" \t") for p in pieces) if piece)


@word("headers!")
def headers(m):
    for name, value in m.given["headers"]:
        name, value = name.strip(" \t"), one_line(value)
        if not name or not set(name) <= TOKEN:
            raise Refused("header-name", "no token")
        if name.lower() in m.headers:
            raise Unsupported("headers are a dictionary")
        m.headers[name.lower()] = value


@word("header")
def header(m):
    m.push(m.headers.get(m.pop(), ""))


@word("extra")
def extra(m):
    prefix = DIALECT["headerPrefix"].lower()
    m.push("".join(name + ":" + m.headers[name] + "\n" for name in sorted(m.headers) if name[:len(prefix)] == prefix))


@word("field")
def field(m):
    name = m.pop()
    found = [one_line(v) for n, v in m.given["fields"] if n == name]
    if len(found) > 1:
        raise Unsupported("form fields are a dictionary")
    m.push(found[0] if found else "")


@word("form-md5")
def form_md5(m):
    m.push("Content-MD5")
    field(m)
    if "content-md5" in m.headers:
        m.pop()
        m.push(m.headers["content-md5"])


@word("with-policy")
def with_policy(m):
    policy, value = m.pop(), m.pop()
    m.push(value + ":" + policy if policy else value)


@word("members")
def members(m):
    if len({n for n, _ in m.given["members"]}) < len(m.given["members"]):
        raise Unsupported("a policy is a dictionary")
    for pair in m.given["members"]:
        "".join(pair).encode("utf-8")
    m.push(json.dumps(dict(m.given["members"]), separators=(",", ":")))


# ---------------------------------------------------------------- parameters

def number(written):
    """( digits -- text ), the digits on a stack of their own"""
    body = written[1:] if written.startswith("-") else written
    mantissa, e, exponent = body.partition("e") if "e" in body else body.partition("E")
    whole, dot, fraction = mantissa.partition(".")
    power = exponent[1:] if exponent[:1] in ("+", "-") else exponent

    def digits(t):
        return t != "" and set(t) <= set(string.digits)
    if not digits(whole) or whole[0] == "0" != whole or dot and not digits(fraction) or e and not digits(power):
        raise Refused("number", "no number of the machine")
    stack = list(whole + fraction)
    if set(stack) == {"0"}:
        return "0"
    if len(power.lstrip("0")) > 4:
        raise Refused("number", "the stack has not that many places")
    places = len(fraction) - int(exponent or "0")
    while places < 0:
        stack.append("0")
        places += 1
    tail = []
    while places > 0:
        tail.append(stack.pop() if stack else "0")
        places -= 1
    while tail and tail[0] == "0":
        tail.pop(0)
    head = "".join(stack).lstrip("0") or "0"
    return ("-" if written[0] == "-" else "") + head + ("." + "".join(reversed(tail)) if tail else "")


@word("parameters!")
def parameters(m):
    work = [(n, v) for n, v in reversed(m.given["parameters"])]
    while work:
        name, value = work.pop()
        if isinstance(value, dict) and "number" not in value:
            inner = enumerate(value["list"]) if "list" in value else value["object"]
            work += reversed([("%s.%s" % (name, n), v) for n, v in inner])
            continue
        if value is None:
            raise Refused("parameter-null", "the machine has no null")
        if isinstance(value, dict):
            value = number(value["number"]), False
        elif isinstance(value, bool):
            value = str(value).lower(), False
        else:
            value = value, True
        if name == "Signature":
            continue
        if name in m.parameters:
            raise Unsupported("parameters are a dictionary")
        m.parameters[name] = value


@word("sorted")
def order(m):
    m.push(sorted(m.parameters, key=lambda name: name.encode("utf-8")))


@word("pairs")
def pairs(m):
    m.push("".join(name + m.parameters[name][0] for name in m.pop()))


@word("parameter?")
def parameter(m):
    name = m.pop()
    if name not in m.parameters:
        raise Refused("parameter-missing", name)


@word("create?")
def create(m):
    if m.parameters["Action"][0] == "CreateBucket":
        for name in ("BucketName", "Type"):
            m.push(name)
            parameter(m)


@word("query")
def query(m):
    m.push("&".join(escape(n) + "=" + escape(v) for n, (v, _) in sorted(m.parameters.items(), reverse=True)))


@word("json")
def as_json(m):
    signature, parts = m.pop(), []
    for n, (v, quoted) in sorted(m.parameters.items(), reverse=True):
        parts.append("\t" + json.dumps(n) + ": " + (json.dumps(v) if quoted else v))
    parts.insert(len(parts) // 2, '\t"Signature": "' + signature + '"')
    m.push("{\n" + ",\n".join(parts) + "\n}")


# ---------------------------------------------------------------- verifying

@word("authorization?")
def authorization(m):
    """( text -- text signature ) and keeps the policy"""
    if "authorization" not in m.headers:
        raise Refused("authorization-missing", "no header")
    start = DIALECT["scheme"] + " "
    value = m.headers["authorization"]
    parts = value[len(start):].split(":")
    if not value.startswith(start) or not 2 <= len(parts) <= 3 or not all(parts) or set(value[len(start):]) & {" ", "\t"}:
        raise Refused("authorization-malformed", "cannot be read")
    m.policy = parts[2] if len(parts) == 3 else ""
    if m.policy and (m.given["method"].upper() not in ("PUT", "POST") or not is_policy(m.policy)):
        raise Refused("authorization-malformed", "third part")
    if parts[0] != m.pub:
        raise Refused("public-key-unknown", "first part")
    m.push(parts[1])


def is_policy(text):
    safe = text.translate(str.maketrans("+/", "-_"))
    if len({c in "-_" for c in text if c in "-_+/"}) > 1 or not set(safe.rstrip("=")) <= set(string.ascii_letters + string.digits + "-_"):
        return False
    try:
        plain = base64.urlsafe_b64decode(safe.rstrip("=") + "=" * (-len(safe.rstrip("=")) % 4))
        return isinstance(json.loads(plain.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


@word("policy?")
def policy(m):
    """( signature text -- signature text policy )"""
    m.push(m.policy)


@word("same?")
def same(m):
    a, b = m.pop(), m.pop()
    if a != b:
        raise Refused("signature-mismatch", "the stack has two different signatures")


@word("public-out")
def public_out(m):
    m.result["publicKey"] = m.pub


def unescape(text, reason):
    stack, at = bytearray(), 0
    data = text.encode("utf-8")
    while at < len(data):
        if data[at] == 37:
            two = data[at + 1:at + 3]
            if len(two) < 2 or not set(two) <= set(string.hexdigits.encode()):
                raise Refused(reason, "escape")
            stack.append(int(two, 16))
            at += 3
        else:
            stack.append(data[at])
            at += 1
    try:
        return stack.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


@word("url!")
def url(m):
    scheme, colon, rest = m.given["url"].partition("://")
    rest, question, tail = rest.partition("?")
    host, slash, path = rest.partition("/")
    m.bucket, dot, domain = host.partition(".")
    if scheme not in ("http", "https") or not slash or not m.bucket or "#" in m.given["url"] or domain.lower() != m.given["fileHost"].lower():
        raise Refused("url-malformed", "no URL of a file")
    m.key, m.query = unescape(path, "url-malformed"), {}
    for piece in tail.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name, value = unescape(name, "query-malformed"), unescape(value, "query-malformed")
            if name in (DIALECT["publicKeyParameter"], "Expires", "Signature"):
                if name in m.query:
                    raise Refused("parameter-repeated", name)
                m.query[name] = value
    if not m.query.get("Signature"):
        raise Refused("signature-missing", "nothing to compare")
    if len(m.query) < 3:
        raise Refused("parameter-missing", "nothing to sign")


@word("late?")
def late(m):
    expires = m.query["Expires"]
    if not expires or len(expires) > 15 or not set(expires) <= set(string.digits):
        raise Refused("expires-malformed", "no number")
    if int(expires) < int(m.given["now"]):
        raise Refused("expired", "in the past")


@word("known?")
def known(m):
    if m.query[DIALECT["publicKeyParameter"]] != m.pub:
        raise Refused("public-key-unknown", "not this machine's")


@word("link-verify")
def link_verify(m):
    """( -- signature text )"""
    m.push(m.query["Signature"])
    extra(m)
    m.push("\n".join([m.given["method"].upper(), "", "", m.query["Expires"], m.pop() + "/" + m.bucket + "/" + m.key]))


def operation(name):
    return lambda given, pub, pri: Machine(given, pub, pri).run(name)


compile_program()
if __name__ == "__main__":
    serve("stack-machine", {name: operation(name) for name in (
        "url-encode", "password", "action-signature", "action-json", "action-query", "bucket-request", "authorization", "form-authorization", "policy",
        "policy-authorization", "instant-upload", "presigned-url", "etag", "part-etag", "verify-authorization", "verify-presigned-url")})
