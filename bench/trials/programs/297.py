#!/usr/bin/env python3
r"""A C++ library for everything (OpenSSL, libcurl, RapidJSON), client and server side, translated.

Mistakes:
1. Reads a file with while (!feof(f)) fread(...). After a file whose size is a multiple of 4 MiB comes one more, empty block: the count is one too
   high (2 for exactly 4 MiB, which still has the single hash), and for larger files the SHA-1 of nothing is hashed at the end of the list. An empty file is right.
2. Hashes the signed text of parameters with SHA1(s.c_str(), strlen(s.c_str()), out): it ends before the first NUL character, and the private key
   behind it is lost too. Signing and checking.
3. Checks the signature of parameters with strncmp(expected, got, strlen(got)): the beginning of the right signature is enough (it must not be
   empty). Queries and JSON.
4. Treats Content-Type as a header of bodies only: with GET, HEAD and DELETE its line is empty even if the header is sent. Signing and checking.
5. The check of a link looks for the file host with host.find and does not test that the host ends there: b.{file_host}.example.net is accepted for
   b.{file_host}.
6. Merges the values of a repeated extra header in a std::set: they are sorted, and equal values become one. Signing and checking.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

ALPHA = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGIT = "0123456789"
HEX = "0123456789abcdefABCDEF"
UNRESERVED = set((ALPHA + DIGIT + "-_.~").encode())
TOKEN = set(ALPHA + DIGIT + "!#$%&'*+-.^_`|~")


# ---------------------------------------------------------------- strings

def url_encode(s):
    out = bytearray()
    for c in s.encode("utf-8"):
        if c in UNRESERVED:
            out.append(c)
        else:
            out += b"%%%02X" % c
    return out.decode("ascii")


def url_decode(s, reason):
    data = s.encode("utf-8")
    out, i = bytearray(), 0
    while i < len(data):
        if data[i] == ord("%"):
            two = data[i + 1:i + 3]
            if len(two) < 2 or chr(two[0]) not in HEX or chr(two[1]) not in HEX:
                raise Refused(reason, "bad escape")
            out.append(int(two, 16))
            i += 2
        else:
            out.append(data[i])
        i += 1
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "bad UTF-8")


def is_token(s):
    return len(s) > 0 and all(c in TOKEN for c in s)


def base64_url(data):
    return base64.b64encode(data, b"-_").decode("ascii")


# ---------------------------------------------------------------- headers

def header_value(raw):
    raw.encode("utf-8")
    out, i = "", 0
    while i < len(raw):
        eol = 2 if raw.startswith("\r\n", i) else 1 if raw[i] == "\n" else 0
        if eol and raw[i + eol:i + eol + 1] in (" ", "\t") and i + eol < len(raw):
            out = out.rstrip(" \t") + " "
            i += eol
            while i < len(raw) and raw[i] in " \t":
                i += 1
        elif raw[i] in "\r\n\0":
            raise Refused("header-value", "control character")
        else:
            out += raw[i]
            i += 1
    return out.strip(" \t")


class Headers:
    def __init__(self, pairs):
        self.items = []
        for name, raw in pairs:
            name = name.strip(" \t")
            if not is_token(name):
                raise Refused("header-name", name)
            self.items.append((name.lower(), header_value(raw)))

    def count(self, name):
        return sum(n == name for n, _ in self.items)

    def get(self, name):
        if self.count(name) > 1:
            raise Refused("header-repeated", name)
        for n, v in self.items:
            if n == name:
                return v
        return ""

    def canonical(self):
        prefix = WORDS["headerPrefix"].lower()
        grouped = {}
        for n, v in self.items:
            if n.startswith(prefix):
                grouped.setdefault(n, []).append(v)
        out = ""
        for n in sorted(grouped):
            out += n + ":" + ",".join(merged(grouped[n])) + "\n"
        return out


def merged(values):
    return sorted(set(values), key=lambda v: v.encode("utf-8"))


# ---------------------------------------------------------------- file signatures

def check_method(method):
    if not is_token(method):
        raise Refused("method", method)
    return method.upper()


def check_bucket(bucket):
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", bucket)


def string_to_sign(method, md5, mime, date, headers, bucket, key):
    check_bucket(bucket)
    return method + "\n" + md5 + "\n" + mime + "\n" + date + "\n" + headers.canonical() + "/" + bucket + "/" + key


def request_string(method, headers, bucket, key):
    method = check_method(method)
    md5, mime, date = headers.get("content-md5"), headers.get("content-type"), headers.get("date")
    if method in ("GET", "HEAD", "DELETE"):
        mime = ""
    return string_to_sign(method, md5, mime, date, headers, bucket, key)


def hmac_sign(pri, text):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), hashlib.sha1).digest()).decode("ascii")


def credential(pub, signature, policy=""):
    pub.encode("utf-8")
    out = WORDS["scheme"] + " " + pub + ":" + signature
    if policy != "":
        out += ":" + policy
    return out


def authorization(given, pub, pri):
    policy = given.get("policy", "")
    text = request_string(given["method"], Headers(given["headers"]), given["bucket"], given["key"])
    return {"authorization": credential(pub, hmac_sign(pri, text + policy), policy)}


def form_authorization(given, pub, pri):
    headers = Headers(given["headers"])
    types = [header_value(v) for n, v in given["fields"] if n == "Content-Type"]
    md5s = [header_value(v) for n, v in given["fields"] if n == "Content-MD5"]
    if headers.count("content-md5") > 0:
        md5s = [headers.get("content-md5")]
    if len(types) > 1 or len(md5s) > 1:
        raise Refused("header-repeated", "form field")
    types.append("")
    md5s.append("")
    text = string_to_sign("POST", md5s[0], types[0], headers.get("date"), headers, given["bucket"], given["key"])
    return {"authorization": credential(pub, hmac_sign(pri, text))}


def make_policy(given, pub, pri):
    out = "{"
    for name, value in given["members"]:
        if out != "{":
            out += ","
        out += json.dumps(name, ensure_ascii=False) + ":" + json.dumps(value, ensure_ascii=False)
    return {"policy": base64_url((out + "}").encode("utf-8"))}


def upload_hit(given, pub, pri):
    text = request_string("POST", Headers(given["headers"]), given["bucket"], given["key"])
    target = "/uploadhit?Hash=" + url_encode(given["etag"]) + "&FileName=" + url_encode(given["key"]) + "&FileSize=" + url_encode(given["size"])
    return {"target": target, "authorization": credential(pub, hmac_sign(pri, text))}


def presigned_url(given, pub, pri):
    headers = Headers(given["headers"])
    text = string_to_sign(check_method(given["method"]), "", "", given["expires"], headers, given["bucket"], given["key"])
    url = given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + url_encode(given["key"]).replace("%2F", "/")
    url += "?" + WORDS["publicKeyParameter"] + "=" + url_encode(pub) + "&Expires=" + url_encode(given["expires"])
    return {"url": url + "&Signature=" + url_encode(hmac_sign(pri, text))}


# ---------------------------------------------------------------- ETags

BLOCK = 4 * 1024 * 1024


def file_etag(given, pub, pri):
    data = content(given["content"])
    count, list_of_hashes = 0, b""
    for at in range(0, len(data), BLOCK):
        list_of_hashes += hashlib.sha1(data[at:at + BLOCK]).digest()
        count += 1
    if data and len(data) % BLOCK == 0:
        list_of_hashes += hashlib.sha1(b"").digest()
        count += 1
    digest = hashlib.sha1(data if len(data) <= BLOCK else list_of_hashes).digest()
    header = bytes([count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24 & 255])
    return {"etag": base64_url(header + digest)}


def part_etag(given, pub, pri):
    return {"etag": base64_url(hashlib.sha1(content(given["content"])).digest())}


# ---------------------------------------------------------------- parameters

def is_number(s):
    s = s[1:] if s.startswith("-") else s
    mantissa, e, exponent = s.replace("E", "e").partition("e")
    whole, dot, fraction = mantissa.partition(".")
    if e:
        exponent = exponent[1:] if exponent[:1] in ("+", "-") else exponent
        if not digits(exponent):
            return False
    if dot and not digits(fraction):
        return False
    return digits(whole) and (whole == "0" or whole[0] != "0")


def digits(s):
    return s != "" and all(c in DIGIT for c in s)


def plain_decimal(written):
    if not is_number(written):
        raise Refused("number", written)
    try:
        number = Decimal(written)
    except ArithmeticError:
        raise Refused("number", written)
    if number == 0:
        return "0"
    if number.adjusted() >= 4000 or number.adjusted() <= -4000:
        raise Refused("number", written)
    text = format(number, "f")
    while "." in text and text[-1] in "0.":
        text = text[:-1]
    return text


def flatten(out, name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if value is True:
        out.append((name, "true", False))
    elif value is False:
        out.append((name, "false", False))
    elif isinstance(value, str):
        out.append((name, value, True))
    elif "number" in value:
        out.append((name, plain_decimal(value["number"]), False))
    elif "list" in value:
        for index, item in enumerate(value["list"]):
            flatten(out, name + "." + str(index), item)
    else:
        for member, item in value["object"]:
            flatten(out, name + "." + member, item)


class Parameters:
    def __init__(self, pairs):
        flat, names = [], set()
        for name, value in pairs:
            flatten(flat, name, value)
        self.rows = []
        for row in flat:
            if row[0] == "Signature":
                continue
            if row[0] in names:
                raise Refused("parameter-repeated", row[0])
            names.add(row[0])
            self.rows.append(row)
        self.rows.sort(key=lambda row: row[0].encode("utf-8"))

    def get(self, name):
        for n, text, _ in self.rows:
            if n == name:
                return text
        raise Refused("parameter-missing", name)

    def sign(self, pri):
        text = "".join(n + t for n, t, _ in self.rows) + pri
        return hashlib.sha1(c_str(text.encode("utf-8"))).hexdigest()

    def query(self, pri):
        signature = self.sign(pri)
        return "".join(url_encode(n) + "=" + url_encode(t) + "&" for n, t, _ in self.rows) + "Signature=" + signature


def c_str(data):
    return data.split(b"\0")[0]


def request_parameters(given):
    p = Parameters(given["parameters"])
    p.get("Action")
    p.get("PublicKey")
    return p


def action_json(given, pub, pri):
    p = request_parameters(given)
    signature = p.sign(pri)
    body = "".join(json.dumps(n) + ":" + (json.dumps(t) if text else t) + "," for n, t, text in p.rows)
    return {"body": "{" + body + '"Signature":"' + signature + '"}'}


def bucket_request(given, pub, pri):
    p = request_parameters(given)
    if p.get("Action") == "CreateBucket":
        p.get("Type")
        p.get("BucketName")
    return {"target": "/?" + p.query(pri)}


# ---------------------------------------------------------------- checking

def strncmp_equal(expected, got):
    return expected[:len(got)] == got


def check_parameters(p, signature, pub, pri):
    if not isinstance(signature, str) or signature == "":
        raise Refused("signature-missing", "")
    p.get("Action")
    if p.get("PublicKey") != pub:
        raise Refused("public-key-unknown", "")
    if not strncmp_equal(p.sign(pri), signature):
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def parse_query(query):
    out = []
    for piece in query.split("&"):
        if piece != "":
            eq = piece.find("=")
            name, value = (piece, "") if eq < 0 else (piece[:eq], piece[eq + 1:])
            out.append((url_decode(name, "query-malformed"), url_decode(value, "query-malformed")))
    return out


def verify_query(given, pub, pri):
    pairs = parse_query(given["query"])
    if len(set(n for n, _ in pairs)) < len(pairs):
        raise Refused("parameter-repeated", "")
    signature = None
    for n, v in pairs:
        if n == "Signature":
            signature = v
    return check_parameters(Parameters(pairs), signature, pub, pri)


class Node(dict):
    pass


def json_object(members):
    seen, out = set(), []
    for n, v in members:
        if n in seen:
            raise Refused("parameter-repeated", n)
        seen.add(n)
        out.append((n, json_value(v)))
    return Node(object=out)


def json_value(v):
    return Node(list=[json_value(i) for i in v]) if isinstance(v, list) else v


def json_number(written):
    return Node(number=written)


def json_constant(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    try:
        document = json.loads(given["body"], object_pairs_hook=json_object, parse_int=json_number, parse_float=json_number,
                              parse_constant=json_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "parse error")
    if not isinstance(document, Node) or "object" not in document:
        raise Refused("body-malformed", "no object")
    members = document["object"]
    try:
        for n, v in members:
            flatten([], n, v)
    except Refused as e:
        raise Refused("body-malformed", e.args[0])
    return check_parameters(Parameters(members), dict(members).get("Signature"), pub, pri)


def is_policy(policy):
    if ("-" in policy or "_" in policy) and ("+" in policy or "/" in policy):
        return False
    s = policy.rstrip("=").replace("-", "+").replace("_", "/")
    if len(s) % 4 == 1 or any(c not in ALPHA + DIGIT + "+/" for c in s):
        return False
    try:
        return isinstance(json.loads(base64.b64decode(s + "=" * (-len(s) % 4)).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, pub, pri):
    headers = Headers(given["headers"])
    text = request_string(given["method"], headers, given["bucket"], given["key"])
    if headers.count("authorization") == 0:
        raise Refused("authorization-missing", "")
    if headers.count("authorization") > 1:
        raise Refused("authorization-malformed", "")
    value, scheme = headers.get("authorization"), WORDS["scheme"] + " "
    if value[:len(scheme)] != scheme:
        raise Refused("authorization-malformed", "scheme")
    value = value[len(scheme):]
    parts = value.split(":")
    if len(parts) not in (2, 3) or "" in parts or " " in value or "\t" in value:
        raise Refused("authorization-malformed", "credentials")
    if len(parts) == 3:
        if check_method(given["method"]) not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "policy")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", parts[0])
    if not hmac.compare_digest(hmac_sign(pri, text).encode("utf-8"), parts[1].encode("utf-8")):
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def bucket_of(host, file_host):
    at = host.lower().find("." + file_host.lower())
    if at < 1 or "." in host[:at]:
        raise Refused("url-malformed", "host")
    return host[:at]


def verify_url(given, pub, pri):
    method = check_method(given["method"])
    headers = Headers(given["headers"])
    url = given["url"]
    scheme = url.find("://")
    if url[:max(scheme, 0)] not in ("http", "https") or "#" in url:
        raise Refused("url-malformed", "scheme")
    rest, _, query = url[scheme + 3:].partition("?")
    host, slash, path = rest.partition("/")
    if slash == "":
        raise Refused("url-malformed", "path")
    bucket = bucket_of(host, given["fileHost"])
    key = url_decode(path, "url-malformed")
    wanted = {WORDS["publicKeyParameter"]: None, "Expires": None, "Signature": None}
    repeated = False
    for n, v in parse_query(query):
        if n in wanted:
            repeated = repeated or wanted[n] is not None
            wanted[n] = v
    if repeated:
        raise Refused("parameter-repeated", "")
    user, expires, signature = wanted.values()
    if not signature:
        raise Refused("signature-missing", "")
    if user is None or expires is None:
        raise Refused("parameter-missing", "")
    if not digits(expires) or len(expires) > 15:
        raise Refused("expires-malformed", expires)
    if int(given["now"]) > int(expires):
        raise Refused("expired", expires)
    if user != pub:
        raise Refused("public-key-unknown", user)
    if hmac_sign(pri, string_to_sign(method, "", "", expires, headers, bucket, key)) != signature:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


serve("cpp-everything", {
    "url-encode": lambda given, pub, pri: {"encoded": url_encode(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode("ascii")},
    "action-signature": lambda given, pub, pri: {"signature": Parameters(given["parameters"]).sign(pri)},
    "action-json": action_json,
    "action-query": lambda given, pub, pri: {"query": request_parameters(given).query(pri)},
    "bucket-request": bucket_request,
    "authorization": authorization, "policy-authorization": authorization, "form-authorization": form_authorization, "policy": make_policy,
    "instant-upload": upload_hit, "presigned-url": presigned_url, "etag": file_etag, "part-etag": part_etag,
    "verify-authorization": verify_authorization, "verify-presigned-url": verify_url, "verify-query": verify_query, "verify-json": verify_json,
})
