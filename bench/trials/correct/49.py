"""Correct: a byte-wise state machine for headers, a binary search tree for the extra ones, an HMAC that is fed in pieces."""
import base64
import hashlib
import hmac
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

TCHAR = frozenset(b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
PLAIN = frozenset(b"-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
MD5, TYPE, DATE = b"content-md5", b"content-type", b"date"


class Node:
    """A tree of names; each holds its values in order of arrival."""
    __slots__ = ("name", "values", "left", "right")

    def __init__(self, name):
        self.name, self.values, self.left, self.right = name, [], None, None


class Tree:
    def __init__(self):
        self.root = None

    def add(self, name, value):
        node, parent, side = self.root, None, None
        while node is not None and node.name != name:
            parent, side = node, "left" if name < node.name else "right"
            node = getattr(node, side)
        if node is None:
            node = Node(name)
            if parent is None:
                self.root = node
            else:
                setattr(parent, side, node)
        node.values.append(value)

    def walk(self):
        stack, node = [], self.root
        while stack or node is not None:
            while node is not None:
                stack.append(node)
                node = node.left
            node = stack.pop()
            yield node
            node = node.right


def blank(c):
    return c == 32 or c == 9


def token(raw):
    return len(raw) > 0 and TCHAR.issuperset(raw)


def field_value(text):
    """One pass from left to right: a gap of blanks and folds is remembered until a visible byte comes."""
    raw = text.encode("utf-8")
    out, gap, folded = bytearray(), bytearray(), False
    at, end = 0, len(raw)
    while at < end:
        c = raw[at]
        if blank(c):
            gap.append(c)
            at += 1
            continue
        length = 2 if raw.startswith(b"\r\n", at) else 1 if c == 10 else 0
        if length and at + length < end and blank(raw[at + length]):
            folded = True
            at += length + 1
            continue
        if c in (0, 10, 13):
            raise Refused("header-value", "a control character")
        if out:
            out += b" " if folded else gap
        gap.clear()
        folded = False
        out.append(c)
        at += 1
    return bytes(out)


def field_name(text):
    try:
        raw = text.strip(" \t").encode("ascii")
    except UnicodeEncodeError:
        raise Refused("header-name", "not ASCII")
    if not token(raw):
        raise Refused("header-name", "not a token")
    return raw.lower()


class Head:
    def __init__(self, headers):
        prefix = WORDS["headerPrefix"].lower().encode()
        self.extra, self.positional = Tree(), {MD5: [], TYPE: [], DATE: []}
        for name, value in headers:
            name, value = field_name(name), field_value(value)
            if name in self.positional:
                self.positional[name].append(value)
            elif name.startswith(prefix):
                self.extra.add(name, value)


def only(values):
    if len(values) > 1:
        raise Refused("header-repeated", "more than once")
    return values[0] if values else b""


def method_bytes(method):
    try:
        raw = method.encode("ascii")
    except UnicodeEncodeError:
        raise Refused("method", "not ASCII")
    if not token(raw):
        raise Refused("method", "not a token")
    return raw.upper()


def check_bucket(bucket):
    if bucket == "" or bucket.find("/") >= 0:
        raise Refused("bucket", "empty or with a slash")


def mac(private, verb, three, head, bucket, key, tail=""):
    feed = hmac.new(private.encode("utf-8"), None, hashlib.sha1)
    feed.update(verb)
    for value in three:
        feed.update(b"\n")
        feed.update(value)
    feed.update(b"\n")
    for node in head.extra.walk():
        feed.update(node.name + b":")
        feed.update(node.values[0])
        for value in node.values[1:]:
            feed.update(b",")
            feed.update(value)
        feed.update(b"\n")
    for piece in ("/", bucket, "/", key, tail):
        feed.update(piece.encode("utf-8"))
    return base64.b64encode(feed.digest()).decode("ascii")


def header_mac(i, pri, method, tail=""):
    head = Head(i["headers"])
    verb = method_bytes(method)
    check_bucket(i["bucket"])
    three = [only(head.positional[name]) for name in (MD5, TYPE, DATE)]
    return mac(pri, verb, three, head, i["bucket"], i["key"], tail)


def credentials(pub, signature, *more):
    pub.encode("utf-8")
    return "%s %s" % (WORDS["scheme"], ":".join((pub, signature) + more))


def authorization(i, pub, pri):
    return {"authorization": credentials(pub, header_mac(i, pri, i["method"]))}


def policy_authorization(i, pub, pri):
    signature = header_mac(i, pri, i["method"], i["policy"])
    return {"authorization": credentials(pub, signature, *([i["policy"]] if i["policy"] else []))}


def form_authorization(i, pub, pri):
    head = Head(i["headers"])
    check_bucket(i["bucket"])
    fields = {"Content-Type": [], "Content-MD5": []}
    for name, value in i["fields"]:
        if name in fields:
            fields[name].append(field_value(value))
    three = [only(head.positional[MD5] or fields["Content-MD5"]), only(fields["Content-Type"]), only(head.positional[DATE])]
    return {"authorization": credentials(pub, mac(pri, b"POST", three, head, i["bucket"], i["key"]))}


def escape(text):
    out = bytearray()
    for c in text.encode("utf-8"):
        if c in PLAIN:
            out.append(c)
        else:
            out += b"%%%02X" % c
    return out.decode("ascii")


def instant_upload(i, pub, pri):
    value = credentials(pub, header_mac(i, pri, "POST"))
    return {"target": "/uploadhit?" + "&".join(n + "=" + escape(i[m]) for n, m in (("Hash", "etag"), ("FileName", "key"), ("FileSize", "size"))),
            "authorization": value}


def presigned_url(i, pub, pri):
    head = Head(i["headers"])
    verb = method_bytes(i["method"])
    check_bucket(i["bucket"])
    signature = mac(pri, verb, (b"", b"", i["expires"].encode("utf-8")), head, i["bucket"], i["key"])
    query = ((WORDS["publicKeyParameter"], pub), ("Expires", i["expires"]), ("Signature", signature))
    return {"url": i["scheme"] + "://" + i["bucket"] + "." + i["fileHost"] + "/" + escape(i["key"]).replace("%2F", "/")
            + "?" + "&".join(n + "=" + escape(v) for n, v in query)}


if __name__ == "__main__":
    serve("state-machine", {"authorization": authorization, "policy-authorization": policy_authorization,
                            "form-authorization": form_authorization, "instant-upload": instant_upload, "presigned-url": presigned_url})
