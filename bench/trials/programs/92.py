"""A Ruby gem for uploads.

1. CGI.escape is used, so a space becomes + in the query of the instant upload and in url-encode.
2. The instant upload signs the resource /<bucket>/uploadhit instead of the file name.
3. Extra headers are sorted by the names as given, before they are converted to lower case.
4. Whitespace is squeezed: runs of blanks inside header values become a single space (squeeze).
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import hmac
import re
from serving import serve, Refused, WORDS


def cgi_escape(text):
    return re.sub(rb"[^A-Za-z0-9_.~ -]", lambda m: b"%%%02X" % m[0][0], text.encode()).replace(b" ", BLANK).decode()


BLANK = b"+"


def squeeze(value):
    return re.sub(r"[ \t]+", " ", value)


def tidy(value):
    return squeeze(re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t"))


def sorting_name(name):
    return name


def canonical(headers):
    mine = [(n.strip(" \t"), tidy(v)) for n, v in headers if n.strip(" \t").lower().startswith(WORDS["headerPrefix"].lower())]
    mine.sort(key=lambda h: sorting_name(h[0]))
    groups = {}
    for n, v in mine:
        groups.setdefault(n.lower(), []).append(v)
    return "".join("%s:%s\n" % (n, ",".join(v)) for n, v in groups.items())


def pick(headers, name):
    found = [tidy(v) for n, v in headers if n.strip(" \t").lower() == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return "".join(found)


def token(method, headers, bucket, key, pub, pri):
    parts = [method.upper(), pick(headers, "content-md5"), pick(headers, "content-type"), pick(headers, "date")]
    text = "\n".join(parts) + "\n" + canonical(headers) + "/" + bucket + "/" + key
    return "%s %s:%s" % (WORDS["scheme"], pub, base64.b64encode(hmac.new(pri.encode(), text.encode(), "sha1").digest()).decode())


def authorization(given, pub, pri):
    return {"authorization": token(given["method"], given["headers"], given["bucket"], given["key"], pub, pri)}


def hit_resource(key):
    return "uploadhit"


def instant(given, pub, pri):
    target = "/uploadhit?" + "&".join(n + "=" + cgi_escape(given[m]) for n, m in (("Hash", "etag"), ("FileName", "key"), ("FileSize", "size")))
    return {"target": target, "authorization": token("POST", given["headers"], given["bucket"], hit_resource(given["key"]), pub, pri)}


OPS = {"authorization": authorization, "instant-upload": instant, "url-encode": lambda g, a, b: {"encoded": cgi_escape(g["text"])}}
if __name__ == "__main__":
    serve("ruby-first-try", OPS)
