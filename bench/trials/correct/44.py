#!/usr/bin/env python3
"""Correct. A stack machine in the manner of Forth: every operation is a line of words, which are looked up in a dictionary and work on one stack; new
words are made of others with : and ;. All signing operations, no verifiers.
"""
import base64, hashlib, json, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
BASE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Machine:
    words = {}

    def __init__(self, q, public, private):
        self.stack, self.q, self.keys = [], q, {"public": public, "private": private}

    def run(self, program):
        for word in program.split():
            if word in self.words:
                todo = self.words[word]
                self.run(todo) if isinstance(todo, str) else todo(self)
            elif word.startswith("@"):
                self.push(self.q[word[1:]])
            elif word.startswith("$"):
                self.push(self.keys[word[1:]])
            elif word.startswith("%"):
                self.push(WORDS[word[1:]])
            elif word.startswith("'"):
                self.push(word[1:].replace("\\n", "\n").replace("\\s", " "))
            else:
                self.push(int(word))
        return self

    def push(self, x):
        self.stack.append(x)

    def pop(self):
        return self.stack.pop()


def word(name, takes=1):
    """A function of some values of the stack that gives one value, or None for no value."""
    def make_(f):
        def todo(m):
            args = [m.pop() for _ in range(takes)][::-1]
            out = f(*args)
            if out is not None:
                m.push(out)
        Machine.words[name] = todo
        return f
    return make_


word("swap", 0)(lambda: None)
Machine.words["swap"] = lambda m: m.stack.__setitem__(slice(-2, None), m.stack[:-3:-1])
Machine.words["dup"] = lambda m: m.push(m.stack[-1])
Machine.words["over"] = lambda m: m.push(m.stack[-2])
Machine.words["drop"] = lambda m: m.pop() and None
Machine.words["rot"] = lambda m: m.push(m.stack.pop(-3))
Machine.words["nip"] = lambda m: m.stack.pop(-2) and None
word("+", 2)(lambda a, b: a + b)
word("utf8")(lambda s: s.encode())
word("hex")(lambda raw: "".join("0123456789abcdef"[c >> 4] + "0123456789abcdef"[c & 15] for c in raw))
word("sha1")(lambda raw: hashlib.sha1(raw).digest())
word("upper")(lambda s: s.upper())


@word("verb")
def verb(s):
    if not TOKEN.fullmatch(s):
        raise Refused("method", s)
    return s.upper()


@word("bucket?")
def bucket(s):
    if s == "" or "/" in s:
        raise Refused("bucket", s)
    return s


@word("xor", 2)
def xor(key, n):
    return bytes(c ^ n for c in key)


@word("block")
def block(key):
    return (hashlib.sha1(key).digest() if len(key) > 64 else key).ljust(64, b"\0")


@word("base64")
def to64(raw):
    number, bits = int.from_bytes(raw + bytes(-len(raw) % 3), "big"), (len(raw) + 2) // 3 * 4
    text = "".join(BASE[number >> 6 * i & 63] for i in range(bits - 1, -1, -1))
    pad = -len(raw) % 3
    return text[:len(text) - pad] + "=" * pad


word("urlsafe")(lambda s: s.replace("+", "-").replace("/", "_"))


@word("escape")
def escape(s):
    return "".join(chr(c) if chr(c) in BASE[:62] + "-._~" else "%" + "0123456789ABCDEF"[c >> 4] + "0123456789ABCDEF"[c & 15] for c in s.encode())


word("path")(lambda s: "/".join(map(escape, s.split("/"))))


def value(v):
    v = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", v).strip(" \t")
    v.encode()
    if set(v) & set("\r\n\0"):
        raise Refused("header-value")
    return v


@word("headers")
def headers(pairs):
    out = []
    for n, v in pairs:
        n = n.strip(" \t")
        if not TOKEN.fullmatch(n):
            raise Refused("header-name", n)
        out.append((n.lower(), value(v)))
    return out


@word("fields")
def fields(pairs):
    return [(n, value(v)) for n, v in pairs if n in ("Content-Type", "Content-MD5")]


@word("one", 2)
def one(pairs, name):
    found = [v for n, v in pairs if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


@word("or-field", 3)
def or_field(pairs, fs, name):
    return one(pairs, name.lower()) if any(n == name.lower() for n, _ in pairs) else one(fs, name)


@word("canonical", 2)
def canonical(pairs, prefix):
    out = {}
    for n, v in pairs:
        if n.startswith(prefix.lower()):
            out.setdefault(n, []).append(v)
    return "".join(n + ":" + ",".join(out[n]) + "\n" for n in sorted(out))


def number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    try:
        d = Decimal(written)
        if d and abs(d.adjusted()) >= 4000:
            raise Refused("number", "too long")
    except ArithmeticError:
        raise Refused("number", "too long")
    if not d:
        return "0"
    sign, digits, e = d.as_tuple()
    text = "".join(map(str, digits))
    text = text + "0" * e if e >= 0 else text.rjust(1 - e, "0")
    if e < 0:
        text = (text[:e] + "." + text[e:]).rstrip("0").rstrip(".")
    return "-" * sign + text


@word("leaves")
def leaves(pairs):
    todo, out = list(reversed([list(p) for p in pairs])), []
    while todo:
        n, v = todo.pop()
        if v is None:
            raise Refused("parameter-null", n)
        if isinstance(v, bool):
            out.append((n, str(v).lower(), str(v).lower()))
        elif isinstance(v, str):
            out.append((n, v, json.dumps(v)))
        elif "number" in v:
            out.append((n, number(v["number"]), number(v["number"])))
        else:
            inner = [[n + "." + str(i), x] for i, x in enumerate(v["list"])] if "list" in v else [[n + "." + k, x] for k, x in v["object"]]
            todo += inner[::-1]
    out = [x for x in out if x[0] != "Signature"]
    if len({n for n, _, _ in out}) != len(out):
        raise Refused("parameter-repeated")
    return sorted(out, key=lambda x: x[0].encode())


@word("need", 2)
def need(ls, name):
    if all(n != name for n, _, _ in ls):
        raise Refused("parameter-missing", name)
    return ls


@word("create?")
def create(ls):
    if ("Action", "CreateBucket") in [(n, t) for n, t, _ in ls]:
        need(need(ls, "Type"), "BucketName")
    return ls


word("joined")(lambda ls: "".join(n + t for n, t, _ in ls))
word("query", 2)(lambda ls, s: "&".join([escape(n) + "=" + escape(t) for n, t, _ in ls] + ["Signature=" + s]))
word("json", 2)(lambda ls, s: "{" + "".join(json.dumps(n) + ":" + j + "," for n, _, j in ls) + '"Signature":' + json.dumps(s) + "}")
word("with-policy", 2)(lambda a, p: a + ":" + p if p else a)
word("compact")(lambda ms: "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in ms) + "}")


@word("content")
def content(c):
    if "file" in c:
        with open(c["file"], "rb") as f:
            return f.read()
    return base64.b64decode(c["bytes"])


word("blocks")(lambda raw: [raw[i:i + 4194304] for i in range(0, len(raw), 4194304)])
word("count")(lambda bs: len(bs).to_bytes(4, "little"))
word("digest")(lambda bs: hashlib.sha1(bs[0] if len(bs) == 1 else b"".join(hashlib.sha1(x).digest() for x in bs)).digest())

DEFINITIONS = r"""
: hmac $private utf8 block dup 54 xor rot utf8 + sha1 swap 92 xor swap + sha1 ;
: sign hmac base64 ;
: credentials sign %scheme '\s + $public dup utf8 drop + ': + swap + ;
: resource '/ @bucket bucket? + '/ + @key + ;
: lf '\n + ;
: head lf over 'content-md5 one + lf over 'content-type one + lf over 'date one + lf swap %headerPrefix canonical + resource + ;
: params @parameters leaves ;
: full params 'Action need 'PublicKey need ;
: hexsign dup joined $private + utf8 sha1 hex ;
: text @headers headers @method verb @bucket bucket? drop head ;
"""
for line in DEFINITIONS.strip().splitlines():
    pieces = line.split()
    Machine.words[pieces[1]] = " ".join(pieces[2:-1])

PROGRAMS = {
    "url-encode": ("encoded", "@text escape"),
    "password": ("value", "@text utf8 base64"),
    "action-signature": ("signature", "params hexsign nip"),
    "action-json": ("body", "full hexsign json"),
    "action-query": ("query", "full hexsign query"),
    "bucket-request": ("target", "'/? full create? hexsign query +"),
    "authorization": ("authorization", "text credentials"),
    "policy-authorization": ("authorization", "text @policy + credentials @policy with-policy"),
    "form-authorization": ("authorization", "@bucket bucket? drop 'POST lf @headers headers @fields fields 'Content-MD5 or-field + lf @fields fields 'Content-Type one + lf "
                                            "@headers headers 'date one + lf @headers headers %headerPrefix canonical + resource + credentials"),
    "policy": ("policy", "@members compact utf8 base64 urlsafe"),
    "instant-upload": ("authorization", "@headers headers 'POST head credentials '/uploadhit?Hash= @etag escape + '&FileName= + @key escape + '&FileSize= + @size escape + swap"),
    "presigned-url": ("url", "@headers headers @method verb lf lf lf @expires + lf swap %headerPrefix canonical + resource + sign @scheme ':// + @bucket + '. + @fileHost + '/ + @key path + '? + "
                             "%publicKeyParameter + '= + $public escape + '&Expires= + @expires escape + '&Signature= + swap escape +"),
    "etag": ("etag", "@content content blocks dup count swap digest + base64 urlsafe"),
    "part-etag": ("etag", "@content content sha1 base64 urlsafe"),
}


def operation(member, program):
    def f(q, public, private):
        stack = Machine(q, public, private).run(program).stack
        out = {member: stack[-1]}
        if "target" not in out and len(stack) == 2:
            out["target"] = stack[0]
        return out
    return f


serve("forth", {name: operation(*p) for name, p in PROGRAMS.items()})
