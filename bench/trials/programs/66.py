#!/usr/bin/env python3
"""A shell script (bash, openssl, awk, split), rewritten line by line.

1. $(...) takes the line feeds off the end of every signed value; and NUL bytes anywhere.
2. printf '%%%02X' "'$c" gives the code point of a character, not its bytes: é is %E9 and 中 is %4E2D.
3. split -b 4MB makes blocks of 4,000,000 bytes (4M would be 4 MiB), while the test for the single hash uses 4194304: hash and count are wrong beyond it.
4. sort without LC_ALL=C: extra headers and parameters are sorted regardless of case and of punctuation.
5. awk '{sub(/^[ \t]+/, ""); print}' trims the headers at the front only.
"""
import base64, hashlib, hmac, json, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


def subshell(text):
    return text.replace("\0", "").rstrip("\n")


def collate(name):
    """en_US.UTF-8, roughly: letters and digits first, then case, then punctuation."""
    kept = re.sub(r"[^0-9A-Za-z\x80-\U0010ffff]", "", name)
    return (kept.lower(), kept.swapcase(), name)


def urlencode(text):
    text.encode()
    out = ""
    for c in text:
        if re.match("[a-zA-Z0-9.~_-]", c):
            out += c
        else:
            out += "%%%02X" % ord(c)
    return out


def awk_number(n):
    if not re.fullmatch("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]{1,3})?", n):
        raise Refused("number", "awk: syntax error")
    n = format(Decimal(n), "f")
    while "." in n and n[-1] in "0.":
        n, dot = n[:-1], n[-1] == "."
        if dot:
            break
    return "0" if n == "-0" else n


def lines_of(q):
    todo, rows = [list(p) for p in q["parameters"] if p[0] != "Signature"], []
    while todo:
        name, value = todo.pop(0)
        if value is None:
            raise Refused("parameter-null", name)
        elif isinstance(value, bool):
            rows.append((name, str(value).lower(), "raw"))
        elif isinstance(value, str):
            rows.append((name, value, "text"))
        elif "number" in value:
            rows.append((name, awk_number(value["number"]), "raw"))
        elif "list" in value:
            todo = [[name + "." + str(i), v] for i, v in enumerate(value["list"])] + todo
        else:
            todo = [[name + "." + k, v] for k, v in value["object"]] + todo
    if len(rows) > len(set(r[0] for r in rows)):
        raise Refused("parameter-repeated", "uniq -d")
    return sorted(rows, key=lambda r: collate(r[0]))


def sha1sum(rows, private):
    string = ""
    for name, value, _ in rows:
        string += name + subshell(value)
    return hashlib.sha1((string + private).encode()).hexdigest()


def need(rows, *names):
    for name in names:
        if name not in [r[0] for r in rows]:
            raise Refused("parameter-missing", name)
    return rows


def action_signature(q, public, private):
    return {"signature": sha1sum(lines_of(q), private)}


def action_query(q, public, private):
    rows = need(lines_of(q), "Action", "PublicKey")
    return {"query": "".join(urlencode(n) + "=" + urlencode(v) + "&" for n, v, _ in rows) + "Signature=" + sha1sum(rows, private)}


def action_json(q, public, private):
    rows = need(lines_of(q), "Action", "PublicKey")
    return {"body": "{" + "".join(json.dumps(n) + ": " + (json.dumps(v) if kind == "text" else v) + ", " for n, v, kind in rows) + '"Signature": "' + sha1sum(rows, private) + '"}'}


def header_lines(q):
    out = []
    for name, value in q["headers"]:
        if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise Refused("header-name", name)
        value = re.sub("[ \t]*(?:\r?\n[ \t]+)+", " ", value)
        value.encode()
        if re.search("[\r\n\0]", value.strip(" \t")):
            raise Refused("header-value", name)
        out.append((name.lower(), re.sub("^[ \t]+", "", value)))
    return out


def grep(lines, name):
    found = [v for n, v in lines if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def awk_merge(lines):
    merged = {}
    for name, value in lines:
        if name.startswith(WORDS["headerPrefix"].lower()):
            merged[name] = merged[name] + "," + value if name in merged else value
    return "".join(name + ":" + merged[name] + "\n" for name in sorted(merged, key=collate))


def openssl(text, private):
    return base64.b64encode(hmac.new(private.encode(), text.encode(), "sha1").digest()).decode()


def authorization(q, public, private):
    lines = header_lines(q)
    if not re.fullmatch("[A-Za-z0-9!#$%&'*+.^_`|~-]+", q["method"]):
        raise Refused("method")
    if q["bucket"] in ("",) or "/" in q["bucket"]:
        raise Refused("bucket")
    text = "%s\n%s\n%s\n%s\n%s/%s/%s" % (q["method"].upper(), grep(lines, "content-md5"), grep(lines, "content-type"), grep(lines, "date"), awk_merge(lines), q["bucket"], q["key"])
    return {"authorization": WORDS["scheme"] + " " + public + ":" + openssl(text, private)}


def cat(content):
    if "file" in content:
        with open(content["file"], "rb") as f:
            return f.read()
    return base64.b64decode(content["bytes"])


def etag(q, public, private):
    data = cat(q["content"])
    if len(data) <= 4194304:
        count, digest = len(data) and 1, hashlib.sha1(data).digest()
    else:
        files = [data[i:i + 4000000] for i in range(0, len(data), 4000000)]
        count, digest = len(files), hashlib.sha1(b"".join(hashlib.sha1(f).digest() for f in files)).digest()
    return {"etag": base64.b64encode(count.to_bytes(4, "little") + digest).decode().translate({43: "-", 47: "_"})}


def part_etag(q, public, private):
    return {"etag": base64.b64encode(hashlib.sha1(cat(q["content"])).digest()).decode().translate({43: "-", 47: "_"})}


serve("script", {"url-encode": lambda q, public, private: {"encoded": urlencode(q["text"])}, "password": lambda q, public, private: {"value": base64.b64encode(q["text"].encode()).decode()},
                 "action-signature": action_signature, "action-query": action_query, "action-json": action_json, "authorization": authorization, "etag": etag, "part-etag": part_etag})
