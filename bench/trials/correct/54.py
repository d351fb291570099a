"""Correct: the action API as a generator pipeline over byte strings, a binary search tree instead of a sort, numbers by moving the point."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import hashlib
import re
from serving import serve, Refused

SAFE = re.compile(rb"[^-0-9A-Z_a-z.~]")
NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


def shifted(written):
    m = NUMBER.fullmatch(written)
    if not m:
        raise Refused("number", "not a number")
    sign, whole, fraction, exponent = m[1], m[2], m[3] or "", m[4] or "0"
    if len((m[4] or "").lstrip("+-")) > 18:
        raise Refused("number", "exponent")
    digits = whole + fraction
    point = len(whole)
    zeros = len(digits) - len(digits.lstrip("0"))
    if zeros == len(digits):
        return "0"
    exponent = int(exponent)
    if not -4000 < point + exponent - zeros - 1 < 4000:
        raise Refused("number", "too long")
    point += exponent
    digits = digits[zeros:]
    point -= zeros
    if point <= 0:
        whole, fraction = "0", "0" * -point + digits
    else:
        digits = digits.ljust(point, "0")
        whole, fraction = digits[:point], digits[point:]
    while fraction.endswith("0"):
        fraction = fraction[:-1]
    return sign + whole + ("." + fraction if fraction else "")


def leaves(parameters):
    """(name, text, quoted), depth first, without recursion."""
    work = [iter([(str(name), value) for name, value in parameters])]
    while work:
        pair = next(work[-1], None)
        if pair is None:
            work.pop()
            continue
        name, value = pair
        if value is None:
            raise Refused("parameter-null", "null")
        if type(value) is bool:
            yield name, ["false", "true"][value], False
        elif type(value) is str:
            yield name, value, True
        elif "number" in value:
            yield name, shifted(value["number"]), False
        else:
            inner = enumerate(value["list"]) if "list" in value else iter(value["object"])
            work.append(iter([(f"{name}.{step}", item) for step, item in inner]))


class Node:
    __slots__ = ("name", "leaf", "left", "right")

    def __init__(self, name, leaf):
        self.name, self.leaf, self.left, self.right = name, leaf, None, None


def grow(all_leaves):
    root = None
    for leaf in all_leaves:
        node, at = Node(leaf[0].encode(), leaf), root
        if root is None:
            root = node
        while at is not None and at is not node:
            side = "left" if node.name < at.name else "right"
            if getattr(at, side) is None:
                setattr(at, side, node)
            at = getattr(at, side)
    return root


def in_order(root):
    path, at = [], root
    while path or at is not None:
        while at is not None:
            path.append(at)
            at = at.left
        at = path.pop()
        yield at.leaf
        at = at.right


def prepared(given):
    kept, seen, again = [], set(), False
    for leaf in leaves(given["parameters"]):
        if leaf[0] == "Signature":
            continue
        again |= leaf[0] in seen
        seen.add(leaf[0])
        kept.append(leaf)
    if again:
        raise Refused("parameter-repeated", "twice")
    return list(in_order(grow(kept)))


def signature(row, pri):
    sha = hashlib.sha1()
    for name, text, _ in row:
        sha.update(name.encode() + text.encode())
    sha.update(pri.encode())
    return "".join("%02x" % b for b in sha.digest())


def require(row, *names):
    missing = set(names) - {leaf[0] for leaf in row}
    if missing:
        raise Refused("parameter-missing", *sorted(missing))


def complete(given, pri):
    row = prepared(given)
    require(row, "Action", "PublicKey")
    return row, signature(row, pri)


def escape(text):
    return SAFE.sub(lambda m: b"%%%02X" % m[0][0], text.encode()).decode()


def query(row, sign):
    out = ""
    for name, text, _ in row:
        out += escape(name) + "=" + escape(text) + "&"
    return out + "Signature=" + sign


def quoted(text):
    out, units = ['"'], text.encode("utf-16-be")
    for high, low in zip(units[::2], units[1::2]):
        code = high << 8 | low
        out.append(chr(code) if 32 <= code < 127 and code not in (34, 92) else "\\u%04x" % code)
    return "".join(out) + '"'


def action_json(given, pub, pri):
    row, sign = complete(given, pri)
    members = [quoted(name) + ":" + (quoted(text) if is_text else text) for name, text, is_text in row]
    return {"body": "{" + ",".join(members + ['"Signature":"' + sign + '"']) + "}"}


def bucket_request(given, pub, pri):
    row, sign = complete(given, pri)
    if any(leaf[0] == "Action" and leaf[1] == "CreateBucket" for leaf in row):
        require(row, "Type", "BucketName")
    return {"target": "/?" + query(row, sign)}


OPS = {
    "url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])},
    "action-signature": lambda given, pub, pri: {"signature": signature(prepared(given), pri)},
    "action-query": lambda given, pub, pri: {"query": query(*complete(given, pri))},
    "action-json": action_json,
    "bucket-request": bucket_request,
}
if __name__ == "__main__":
    serve("tree", OPS)
