#!/usr/bin/env python3
"""Correct. Signers as state machines: header values, numbers and percent-encoding go character by character through transition functions; the
names of parameters and headers go into a trie of bytes, which is walked instead of sorting; HMAC is written out over SHA-1; the ETag is a
machine that is fed pieces of 65,521 bytes. Queries have the parameters in the walk's order, pre-signed URLs begin with Expires."""
import base64
import hashlib
import json
import sys

BLOCK = 4194304


class No(Exception):
    pass


# ------------------------------------------------------------------ machines over characters

def token(text, reason):
    state = "start"
    for c in text:
        if c.isascii() and (c.isalnum() or c in "!#$%&'*+-.^_`|~"):
            state = "inside"
        else:
            state = "bad"
            break
    if state != "inside":
        raise No(reason, "not a token")
    return text


def field_value(raw):
    """States: text; blank (blanks that may be within the value or at its end); cr and lf (the first blank of a fold must follow)."""
    state, out, pending, folded = "blank", [], "", False
    for c in raw:
        if state == "cr" and c != "\n" or state == "lf" and c not in " \t" or c == "\0":
            raise No("header-value", "a line break that is no fold, or NUL")
        if state == "lf":
            state, folded = "blank", True
        elif c in "\r\n":
            state = "cr" if c == "\r" else "lf"
        elif c in " \t":
            state, pending = "blank", pending + c
        else:
            if out:
                out.append(" " if folded else pending)
            out.append(c)
            state, pending, folded = "text", "", False
    if state in ("cr", "lf"):
        raise No("header-value", "a line break at the end")
    text = "".join(out)
    text.encode("utf-8")
    return text


def plain_number(written):
    """-?(0|[1-9]d*)(.d+)?([eE][+-]?d+)? read by a machine that collects digits, the place of the point, and the exponent."""
    table = {("start", "-"): "minus", ("start", "0"): "zero", ("start", "d"): "whole", ("minus", "0"): "zero", ("minus", "d"): "whole",
             ("whole", "0"): "whole", ("whole", "d"): "whole", ("whole", "."): "point", ("zero", "."): "point",
             ("point", "0"): "part", ("point", "d"): "part", ("part", "0"): "part", ("part", "d"): "part",
             ("whole", "e"): "e", ("zero", "e"): "e", ("part", "e"): "e", ("e", "+"): "sign", ("e", "-"): "sign",
             ("e", "0"): "exp", ("e", "d"): "exp", ("sign", "0"): "exp", ("sign", "d"): "exp", ("exp", "0"): "exp", ("exp", "d"): "exp"}
    state, digits, places, exponent, negative, minus_exponent = "start", "", 0, "", False, False
    for c in written:
        kind = "0" if c == "0" else "d" if c in "123456789" else "e" if c in "eE" else c
        state = table.get((state, kind))
        if state is None:
            raise No("number", "not a number")
        if state == "minus":
            negative = True
        elif state in ("zero", "whole", "part"):
            digits += c
            places += state == "part"
        elif state == "sign":
            minus_exponent = c == "-"
        elif state == "exp":
            exponent += c
    if state not in ("zero", "whole", "part", "exp"):
        raise No("number", "not a number")
    exponent = exponent.lstrip("0")
    if not digits.strip("0"):
        return "0"
    if len(exponent) > 6:
        raise No("number", "too long")
    shift = int(exponent or "0") * (-1 if minus_exponent else 1)
    point = len(digits) - places + shift                     # of 0.digits times ten to the point
    first = len(digits) - len(digits.lstrip("0"))
    if not -4000 < point - first - 1 < 4000:
        raise No("number", "too long")
    digits, point = digits[first:].rstrip("0"), point - first
    if point <= 0:
        text = "0." + "0" * -point + digits
    elif point >= len(digits):
        text = digits + "0" * (point - len(digits))
    else:
        text = digits[:point] + "." + digits[point:]
    return "-" + text if negative else text


def escape(text):
    out = []
    for octet in text.encode("utf-8"):
        high, low = divmod(octet, 16)
        c = chr(octet)
        out.append(c if c in "-._~" or octet < 128 and c.isalnum() else "%" + "0123456789ABCDEF"[high] + "0123456789ABCDEF"[low])
    return "".join(out)


class Trie:
    """Names by bytes; a walk gives them in ascending order."""

    def __init__(self):
        self.next, self.values = {}, []

    def at(self, name):
        node = self
        for octet in name.encode("utf-8"):
            if octet not in node.next:
                node.next[octet] = Trie()
            node = node.next[octet]
        return node

    def walk(self, path=b""):
        stack = [(self, path)]
        while stack:
            node, path = stack.pop()
            if node.values:
                yield path.decode("utf-8"), node.values
            for octet in range(255, -1, -1):
                if octet in node.next:
                    stack.append((node.next[octet], path + bytes((octet,))))


def hmac_sha1(key, message):
    key = hashlib.sha1(key).digest() if len(key) > 64 else key
    key += bytes(64 - len(key))
    inner = hashlib.sha1(bytes(k ^ 0x36 for k in key) + message).digest()
    return hashlib.sha1(bytes(k ^ 0x5C for k in key) + inner).digest()


# ------------------------------------------------------------------ parameters

def tree(parameters):
    root, work = Trie(), [(n, v) for n, v in reversed(parameters)]
    while work:
        name, value = work.pop()
        if isinstance(value, dict) and "list" in value:
            work += [("%s.%d" % (name, i), value["list"][i]) for i in range(len(value["list"]))]
            continue
        if isinstance(value, dict) and "object" in value:
            work += [(name + "." + n, v) for n, v in value["object"]]
            continue
        if value is None:
            raise No("parameter-null", name)
        if name == "Signature":
            continue
        node = root.at(name)
        if node.values:
            raise No("parameter-repeated", name)
        if isinstance(value, str):
            node.values.append((value, json.dumps(value)))
        else:
            text = plain_number(value["number"]) if isinstance(value, dict) else "true" if value else "false"
            node.values.append((text, text))
    return root


def signed(parameters, private):
    flat = [(name, text, literal) for name, ((text, literal),) in tree(parameters).walk()]
    digest = hashlib.sha1()
    for name, text, _ in flat:
        digest.update(name.encode("utf-8"))
        digest.update(text.encode("utf-8"))
    digest.update(private.encode("utf-8"))
    return flat, digest.hexdigest()


def complete(q, keys, more=()):
    flat, signature = signed(q["parameters"], keys["privateKey"])
    names = [name for name, _, _ in flat]
    create = ("Action", "CreateBucket") in [x[:2] for x in flat]
    for name in ("Action", "PublicKey") + (more if create else ()):
        if name not in names:
            raise No("parameter-missing", name)
    return flat, signature


def query(flat, signature):
    return "".join(escape(name) + "=" + escape(text) + "&" for name, text, _ in flat) + "Signature=" + signature


def action_signature(q, keys, words):
    return {"signature": signed(q["parameters"], keys["privateKey"])[1]}


def action_json(q, keys, words):
    flat, signature = complete(q, keys)
    return {"body": '{\n "Signature": "' + signature + '"' + "".join(",\n " + json.dumps(name) + ": " + literal for name, _, literal in flat) + "\n}"}


def action_query(q, keys, words):
    return {"query": query(*complete(q, keys))}


def bucket_request(q, keys, words):
    return {"target": "/?" + query(*complete(q, keys, ("Type", "BucketName")))}


# ------------------------------------------------------------------ files

class Request:
    def __init__(self, q, words, method):
        self.method = token(method, "method").upper()
        self.positional, self.extra, prefix = {}, Trie(), words["headerPrefix"].lower()
        for name, raw in q["headers"]:
            name = token(name.strip(" \t"), "header-name").lower()
            value = field_value(raw)
            if name.startswith(prefix):
                self.extra.at(name).values.append(value)
            else:
                self.positional.setdefault(name, []).append(value)
        if q["bucket"] == "" or "/" in q["bucket"]:
            raise No("bucket", "empty, or with a slash")
        self.resource = "/%s/%s" % (q["bucket"], q["key"])

    def value(self, name):
        values = self.positional.get(name, [])
        if len(values) > 1:
            raise No("header-repeated", name)
        return values[0] if values else ""

    def text(self, md5, mime, when):
        extra = "".join(name + ":" + ",".join(values) + "\n" for name, values in self.extra.walk())
        return "".join((self.method, "\n", md5, "\n", mime, "\n", when, "\n", extra, self.resource))

    def header_text(self):
        return self.text(self.value("content-md5"), self.value("content-type"), self.value("date"))


def mac(text, keys):
    return base64.b64encode(hmac_sha1(keys["privateKey"].encode("utf-8"), text.encode("utf-8"))).decode("ascii")


def credentials(text, keys, words):
    keys["publicKey"].encode("utf-8")
    return words["scheme"] + " " + keys["publicKey"] + ":" + mac(text, keys)


def authorization(q, keys, words):
    return {"authorization": credentials(Request(q, words, q["method"]).header_text(), keys, words)}


def policy_authorization(q, keys, words):
    text = Request(q, words, q["method"]).header_text() + q["policy"]
    return {"authorization": credentials(text, keys, words) + (":" + q["policy"] if q["policy"] else "")}


def form_authorization(q, keys, words):
    request, fields = Request(q, words, "POST"), {"Content-Type": [], "Content-MD5": []}
    for name, raw in q["fields"]:
        if name in fields:
            fields[name].append(field_value(raw))
    header = request.positional.get("content-md5", [])
    for values in (header or fields["Content-MD5"], fields["Content-Type"]):
        if len(values) > 1:
            raise No("header-repeated", "twice")
    return {"authorization": credentials(request.text("".join(header or fields["Content-MD5"]), "".join(fields["Content-Type"]), request.value("date")), keys, words)}


def instant_upload(q, keys, words):
    value = credentials(Request(q, words, "POST").header_text(), keys, words)
    return {"target": "/uploadhit?Hash=" + escape(q["etag"]) + "&FileName=" + escape(q["key"]) + "&FileSize=" + escape(q["size"]), "authorization": value}


def presigned_url(q, keys, words):
    text = Request(q, words, q["method"]).text("", "", q["expires"])
    path = "".join("/" if c == "/" else escape(c) for c in q["key"])
    return {"url": "%s://%s.%s/%s?Expires=%s&%s=%s&Signature=%s" % (q["scheme"], q["bucket"], q["fileHost"], path, escape(q["expires"]),
                                                                    words["publicKeyParameter"], escape(keys["publicKey"]), escape(mac(text, keys)))}


def policy(q, keys, words):
    members = ",".join(":".join(json.dumps(text, ensure_ascii=False) for text in pair) for pair in q["members"])
    return {"policy": base64.urlsafe_b64encode(("{" + members + "}").encode("utf-8")).decode("ascii")}


# ------------------------------------------------------------------ ETags

class Etag:
    """Fed with pieces of any size; room is what is left of the block."""

    def __init__(self):
        self.count, self.room, self.block, self.last, self.all = 0, 0, None, b"", hashlib.sha1()

    def feed(self, piece):
        at = 0
        while at < len(piece):
            if self.room == 0:
                self.close()
                self.block, self.room, self.count = hashlib.sha1(), BLOCK, self.count + 1
            taken = piece[at:at + self.room]
            self.block.update(taken)
            at, self.room = at + len(taken), self.room - len(taken)

    def close(self):
        if self.block is not None:
            self.last = self.block.digest()
            self.all.update(self.last)
            self.block = None

    def text(self):
        self.close()
        digest = self.last if self.count == 1 else self.all.digest()
        return base64.urlsafe_b64encode(bytes(self.count >> shift & 255 for shift in (0, 8, 16, 24)) + digest).decode("ascii")


def pieces(content):
    if "file" in content:
        with open(content["file"], "rb") as source:
            while piece := source.read(65521):
                yield piece
    else:
        data = base64.b64decode(content["bytes"])
        for at in range(0, len(data), 65521):
            yield data[at:at + 65521]


def etag(q, keys, words):
    machine = Etag()
    for piece in pieces(q["content"]):
        machine.feed(piece)
    return {"etag": machine.text()}


def part_etag(q, keys, words):
    digest = hashlib.sha1()
    for piece in pieces(q["content"]):
        digest.update(piece)
    return {"etag": base64.urlsafe_b64encode(digest.digest()).decode("ascii")}


OPERATIONS = {
    "presigned-url": presigned_url, "part-etag": part_etag, "etag": etag, "policy": policy, "instant-upload": instant_upload,
    "form-authorization": form_authorization, "policy-authorization": policy_authorization, "authorization": authorization,
    "bucket-request": bucket_request, "action-query": action_query, "action-json": action_json, "action-signature": action_signature,
    "url-encode": lambda q, keys, words: {"encoded": escape(q["text"])},
    "password": lambda q, keys, words: {"value": base64.b64encode(q["text"].encode("utf-8")).decode("ascii")},
}


def reply(question, words):
    function = OPERATIONS.get(question["operation"])
    if function is None:
        return {"unsupported": True}
    try:
        return {"result": function(question["input"], question["keys"], words)}
    except No as no:
        return {"refused": {"reason": no.args[0], "message": no.args[1]}}
    except UnicodeEncodeError:
        return {"refused": {"reason": "text", "message": "a lone surrogate"}}


def main():
    state, words = "hello", None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if state == "hello":
            words, state = message["dialect"], "questions"
            answer = {"operations": list(OPERATIONS), "implementation": {"language": "python", "version": "1", "name": "machines"}, "protocol": 1}
        else:
            answer = dict(reply(message, words), n=message["n"])
        print(json.dumps(answer), flush=True)


main()
