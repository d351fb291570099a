"""A Perl module (Digest::SHA, URI::Escape, MIME::Base64).

1. uri_escape works on Perl's own string: a text whose characters are all below U+0100 is escaped in Latin-1 (é is %E9), any other in UTF-8.
2. The action signature hashes Perl's own string: Latin-1 bytes when the whole text to sign is below U+0100, UTF-8 bytes otherwise.
3. Header values are unfolded with s/\\s+/ /g, so every run of white space in them becomes one space, in positional headers too.
4. The policy comes from encode_base64 with only the last line end chomped, so a long policy has a line feed after every 76 characters.
"""
import base64
import hashlib
import hmac
import json
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from decimal import Decimal  # noqa: E402


def perl_bytes(text):
    return text.encode("utf-8") if not text or max(text) > "\xff" else text.encode("latin-1")


def uri_escape(text):
    return "".join(chr(b) if b in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~" else "%%%02X" % b for b in perl_bytes(text))


def number(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", written)
    t = format(Decimal(written), "f")
    t = t.rstrip("0").rstrip(".") if "." in t else t
    return t if t.strip("-0.") else "0"


def flat(name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, bool):
        return [(name, "true" if v else "false")]
    if isinstance(v, str):
        return [(name, v)]
    if "number" in v:
        return [(name, number(v["number"]))]
    items = [(str(k), item) for k, item in enumerate(v["list"])] if "list" in v else v["object"]
    return [row for member, item in items for row in flat(name + "." + member, item)]


def action_query(i, pub, pri):
    rows = [row for name, v in i["parameters"] for row in flat(name, v) if row[0] != "Signature"]
    table = dict(rows)
    if len(table) != len(rows):
        raise Refused("parameter-repeated", "")
    for n in ("Action", "PublicKey"):
        if n not in table:
            raise Refused("parameter-missing", n)
    keys = sorted(table)
    text = "".join(k + table[k] for k in keys) + pri
    text.encode("utf-8")
    signature = hashlib.sha1(perl_bytes(text)).hexdigest()
    return {"query": "&".join(["%s=%s" % (uri_escape(k), uri_escape(table[k])) for k in keys] + ["Signature=" + signature])}


def authorization(i, pub, pri):
    h = {}
    for name, value in i["headers"]:
        name = name.strip(" \t").lower()
        if not re.fullmatch(r"[a-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"\r?\n(?=[ \t])", " ", value)
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        h.setdefault(name, []).append(re.sub("[ \t]+", " ", value).strip(" "))
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", i["method"]):
        raise Refused("method", i["method"])
    if not i["bucket"] or "/" in i["bucket"]:
        raise Refused("bucket", i["bucket"])
    text = i["method"].upper() + "\n"
    for name in ("content-md5", "content-type", "date"):
        values = h.get(name, [""])
        if len(values) > 1:
            raise Refused("header-repeated", name)
        text += values[0] + "\n"
    for name in sorted(n for n in h if n.startswith(WORDS["headerPrefix"].lower())):
        text += name + ":" + ",".join(h[name]) + "\n"
    text += "/" + i["bucket"] + "/" + i["key"]
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()}


def policy(i, pub, pri):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in i["members"]) + "}"
    lines = base64.b64encode(text.encode("utf-8")).decode()
    lines = "\n".join(lines[k:k + 76] for k in range(0, len(lines), 76))
    return {"policy": lines.replace("+", "-").replace("/", "_")}


if __name__ == "__main__":
    serve("perl", {"url-encode": lambda i, pub, pri: {"encoded": uri_escape(i["text"])}, "action-query": action_query,
                   "authorization": authorization, "policy": policy})
