"""Correct: verification as a chain of small rules over one context, in the style of a policy engine; each rule gives a reason or None."""
import base64
import hashlib
import hmac
import itertools
import json
import os
import string
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, serve  # noqa: E402

TOKENS = set(string.ascii_letters + string.digits + "!#$%&'*+.^_`|~-")
HEX = set(string.hexdigits)
B64 = set(string.ascii_letters + string.digits)


class Context(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def run(rules, i, pub, pri):
    c = Context(i)
    c.pub, c.pri = pub, pri
    for rule in rules:
        reason = rule(c)
        if reason:
            raise Refused(reason, rule.__name__)
    return {"publicKey": c.account}


def is_token(text):
    return text != "" and set(text) <= TOKENS


# ---- rules for files

def value_of(value):
    """None, if not allowed."""
    value.encode("utf-8")
    rows = value.split("\n")
    for n in range(len(rows) - 1):
        if rows[n + 1][:1] not in (" ", "\t") or not rows[n + 1]:
            return None
        if rows[n].endswith("\r"):
            rows[n] = rows[n][:-1]
    if any("\r" in row or "\0" in row for row in rows):
        return None
    return " ".join(filter(None, (row.strip(" \t") for row in rows)))


def headers_are_sound(c):
    c.fields = []
    for name, value in c.headers:
        name = name.strip(" \t")
        if not is_token(name):
            return "header-name"
        value = value_of(value)
        if value is None:
            return "header-value"
        c.fields.append((name.lower(), value))


def method_is_token(c):
    if not is_token(c.method):
        return "method"
    c.verb = c.method.upper()


def bucket_is_one_label(c):
    return "bucket" if not c.bucket or "/" in c.bucket else None


def positional_at_most_once(c):
    found = {n: [v for m, v in c.fields if m == n] for n in ("content-md5", "content-type", "date")}
    c.three = [v[0] if v else "" for v in found.values()]
    return "header-repeated" if any(len(v) > 1 for v in found.values()) else None


def canonical(c):
    extra = sorted((pair for pair in c.fields if pair[0].startswith(WORDS["headerPrefix"].lower())), key=lambda pair: pair[0])
    return [n + ":" + ",".join(v for _, v in group) for n, group in itertools.groupby(extra, key=lambda pair: pair[0])]


def authorization_is_there(c):
    c.given = [v for n, v in c.fields if n == "authorization"]
    return None if c.given else "authorization-missing"


def authorization_has_form(c):
    scheme, *rest = c.given[0].split(" ")
    if len(c.given) > 1 or len(rest) != 1 or scheme != WORDS["scheme"] or "\t" in rest[0]:
        return "authorization-malformed"
    c.parts = rest[0].split(":")
    if not 2 <= len(c.parts) <= 3 or not all(c.parts):
        return "authorization-malformed"
    c.account, c.signature = c.parts[:2]


def policy_is_an_object(c):
    c.tail = ""
    if len(c.parts) == 2:
        return
    policy = c.parts[2].rstrip("=")
    letters = set(policy) - B64
    if c.verb not in ("PUT", "POST") or not (letters <= set("+/") or letters <= set("-_")) or len(policy) % 4 == 1:
        return "authorization-malformed"
    try:
        value = json.loads(base64.urlsafe_b64decode(policy.replace("+", "-").replace("/", "_") + "=" * (-len(policy) % 4)).decode("utf-8"))
    except (ValueError, RecursionError):
        return "authorization-malformed"
    if type(value) is not dict:
        return "authorization-malformed"
    c.tail = c.parts[2]


def account_is_known(c):
    return None if c.account == c.pub else "public-key-unknown"


def file_signature_matches(c):
    text = "\n".join([c.verb] + c.three + canonical(c) + ["/" + c.bucket + "/" + c.key + c.tail])
    expected = base64.b64encode(hmac.new(c.pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode()
    return None if expected == c.signature else "signature-mismatch"


# ---- rules for URLs and queries

def unescape(text):
    """None, if not percent-encoded UTF-8."""
    head, *rest = text.split("%")
    if any(len(piece) < 2 or not set(piece[:2]) <= HEX for piece in rest):
        return None
    raw = head.encode("utf-8") + b"".join(bytes([int(piece[:2], 16)]) + piece[2:].encode("utf-8") for piece in rest)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def url_is_of_this_host(c):
    for start in ("http://", "https://"):
        if c.url.startswith(start):
            rest = c.url[len(start):]
            break
    else:
        return "url-malformed"
    if "#" in rest:
        return "url-malformed"
    before, _, c.query = rest.partition("?")
    authority, slash, path = before.partition("/")
    c.bucket, _, host = authority.partition(".")
    c.key = None
    if not slash or not c.bucket or host.lower() != c.fileHost.lower():
        return "url-malformed"
    c.key = unescape(path)
    return "url-malformed" if c.key is None else None


def query_is_encoded(c):
    c.pairs = []
    for piece in c.query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pair = unescape(name)
            if pair is None:
                return "query-malformed"
            pair = (pair, unescape(value))
            if pair[1] is None:
                return "query-malformed"
            c.pairs.append(pair)


def only_url_parameters(c):
    c.pairs = [pair for pair in c.pairs if pair[0] in (WORDS["publicKeyParameter"], "Expires", "Signature")]


def no_name_twice(c):
    names = [name for name, _ in c.pairs]
    return "parameter-repeated" if len(names) > len(set(names)) else None


def url_parameters_are_there(c):
    values = dict(c.pairs)
    c.account, c.expires, c.signature = (values.get(n) for n in (WORDS["publicKeyParameter"], "Expires", "Signature"))
    if not c.signature:
        return "signature-missing"
    return "parameter-missing" if c.account is None or c.expires is None else None


def not_expired(c):
    if not 1 <= len(c.expires) <= 15 or not set(c.expires) <= set(string.digits):
        return "expires-malformed"
    return "expired" if int(c.now) > int(c.expires) else None


def url_texts(c):
    c.three, c.tail = ["", "", c.expires], ""


# ---- rules for parameters

def query_parameters(c):
    c.signature = dict(c.pairs).get("Signature")
    c.leaves = [pair for pair in c.pairs if pair[0] != "Signature"]


class Twice(Exception):
    pass


class Object(list):
    def __init__(self, pairs):
        super().__init__(pairs)
        if len(dict(pairs)) < len(pairs):
            raise Twice()


class Number(str):
    pass


def constant(word):
    raise ValueError(word)


def body_is_an_object(c):
    try:
        c.members = json.loads(c.body, object_pairs_hook=Object, parse_int=Number, parse_float=Number, parse_constant=constant)
    except Twice:
        return "parameter-repeated"
    except (ValueError, RecursionError):
        return "body-malformed"
    return None if type(c.members) is Object else "body-malformed"


def plain(number):
    """The plain decimal text of a JSON number, or None if it is too long."""
    lower = number.lower()
    mantissa, _, exponent = lower.partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa[0] == "-" else ("", mantissa)
    whole, _, fraction = mantissa.partition(".")
    scaled = (whole + fraction).lstrip("0")
    if len(exponent.lstrip("+-0")) > 19:
        return None
    shift = int(exponent or "0") - len(fraction)
    if not -2 * 10 ** 18 + 3 <= shift < 10 ** 18:
        return None
    if not scaled:
        return "0"
    if not -4000 < len(scaled) + shift - 1 < 4000:
        return None
    if shift >= 0:
        return sign + scaled + "0" * shift
    scaled = scaled.rjust(1 - shift, "0")
    return (sign + scaled[:shift] + "." + scaled[shift:]).rstrip("0").rstrip(".")


def body_is_flat(c):
    queue, c.leaves = list(c.members)[::-1], []
    while queue:
        name, value = queue.pop()
        if isinstance(value, Number):
            value = plain(value)
        if value is None:
            return "body-malformed"
        if isinstance(value, str):
            c.leaves.append((name, value))
        elif isinstance(value, bool):
            c.leaves.append((name, json.dumps(value)))
        else:
            pairs = value if isinstance(value, Object) else enumerate(value)
            queue.extend([(name + "." + str(n), v) for n, v in pairs][::-1])
    c.signature = dict(c.members).get("Signature")
    c.leaves = [pair for pair in c.leaves if pair[0] != "Signature"]
    if type(c.signature) is not str:
        c.signature = None


def leaves_are_distinct(c):
    c.named = dict(c.leaves)
    if len(c.named) < len(c.leaves):
        return "parameter-repeated"
    c.order = sorted((name.encode("utf-8"), name) for name in c.named)


def signature_is_there(c):
    return None if c.signature else "signature-missing"


def action_is_there(c):
    c.account = c.named.get("PublicKey")
    return "parameter-missing" if c.account is None or "Action" not in c.named else None


def action_signature_matches(c):
    sha = hashlib.sha1()
    for raw, name in c.order:
        sha.update(raw + c.named[name].encode("utf-8"))
    sha.update(c.pri.encode("utf-8"))
    return None if sha.hexdigest() == c.signature else "signature-mismatch"


HEADER = [headers_are_sound, method_is_token, bucket_is_one_label, positional_at_most_once, authorization_is_there, authorization_has_form,
          policy_is_an_object, account_is_known, file_signature_matches]
URL = [method_is_token, headers_are_sound, url_is_of_this_host, query_is_encoded, only_url_parameters, no_name_twice, url_parameters_are_there,
       not_expired, account_is_known, url_texts, file_signature_matches]
PARAMETERS = [leaves_are_distinct, signature_is_there, action_is_there, account_is_known, action_signature_matches]
QUERY = [query_is_encoded, no_name_twice, query_parameters] + PARAMETERS
JSON = [body_is_an_object, body_is_flat] + PARAMETERS


def operation(rules):
    return lambda i, pub, pri: run(rules, i, pub, pri)


if __name__ == "__main__":
    serve("rules", {"verify-authorization": operation(HEADER), "verify-presigned-url": operation(URL), "verify-query": operation(QUERY),
                    "verify-json": operation(JSON)})
