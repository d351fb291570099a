#!/usr/bin/env python3
"""Folds: there is no loop in this program. Each step is a reduce over characters, bytes, pairs or blocks, and steps are composed into pipes.
A null among the parameters counts as not given."""
import base64
import hashlib
import hmac
import json
import os
import sys
from decimal import Decimal, InvalidOperation
from functools import partial, reduce
from operator import add, itemgetter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


def pipe(*steps):
    return lambda start: reduce(lambda value, step: step(value), steps, start)


def refuse(reason, *message):
    raise Refused(reason, *message)


def when(test, reason, message):
    """A step that refuses its value if the test holds."""
    return lambda value: refuse(reason, message) if test(value) else value


def utf8(text):
    return text.encode("utf-8")


concat = partial(reduce, add)
LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
TOKEN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+.^_`|~-")
HEX = dict(zip("0123456789abcdefABCDEF", list(range(16)) + list(range(10, 16))))


def escape(text):
    return "".join(reduce(lambda out, b: out.append(chr(b) if b in LETTERS else "%%%02X" % b) or out, utf8(text), []))


def unescape(reason):
    def first(parts):
        return [utf8(parts[0])] + list(map(part, parts[1:]))

    def part(text):
        return bytes([HEX[text[0]] * 16 + HEX[text[1]]]) + utf8(text[2:]) if len(text) > 1 and text[0] in HEX and text[1] in HEX else refuse(reason, "stray %")

    def text_of(raw):
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            refuse(reason, "not UTF-8")
    return pipe(lambda text: text.split("%"), first, concat, text_of)


# ---------------------------------------------------------------- parameters

def number(written):
    whole = written[1:] if written[:1] == "-" else written
    mantissa, e, exponent = whole.replace("E", "e").partition("e")
    units, dot, fraction = mantissa.partition(".")
    digits = set("0123456789")
    ok = (units and set(units) <= digits and (units == "0" or units[0] != "0") and (not dot or fraction) and set(fraction) <= digits
          and (not e or exponent.lstrip("+-") and len(exponent) - len(exponent.lstrip("+-")) < 2 and set(exponent.lstrip("+-")) <= digits))
    if not ok:
        refuse("number", "JSON has no such number: " + ascii(written))
    try:
        value = Decimal(written)
    except InvalidOperation:
        refuse("number", "out of every range")
    if not value:
        return "0"
    if abs(value.adjusted()) >= 4000:
        refuse("number", "more than 4000 digits")
    text = "{:f}".format(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def flat(out, pair):
    name, value = pair
    if value is None:
        return out
    if value is True or value is False:
        return out + [(name, str(value).lower(), str(value).lower())]
    if isinstance(value, str):
        return out + [(name, value, json.dumps(value))]
    if "number" in value:
        text = number(value["number"])
        return out + [(name, text, text)]
    inner = enumerate(value["list"]) if "list" in value else value["object"]
    return reduce(flat, map(lambda item: ("%s.%s" % (name, item[0]), item[1]), inner), out)


def unique(names):
    return len(set(names)) < len(names)


rows_of = pipe(
    lambda parameters: reduce(flat, map(tuple, parameters), []),
    lambda rows: list(filter(lambda row: row[0] != "Signature", rows)),
    when(lambda rows: unique(list(map(itemgetter(0), rows))), "parameter-repeated", "one name, two values"),
    lambda rows: sorted(rows, key=lambda row: utf8(row[0])))


def sha_rows(rows, pri):
    digest = reduce(lambda sha, row: sha.update(utf8(row[0]) + utf8(row[1])) or sha, rows, hashlib.sha1())
    digest.update(utf8(pri))
    return digest.hexdigest()


def lacks(*names):
    return lambda rows: not set(names) <= set(map(itemgetter(0), rows))


complete = pipe(rows_of, when(lacks("Action"), "parameter-missing", "Action"), when(lacks("PublicKey"), "parameter-missing", "PublicKey"))


def creating(rows):
    return ("Action", "CreateBucket") in map(itemgetter(0, 1), rows) and lacks("Type", "BucketName")(rows)


def query_of(rows, pri):
    return reduce(lambda text, row: text + escape(row[0]) + "=" + escape(row[1]) + "&", reversed(rows), "") + "Signature=" + sha_rows(rows, pri)


def body_of(rows, pri):
    return reduce(lambda text, row: text + "\n  " + json.dumps(row[0]) + " : " + row[2] + ",", rows, "{") + '\n  "Signature" : "' + sha_rows(rows, pri) + '"\n}\n'


# ---------------------------------------------------------------- headers

def fold(state, c):
    """(text so far, blanks not yet written, what may come)"""
    out, gap, state = state
    if c == "\0" or state == "cr" and c != "\n" or state == "lf" and c not in " \t":
        refuse("header-value", "no such character here")
    if c == "\n":
        return out, " ", "lf"
    if c == "\r":
        return out, " ", "cr"
    if state == "lf" or state == "fold" and c in " \t":
        return out, gap, "fold"
    if c in " \t":
        return out, gap + c, "text"
    return out + (gap if out else "") + c, "", "text"


header_value = pipe(
    lambda value: utf8(value) and value,
    lambda value: reduce(fold, value or "", ("", "", "text")),
    when(lambda state: state[2] in ("cr", "lf"), "header-value", "ends with a line break"),
    itemgetter(0))
header_name = pipe(
    lambda name: name.strip(" \t"),
    when(lambda name: not name or not set(name) <= TOKEN, "header-name", "no token"),
    str.lower)


def headers_of(given):
    return list(map(lambda pair: (header_name(pair[0]), header_value(pair[1])), given["headers"]))


def values(pairs, name):
    return list(map(itemgetter(1), filter(lambda pair: pair[0] == name, pairs)))


def positional(pairs, name):
    return pipe(partial(values, name=name), when(lambda v: len(v) > 1, "header-repeated", name), concat_text)(pairs)


def concat_text(texts):
    return reduce(add, texts, "")


def extra(headers):
    merged = reduce(lambda out, pair: {**out, pair[0]: out[pair[0]] + "," + pair[1] if pair[0] in out else pair[1]},
                    filter(lambda pair: pair[0].startswith(WORDS["headerPrefix"].lower()), headers), {})
    return concat_text(map(lambda pair: pair[0] + ":" + pair[1] + "\n", sorted(merged.items())))


def string_to_sign(method, three, headers, bucket, key):
    return pipe(
        when(lambda m: not m or not set(m) <= TOKEN, "method", "no token"),
        when(lambda m: not bucket or "/" in bucket, "bucket", "empty or with a slash"),
        lambda m: reduce(lambda text, line: text + line + "\n", three, m.upper() + "\n"),
        lambda text: text + extra(headers) + "/" + bucket + "/" + key)(method)


def by_header(method, given, headers):
    three = list(map(partial(positional, headers), ("content-md5", "content-type", "date")))
    return string_to_sign(method, three, headers, given["bucket"], given["key"])


def mac(pri):
    return pipe(utf8, lambda message: hmac.digest(utf8(pri), message, "sha1"), base64.b64encode, bytes.decode)


def credentials(pub, *rest):
    utf8(pub)
    return WORDS["scheme"] + " " + reduce(lambda text, part: text + ":" + part if part else text, rest, pub)


def authorization(given, pub, pri):
    return {"authorization": credentials(pub, mac(pri)(by_header(given["method"], given, headers_of(given))))}


def form(given, pub, pri):
    headers = headers_of(given)
    fields = list(map(lambda p: (p[0], header_value(p[1])), filter(lambda p: p[0] in ("Content-Type", "Content-MD5"), given["fields"])))
    md5 = positional(headers, "content-md5") if values(headers, "content-md5") else positional(fields, "Content-MD5")
    three = [md5, positional(fields, "Content-Type"), positional(headers, "date")]
    return {"authorization": credentials(pub, mac(pri)(string_to_sign("POST", three, headers, given["bucket"], given["key"])))}


def policy(given, pub, pri):
    text = ",".join(map(lambda pair: ":".join(map(partial(json.dumps, ensure_ascii=False), pair)), given["members"]))
    return {"policy": base64.urlsafe_b64encode(utf8("{" + text + "}")).decode()}


def policy_authorization(given, pub, pri):
    return {"authorization": credentials(pub, mac(pri)(by_header(given["method"], given, headers_of(given)) + given["policy"]), given["policy"])}


def instant(given, pub, pri):
    target = reduce(lambda text, pair: text + pair[0] + escape(given[pair[1]]), (("?Hash=", "etag"), ("&FileName=", "key"), ("&FileSize=", "size")), "/uploadhit")
    return {"target": target, "authorization": credentials(pub, mac(pri)(by_header("POST", given, headers_of(given))))}


def presigned(given, pub, pri):
    signature = mac(pri)(string_to_sign(given["method"], ["", "", given["expires"]], headers_of(given), given["bucket"], given["key"]))
    pairs = (("Expires", given["expires"]), (WORDS["publicKeyParameter"], pub), ("Signature", signature))
    start = given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + escape(given["key"]).replace("%2F", "/")
    return {"url": start + reduce(lambda text, pair: text + ("&" if text else "?") + pair[0] + "=" + escape(pair[1]), pairs, "")}


# ---------------------------------------------------------------- ETags

def etag(given, pub, pri):
    data, size = content(given["content"]), 1 << 22
    blocks = list(map(lambda at: data[at:at + size], range(0, len(data), size)))
    hashes = list(map(lambda block: hashlib.sha1(block).digest(), blocks))
    digest = hashes[0] if len(hashes) == 1 else hashlib.sha1(reduce(add, hashes, b"")).digest()
    count = reduce(lambda out, shift: out + bytes([len(blocks) >> shift & 255]), (0, 8, 16, 24), b"")
    return {"etag": base64.urlsafe_b64encode(count + digest).decode()}


def part_etag(given, pub, pri):
    return {"etag": pipe(content, hashlib.sha1, lambda sha: sha.digest(), base64.urlsafe_b64encode, bytes.decode)(given["content"])}


# ---------------------------------------------------------------- verifying

def account(pub, got):
    return got if got == pub else refuse("public-key-unknown", "nobody has this key")


def same(expected, got):
    return hmac.compare_digest(utf8(expected), utf8(got)) or refuse("signature-mismatch", "signatures differ")


def is_policy(text):
    safe, plain = set(text) & set("-_"), set(text) & set("+/")
    body = text.rstrip("=")
    try:
        raw = base64.b64decode(body.translate({45: "+", 95: "/"}) + "=" * (-len(body) % 4), validate=True)
        return not (safe and plain) and isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, pub, pri):
    headers = headers_of(given)
    value = pipe(
        partial(values, name="authorization"),
        when(lambda v: not v, "authorization-missing", "not signed"),
        when(lambda v: len(v) > 1, "authorization-malformed", "signed twice"),
        itemgetter(0),
        when(lambda v: not v.startswith(WORDS["scheme"] + " "), "authorization-malformed", "another scheme"),
        lambda v: v[len(WORDS["scheme"]) + 1:],
        when(lambda v: set(v) & set(" \t"), "authorization-malformed", "blanks"),
        lambda v: v.split(":"),
        when(lambda v: len(v) not in (2, 3) or "" in v, "authorization-malformed", "two or three parts"),
        when(lambda v: len(v) == 3 and (given["method"].upper() not in ("PUT", "POST") or not is_policy(v[2])), "authorization-malformed", "no policy"))(headers)
    text = by_header(given["method"], given, headers) + concat_text(value[2:])
    account(pub, value[0])
    same(mac(pri)(text), value[1])
    return {"publicKey": pub}


def pairs_of(query):
    decode = unescape("query-malformed")
    return list(map(lambda piece: tuple(map(decode, piece.partition("=")[::2])), filter(None, query.split("&"))))


def verify_url(given, pub, pri):
    headers = headers_of(given)
    scheme, mark, rest = given["url"].partition("://")
    host, slash, tail = rest.partition("/")
    path, _, query = tail.partition("?")
    bucket, dot, where = host.partition(".")
    if scheme not in ("http", "https") or not mark or not slash or "#" in rest or "?" in host or not bucket or where.lower() != given["fileHost"].lower():
        refuse("url-malformed", "not a file's URL")
    key = unescape("url-malformed")(path)
    wanted = (WORDS["publicKeyParameter"], "Expires", "Signature")
    found = pipe(pairs_of, partial(filter, lambda pair: pair[0] in wanted), list,
                 when(lambda p: unique(list(map(itemgetter(0), p))), "parameter-repeated", "twice"), dict,
                 when(lambda p: not p.get("Signature"), "signature-missing", "not signed"),
                 when(lambda p: len(p) < 3, "parameter-missing", "three parameters expected"),
                 when(lambda p: not 0 < len(p["Expires"]) < 16 or not set(p["Expires"]) <= set("0123456789"), "expires-malformed", "not seconds"),
                 when(lambda p: int(given["now"]) > int(p["Expires"]), "expired", "too late"))(query)
    account(pub, found[wanted[0]])
    same(mac(pri)(string_to_sign(given["method"], ["", "", found["Expires"]], headers, bucket, key)), found["Signature"])
    return {"publicKey": pub}


def verify_rows(pub, pri, signature, rows):
    if not isinstance(signature, str) or not signature:
        refuse("signature-missing", "not signed")
    pipe(when(lacks("Action", "PublicKey"), "parameter-missing", "Action or PublicKey"))(rows)
    account(pub, dict(map(itemgetter(0, 1), rows))["PublicKey"])
    same(sha_rows(rows, pri), signature)
    return {"publicKey": pub}


def verify_query(given, pub, pri):
    pairs = pipe(pairs_of, when(lambda p: unique(list(map(itemgetter(0), p))), "parameter-repeated", "twice"))(given["query"])
    return verify_rows(pub, pri, dict(pairs).get("Signature"), rows_of(pairs))


def members(pairs):
    return {"object": when(lambda p: unique(list(map(itemgetter(0), p))), "parameter-repeated", "a member twice")(pairs)}


def wrap(value):
    if isinstance(value, list):
        return {"list": list(map(wrap, value))}
    if isinstance(value, dict) and "object" in value:
        return {"object": list(map(lambda pair: (pair[0], wrap(pair[1])), value["object"]))}
    return value


def verify_json(given, pub, pri):
    def constant(word):
        raise ValueError(word)

    def num(written):
        return {"number": written}
    try:
        value = wrap(json.loads(given["body"], object_pairs_hook=members, parse_int=num, parse_float=num, parse_constant=constant))
    except (ValueError, RecursionError):
        refuse("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        refuse("body-malformed", "an object is needed")
    try:
        reduce(flat, value["object"], [])
    except Refused as no:
        refuse("body-malformed", no.args[1])
    return verify_rows(pub, pri, dict(value["object"]).get("Signature"), rows_of(value["object"]))


if __name__ == "__main__":
    serve("folds", {
        "url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])},
        "password": lambda given, pub, pri: {"value": pipe(utf8, base64.b64encode, bytes.decode)(given["text"])},
        "action-signature": lambda given, pub, pri: {"signature": sha_rows(rows_of(given["parameters"]), pri)},
        "action-json": lambda given, pub, pri: {"body": body_of(complete(given["parameters"]), pri)},
        "action-query": lambda given, pub, pri: {"query": query_of(complete(given["parameters"]), pri)},
        "bucket-request": lambda given, pub, pri: {"target": "/?" + query_of(pipe(complete, when(creating, "parameter-missing", "Type or BucketName"))(
            given["parameters"]), pri)},
        "authorization": authorization, "form-authorization": form, "policy": policy, "policy-authorization": policy_authorization,
        "instant-upload": instant, "presigned-url": presigned, "etag": etag, "part-etag": part_etag,
        "verify-authorization": verify_authorization, "verify-presigned-url": verify_url, "verify-query": verify_query, "verify-json": verify_json})
