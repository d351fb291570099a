"""Correct: file signatures written into one growing HMAC as bytes, with HMAC and Base64 by hand and unfolding by a state machine."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import hashlib
import json
from binascii import Error, a2b_base64
from serving import serve, Refused, WORDS

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
PLACES = ("content-md5", "content-type", "date")


def base64_of(data):
    number = int.from_bytes(data, "big") << (-len(data) * 8 % 6)
    count = -(-len(data) * 8 // 6)
    return "".join(ALPHABET[number >> 6 * i & 63] for i in reversed(range(count))) + "=" * (-count % 4)


class Mac:
    """RFC 2104 with SHA-1, fed piece by piece."""

    def __init__(self, private_key):
        key = private_key.encode()
        if len(key) > 64:
            key = hashlib.sha1(key).digest()
        key += bytes(64 - len(key))
        self.inner = hashlib.sha1(bytes(b ^ 0x36 for b in key))
        self.outer = hashlib.sha1(bytes(b ^ 0x5C for b in key))

    def write(self, *texts):
        for text in texts:
            self.inner.update(text.encode())
        return self

    def text(self):
        self.outer.update(self.inner.digest())
        return base64_of(self.outer.digest())


def read_value(raw):
    """One pass: blanks are held back until something other than a fold follows."""
    raw.encode()
    out, held, folded, i = [], "", False, 0
    while i < len(raw):
        c = raw[i]
        step = 2 if raw.startswith("\r\n", i) else 1 if c == "\n" else 0
        if step:
            if raw[i + step:i + step + 1] not in (" ", "\t") or i + step >= len(raw):
                raise Refused("header-value", "line break")
            folded = True
            i += step + 1
            continue
        if c in " \t":
            held += c
        elif c in "\r\0":
            raise Refused("header-value", "CR or NUL")
        else:
            if out:
                out.append(" " if folded else held)
            out.append(c)
            held, folded = "", False
        i += 1
    return "".join(out)


class Request:
    """The headers of a request, sorted into the three places, the extra ones and the rest."""

    def __init__(self, headers):
        self.places = {place: [] for place in PLACES}
        self.extra = []
        self.credentials = []
        prefix = WORDS["headerPrefix"].lower()
        for number, (name, raw) in enumerate(headers):
            name = name.strip(" \t")
            if not name or not TOKEN.issuperset(name):
                raise Refused("header-name", "not a token")
            value = read_value(raw)
            name = name.lower()
            if name.startswith(prefix):
                self.extra.append((name, number, value))
            if name in self.places:
                self.places[name].append(value)
            elif name == "authorization":
                self.credentials.append(value)
        self.extra.sort()

    def place(self, name):
        values = self.places[name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def write_extra(self, mac):
        last = None
        for name, _, value in self.extra:
            if name == last:
                mac.write(",", value)
            else:
                mac.write("" if last is None else "\n", name, ":", value)
            last = name
        return mac if last is None else mac.write("\n")


def verb(method):
    if not method or not TOKEN.issuperset(method):
        raise Refused("method", "not a token")
    return method.upper()


def bucket_ok(bucket):
    if bucket == "" or bucket.find("/") >= 0:
        raise Refused("bucket", "empty or with a slash")


def finish(request, bucket, key, pri, four, after=""):
    mac = Mac(pri)
    for line in four:
        mac.write(line, "\n")
    return request.write_extra(mac).write("/", bucket, "/", key, after).text()


def four_of(method, bucket, request):
    first = verb(method)
    bucket_ok(bucket)
    return [first] + [request.place(place) for place in PLACES]


def credentials(pub, signature, *more):
    pub.encode()
    return WORDS["scheme"] + " " + ":".join((pub, signature) + more)


def authorization(given, pub, pri):
    request = Request(given["headers"])
    four = four_of(given["method"], given["bucket"], request)
    return {"authorization": credentials(pub, finish(request, given["bucket"], given["key"], pri, four))}


def policy_authorization(given, pub, pri):
    request, policy = Request(given["headers"]), given["policy"]
    four = four_of(given["method"], given["bucket"], request)
    signature = finish(request, given["bucket"], given["key"], pri, four, policy)
    return {"authorization": credentials(pub, signature, policy) if policy else credentials(pub, signature)}


def form(given, pub, pri):
    request = Request(given["headers"])
    bucket_ok(given["bucket"])
    fields = {"Content-Type": [], "Content-MD5": []}
    for name, raw in given["fields"]:
        if name in fields:
            fields[name].append(read_value(raw))
    md5 = request.places["content-md5"] or fields["Content-MD5"]
    for values in (md5, fields["Content-Type"], request.places["date"]):
        if len(values) > 1:
            raise Refused("header-repeated", "twice")
    four = ["POST"] + [(values or [""])[0] for values in (md5, fields["Content-Type"], request.places["date"])]
    return {"authorization": credentials(pub, finish(request, given["bucket"], given["key"], pri, four))}


TABLE = ["%" + "0123456789ABCDEF"[b // 16] + "0123456789ABCDEF"[b % 16] for b in range(256)]
for b in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~":
    TABLE[b] = chr(b)


def escaped(text):
    return "".join(map(TABLE.__getitem__, text.encode()))


def instant(given, pub, pri):
    request = Request(given["headers"])
    four = four_of("POST", given["bucket"], request)
    value = credentials(pub, finish(request, given["bucket"], given["key"], pri, four))
    return {"authorization": value, "target": "/uploadhit?Hash={}&FileName={}&FileSize={}".format(*map(escaped, (given["etag"], given["key"], given["size"])))}


def presigned(given, pub, pri):
    request = Request(given["headers"])
    first = verb(given["method"])
    bucket_ok(given["bucket"])
    signature = finish(request, given["bucket"], given["key"], pri, [first, "", "", given["expires"]])
    return {"url": "{}://{}.{}/{}?{}={}&Expires={}&Signature={}".format(
        given["scheme"], given["bucket"], given["fileHost"], escaped(given["key"]).replace("%2F", "/"), WORDS["publicKeyParameter"],
        escaped(pub), escaped(given["expires"]), escaped(signature))}


def holds_object(policy):
    body = policy.rstrip("=")
    if set(body) & set("-_") and set(body) & set("+/"):
        return False
    body = body.translate({ord("-"): "+", ord("_"): "/"})
    if not set(body) <= set(ALPHABET) or len(body) % 4 == 1:
        return False
    try:
        return type(json.loads(a2b_base64(body + "===").decode())) is dict
    except (ValueError, Error, RecursionError):
        return False


def verify(given, pub, pri):
    request = Request(given["headers"])
    four = four_of(given["method"], given["bucket"], request)
    if not request.credentials:
        raise Refused("authorization-missing", "none")
    value = request.credentials[0]
    start = WORDS["scheme"] + " "
    parts = value[len(start):].split(":")
    if len(request.credentials) > 1 or not value.startswith(start) or not 2 <= len(parts) <= 3 or not all(parts) or set(value[len(start):]) & set(" \t"):
        raise Refused("authorization-malformed", "not key:signature")
    after = parts[2] if len(parts) == 3 else ""
    if after and (four[0] not in ("PUT", "POST") or not holds_object(after)):
        raise Refused("authorization-malformed", "no policy here")
    if parts[0] != pub:
        raise Refused("public-key-unknown", "who")
    if finish(request, given["bucket"], given["key"], pri, four, after) != parts[1]:
        raise Refused("signature-mismatch", "no")
    return {"publicKey": pub}


OPS = {"authorization": authorization, "policy-authorization": policy_authorization, "form-authorization": form, "instant-upload": instant,
       "presigned-url": presigned, "verify-authorization": verify}
if __name__ == "__main__":
    serve("one-mac", OPS)
