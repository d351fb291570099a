"""Port of a PHP client: content hashes, instant upload and passwords.

Mistakes:
1. The test for a small file is "size < 4 MiB": a file of exactly 4 MiB gets the hash of the hash of its one block.
2. FileName in the target of an instant upload is escaped with urlencode(): a space becomes + and a tilde %7E.
3. Password is trim()med (blanks, tabs, line breaks, NUL and vertical tabs at both ends) before it is Base64-encoded.
4. The ETag of a part has its Base64 padding cut off (27 characters).
"""
import base64
import hashlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from files import credentials, escape, grouped, header, mac, parse, resource  # noqa: E402
from serving import content, serve  # noqa: E402


FOUR = 4 << 20


def sha1(data):
    return hashlib.sha1(data).digest()


def url_safe(data):
    return base64.b64encode(data).decode().replace("+", "-").replace("/", "_")


def etag(given, public, private):
    data = content(given["content"])
    count = (len(data) + FOUR - 1) // FOUR
    if len(data) < FOUR:
        digest = sha1(data)
    else:
        digest = sha1(b"".join(sha1(data[i * FOUR:(i + 1) * FOUR]) for i in range(count)))
    return {"etag": url_safe(bytes(count >> s & 255 for s in (0, 8, 16, 24)) + digest)}


def part_etag(given, public, private):
    return {"etag": url_safe(sha1(content(given["content"]))).rstrip("=")}


def urlencode(text):
    return escape(text).replace("%20", "+").replace("~", "%7E")


def instant_upload(given, public, private):
    headers = parse(given["headers"])
    groups = grouped(headers)
    extra = "".join(name + ":" + ",".join(groups[name]) + "\n" for name in sorted(groups))
    text = "POST\n" + header(headers, "content-md5") + "\n" + header(headers, "content-type") + "\n" \
        + header(headers, "date") + "\n" + extra + resource(given["bucket"], given["key"])
    return {"target": "/uploadhit?Hash=" + escape(given["etag"]) + "&FileName=" + urlencode(given["key"])
            + "&FileSize=" + escape(given["size"]),
            "authorization": credentials(public, mac(text, private))}


def password(given, public, private):
    return {"value": base64.b64encode(given["text"].strip(" \t\n\r\0\x0b").encode()).decode()}


serve("php-hashes", {"etag": etag, "part-etag": part_etag, "instant-upload": instant_upload, "password": password,
                     "url-encode": lambda given, public, private: {"encoded": escape(given["text"])}})
