"""Port of a PHP client: content hashes, instant upload and passwords.

Mistakes:
1. The test for a small file is "size < 4 MiB": a file of exactly 4 MiB gets the hash of the hash of its one block.
2. FileName in the target of an instant upload is escaped with urlencode(): a space becomes + and a tilde %7E.
3. Password is trim()med (blanks, tabs, line breaks, NUL and vertical tabs at both ends) before it is Base64-encoded.
4. The ETag of a part has its Base64 padding cut off (27 characters).
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from serving import WORDS, Refused, content, serve  # noqa: E402


TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def clean(value):
    """Folds become one space, surrounding blanks go, other line breaks are refused."""
    value.encode()
    marked = re.sub(r"\r?\n[ \t]", "\n ", value)
    if "\n" in marked and not re.search(r"\n(?! )", marked):
        marked = re.sub(r"[ \t]*\n[ \t\n]*", " ", marked)
    marked = marked.strip(" \t")
    if "\r" in marked or "\n" in marked or "\0" in marked:
        raise Refused("header-value", "line break or NUL")
    return marked


def parse(headers):
    """Pairs of lower-case name and clean value."""
    out = []
    for name, value in headers:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", "no token")
        out.append((name.lower(), clean(value)))
    return out


def only(values):
    if len(values) > 1:
        raise Refused("header-repeated", "twice")
    return values[0] if values else ""


def header(headers, name):
    return only([v for n, v in headers if n == name])


def grouped(headers):
    groups = {}
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            groups.setdefault(name, []).append(value)
    return groups


def verb(method):
    if not TOKEN.fullmatch(method):
        raise Refused("method", "no token")
    return method.upper()


def resource(bucket, key):
    if not bucket or "/" in bucket:
        raise Refused("bucket", "empty, or with a slash")
    return "/" + bucket + "/" + key


def mac(text, private):
    return base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()


def escape(text):
    return "".join(chr(b) if b < 128 and (chr(b).isalnum() or chr(b) in "-_.~") else "%%%02X" % b for b in text.encode())


def credentials(public, signature):
    public.encode()
    return WORDS["scheme"] + " " + public + ":" + signature


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
