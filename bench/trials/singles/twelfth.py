"""Fifty implementations with one mistake each, as patches of base.py: l01 to l36 sign, l37 to l50 verify."""
import base64
import hashlib
import hmac
import json
import re
import struct

import base
from operations import (ACTION, ESCAPES, FILE, HEADER, QUERY, SENDERS, SIGNED, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON,  # noqa: F401
                        V_PARAM, V_QUERY, V_URL)
from recording import wrong

# The correct functions, before any patch.
right = {name: value for name, value in vars(base).items() if callable(value)}


# ------------------------------------------------------------------ percent-encoding, 5.3

wrong("l01", "Percent-encoding leaves ! * ' ( ) as they are, like the encodeURIComponent of JavaScript and Dart.",
      ESCAPES, safe_byte=lambda b: right["safe_byte"](b) or b in b"!*'()")

wrong("l02", "Percent-encoding first turns each lone LF of the text into CR LF, so a line feed is sent as %0D%0A.",
      ESCAPES, text_bytes=lambda text: re.sub(rb"(?<!\r)\n", b"\r\n", right["text_bytes"](text)))

wrong("l03", "Percent-encoding writes bytes below 0x10 with a single hexadecimal digit, so a line feed becomes %A instead of %0A.",
      ESCAPES, escape_byte=lambda b: "%%%X" % b)


def l04(text):
    return text if re.search(r"%[0-9A-Fa-f]{2}", text) and base.utf8(text) else right["percent"](text)


wrong("l04", "A text that contains a percent sign followed by two hexadecimal digits is taken for already encoded and passed on whole, unencoded.",
      ESCAPES, percent=l04)


# ------------------------------------------------------------------ Password, 4.2

def l05(text):
    base.utf8(text)
    return base64.b64encode(text.encode("utf-16-le")).decode()


wrong("l05", "The password's clear text is turned into UTF-16 little-endian bytes, not UTF-8, before Base64.", "password", password_text=l05)


def l06_parameters(parameters):
    return [[n, base.password_text(v) if n == "Password" and isinstance(v, str) else v] for n, v in parameters]


def l06_complete(given, keys):
    return right["complete"]({"parameters": l06_parameters(given["parameters"])}, keys)


def l06_signature(given, keys, dialect):
    return right["op_action_signature"]({"parameters": l06_parameters(given["parameters"])}, keys, dialect)


wrong("l06", "The signer Base64-encodes the text value of the parameter Password once more, though the caller has already encoded it, and signs and sends the result.",
      SIGNED, complete=l06_complete, op_action_signature=l06_signature)


# ------------------------------------------------------------------ parameters, 5.1

def l07(parameters):
    kept = base.without_signature(base.flatten(sorted(parameters, key=lambda pair: base.utf8(pair[0]))))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("l07", "Parameters are sorted by their top-level name before lists and objects are flattened, never after, so Name.2 stands before Name.10 and members keep their order.",
      TYPED, prepare=l07)


def l08(written):
    right["number_text"](written)
    value = float(written)
    return "%.14g" % value if value else "0"


wrong("l08", "Numbers are formatted as doubles with %.14g: digits beyond fourteen significant ones are rounded away, and very large or small values get an exponent.",
      TYPED, number_text=l08)


def l09(leaf):
    return leaf.text if leaf.quoted else {"true": "1", "false": ""}.get(leaf.text, leaf.text)


wrong("l09", "In the signed string a boolean true is written as 1 and false as nothing, while the request itself carries true and false.",
      TYPED, signed_value=l09)

wrong("l10", "List items are numbered from one when flattened: the first item of Name becomes Name.1 rather than Name.0.",
      TYPED, item_name=lambda name, index: name + "." + str(index + 1))


def l11(leaf):
    if leaf.quoted and re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", leaf.text):
        return leaf.text
    return right["json_leaf"](leaf)


wrong("l11", "In the JSON body a text value that looks like a JSON number, for example \"42\", is sent as a number without quotes.",
      "action-json", json_leaf=l11)

wrong("l12", "Parameters with an empty value are left out of the signed string, and the request does not send them.",
      ACTION, order=lambda all_leaves: [x for x in right["order"](all_leaves) if x.text != ""])

wrong("l13", "In the query only values are percent-encoded; parameter names are put in raw.", QUERY, query_name=lambda name: base.utf8(name) and name or name)


def l14(digest):
    return "".join("%x" % word for word in struct.unpack(">5I", digest))


wrong("l14", "The SHA-1 digest is printed as five 32-bit words without zero padding, so each word loses its leading zero digits and the signature gets shorter than 40 characters.",
      ACTION, action_hex=l14)


def rotate(x, n):
    return (x << n | x >> 32 - n) & 0xFFFFFFFF


def l15_sha1(data):
    size = len(data)
    rest = size % 64
    zeros = 55 - rest if rest < 55 else 119 - rest          # the mistake: rest == 55 needs none
    data = data + b"\x80" + bytes(zeros) + struct.pack(">Q", size * 8)
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    for start in range(0, len(data), 64):
        w = list(struct.unpack(">16I", data[start:start + 64]))
        for i in range(16, 80):
            w.append(rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1))
        a, b, c, d, e = h
        for i in range(80):
            if i < 20:
                f, k = b & c | ~b & d, 0x5A827999
            elif i < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif i < 60:
                f, k = b & c | b & d | c & d, 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (rotate(a, 5) + (f & 0xFFFFFFFF) + e + k + w[i]) & 0xFFFFFFFF, a, rotate(b, 30), c, d
        h = [(x + y) & 0xFFFFFFFF for x, y in zip(h, (a, b, c, d, e))]
    return struct.pack(">5I", *h)


def l15(text, private_key):
    return l15_sha1(base.action_bytes(base.with_key(text, base.action_key(private_key))))


wrong("l15", "Its own SHA-1 adds a superfluous 64 zero bytes to the padding when the byte length of the signed string with the private key is 55 modulo 64.",
      ACTION, action_digest=l15)


def l16(text):
    return text.encode("latin-1") if all(ord(c) < 256 for c in text) else base.utf8(text)


wrong("l16", "The signed string is hashed as Latin-1 bytes when all its characters are below U+0100, and as UTF-8 only otherwise.",
      ACTION, action_bytes=l16)


# ------------------------------------------------------------------ files, 5.2

wrong("l17", "Extra headers are sorted as whole lines name:value, not by name, so x-svc-a-b stands before x-svc-a because - is below the colon.",
      FILE, sort_groups=lambda groups: sorted(groups, key=lambda g: g[0] + ":" + base.join_values(g[1])))


def l18(pairs):
    groups = {}
    for name, value in pairs:
        values = groups.setdefault(name, [])
        if value not in values:
            values.append(value)
    return list(groups.items())


wrong("l18", "When an extra header is repeated with the same value, that value is listed only once in the merged entry.", FILE, merge=l18)

wrong("l19", "Spaces after a comma inside the value of an extra header are removed, so one header with the value a, b is signed as a,b.",
      FILE, extra_value=lambda value: re.sub(", +", ",", right["extra_value"](value)))


def l20(value):
    right["header_value"](value)
    return re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value, count=1).strip(" \t\r\n")


wrong("l20", "Only the first fold of an extra header's value is replaced by a space; the line breaks and blanks of later folds stay in the signed string.",
      FILE, extra_value=l20)

wrong("l21", "The Content-Type header is signed without its parameters: everything from the first semicolon on is cut off.",
      HEADER, content_type=lambda headers, method: right["content_type"](headers, method).partition(";")[0].rstrip(" \t"))


def l22(method, bucket, key, headers, dialect):
    method = base.verb(method)
    base.check_bucket(bucket)
    when = base.date(headers, method)
    if base.find(headers, base.extra_prefix(dialect) + "date"):
        when = ""
    return base.lines(method, base.content_md5(headers, method), base.content_type(headers, method), when,
                      base.canonical_headers(headers, dialect), base.resource(bucket, key))


wrong("l22", "When a header X-Svc-Date is present, the Date line of the string to sign stays empty although the header Date is sent as well.",
      HEADER, header_text=l22)


def l23(given, keys, dialect):
    ordered, signature = base.complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        base.need(ordered, "Type", "BucketName")
    sent = [base.Leaf(x.name, x.text.lower() if x.name == "BucketName" else x.text, x.quoted) for x in ordered]
    return {"target": base.bucket_target(base.query_text(sent, signature))}


wrong("l23", "A bucket request sends the value of BucketName in lower case, but signs it as the caller wrote it.", "bucket-request", op_bucket_request=l23)

wrong("l24", "Extra header names are lower-cased by the rules of a Turkish locale: a capital I becomes a dotless i (U+0131).",
      FILE, extra_name=lambda name: name.replace("I", "\u0131").lower())

wrong("l25", "A private key longer than 64 bytes is cut to its first 64 bytes for HMAC-SHA1 instead of being hashed.",
      FILE, file_digest=lambda key, message: hmac.new(key[:64], message, hashlib.sha1).digest())


# ------------------------------------------------------------------ forms, 4.3

def l26(headers, fields):
    value = base.one([value for name, value in fields if name.lower() == "content-type"])
    return "" if value is None else base.positional_value(value)


wrong("l26", "The form field Content-Type is looked up without regard to case, so a field named content-type is signed too.",
      "form-authorization", form_type=l26)


def l27(headers, fields):
    return base.positional(headers, "content-md5")


wrong("l27", "For a form upload Content-MD5 is taken from the HTTP header only; a form field Content-MD5 is never signed.",
      "form-authorization", form_md5=l27)


# ------------------------------------------------------------------ policies, instant upload

wrong("l28", "The policy's JSON is not compact: a space follows each comma between members and each colon.",
      "policy", policy_json=lambda members: "{" + ", ".join(
          json.dumps(n, ensure_ascii=False) + ": " + json.dumps(v, ensure_ascii=False) for n, v in members) + "}")

wrong("l29", "The policy is appended to the string to sign without its trailing = padding, though the header carries it with the padding.",
      "policy-authorization, verify-authorization", policy_text=lambda text, policy: text + policy.rstrip("="))

wrong("l30", "The instant upload is signed for the resource /bucket/uploadhit, the path of the request, instead of /bucket/ and the FileName value.",
      "instant-upload", hit_key=lambda key: "uploadhit")


# ------------------------------------------------------------------ pre-signed URLs, 5.4

def l31(key):
    out = []
    parts = key.split("/")
    for i, part in enumerate(parts):
        if part == "..":
            if out:
                out.pop()
        if part in (".", ".."):
            if i == len(parts) - 1:
                out.append("")
        else:
            out.append(part)
    return right["url_path"]("/".join(out))


wrong("l31", "In a pre-signed URL the path is normalised: . and .. segments of the key are resolved away, while the signature covers the key as given.",
      "presigned-url", url_path=l31)

wrong("l32", "The Signature of a pre-signed URL is percent-encoded twice, so = is sent as %253D.",
      "presigned-url", url_signature=lambda signature: base.percent(base.percent(signature)))


def l33(method):
    right["verb"](method)
    return "GET"


wrong("l33", "A pre-signed URL is always signed with the verb GET, whatever method it is made for.", "presigned-url", presign_method=l33)


# ------------------------------------------------------------------ ETag, 2

wrong("l34", "The block count is the file size divided by 4 MiB, rounded down, plus one, so empty files and exact multiples of 4 MiB count one block too many.",
      "etag", block_count=lambda data, blocks: len(data) // base.BLOCK + 1)


def l35(blocks):
    hashes, buffer = b"", b""
    for block in blocks:
        buffer = bytes(block) + buffer[len(block):]
        hashes += base.etag_hash(buffer)
    return base.etag_hash(hashes)


wrong("l35", "In a file over 4 MiB a short last block is hashed with the whole read buffer, so the rest of the preceding block follows its own bytes.",
      "etag", hash_hashes=l35)


def l36(data):
    blocks = base.split(data)
    return base.etag_hash(data) if len(blocks) <= 1 else base.etag_hash(b"".join(base.etag_hash(b) for b in blocks))


wrong("l36", "The ETag of a part larger than 4 MiB is the SHA-1 over its blocks' SHA-1 values, not the SHA-1 of the whole part.",
      "part-etag", part_raw=l36)


# ------------------------------------------------------------------ verifying

wrong("l37", "Signatures are compared only over the length of the one received, so any non-empty beginning of the right signature is accepted.",
      V_ALL, equal=lambda expected, got: expected.startswith(got))


def l38(expected, got):
    if got.replace("-", "+").replace("_", "/") != expected:
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("l38", "A received file signature in URL-safe Base64, with - for + and _ for /, is accepted as equal to the standard one.",
      V_FILE, check_signature=l38)

wrong("l39", "A raw + in the query of a request being verified is decoded as a space.",
      "verify-query, verify-presigned-url", query_decode=lambda text: right["query_decode"](text.replace("+", " ")))


def l40(given, keys, dialect):
    pairs = list(dict(base.read_query(given["query"])).items())
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


wrong("l40", "When a query being verified has the same parameter twice, the last value silently wins and the request is not refused.",
      V_QUERY, verify_query=l40)


def l41(written):
    value = float(written)
    return {"number": written} if value - value else {"number": repr(value)}


wrong("l41", "Numbers of a JSON body are read as doubles before verifying, so digits that a double cannot hold are changed and genuine requests refused.",
      V_JSON, json_number=l41)


def l42(body):
    try:
        decoder = json.JSONDecoder(object_pairs_hook=base.json_pairs, parse_int=base.json_number,
                                   parse_float=base.json_number, parse_constant=base.json_constant)
        value, _ = decoder.raw_decode(body.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        raise base.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise base.No("body-malformed", "not an object")
    return value["object"]


wrong("l42", "A JSON body is read up to the end of its first value; whatever follows the object is ignored and the request accepted.",
      V_JSON, read_json=l42)


def l43(now, expires):
    base.expires_seconds(expires)
    if now > expires:
        raise base.No("expired", "too late")


wrong("l43", "The current time and Expires are compared as texts, character by character, not as numbers, so times of different length are judged wrongly.",
      V_URL, check_expiry=l43)


def l44(expires):
    match = re.match(r"[0-9]{1,15}", expires)
    if not match:
        raise base.No("expires-malformed", "not a number of seconds")
    return int(match[0])


wrong("l44", "An Expires with characters after its leading digits, such as 1700000000abc, is accepted and only the leading digits are compared with the time.",
      V_URL, expires_seconds=l44)


def l45(path):
    once = right["key_of_path"](path)
    try:
        return right["key_of_path"](once)
    except base.No:
        return once


wrong("l45", "The path of a pre-signed URL is percent-decoded twice before verifying, so a key with a literal %41 is checked as A.",
      V_URL, key_of_path=l45)


def l46(host, file_host):
    bucket, _, rest = host.partition(".")
    if not bucket or not rest.lower().endswith(file_host.lower()):
        raise base.No("url-malformed", "another host")
    return bucket


wrong("l46", "The host after the bucket need only end with the file host, so a pre-signed URL on bucket.evil plus the file host is accepted.",
      V_URL, check_host=l46)

wrong("l47", "With PUT and POST any third part of the Authorization header passes as a policy, even if it is not Base64 of a JSON object.",
      V_AUTH, policy_ok=lambda policy: True)


def l48(headers):
    values = base.find(headers, "authorization")
    if not values:
        raise base.No("authorization-missing", "no Authorization")
    return base.header_value(values[0])


wrong("l48", "When a request has several Authorization headers, the first one is verified and the others are ignored instead of refusing the request.",
      V_AUTH, find_authorization=l48)


def l49(public_key, keys):
    if public_key.lower() != keys["publicKey"].lower():
        raise base.No("public-key-unknown", "unknown")


wrong("l49", "The account is looked up without regard to the case of the public key, so a request with its letters in another case is accepted.",
      V_ALL, check_account=l49)


def l50(query):
    return [pair for pair in right["read_query"](query) if pair[1] != ""]


wrong("l50", "Query parameters with an empty value are dropped while reading, so they are missing from the string that is verified.",
      V_QUERY, read_query=l50)
