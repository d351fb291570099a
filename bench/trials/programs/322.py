#!/usr/bin/env python3
"""A C# developer's desktop client on HttpClient, with synchronisation by instant upload.

Mistakes:
1. The extra headers are in a SortedDictionary with the comparer of the culture, which ignores hyphens unless all else is equal: x-svc-ab sorts before x-svc-a-c.
2. FileName and Hash of an instant upload and the Signature of a pre-signed URL are escaped with HttpUtility.UrlEncode: lower-case hexadecimal, a space becomes a
   plus sign, ! ( ) * stay as they are and ~ is escaped.
3. The ETag of a large file hashes the whole buffer for each block (sha1.ComputeHash(buffer)): a last block that is shorter than 4 MiB is followed by the rest of the
   block before it.
4. Content-Type and Content-MD5 belong to request.Content, which is null for methods without a body: only PUT, POST and PATCH sign the two, all others an empty line.
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

BUFFER = 4 * 1024 * 1024
SEPARATORS = re.compile(r"[A-Za-z0-9!#$%&'*+\-.^_`|~]+")


class HttpRequestMessage:
    def __init__(self, method, headers):
        if not SEPARATORS.fullmatch(method):
            raise Refused("method", "The format of the HTTP method is invalid.")
        self.method = method.upper()
        self.headers = [self.checked(name, value) for name, value in headers]

    @staticmethod
    def checked(name, value):
        name = name.strip(" \t")
        if not SEPARATORS.fullmatch(name):
            raise Refused("header-name", "The header name format is invalid.")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        value.encode("utf-8")
        if "\n" in value or "\r" in value or "\0" in value:
            raise Refused("header-value", "New-line characters are not allowed in header values.")
        return name.lower(), value

    def has_content(self):
        return self.method in ("PUT", "POST", "PATCH")

    def header(self, name):
        values = [v for n, v in self.headers if n == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def content_header(self, name):
        value = self.header(name)
        return value if self.has_content() else ""


def culture(name):
    return name.replace("-", ""), name


def canonical_headers(request):
    names = {n for n, _ in request.headers if n.startswith(WORDS["headerPrefix"].lower())}
    text = ""
    for name in sorted(names, key=culture):
        text += name + ":" + ",".join(v for n, v in request.headers if n == name) + "\n"
    return text


def canonical_resource(bucket, key):
    if bucket == "" or bucket.find("/") >= 0:
        raise Refused("bucket", "bucket")
    return "/" + bucket + "/" + key


def compute(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()


def header_value(request, given, pub, pri):
    text = request.method + "\n" + request.content_header("content-md5") + "\n" + request.content_header("content-type") + "\n" + request.header("date") + "\n"
    text += canonical_headers(request) + canonical_resource(given["bucket"], given["key"])
    return WORDS["scheme"] + " " + pub + ":" + compute(text, pri)


def authorization(given, pub, pri):
    return {"authorization": header_value(HttpRequestMessage(given["method"], given["headers"]), given, pub, pri)}


def escape_data_string(text):
    """Uri.EscapeDataString"""
    return "".join(chr(b) if re.match(rb"[A-Za-z0-9._~-]", bytes((b,))) else "%%%02X" % b for b in text.encode("utf-8"))


def url_encode(text):
    """HttpUtility.UrlEncode"""
    out = ""
    for b in text.encode("utf-8"):
        if re.match(rb"[A-Za-z0-9._!*()-]", bytes((b,))):
            out += chr(b)
        else:
            out += "+" if b == 32 else "%%%02x" % b
    return out


def instant_upload(given, pub, pri):
    value = header_value(HttpRequestMessage("POST", given["headers"]), given, pub, pri)
    target = "/uploadhit?Hash=" + url_encode(given["etag"]) + "&FileName=" + url_encode(given["key"]) + "&FileSize=" + escape_data_string(given["size"])
    return {"target": target, "authorization": value}


def presigned_url(given, pub, pri):
    request = HttpRequestMessage(given["method"], given["headers"])
    resource = canonical_resource(given["bucket"], given["key"])
    signature = compute("\n".join([request.method, "", "", given["expires"], canonical_headers(request) + resource]), pri)
    path = escape_data_string(given["key"]).replace("%2F", "/")
    query = WORDS["publicKeyParameter"] + "=" + escape_data_string(pub) + "&Expires=" + escape_data_string(given["expires"])
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + path + "?" + query + "&Signature=" + url_encode(signature)}


def etag(given, pub, pri):
    data = content(given["content"])
    count = (len(data) + BUFFER - 1) // BUFFER
    if count <= 1:
        digest = hashlib.sha1(data).digest()
    else:
        buffer = bytearray(BUFFER)
        hashes = b""
        for start in range(0, len(data), BUFFER):
            read = min(BUFFER, len(data) - start)
            buffer[:read] = data[start:start + read]
            hashes += hashlib.sha1(buffer).digest()
        digest = hashlib.sha1(hashes).digest()
    return {"etag": base64.b64encode(count.to_bytes(4, "little") + digest).decode().replace("+", "-").replace("/", "_")}


if __name__ == "__main__":
    serve("csharp-client", {"authorization": authorization, "instant-upload": instant_upload, "presigned-url": presigned_url, "etag": etag})
