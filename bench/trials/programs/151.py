#!/usr/bin/env python3
"""A shell script around openssl, written as Python: every value passes through echo, sort and awk.

Mistakes:
1. The string to sign of file requests is printed with echo -e: the backslash sequences \\n, \\t, \\r and \\\\ in it become the characters they stand for.
2. Values of extra headers and of Content-Type are echoed without quotes: runs of blanks inside become one space. Date and Content-MD5 are quoted and keep theirs.
3. The lines "name:value" of extra headers are sorted as whole lines before repeated ones are merged: the values of a repeated header come in sorted order, and x-svc-a-b comes before x-svc-a.
4. Action parameters are sorted as lines "name=value", so a name that continues another one with "." or "-" or a digit comes before it.
5. The Hash of an instant upload is put into the query without percent-encoding.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, content, serve  # noqa: E402


def echo_e(s):
    return re.sub(r"\\([ntr\\])", lambda m: {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}[m[1]], s)


def unquoted(s):
    return " ".join(re.findall(r"[^ \t]+", s))


def openssl_hmac(s, key):
    return base64.b64encode(hmac.new(key.encode("utf-8"), echo_e(s).encode("utf-8"), "sha1").digest()).decode()


def data_urlencode(s):
    return "".join(c if re.fullmatch(r"[A-Za-z0-9._~-]", c, re.A) else "".join("%%%02X" % b for b in c.encode("utf-8")) for c in s)


def value_of(name, v):
    v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v).strip(" \t")
    if re.search("[\r\n\0]", v):
        raise Refused("header-value", name)
    v.encode("utf-8")
    return v


def split_headers(pairs):
    out = []
    for n, v in pairs:
        n = n.strip(" \t")
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", n):
            raise Refused("header-name", n)
        out.append((n.lower(), value_of(n, v)))
    return out


def first(values):
    if len(values) > 1:
        raise Refused("header-repeated", "twice")
    return values[0] if values else ""


def grep(h, name):
    return [v for n, v in h if n == name]


def extra_lines(h):
    lines = sorted(n + ":" + unquoted(v) for n, v in h if n.startswith(WORDS["headerPrefix"].lower()))
    out, last = "", None
    for line in lines:
        n, _, v = line.partition(":")
        if n == last:
            out += "," + v
        else:
            out += ("\n" if last is not None else "") + line
        last = n
    return out + "\n" if lines else ""


def check_bucket(b):
    if b == "" or "/" in b:
        raise Refused("bucket", b)


def check_method(m):
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", m):
        raise Refused("method", m)
    return m.upper()


def header_string(o, verb):
    h = split_headers(o["headers"])
    verb = verb or check_method(o["method"])
    check_bucket(o["bucket"])
    return "\n".join([verb, first(grep(h, "content-md5")), unquoted(first(grep(h, "content-type"))), first(grep(h, "date")),
                      extra_lines(h) + "/" + o["bucket"] + "/" + o["key"]])


def header(s, pub, pri):
    pub.encode("utf-8")
    return WORDS["scheme"] + " " + pub + ":" + openssl_hmac(s, pri)


def do_put(o, pub, pri):
    return {"authorization": header(header_string(o, None), pub, pri)}


def do_policy(o, pub, pri):
    p = o["policy"]
    return {"authorization": header(header_string(o, None) + p, pub, pri) + (":" + p if p else "")}


def do_form(o, pub, pri):
    h = split_headers(o["headers"])
    check_bucket(o["bucket"])
    f = [(n, value_of(n, v)) for n, v in o["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = grep(h, "content-md5") or grep(f, "Content-MD5")
    s = "\n".join(["POST", first(md5), unquoted(first(grep(f, "Content-Type"))), first(grep(h, "date")),
                   extra_lines(h) + "/" + o["bucket"] + "/" + o["key"]])
    return {"authorization": header(s, pub, pri)}


def do_hit(o, pub, pri):
    target = "/uploadhit?Hash=" + o["etag"] + "&FileName=" + data_urlencode(o["key"]) + "&FileSize=" + data_urlencode(o["size"])
    return {"target": target, "authorization": header(header_string(o, "POST"), pub, pri)}


def plain(w):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", w):
        raise Refused("number", w)
    t = format(Decimal(w), "f")
    if "." in t:
        t = t.rstrip("0").rstrip(".")
    return "0" if not t.strip("-0.") else t


def flat(name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, bool):
        yield name, "true" if v else "false"
    elif isinstance(v, str):
        yield name, v
    elif "number" in v:
        yield name, plain(v["number"])
    elif "list" in v:
        for i, x in enumerate(v["list"]):
            yield from flat(name + "." + str(i), x)
    else:
        for n, x in v["object"]:
            yield from flat(name + "." + n, x)


def do_action(o, pub, pri):
    pairs = [p for n, v in o["parameters"] for p in flat(n, v)]
    pairs = [p for p in pairs if p[0] != "Signature"]
    if len(dict(pairs)) != len(pairs):
        raise Refused("parameter-repeated", "twice")
    pairs.sort(key=lambda p: (p[0] + "=" + p[1]).encode("utf-8"))
    return {"signature": hashlib.sha1(("".join(n + v for n, v in pairs) + pri).encode("utf-8")).hexdigest()}


def do_part(o, pub, pri):
    return {"etag": base64.b64encode(hashlib.sha1(content(o["content"])).digest()).decode().translate({43: "-", 47: "_"})}


serve("sign.sh", {"authorization": do_put, "policy-authorization": do_policy, "form-authorization": do_form,
                  "instant-upload": do_hit, "action-signature": do_action, "part-etag": do_part})
