"""The logic of a bash script with openssl, sort and base64.

1. Parameter values pass through $(...), so line feeds at their end are lost, signed and sent.
2. The string to sign of the action API goes through echo -e, so backslash with n, t, r or another backslash in names and values is replaced before hashing.
3. Percent-encoding uses printf '%%%02X' "'$c" on characters, so é becomes %E9 and 日 becomes %65E5.
4. The password's Base64 is wrapped: a line feed after every 76 characters, none at the end.
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

from decimal import Decimal  # noqa: E402


def substitute(text):
    return text.rstrip("\n")


def echo_e(text):
    return re.sub(r"\\([ntr\\])", lambda m: {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}[m[1]], text)


def rawurlencode(text):
    text.encode("utf-8")
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_.~") else "%%%02X" % ord(c) for c in text)


def scalar(v):
    if v is True or v is False:
        return str(v).lower()
    if isinstance(v, str):
        return substitute(v)
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", v["number"]):
        raise Refused("number", v["number"])
    t = format(Decimal(v["number"]), "f")
    t = t.rstrip("0").rstrip(".") if "." in t else t
    return t if t.strip("-0.") else "0"


def rows(name, v):
    if v is None:
        raise Refused("parameter-null", name)
    if isinstance(v, dict) and "list" in v:
        for n, item in enumerate(v["list"]):
            yield from rows("%s.%d" % (name, n), item)
    elif isinstance(v, dict) and "object" in v:
        for n, item in v["object"]:
            yield from rows(name + "." + n, item)
    else:
        yield name, scalar(v)


def action_query(i, pub, pri):
    table = [row for name, v in i["parameters"] for row in rows(name, v)]
    table = [row for row in table if row[0] != "Signature"]
    names = [n for n, _ in table]
    if len(set(names)) < len(names):
        raise Refused("parameter-repeated", "")
    for n in ("Action", "PublicKey"):
        if n not in names:
            raise Refused("parameter-missing", n)
    table.sort(key=lambda row: row[0].encode("utf-8"))          # LC_ALL=C sort
    text = echo_e("".join(n + v for n, v in table)) + pri
    signature = hashlib.sha1(text.encode("utf-8")).hexdigest()
    return {"query": "&".join([rawurlencode(n) + "=" + rawurlencode(v) for n, v in table] + ["Signature=" + signature])}


def authorization(i, pub, pri):
    names, lines = {}, []
    for name, value in i["headers"]:
        name = name.strip(" \t").lower()
        if not re.fullmatch("[a-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        value.encode("utf-8")
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        names.setdefault(name, []).append(value)
    if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", i["method"]):
        raise Refused("method", i["method"])
    if not i["bucket"] or "/" in i["bucket"]:
        raise Refused("bucket", i["bucket"])
    for name in ("content-md5", "content-type", "date"):
        if len(names.get(name, [])) > 1:
            raise Refused("header-repeated", name)
        lines.append(names.get(name, [""])[0])
    for name in sorted(names):
        if name.startswith(WORDS["headerPrefix"].lower()):
            lines.append(name + ":" + ",".join(names[name]))
    text = "\n".join([i["method"].upper()] + lines + ["/" + i["bucket"] + "/" + i["key"]])
    mac = hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + base64.b64encode(mac).decode()}


def password(i, pub, pri):
    text = base64.b64encode(i["text"].encode("utf-8")).decode()
    return {"value": "\n".join(re.findall(".{1,76}", text))}


if __name__ == "__main__":
    serve("shell", {"authorization": authorization, "action-query": action_query, "password": password,
                    "url-encode": lambda i, pub, pri: {"encoded": rawurlencode(i["text"])}})
