#!/usr/bin/env python3
"""Coroutines all the way: the signed text is never in memory as a whole. Producers yield pieces, a hashing coroutine swallows them, contents come
in chunks of 8191 bytes. Of a positional header that is there twice, the first counts. Shows its stages in the trace."""
import base64
import hashlib
import hmac
import itertools
import json
import re
import string
import sys

BLOCK = 4 * 1024 * 1024
NAME_CHARACTERS = frozenset(string.ascii_letters + string.digits + "!#$%&'*+.^_`|~-")
QUIET = frozenset((string.ascii_letters + string.digits + "-_.~").encode())


class Halt(Exception):
    """Halt(reason, message): a refusal."""


def primed(function):
    def start(*args):
        coroutine = function(*args)
        next(coroutine)
        return coroutine
    return start


def finish(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value


@primed
def hashing(sha):
    while True:
        piece = yield
        if piece is None:
            return sha.digest()
        sha.update(piece)


@primed
def collecting():
    pieces = []
    while True:
        piece = yield
        if piece is None:
            return b"".join(pieces).decode("utf-8")
        pieces.append(piece)


@primed
def block_hashing():
    """The ETag's count and digest."""
    whole, outer, inner, held, count = hashlib.sha1(), hashlib.sha1(), None, 0, 0
    while True:
        piece = yield
        if piece is None:
            break
        at = 0
        while at < len(piece):
            if inner is None:
                inner, held, count = hashlib.sha1(), 0, count + 1
            take = piece[at:at + BLOCK - held]
            inner.update(take)
            if count == 1:
                whole.update(take)
            at, held = at + len(take), held + len(take)
            if held == BLOCK:
                outer.update(inner.digest())
                inner = None
    if inner is not None:
        outer.update(inner.digest())
    return count, outer.digest() if count > 1 else whole.digest()


def pour(producer, *sinks):
    for piece in producer:
        for sink in sinks:
            sink.send(piece)
    return [finish(sink) for sink in sinks]


def chunks(content):
    if "file" in content:
        with open(content["file"], "rb") as f:
            yield from iter(lambda: f.read(8191), b"")
    else:
        text = content["bytes"]
        for at in range(0, len(text), 8188):
            yield base64.b64decode(text[at:at + 8188])


# ---------------------------------------------------------------- producers

def escaped(text):
    for b in text.encode("utf-8"):
        yield chr(b) if b in QUIET else "%" + format(b, "02X")


def escape(text):
    return "".join(escaped(text))


def unescaped(text, reason):
    it = iter(text)
    for c in it:
        if c == "%":
            two = "".join(itertools.islice(it, 2))
            if len(two) < 2 or not set(two) <= set(string.hexdigits):
                raise Halt(reason, "a broken escape")
            yield bytes.fromhex(two)
        else:
            yield c.encode("utf-8")


def unescape(text, reason):
    raw = b"".join(unescaped(text, reason))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Halt(reason, "escapes of something that is not UTF-8")


def clean(value):
    """Pieces of the value without folds and outer blanks."""
    value.encode("utf-8")
    lines = value.split("\n")
    for at, line in enumerate(lines):
        if at < len(lines) - 1 and line.endswith("\r"):
            line = line[:-1]
        if "\r" in line or "\0" in line or at and line[:1] not in (" ", "\t"):
            raise Halt("header-value", "a line break or NUL that HTTP forbids")
        line = line.strip(" \t")
        if line:
            yield line


def clean_value(value):
    pieces = list(clean(value))
    return " ".join(pieces)


def headers_of(pairs):
    for name, value in pairs:
        name = name.strip(" \t")
        if not name or not set(name) <= NAME_CHARACTERS:
            raise Halt("header-name", "not a token")
        yield name.lower(), clean_value(value)


def first(pairs, wanted):
    return next((value for name, value in pairs if name == wanted), "")


def extra(headers, dialect):
    own = sorted(((n, v) for n, v in headers if n.startswith(dialect["headerPrefix"].lower())), key=lambda pair: pair[0])
    for name, group in itertools.groupby(own, key=lambda pair: pair[0]):
        yield name + ":"
        for at, (_, value) in enumerate(group):
            if at:
                yield ","
            yield value
        yield "\n"


def resource(bucket, key):
    yield "/"
    yield bucket
    yield "/"
    yield key


def signed_text(method, three, headers, bucket, key, policy, dialect):
    if not method or not set(method) <= NAME_CHARACTERS:
        raise Halt("method", "not a token")
    if not bucket or "/" in bucket:
        raise Halt("bucket", "no bucket's name")
    for piece in itertools.chain([method.upper(), "\n"], *([t, "\n"] for t in three), extra(headers, dialect), resource(bucket, key), [policy]):
        yield piece.encode("utf-8")


def sign(pri, method, three, headers, bucket, key, dialect, policy=""):
    digest, text = pour(signed_text(method, three, headers, bucket, key, policy, dialect),
                        hashing(hmac.new(pri.encode("utf-8"), digestmod="sha1")), collecting())
    signature = base64.b64encode(digest).decode()
    trace = {"canonicalHeaders": "".join(extra(headers, dialect)), "canonicalResource": "".join(resource(bucket, key)),
             "digest": digest.hex(), "signature": signature}
    if not policy:
        trace["stringToSign"] = text
    return signature, trace


def three_of(headers):
    return [first(headers, n) for n in ("content-md5", "content-type", "date")]


def credentials(dialect, pub, *rest):
    pub.encode("utf-8")
    return dialect["scheme"] + " " + ":".join((pub,) + tuple(r for r in rest if r))


# ---------------------------------------------------------------- operations

def authorization(i, pub, pri, dialect):
    headers = list(headers_of(i["headers"]))
    signature, trace = sign(pri, i["method"], three_of(headers), headers, i["bucket"], i["key"], dialect)
    return {"authorization": credentials(dialect, pub, signature)}, trace


def form(i, pub, pri, dialect):
    headers = list(headers_of(i["headers"]))
    fields = [(n, clean_value(v)) for n, v in i["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = first(headers, "content-md5") if any(n == "content-md5" for n, _ in headers) else first(fields, "Content-MD5")
    signature, trace = sign(pri, "POST", [md5, first(fields, "Content-Type"), first(headers, "date")], headers, i["bucket"], i["key"], dialect)
    return {"authorization": credentials(dialect, pub, signature)}, trace


def policy_authorization(i, pub, pri, dialect):
    headers = list(headers_of(i["headers"]))
    signature, trace = sign(pri, i["method"], three_of(headers), headers, i["bucket"], i["key"], dialect, i["policy"])
    return {"authorization": credentials(dialect, pub, signature, i["policy"])}, trace


def instant(i, pub, pri, dialect):
    headers = list(headers_of(i["headers"]))
    signature, trace = sign(pri, "POST", three_of(headers), headers, i["bucket"], i["key"], dialect)
    target = itertools.chain(["/uploadhit?Hash="], escaped(i["etag"]), ["&FileName="], escaped(i["key"]), ["&FileSize="], escaped(i["size"]))
    return {"target": "".join(target), "authorization": credentials(dialect, pub, signature)}, trace


def presigned(i, pub, pri, dialect):
    headers = list(headers_of(i["headers"]))
    signature, trace = sign(pri, i["method"], ["", "", i["expires"]], headers, i["bucket"], i["key"], dialect)
    trace["encodedSignature"] = escape(signature)
    path = ("/" if c == "%2F" else c for c in escaped(i["key"]))
    return {"url": "".join(itertools.chain([i["scheme"], "://", i["bucket"], ".", i["fileHost"], "/"], path, ["?Expires="], escaped(i["expires"]),
                                           ["&Signature="], escaped(signature), ["&", dialect["publicKeyParameter"], "="], escaped(pub)))}, trace


def etag(i, pub, pri, dialect):
    (count, digest), = pour(chunks(i["content"]), block_hashing())
    raw = bytes(itertools.chain(count.to_bytes(4, "little"), digest))
    return {"etag": base64.urlsafe_b64encode(raw).decode()}, {"blockCount": count, "digest": digest.hex()}


def part_etag(i, pub, pri, dialect):
    digest, = pour(chunks(i["content"]), hashing(hashlib.sha1()))
    return {"etag": base64.urlsafe_b64encode(digest).decode()}, {"digest": digest.hex()}


def is_policy(text):
    bare, alphabets = text.rstrip("="), [set("+/") & set(text), set("-_") & set(text)]
    if all(alphabets) or len(text) - len(bare) > 2 or not re.fullmatch("[A-Za-z0-9+/_-]+", bare):
        return False
    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), b"-_" if alphabets[1] else b"+/")
        return type(json.loads(raw.decode("utf-8"))) is dict
    except (ValueError, RecursionError):
        return False


def equal(a, b, reason, message):
    if not hmac.compare_digest(a.encode("utf-8"), b.encode("utf-8")):
        raise Halt(reason, message)


def verify_authorization(i, pub, pri, dialect):
    headers = list(headers_of(i["headers"]))
    found = [v for n, v in headers if n == "authorization"]
    if not found:
        raise Halt("authorization-missing", "an unsigned request")
    scheme, blank, rest = found[0].partition(" ")
    parts = rest.split(":")
    if (len(found) > 1 or scheme != dialect["scheme"] or not blank or "" in parts or not 1 < len(parts) < 4 or " " in rest or "\t" in rest
            or len(parts) == 3 and not (i["method"].upper() in {"PUT", "POST"} and is_policy(parts[2]))):
        raise Halt("authorization-malformed", "unreadable credentials")
    equal(parts[0], pub, "public-key-unknown", "an unknown account")
    signature, trace = sign(pri, i["method"], three_of(headers), headers, i["bucket"], i["key"], dialect, *parts[2:])
    equal(signature, parts[1], "signature-mismatch", "signed otherwise: " + json.dumps(trace))
    return {"publicKey": pub}, trace


def pairs_of(query):
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            yield unescape(name, "query-malformed"), unescape(value, "query-malformed")


def verify_url(i, pub, pri, dialect):
    headers = list(headers_of(i["headers"]))
    scheme, _, rest = i["url"].partition("://")
    address, question, query = rest.partition("?")
    host, slash, path = address.partition("/")
    bucket, _, where = host.partition(".")
    if scheme not in {"http", "https"} or "#" in rest or not slash or not bucket or where.lower() != i["fileHost"].lower():
        raise Halt("url-malformed", "no URL of a file here")
    key = unescape(path, "url-malformed")
    own = {dialect["publicKeyParameter"]: None, "Expires": None, "Signature": None}
    for name, value in pairs_of(query):
        if name in own:
            if own[name] is not None:
                raise Halt("parameter-repeated", name)
            own[name] = value
    public_key, expires, signature = own.values()
    if not signature:
        raise Halt("signature-missing", "an unsigned link")
    if public_key is None or expires is None:
        raise Halt("parameter-missing", "half a link")
    if not 1 <= len(expires) <= 15 or not set(expires) <= set(string.digits):
        raise Halt("expires-malformed", "no time")
    if int(i["now"]) > int(expires):
        raise Halt("expired", "an old link")
    equal(public_key, pub, "public-key-unknown", "an unknown account")
    expected, trace = sign(pri, i["method"], ["", "", expires], headers, bucket, key, dialect)
    trace["encodedSignature"] = escape(expected)
    equal(expected, signature, "signature-mismatch", "signed otherwise")
    return {"publicKey": pub}, trace


OPERATIONS = {"authorization": authorization, "form-authorization": form, "policy-authorization": policy_authorization, "instant-upload": instant,
              "presigned-url": presigned, "etag": etag, "part-etag": part_etag, "verify-authorization": verify_authorization,
              "verify-presigned-url": verify_url, "url-encode": lambda i, pub, pri, dialect: ({"encoded": escape(i["text"])}, {})}


def replies(lines):
    dialect = json.loads(next(lines))["dialect"]
    yield {"protocol": 1, "implementation": {"name": "coroutines", "version": "60", "language": "python"}, "operations": sorted(OPERATIONS),
           "traces": ["canonicalHeaders", "canonicalResource", "stringToSign", "digest", "signature", "encodedSignature", "blockCount"], "window": 8}
    for line in lines:
        m = json.loads(line)
        reply = {"n": m["n"]}
        operation = OPERATIONS.get(m["operation"])
        if operation is None:
            yield {"n": m["n"], "unsupported": True}
            continue
        try:
            result, trace = operation(m["input"], m["keys"]["publicKey"], m["keys"]["privateKey"], dialect)
            reply["result"] = result
            if trace:
                reply["trace"] = trace
        except Halt as no:
            reply["refused"] = {"reason": no.args[0], "message": no.args[1]}
        except UnicodeEncodeError:
            reply["refused"] = {"reason": "text", "message": "half a surrogate pair"}
        except Exception as problem:
            reply["error"] = repr(problem)
        yield reply


if __name__ == "__main__":
    for answer in replies(iter(sys.stdin.buffer)):
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()
