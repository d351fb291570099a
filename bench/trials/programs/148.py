#!/usr/bin/env python3
"""A file SDK in the manner of Go (net/url, path, sort, strings).

Mistakes:
1. The signed resource is path.Join("/", bucket, key): double slashes, a slash at the end, "." and ".." segments are cleaned away, and an empty key gives "/bucket".
2. Encodes with url.QueryEscape: a space becomes "+", in url-encode and in the query of a pre-signed URL (the path is right).
3. Extra headers are sorted by their names as written, before they are put in lower case (upper case comes first); a repeated header counts with its first spelling.
4. A folded extra header is unfolded by deleting the line breaks only: the blanks around a fold stay as they are.
5. The number of blocks of an ETag is size / 4 MiB + 1 in whole numbers: a file whose size is a multiple of 4 MiB, also an empty one, counts one block too many (the digest is right).
"""
import base64
import hashlib
import hmac
import os
import posixpath
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402

blockSize = 1 << 22


def shouldEscape(c):
    return not (48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c in (45, 46, 95, 126))


def pathEscape(s):
    return "".join("%%%02X" % c if shouldEscape(c) and c != 47 else chr(c) for c in s.encode("utf-8"))


def queryEscape(s):
    return "".join("+" if c == 32 else "%%%02X" % c if shouldEscape(c) else chr(c) for c in s.encode("utf-8"))


def pathJoin(bucket, key):
    joined = "/".join(x for x in ("/", bucket, key) if x != "")
    cleaned = posixpath.normpath(joined)
    return "/" + cleaned.lstrip("/")


def isToken(s):
    return bool(re.fullmatch(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+", s))


def parseHeader(pairs):
    header = []
    prefix = WORDS["headerPrefix"].lower()
    for k, v in pairs:
        k = k.strip(" \t")
        if not isToken(k):
            raise Refused("header-name", k)
        if k.lower().startswith(prefix):
            v = re.sub(r"\r?\n(?=[ \t])", "", v)
        else:
            v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v)
        v = v.strip(" \t")
        if "\r" in v or "\n" in v or "\0" in v:
            raise Refused("header-value", k)
        v.encode("utf-8")
        header.append((k, v))
    return header


def get(header, name):
    vs = [v for k, v in header if k.lower() == name]
    if len(vs) > 1:
        raise Refused("header-repeated", name)
    return vs[0] if vs else ""


def canonical(header):
    spelled, values = {}, {}
    for k, v in header:
        l = k.lower()
        if l.startswith(WORDS["headerPrefix"].lower()):
            spelled.setdefault(l, k)
            values.setdefault(l, []).append(v)
    return "".join("%s:%s\n" % (l, ",".join(values[l])) for l in sorted(values, key=lambda l: spelled[l]))


def check(in_):
    if not isToken(in_["method"]):
        raise Refused("method", in_["method"])
    if in_["bucket"] == "" or "/" in in_["bucket"]:
        raise Refused("bucket", in_["bucket"])
    return in_["method"].upper()


def sign(pri, s):
    mac = hmac.new(pri.encode("utf-8"), digestmod=hashlib.sha1)
    mac.update(s.encode("utf-8"))
    return base64.standard_b64encode(mac.digest()).decode()


def headerString(in_):
    header = parseHeader(in_["headers"])
    verb = check(in_)
    return "\n".join([verb, get(header, "content-md5"), get(header, "content-type"), get(header, "date"),
                      canonical(header) + pathJoin(in_["bucket"], in_["key"])])


def authorization(in_, pub, pri):
    s = headerString(in_)
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + sign(pri, s)}


def policyAuthorization(in_, pub, pri):
    s = headerString(in_) + in_["policy"]
    pub.encode("utf-8")
    parts = [pub, sign(pri, s)] + ([in_["policy"]] if in_["policy"] else [])
    return {"authorization": WORDS["scheme"] + " " + ":".join(parts)}


def presigned(in_, pub, pri):
    header = parseHeader(in_["headers"])
    verb = check(in_)
    s = verb + "\n\n\n" + in_["expires"] + "\n" + canonical(header) + pathJoin(in_["bucket"], in_["key"])
    q = WORDS["publicKeyParameter"] + "=" + queryEscape(pub) + "&Expires=" + queryEscape(in_["expires"]) + "&Signature=" + queryEscape(sign(pri, s))
    return {"url": "%s://%s.%s/%s?%s" % (in_["scheme"], in_["bucket"], in_["fileHost"], pathEscape(in_["key"]), q)}


def etag(in_, pub, pri):
    data = content(in_["content"])
    n = len(data) // blockSize + 1
    if len(data) <= blockSize:
        sum_ = hashlib.sha1(data).digest()
    else:
        h = hashlib.sha1()
        for off in range(0, len(data), blockSize):
            h.update(hashlib.sha1(data[off:off + blockSize]).digest())
        sum_ = h.digest()
    return {"etag": base64.urlsafe_b64encode(n.to_bytes(4, "little") + sum_).decode()}


serve("go-file", {
    "url-encode": lambda in_, pub, pri: {"encoded": queryEscape(in_["text"])},
    "authorization": authorization,
    "policy-authorization": policyAuthorization,
    "presigned-url": presigned,
    "etag": etag,
    "part-etag": lambda in_, pub, pri: {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(in_["content"])).digest()).decode()},
})
