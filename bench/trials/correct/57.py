#!/usr/bin/env python3
"""The signer of a sensor's firmware, first written in Python: SHA-1, HMAC, Base64, hexadecimal and percent-encoding by hand on bytearrays,
every text read by a small automaton, one character at a time. The device hashes too slowly for ETags, so it has none."""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, serve  # noqa: E402

MASK = 0xFFFFFFFF
DIGITS = b"0123456789abcdef"
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
TOKEN_MARKS = b"!#$%&'*+.^_`|~-"


# ---------------------------------------------------------------- hashing

def sha1(message):
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    m = bytearray(message)
    m.append(0x80)
    while len(m) & 63 != 56:
        m.append(0)
    bits = len(message) * 8
    for shift in (56, 48, 40, 32, 24, 16, 8, 0):
        m.append(bits >> shift & 255)
    for at in range(0, len(m), 64):
        w = [m[i] << 24 | m[i + 1] << 16 | m[i + 2] << 8 | m[i + 3] for i in range(at, at + 64, 4)]
        a, b, c, d, e = h
        for t in range(80):
            if t > 15:
                x = w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]
                w.append((x << 1 | x >> 31) & MASK)
            if t < 20:
                f, k = d ^ (b & (c ^ d)), 0x5A827999
            elif t < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif t < 60:
                f, k = b & c | d & (b | c), 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = ((a << 5 | a >> 27) + f + e + k + w[t]) & MASK, a, (b << 30 | b >> 2) & MASK, c, d
        h = [(x + y) & MASK for x, y in zip(h, (a, b, c, d, e))]
    return bytearray(x >> s & 255 for x in h for s in (24, 16, 8, 0))


def hmac_sha1(key, message):
    if len(key) > 64:
        key = sha1(key)
    key = bytearray(key) + bytearray(64 - len(key))
    return sha1(bytearray(k ^ 0x5C for k in key) + sha1(bytearray(k ^ 0x36 for k in key) + message))


def hexadecimal(data):
    out = bytearray()
    for b in data:
        out.append(DIGITS[b >> 4])
        out.append(DIGITS[b & 15])
    return out.decode()


def base64(data):
    out, register, held = bytearray(), 0, 0
    for b in data:
        register, held = (register & 63) << 8 | b, held + 8
        while held >= 6:
            held -= 6
            out.append(ALPHABET[register >> held & 63])
    if held:
        out.append(ALPHABET[register << (6 - held) & 63])
    while len(out) % 4:
        out.append(61)
    return out.decode()


def unbase64(text):
    """Either alphabet, not both; the padding may be missing. None if it is neither."""
    out, register, held, kind, end = bytearray(), 0, 0, None, 0
    for c in text:
        if c == "=":
            end += 1
            continue
        if end or ord(c) > 127:
            return None
        if c in "-_+/":
            mine = c in "-_"
            if kind not in (None, mine):
                return None
            kind = mine
            c = {"-": "+", "_": "/"}.get(c, c)
        at = ALPHABET.find(c.encode())
        if at < 0:
            return None
        register, held = (register << 6 | at) & 0xFFFF, held + 6
        if held >= 8:
            held -= 8
            out.append(register >> held & 255)
    return None if held == 6 or end > 2 else out


# ---------------------------------------------------------------- automata

def utf8(text):
    return bytearray(text.encode("utf-8"))


def is_alnum(b):
    return 48 <= b <= 57 or 65 <= b <= 90 or 97 <= b <= 122


def escape(text):
    out = bytearray()
    for b in utf8(text):
        if is_alnum(b) or b in b"-_.~":
            out.append(b)
        else:
            out += b"%%%02X" % b
    return out.decode()


def nibble(b):
    if 48 <= b <= 57:
        return b - 48
    if 65 <= b <= 70:
        return b - 55
    if 97 <= b <= 102:
        return b - 87
    raise Refused("query-malformed", "escape of two hexadecimal digits expected")


def read_query(query):
    """States: 0 name, 1 value; escape: 0 none, 1 first digit, 2 second digit."""
    pairs, name, value, state, esc, high, seen = [], bytearray(), bytearray(), 0, 0, 0, False
    for b in utf8(query) + b"&":
        if esc == 1:
            high, esc = nibble(b), 2
        elif esc == 2:
            (value if state else name).append(high << 4 | nibble(b))
            esc = 0
        elif b == 38:
            if seen:
                pairs.append((bytes(name), bytes(value)))
            name, value, state, seen = bytearray(), bytearray(), 0, False
        else:
            seen = True
            if b == 37:
                esc = 1
            elif b == 61 and state == 0:
                state = 1
            else:
                (value if state else name).append(b)
    try:
        return [(n.decode("utf-8"), v.decode("utf-8")) for n, v in pairs]
    except UnicodeDecodeError:
        raise Refused("query-malformed", "escapes that are no UTF-8")


def token(name):
    name = name.strip(" \t")
    if not name:
        raise Refused("header-name", "no name")
    for c in name:
        if ord(c) > 127 or not (is_alnum(ord(c)) or ord(c) in TOKEN_MARKS):
            raise Refused("header-name", "character not allowed in a name")
    return name.lower()


TEXT, CR, NEWLINE, FOLD = range(4)


def field_value(value):
    utf8(value)
    out, gap, state = [], "", TEXT
    for c in value:
        if c == "\0":
            raise Refused("header-value", "NUL")
        if state == CR:
            if c != "\n":
                raise Refused("header-value", "CR alone")
            state = NEWLINE
        elif state == NEWLINE:
            if c not in " \t":
                raise Refused("header-value", "line break")
            state = FOLD
        elif c == "\r":
            state, gap = CR, " "
        elif c == "\n":
            state, gap = NEWLINE, " "
        elif c in " \t":
            if state == TEXT:
                gap += c
        else:
            if out:
                out.append(gap)
            out.append(c)
            gap, state = "", TEXT
    if state in (CR, NEWLINE):
        raise Refused("header-value", "line break at the end")
    return "".join(out)


def number(written):
    """States: 0 start, 1 sign, 2 zero, 3 whole, 4 point, 5 fraction, 6 e, 7 sign of the exponent, 8 exponent."""
    state, minus, whole, fraction, exponent, down = 0, False, "", "", 0, False
    for c in written:
        digit = "0" <= c <= "9"
        if digit and state in (0, 1):
            state, whole = 2 if c == "0" else 3, c
        elif digit and state == 3:
            whole += c
        elif digit and state in (4, 5):
            state, fraction = 5, fraction + c
        elif digit and state in (6, 7, 8):
            state, exponent = 8, min(exponent * 10 + int(c), 10 ** 9)
        elif c == "-" and state == 0:
            state, minus = 1, True
        elif c == "." and state in (2, 3):
            state = 4
        elif c in "eE" and state in (2, 3, 5):
            state = 6
        elif c in "+-" and state == 6:
            state, down = 7, c == "-"
        else:
            raise Refused("number", "not a JSON number")
    if state not in (2, 3, 5, 8):
        raise Refused("number", "not a whole JSON number")
    digits, point = whole + fraction, len(whole)
    while digits and digits[0] == "0":
        digits, point = digits[1:], point - 1
    while digits and digits[-1] == "0":
        digits = digits[:-1]
    if not digits:
        return "0"
    point += -exponent if down else exponent
    if not -4000 < point - 1 < 4000:
        raise Refused("number", "the buffer of the device is 4000 digits")
    if point <= 0:
        text = "0." + "0" * -point + digits
    elif point >= len(digits):
        text = digits + "0" * (point - len(digits))
    else:
        text = digits[:point] + "." + digits[point:]
    return "-" + text if minus else text


# ---------------------------------------------------------------- parameters

def flat(given):
    """A stack of what is still to be flattened."""
    out, stack = [], [(n, v) for n, v in reversed(given)]
    while stack:
        name, value = stack.pop()
        if value is None:
            raise Refused("parameter-null", name, "is null")
        if isinstance(value, bool):
            out.append((name, "true" if value else "false", False))
        elif isinstance(value, str):
            out.append((name, value, True))
        elif "number" in value:
            out.append((name, number(value["number"]), False))
        elif "list" in value:
            stack += [(name + "." + str(i), v) for i, v in reversed(list(enumerate(value["list"])))]
        else:
            stack += [(name + "." + n, v) for n, v in reversed(value["object"])]
    return [row for row in out if row[0] != "Signature"]


def insertion_sort(rows):
    out = []
    for row in rows:
        key, at = utf8(row[0]), len(out)
        while at and utf8(out[at - 1][0]) > key:
            at -= 1
        if at and out[at - 1][0] == row[0]:
            raise Refused("parameter-repeated", "a name is there twice")
        out.insert(at, row)
    return out


def sign_rows(rows, pri):
    text = bytearray()
    for name, value, _ in rows:
        text += utf8(name)
        text += utf8(value)
    return hexadecimal(sha1(text + utf8(pri)))


def whole(given):
    rows = flat(given["parameters"])
    ordered = insertion_sort(rows)
    for wanted in ("Action", "PublicKey"):
        if wanted not in [row[0] for row in ordered]:
            raise Refused("parameter-missing", wanted)
    return rows, ordered


def action_signature(given, pub, pri):
    return {"signature": sign_rows(insertion_sort(flat(given["parameters"])), pri)}


def action_json(given, pub, pri):
    rows, ordered = whole(given)
    body = '{"Signature":"' + sign_rows(ordered, pri) + '"'
    for name, value, quoted in rows:
        body += "," + json.dumps(name) + ":" + (json.dumps(value) if quoted else value)
    return {"body": body + "}"}


def action_query(given, pub, pri):
    rows, ordered = whole(given)
    text = ""
    for name, value, _ in rows:                                       # as they came
        text += escape(name) + "=" + escape(value) + "&"
    return {"query": text + "Signature=" + sign_rows(ordered, pri)}


def bucket_request(given, pub, pri):
    have = {name: value for name, value, _ in whole(given)[0]}
    if have["Action"] == "CreateBucket" and not {"Type", "BucketName"} <= set(have):
        raise Refused("parameter-missing", "CreateBucket needs Type and BucketName")
    return {"target": "/?" + action_query(given, pub, pri)["query"]}


def verify_query(given, pub, pri):
    pairs = read_query(given["query"])
    names = [n for n, _ in pairs]
    if len(set(names)) != len(names):
        raise Refused("parameter-repeated", "twice")
    have = dict(pairs)
    got = have.pop("Signature", "")
    if not got:
        raise Refused("signature-missing", "unsigned")
    if "Action" not in have or "PublicKey" not in have:
        raise Refused("parameter-missing", "Action and PublicKey are needed")
    if have["PublicKey"] != pub:
        raise Refused("public-key-unknown", "no such account")
    same_text(sign_rows(insertion_sort([(n, v, True) for n, v in have.items()]), pri), got)
    return {"publicKey": pub}


def same_text(a, b):
    a, b = utf8(a), utf8(b)
    difference = len(a) ^ len(b)
    for x, y in zip(a, b):
        difference |= x ^ y
    if difference:
        raise Refused("signature-mismatch", "another signature")


# ---------------------------------------------------------------- files

def headers_of(given):
    return [(token(name), field_value(value)) for name, value in given["headers"]]


def single(headers, wanted):
    found = [v for n, v in headers if n == wanted]
    if len(found) > 1:
        raise Refused("header-repeated", wanted)
    return found[0] if found else ""


def extra(headers):
    rows = []
    for name, value in headers:
        if name.startswith(WORDS["headerPrefix"].lower()):
            for row in rows:
                if row[0] == name:
                    row[1] += "," + value
                    break
            else:
                rows.append([name, value])
    rows.sort(key=lambda row: row[0])
    return "".join(n + ":" + v + "\n" for n, v in rows)


def to_sign(method, md5, mime, date, headers, bucket, key):
    if not method or any(ord(c) > 127 or not (is_alnum(ord(c)) or ord(c) in TOKEN_MARKS) for c in method):
        raise Refused("method", "no method")
    if bucket == "" or "/" in bucket:
        raise Refused("bucket", "no bucket")
    return "\n".join([method.upper(), md5, mime, date, extra(headers) + "/" + bucket + "/" + key])


def header_text(given):
    h = headers_of(given)
    return h, to_sign(given["method"], single(h, "content-md5"), single(h, "content-type"), single(h, "date"), h, given["bucket"], given["key"])


def mac(text, pri):
    return base64(hmac_sha1(utf8(pri), utf8(text)))


def authorization(given, pub, pri):
    utf8(pub)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(header_text(given)[1], pri)}


def form_authorization(given, pub, pri):
    h = headers_of(given)
    fields = [(n, field_value(v)) for n, v in given["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = single(h, "content-md5") if any(n == "content-md5" for n, _ in h) else single(fields, "Content-MD5")
    text = to_sign("POST", md5, single(fields, "Content-Type"), single(h, "date"), h, given["bucket"], given["key"])
    utf8(pub)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(text, pri)}


def presigned_url(given, pub, pri):
    h = headers_of(given)
    signature = mac(to_sign(given["method"], "", "", given["expires"], h, given["bucket"], given["key"]), pri)
    path = "/".join(escape(part) for part in given["key"].split("/"))
    return {"url": "".join([given["scheme"], "://", given["bucket"], ".", given["fileHost"], "/", path, "?Signature=", escape(signature),
                            "&", WORDS["publicKeyParameter"], "=", escape(pub), "&Expires=", escape(given["expires"])])}


def is_policy(text):
    raw = unbase64(text)
    try:
        return raw is not None and isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(given, pub, pri):
    h, text = header_text(given)
    found = [v for n, v in h if n == "authorization"]
    if not found:
        raise Refused("authorization-missing", "unsigned")
    start = WORDS["scheme"] + " "
    if len(found) > 1 or not found[0].startswith(start):
        raise Refused("authorization-malformed", "one Authorization of the scheme expected")
    parts, blank = [""], False
    for c in found[0][len(start):]:
        if c == ":":
            parts.append("")
        else:
            blank = blank or c in " \t"
            parts[-1] += c
    if blank or "" in parts or not 2 <= len(parts) <= 3:
        raise Refused("authorization-malformed", "public key, colon, signature expected")
    if len(parts) == 3:
        if given["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2]):
            raise Refused("authorization-malformed", "no policy expected")
        text += parts[2]
    if parts[0] != pub:
        raise Refused("public-key-unknown", "no such account")
    same_text(mac(text, pri), parts[1])
    return {"publicKey": pub}


if __name__ == "__main__":
    serve("sensor-57", {
        "url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])},
        "password": lambda given, pub, pri: {"value": base64(utf8(given["text"]))},
        "action-signature": action_signature, "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
        "authorization": authorization, "form-authorization": form_authorization, "presigned-url": presigned_url,
        "verify-authorization": verify_authorization, "verify-query": verify_query})
