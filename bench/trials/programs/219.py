#!/usr/bin/env python3
"""A C# object client ported from Azure's SharedKey handler, on HttpRequestMessage and System.Uri.

Mistakes:
1. The values of a repeated extra header are joined with ", " (string.Join of HttpHeaders).
2. Extra headers are sorted in culture order, which ignores hyphens: x-svc-meta-ab before x-svc-meta-a-c.
3. The key comes from Uri.AbsolutePath, which resolves dot segments: a/../b is signed as b, ./a as a.
4. ETag: a file of exactly 4 MiB counts as large (size < BlockSize is the test), so its hash is hashed again.
"""
import base64
import hashlib
import hmac
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

BLOCK_SIZE = 4 << 20
SEPARATOR = ", "


def escape_data_string(text):
    out = ""
    for b in text.encode("utf-8"):
        out += chr(b) if b < 128 and re.match("[A-Za-z0-9._~-]", chr(b)) else "%%%02X" % b
    return out


def culture(name):
    return name.replace("-", ""), name


def absolute_path(key):
    out, segments = [], key.split("/")
    for i, segment in enumerate(segments):
        last = i == len(segments) - 1
        if segment == "..":
            if out:
                out.pop()
        elif segment != ".":
            out.append(segment)
        if segment in (".", "..") and last:
            out.append("")
    return "/".join(out)


def is_small(size):
    return size < BLOCK_SIZE


class HttpHeaders:
    def __init__(self, pairs):
        self.items = {}
        for name, value in pairs:
            name = name.strip(" \t")
            if re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name) is None:
                raise Refused("header-name", name)
            value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            self.items.setdefault(name.lower(), []).append(value)

    def get(self, name):
        values = self.items.get(name, [""])
        if len(values) != 1:
            raise Refused("header-repeated", name)
        return values[0]

    def canonicalized(self):
        prefix = WORDS["headerPrefix"].lower()
        names = [n for n in self.items if n.startswith(prefix)]
        return "".join("%s:%s\n" % (n, SEPARATOR.join(self.items[n])) for n in sorted(names, key=culture))


def shared_key(method, given, pub, pri):
    if re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", method) is None:
        raise Refused("method", method)
    if not given["bucket"] or "/" in given["bucket"]:
        raise Refused("bucket", given["bucket"])
    headers = HttpHeaders(given["headers"])
    text = "%s\n%s\n%s\n%s\n%s/%s/%s" % (method.upper(), headers.get("content-md5"), headers.get("content-type"), headers.get("date"),
                                         headers.canonicalized(), given["bucket"], absolute_path(given["key"]))
    mac = hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1)
    return "%s %s:%s" % (WORDS["scheme"], pub, base64.b64encode(mac.digest()).decode("ascii"))


def instant(given, pub, pri):
    target = "/uploadhit?" + "&".join(n + "=" + escape_data_string(given[m])
                                      for n, m in (("Hash", "etag"), ("FileName", "key"), ("FileSize", "size")))
    return {"target": target, "authorization": shared_key("POST", given, pub, pri)}


def etag(given, pub, pri):
    data = content(given["content"])
    count = (len(data) + BLOCK_SIZE - 1) // BLOCK_SIZE
    if is_small(len(data)):
        digest = hashlib.sha1(data).digest()
    else:
        outer = hashlib.sha1()
        for i in range(count):
            outer.update(hashlib.sha1(data[i * BLOCK_SIZE:(i + 1) * BLOCK_SIZE]).digest())
        digest = outer.digest()
    return {"etag": base64.urlsafe_b64encode(count.to_bytes(4, "little") + digest).decode("ascii")}


serve("azure-cs", {
    "url-encode": lambda given, pub, pri: {"encoded": escape_data_string(given["text"])},
    "authorization": lambda given, pub, pri: {"authorization": shared_key(given["method"], given, pub, pri)},
    "instant-upload": instant,
    "etag": etag,
})
