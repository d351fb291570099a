"""Thirty-six implementations with one mistake each, as patches of base.py."""
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




# ------------------------------------------------------------------ 1. ports of other services

wrong("am01", "A port of AWS Signature V4 keeps its Trimall: every run of two or more spaces inside the value of an extra header becomes one "
      "space before signing.", FILE,
      extra_value=lambda value: re.sub(" +", " ", right["extra_value"](value)))


def without_date(headers, dialect):
    if any(base.fold_name(name) == base.extra_prefix(dialect) + "date" for name, _ in headers):
        return [(name, value) for name, value in headers if base.fold_name(name) != "date"]
    return headers


wrong("am02", "A port of AWS Signature V2 and Azure SharedKey (x-amz-date, x-ms-date): if the request has the extra header <prefix>Date, e.g. "
      "X-Svc-Date, the line of Date is empty, although the request has a header Date. The extra header itself is signed as usual.", POSITIONAL,
      header_text=lambda method, bucket, key, headers, dialect: right["header_text"](method, bucket, key, without_date(headers, dialect), dialect),
      form_text=lambda given, headers, dialect: right["form_text"](given, without_date(headers, dialect), dialect))

wrong("am03", "A port of Azure SharedKey in C# sorts the extra headers as Azure's own library does, by a culture-aware comparison that ignores "
      "hyphens: x-svc-meta-aa sorts before x-svc-meta-a-b. Hyphens count only between names that are otherwise equal.", FILE,
      sort_groups=lambda groups: sorted(groups, key=lambda group: (group[0].replace("-", ""), group[0])))

wrong("am04", "A port of Tencent Cloud's API signature keeps its rule that an underscore in a parameter's name becomes a dot in the signed "
      "string. Sorting and sending use the name as it is.", ACTION,
      signed_pair=lambda leaf: leaf.name.replace("_", ".") + base.signed_value(leaf))


def sorted_query(ordered, signature):
    pieces = [(x.name, base.query_name(x.name) + "=" + base.query_value(x)) for x in ordered]
    pieces.append(("Signature", "Signature=" + signature))
    return "&".join(piece for _, piece in sorted(pieces, key=lambda pair: pair[0].encode("utf-8")))


wrong("am05", "A port of the AWS Query API puts Signature into the set of parameters and sorts once more, so that the query has Signature in "
      "its sorted place (before Type or Zone, say) and not last.", QUERY,
      query_text=sorted_query)


def verify_url_like_v4(given, keys, dialect):
    method = base.verify_method(given["method"])
    headers = base.read_headers(given["headers"])
    bucket, key, query = base.split_url(given["url"], given["fileHost"])
    names = (dialect["publicKeyParameter"], "Expires", "Signature")
    everything = base.read_query(query)
    pairs = [(name, value) for name, value in everything if name in names]
    others = sorted(pair for pair in everything if pair[0] not in names)
    base.check_url_repeated([name for name, _ in pairs])
    public_key, expires, signature = (dict(pairs).get(name) for name in names)
    base.check_url_parameters(public_key, expires, signature)
    base.check_expiry(given["now"], expires)
    base.check_account(public_key, keys)
    text = base.lines(method, "", "", expires, base.verify_url_headers(headers, dialect), base.resource(bucket, key))
    if others:
        text += "?" + "&".join(base.percent(name) + "=" + base.percent(value) for name, value in others)
    base.check_signature(base.file_signature(text, keys), signature)
    return {"publicKey": public_key}


wrong("am06", "A verifier of pre-signed URLs ported from AWS Signature V4 takes all other query parameters of the URL (such as "
      "response-content-type) as signed: it appends ?name=value&... to the resource, sorted and encoded. So it refuses with "
      "signature-mismatch what has a parameter that is none of the three.", V_URL,
      verify_url=verify_url_like_v4)


# ------------------------------------------------------------------ 2. standard libraries

def lua_number(written):
    right["number_text"](written)
    if re.fullmatch(r"-?[0-9]+", written) and -2 ** 63 <= int(written) < 2 ** 63:
        return str(int(written))
    return "%.14g" % float(written)


wrong("am07", "Lua 5.3: an integer of 64 bits is written as it is, but every other number (a fraction, an exponent, a longer integer) is a float "
      "that tostring writes with %.14g, a final .0 removed: 14 significant digits, an exponent from 1e+14 on and below 0.0001, -0.0 is -0, "
      "too large is inf.", TYPED,
      number_text=lua_number)

wrong("am08", "C#'s string.Trim() trims header values: it removes all Unicode white space at both ends (no-break space, U+3000, vertical tab, "
      "form feed, and line breaks, which are then not refused), where only spaces and tabs belong to HTTP's whitespace.", FILE,
      trim=lambda value: value.strip("\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
                                     "\u202f\u205f\u3000"))


def php_query(given, keys, dialect):
    pairs = base.read_query(given["query"])
    base.check_query_repeated([name for name, _ in pairs])
    got = {}
    for name, value in pairs:
        got[re.sub("[. ]", "_", name)] = value
    return base.verify_parameters([list(pair) for pair in got.items()], got.get("Signature"), keys)


wrong("am09", "PHP's parse_str and $_GET read the query of the account API: dots and spaces in a parameter's name become underscores, so the "
      "verifier signs Backends_0 for Backends.0 and finds a mismatch (a later name that becomes equal replaces the value of the first).", V_QUERY,
      verify_query=php_query)


def perl_bytes(text):
    return text.encode("latin-1") if all(ord(c) < 256 for c in text) else right["text_bytes"](text)


wrong("am10", "Perl's uri_escape, with uri_escape_utf8 only for text with a character above U+00FF: a text with no such character is escaped by "
      "its Latin-1 bytes (é is %E9 and not %C3%A9).", ESCAPES,
      text_bytes=perl_bytes)


def go_number(written):
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise ValueError("cannot unmarshal number")
    return {"number": format(Decimal(repr(value)), "f")}


wrong("am11", "Go's encoding/json decodes the body of the account API into interface{}: every number is a float64, so the verifier rounds numbers "
      "with more digits (beyond 2^53, or over 17 significant ones) before it signs them, without an exponent, and refuses those above "
      "1.8e308 with body-malformed.", V_JSON,
      json_number=go_number)


def pack_m(data):
    text = base64.b64encode(data).decode()
    return "\n".join(text[i:i + 60] for i in range(0, len(text), 60))


wrong("am12", "Ruby's Base64.encode64 with chomp encodes passwords and (with tr for - and _) callback policies: a line feed stays after every 60 "
      "characters, so everything over 45 bytes has line feeds inside.", "password, policy",
      password_text=lambda text: pack_m(base.utf8(text)),
      policy_base64=lambda data: pack_m(data).replace("+", "-").replace("/", "_"))


# ------------------------------------------------------------------ 3. optimisations and shortcuts

wrong("am13", "A streaming ETag closes a block as soon as it is full and closes the open one at the end, even if it is empty: for a file of more "
      "than 4 MiB whose size is an exact multiple of 4 MiB, the SHA-1 of nothing is hashed after the last block's. The count is right.", "etag",
      hash_hashes=lambda blocks: hashlib.sha1(b"".join(hashlib.sha1(b).digest() for b in blocks) + (
          hashlib.sha1(b"").digest() if len(blocks[-1]) == base.block_size() else b"")).digest())


def short_key(private_key):
    key = base.utf8(private_key)
    return hashlib.sha1(key).digest() if len(key) >= 64 else key


wrong("am14", "An HMAC of one's own in C that prepares the key once: it hashes a private key of 64 bytes or more, where HMAC hashes only one "
      "longer than 64 bytes. Wrong for a key of exactly 64 bytes.", FILE,
      file_key=short_key)

wrong("am15", "A refactoring keeps the values of an extra header in an ordered set: if a header is sent twice with the same value, the value "
      "is signed once (x-svc-foo:a and not x-svc-foo:a,a).", FILE,
      join_values=lambda values: ",".join(dict.fromkeys(values)))

wrong("am16", "A shortcut builds the entries name:values first and sorts these lines: where one extra header's name is the start of another's, "
      "the colon takes part, and x-svc-a-b or x-svc-a1 comes before x-svc-a.", FILE,
      sort_groups=lambda groups: sorted(groups, key=lambda group: base.entry(*group)))


def quick_number(written):
    text = right["number_text"](written)
    if re.fullmatch(r"-0(\.0+)?", written):
        return "-0"
    return text


wrong("am17", "A fast path for numbers without an exponent works on the text alone and only cuts the zeros of the fraction: -0 and -0.00 are "
      "signed and sent as -0 and not as 0 (with an exponent, -0e1 is 0).", TYPED,
      number_text=quick_number)


def unwrapped_list(name, items):
    return base.leaves(name, items[0]) if len(items) == 1 else right["list_leaves"](name, items)


wrong("am18", "A shortcut in flattening unwraps a list of exactly one element: Names: [\"a\"] is signed and sent as Names and not as Names.0.",
      TYPED, list_leaves=unwrapped_list)


# ------------------------------------------------------------------ 4. misread sentences and wrong guesses

wrong("am19", "Misreads \"remove whitespace around the colon in each header\": spaces and tabs are removed around every colon in the value of an "
      "extra header too (\"a : b\" is signed as \"a:b\").", FILE,
      extra_value=lambda value: re.sub(r"[ \t]*:[ \t]*", ":", right["extra_value"](value)))

wrong("am20", "Misreads R2, \"Signature itself is never part of the signed string\": a flattened parameter whose last part is Signature, such as "
      "Cert.Signature or Items.0.Signature, is neither signed nor sent.", ACTION,
      unsigned_name=lambda name: name.split(".")[-1] == "Signature")

wrong("am21", "Misreads \"Numbers are JSON numbers\" of the JSON body: a text value that is a decimal integer (\"10\", but not \"010\") is written as "
      "a JSON number, without quotes.", "action-json",
      json_leaf=lambda leaf: leaf.text if leaf.quoted and re.fullmatch(r"-?(0|[1-9][0-9]*)", leaf.text) else right["json_leaf"](leaf))

wrong("am22", "Takes the prefix of extra headers for X-Svc without the last hyphen: X-Svc and X-Svcfoo are signed as extra headers.", FILE,
      is_extra=lambda name, dialect: base.fold_name(name).startswith(base.extra_prefix(dialect)[:-1]))

wrong("am23", "Guesses that FileName of the instant upload is a file name without folders: for a key with a slash, only what follows the last "
      "slash is sent as FileName, and the same is signed in the resource.", "instant-upload",
      hit_key=lambda key: key.rsplit("/", 1)[-1],
      hit_target=lambda etag, key, size: right["hit_target"](etag, key.rsplit("/", 1)[-1], size))

wrong("am24", "Guesses that the names of form fields are as case-insensitive as those of headers: a form field content-type or CONTENT-MD5 is "
      "signed as well (and refused as repeated beside the exact one).", "form-authorization",
      form_fields=lambda fields, wanted: [value for name, value in fields if name.lower() == wanted.lower()])


# ------------------------------------------------------------------ 5. verifiers of headers and URLs

def decoded(signature):
    plain = signature.rstrip("=")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def check_decoded(expected, got):
    try:
        same = decoded(expected) == decoded(got)
    except ValueError:
        same = False
    if not same:
        raise base.No("signature-mismatch", "other bytes")


wrong("am25", "The verifier compares the bytes of the signatures after a lenient Base64 decoding: it accepts a signature without the =, with more "
      "of them, or with other unused bits in the last character.", V_FILE,
      check_signature=check_decoded)


def suffix_host(host, file_host):
    bucket = host.partition(".")[0]
    if not bucket or not host.lower().endswith("." + file_host.lower()):
        raise base.No("url-malformed", "another host")
    return bucket


wrong("am26", "The verifier of pre-signed URLs asks only whether the host ends with .<fileHost> and takes its first label for the bucket: it "
      "accepts photos.evil.<fileHost> as the bucket photos.", V_URL,
      check_host=suffix_host)


def parse_long(expires):
    if not re.fullmatch(r"[+-]?\d{1,19}", expires) or not -2 ** 63 <= int(expires) < 2 ** 63:
        raise base.No("expires-malformed", "NumberFormatException")
    return int(expires)


wrong("am27", "Java's Long.parseLong reads Expires: a sign, decimal digits of other scripts and up to 19 digits are accepted, so +4102444800 "
      "counts as a time and a negative one is expired and not malformed.", V_URL,
      expires_seconds=parse_long)


def any_json(policy):
    try:
        if re.search("[+/].*[-_]|[-_].*[+/]", policy):
            return False
        plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
        return bool(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)) and json_reads(plain)
    except (ValueError, RecursionError):
        return False


def json_reads(plain):
    import json
    json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8"))
    return True


wrong("am28", "The verifier of Authorization accepts as the policy the Base64 of any JSON value (a number, a text, a list, null), where it must be "
      "an object: with a key made for it, the end of a longer key passes as a policy.", V_AUTH,
      policy_ok=any_json)


def twice(path):
    key = right["key_of_path"](path)
    try:
        return right["key_of_path"](key)
    except base.No:
        return key


wrong("am29", "The framework has decoded the path of a pre-signed URL and the verifier decodes the key once more (and keeps it if that fails): "
      "the URL of a key that itself contains an escape, such as a%20b, is refused with signature-mismatch.", V_URL,
      key_of_path=twice)


def mysql_account(public_key, keys):
    if public_key.rstrip(" ").lower() != keys["publicKey"].rstrip(" ").lower():
        raise base.No("public-key-unknown", "no row")


wrong("am30", "The account is looked up in a database with MySQL's default collation: a public key in other letter case, or with spaces at its end, "
      "finds the account, and the answer names the public key as it was sent.", V_ALL,
      check_account=mysql_account)


# ------------------------------------------------------------------ 6. verifiers of the account API, ETags

def first_value(body):
    import json
    decoder = json.JSONDecoder(object_pairs_hook=base.json_pairs, parse_int=base.json_number, parse_float=base.json_number,
                               parse_constant=base.json_constant)
    try:
        value, _ = decoder.raw_decode(body.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        raise base.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise base.No("body-malformed", "not an object")
    return value["object"]


wrong("am31", "Go's json.NewDecoder(body).Decode reads one value and nobody looks at the rest: the verifier accepts anything after the object "
      "in the body (a second object, a stray brace, text).", V_JSON,
      read_json=first_value)


def weak(value):
    if isinstance(value, str):
        try:
            base.number_text(value)
            return {"number": value}
        except base.No:
            return value
    if isinstance(value, dict) and "list" in value:
        return {"list": [weak(item) for item in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, weak(item)] for name, item in value["object"]]}
    return value


wrong("am32", "The verifier of JSON bodies types weakly, as Lua or a binder with type guessing: a JSON text that looks like a number is taken for "
      "one, so that the text \"1.50\" is signed as 1.5, \"1e3\" as 1000 and \"-0\" as 0.", V_JSON,
      read_json=lambda body: [[name, value if name == "Signature" else weak(value)] for name, value in right["read_json"](body)])


def cut_query(given, keys, dialect):
    head, found, tail = given["query"].partition("&Signature=")
    pairs = base.read_query(head)
    base.check_query_repeated([name for name, _ in pairs])
    signature = base.query_decode(tail.partition("&")[0]) if found else None
    return base.verify_parameters([list(pair) for pair in pairs], signature, keys)


wrong("am33", "The verifier of queries cuts the text at the first &Signature= because the signature comes last, and takes only what is before as "
      "signed: parameters added after it are accepted unsigned, and a query that begins with Signature has none (signature-missing).", V_QUERY,
      verify_query=cut_query)

wrong("am34", "Python's parse_qsl without keep_blank_values reads the query: parameters with an empty value (A= or A) are not there, so the "
      "account API's verifier signs without their names, and an empty Expires of a pre-signed URL is parameter-missing.", "verify-query, verify-presigned-url",
      read_query=lambda query: [(name, value) for name, value in right["read_query"](query) if value])

wrong("am35", "The limit of the ETag's single hash is 4,000,000 bytes while its blocks are of 4 MiB: from 4,000,001 to 4,194,304 bytes the ETag is "
      "count 1 with the SHA-1 of the one block's SHA-1.", "etag",
      is_single=lambda data, blocks: len(data) <= 4000000)

wrong("am36", "C's fopen(path, \"r\") on Windows reads the content in text mode: CR LF becomes LF, and the content ends before the first byte 0x1A, "
      "for ETags of files and of parts.", "etag, part-etag",
      content_bytes=lambda content: right["content_bytes"](content).split(b"\x1a")[0].replace(b"\r\n", b"\n"))
