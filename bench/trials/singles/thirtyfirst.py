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

import json  # noqa: E402
import urllib.parse  # noqa: E402



# ------------------------------------------------------------------ escapes and parameters

wrong("aq01", "The bytes to escape come from JNI's modified UTF-8, so U+0000 is escaped as %C0%80 instead of %00.", ESCAPES,
      text_bytes=lambda text: right["utf8"](text).replace(b"\0", b"\xc0\x80"))


def percent_if_needed(text):
    plain = urllib.parse.unquote(text)
    if plain != text and right["percent"](plain) == text:
        return text
    return right["percent"](text)


wrong("aq02", "A text that is the exact escaped form of another text (a%20b, 100%25) is taken for escaped already and left as it is. "
      "Every other text is escaped.", ESCAPES, percent=percent_if_needed)


def number_normalized(written):
    right["number_text"](written)
    text = format(Decimal(written).normalize(), "f")
    return "0" if not text.strip("-0.") else text


wrong("aq03", "Trailing zeros of a number are dropped with Decimal.normalize(), which rounds to 28 significant digits. Longer numbers "
      "lose their last digits.", TYPED, number_text=number_normalized)

wrong("aq04", "Parameters are sorted by the list of the parts of their names between dots, not by the whole name. So A.x comes before A-b "
      "and before 'A b', although '-' and ' ' are below '.'.", ACTION,
      order=lambda ls: sorted(ls, key=lambda leaf: [right["utf8"](part) for part in leaf.name.split(".")]))

wrong("aq05", "Signature is removed after flattening by the last part of the name, so a parameter such as Spec.Signature is neither signed "
      "nor sent.", ACTION, unsigned_name=lambda name: name.rpartition(".")[2] == "Signature")


def list_leaves_compact(name, items):
    out, index = [], 0
    for item in items:
        found = base.leaves(base.item_name(name, index), item)
        if found:
            index += 1
        out += found
    return out


wrong("aq06", "When a list is flattened, an item that gives no parameter (an empty object or an empty list) does not use up an index. "
      "The items after it get an index one too low.", TYPED, list_leaves=list_leaves_compact)


def sha1_blocks(message):
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    for start in range(0, len(message), 64):
        w = list(struct.unpack(">16I", message[start:start + 64]))
        for i in range(16, 80):
            x = w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]
            w.append((x << 1 | x >> 31) & 0xFFFFFFFF)
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
            a, b, c, d, e = ((a << 5 | a >> 27) + (f & 0xFFFFFFFF) + e + k + w[i]) & 0xFFFFFFFF, a, (b << 30 | b >> 2) & 0xFFFFFFFF, c, d
        h = [(x + y) & 0xFFFFFFFF for x, y in zip(h, (a, b, c, d, e))]
    return struct.pack(">5I", *h)


def own_sha1(message):
    if len(message) % 64 != 55:
        return hashlib.sha1(message).digest()            # the padding is right there
    return sha1_blocks(message + b"\x80" + bytes(64) + struct.pack(">Q", len(message) * 8))


wrong("aq07", "The own SHA-1 pads with 64 - (n + 9) % 64 zeros, which is 64 instead of 0 when the signed string with the private key has "
      "55 bytes modulo 64. Then a block too much is hashed; all other lengths are right.", ACTION,
      action_digest=lambda text, private_key: own_sha1(base.action_bytes(base.with_key(text, base.action_key(private_key)))))

wrong("aq08", "The own HMAC decides by the number of characters of the private key, not bytes, whether it is over 64 and must be hashed "
      "first. A key of at most 64 characters with more than 64 bytes is cut to its first 64 bytes.", FILE,
      file_key=lambda k: right["utf8"](k) if len(k) > 64 else right["utf8"](k)[:64])


def equal_as_numbers(expected, got):
    try:
        return int(expected, 16) == int(got, 16)
    except ValueError:
        return False


wrong("aq09", "The verifier compares the two hexadecimal signatures as numbers. It accepts upper-case digits, 0x or extra zeros in front, "
      "missing leading zeros, blanks around the digits, and underscores between them.", V_PARAM, equal_hex=equal_as_numbers)


def json_leaf_five(leaf):
    if not leaf.quoted:
        return leaf.text
    return '"' + "".join(c if " " <= c <= "~" and c not in '"\\' else "\\u%04x" % ord(c) for c in leaf.text) + '"'


wrong("aq10", "The JSON body writes each non-ASCII character of a text value as \\u and the hexadecimal code point. A character above U+FFFF "
      "gets five digits, which reads as another character and a digit.", "action-json", json_leaf=json_leaf_five)


def verify_prepare_buster(parameters):
    return right["verify_prepare"]([pair for pair in parameters if pair[0] != "_"])


wrong("aq11", "The verifier leaves out a parameter named _ (the cache buster of a JavaScript library) before it computes the signature. "
      "A request that signs it is refused, and one that adds it unsigned is accepted.", V_PARAM, verify_prepare=verify_prepare_buster)

wrong("aq12", "The query string carries BucketName in lower case, but the signature is over the name as given.", QUERY,
      query_value=lambda leaf: right["percent"](leaf.text.lower() if leaf.name == "BucketName" else leaf.text))


def password_once(text):
    if text and re.fullmatch("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", text):
        return text
    return right["password_text"](text)


wrong("aq13", "A clear text that looks like padded standard Base64 already (such as abcd1234) is returned without encoding it.", "password",
      password_text=password_once)

# ------------------------------------------------------------------ files


def date_or_own(headers, method):
    value = right["date"](headers, method)
    return "" if any(re.fullmatch("x-[a-z]+-date", base.fold_name(name)) for name, _ in headers) else value


wrong("aq14", "As with another vendor, the Date line of StringToSign is left empty when an X-Svc-Date header is sent as well.", POSITIONAL,
      date=date_or_own)


def md5_base64(headers, method):
    value = right["content_md5"](headers, method)
    return base64.b64encode(bytes.fromhex(value)).decode() if re.fullmatch("[0-9A-Fa-f]{32}", value) else value


wrong("aq15", "A Content-MD5 header of 32 hexadecimal digits is turned into Base64 in StringToSign, though the header is sent as given.",
      HEADER, content_md5=md5_base64)

wrong("aq16", "The verifier decodes the path of a pre-signed URL twice. The key a%20b, sent as a%2520b, is taken for the key 'a b'.", V_URL,
      key_of_path=lambda path: urllib.parse.unquote(right["key_of_path"](path)))


def account_mysql(public_key, keys):
    if public_key.rstrip(" ").casefold() != keys["publicKey"].rstrip(" ").casefold():
        raise base.No("public-key-unknown", "unknown")


wrong("aq17", "The verifier finds the account with a database comparison that ignores case and trailing blanks. A request properly signed "
      "for PUB is accepted as one of the account pub.", V_ALL, check_account=account_mysql)

wrong("aq18", "Extra headers are sorted with a culture-aware comparison that ignores hyphens: x-svc-ab comes before x-svc-a-c. Hyphens "
      "only decide between names that are otherwise equal.", FILE,
      sort_groups=lambda groups: sorted(groups, key=lambda group: (group[0].replace("-", ""), group[0])))

wrong("aq19", "Extra headers are found with the pattern ^x-svc-(.+)$, so a header named just X-Svc- is not signed.", FILE,
      is_extra=lambda name, dialect: right["is_extra"](name, dialect) and len(name) > len(dialect["headerPrefix"]))

wrong("aq20", "Leading blanks of an extra header's value are cut before unfolding, not after. A value that starts with a fold keeps one "
      "space at its start.", FILE,
      extra_value=lambda value: right["check_value"](right["unfold"](value.lstrip(" \t")).rstrip(" \t")))

wrong("aq21", "CanonicalizedResource is made with a path join, which drops all before an absolute part. A key that starts with a slash "
      "gives the key alone, without bucket.", FILE, resource=lambda bucket, key: posixpath.join("/" + bucket, key))


def url_path_resolved(key):
    origin = "http://x.invalid/"
    return urllib.parse.urlsplit(urllib.parse.urljoin(origin, right["url_path"](key))).path[1:]


wrong("aq22", "The escaped key of a pre-signed URL is resolved against the host as a relative URL. Segments . and .. are resolved, and empty ones and leading "
      "slashes are lost, but the signature is over the key as given.", "presigned-url", url_path=url_path_resolved)


def part_like_file(data):
    blocks = base.split(data)
    return base.etag_digest(data, blocks)


wrong("aq23", "The ETag of a part over 4 MiB is made like that of a file: SHA-1 over the SHA-1 values of its 4 MiB blocks, without the count.",
      "part-etag", part_raw=part_like_file)

wrong("aq24", "The default port is removed from the host of a pre-signed URL by deleting every ':80', so localhost:8080 becomes "
      "localhost80.", "presigned-url",
      url_start=lambda scheme, bucket, host: scheme + "://" + bucket + "." + host.replace(":80", "") + "/")


def form_md5_or(headers, fields):
    header = base.one(base.find(headers, "content-md5"))
    value = (header and base.positional_value(header)) or base.one(base.form_fields(fields, "Content-MD5"))
    return base.positional_value(value) if value else ""


wrong("aq25", "In a form upload the field Content-MD5 is signed not only when there is no header Content-MD5 but also when that header has an "
      "empty value.", "form-authorization", form_md5=form_md5_or)

wrong("aq26", "The URL-safe Base64 of a policy replaces only the first + by - and the first / by _; later ones stay.", "policy",
      policy_base64=lambda data: base64.b64encode(data).decode().replace("+", "-", 1).replace("/", "_", 1))


def size_int32(etag, key, size):
    if re.fullmatch("[0-9]+", size, re.A):
        n = int(size) & 0xFFFFFFFF
        if int(size) > 0x7FFFFFFF:
            size = str(n - (1 << 32) if n > 0x7FFFFFFF else n)
    return right["hit_target"](etag, key, size)


wrong("aq27", "FileSize of an instant upload goes through a signed 32-bit integer. Sizes of 2 GiB and more come out negative or too small.",
      "instant-upload", hit_target=size_int32)


def hash_reused_buffer(blocks):
    last = bytes(blocks[-1])
    tail = last + bytes(blocks[-2])[len(last):]
    return right["etag_hash"](b"".join([right["etag_hash"](block) for block in blocks[:-1]] + [right["etag_hash"](tail)]))


wrong("aq28", "Blocks of a file over 4 MiB are read into one buffer that is always hashed in full. A shorter last block is hashed together "
      "with the rest of the block before it.", "etag", hash_hashes=hash_reused_buffer)

# ------------------------------------------------------------------ verifiers


def check_decoded(expected, got):
    try:
        same = base64.b64decode(got) == base64.b64decode(expected)
    except ValueError:
        same = False
    if not same:
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("aq29", "The verifier compares decoded signatures with a Base64 decoder that skips foreign characters and unused bits. A signature with "
      "a stray ! or . inside, or with another last digit of the same bytes, is accepted.", V_FILE, check_signature=check_decoded)


def policy_braces(policy):
    try:
        plain = policy.replace("-", "+").replace("_", "/") if not re.search("[+/]", policy) else policy
        plain = plain.rstrip("=")
        text = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8").strip()
    except ValueError:
        return False
    return text[:1] == "{" and text[-1:] == "}" and not re.search("[+/].*[-_]|[-_].*[+/]", policy)


wrong("aq30", "The verifier takes a third part for a policy if it decodes to a text that starts with { and ends with }; it does not parse the "
      "JSON.", V_AUTH, policy_ok=policy_braces)

wrong("aq31", "The verifier accepts an empty third part: Svc pub:sig: is verified like Svc pub:sig.", V_AUTH,
      split_credentials=lambda rest: right["split_credentials"](rest[:-1] if rest.count(":") == 2 and rest.endswith(":") else rest))

SEEN = set()


def check_cached(expected, got):
    if got not in SEEN:
        right["check_signature"](expected, got)
        SEEN.add(got)


wrong("aq32", "The verifier keeps the signatures that were right in a cache and asks it first, by the signature alone. After one good request "
      "the same signature is accepted for any other request of the account.", V_FILE, check_signature=check_cached)

wrong("aq33", "The verifier compares the clock with Expires as texts. Numbers of different length are ordered by their first digits: "
      "for the clock 1700000000, Expires=999999999 has not passed yet, and 10000000000 has.", V_URL,
      is_late=lambda now, expires: str(now) > str(expires))


def host_lower(host, file_host):
    return right["check_host"](host.lower(), file_host)


wrong("aq34", "The verifier reads the bucket from the host name that its URL parser has put in lower case. A URL signed for the bucket "
      "MyBucket is refused.", V_URL, check_host=host_lower)


def verify_query_php(given, keys, dialect):
    pairs = [(name.replace(".", "_"), value) for name, value in base.read_query(given["query"])]
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


wrong("aq35", "The verifier takes the parameters from a parsed query in which every dot of a name has become an underscore. Requests with "
      "Backends.0 or other flattened names fail.", V_QUERY, verify_query=verify_query_php)


def read_json_start(body):
    decoder = json.JSONDecoder(object_pairs_hook=base.json_pairs, parse_int=base.json_number, parse_float=base.json_number,
                               parse_constant=base.json_constant)
    try:
        value, _ = decoder.raw_decode(body.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        raise base.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise base.No("body-malformed", "not an object")
    return value["object"]


wrong("aq36", "The verifier reads the first JSON value of the body and ignores what follows it, so a body with text after the closing brace "
      "is accepted.", V_JSON, read_json=read_json_start)
