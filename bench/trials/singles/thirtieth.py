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


# ------------------------------------------------------------------ signing parameters, sending them

def percent_in_pieces(text):
    base.utf8(text)
    units = text.encode("utf-16-le")
    out = ""
    for i in range(0, len(units), 4000):
        piece = units[i:i + 4000].decode("utf-16-le", "surrogatepass")
        out += right["percent"](re.sub("[\ud800-\udfff]", "\ufffd", piece))
    return out


wrong("ap01", "C#: Uri.EscapeDataString has a length limit, so the author escapes the text in pieces of 2000 UTF-16 units. "
      "A surrogate pair that a piece boundary cuts becomes twice %EF%BF%BD.", ESCAPES, percent=percent_in_pieces)


def password_unless_encoded(text):
    if re.fullmatch(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)", text):
        return text
    return right["password_text"](text)


wrong("ap02", "To avoid encoding twice, leaves a password alone that already is well-formed Base64. A clear password such as "
      "Pass1234 (letters and digits, length a multiple of four) is well-formed Base64 too.", "password", password_text=password_unless_encoded)


def java7_number(written):
    text = right["number_text"](written)
    if text == "0":
        text = format(abs(Decimal(written)), "f")
        return text if "." in text else "0"
    return text


wrong("ap03", "Java 7: BigDecimal.stripTrailingZeros does nothing to a zero (JDK-6480539), so the number 0.00 is signed and sent as 0.00 "
      "instead of 0. Every other number is right.", TYPED, number_text=java7_number)


def flat_items(items):
    for item in items:
        if isinstance(item, dict) and "list" in item:
            yield from flat_items(item["list"])
        else:
            yield item


wrong("ap04", "Ruby: calls Array#flatten on a list before it numbers the items. Lists inside a list lose their own index: "
      "[[a, b], [c]] gives Name.0, Name.1, Name.2 instead of Name.0.0, Name.0.1, Name.1.0.", TYPED,
      list_leaves=lambda name, items: right["list_leaves"](name, list(flat_items(items))))
wrong("ap05", "Lua: walks a list with `while t[i] do`. The loop ends at the first item that is false, so this item and all later ones are lost.",
      TYPED, list_leaves=lambda name, items: right["list_leaves"](name, list(itertools.takewhile(lambda item: item is not False, items))))
wrong("ap06", "Perl: signs $value || ''. The text 0 and the number 0 are false in Perl, so only the name is signed; they are still sent as 0.",
      ACTION, signed_value=lambda leaf: "" if leaf.text == "0" else leaf.text)
wrong("ap07", "Habit of OAuth 1: sorts by the percent-encoded names. A name with a character that is escaped moves, because the percent "
      "sign sorts below letters, digits, dot and hyphen: Tag[0] comes before Tag.0 and before TagA.", ACTION,
      order=lambda all_leaves: sorted(all_leaves, key=lambda leaf: base.percent(leaf.name)))


def key_to_64(private_key):
    key = right["file_key"](private_key)
    return hashlib.sha1(key).digest() if len(key) == 64 else key


wrong("ap08", "HMAC written by hand: hashes the key if it has 64 bytes or more, instead of more than 64. A private key of exactly 64 bytes "
      "gives wrong signatures.", FILE, file_key=key_to_64)


def azure_key(private_key):
    key = right["file_key"](private_key)
    if key and re.fullmatch(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)", key):
        return base64.b64decode(key)
    return key


wrong("ap09", "Habit of Azure, where the account key is Base64: if the private key is well-formed Base64, its decoded bytes are the HMAC key. "
      "Any other private key is used as it is.", FILE, file_key=azure_key)


def sha1_words(message):
    state = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]

    def turn(x, n):
        return (x << n | x >> 32 - n) & 0xFFFFFFFF
    for start in range(0, len(message), 64):
        w = list(struct.unpack(">16I", message[start:start + 64]))
        for t in range(16, 80):
            w.append(turn(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
        a, b, c, d, e = state
        for t in range(80):
            if t < 20:
                f, k = b & c | ~b & d, 0x5A827999
            elif t < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif t < 60:
                f, k = b & c | b & d | c & d, 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (turn(a, 5) + (f & 0xFFFFFFFF) + e + k + w[t]) & 0xFFFFFFFF, a, turn(b, 30), c, d
        state = [x + y & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d, e))]
    return struct.pack(">5I", *state)


def digest_by_hand(text, private_key):
    message = base.action_bytes(base.with_key(text, base.action_key(private_key)))
    if len(message) % 64 != 55:
        return hashlib.sha1(message).digest()
    return sha1_words(message + b"\x80" + bytes(64) + struct.pack(">Q", 8 * len(message)))


wrong("ap10", "SHA-1 written by hand for the parameters: starts one more block if the last block holds 55 bytes, although the padding and the "
      "length just fit. The signature is wrong if the signed bytes with the private key are 55 above a multiple of 64.", ACTION,
      action_digest=digest_by_hand)


def json_word(text):
    base.utf8(text)
    out = ""
    for c in text:
        if c in '"\\':
            out += "\\" + c
        elif " " <= c <= "~":
            out += c
        else:
            out += "\\u%04x" % ord(c)
    return '"' + out + '"'


def json_by_hand(ordered, signature):
    parts = [json_word(x.name) + ":" + (json_word(x.text) if x.quoted else x.text) for x in ordered]
    return "{" + ",".join(parts + ['"Signature":"' + signature + '"']) + "}"


wrong("ap11", "Writes the JSON by hand and escapes every character outside ASCII with sprintf(\"\\\\u%04x\", code point). A character above "
      "U+FFFF becomes \\u with five digits, which is another character and a digit.", "action-json", json_text=json_by_hand)


def uri_to_string(query):
    def shown(match):
        raw = bytes.fromhex(match[0].replace("%", ""))
        return raw.decode("utf-8", "surrogateescape") if raw == b" " or raw[0] > 127 else match[0]
    text = re.sub("%20|(?:%[89A-F][0-9A-F])+", shown, query)
    return right["bucket_target"](text)


wrong("ap12", "C#: takes the request target from Uri.ToString(), which shows the URL for people. It has plain blanks instead of %20 and "
      "plain characters instead of the escapes of characters outside ASCII.", "bucket-request", bucket_target=uri_to_string)

# ------------------------------------------------------------------ signing files

wrong("ap13", "Groups the extra headers by name as written and converts the names to lower case afterwards. X-Svc-A: 1 and x-svc-a: 2 become two "
      "entries instead of x-svc-a:1,2.", FILE, extra_name=lambda name: name,
      sort_groups=lambda groups: sorted(groups, key=lambda group: group[0].lower()),
      entry=lambda name, values: right["entry"](name.lower(), values))
wrong("ap14", "C#: sorts the extra headers with OrderBy and the culture's comparison, which ignores hyphens. x-svc-ab comes before x-svc-a-c.",
      FILE, sort_groups=lambda groups: sorted(groups, key=lambda group: (group[0].replace("-", ""), group[0])))


def without_date(headers, dialect):
    if any(base.fold_name(name) == base.extra_prefix(dialect) + "date" for name, _ in headers):
        return [(name, value) for name, value in headers if base.fold_name(name) != "date"]
    return headers


wrong("ap15", "Habit of S3: if there is an extra header X-Svc-Date, the line of Date is left empty even though the request has the header Date too.",
      POSITIONAL,
      header_text=lambda method, bucket, key, headers, dialect: right["header_text"](method, bucket, key, without_date(headers, dialect), dialect),
      form_text=lambda given, headers, dialect: right["form_text"](given, without_date(headers, dialect), dialect))


def path_of_url_class(key):
    out = []
    parts = right["url_path"](key).split("/")
    for i, part in enumerate(parts):
        if part == "..":
            out = out[:-1]
        elif part != ".":
            out.append(part)
        if part in (".", "..") and i == len(parts) - 1:
            out.append("")
    return "/".join(out)


wrong("ap16", "JavaScript: assigns the path to an object of class URL, which removes the segments . and .. from it. The link of the key a/../b "
      "leads to b, although a/../b is signed.", "presigned-url", url_path=path_of_url_class)


def size_in_32_bits(etag, key, size):
    if re.fullmatch("[0-9]+", size) and int(size) > 0x7FFFFFFF:
        size = str((int(size) + 0x80000000) % 0x100000000 - 0x80000000)
    return right["hit_target"](etag, key, size)


wrong("ap17", "Delphi: keeps the file size in an Integer of 32 bits. A FileSize of 2 GiB or more wraps, for example 2147483648 becomes -2147483648.",
      "instant-upload", hit_target=size_in_32_bits)


def media_type(value):
    parts = re.findall(r'(?:"(?:\\.|[^"\\])*"|[^;])+', value)
    return "; ".join(part.strip(" \t") for part in parts if part.strip(" \t"))


wrong("ap18", "C#: parses the content type with MediaTypeHeaderValue and signs its ToString(), which puts exactly one space after each "
      "semicolon. text/html;charset=utf-8 is signed as text/html; charset=utf-8, but is sent as the caller wrote it.", POSITIONAL,
      content_type=lambda headers, method: media_type(right["content_type"](headers, method)),
      form_type=lambda headers, fields: media_type(right["form_type"](headers, fields)))
wrong("ap19", "Habit of S3 and OSS, where metadata of a form upload travels as form fields: takes form fields whose names start with X-Svc- as "
      "extra headers, besides the real ones.", "form-authorization",
      form_text=lambda given, headers, dialect: right["form_text"](
          given, headers + [(name, value) for name, value in given["fields"] if base.is_extra(name, dialect)], dialect))
wrong("ap20", "Habit of CloudFront: makes the Base64 of the policy safe for URLs with its replacements: + becomes -, = becomes _ and / becomes ~.",
      "policy", policy_base64=lambda data: base64.b64encode(data).decode().translate(str.maketrans("+=/", "-_~")))

CLIENTS = {}


def policy_of_client(given, keys, dialect):
    answer = right["op_policy_authorization"](given, keys, dialect)
    CLIENTS[given["bucket"]] = given["policy"]
    return answer


wrong("ap21", "Keeps one client object per bucket and stores the callback policy in it. A later plain authorization for the same bucket still "
      "signs and sends the policy of the earlier upload.", "authorization",
      op_policy_authorization=policy_of_client,
      op_authorization=lambda given, keys, dialect: right["op_policy_authorization"](
          dict(given, policy=CLIENTS.get(given["bucket"], "")), keys, dialect))

LINKS = {}


def link_from_cache(given, keys, dialect):
    place = (given["method"], given["scheme"], given["fileHost"], given["bucket"], given["key"], given["expires"], keys["publicKey"], keys["privateKey"])
    if place not in LINKS:
        LINKS[place] = right["op_presign"](given, keys, dialect)
    return LINKS[place]


wrong("ap22", "Keeps finished links in a cache that forgets the headers. A second link for the same method, file, expiry and account, but with other "
      "extra headers, gets the first one's signature.", "presigned-url", op_presign=link_from_cache)

# ------------------------------------------------------------------ ETags


def hashes_of_buffer(blocks):
    buffer, hashes = bytearray(base.block_size()), b""
    for block in blocks:
        buffer[:len(block)] = block
        hashes += base.etag_hash(bytes(buffer))
    return base.etag_hash(hashes)


wrong("ap23", "C: reads each block into the same buffer of 4 MiB and always hashes the whole buffer. If the last block is shorter, the end of the "
      "block before it is hashed with it.", "etag", hash_hashes=hashes_of_buffer)


def text_mode(content):
    return right["content_bytes"](content).split(b"\x1a")[0].replace(b"\r\n", b"\n")


wrong("ap24", "C on Windows: opens the file in text mode. CR LF is read as LF, and a byte 0x1A (Ctrl-Z) ends the file.", "etag, part-etag",
      content_bytes=text_mode)

# ------------------------------------------------------------------ verifying


def cgi(headers):
    return [(name.replace("_", "-"), value) for name, value in headers]


wrong("ap25", "The verifier gets the headers as CGI variables such as HTTP_X_SVC_META_A and turns every underscore back into a hyphen. An extra "
      "header whose real name has an underscore is signed under another name.", V_FILE,
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, cgi(headers), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](cgi(headers), dialect))
wrong("ap26", "The verifier is a Java servlet, whose container removes path parameters before it decodes the path: in each segment, a semicolon "
      "and what follows it are lost. A file whose key has a plain semicolon in the URL is refused.", V_URL,
      key_of_path=lambda path: right["key_of_path"](re.sub(";[^/]*", "", path)))


def equal_by_xor(expected, got):
    difference = len(expected) ^ len(got)
    for a, b in zip(expected, got):
        difference ^= ord(a) ^ ord(b)
    return difference == 0


wrong("ap27", "Compares in constant time, but collects the differences with ^= instead of |=. Differences cancel each other: a signature with two "
      "characters exchanged is accepted.", V_ALL, equal=equal_by_xor)
wrong("ap28", "The verifier reads Expires into a signed integer of 32 bits, which wraps. A link that expires after January 2038 counts as expired.",
      V_URL, expires_seconds=lambda expires: (right["expires_seconds"](expires) + 0x80000000) % 0x100000000 - 0x80000000)
wrong("ap29", "The verifier knows a callback policy by its first two letters, ey, as people know a JSON Web Token; it does not decode it. A third part that "
      "is no Base64 of a JSON object passes, so a signature for the key a/eyes opens the key a/. The policy {}, which begins with e3, is refused.",
      V_AUTH, policy_ok=lambda policy: policy.startswith("ey"))


def query_with_suffix(given, keys, dialect):
    pairs = base.read_query(given["query"])
    base.check_query_repeated([name for name, _ in pairs])
    found = [value for name, value in pairs if name.endswith("Signature")]
    return base.verify_parameters([list(pair) for pair in pairs], found[0] if found else None, keys)


wrong("ap30", "The verifier looks for the text Signature= in the query and takes what follows. A parameter such as LastSignature that "
      "comes earlier is taken for the signature, and the good request is refused.", V_QUERY, verify_query=query_with_suffix)


def no_inner_signature(value, top=True):
    if isinstance(value, dict) and "list" in value:
        return {"list": [no_inner_signature(item, False) for item in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, no_inner_signature(item, False)] for name, item in value["object"] if name != "Signature"]}
    return value


def json_without_inner(given, keys, dialect):
    members = base.read_json(given["body"])
    try:
        base.flatten(members)
    except base.No as no:
        raise base.No("body-malformed", str(no))
    return base.verify_parameters([[name, no_inner_signature(value)] for name, value in members], base.signature_of(members), keys)


wrong("ap31", "The verifier deletes the member Signature from the JSON at every depth. A member Signature of an inner object (signed as Outer.Signature) "
      "is left out, so a good request that has one is refused and a forged one passes.", V_JSON, verify_json=json_without_inner)


def query_before_signature(given, keys, dialect):
    match = re.search("(?:^|&)Signature=([^&]*)", given["query"])
    if not match:
        return right["verify_query"](given, keys, dialect)
    pairs = base.read_query(given["query"][:match.start()])
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.query_decode(match[1]), keys)


wrong("ap32", "Because Signature is appended last, the verifier cuts the query there and checks only what stands before it. Parameters that "
      "somebody adds after the signature are accepted unsigned.", V_QUERY, verify_query=query_before_signature)

ACCEPTED = {}


def verify_with_cache(given, keys, dialect):
    found = base.find(base.read_headers(given["headers"]), "authorization")
    place = (tuple(found), keys["publicKey"], keys["privateKey"])
    if place not in ACCEPTED:
        ACCEPTED[place] = right["verify_authorization"](given, keys, dialect)
    return ACCEPTED[place]


wrong("ap33", "To save time, the verifier remembers each Authorization header that it has accepted and does not check it again. The same "
      "header then opens every other file and method.", V_AUTH, verify_authorization=verify_with_cache)


def account_in_mysql(public_key, keys):
    def collated(text):
        return text.rstrip(" ").upper()
    right["check_account"](collated(public_key), {"publicKey": collated(keys["publicKey"])})


wrong("ap34", "The verifier looks the public key up in a MySQL table with the usual collation, which does not mind upper and lower case "
      "or blanks at the end. A public key written in other case finds the account and is accepted.", V_ALL, check_account=account_in_mysql)


def first_json_value(body):
    decoder = base.json.JSONDecoder(object_pairs_hook=base.json_pairs, parse_int=base.json_number, parse_float=base.json_number,
                                    parse_constant=base.json_constant)
    try:
        value, _ = decoder.raw_decode(body.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        raise base.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise base.No("body-malformed", "not an object")
    return value["object"]


wrong("ap35", "Go: reads the body with json.NewDecoder(r).Decode(&v), which stops after the first value. A body with anything after its object, even "
      "a second object, is accepted.", V_JSON, read_json=first_json_value)


def head_as_get(method):
    method = right["verify_method"](method)
    return "GET" if method == "HEAD" else method


wrong("ap36", "The verifier treats HEAD as GET, as many web frameworks do. A link that was signed for GET is accepted with HEAD, and one that was "
      "signed for HEAD is refused.", V_URL, verify_method=head_as_get)
