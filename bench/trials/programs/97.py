"""A Swift package for an app that uploads by form and shares links.

1. The signature in a pre-signed URL is encoded with urlQueryAllowed, so + and / and = stay as they are.
2. The form field Content-MD5 is ignored, only the request header counts.
3. The file key is normalised to Unicode NFC in the resource of every file operation.
4. The last block of a large file is padded with zero bytes to 4 MiB before it is hashed for the ETag.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import hashlib
import hmac
import re
import unicodedata
from serving import serve, Refused, WORDS, content

MIB4 = 1 << 22


def component(text, also=""):
    return "".join(c if c in also or c.isascii() and (c.isalnum() or c in "-._~") else "".join("%%%02X" % b for b in c.encode()) for c in text)


def signature_component(text):
    return component(text, "+/=")


def normal(key):
    return unicodedata.normalize("NFC", key)


def value(raw):
    return re.sub(r"(?:[ \t]*\r?\n[ \t]+)+", " ", raw).strip(" \t")


def single(pairs, name, exact=False):
    found = [v for n, v in pairs if (n if exact else n.strip(" \t").lower()) == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return value(found[0]) if found else None


def extras(headers):
    names = sorted({n.strip(" \t").lower() for n, _ in headers})
    return "".join(n + ":" + ",".join(value(v) for m, v in headers if m.strip(" \t").lower() == n) + "\n"
                   for n in names if n.startswith(WORDS["headerPrefix"].lower()))


def sign(lines, headers, bucket, key, pri):
    text = "\n".join(lines) + "\n" + extras(headers) + "/" + bucket + "/" + normal(key)
    return base64.b64encode(hmac.new(pri.encode(), text.encode(), hashlib.sha1).digest()).decode()


def form_md5(given):
    return single(given["headers"], "content-md5")


def form(given, pub, pri):
    s = sign(["POST", form_md5(given) or "", single(given["fields"], "Content-Type", True) or "", single(given["headers"], "date") or ""],
             given["headers"], given["bucket"], given["key"], pri)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + s}


def presigned(given, pub, pri):
    s = sign([given["method"].upper(), "", "", given["expires"]], given["headers"], given["bucket"], given["key"], pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + component(given["key"], "/") + "?" + WORDS["publicKeyParameter"] + "="
            + component(pub) + "&Expires=" + component(given["expires"]) + "&Signature=" + signature_component(s)}


def last(block):
    return block.ljust(MIB4, b"\0")


def etag(given, pub, pri):
    data = content(given["content"])
    if len(data) <= MIB4:
        n, h = (1 if data else 0), hashlib.sha1(data)
    else:
        n, h = 0, hashlib.sha1()
        for at in range(0, len(data), MIB4):
            h.update(hashlib.sha1(last(data[at:at + MIB4])).digest())
            n += 1
    return {"etag": base64.urlsafe_b64encode(n.to_bytes(4, "little") + h.digest()).decode()}


OPS = {"form-authorization": form, "presigned-url": presigned, "etag": etag}
if __name__ == "__main__":
    serve("swift-first-try", OPS)
