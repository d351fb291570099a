"""Thirty implementations with one mistake each, as patches of base.py."""
import base
from operations import (ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, SIGNED, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON, V_PARAM, V_QUERY, V_URL)  # noqa: F401
from recording import wrong

right = {name: value for name, value in vars(base).items() if callable(value)}

import base64  # noqa: E402
import hashlib  # noqa: E402
import posixpath  # noqa: E402
import re  # noqa: E402
from datetime import timezone  # noqa: E402
from decimal import Decimal  # noqa: E402
from email.utils import format_datetime, parsedate_to_datetime  # noqa: E402

import itertools  # noqa: E402
import struct  # noqa: E402
import unicodedata  # noqa: E402


# ------------------------------------------------------------------ account-API parameters

wrong("ak01", "Lua 5.1: every number goes through tostring(), which is %.14g: 15 and more digits are rounded and get an "
      "exponent, 123456789012345678 gives 1.2345678901235e+17.", TYPED,
      number_text=lambda written: "%.14g" % float(right["number_text"](written)))

wrong("ak02", "Perl: sort map { \"$_=$p{$_}\" }: the pairs name=value are sorted as texts, not the names, so Disk0 and Disk.0 "
      "come before Disk, because 0 and the dot are below =.", ACTION,
      order=lambda leaves: sorted(leaves, key=lambda leaf: base.utf8(leaf.name + "=" + leaf.text)))

wrong("ak03", "PHP: builds the unescaped query string a=1&b=2 and then str_replace(['=', '&'], '', ...): names and values "
      "that hold = or & (such as the padding of a Base64 Password) lose them in the signed text.", ACTION,
      join_pairs=lambda pairs: "".join(pairs).replace("=", "").replace("&", ""))


def php_falsy(value):
    if isinstance(value, dict):
        return not Decimal(base.number_text(value["number"])) if "number" in value else not list(value.values())[0]
    return value in (None, False, "", "0")


wrong("ak04", "PHP: array_filter($params) without a callback is meant to drop nulls, but drops each top-level parameter that is "
      "'', '0', 0 or false as well, from the signature and from the request.", SIGNED,
      prepare=lambda parameters: right["prepare"]([p for p in parameters if not php_falsy(p[1])]),
      verify_prepare=right["prepare"])

wrong("ak05", "Swift: names are sorted with String's <, which compares by canonical equivalence (as NFC): e + U+0301 sorts as "
      "U+00E9, after z, instead of by its bytes.", ACTION,
      order=lambda leaves: sorted(leaves, key=lambda leaf: base.utf8(unicodedata.normalize("NFC", leaf.name))))


def sha1_by_hand(data):
    if len(data) % 64 != 55:                               # everywhere else it is right
        return hashlib.sha1(data).digest()
    rol = lambda x, n: (x << n | x >> 32 - n) & 0xFFFFFFFF  # noqa: E731
    full = data + b"\x80" + bytes(64 - (len(data) + 9) % 64) + struct.pack(">Q", 8 * len(data))
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    for i in range(0, len(full), 64):
        w = list(struct.unpack(">16I", full[i:i + 64]))
        for t in range(16, 80):
            w.append(rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
        a, b, c, d, e = h
        for t in range(80):
            f, k = ((b & c | ~b & d, 0x5A827999), (b ^ c ^ d, 0x6ED9EBA1), (b & c | b & d | c & d, 0x8F1BBCDC),
                    (b ^ c ^ d, 0xCA62C1D6))[t // 20]
            a, b, c, d, e = (rol(a, 5) + (f & 0xFFFFFFFF) + e + k + w[t]) & 0xFFFFFFFF, a, rol(b, 30), c, d
        h = [(x + y) & 0xFFFFFFFF for x, y in zip(h, (a, b, c, d, e))]
    return struct.pack(">5I", *h)


wrong("ak06", "C for a small device, SHA-1 written by hand: the padding has 64 - (len + 9) % 64 zero bytes, which is 64 and not 0 "
      "if the signed text with the private key has 55, 119, 183, ... bytes; only these texts get a wrong signature.", ACTION,
      action_digest=lambda text, private_key: sha1_by_hand(base.action_bytes(text + private_key)))


def double_leaf(leaf):
    if leaf.quoted or leaf.text in ("true", "false"):
        return right["json_leaf"](leaf)
    return base.number_text(repr(float(leaf.text)))


wrong("ak07", "JavaScript: signs a number by its digits, but JSON.stringify sends it as a double: 9007199254740993 is signed and "
      "the body says 9007199254740992.", "action-json", json_leaf=double_leaf)

wrong("ak08", "Java, a TreeMap to which the Signature is added before the query string is written: Signature stands at its sorted "
      "place (before Type or Zone), not last.", QUERY,
      query_text=lambda ordered, signature: right["query_text"](
          [x for x in ordered if x.name < "Signature"], signature) + "".join(
          "&" + base.query_name(x.name) + "=" + base.query_value(x) for x in ordered if x.name > "Signature"))

wrong("ak09", "C: sprintf(\"%%%02X\", c) with a signed char: each byte from 0x80 on is written as %FFFFFFC3 instead of %C3.", ESCAPES,
      escape_byte=lambda b: "%%%02X" % b if b < 128 else "%%FFFFFF%02X" % b)

wrong("ak10", "A helpful Dart SDK: a password that already looks like Base64 (length a multiple of 4, right alphabet: abcd1234) is "
      "returned as it is, so it is not encoded.", "password",
      password_text=lambda text: text if re.fullmatch(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}="
                                                      r"|[A-Za-z0-9+/]{2}==)", text) else right["password_text"](text))


# ------------------------------------------------------------------ headers, string to sign, resource

def soft_check(value):
    base.utf8(value)
    if re.search(r"\0|\r(?!\n)|\n(?![ \t])", value):
        raise base.No("header-value", "a line break or NUL")
    return value


wrong("ak11", "JavaScript: value.replace(/[ \\t]*(\\r?\\n[ \\t]+)+/, ' ') without the flag g: only the first fold of a value becomes "
      "a space, each later one stays in the signed text with its line break.", FILE,
      unfold=lambda value: re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value, count=1), check_value=soft_check)

wrong("ak12", "Python: itertools.groupby merges the extra headers before they are sorted: repeated headers that are not neighbours in "
      "the request stay two entries x-svc-a:1 LF x-svc-a:2 LF.", FILE,
      merge=lambda pairs: [(name, [value for _, value in group])
                           for name, group in itertools.groupby(pairs, key=lambda pair: pair[0])])

wrong("ak13", "Go: misreads 'joined by commas with no spaces': every value of an extra header is split at its commas, trimmed and "
      "joined again, so a single header 'a, b' is signed as 'a,b'.", FILE,
      extra_value=lambda value: re.sub(r"[ \t]*,[ \t]*", ",", right["extra_value"](value)))

wrong("ak14", "Java, toLowerCase() without Locale.ROOT on a Turkish machine: the letter I of an extra header's name becomes a "
      "dotless i, X-Svc-ID gives x-svc-\u0131d.", FILE,
      extra_name=lambda name: name.replace("I", "\u0131").lower())


def gmt_date(headers, method):
    text = right["date"](headers, method)
    try:
        when = parsedate_to_datetime(text)
        when = when if when.tzinfo else when.replace(tzinfo=timezone.utc)
        return format_datetime(when.astimezone(timezone.utc), usegmt=True)
    except Exception:
        return text


wrong("ak15", "C#: the Date is read from request.Headers.Date (a DateTimeOffset) and signed as ToString(\"r\"): a date in another "
      "spelling or zone, 'Wed, 1 Mar 2023 08:00:00 +0800', is signed as 'Wed, 01 Mar 2023 00:00:00 GMT'.", POSITIONAL,
      date=gmt_date)

wrong("ak16", "Python: the resource is posixpath.join('/', bucket, key): a key that starts with a slash throws the bucket away, "
      "/photos/a instead of /bucket//photos/a.", FILE,
      resource=lambda bucket, key: posixpath.join("/", bucket, key))

wrong("ak17", "Lua, HMAC written by hand: a private key of more than 64 bytes is cut after 64 bytes, not replaced by its SHA-1.", FILE,
      file_key=lambda private_key: right["file_key"](private_key)[:64])


# ------------------------------------------------------------------ forms, policies, instant upload, pre-signed URLs

wrong("ak18", "JavaScript: fields['Content-Type'] || headers['content-type']: a form whose field Content-Type is absent or empty is "
      "signed with the request's own Content-Type (multipart/form-data; boundary=...), not with an empty line.",
      "form-authorization",
      form_type=lambda headers, fields: right["form_type"](headers, fields) or base.positional(headers, "content-type"))

wrong("ak19", "Port of an S3 browser form, where x-amz-meta-* are form fields: form fields named X-Svc-* are signed as extra headers, "
      "along with the real headers.", "form-authorization",
      form_text=lambda given, headers, dialect: right["form_text"](
          given, headers + [(n, v) for n, v in given["fields"] if base.is_extra(n, dialect)], dialect))

wrong("ak20", "JavaScript: btoa(JSON.stringify(policy)): the Base64 is of Latin-1 bytes and not of UTF-8, so \u00e9 is one byte; a "
      "character beyond U+00FF throws an exception.", "policy",
      policy_base64=lambda data: right["policy_base64"](data.decode("utf-8").encode("latin-1")))

wrong("ak21", "PHP: strtr('+/', '-_') is applied only where the policy is put into the header: the signed text has the policy in the "
      "standard Base64 alphabet (+ and / for - and _).", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + policy.replace("-", "+").replace("_", "/"))

wrong("ak22", "PHP: FileName of the instant upload is basename($key): photos/2023/a.jpg is sent as a.jpg, while the signature covers "
      "the whole key.", "instant-upload",
      hit_target=lambda etag, key, size: right["hit_target"](etag, key.rstrip("/").rsplit("/", 1)[-1], size))

wrong("ak23", "Ruby: 'do not escape twice': a percent sign of the key that is followed by two hexadecimal digits is left alone in the "
      "path of a pre-signed URL, so the key a%20b is sent as /a%20b, which is the file 'a b'.", "presigned-url",
      url_path=lambda key: re.sub(r"%25([0-9A-Fa-f]{2})", r"%\1", right["url_path"](key)))


# ------------------------------------------------------------------ ETags

def stale_split(data):
    blocks = right["split"](data)
    if len(blocks) > 1:
        blocks[-1] = bytes(blocks[-1]) + bytes(blocks[-2][len(blocks[-1]):])
    return blocks


wrong("ak24", "Java: sha1.update(buffer) instead of update(buffer, 0, n): the last, shorter block of a file above 4 MiB is hashed with "
      "the rest of the block before it that is still in the buffer.", "etag", split=stale_split)

wrong("ak25", "Kotlin: the ETag of a part reuses the digest of the file ETag: a part above 4 MiB is the SHA-1 over the SHA-1 values of "
      "its blocks, not the SHA-1 of the part.", "part-etag",
      part_raw=lambda data: base.etag_digest(data, base.split(data)))


# ------------------------------------------------------------------ verifiers

def node_base64(text):
    text = re.sub(r"[^A-Za-z0-9+/]", "", text.split("=")[0].replace("-", "+").replace("_", "/"))
    text = text[:-1] if len(text) % 4 == 1 else text
    return base64.b64decode(text + "=" * (-len(text) % 4))


def bytes_check(expected, got):
    if node_base64(expected) != node_base64(got):
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("ak26", "Node: timingSafeEqual over Buffer.from(signature, 'base64'), which is lenient: signatures in the URL-safe alphabet, "
      "without the =, with other last bits or with junk are accepted.", V_FILE, check_signature=bytes_check)

wrong("ak27", "Java: (int) Long.parseLong(expires): an expiry after 2038 (above 2147483647) overflows to a negative or small number, "
      "and the URL counts as expired.", V_URL,
      expires_seconds=lambda expires: (right["expires_seconds"](expires) + 2 ** 31) % 2 ** 32 - 2 ** 31)

wrong("ak28", "PHP: the verifier takes the parameters from $_GET, where dots and blanks in names have become underscores: Name.0 is "
      "verified as Name_0, so requests with lists or objects fail.", V_QUERY,
      read_query=lambda query: [(re.sub("[. ]", "_", name), value) for name, value in right["read_query"](query)])

wrong("ak29", "Go: decoder.UseNumber() and number.String(): the verifier of a JSON body signs the digits as they were sent (1.50, 1e3, "
      "42.0) instead of plain decimal text (1.5, 1000, 42).", V_JSON, json_number=lambda written: written)

ACCEPTED = set()


def cached_verify(given, keys, dialect):
    values = base.find(base.read_headers(given["headers"]), "authorization")
    memo = (keys["publicKey"], keys["privateKey"], tuple(values))
    if memo not in ACCEPTED:
        right["verify_authorization"](given, keys, dialect)
        ACCEPTED.add(memo)
    return {"publicKey": keys["publicKey"]}


wrong("ak30", "Elixir: an ETS cache of Authorization headers that were found right saves the HMAC: once a header was accepted, the same "
      "header is accepted for any other method, bucket, key or headers.", V_AUTH, verify_authorization=cached_verify)
