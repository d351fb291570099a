"""The correct parts of programs 129, 130, 131 and 133, which sign file requests."""
import base64
import hashlib
import hmac
import re

from serving import WORDS, Refused

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
