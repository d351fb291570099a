#!/usr/bin/env python3
"""A correct adapter, written from the specification. Every place where an author can go wrong is a small
function of this module; mistakes.py replaces one or two of them by name (all calls go through the module)."""
import base64
import hashlib
import hmac
import json
import re
import sys
from decimal import Decimal

BLOCK = 4194304


class No(Exception):
    """A deliberate refusal: No(reason, message)."""


class Cannot(Exception):
    """The input cannot be expressed."""


# ------------------------------------------------------------------ bytes and text

def utf8(text):
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise No("text", "a lone surrogate")


def safe_byte(b):
    return chr(b).isalnum() and b < 128 or b in b"-_.~"


def escape_byte(b):
    return "%%%02X" % b


def text_bytes(text):
    """The bytes that percent-encoding escapes."""
    return utf8(text)


def percent(text):
    return "".join(chr(b) if safe_byte(b) else escape_byte(b) for b in text_bytes(text))


def unpercent(text, reason):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise No(reason, "stray percent sign")
    raw = re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode()), utf8(text), flags=re.S)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise No(reason, "escapes are not UTF-8")


# ------------------------------------------------------------------ parameters, 5.1

class Leaf:
    """A flattened parameter: its name, its text, and whether JSON quotes it."""

    def __init__(self, name, text, quoted):
        self.name, self.text, self.quoted = name, text, quoted


def boolean_text(value):
    return "true" if value else "false"


def string_text(value):
    return value


def number_text(written):
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", written, re.A):
        raise No("number", "not a number")
    try:
        value = Decimal(written)
        if value and not -4000 < value.adjusted() < 4000:
            raise No("number", "too long")
        text = format(value, "f")
    except ArithmeticError:
        raise No("number", "too large")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if not text.strip("-0."):
        return "0"
    return text


def null_leaves(name):
    raise No("parameter-null", name + " is null")


def item_name(name, index):
    return name + "." + str(index)


def member_name(name, member):
    return name + "." + member


def list_leaves(name, items):
    out = []
    for index, item in enumerate(items):
        out += leaves(item_name(name, index), item)
    return out


def object_leaves(name, members):
    out = []
    for member, item in members:
        out += leaves(member_name(name, member), item)
    return out


def leaves(name, value):
    if value is None:
        return null_leaves(name)
    if value is True or value is False:
        return [Leaf(name, boolean_text(value), False)]
    if isinstance(value, str):
        return [Leaf(name, string_text(value), True)]
    if "number" in value:
        return [Leaf(name, number_text(value["number"]), False)]
    if "list" in value:
        return list_leaves(name, value["list"])
    return object_leaves(name, value["object"])


def flatten(parameters):
    out = []
    for name, value in parameters:
        out += leaves(name, value)
    return out


def unsigned_name(name):
    return name == "Signature"


def without_signature(all_leaves):
    return [leaf for leaf in all_leaves if not unsigned_name(leaf.name)]


def check_repeated(names):
    if len(names) != len(set(names)):
        raise No("parameter-repeated", "a name is there twice")


def order(all_leaves):
    return sorted(all_leaves, key=lambda leaf: utf8(leaf.name))


def prepare(parameters):
    kept = without_signature(flatten(parameters))
    check_repeated([leaf.name for leaf in kept])
    return order(kept)


def signed_value(leaf):
    return leaf.text


def signed_pair(leaf):
    return leaf.name + signed_value(leaf)


def join_pairs(pairs):
    return "".join(pairs)


def action_key(private_key):
    return private_key


def with_key(text, private_key):
    return text + private_key


def action_bytes(text):
    return utf8(text)


def action_digest(text, private_key):
    return hashlib.sha1(action_bytes(with_key(text, action_key(private_key)))).digest()


def action_hex(digest):
    return digest.hex()


def sign_leaves(ordered, keys):
    text = join_pairs([signed_pair(leaf) for leaf in ordered])
    signature = action_hex(action_digest(text, keys["privateKey"]))
    return signature


def need(ordered, *names):
    have = {leaf.name for leaf in ordered}
    for name in names:
        if name not in have:
            raise No("parameter-missing", name)


def query_name(name):
    return percent(name)


def query_value(leaf):
    return percent(leaf.text)


def query_text(ordered, signature):
    return "&".join([query_name(x.name) + "=" + query_value(x) for x in ordered] + ["Signature=" + signature])


def json_leaf(leaf):
    return json.dumps(leaf.text) if leaf.quoted else leaf.text


def json_text(ordered, signature):
    parts = [json.dumps(x.name) + ": " + json_leaf(x) for x in ordered]
    return "{" + ", ".join(parts + ['"Signature": ' + json.dumps(signature)]) + "}"


def bucket_target(query):
    return "/?" + query


def password_text(text):
    return base64.b64encode(utf8(text)).decode()


def complete(given, keys):
    ordered = prepare(given["parameters"])
    need(ordered, "Action", "PublicKey")
    return ordered, sign_leaves(ordered, keys)


# ------------------------------------------------------------------ files, 5.2

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def verb(method):
    if not TOKEN.fullmatch(method):
        raise No("method", "not a token")
    return method.upper()


def check_bucket(bucket):
    if not bucket or "/" in bucket:
        raise No("bucket", "empty, or with a slash")


def header_name(name):
    name = name.strip(" \t")
    if not TOKEN.fullmatch(name):
        raise No("header-name", "not a token")
    return name


def fold_name(name):
    return name.lower()


def unfold(value):
    out = re.sub(r"\r?\n[ \t]", "\n ", value)            # mark each fold
    return re.sub(r"[ \t]*\n[ \t\n]*", " ", out) if "\n " in out and not re.search(r"\n(?! )", out) else out


def trim(value):
    return value.strip(" \t")


def check_value(value):
    utf8(value)
    if re.search(r"[\r\n\0]", value):
        raise No("header-value", "a line break or NUL")
    return value


def header_value(value):
    return check_value(trim(unfold(value)))


def positional_value(value):
    """Of Content-MD5, Content-Type and Date."""
    return header_value(value)


def extra_value(value):
    return header_value(value)


def read_headers(headers):
    """Pairs of the name as given and the raw value, after checks."""
    out = []
    for name, value in headers:
        name = header_name(name)
        header_value(value)
        out.append((name, value))
    return out


def find(headers, wanted):
    return [value for name, value in headers if fold_name(name) == wanted]


def one(values):
    if len(values) > 1:
        raise No("header-repeated", "twice")
    return values[0] if values else None


def positional(headers, wanted):
    value = one(find(headers, wanted))
    return "" if value is None else positional_value(value)


def content_md5(headers, method):
    return positional(headers, "content-md5")


def content_type(headers, method):
    return positional(headers, "content-type")


def date(headers, method):
    return positional(headers, "date")


def extra_prefix(dialect):
    return dialect["headerPrefix"].lower()


def is_extra(name, dialect):
    return fold_name(name).startswith(extra_prefix(dialect))


def extra_name(name):
    return name.lower()


def extra_pairs(headers, dialect):
    return [(extra_name(name), extra_value(value)) for name, value in headers if is_extra(name, dialect)]


def merge(pairs):
    groups = {}
    for name, value in pairs:
        groups.setdefault(name, []).append(value)
    return list(groups.items())


def sort_groups(groups):
    return sorted(groups, key=lambda group: group[0])


def join_values(values):
    return ",".join(values)


def entry(name, values):
    return name + ":" + join_values(values) + "\n"


def entries(groups):
    return "".join(entry(name, values) for name, values in groups)


def canonical_headers(headers, dialect):
    return entries(sort_groups(merge(extra_pairs(headers, dialect))))


def resource_bucket(bucket):
    return bucket


def resource_key(key):
    return key


def resource(bucket, key):
    return "/" + resource_bucket(bucket) + "/" + resource_key(key)


def lines(method, md5, mime, when, extra, res):
    return method + "\n" + md5 + "\n" + mime + "\n" + when + "\n" + extra + res


def header_text(method, bucket, key, headers, dialect):
    method = verb(method)
    check_bucket(bucket)
    return lines(method, content_md5(headers, method), content_type(headers, method), date(headers, method),
                 canonical_headers(headers, dialect), resource(bucket, key))


def file_bytes(text):
    return utf8(text)


def file_key(private_key):
    return utf8(private_key)


def file_digest(key, message):
    return hmac.new(key, message, hashlib.sha1).digest()


def file_base64(digest):
    return base64.b64encode(digest).decode()


def file_signature(text, keys):
    return file_base64(file_digest(file_key(keys["privateKey"]), file_bytes(text)))


def credentials(public_key, signature, dialect):
    utf8(public_key)
    return dialect["scheme"] + " " + public_key + ":" + signature


# forms

def form_method():
    return "POST"


def form_fields(fields, wanted):
    return [value for name, value in fields if name == wanted]


def form_type(headers, fields):
    value = one(form_fields(fields, "Content-Type"))
    return "" if value is None else positional_value(value)


def form_md5(headers, fields):
    values = find(headers, "content-md5") or form_fields(fields, "Content-MD5")
    value = one(values)
    return "" if value is None else positional_value(value)


def form_text(given, headers, dialect):
    check_bucket(given["bucket"])
    for name, value in given["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            header_value(value)
    return lines(form_method(), form_md5(headers, given["fields"]), form_type(headers, given["fields"]),
                 date(headers, form_method()), canonical_headers(headers, dialect), resource(given["bucket"], given["key"]))


# policies, instant upload

def policy_json(members):
    return "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False)
                          for n, v in members) + "}"


def policy_base64(data):
    return base64.urlsafe_b64encode(data).decode()


def policy_text(text, policy):
    return text + policy


def policy_credentials(value, policy):
    return value + ":" + policy if policy else value


def hit_method():
    return "POST"


def hit_key(key):
    return key


def hit_target(etag, key, size):
    return "/uploadhit?Hash=" + percent(etag) + "&FileName=" + percent(key) + "&FileSize=" + percent(size)


# pre-signed URLs, 5.4

def presign_method(method):
    return verb(method)


def presign_type(headers):
    return ""


def presign_md5(headers):
    return ""


def presign_expires(expires):
    """The expiry in the signed text."""
    return expires


def url_expires(expires):
    """The expiry in the URL."""
    return expires


def presign_headers(headers, dialect):
    return canonical_headers(headers, dialect)


def presign_resource(bucket, key):
    return resource(bucket, key)


def presign_text(given, headers, dialect):
    method = presign_method(given["method"])
    check_bucket(given["bucket"])
    return lines(method, presign_md5(headers), presign_type(headers), presign_expires(given["expires"]),
                 presign_headers(headers, dialect), presign_resource(given["bucket"], given["key"]))


def url_signature(signature):
    return percent(signature)


def url_path(key):
    return "/".join(percent(part) for part in key.split("/"))


def url_public_key(public_key):
    return percent(public_key)


def url_start(scheme, bucket, host):
    return scheme + "://" + bucket + "." + host + "/"


def url_query(public_key, expires, signature, dialect):
    return dialect["publicKeyParameter"] + "=" + public_key + "&Expires=" + expires + "&Signature=" + signature


# ------------------------------------------------------------------ ETag, 2

def block_size():
    return BLOCK


def content_bytes(content):
    if "file" in content:
        with open(content["file"], "rb") as f:
            return f.read()
    return base64.b64decode(content["bytes"])


def etag_hash(data):
    return hashlib.sha1(data).digest()


def split(data):
    view, size = memoryview(data), block_size()
    return [view[i:i + size] for i in range(0, len(data), size)]


def block_count(data, blocks):
    return len(blocks)


def is_single(data, blocks):
    return len(blocks) <= 1


def hash_hashes(blocks):
    return etag_hash(b"".join(etag_hash(block) for block in blocks))


def etag_digest(data, blocks):
    return etag_hash(data) if is_single(data, blocks) else hash_hashes(blocks)


def count_bytes(count):
    return count.to_bytes(4, "little")


def etag_layout(count, digest):
    return count_bytes(count) + digest


def etag_base64(raw):
    return base64.urlsafe_b64encode(raw).decode()


def part_raw(data):
    return etag_hash(data)


# ------------------------------------------------------------------ verifying

def equal(expected, got):
    return expected == got


def check_signature(expected, got):
    if not equal(expected, got):
        raise No("signature-mismatch", "not the signature of this request")


def check_account(public_key, keys):
    if public_key != keys["publicKey"]:
        raise No("public-key-unknown", "unknown")


def find_authorization(headers):
    values = find(headers, "authorization")
    if not values:
        raise No("authorization-missing", "no Authorization")
    if len(values) > 1:
        raise No("authorization-malformed", "two of them")
    return header_value(values[0])


def scheme_ok(scheme, dialect):
    return scheme == dialect["scheme"]


def split_credentials(rest):
    """Public key, signature and policy or None."""
    parts = rest.split(":")
    if len(parts) not in (2, 3) or "" in parts or re.search(r"[ \t]", rest):
        raise No("authorization-malformed", "not key:signature")
    return parts[0], parts[1], parts[2] if len(parts) == 3 else None


def policy_method_ok(method):
    return method.upper() in ("PUT", "POST")


def policy_ok(policy):
    try:
        plain = policy.replace("-", "+").replace("_", "/") if not re.search("[+/]", policy) else policy
        raw = base64.b64decode(plain.rstrip("=") + "=" * (-len(plain.rstrip("=")) % 4), validate=True)
        return isinstance(json.loads(raw.decode("utf-8")), dict) and not re.search("[+/].*[-_]|[-_].*[+/]", policy)
    except (ValueError, RecursionError):
        return False


def check_policy(policy, method):
    if not policy_method_ok(method) or not policy_ok(policy):
        raise No("authorization-malformed", "no policy here")


def verify_header_text(given, headers, dialect):
    return header_text(given["method"], given["bucket"], given["key"], headers, dialect)


def verify_policy_text(text, policy):
    return text if policy is None else policy_text(text, policy)


def verify_authorization(given, keys, dialect):
    headers = read_headers(given["headers"])
    text = verify_header_text(given, headers, dialect)
    value = find_authorization(headers)
    scheme, blank, rest = value.partition(" ")
    if not scheme_ok(scheme, dialect) or not blank:
        raise No("authorization-malformed", "not the scheme")
    public_key, signature, policy = split_credentials(rest)
    if policy is not None:
        check_policy(policy, given["method"])
    check_account(public_key, keys)
    check_signature(file_signature(verify_policy_text(text, policy), keys), signature)
    return {"publicKey": public_key}


def query_decode(text):
    return unpercent(text, "query-malformed")


def read_query(query):
    out = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            out.append((query_decode(name), query_decode(value)))
    return out


def key_of_path(path):
    return unpercent(path, "url-malformed")


def check_host(host, file_host):
    bucket, _, rest = host.partition(".")
    if not bucket or rest.lower() != file_host.lower():
        raise No("url-malformed", "another host")
    return bucket


def split_url(url, file_host):
    match = re.fullmatch(r"(https?)://([^/?#]*)/([^?#]*)\??([^#]*)", url, re.S)
    if not match:
        raise No("url-malformed", "not a URL")
    return check_host(match[2], file_host), key_of_path(match[3]), match[4]


def check_url_repeated(names):
    check_repeated(names)


def check_url_parameters(public_key, expires, signature):
    if not signature:
        raise No("signature-missing", "no Signature")
    if public_key is None or expires is None:
        raise No("parameter-missing", "no public key or no expiry")


def expires_seconds(expires):
    if not re.fullmatch(r"[0-9]{1,15}", expires):
        raise No("expires-malformed", "not a number of seconds")
    return int(expires)


def is_late(now, expires):
    return now > expires


def check_expiry(now, expires):
    if is_late(int(now), expires_seconds(expires)):
        raise No("expired", "too late")


def verify_method(method):
    return verb(method)


def verify_url_headers(headers, dialect):
    return canonical_headers(headers, dialect)


def after_signature(given, expires):
    pass


def verify_url(given, keys, dialect):
    method = verify_method(given["method"])
    headers = read_headers(given["headers"])
    bucket, key, query = split_url(given["url"], given["fileHost"])
    names = (dialect["publicKeyParameter"], "Expires", "Signature")
    pairs = [(name, value) for name, value in read_query(query) if name in names]
    check_url_repeated([name for name, _ in pairs])
    public_key, expires, signature = (dict(pairs).get(name) for name in names)
    check_url_parameters(public_key, expires, signature)
    check_expiry(given["now"], expires)
    check_account(public_key, keys)
    text = lines(method, "", "", expires, verify_url_headers(headers, dialect), resource(bucket, key))
    check_signature(file_signature(text, keys), signature)
    after_signature(given, expires)
    return {"publicKey": public_key}


def signature_of(pairs):
    return dict(pairs).get("Signature")


def verify_need(ordered):
    need(ordered, "Action", "PublicKey")


def equal_hex(expected, got):
    return equal(expected, got)


def verify_prepare(parameters):
    return prepare(parameters)


def verify_parameters(parameters, signature, keys):
    ordered = verify_prepare(parameters)
    if not isinstance(signature, str) or not signature:
        raise No("signature-missing", "no Signature")
    verify_need(ordered)
    public_key = [leaf.text for leaf in ordered if leaf.name == "PublicKey"][0]
    check_account(public_key, keys)
    if not equal_hex(sign_leaves(ordered, keys), signature):
        raise No("signature-mismatch", "not the signature of these parameters")
    return {"publicKey": public_key}


def check_query_repeated(names):
    check_repeated(names)


def verify_query(given, keys, dialect):
    pairs = read_query(given["query"])
    check_query_repeated([name for name, _ in pairs])
    return verify_parameters([list(pair) for pair in pairs], signature_of(pairs), keys)


def json_number(written):
    return {"number": written}


def json_constant(word):
    raise ValueError(word)


def json_pairs(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise No("parameter-repeated", "a member is there twice")
    return {"object": [[name, wrap(value)] for name, value in pairs]}


def wrap(value):
    return {"list": [wrap(item) for item in value]} if isinstance(value, list) else value


def read_json(body):
    try:
        value = json.loads(body, object_pairs_hook=json_pairs, parse_int=json_number, parse_float=json_number,
                           parse_constant=json_constant)
    except (ValueError, RecursionError):
        raise No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise No("body-malformed", "not an object")
    return value["object"]


def verify_json(given, keys, dialect):
    members = read_json(given["body"])
    try:
        flatten(members)
    except No as no:
        raise No("body-malformed", str(no))
    return verify_parameters(members, signature_of(members), keys)


# ------------------------------------------------------------------ operations

def op_url_encode(given, keys, dialect):
    return {"encoded": percent(given["text"])}


def op_password(given, keys, dialect):
    return {"value": password_text(given["text"])}


def op_action_signature(given, keys, dialect):
    return {"signature": sign_leaves(prepare(given["parameters"]), keys)}


def op_action_json(given, keys, dialect):
    return {"body": json_text(*complete(given, keys))}


def op_action_query(given, keys, dialect):
    return {"query": query_text(*complete(given, keys))}


def op_bucket_request(given, keys, dialect):
    ordered, signature = complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        need(ordered, "Type", "BucketName")
    return {"target": bucket_target(query_text(ordered, signature))}


def sign_given(given, headers, dialect, method, key):
    return header_text(method, given["bucket"], key, headers, dialect)


def op_authorization(given, keys, dialect):
    text = sign_given(given, read_headers(given["headers"]), dialect, given["method"], given["key"])
    return {"authorization": credentials(keys["publicKey"], file_signature(text, keys), dialect)}


def op_form(given, keys, dialect):
    text = form_text(given, read_headers(given["headers"]), dialect)
    return {"authorization": credentials(keys["publicKey"], file_signature(text, keys), dialect)}


def op_policy(given, keys, dialect):
    return {"policy": policy_base64(utf8(policy_json(given["members"])))}


def op_policy_authorization(given, keys, dialect):
    text = sign_given(given, read_headers(given["headers"]), dialect, given["method"], given["key"])
    signature = file_signature(policy_text(text, given["policy"]), keys)
    return {"authorization": policy_credentials(credentials(keys["publicKey"], signature, dialect), given["policy"])}


def op_instant(given, keys, dialect):
    text = sign_given(given, read_headers(given["headers"]), dialect, hit_method(), hit_key(given["key"]))
    return {"target": hit_target(given["etag"], given["key"], given["size"]),
            "authorization": credentials(keys["publicKey"], file_signature(text, keys), dialect)}


def op_presign(given, keys, dialect):
    signature = file_signature(presign_text(given, read_headers(given["headers"]), dialect), keys)
    return {"url": url_start(given["scheme"], given["bucket"], given["fileHost"]) + url_path(given["key"]) + "?"
            + url_query(url_public_key(keys["publicKey"]), percent(url_expires(given["expires"])),
                        url_signature(signature), dialect)}


def op_etag(given, keys, dialect):
    data = content_bytes(given["content"])
    blocks = split(data)
    return {"etag": etag_base64(etag_layout(block_count(data, blocks), etag_digest(data, blocks)))}


def op_part_etag(given, keys, dialect):
    return {"etag": etag_base64(part_raw(content_bytes(given["content"])))}


OPERATIONS = {
    "url-encode": "op_url_encode", "password": "op_password", "action-signature": "op_action_signature",
    "action-json": "op_action_json", "action-query": "op_action_query", "bucket-request": "op_bucket_request",
    "authorization": "op_authorization", "form-authorization": "op_form", "policy": "op_policy",
    "policy-authorization": "op_policy_authorization", "instant-upload": "op_instant", "presigned-url": "op_presign",
    "etag": "op_etag", "part-etag": "op_part_etag", "verify-authorization": "verify_authorization",
    "verify-presigned-url": "verify_url", "verify-query": "verify_query", "verify-json": "verify_json",
}


def answer(question, dialect):
    n = question["n"]
    name = OPERATIONS.get(question["operation"])
    if name is None:
        return {"n": n, "unsupported": True}
    try:
        return {"n": n, "result": globals()[name](question["input"], question["keys"], dialect)}
    except No as no:
        return {"n": n, "refused": {"reason": no.args[0], "message": no.args[1]}}
    except Cannot as cannot:
        return {"n": n, "unsupported": str(cannot)}
    except Exception as problem:
        return {"n": n, "error": type(problem).__name__ + ": " + str(problem)}


def main():
    out = sys.stdout.buffer
    dialect = None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if dialect is None:
            dialect = message["dialect"]
            reply = {"protocol": 1, "implementation": {"name": "acme", "version": "1.0.0", "language": "python"},
                     "operations": list(OPERATIONS), "window": 32}
        else:
            reply = answer(message, dialect)
        out.write(json.dumps(reply).encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main()
