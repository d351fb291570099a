"""A C# library that signs and checks file requests.

1. Extra headers are sorted by a culture-sensitive comparison that ignores hyphens.
2. The check of a pre-signed URL treats an expiry equal to the current time as expired.
3. Signatures are compared with OrdinalIgnoreCase when a pre-signed URL is checked.
4. Uri.AbsolutePath-style handling leaves the key percent-encoded in the resource when a pre-signed URL is checked.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import hashlib
import hmac
import re
from urllib.parse import quote, unquote_to_bytes
from serving import serve, Refused, WORDS


class Headers:
    def __init__(self, pairs):
        self.pairs = [(n.strip(" \t"), re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t")) for n, v in pairs]

    def get(self, name):
        found = [v for n, v in self.pairs if n.lower() == name]
        if len(found) > 1:
            raise Refused("header-repeated", name)
        return found[0] if found else ""

    def canonical(self):
        by_name = {}
        for n, v in self.pairs:
            if n.lower().startswith(WORDS["headerPrefix"].lower()):
                by_name.setdefault(n.lower(), []).append(v)
        return "".join(n + ":" + ",".join(by_name[n]) + "\n" for n in sorted(by_name, key=culture_key))


def culture_key(name):
    return (name.replace("-", ""), name)


def hmac_sha1(pri, text):
    return base64.b64encode(hmac.new(pri.encode(), text.encode(), hashlib.sha1).digest()).decode()


def escape_data_string(text):
    return quote(text.encode(), safe="-_.~")


def authorization(given, pub, pri):
    h = Headers(given["headers"])
    text = "{}\n{}\n{}\n{}\n{}/{}/{}".format(given["method"].upper(), h.get("content-md5"), h.get("content-type"), h.get("date"), h.canonical(),
                                             given["bucket"], given["key"])
    return {"authorization": "{} {}:{}".format(WORDS["scheme"], pub, hmac_sha1(pri, text))}


def presigned_text(method, expires, headers, bucket, key):
    return "{}\n\n\n{}\n{}/{}/{}".format(method.upper(), expires, Headers(headers).canonical(), bucket, key)


def presigned(given, pub, pri):
    text = presigned_text(given["method"], given["expires"], given["headers"], given["bucket"], given["key"])
    path = quote(given["key"].encode(), safe="-_.~/")
    return {"url": "{}://{}.{}/{}?{}={}&Expires={}&Signature={}".format(
        given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], escape_data_string(pub),
        escape_data_string(given["expires"]), escape_data_string(hmac_sha1(pri, text)))}


def strict_unescape(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray percent")
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def key_of(path):
    strict_unescape(path, "url-malformed")
    return path


def too_late(now, expires):
    return now >= expires


def same(a, b):
    return a.upper() == b.upper()


def verify(given, pub, pri):
    m = re.fullmatch(r"https?://([^./?#]+)\.([^/?#]*)/([^?#]*)\??([^#]*)", given["url"], re.S)
    if not m or m[2].lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "URL")
    found = {}
    for piece in m[4].split("&"):
        n, _, v = piece.partition("=")
        n, v = strict_unescape(n, "query-malformed"), strict_unescape(v, "query-malformed")
        if n in (WORDS["publicKeyParameter"], "Expires", "Signature"):
            if n in found:
                raise Refused("parameter-repeated", n)
            found[n] = v
    if not found.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    if len(found) < 3:
        raise Refused("parameter-missing", "public key or Expires")
    if not re.fullmatch("[0-9]{1,15}", found["Expires"]):
        raise Refused("expires-malformed", "Expires")
    if too_late(int(given["now"]), int(found["Expires"])):
        raise Refused("expired", "late")
    if found[WORDS["publicKeyParameter"]] != pub:
        raise Refused("public-key-unknown", "who")
    if not same(hmac_sha1(pri, presigned_text(given["method"], found["Expires"], given["headers"], m[1], key_of(m[3]))), found["Signature"]):
        raise Refused("signature-mismatch", "no")
    return {"publicKey": pub}


OPS = {"authorization": authorization, "presigned-url": presigned, "verify-presigned-url": verify}
if __name__ == "__main__":
    serve("csharp-first-try", OPS)
