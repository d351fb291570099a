#!/usr/bin/env python3
"""A port to Go (structs, url.Values, http.Header), by someone who writes Go every day.

1. Every number is a float64, written by strconv.FormatFloat(v, 'f', -1, 64): whole numbers beyond 2^53 and long fractions are rounded.
2. io.ReadFull returns io.ErrUnexpectedEOF for a short last block, and the loop ends at any error: of a file of more than 4 MiB a last block
   that is not full is neither hashed nor counted.
3. The extra headers are sorted as http.Header has their names (X-Svc-Foo), and are lower-cased afterwards: x-svc-_a comes after x-svc-b.
"""
import base64, hashlib, hmac, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


UNRESERVED = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def query_escape(s):
    return "".join(chr(c) if c in UNRESERVED else "%%%02X" % c for c in s.encode("utf-8"))


def format_float(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", "strconv.ParseFloat: invalid syntax")
    v = float(written)
    if v in (float("inf"), float("-inf")):
        raise Refused("number", "value out of range")
    s = format(Decimal(repr(v)), "f")
    s = s.rstrip("0").rstrip(".") if "." in s else s
    return "0" if s in ("-0", "0") else s


class Values:
    """url.Values with one value a name."""

    def __init__(self):
        self.m = {}

    def set(self, key, value):
        if key in self.m:
            raise Refused("parameter-repeated", key)
        self.m[key] = value

    def walk(self, key, value):
        if value is None:
            raise Refused("parameter-null", key)
        elif isinstance(value, bool):
            self.set(key, "true" if value else "false")
        elif isinstance(value, str):
            self.set(key, value)
        elif "number" in value:
            self.set(key, format_float(value["number"]))
        else:
            for k, v in (enumerate(value["list"]) if "list" in value else value["object"]):
                self.walk("%s.%s" % (key, k), v)

    def keys(self):
        return sorted((k for k in self.m if k != "Signature"), key=lambda k: k.encode("utf-8"))

    def signature(self, private):
        h = hashlib.sha1()
        for k in self.keys():
            h.update((k + self.m[k]).encode("utf-8"))
        h.update(private.encode("utf-8"))
        return h.hexdigest()

    def encode(self, private):
        for k in ("Action", "PublicKey"):
            if k not in self.m:
                raise Refused("parameter-missing", k)
        return "&".join([query_escape(k) + "=" + query_escape(self.m[k]) for k in self.keys()] + ["Signature=" + self.signature(private)])


def values(q):
    given = Values()
    for name, value in q["parameters"]:
        if name != "Signature":
            given.walk(name, value)
    return given


class Header:
    def __init__(self, pairs):
        self.m = {}
        for name, value in pairs:
            if not TOKEN.fullmatch(name):
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search(r"[\r\n\0]", value):
                raise Refused("header-value", name)
            value.encode("utf-8")
            self.m.setdefault("-".join(p[:1].upper() + p[1:].lower() for p in name.split("-")), []).append(value)

    def one(self, key):
        found = self.m.get(key, [""])
        if len(found) > 1:
            raise Refused("header-repeated", key)
        return found[0]

    def canonical(self):
        b = []
        for key in sorted(self.m):
            if key.lower().startswith(WORDS["headerPrefix"].lower()):
                b.append(key.lower() + ":" + ",".join(self.m[key]) + "\n")
        return "".join(b)


class Auth:
    def __init__(self, public, private):
        self.public, self.private = public, private

    def mac(self, *lines):
        return base64.b64encode(hmac.new(self.private.encode("utf-8"), "\n".join(lines).encode("utf-8"), hashlib.sha1).digest()).decode()

    def checked(self, method, bucket):
        if not TOKEN.fullmatch(method):
            raise Refused("method", method)
        if bucket == "" or "/" in bucket:
            raise Refused("bucket", bucket)
        return method.upper()

    def authorization(self, q):
        h, method = Header(q["headers"]), self.checked(q["method"], q["bucket"])
        sig = self.mac(method, h.one("Content-Md5"), h.one("Content-Type"), h.one("Date"), h.canonical() + "/" + q["bucket"] + "/" + q["key"])
        return {"authorization": WORDS["scheme"] + " " + self.public + ":" + sig}

    def private_url(self, q):
        h, method = Header(q["headers"]), self.checked(q["method"], q["bucket"])
        sig = self.mac(method, "", "", q["expires"], h.canonical() + "/" + q["bucket"] + "/" + q["key"])
        v = {WORDS["publicKeyParameter"]: self.public, "Expires": q["expires"], "Signature": sig}
        path = "/".join(query_escape(p) for p in q["key"].split("/"))
        return {"url": "%s://%s.%s/%s?" % (q["scheme"], q["bucket"], q["fileHost"], path) + "&".join(k + "=" + query_escape(v[k]) for k in sorted(v))}


BLKSIZE = 4 << 20


def open_(content):
    import io
    return open(content["file"], "rb") if "file" in content else io.BytesIO(base64.b64decode(content["bytes"]))


def etag(q, public, private):
    with open_(q["content"]) as f:
        size = f.seek(0, 2)
        f.seek(0)
        if size <= BLKSIZE:
            count, digest = (1 if size else 0), hashlib.sha1(f.read()).digest()
        else:
            count, outer = 0, hashlib.sha1()
            while True:
                buf = f.read(BLKSIZE)
                if len(buf) < BLKSIZE:
                    break
                outer.update(hashlib.sha1(buf).digest())
                count += 1
            digest = outer.digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode()}


def bucket_request(q, public, private):
    v = values(q)
    query = v.encode(private)
    if v.m["Action"] == "CreateBucket" and not {"Type", "BucketName"} <= set(v.m):
        raise Refused("parameter-missing", "Type, BucketName")
    return {"target": "/?" + query}


serve("go-port", {
    "url-encode": lambda q, public, private: {"encoded": query_escape(q["text"])},
    "action-signature": lambda q, public, private: {"signature": values(q).signature(private)},
    "action-query": lambda q, public, private: {"query": values(q).encode(private)},
    "bucket-request": bucket_request,
    "authorization": lambda q, public, private: Auth(public, private).authorization(q),
    "presigned-url": lambda q, public, private: Auth(public, private).private_url(q),
    "etag": etag,
})
