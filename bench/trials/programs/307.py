#!/usr/bin/env python3
r"""A Perl administrator's module for backups and its test server: the account API, the files and all four verifiers. Ported from Perl.

Mistakes:
1. Uses numbers in numeric context: integers that fit 64 bits stay exact; all other numbers (with a fraction or exponent, or more than 64 bits) are rounded to 15
   significant digits as with sprintf("%.15g") and then written plainly. Numbers beyond a double are refused.
2. Skips an extra header with `next unless $value`: a value that is empty or 0 is not signed, neither alone nor among values of the same name.
3. Splits a query's pairs with `my ($name, $value) = split /=/, $pair`: the value ends before the next raw equals sign, in verify-query and in pre-signed URLs.
4. Splits the credentials with split /:/, which drops empty fields at the end: colons at the end of the Authorization header are ignored by the verifier.
5. The verifier's URL pattern has a greedy path before \?, so a URL is cut at its last question mark, not at its first. A URL whose query holds a raw question mark
   is taken apart wrongly.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402


def sha1_hex(s):
    return hashlib.sha1(s.encode("utf-8")).hexdigest()


def uri_escape(s):
    return "".join("%%%02X" % b if not re.match(rb"[A-Za-z0-9._~-]", bytes([b])) else chr(b) for b in s.encode("utf-8"))


def uri_unescape(s, reason):
    s = s.encode("utf-8")
    if re.search(rb"%(?![0-9a-fA-F][0-9a-fA-F])", s):
        raise Refused(reason, "stray %")
    try:
        return re.sub(rb"%([0-9a-fA-F][0-9a-fA-F])", lambda m: bytes([int(m[1], 16)]), s).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


# ---------------------------------------------------------------- account

def number(written):
    if not re.fullmatch("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?", written):
        raise Refused("number", "not numeric")
    if re.fullmatch("-?[0-9]{1,20}", written) and -2 ** 63 <= int(written) < 2 ** 64:
        return str(int(written))
    s = "%.15g" % float(written)
    if "inf" in s:
        raise Refused("number", "Inf")
    s = "{:f}".format(Decimal(s))
    if "." in s:
        s = s.rstrip("0").rstrip(".")
    return "0" if Decimal(s) == 0 else s


def flatten(rows, name, v):
    if v is None:
        raise Refused("parameter-null", "undef")
    if v is True:
        rows.append((name, "true", 0))
    elif v is False:
        rows.append((name, "false", 0))
    elif isinstance(v, str):
        rows.append((name, v, 1))
    elif "number" in v:
        rows.append((name, number(v["number"]), 0))
    elif "list" in v:
        for i in range(len(v["list"])):
            flatten(rows, name + "." + str(i), v["list"][i])
    else:
        for pair in v["object"]:
            flatten(rows, name + "." + pair[0], pair[1])


def rows_of(params):
    rows = []
    for name, v in params:
        flatten(rows, name, v)
    rows = sorted((r for r in rows if r[0] != "Signature"), key=lambda r: r[0].encode("utf-8"))
    for a, b in zip(rows, rows[1:]):
        if a[0] == b[0]:
            raise Refused("parameter-repeated", a[0])
    return rows


def signature(rows, pri):
    return sha1_hex("".join(r[0] + r[1] for r in rows) + pri)


def need(rows, *names):
    for n in names:
        if not [r for r in rows if r[0] == n]:
            raise Refused("parameter-missing", n)


def signed(given, pri):
    rows = rows_of(given["parameters"])
    need(rows, "Action", "PublicKey")
    return rows, signature(rows, pri)


def action_json(given, pub, pri):
    rows, sig = signed(given, pri)
    return {"body": "{%s}" % ",".join(json.dumps(n) + ":" + (json.dumps(v) if q else v) for n, v, q in rows + [("Signature", sig, 1)])}


def query(rows, sig):
    return "&".join(uri_escape(n) + "=" + uri_escape(v) for n, v, _ in rows + [("Signature", sig, 1)])


def action_query(given, pub, pri):
    return {"query": query(*signed(given, pri))}


def bucket_request(given, pub, pri):
    rows, sig = signed(given, pri)
    if ("Action", "CreateBucket") in [r[:2] for r in rows]:
        need(rows, "Type", "BucketName")
    return {"target": "/?" + query(rows, sig)}


# ---------------------------------------------------------------- files

def clean(v):
    v.encode("utf-8")
    v = re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", v)
    v = re.sub(r"\A[ \t]+", "", v)
    v = re.sub(r"[ \t]+\Z", "", v)
    if re.search(r"[\r\n\0]", v):
        raise Refused("header-value", "control character")
    return v


def headers_of(given):
    out = []
    for n, v in given["headers"]:
        n = n.strip(" \t").lower() if n.isascii() else "("
        if not re.fullmatch(r"[a-z0-9!#$%&'*+.^_`|~-]+", n):
            raise Refused("header-name", "no token")
        out.append((n, clean(v)))
    return out


def method_of(m):
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", m):
        raise Refused("method", "no token")
    return m.upper()


def get(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0] if found else ""


def extra(headers):
    h = {}
    for n, v in headers:
        if not n.startswith(WORDS["headerPrefix"].lower()) or v in ("", "0"):
            continue
        h[n] = h[n] + "," + v if n in h else v
    return "".join(n + ":" + h[n] + "\n" for n in sorted(h))


def string_to_sign(method, md5, mime, date, headers, bucket, key):
    return "\n".join([method, md5, mime, date, extra(headers)]) + "/" + bucket + "/" + key


def bucket_of(given):
    if given["bucket"] == "" or given["bucket"].count("/"):
        raise Refused("bucket", "no bucket")
    return given["bucket"]


def header_string(given, method):
    headers = headers_of(given)
    method, bucket = method_of(method), bucket_of(given)
    return headers, string_to_sign(method, get(headers, "content-md5"), get(headers, "content-type"), get(headers, "date"), headers, bucket, given["key"])


def mac(text, pri):
    return base64.b64encode(hmac.new(pri.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode()


def credentials(pub, sig, policy=""):
    pub.encode("utf-8")
    return {"authorization": WORDS["scheme"] + " " + ":".join([pub, sig] + [policy] * (policy != ""))}


def authorization(given, pub, pri):
    return credentials(pub, mac(header_string(given, given["method"])[1], pri))


def policy_authorization(given, pub, pri):
    return credentials(pub, mac(header_string(given, given["method"])[1] + given["policy"], pri), given["policy"])


def form_authorization(given, pub, pri):
    headers = headers_of(given)
    fields = [(n, clean(v)) for n, v in given["fields"] if n in ("Content-Type", "Content-MD5")]
    bucket = bucket_of(given)
    md5 = get(headers, "content-md5") if [n for n, _ in headers if n == "content-md5"] else get(fields, "Content-MD5")
    return credentials(pub, mac(string_to_sign("POST", md5, get(fields, "Content-Type"), get(headers, "date"), headers, bucket, given["key"]), pri))


def policy(given, pub, pri):
    text = ",".join(json.dumps(x, ensure_ascii=False) + ":" + json.dumps(y, ensure_ascii=False) for x, y in given["members"])
    return {"policy": base64.urlsafe_b64encode(("{" + text + "}").encode("utf-8")).decode()}


def instant_upload(given, pub, pri):
    out = credentials(pub, mac(header_string(given, "POST")[1], pri))
    out["target"] = "/uploadhit?Hash=" + uri_escape(given["etag"]) + "&FileName=" + uri_escape(given["key"]) + "&FileSize=" + uri_escape(given["size"])
    return out


def presigned_url(given, pub, pri):
    headers, method = headers_of(given), method_of(given["method"])
    sig = mac(string_to_sign(method, "", "", given["expires"], headers, bucket_of(given), given["key"]), pri)
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + re.sub("%2F", "/", uri_escape(given["key"])) + "?"
            + WORDS["publicKeyParameter"] + "=" + uri_escape(pub) + "&Expires=" + uri_escape(given["expires"]) + "&Signature=" + uri_escape(sig)}


def etag(given, pub, pri):
    data = content(given["content"])
    digests = [hashlib.sha1(data[i:i + 4194304]).digest() for i in range(0, len(data), 4194304)]
    digest = hashlib.sha1(b"".join(digests) if len(digests) > 1 else data).digest()
    return {"etag": base64.urlsafe_b64encode(len(digests).to_bytes(4, "little") + digest).decode()}


def part_etag(given, pub, pri):
    return {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode()}


# ---------------------------------------------------------------- test server

def is_policy(s):
    if re.search("[+/]", s) and re.search("[-_]", s):
        return False
    s = s.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(s + "=" * (-len(s) % 4), validate=True).decode("utf-8")
        return isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError):
        return False


def account(who, pub):
    if who != pub:
        raise Refused("public-key-unknown", "no such account")


def verify_authorization(given, pub, pri):
    headers, text = header_string(given, given["method"])
    found = [v for n, v in headers if n == "authorization"]
    if not found:
        raise Refused("authorization-missing", "no header")
    m = re.fullmatch(r"(\S+) ([^ \t]+)", found[0], re.S)
    if len(found) > 1 or not m or m[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed", "no credentials")
    parts = m[2].rstrip(":").split(":")
    if len(parts) < 2 or len(parts) > 3 or "" in parts:
        raise Refused("authorization-malformed", "no credentials")
    if len(parts) == 3:
        if given["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "no policy")
        text += parts[2]
    account(parts[0], pub)
    if mac(text, pri) != parts[1]:
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": parts[0]}


def query_pairs(s):
    out = []
    for pair in s.split("&"):
        if pair != "":
            fields = pair.split("=") + [""]
            out.append((uri_unescape(fields[0], "query-malformed"), uri_unescape(fields[1], "query-malformed")))
    return out


def once(names):
    if len(names) > len(set(names)):
        raise Refused("parameter-repeated", "twice")


def verify_presigned_url(given, pub, pri):
    method, headers = method_of(given["method"]), headers_of(given)
    m = re.fullmatch(r"https?://([^/?#]*)/([^#]*)", given["url"], re.S)
    if not m:
        raise Refused("url-malformed", "no URL")
    path, cut, rest = m[2].rpartition("?")
    if not cut:
        path, rest = rest, ""
    bucket, _, host = m[1].partition(".")
    if bucket == "" or host.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key = uri_unescape(path, "url-malformed")
    known = [WORDS["publicKeyParameter"], "Expires", "Signature"]
    pairs = [p for p in query_pairs(rest) if p[0] in known]
    once([p[0] for p in pairs])
    values = dict(pairs)
    if not values.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    for n in known:
        if n not in values:
            raise Refused("parameter-missing", n)
    expires = values["Expires"]
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", "no time")
    if int(expires) < int(given["now"]):
        raise Refused("expired", "too late")
    account(values[known[0]], pub)
    if mac(string_to_sign(method, "", "", expires, headers, bucket, key), pri) != values["Signature"]:
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": values[known[0]]}


def check(params, pub, pri):
    rows = rows_of(params)
    sig = dict(params).get("Signature")
    if not isinstance(sig, str) or sig == "":
        raise Refused("signature-missing", "no Signature")
    need(rows, "Action", "PublicKey")
    who = [r[1] for r in rows if r[0] == "PublicKey"][0]
    account(who, pub)
    if signature(rows, pri) != sig:
        raise Refused("signature-mismatch", "wrong")
    return {"publicKey": who}


def verify_query(given, pub, pri):
    pairs = query_pairs(given["query"])
    once([p[0] for p in pairs])
    return check(pairs, pub, pri)


def tag(v):
    return {"list": [tag(x) for x in v]} if isinstance(v, list) else v


def tag_object(pairs):
    once([p[0] for p in pairs])
    return {"object": [(n, tag(v)) for n, v in pairs]}


def die(word):
    raise ValueError(word)


def verify_json(given, pub, pri):
    def n(s):
        return {"number": s}
    try:
        doc = json.loads(given["body"], object_pairs_hook=tag_object, parse_int=n, parse_float=n, parse_constant=die)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "no JSON")
    if not isinstance(doc, dict) or "object" not in doc:
        raise Refused("body-malformed", "no object")
    try:
        for name, v in doc["object"]:
            flatten([], name, v)
    except Refused as e:
        raise Refused("body-malformed", *e.args[1:])
    return check(doc["object"], pub, pri)


serve("perl-backup", {
    "url-encode": lambda given, pub, pri: {"encoded": uri_escape(given["text"])},
    "password": lambda given, pub, pri: {"value": base64.b64encode(given["text"].encode("utf-8")).decode()},
    "action-signature": lambda given, pub, pri: {"signature": signature(rows_of(given["parameters"]), pri)},
    "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
    "authorization": authorization, "form-authorization": form_authorization, "policy": policy, "policy-authorization": policy_authorization,
    "instant-upload": instant_upload, "presigned-url": presigned_url, "etag": etag, "part-etag": part_etag,
    "verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url, "verify-query": verify_query,
    "verify-json": verify_json})
