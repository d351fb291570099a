"""A Java signer of file requests that keeps headers in a TreeMap<String, String>.

1. A repeated extra header overwrites the earlier value instead of being merged with a comma.
2. The character * is left unencoded, because URLEncoder's output is only corrected for + and %7E.
3. A form upload always takes Content-MD5 from the form field and never from the request header.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import hashlib
import hmac
import re
from urllib.parse import quote_plus
from serving import serve, Refused, WORDS


def clean(value):
    return re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value).strip(" \t")


def put(tree, name, value):
    tree[name] = value


def ordinary(headers, name):
    found = [clean(v) for n, v in headers if n.strip(" \t").lower() == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def extra_headers(headers):
    prefix = WORDS["headerPrefix"].lower()
    tree = {}
    for n, v in headers:
        lower = n.strip(" \t").lower()
        if lower.startswith(prefix):
            put(tree, lower, clean(v))
    return "".join("%s:%s\n" % (n, tree[n]) for n in sorted(tree))


def mac(private_key, text):
    return base64.b64encode(hmac.new(private_key.encode(), text.encode(), hashlib.sha1).digest()).decode()


def encode(text):
    text.encode()
    return quote_plus(text, safe=KEEP).replace("+", "%20").replace("%7E", "~")


KEEP = "*"


def authorization(given, pub, pri):
    h = given["headers"]
    text = "\n".join([given["method"].upper(), ordinary(h, "content-md5"), ordinary(h, "content-type"), ordinary(h, "date"),
                      extra_headers(h) + "/%s/%s" % (given["bucket"], given["key"])])
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, mac(pri, text))}


def field(fields, name):
    found = [v for n, v in fields if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return clean(found[0]) if found else ""


def form_md5(given):
    return field(given["fields"], "Content-MD5")


def form(given, pub, pri):
    h = given["headers"]
    text = "\n".join(["POST", form_md5(given), field(given["fields"], "Content-Type"), ordinary(h, "date"),
                      extra_headers(h) + "/%s/%s" % (given["bucket"], given["key"])])
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], pub, mac(pri, text))}


def presigned(given, pub, pri):
    text = given["method"].upper() + "\n\n\n" + given["expires"] + "\n" + extra_headers(given["headers"]) + "/" + given["bucket"] + "/" + given["key"]
    url = given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + encode(given["key"]).replace("%2F", "/")
    return {"url": url + "?" + WORDS["publicKeyParameter"] + "=" + encode(pub) + "&Expires=" + encode(given["expires"]) + "&Signature="
            + encode(mac(pri, text))}


OPS = {"authorization": authorization, "form-authorization": form, "presigned-url": presigned}
if __name__ == "__main__":
    serve("java-first-try", OPS)
