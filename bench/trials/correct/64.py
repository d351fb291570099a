#!/usr/bin/env python3
"""An event-driven service: every question is an object on a pool of threads, replies go out as they are done, in any order. It speaks both wires,
JSON lines and tab-separated messages, whichever the first line has. It adds PublicKey where it is missing."""
import base64
import collections
import hashlib
import hmac
import io
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from urllib.parse import quote, unquote_to_bytes

WINDOW = 16


class Refusal(Exception):
    def __init__(self, reason, message):
        super().__init__(message)
        self.reply = {"refused": {"reason": reason, "message": message}}


class NotExpressible(Exception):
    pass


# ---------------------------------------------------------------- the two wires

class JsonWire:
    def __init__(self, stream):
        self.stream = stream

    def messages(self):
        for line in self.stream:
            if line.strip():
                yield json.loads(line)

    def text(self, message):
        return json.dumps(message, separators=(",", ":"))


class TabWire:
    ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}
    LISTS = {"headers", "parameters", "fields", "members"}

    def __init__(self, stream):
        self.stream = stream

    def messages(self):
        lines = []
        for line in self.stream:
            line = line.decode("utf-8").removesuffix("\n")
            if line:
                lines.append(line.split("\t", 1))
            elif lines:
                yield self.tree({key: self.unescape(value) for key, value in lines})
                lines = []

    def unescape(self, text):
        out, it = [], iter(text)
        for c in it:
            out.append(self.ESCAPES[next(it)] if c == "\\" else c)
        return "".join(out)

    def tree(self, flat):
        out = {}
        for key, value in flat.items():
            steps = key.split(".")
            if steps[0] == "input" and steps[1] in self.LISTS:
                if len(steps) == 2:
                    out.setdefault("input", {})[steps[1]] = [
                        [flat["%s.%d.0" % (key, i)], self.value(flat, "%s.%d.1" % (key, i))] for i in range(int(value))]
            else:
                at = out
                for step in steps[:-1]:
                    at = at.setdefault(step, {})
                at[steps[-1]] = value
        out["n"] = out.get("n", "")
        return out

    def value(self, flat, key):
        if key in flat:
            return flat[key]
        if key + ".number" in flat:
            return {"number": flat[key + ".number"]}
        if key + ".boolean" in flat:
            return flat[key + ".boolean"] == "true"
        if key + ".list" in flat:
            return {"list": [self.value(flat, "%s.list.%d" % (key, i)) for i in range(int(flat[key + ".list"]))]}
        if key + ".object" in flat:
            return {"object": [[flat["%s.object.%d.0" % (key, i)], self.value(flat, "%s.object.%d.1" % (key, i))]
                               for i in range(int(flat[key + ".object"]))]}
        return None

    def lines(self, key, value):
        if isinstance(value, dict):
            for name, inner in value.items():
                yield from self.lines(key + [name], inner)
        elif isinstance(value, list):
            yield ".".join(key) + "\t" + str(len(value))
            for i, inner in enumerate(value):
                if isinstance(inner, list):
                    for j, text in enumerate(inner):
                        yield from self.lines(key + [str(i), str(j)], text)
                else:
                    yield from self.lines(key + [str(i)], inner)
        else:
            text = "true" if value is True else str(value)
            yield ".".join(key) + "\t" + text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")

    def text(self, message):
        return "\n".join(self.lines([], message)) + "\n"


# ---------------------------------------------------------------- visitors of the parameters

class Visitor:
    """Walks over the parameters; subclasses say what a leaf is."""

    def walk(self, name, value):
        getattr(self, "on_" + (next(iter(value)) if isinstance(value, dict) else type(value).__name__))(name, value)

    def on_list(self, name, value):
        for i, item in enumerate(value["list"]):
            self.walk("%s.%d" % (name, i), item)

    def on_object(self, name, value):
        for member, item in value["object"]:
            self.walk(name + "." + member, item)


class Leaves(Visitor):
    def __init__(self, parameters):
        self.text, self.json = {}, {}
        for name, value in parameters:
            self.walk(name, value)
        self.order = sorted(self.text, key=lambda name: name.encode("utf-8"))

    def leaf(self, name, text, body):
        if name == "Signature":
            return
        if name in self.text:
            raise Refusal("parameter-repeated", "the set has it already")
        self.text[name], self.json[name] = text, body

    def on_str(self, name, value):
        self.leaf(name, value, json.dumps(value))

    def on_bool(self, name, value):
        self.leaf(name, "true" if value else "false", "true" if value else "false")

    def on_NoneType(self, name, value):
        raise Refusal("parameter-null", "null cannot be signed")

    def on_number(self, name, value):
        text = decimal_text(value["number"])
        self.leaf(name, text, text)

    def sign(self, pri):
        text = "".join(name + self.text[name] for name in self.order) + pri
        return hashlib.sha1(text.encode("utf-8")).hexdigest()


def decimal_text(written):
    """Reads the number with the JSON parser, then works with exact fractions."""
    if written[:1] not in tuple("-0123456789") or written != written.strip() or not written.isascii():
        raise Refusal("number", "not a number")
    try:
        value = json.loads(written, parse_int=str, parse_float=str, parse_constant=lambda word: None)
    except ValueError:
        value = None
    if not isinstance(value, str) or value != written:
        raise Refusal("number", "not a number")
    lower = written.lower()
    mantissa, _, exponent = lower.partition("e")
    if not mantissa.strip("-0."):
        return "0"
    if len(exponent.lstrip("+-0")) > 4:
        raise Refusal("number", "an exponent of five digits")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    shift = int(exponent or "0") - len(fraction)
    scaled = (whole + fraction).lstrip("0") + "0" * max(shift, 0)
    cut = max(-shift, 0)
    scaled = scaled.rjust(cut + 1, "0")
    head, tail = scaled[:len(scaled) - cut], scaled[len(scaled) - cut:].rstrip("0")
    text = (head.lstrip("0") or "0") + ("." + tail if tail else "")
    if len(text) < 300:
        assert Fraction(text) == abs(Fraction(mantissa) * Fraction(10) ** int(exponent or "0"))
    return "-" + text if lower[0] == "-" and text != "0" else text


# ---------------------------------------------------------------- operations as classes

OPERATIONS = {}


class Question:
    """One question; subclasses answer it."""

    def __init_subclass__(cls):
        OPERATIONS[cls.__doc__] = cls

    def __init__(self, message, dialect):
        self.n, self.input = message["n"], message["input"]
        self.pub, self.pri = message["keys"]["publicKey"], message["keys"]["privateKey"]
        self.dialect = dialect

    def reply(self):
        try:
            return {"n": self.n, "result": self.result()}
        except Refusal as refusal:
            return {"n": self.n, **refusal.reply}
        except NotExpressible as why:
            return {"n": self.n, "unsupported": str(why)}
        except UnicodeEncodeError:
            return {"n": self.n, "refused": {"reason": "text", "message": "not a Unicode text"}}
        except Exception as problem:
            return {"n": self.n, "error": "%s: %s" % (type(problem).__name__, problem)}

    @staticmethod
    def escape(text, safe=""):
        return quote(text, safe=safe, encoding="utf-8", errors="strict")


class UrlEncode(Question):
    """url-encode"""

    def result(self):
        return {"encoded": self.escape(self.input["text"])}


class Password(Question):
    """password"""

    def result(self):
        return {"value": base64.standard_b64encode(self.input["text"].encode("utf-8")).decode()}


class ActionSignature(Question):
    """action-signature"""

    def leaves(self):
        leaves = Leaves(self.input["parameters"])
        if "PublicKey" not in leaves.text:
            leaves = Leaves(self.input["parameters"] + [["PublicKey", self.pub]])
        return leaves

    def complete(self):
        leaves = self.leaves()
        if "Action" not in leaves.text:
            raise Refusal("parameter-missing", "which action?")
        return leaves

    def query(self):
        leaves = self.complete()
        return "&".join(self.escape(name) + "=" + self.escape(leaves.text[name]) for name in leaves.text) + "&Signature=" + leaves.sign(self.pri)

    def result(self):
        return {"signature": self.leaves().sign(self.pri)}


class ActionJson(ActionSignature):
    """action-json"""

    def result(self):
        leaves = self.complete()
        members = {json.dumps(name): leaves.json[name] for name in leaves.order}
        members['"Signature"'] = json.dumps(leaves.sign(self.pri))
        return {"body": "{" + ",".join(name + ":" + members[name] for name in sorted(members, key=len)) + "}"}


class ActionQuery(ActionSignature):
    """action-query"""

    def result(self):
        return {"query": self.query()}


class BucketRequest(ActionSignature):
    """bucket-request"""

    def result(self):
        leaves = self.complete()
        if leaves.text["Action"] == "CreateBucket" and not leaves.text.keys() >= {"Type", "BucketName"}:
            raise Refusal("parameter-missing", "a new bucket needs Type and BucketName")
        return {"target": "/?" + self.query()}


class FileQuestion(Question):
    """(abstract)"""
    TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

    def token(self, text, reason):
        if not text or not self.TOKEN.issuperset(text):
            raise Refusal(reason, "only the characters of a token, please")
        return text

    def headers(self):
        out = collections.defaultdict(list)
        for name, value in self.input["headers"]:
            value.encode("utf-8")
            lines = value.replace("\r\n", "\n").split("\n")
            if any(line[:1] not in (" ", "\t") for line in lines[1:]) or "\r" in "".join(lines) or "\0" in value:
                raise Refusal("header-value", "a value is one line, perhaps folded")
            words = [line.strip(" \t") for line in lines]
            out[self.token(name.strip(" \t"), "header-name").lower()].append(" ".join(filter(None, words)))
        return out

    def one(self, headers, name):
        if len(headers.get(name, ())) > 1:
            raise NotExpressible("one value of " + name + " is all that can be given")
        return headers[name][0] if name in headers else ""

    def mac(self, *lines):
        text = "\n".join(lines)
        return base64.standard_b64encode(hmac.new(self.pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()

    def tail(self, headers, bucket, key):
        if not bucket or "/" in bucket:
            raise Refusal("bucket", "a bucket has a name without slash")
        own = sorted(name for name in headers if name.startswith(self.dialect["headerPrefix"].lower()))
        return "".join(name + ":" + ",".join(headers[name]) + "\n" for name in own) + "/" + bucket + "/" + key


class Authorization(FileQuestion):
    """authorization"""

    def result(self):
        headers, i = self.headers(), self.input
        self.pub.encode("utf-8")
        signature = self.mac(self.token(i["method"], "method").upper(), *[self.one(headers, n) for n in ("content-md5", "content-type", "date")],
                             self.tail(headers, i["bucket"], i["key"]))
        return {"authorization": "%s %s:%s" % (self.dialect["scheme"], self.pub, signature)}


class PresignedUrl(FileQuestion):
    """presigned-url"""

    def result(self):
        headers, i = self.headers(), self.input
        signature = self.mac(self.token(i["method"], "method").upper(), "", "", i["expires"], self.tail(headers, i["bucket"], i["key"]))
        pairs = [("Signature", signature), (self.dialect["publicKeyParameter"], self.pub), ("Expires", i["expires"])]
        return {"url": "%s://%s.%s/%s?%s" % (i["scheme"], i["bucket"], i["fileHost"], self.escape(i["key"], "/"),
                                             "&".join(name + "=" + self.escape(value) for name, value in pairs))}


class VerifyUrl(FileQuestion):
    """verify-presigned-url"""

    def unescape(self, text, reason):
        pieces = text.split("%")[1:]
        if any(len(p) < 2 or not set(p[:2]) <= set("0123456789abcdefABCDEF") for p in pieces):
            raise Refusal(reason, "% means two digits")
        try:
            return unquote_to_bytes(text).decode("utf-8")
        except UnicodeDecodeError:
            raise Refusal(reason, "escape UTF-8, please")

    def result(self):
        headers, url = self.headers(), self.input["url"]
        method = self.token(self.input["method"], "method").upper()
        for start in ("http://", "https://"):
            if url.startswith(start):
                host, slash, rest = url[len(start):].partition("/")
                break
        else:
            raise Refusal("url-malformed", "http or https")
        bucket, _, domain = host.partition(".")
        if not slash or not bucket or "#" in url or "?" in host or domain.lower() != self.input["fileHost"].lower():
            raise Refusal("url-malformed", "not the URL of a file")
        path, _, query = rest.partition("?")
        key, found = self.unescape(path, "url-malformed"), collections.defaultdict(list)
        for piece in filter(None, query.split("&")):
            name, _, value = piece.partition("=")
            found[self.unescape(name, "query-malformed")].append(self.unescape(value, "query-malformed"))
        mine = [found[name] for name in (self.dialect["publicKeyParameter"], "Expires", "Signature")]
        if any(len(values) > 1 for values in mine):
            raise Refusal("parameter-repeated", "one of each")
        if not mine[2] or not mine[2][0]:
            raise Refusal("signature-missing", "nothing to verify")
        if not mine[0] or not mine[1]:
            raise Refusal("parameter-missing", "all three are needed")
        (public_key,), (expires,), (signature,) = mine
        if not expires.isascii() or not expires.isdigit() or len(expires) > 15:
            raise Refusal("expires-malformed", "seconds, please")
        if int(expires) < int(self.input["now"]):
            raise Refusal("expired", "it was valid once")
        if public_key != self.pub:
            raise Refusal("public-key-unknown", "one account is here, another asks")
        if self.mac(method, "", "", expires, self.tail(headers, bucket, key)) != signature:
            raise Refusal("signature-mismatch", "this was signed otherwise")
        return {"publicKey": self.pub}


class PartEtag(Question):
    """part-etag"""

    def stream(self):
        content = self.input["content"]
        return open(content["file"], "rb") if "file" in content else io.BytesIO(base64.b64decode(content["bytes"]))

    def result(self):
        with self.stream() as stream:
            return {"etag": base64.urlsafe_b64encode(hashlib.sha1(stream.read()).digest()).decode()}


class Etag(PartEtag):
    """etag"""

    def result(self):
        with self.stream() as stream:
            digests = [hashlib.sha1(block).digest() for block in iter(lambda: stream.read(1 << 22), b"")]
        raw = bytearray(len(digests).to_bytes(4, "little"))
        raw += digests[0] if len(digests) == 1 else hashlib.sha1(b"".join(digests)).digest()
        return {"etag": base64.urlsafe_b64encode(raw).decode()}


# ---------------------------------------------------------------- the loop

def main():
    first = sys.stdin.buffer.readline()
    stream = sys.stdin.buffer

    def lines():
        yield first
        yield from stream
    wire = (JsonWire if first.lstrip()[:1] == b"{" else TabWire)(lines())
    lock, messages = threading.Lock(), wire.messages()

    def put(message):
        with lock:
            sys.stdout.buffer.write(wire.text(message).encode("utf-8") + b"\n")
            sys.stdout.buffer.flush()
    dialect = next(messages)["dialect"]
    OPERATIONS.pop("(abstract)")
    put({"protocol": 1, "implementation": {"name": "event-driven", "version": "2024.11", "language": "python"}, "operations": list(OPERATIONS),
         "window": WINDOW})
    with ThreadPoolExecutor(WINDOW) as pool:
        for message in messages:
            kind = OPERATIONS.get(message["operation"])
            if kind is None:
                put({"n": message["n"], "unsupported": True})
            else:
                question = kind(message, dialect)
                pool.submit(lambda q=question: put(q.reply()))


if __name__ == "__main__":
    main()
