"""Azure SharedKey in C#, ported.

1. A private key that is valid padded Base64 is decoded and its bytes are the HMAC key, as with Azure's account keys.
2. Extra headers are sorted with .NET's culture comparison, which passes over hyphens, so x-svc-ab sorts before x-svc-a-c.
3. System.Uri resolves the segments . and .. in the path of a pre-signed URL, though the signature covers the raw key.
"""
import base64
import hashlib
import hmac
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402


TCHAR = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~")


class SharedKey:
    def __init__(self, account, key):
        self.account = account
        self.key = self.convert(key)

    @staticmethod
    def convert(key):
        if key and len(key) % 4 == 0 and re.fullmatch("[A-Za-z0-9+/]+={0,2}", key):
            return base64.b64decode(key)
        return key.encode("utf-8")

    def compute(self, text):
        return base64.b64encode(hmac.new(self.key, text.encode("utf-8"), hashlib.sha1).digest()).decode()


def parse(headers):
    result = []
    for name, value in headers:
        name = name.strip(" \t")
        if not name or not set(name) <= TCHAR:
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if set("\r\n\0") & set(value):
            raise Refused("header-value", name)
        result.append((name.lower(), value))
    return result


def canonicalize(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups[name] = groups[name] + "," + value if name in groups else value
    return "".join(n + ":" + groups[n] + "\n" for n in sorted(groups, key=lambda n: (n.replace("-", ""), n)))


def message(i, lines):
    if not i["method"] or not set(i["method"]) <= TCHAR:
        raise Refused("method", i["method"])
    if not i["bucket"] or "/" in i["bucket"]:
        raise Refused("bucket", i["bucket"])
    return i["method"].upper() + "\n" + "\n".join(lines) + "\n"


def standard(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return "".join(found)


def authorization(i, pub, pri):
    headers = parse(i["headers"])
    text = message(i, [standard(headers, n) for n in ("content-md5", "content-type", "date")])
    text += canonicalize(headers) + "/" + i["bucket"] + "/" + i["key"]
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + SharedKey(pub, pri).compute(text)}


def escape(text):
    out = ""
    for b in text.encode("utf-8"):
        out += chr(b) if chr(b).isascii() and (chr(b).isalnum() or chr(b) in "-_.~") else "%{:02X}".format(b)
    return out


def dotless(path):
    out = []
    parts = path.split("/")
    for n, part in enumerate(parts):
        last = n == len(parts) - 1
        if part == "..":
            if out:
                out.pop()
            if last:
                out.append("")
        elif part == ".":
            if last:
                out.append("")
        else:
            out.append(part)
    return "/".join(out)


def presigned_url(i, pub, pri):
    headers = parse(i["headers"])
    text = message(i, ["", "", i["expires"]]) + canonicalize(headers) + "/" + i["bucket"] + "/" + i["key"]
    path = dotless("/".join(escape(p) for p in i["key"].split("/")))
    return {"url": i["scheme"] + "://" + i["bucket"] + "." + i["fileHost"] + "/" + path + "?" + WORDS["publicKeyParameter"] + "=" + escape(pub)
            + "&Expires=" + escape(i["expires"]) + "&Signature=" + escape(SharedKey(pub, pri).compute(text))}


if __name__ == "__main__":
    serve("azure-shared-key", {"authorization": authorization, "presigned-url": presigned_url})
