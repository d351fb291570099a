#!/usr/bin/env python3
"""Correct. The four verifiers with regular expressions: JSON is read by substitution (texts, numbers and words become marks, then the innermost
list or object is folded into a mark until one is left), URLs and credentials are cut with one expression each, names are checked for
repetition by a back reference. Buckets with a dot in their name are accepted in a URL's host. Refuses the same requests as elsewhere,
with messages of its own."""
import base64
import hashlib
import hmac
import json
import re
import sys
from decimal import Decimal


class Deny(Exception):
    pass


TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
HEX = "[0-9A-Fa-f]"


def match(pattern, text, reason, flags=re.S):
    found = re.fullmatch(pattern, text, flags)
    if not found:
        raise Deny(reason, "does not match " + pattern)
    return found


# ------------------------------------------------------------------ escapes and pairs

def decode(text, reason):
    match("(?:[^%]|%" + HEX + "{2})*", text, reason)
    raw = re.sub(b"%(" + HEX.encode() + b"{2})", lambda m: bytes.fromhex(m[1].decode()), text.encode("utf-8"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Deny(reason, "not UTF-8")


def query_pairs(query):
    return [(decode(m[1], "query-malformed"), decode(m[2] or "", "query-malformed")) for m in re.finditer(r"(?!&|\Z)([^=&]*)(?:=([^&]*))?(?:&|\Z)", query, re.S)]


def once(names):
    """Every name as hexadecimal between commas, in order; a back reference finds one that is there twice."""
    marked = "," + ",".join(sorted(name.encode("utf-8", "surrogatepass").hex() + ";" for name in names)) + ","
    if re.search(r",([0-9a-f]*;),\1,", marked):
        raise Deny("parameter-repeated", "a name is there twice")


# ------------------------------------------------------------------ headers

def unfolded(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value)
    value = re.sub(r"\A[ \t]+|[ \t]+\Z", "", value)
    value.encode("utf-8")
    return match(r"([^\r\n\0]*)", value, "header-value")[1]


def request_headers(pairs):
    return [(match(r"[ \t]*(" + TOKEN + r")[ \t]*", name, "header-name")[1].lower(), unfolded(value)) for name, value in pairs]


def values_of(headers, name):
    return [value for known, value in headers if known == name]


def positional(headers, name):
    found = values_of(headers, name)
    if found[1:]:
        raise Deny("header-repeated", name)
    return "".join(found)


def canonical(headers, words):
    prefix = re.compile(re.escape(words["headerPrefix"].lower()))
    names = sorted({name for name, _ in headers if prefix.match(name)})
    return "".join("%s:%s\n" % (name, ",".join(values_of(headers, name))) for name in names)


def mac(private, text):
    return base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def same(expected, got):
    if not re.fullmatch(re.escape(expected), got):
        raise Deny("signature-mismatch", "signed otherwise")


def known(public_key, keys):
    if not re.fullmatch(re.escape(keys["publicKey"]), public_key):
        raise Deny("public-key-unknown", "no account")


def is_object(policy):
    if not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}|[A-Za-z0-9_-]*={0,2}", policy):
        return False
    plain = re.sub("=+$", "", policy).translate({45: 43, 95: 47})
    try:
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")
        return read(raw)[0] == "object"
    except (ValueError, Deny):
        return False


def verify_authorization(q, keys, words):
    headers = request_headers(q["headers"])
    method = match(TOKEN, q["method"], "method")[0].upper()
    match("[^/]+", q["bucket"], "bucket")
    text = "\n".join((method, positional(headers, "content-md5"), positional(headers, "content-type"), positional(headers, "date"), canonical(headers, words)))
    text += "/" + q["bucket"] + "/" + q["key"]
    given = values_of(headers, "authorization")
    if not given:
        raise Deny("authorization-missing", "no Authorization")
    if given[1:]:
        raise Deny("authorization-malformed", "two of them")
    parts = match(re.escape(words["scheme"]) + r" (?P<key>[^: \t]+):(?P<signature>[^: \t]+)(?::(?P<policy>[^: \t]+))?", given[0], "authorization-malformed")
    if parts["policy"] is not None and not (re.fullmatch("PUT|POST", method) and is_object(parts["policy"])):
        raise Deny("authorization-malformed", "no policy here")
    known(parts["key"], keys)
    same(mac(keys["privateKey"], text + (parts["policy"] or "")), parts["signature"])
    return {"publicKey": parts["key"]}


def verify_presigned_url(q, keys, words):
    headers = request_headers(q["headers"])
    method = match(TOKEN, q["method"], "method")[0].upper()
    url = match(r"https?://(?P<host>[^/?#]*)/(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?", q["url"], "url-malformed")
    bucket = match("(?P<bucket>[^.]+(?:[.][^.]+)*)[.]" + re.escape(q["fileHost"]), url["host"], "url-malformed", re.I | re.A | re.S)["bucket"]
    key = decode(url["path"], "url-malformed")
    wanted = (words["publicKeyParameter"], "Expires", "Signature")
    pairs = [pair for pair in query_pairs(url["query"] or "") if pair[0] in wanted]
    once([name for name, _ in pairs])
    given = dict(pairs)
    if not given.get("Signature"):
        raise Deny("signature-missing", "no Signature")
    if not given.keys() >= set(wanted):
        raise Deny("parameter-missing", "no public key or no Expires")
    expires = match("[0-9]{1,15}", given["Expires"], "expires-malformed")[0]
    if int(q["now"]) > int(expires):
        raise Deny("expired", "too late")
    known(given[wanted[0]], keys)
    same(mac(keys["privateKey"], method + "\n\n\n" + expires + "\n" + canonical(headers, words) + "/" + bucket + "/" + key), given["Signature"])
    return {"publicKey": given[wanted[0]]}


# ------------------------------------------------------------------ parameters

def verify(pairs, signature, keys):
    """pairs: names and texts without the signature."""
    once([name for name, _ in pairs])
    if not isinstance(signature, str) or signature == "":
        raise Deny("signature-missing", "no Signature")
    given = dict(pairs)
    for name in ("Action", "PublicKey"):
        if name not in given:
            raise Deny("parameter-missing", name)
    known(given["PublicKey"], keys)
    text = "".join(name + given[name] for name in sorted(given)) + keys["privateKey"]
    same(hashlib.sha1(text.encode("utf-8")).hexdigest(), signature)
    return {"publicKey": given["PublicKey"]}


def verify_query(q, keys, words):
    pairs = query_pairs(q["query"])
    once([name for name, _ in pairs])
    return verify([pair for pair in pairs if pair[0] != "Signature"], dict(pairs).get("Signature"), keys)


TEXT = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"'
NUMBER = r"(?<![\w.+-])-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])"
MARK = "\x01[0-9]+\x01"


def unquote(text):
    return json.loads(text)


def read(body):
    """(kind, value) of a JSON text; lists hold such pairs, objects hold (name, pair)."""
    marks = []

    def mark(kind, value):
        marks.append((kind, value))
        return "\x01%d\x01" % (len(marks) - 1)

    if re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", body):
        raise Deny("body-malformed", "a control character")
    body = re.sub(TEXT, lambda m: mark("text", unquote(m[0])), body)
    if '"' in body:
        raise Deny("body-malformed", "a text without end, or a bad escape")
    body = re.sub("\x01[0-9]+\x01|" + NUMBER, lambda m: m[0] if m[0][0] == "\x01" else mark("number", m[0]), body, flags=re.A)
    body = re.sub("(?<![\\w\x01])(true|false|null)(?![\\w\x01])", lambda m: mark("word", m[0]), body)
    body = re.sub(r"[ \t\r\n]+(?=[^ \t\r\n])", " ", body)

    def folded(found):
        held = [marks[int(number)] for number in re.findall("\x01([0-9]+)\x01", found[0])]
        if found[0][0] == "[":
            return mark("list", held)
        names, values = held[::2], held[1::2]
        if any(kind != "text" for kind, _ in names):
            raise Deny("body-malformed", "a name that is no text")
        return mark("object", list(zip([text for _, text in names], values)))

    item, pair = "[ \t\r\n]*" + MARK + "[ \t\r\n]*", "[ \t\r\n]*" + MARK + "[ \t\r\n]*:[ \t\r\n]*" + MARK + "[ \t\r\n]*"
    innermost = re.compile("\\[(?:[ \t\r\n]*|%s(?:,%s)*)\\]|\\{(?:[ \t\r\n]*|%s(?:,%s)*)\\}" % (item, item, pair, pair))
    for _ in range(900):
        body, count = innermost.subn(folded, body)
        if not count:
            break
    return marks[int(match("[ \t\r\n]*\x01([0-9]+)\x01[ \t\r\n]*", body, "body-malformed")[1])]


def plain(number):
    try:
        value = Decimal(number)
        if value and not -4000 < value.adjusted() < 4000:
            raise Deny("body-malformed", "a number that is too long")
        text = format(value, "f")
    except ArithmeticError:
        raise Deny("body-malformed", "a number that is too long")
    text = re.sub(r"\.0*$|(\.[0-9]*[1-9])0+$", r"\1", text)
    return re.sub(r"^-(?=0$)", "", text)


def names_of(kind, value):
    """Checks the names of every object."""
    if kind == "object":
        once([name for name, _ in value])
        value = [item for _, item in value]
    if kind in ("object", "list"):
        for item in value:
            names_of(*item)


def flat(name, kind, value):
    if kind == "text":
        return [(name, value)]
    if kind == "number":
        return [(name, plain(value))]
    if kind == "word":
        if value == "null":
            raise Deny("body-malformed", name + " is null")
        return [(name, value)]
    inner = [(str(i), item) for i, item in enumerate(value)] if kind == "list" else value
    return [pair for member, item in inner for pair in flat(name + "." + member, *item)]


def verify_json(q, keys, words):
    kind, members = read(q["body"])
    names_of(kind, members)
    if kind != "object":
        raise Deny("body-malformed", "not an object")
    pairs = [pair for name, item in members for pair in flat(name, *item)]
    kind, signature = dict(members).get("Signature", ("none", None))
    return verify([pair for pair in pairs if pair[0] != "Signature"], signature if kind == "text" else None, keys)


OPERATIONS = {"verify-json": verify_json, "verify-query": verify_query, "verify-presigned-url": verify_presigned_url, "verify-authorization": verify_authorization}


def main():
    words = None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if words is None:
            words = message["dialect"]
            print(json.dumps({"protocol": 1, "implementation": {"name": "expressions", "version": "2", "language": "python"}, "operations": sorted(OPERATIONS)}), flush=True)
            continue
        reply = {"n": message["n"]}
        try:
            if message["operation"] in OPERATIONS:
                reply["result"] = OPERATIONS[message["operation"]](message["input"], message["keys"], words)
            else:
                reply["unsupported"] = True
        except Deny as deny:
            reply["refused"] = {"reason": deny.args[0], "message": deny.args[1][:200]}
        except UnicodeEncodeError:
            reply["refused"] = {"reason": "text", "message": "a lone surrogate"}
        except RecursionError:
            reply["refused"] = {"reason": "body-malformed", "message": "too deep"}
        print(json.dumps(reply), flush=True)


main()
