"""Thirty implementations with one mistake each, as patches of base.py."""
import base
from operations import (ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, SIGNED, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON, V_PARAM, V_QUERY, V_URL)  # noqa: F401
from recording import wrong

right = {name: value for name, value in vars(base).items() if callable(value)}


import base64  # noqa: E402
import email.utils  # noqa: E402
import hashlib  # noqa: E402
import json  # noqa: E402
import mimetypes  # noqa: E402
import posixpath  # noqa: E402
import re  # noqa: E402
from datetime import datetime, timezone  # noqa: E402
from decimal import Decimal  # noqa: E402
from itertools import groupby  # noqa: E402


# ------------------------------------------------------------------ the account API

def ai01_order(all_leaves):
    return sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name + "=" + leaf.text))


wrong("ai01", "Java: sorts the strings name=value instead of the names, so Name.0 and Name-2 come before Name, as '.' and '-' are below '='.",
      ACTION, order=ai01_order)


def ai02_flatten(parameters):
    def empty(value):
        if isinstance(value, dict):
            return not base.number_text(value["number"]).strip("0") if "number" in value else not list(value.values())[0]
        return value in (None, False, "", "0")
    return right["flatten"]([pair for pair in parameters if not empty(pair[1])])


wrong("ai02", 'PHP: array_filter($params) without a callback drops each parameter that is "", "0", 0 or false (Offset=0, Name=), from signature and request.',
      ACTION, flatten=ai02_flatten)


def ai03_number(written):
    right["number_text"](written)
    sign, digits, exponent = Decimal(written).as_tuple()
    if not any(digits):
        return "0"
    while digits[-1] == 0:
        digits, exponent = digits[:-1], exponent + 1
    return str(Decimal((sign, digits, exponent)))


wrong("ai03", "Java: BigDecimal.stripTrailingZeros().toString() writes 100 as 1E+2 and 0.0000001 as 1E-7 (toPlainString is missing).",
      TYPED, number_text=ai03_number)


def ai04_number(written):
    plain = right["number_text"](written)
    if re.fullmatch(r"-?[0-9]+", written) and -2 ** 63 <= int(written) < 2 ** 63 or plain == "0":
        return plain
    mantissa, mark, exponent = ("%.14G" % float(written)).partition("E")
    return mantissa if not mark else (mantissa if "." in mantissa else mantissa + ".0") + "E" + exponent[0] + exponent[1:].lstrip("0")


wrong("ai04", "PHP: (string)$float uses precision=14: 1234567890.123456 becomes 1234567890.1235; 1.5e20 becomes 1.5E+20. Integers of 64 bits are right.",
      TYPED, number_text=ai04_number)


def ai05_prepare(parameters):
    kept = base.without_signature(base.flatten(sorted(parameters, key=lambda pair: base.utf8(pair[0]))))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("ai05", "Go: sorts the parameters before it flattens them, so the items of a list stay in index order: Backends.2 before Backends.10.",
      TYPED, prepare=ai05_prepare)


def ai06_json(value):
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if "number" in value:
        return base.number_text(value["number"])
    if "list" in value:
        return "[" + ",".join(ai06_json(item) for item in value["list"]) + "]"
    return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + ai06_json(item) for name, item in value["object"]) + "}"


def ai06_leaves(name, value):
    if isinstance(value, dict) and "number" not in value:
        return [base.Leaf(name, ai06_json(value), True)]
    return right["leaves"](name, value)


def ai06_list(name, items):
    return [leaf for i, item in enumerate(items) for leaf in ai06_leaves(base.item_name(name, i), item)]


def ai06_object(name, members):
    return [leaf for member, item in members for leaf in ai06_leaves(base.member_name(name, member), item)]


wrong("ai06", 'JavaScript: flattens one level only; a list or object inside a list or object becomes its JSON text: Disks.0={"Size":20} for Disks.0.Size=20.',
      TYPED, list_leaves=ai06_list, object_leaves=ai06_object)

wrong("ai07", "Python, port from AWS version 2: removes every name that starts with Signature, so SignatureVersion and SignatureNonce are neither signed nor sent.",
      ACTION, unsigned_name=lambda name: name.startswith("Signature"))

wrong("ai08", "JavaScript: hexadecimal by byte.toString(16) without padStart: the byte 0x0a becomes a, so most signatures have fewer than 40 characters.",
      ACTION, action_hex=lambda digest: "".join("%x" % b for b in digest))


def ai09_password(text):
    plain = right["password_text"](text)
    return "\n".join(plain[i:i + 60] for i in range(0, len(plain), 60))


wrong("ai09", "Ruby: Base64.encode64(password).chomp, with a line feed after each 60 characters: wrong for passwords of more than 45 bytes.",
      "password", password_text=ai09_password)


def ai10_string(text):
    base.utf8(text)
    out = json.dumps(text, ensure_ascii=False)
    return "".join(c if ord(c) < 127 else "\\u%04x" % ord(c) for c in out)


def ai10_json(ordered, signature):
    parts = [ai10_string(x.name) + ":" + (ai10_string(x.text) if x.quoted else x.text) for x in ordered]
    return "{" + ",".join(parts + ['"Signature":"' + signature + '"']) + "}"


wrong("ai10", "Rust: a JSON writer by hand escapes each char above ASCII as \\u{:04x} of its code point: an emoji becomes \\u1f600, which reads as U+1F60 and 0.",
      "action-json", json_text=ai10_json)


def ai11_percent(text):
    return "".join(piece if i % 2 else right["percent"](piece) for i, piece in enumerate(re.split(r"(%[0-9A-Fa-f]{2})", text)))


wrong("ai11", "Python: as requests.utils.requote_uri, leaves what looks like an escape already: 100%25 stays 100%25 instead of 100%2525.",
      ESCAPES, percent=ai11_percent)


def ai12_percent(text):
    return "".join(c if c.isalnum() else right["percent"](c) for c in text)


wrong("ai12", "Kotlin: the URL encoder asks Char.isLetterOrDigit, so letters and digits outside ASCII (é, 中) are not escaped.",
      ESCAPES, percent=ai12_percent)


# ------------------------------------------------------------------ the object API

wrong("ai13", "Python: itertools.groupby merges before the sort, so equal names that are not neighbours (a, b, a) give two entries.",
      FILE, merge=lambda pairs: [(name, [v for _, v in group]) for name, group in groupby(pairs, key=lambda pair: pair[0])])

wrong("ai14", "Java: collects the values of an extra header in a LinkedHashSet: x-svc-tag: a, x-svc-tag: a gives x-svc-tag:a instead of a,a.",
      FILE, join_values=lambda values: ",".join(dict.fromkeys(values)))


def ai15_unfold(value):
    return re.sub(r"[ \t]*\r?\n[ \t]+", " ", value, count=1) if right["unfold"](value) != value else value


def ai15_check(value):
    base.utf8(value)
    if re.search(r"\r?\n(?![ \t])|\r(?!\n)|\0", value):
        raise base.No("header-value", "a line break or NUL")
    return value


wrong("ai15", "JavaScript: value.replace(/\\s*\\r?\\n\\s+/, ' ') without the flag g unfolds only the first fold; a third line keeps its line break.",
      FILE, unfold=ai15_unfold, check_value=ai15_check)


def ai16_media(value):
    return value if '"' in value or "/" not in value else re.sub(r"[ \t]*;[ \t]*(?=[^; \t])", "; ", value)


wrong("ai16", "C#: MediaTypeHeaderValue.Parse(type).ToString() writes '; ' before each parameter: text/plain;charset=utf-8 is signed as text/plain; charset=utf-8.",
      POSITIONAL, content_type=lambda headers, method: ai16_media(right["content_type"](headers, method)),
      form_type=lambda headers, fields: ai16_media(right["form_type"](headers, fields)))


def ai17_date(headers, method):
    text = right["date"](headers, method)
    try:
        if re.match(r"\d{4}-\d\d-\d\dT", text):
            when = datetime.fromisoformat(text)
        elif re.match(r"[A-Za-z]{3}, ", text):
            when = email.utils.parsedate_to_datetime(text)
        else:
            return text
    except (ValueError, TypeError):
        return text
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return email.utils.format_datetime(when.astimezone(timezone.utc), usegmt=True)


wrong("ai17", "C#: Date goes through DateTimeOffset and is signed in format R: 2024-05-01T10:00:00Z or 'Wed, 1 May 2024 10:00:00 +0000' becomes 'Wed, 01 May 2024 10:00:00 GMT'.",
      POSITIONAL, date=ai17_date)


def ai18_resource(bucket, key):
    path = "/" + bucket + "/" + key
    out = posixpath.normpath(path)
    return out + "/" if path.endswith("/") and out != "/" else out


wrong("ai18", "JavaScript: path.posix.normalize of /bucket/key: a//b becomes a/b, ./a becomes a, a/../b becomes b.",
      FILE, resource=ai18_resource)

wrong("ai19", "Python: takes the resource from urlsplit(url).path of an unescaped URL, so a key ends at its first ? or #: 'why?.txt' is signed as 'why'.",
      FILE, resource_key=lambda key: re.split("[?#]", key)[0])


def int32(text):
    if not re.fullmatch(r"[0-9]+", text):
        return text
    return str((int(text) + 2 ** 31) % 2 ** 32 - 2 ** 31)


wrong("ai20", "C: Expires is an int of 32 bits: 4102444800 (the year 2100) is signed and sent as -192522496.",
      "presigned-url", presign_expires=int32, url_expires=int32)

wrong("ai21", "JavaScript: encodeURI for the path leaves ? and # of a key as they are, so the rest of the key is query or fragment.",
      "presigned-url", url_path=lambda key: "".join(c if c in ";,/?:@&=+$!*'()#" else base.percent(c) for c in key))

wrong("ai22", "C: HMAC by hand hashes a private key of 64 bytes or more (>= instead of >), so a key of exactly 64 bytes signs wrongly.",
      FILE, file_key=lambda private_key: hashlib.sha1(base.utf8(private_key)).digest() if len(base.utf8(private_key)) >= 64 else base.utf8(private_key))


def ai23_bytes(text):
    base.utf8(text)
    return text.encode("utf-16-le")[::2]


wrong("ai23", "JavaScript: hmac.update(stringToSign, 'binary') takes the low byte of each UTF-16 unit: é is E9, 中 is 2D.",
      FILE, file_bytes=ai23_bytes)


def ai24_text(given, headers, dialect):
    fields = given["fields"]
    if not base.form_fields(fields, "Content-Type"):
        guess = mimetypes.MimeTypes().guess_type("/" + given["key"])[0]
        if guess:
            given = dict(given, fields=fields + [["Content-Type", guess]])
    return right["form_text"](given, headers, dialect)


wrong("ai24", "Python: a form without the field Content-Type is signed with the type guessed from the key: image/png for a.png, instead of an empty line.",
      "form-authorization", form_text=ai24_text)

wrong("ai25", "Go: signs the policy without its padding (RawURLEncoding) but sends it with =, so policies that end in = fail.",
      "policy-authorization, verify-authorization", policy_text=lambda text, policy: text + policy.rstrip("="))

wrong("ai26", "JavaScript: FileSize is written as size | 0, so 5000000000 becomes 705032704 and 3000000000 becomes -1294967296.",
      "instant-upload", hit_target=lambda etag, key, size: right["hit_target"](etag, key, int32(size)))


# ------------------------------------------------------------------ ETags

def ai27_split(data):
    blocks = right["split"](data)
    if len(blocks) > 1:
        blocks[-1] = bytes(blocks[-1]) + bytes(blocks[-2][len(blocks[-1]):])
    return blocks


wrong("ai27", "Java: digest.update(buffer) instead of update(buffer, 0, n): a shorter last block of several is hashed with the rest of the block before.",
      "etag", split=ai27_split)


def ai28_split(data):
    blocks = right["split"](data)
    return blocks + [b""] if len(data) > base.BLOCK and len(data) % base.BLOCK == 0 else blocks


wrong("ai28", "C: reads until a block is shorter than 4 MiB, so 8 MiB or 12 MiB have an empty block at the end: one more in the count and in the hash.",
      "etag", split=ai28_split)


def ai29_hashes(blocks):
    running, out = hashlib.sha1(), b""
    for block in blocks:
        running.update(block)
        out += running.digest()
    return hashlib.sha1(out).digest()


wrong("ai29", "Go: h.Sum(nil) without h.Reset(): the hash of block N is that of all the data from the start to the end of block N.",
      "etag", hash_hashes=ai29_hashes)

wrong("ai30", 'Python: struct.pack("L", count) in native size: the count has 8 bytes on 64-bit Linux, the ETag 28 bytes (40 characters).',
      "etag", count_bytes=lambda count: count.to_bytes(8, "little"))

wrong("ai31", "JavaScript: replace('+', '-').replace('/', '_') changes only the first + and the first / of the Base64 text.",
      "etag, part-etag", etag_base64=lambda raw: base64.b64encode(raw).decode().replace("+", "-", 1).replace("/", "_", 1))

wrong("ai32", 'C on Windows: fopen(path, "r") reads in text mode: CR LF becomes LF, and the byte 1A ends the file.',
      "etag, part-etag", content_bytes=lambda content: right["content_bytes"](content).partition(b"\x1a")[0].replace(b"\r\n", b"\n"))


# ------------------------------------------------------------------ verifiers

wrong("ai33", "C: strncmp(expected, got, strlen(got)) accepts every beginning of the right signature, even one character.",
      V_ALL, equal=lambda expected, got: expected.startswith(got))


def ai34_check(expected, got):
    try:
        same = base64.b64decode(got) == base64.b64decode(expected)
    except ValueError:
        same = False
    if not same:
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("ai34", "Python: compares the bytes of base64.b64decode, which skips foreign characters and spare bits: the signature with a ! or - inside, or text after its =, is accepted.",
      V_FILE, check_signature=ai34_check)


def ai35_expiry(now, expires):
    seconds = base.expires_seconds(expires)
    if seconds and base.is_late(int(now), seconds):
        raise base.No("expired", "too late")


wrong("ai35", "JavaScript: if (expires && now > expires): a signed URL with Expires=0 never expires.",
      V_URL, check_expiry=ai35_expiry)


def ai36_read(query):
    pairs = (piece.partition("=") for piece in base.query_decode(query).split("&") if piece)
    return [(name, value) for name, _, value in pairs]


wrong("ai36", "C++: decodes the whole query and splits it then, so an escaped & in a value (%26) starts a new parameter, and an escaped = in a name ends it.",
      "verify-query, verify-presigned-url", read_query=ai36_read)


def ai37_query(given, keys, dialect):
    pairs = [(re.sub("[. ]", "_", name), value) for name, value in base.read_query(given["query"])]
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


wrong("ai37", "PHP: takes the parameters from $_GET, where dots and spaces of names are underscores: Backends.0 is verified as Backends_0.",
      V_QUERY, verify_query=ai37_query)


def ai38_text(given, headers, dialect):
    method = base.verb(given["method"])
    base.check_bucket(given["bucket"])
    mime = base.content_type(headers, method).partition(";")[0].strip().lower()
    return base.lines(method, base.content_md5(headers, method), mime, base.date(headers, method),
                      base.canonical_headers(headers, dialect), base.resource(given["bucket"], given["key"]))


wrong("ai38", "Python: the verifier takes Flask's request.mimetype, lower case and without parameters: text/plain for 'text/plain; charset=utf-8'.",
      V_AUTH, verify_header_text=ai38_text)


def wsgi(headers):
    return [(name.lower().replace("_", "-"), value) for name, value in headers]


wrong("ai39", "Python: the verifier reads header names from the WSGI environment (HTTP_X_SVC_META_A_B), where underscores are hyphens: x-svc-meta-a_b is verified as x-svc-meta-a-b.",
      V_FILE, verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, wsgi(headers), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](wsgi(headers), dialect))


def ai40_json(given, keys, dialect):
    members = base.read_json(given["body"])
    try:
        base.flatten(members)
    except base.No as no:
        raise base.No("body-malformed", str(no))
    scalars = [pair for pair in members if not isinstance(pair[1], dict) or "number" in pair[1]]
    return base.verify_parameters(scalars, base.signature_of(members), keys)


wrong("ai40", "Go: the verifier of a JSON body skips members that are lists or objects, so they may be changed after signing, and requests that have signed them fail.",
      V_JSON, verify_json=ai40_json)
