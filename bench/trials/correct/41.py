#!/usr/bin/env python3
"""Correct. Streaming generators throughout: parameters are flattened lazily and merged by a tournament of generators, SHA-1 and HMAC are fed
chunk by chunk, queries and JSON bodies are read by pull parsers that give one name and value at a time, headers pass through a pipeline,
percent-encoding and the query come out in pieces. Supports the account API and the Authorization header only. JSON bodies are written as
raw UTF-8 with Signature in their middle."""
import base64
import hashlib
import heapq
import hmac
import itertools
import json
import sys

TCHAR = frozenset("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
PLAIN = frozenset(b"-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
DIGITS = frozenset("0123456789")


class Stop(Exception):
    def __init__(self, reason, message=""):
        super().__init__(reason, message or reason)


# ------------------------------------------------------------------ small pipelines

def escaped(text):
    for octet in text.encode("utf-8"):
        yield chr(octet) if octet in PLAIN else "%" + format(octet, "02X")


def once_each(pairs, reason="parameter-repeated"):
    seen = set()
    for pair in pairs:
        if pair[0] in seen:
            raise Stop(reason, "a name is there twice")
        seen.add(pair[0])
        yield pair


def ascending(items):
    """A merge of as many generators as there are items."""
    return heapq.merge(*((item for item in (one,)) for one in items), key=lambda item: item[0].encode("utf-8"))


def hashed(chunks):
    digest = hashlib.sha1()
    for chunk in chunks:
        digest.update(chunk.encode("utf-8"))
    return digest.hexdigest()


def sealed(private, chunks):
    code = hmac.new(private.encode("utf-8"), digestmod="sha1")
    for chunk in chunks:
        code.update(chunk.encode("utf-8"))
    return base64.b64encode(code.digest()).decode("ascii")


def number_chunks(written):
    """The plain decimal text of a JSON number, in pieces."""
    rest = iter(written + " ")
    c = next(rest)
    if c == "-":
        sign, c = "-", next(rest)
    else:
        sign = ""
    whole, part, exponent, down = "", "", "", ""

    def run(c):
        out = ""
        while c in DIGITS:
            out += c
            c = next(rest)
        return out, c

    whole, c = run(c)
    bad = whole == "" or whole[0] == "0" and whole != "0"
    if c == ".":
        part, c = run(next(rest))
        bad = bad or part == ""
    if c in "eE":
        c = next(rest)
        if c in "+-":
            down, c = c, next(rest)
        exponent, c = run(c)
        bad = bad or exponent == ""
    if bad or c != " " or next(rest, None) is not None:
        raise Stop("number", "not a number")
    digits = whole + part
    if not digits.strip("0"):
        yield "0"
        return
    if len(exponent.lstrip("0")) > 5:
        raise Stop("number", "too long")
    point = len(whole) + int(down.strip("+") + (exponent or "0"))
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    if not -4000 < point - 1 < 4000:
        raise Stop("number", "too long")
    yield sign
    yield digits[:max(point, 0)].ljust(point, "0") if point > 0 else "0"
    if len(digits) > point:
        yield "." + "0" * -point + digits[max(point, 0):]


# ------------------------------------------------------------------ parameters

def leaves(name, value):
    """(name, text, is it a text)"""
    if value is None:
        raise Stop("parameter-null", name)
    if isinstance(value, str):
        yield name, value, True
    elif isinstance(value, bool):
        yield name, "true" if value else "false", False
    elif "number" in value:
        yield name, "".join(number_chunks(value["number"])), False
    else:
        inner = zip(map(str, itertools.count()), value["list"]) if "list" in value else value["object"]
        for member, item in inner:
            yield from leaves(name + "." + member, item)


def all_leaves(parameters):
    return itertools.chain.from_iterable(leaves(name, value) for name, value in parameters)


def unsigned_away(pairs):
    return (pair for pair in pairs if pair[0] != "Signature")


def signed_chunks(ordered, private):
    for pair in ordered:
        yield pair[0]
        yield pair[1]
    yield private


def sign(q, keys):
    ordered = list(ascending(once_each(unsigned_away(all_leaves(q["parameters"])))))
    return ordered, hashed(signed_chunks(ordered, keys["privateKey"]))


def sign_request(q, keys):
    ordered, signature = sign(q, keys)
    wanted = ["Action", "PublicKey"]
    if any(name == "Action" and text == "CreateBucket" for name, text, _ in ordered) and q.get("bucket"):
        wanted += ["Type", "BucketName"]
    for missing in (name for name in wanted if not any(pair[0] == name for pair in ordered)):
        raise Stop("parameter-missing", missing)
    return ordered, signature


def query_chunks(ordered, signature):
    for name, text, _ in ordered:
        yield from escaped(name)
        yield "="
        yield from escaped(text)
        yield "&"
    yield "Signature="
    yield signature


def json_chunks(ordered, signature):
    def members():
        for i, (name, text, is_text) in enumerate(ordered):
            if i == len(ordered) // 2:
                yield '"Signature" : "' + signature + '"'
            yield json.dumps(name, ensure_ascii=False) + " : " + (json.dumps(text, ensure_ascii=False) if is_text else text)
    yield "{ "
    for i, member in enumerate(members()):
        yield " , " if i else ""
        yield member
    yield " }"


def action_signature(q, keys, words):
    return {"signature": sign(q, keys)[1]}


def action_json(q, keys, words):
    body = "".join(json_chunks(*sign_request(q, keys)))
    body.encode("utf-8")
    return {"body": body}


def action_query(q, keys, words):
    return {"query": "".join(query_chunks(*sign_request(q, keys)))}


def bucket_request(q, keys, words):
    return {"target": "".join(itertools.chain("/?", query_chunks(*sign_request(dict(q, bucket=True), keys))))}


# ------------------------------------------------------------------ pull parsers

def query_pairs(query):
    """One pass over the bytes of the query."""
    def unescaped(octets):
        octets = iter(octets)
        for octet in octets:
            if octet == 37:
                pair = bytes(itertools.islice(octets, 2))
                if len(pair) < 2 or not all(chr(x) in "0123456789abcdefABCDEF" for x in pair):
                    raise Stop("query-malformed", "stray percent sign")
                octet = int(pair, 16)
            yield octet

    def text(octets):
        try:
            return bytes(unescaped(octets)).decode("utf-8")
        except UnicodeDecodeError:
            raise Stop("query-malformed", "not UTF-8")

    name, value = bytearray(), None
    for octet in itertools.chain(query.encode("utf-8"), b"&"):
        if octet == 38:
            if name or value is not None:
                yield text(name), text(value or b"")
            name, value = bytearray(), None
        elif octet == 61 and value is None:
            value = bytearray()
        else:
            (name if value is None else value).append(octet)


class Pull:
    """Leaves of a JSON object, read from the characters of its text one after another: (name, kind, text), and (None, 'twice', name) for a
    repeated member."""

    def __init__(self, body):
        self.characters = iter(body)
        self.c = next(self.characters, "")

    def move(self):
        c, self.c = self.c, next(self.characters, "")
        return c

    def blanks(self):
        while self.c and self.c in " \t\r\n":
            self.move()

    def need(self, allowed):
        if not self.c or self.c not in allowed:
            raise Stop("body-malformed", "not JSON")
        return self.move()

    def text(self):
        self.need('"')
        out = []
        while self.c != '"':
            if self.c == "" or self.c < " ":
                raise Stop("body-malformed", "a text without end")
            c = self.move()
            if c == "\\":
                c = self.need('"\\/bfnrtu')
                if c == "u":
                    c = chr(int("".join(self.need("0123456789abcdefABCDEF") for _ in range(4)), 16))
                    if out and "\ud800" <= out[-1] <= "\udbff" and "\udc00" <= c <= "\udfff":
                        c = chr(0x10000 + (ord(out.pop()) - 0xD800 << 10) + ord(c) - 0xDC00)
                else:
                    c = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(c, c)
            out.append(c)
        self.move()
        return "".join(out)

    def run(self):
        out = ""
        while self.c and (self.c in "+-." or self.c.isascii() and self.c.isalnum()):
            out += self.move()
        return out

    def leaves(self):
        self.blanks()
        if self.c != "{":
            raise Stop("body-malformed", "not an object")
        stack = []
        name = None
        while True:
            self.blanks()
            if self.c in ("{", "["):
                kind = self.move()
                self.blanks()
                if self.c == "}" and kind == "{" or self.c == "]" and kind == "[":
                    self.move()
                else:
                    stack.append([kind, name, set(), 0])
                    if kind == "{":
                        twice, name = self.member(stack[-1])
                        if twice:
                            yield None, "twice", name
                    else:
                        name = self.path(stack[-1], "0")
                    continue
            elif self.c == '"':
                yield name, "text", self.text()
            else:
                run = self.run()
                if run in ("true", "false", "null"):
                    yield name, "word", run
                else:
                    try:
                        tuple(number_chunks(run))
                    except Stop as stop:
                        if stop.args[1] != "too long":
                            raise Stop("body-malformed", "not JSON")
                    yield name, "number", run
            while stack:
                self.blanks()
                frame = stack[-1]
                if self.need(",}" if frame[0] == "{" else ",]") == ",":
                    if frame[0] == "{":
                        twice, name = self.member(frame)
                        if twice:
                            yield None, "twice", name
                    else:
                        frame[3] += 1
                        name = self.path(frame, str(frame[3]))
                    break
                stack.pop()
            else:
                self.blanks()
                if self.c:
                    raise Stop("body-malformed", "something follows")
                return

    @staticmethod
    def path(frame, last):
        return last if frame[1] is None else frame[1] + "." + last

    def member(self, frame):
        self.blanks()
        member = self.text()
        self.blanks()
        self.need(":")
        twice = member in frame[2]
        frame[2].add(member)
        return twice, self.path(frame, member)


def verify(pairs, signature, keys):
    ordered = list(ascending(once_each(pairs)))
    if not signature:
        raise Stop("signature-missing")
    given = dict(ordered)
    for missing in (name for name in ("Action", "PublicKey") if name not in given):
        raise Stop("parameter-missing", missing)
    if given["PublicKey"] != keys["publicKey"]:
        raise Stop("public-key-unknown")
    if hashed(signed_chunks(ordered, keys["privateKey"])) != signature:
        raise Stop("signature-mismatch")
    return {"publicKey": given["PublicKey"]}


def verify_query(q, keys, words):
    pairs = list(once_each(list(query_pairs(q["query"]))))
    return verify(unsigned_away(pairs), next((value for name, value in pairs if name == "Signature"), None), keys)


def verify_json(q, keys, words):
    found = list(Pull(q["body"]).leaves())
    if any(kind == "twice" for _, kind, _ in found):
        raise Stop("parameter-repeated", "a member is there twice")

    def texts():
        for name, kind, text in found:
            if (kind, text) == ("word", "null"):
                raise Stop("body-malformed", name + " is null")
            if kind == "number":
                try:
                    text = "".join(number_chunks(text))
                except Stop:
                    raise Stop("body-malformed", "a number that is too long")
            yield name, text

    pairs = list(texts())
    return verify(unsigned_away(pairs), next((text for name, kind, text in found if name == "Signature" and kind == "text"), None), keys)


# ------------------------------------------------------------------ headers

def is_token(text):
    return bool(text) and all(c in TCHAR for c in text)


def lines_of(value):
    """The lines of a folded value, each without the blanks around it."""
    for i, line in enumerate(value.split("\n")):
        if i and line[:1] not in (" ", "\t"):
            raise Stop("header-value", "a line break that is no fold")
        yield line


def joined(lines):
    lines = list(lines)
    for i, line in enumerate(lines):
        if i < len(lines) - 1 and line.endswith("\r"):
            line = line[:-1]
        if "\r" in line or "\0" in line:
            raise Stop("header-value", "CR or NUL")
        if i:
            line = line.lstrip(" \t")
        yield line.rstrip(" \t") if i < len(lines) - 1 else line


def header_pipeline(pairs):
    for name, value in pairs:
        name = name.strip(" \t")
        if not is_token(name):
            raise Stop("header-name", name)
        kept = list(joined(lines_of(value)))
        # lines of nothing but blanks belong to the fold around them
        value = " ".join([kept[0]] + [line for line in kept[1:-1] if line] + kept[1:][-1:] if len(kept) > 1 else kept).strip(" \t")
        value.encode("utf-8")
        yield name.lower(), value


def single(headers, name):
    values = [value for known, value in headers if known == name]
    if len(values) > 1:
        raise Stop("header-repeated", name)
    return "".join(values)


def text_chunks(q, headers, words):
    if not is_token(q["method"]):
        raise Stop("method")
    if not q["bucket"] or "/" in q["bucket"]:
        raise Stop("bucket")
    yield q["method"].upper() + "\n"
    for name in ("content-md5", "content-type", "date"):
        yield single(headers, name) + "\n"
    extra = ((name, value) for name, value in headers if name.startswith(words["headerPrefix"].lower()))
    for name, group in itertools.groupby(ascending(extra), key=lambda pair: pair[0]):
        yield name + ":" + ",".join(value for _, value in group) + "\n"
    yield "/" + q["bucket"]
    yield "/" + q["key"]


def authorization(q, keys, words):
    headers = list(header_pipeline(q["headers"]))
    keys["publicKey"].encode("utf-8")
    return {"authorization": words["scheme"] + " " + keys["publicKey"] + ":" + sealed(keys["privateKey"], text_chunks(q, headers, words))}


def policy_authorization(q, keys, words):
    headers = list(header_pipeline(q["headers"]))
    keys["publicKey"].encode("utf-8")
    signature = sealed(keys["privateKey"], itertools.chain(text_chunks(q, headers, words), (q["policy"],)))
    return {"authorization": words["scheme"] + " " + ":".join(filter(None, (keys["publicKey"], signature, q["policy"])))}


def no_constant(word):
    raise ValueError(word)


def is_policy(policy):
    alphabet = set(policy.rstrip("=")) & set("+/-_")
    if alphabet & set("+/") and alphabet & set("-_"):
        return False
    plain = policy.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")
        return isinstance(json.loads(raw, parse_constant=no_constant), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(q, keys, words):
    headers = list(header_pipeline(q["headers"]))
    chunks = list(text_chunks(q, headers, words))
    given = [value for name, value in headers if name == "authorization"]
    if not given:
        raise Stop("authorization-missing")
    scheme, blank, rest = given[0].partition(" ")
    parts = rest.split(":")
    if len(given) > 1 or scheme != words["scheme"] or not blank or not 2 <= len(parts) <= 3 or not all(parts) or set(rest) & set(" \t"):
        raise Stop("authorization-malformed")
    if len(parts) == 3 and (q["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2])):
        raise Stop("authorization-malformed", "no policy here")
    if parts[0] != keys["publicKey"]:
        raise Stop("public-key-unknown")
    if sealed(keys["privateKey"], itertools.chain(chunks, parts[2:])) != parts[1]:
        raise Stop("signature-mismatch")
    return {"publicKey": parts[0]}


OPERATIONS = {
    "verify-json": verify_json, "verify-query": verify_query, "verify-authorization": verify_authorization, "authorization": authorization,
    "policy-authorization": policy_authorization, "action-signature": action_signature, "action-json": action_json, "action-query": action_query,
    "bucket-request": bucket_request, "url-encode": lambda q, keys, words: {"encoded": "".join(escaped(q["text"]))},
}


def replies(lines):
    messages = map(json.loads, lines)
    words = next(messages)["dialect"]
    yield {"protocol": 1, "implementation": {"name": "streams", "version": "3.0", "language": "python"}, "operations": list(OPERATIONS), "window": 16}
    for message in messages:
        if message["operation"] not in OPERATIONS:
            yield {"unsupported": True, "n": message["n"]}
            continue
        try:
            yield {"result": OPERATIONS[message["operation"]](message["input"], message["keys"], words), "n": message["n"]}
        except Stop as stop:
            yield {"refused": {"message": stop.args[1].encode("utf-8", "replace").decode("utf-8"), "reason": stop.args[0]}, "n": message["n"]}
        except UnicodeEncodeError:
            yield {"refused": {"message": "a lone surrogate", "reason": "text"}, "n": message["n"]}
        except RecursionError:
            yield {"unsupported": "nested too deeply", "n": message["n"]}


for reply in replies(sys.stdin.buffer):
    sys.stdout.buffer.write(json.dumps(reply, ensure_ascii=False, separators=(" , ", " : ")).encode("utf-8") + b"\n")
    sys.stdout.buffer.flush()
