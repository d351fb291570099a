"""Correct: an explicit stack instead of recursion, a radix trie of bytes as the sorter, numbers moved about as digits,
percent-encoding by a table, Base64 by bit shifts, SHA-1 fed while the trie is walked."""
import hashlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, serve  # noqa: E402

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
TABLE = [chr(b) if chr(b) in ALPHABET[:62] + "-_.~" else "%" + "0123456789ABCDEF"[b >> 4] + "0123456789ABCDEF"[b & 15] for b in range(256)]
DIGITS = "0123456789"
LIMIT = 10 ** 18


def digits_from(text, at):
    end = at
    while end < len(text) and text[end] in DIGITS:
        end += 1
    return text[at:end], end


def number(text):
    """JSON's grammar, read by hand; the point is moved by the exponent."""
    at = 1 if text[:1] == "-" else 0
    whole, at = digits_from(text, at)
    if not whole or (whole[0] == "0" and len(whole) > 1):
        raise Refused("number", text[:40])
    fraction, exponent = "", 0
    if text[at:at + 1] == ".":
        fraction, at = digits_from(text, at + 1)
        if not fraction:
            raise Refused("number", text[:40])
    if text[at:at + 1] in ("e", "E"):
        sign = text[at + 1:at + 2]
        at += 2 if sign in ("+", "-") and sign else 1
        power, at = digits_from(text, at)
        if not power:
            raise Refused("number", text[:40])
        power = power.lstrip("0") or "0"
        exponent = int(power) if len(power) < 30 else 10 ** 30
        exponent = -exponent if sign == "-" else exponent
    if at != len(text):
        raise Refused("number", text[:40])
    figures = (whole + fraction).lstrip("0")
    point = len(figures) - len(fraction) + exponent         # how many figures stand before the point
    if not -2 * LIMIT + 3 <= exponent - len(fraction) < LIMIT:
        raise Refused("number", "too large")
    if not figures:
        return "0"
    if not -4000 < point - 1 < 4000:
        raise Refused("number", "too long")
    if point <= 0:
        before, after = "0", "0" * -point + figures
    elif point >= len(figures):
        before, after = figures + "0" * (point - len(figures)), ""
    else:
        before, after = figures[:point], figures[point:]
    after = after.rstrip("0")
    return ("-" if text[0] == "-" else "") + before + ("." + after if after else "")


def flatten(parameters):
    """Depth first with a stack of iterators."""
    stack = [iter([(name, value) for name, value in parameters])]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            continue
        name, value = step
        if value is None:
            raise Refused("parameter-null", name)
        if isinstance(value, str):
            yield name, value, True
        elif isinstance(value, bool):
            yield name, ("false", "true")[value], False
        elif "number" in value:
            yield name, number(value["number"]), False
        elif "list" in value:
            stack.append(iter([("%s.%d" % (name, k), item) for k, item in enumerate(value["list"])]))
        else:
            stack.append(iter([(name + "." + member, item) for member, item in value["object"]]))


class Trie:
    """Children by byte; a node with a value ends a name."""

    def __init__(self):
        self.children, self.value = {}, None

    def put(self, key, value):
        node = self
        for b in key:
            node = node.children.setdefault(b, None) or node.grow(b)
        node.value = value

    def grow(self, b):
        self.children[b] = Trie()
        return self.children[b]

    def values(self):
        stack = [self]
        while stack:
            node = stack.pop()
            if node.value is not None:
                yield node.value
            stack += [node.children[b] for b in range(255, -1, -1) if b in node.children] if node.children else []


def prepared(parameters):
    """Leaves in order of their names, and the set of names."""
    leaves = [leaf for leaf in flatten(parameters) if leaf[0] != "Signature"]
    names = set()
    for name, _, _ in leaves:
        if name in names:
            raise Refused("parameter-repeated", name)
        names.add(name)
    trie = Trie()
    for leaf in leaves:
        trie.put(leaf[0].encode("utf-8"), leaf)
    return list(trie.values()), names


def digest(leaves, private):
    sha = hashlib.sha1()
    for name, text, _ in leaves:
        sha.update(name.encode("utf-8"))
        sha.update(text.encode("utf-8"))
    sha.update(private.encode("utf-8"))
    return "".join("0123456789abcdef"[b >> 4] + "0123456789abcdef"[b & 15] for b in sha.digest())


def need(names, *wanted):
    for name in wanted:
        if name not in names:
            raise Refused("parameter-missing", name)


def complete(i, pri):
    leaves, names = prepared(i["parameters"])
    need(names, "Action", "PublicKey")
    return leaves, names, digest(leaves, pri)


def escape(text):
    return "".join([TABLE[b] for b in text.encode("utf-8")])


def json_string(text):
    out = ['"']
    for c in text:
        if c in '"\\':
            out.append("\\" + c)
        elif ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029":
            out.append("\\u%04x" % ord(c))
        else:
            out.append(c)
    return "".join(out) + '"'


def query(leaves, signature):
    out = []
    for name, text, _ in leaves:
        out += [escape(name), "=", escape(text), "&"]
    return "".join(out) + "Signature=" + signature


def action_signature(i, pub, pri):
    return {"signature": digest(prepared(i["parameters"])[0], pri)}


def action_json(i, pub, pri):
    leaves, _, signature = complete(i, pri)
    members = ['"Signature":' + json_string(signature)]
    for name, text, quoted in reversed(leaves):
        members.append(json_string(name) + ":" + (json_string(text) if quoted else text))
    return {"body": "{" + ",".join(members) + "}"}


def action_query(i, pub, pri):
    leaves, _, signature = complete(i, pri)
    return {"query": query(leaves, signature)}


def bucket_request(i, pub, pri):
    leaves, names, signature = complete(i, pri)
    if any(leaf[0] == "Action" and leaf[1] == "CreateBucket" for leaf in leaves):
        need(names, "Type", "BucketName")
    return {"target": "/?" + query(leaves, signature)}


def password(i, pub, pri):
    raw, out = i["text"].encode("utf-8"), []
    for at in range(0, len(raw), 3):
        three = raw[at:at + 3]
        bits = int.from_bytes(three.ljust(3, b"\0"), "big")
        four = [ALPHABET[bits >> shift & 63] for shift in (18, 12, 6, 0)]
        out += four[:len(three) + 1] + ["="] * (3 - len(three))
    return {"value": "".join(out)}


if __name__ == "__main__":
    serve("trie", {"url-encode": lambda i, pub, pri: {"encoded": escape(i["text"])}, "password": password, "action-signature": action_signature,
                   "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request})
