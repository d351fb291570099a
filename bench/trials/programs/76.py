"""Qiniu's uploader, adapted.

1. An empty file counts as one block, so its ETag has the count 1 instead of 0.
2. Only files below 4 MiB use the single hash; a file of exactly 4 MiB is hashed as the SHA-1 of its one block's SHA-1.
3. Policy members with an empty value are left out (omitempty).
4. Instant upload sends the Hash parameter without its Base64 padding.
"""
import base64
import hashlib
import hmac
import json
import re
import struct
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from urllib.parse import quote  # noqa: E402

BITS = 22


def urlsafe(raw):
    return base64.b64encode(raw, b"-_").decode()


def block_count(size):
    return max(1, (size + (1 << BITS) - 1) >> BITS)


def etag(i, pub, pri):
    data = content(i["content"])
    n = block_count(len(data))
    if len(data) < 1 << BITS:
        digest = hashlib.sha1(data).digest()
    else:
        sums = [hashlib.sha1(data[k << BITS:(k + 1) << BITS]).digest() for k in range(n)]
        digest = hashlib.sha1(b"".join(sums)).digest()
    return {"etag": urlsafe(struct.pack("<I", n) + digest)}


def part_etag(i, pub, pri):
    return {"etag": urlsafe(hashlib.sha1(content(i["content"])).digest())}


def policy(i, pub, pri):
    pieces = [json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in i["members"] if v != ""]
    return {"policy": urlsafe(("{" + ",".join(pieces) + "}").encode("utf-8"))}


def instant_upload(i, pub, pri):
    if not i["bucket"] or "/" in i["bucket"]:
        raise Refused("bucket", i["bucket"])
    h, extra = {}, {}
    for name, value in i["headers"]:
        name = name.strip(" \t").lower()
        if not re.fullmatch(r"[a-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if any(c in value for c in "\r\n\0"):
            raise Refused("header-value", name)
        if name.startswith(WORDS["headerPrefix"].lower()):
            extra.setdefault(name, []).append(value)
        else:
            if name in h and name in ("content-md5", "content-type", "date"):
                raise Refused("header-repeated", name)
            h[name] = value
    text = "POST\n%s\n%s\n%s\n" % (h.get("content-md5", ""), h.get("content-type", ""), h.get("date", ""))
    text += "".join("%s:%s\n" % (n, ",".join(extra[n])) for n in sorted(extra))
    text += "/%s/%s" % (i["bucket"], i["key"])
    s = base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % (quote(i["etag"].rstrip("="), safe=""), quote(i["key"], safe=""), quote(i["size"], safe="")),
            "authorization": "%s %s:%s" % (WORDS["scheme"], pub, s)}


if __name__ == "__main__":
    serve("qiniu-port", {"etag": etag, "part-etag": part_etag, "policy": policy, "instant-upload": instant_upload})
