"""Blind trial set: 60 wrong implementations, as patches of base.py."""
import base64
import json
import re

import base
import operations as o
from recording import wrong

# originals, before any patch
percent, utf8, number_text, header_text = base.percent, base.utf8, base.number_text, base.header_text
positional_value, one, find, form_fields = base.positional_value, base.one, base.find, base.form_fields
resource, check_value, trim, json_text = base.resource, base.check_value, base.trim, base.json_text
verify_parameters, verify_method, json_number = base.verify_parameters, base.verify_method, base.json_number
escape_byte, unpercent, prepare, order = base.escape_byte, base.unpercent, base.prepare, base.order
content_bytes, Leaf, number = base.content_bytes, base.Leaf, re.compile(r"[+-]?\d+(\.\d+)?", re.A)


# ------------------------------------------------------------------ percent-encoding

wrong("b01", "Percent-encoding leaves the asterisk `*` as it is (Java's URLEncoder, with only `+` and `%7E` replaced afterwards).",
      o.ESCAPES, safe_byte=lambda b: b < 128 and (chr(b).isalnum() or b in b"-_.~*"))

wrong("b02", "Percent-encoding prints a signed char with %02X, so each byte from 0x80 becomes `%FFFFFFXY` instead of `%XY`.",
      o.ESCAPES, escape_byte=lambda b: "%%%02X" % (b if b < 128 else b + 0xFFFFFF00))

wrong("b03", "Percent-encoding first turns each line feed into CR LF, so LF becomes `%0D%0A` (the well-known Lua snippet).",
      o.ESCAPES, text_bytes=lambda text: utf8(text.replace("\n", "\r\n")))


def cesu(text):
    utf8(text)
    out = b""
    for c in text:
        if ord(c) > 0xFFFF:
            units = c.encode("utf-16-be")
            for i in (0, 2):
                out += chr(int.from_bytes(units[i:i + 2], "big")).encode("utf-8", "surrogatepass")
        else:
            out += c.encode("utf-8")
    return out


wrong("b04", "Percent-encoding works char by char on UTF-16, so a character above U+FFFF becomes two three-byte surrogates (CESU-8) instead of four UTF-8 bytes.",
      o.ESCAPES, text_bytes=cesu)


def percent_once(text):
    out = "".join(chr(b) if base.safe_byte(b) else base.escape_byte(b) for b in base.text_bytes(text))
    return re.sub("%25(?=[0-9A-Fa-f]{2})", "%", out)


wrong("b05", "Percent-encoding leaves a percent sign alone when two hexadecimal digits follow, so that nothing gets encoded twice (text `%41` stays `%41`).",
      o.ESCAPES, percent=percent_once)

# ------------------------------------------------------------------ action parameters

wrong("b06", "Sorts parameter names by locale (localeCompare): letter case counts only between otherwise equal names, and then lower case comes first.",
      o.ACTION, order=lambda leaves: sorted(leaves, key=lambda x: (x.name.lower(), x.name.swapcase())))


def sort_then_flatten(parameters):
    for name, _ in parameters:
        utf8(name)
    kept = base.without_signature(base.flatten(sorted(parameters, key=lambda pair: utf8(pair[0]))))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("b07", "Sorts the parameters before it flattens lists and objects and not afterwards, so flattened names keep list or member order (`A.2` before `A.10`).",
      o.TYPED, prepare=sort_then_flatten)

wrong("b08", "Sorts the joined name-and-value strings instead of the names, so a value decides the order where one name begins with another.",
      o.ACTION, order=lambda leaves: sorted(leaves, key=lambda x: utf8(x.name + x.text)))


def lua_number(written):
    number_text(written)
    return "%.14g" % float(written)


wrong("b09", "Writes numbers as Lua's tostring does (`%.14g`): at most 14 significant digits, and an exponent from 1e14 on and below 0.0001.",
      o.TYPED, number_text=lua_number)


def int32(value):
    return (value + 2 ** 31) % 2 ** 32 - 2 ** 31


def wrapped_number(written):
    text = number_text(written)
    return text if "." in text else str(int32(int(text)))


wrong("b10", "Keeps integers in a 32-bit int, so integers beyond 2147483647 wrap around (2147483648 becomes -2147483648), signed and sent.",
      o.TYPED, number_text=wrapped_number)


def php_text(leaf):
    if leaf.quoted or leaf.text not in ("true", "false"):
        return leaf.text
    return "1" if leaf.text == "true" else ""


wrong("b11", "Writes booleans in the signed text and in query strings as PHP casts them: true as `1` and false as nothing; JSON still has true and false.",
      o.TYPED, signed_value=php_text, query_value=lambda leaf: base.percent(php_text(leaf)))


def numeric(value):
    if number.fullmatch(value):
        sign = "-" if value[0] == "-" else ""
        whole, _, fraction = value.lstrip("+-").partition(".")
        return number_text(sign + (whole.lstrip("0") or "0") + ("." + fraction if fraction else ""))
    return value


wrong("b12", "Converts text values that look like decimal numbers to plain numbers before signing and sending, so `007` becomes `7` and `1.50` becomes `1.5`.",
      o.ACTION, string_text=numeric)


def listed(name, items):
    out = []
    for index, item in enumerate(items):
        out += base.leaves(base.item_name(name, index), item)
    return out or [Leaf(name, "", True)]


def membered(name, members):
    out = []
    for member, item in members:
        out += base.leaves(base.member_name(name, member), item)
    return out or [Leaf(name, "", True)]


wrong("b13", "Flattens an empty list or an empty object to a parameter with an empty value, instead of to nothing.",
      o.TYPED, list_leaves=listed, object_leaves=membered)

wrong("b14", "Leaves parameters with an empty value (name included) out of the signed string, but still sends them.",
      o.ACTION, signed_pair=lambda leaf: leaf.name + base.signed_value(leaf) if leaf.text else "")

wrong("b15", "Hashes the string to sign in ISO-8859-1 instead of UTF-8 (action signature only), with `?` for characters that it lacks.",
      o.ACTION, action_bytes=lambda text: text.encode("latin-1", "replace"))

wrong("b16", "Prints the SHA-1 as one big integer in hexadecimal, so leading zeros are lost and the signature is sometimes shorter than 40 digits.",
      o.ACTION, action_hex=lambda digest: "%x" % int.from_bytes(digest, "big"))


def unsigned_members(name, members):
    out = []
    for member, item in members:
        if member != "Signature":
            out += base.leaves(base.member_name(name, member), item)
    return out


wrong("b17", "Removes a member named `Signature` at every depth of nested objects, not just the top-level parameter, so `Filter.Signature` is neither signed nor sent.",
      o.TYPED, object_leaves=unsigned_members)

wrong("b18", "Signs the value of PublicKey in percent-encoded form (`%40` for `@`); the other values are signed unencoded.",
      o.ACTION, signed_value=lambda leaf: percent(leaf.text) if leaf.name == "PublicKey" else leaf.text)


def sorted_query(ordered, signature):
    pairs = [(x.name, base.query_name(x.name) + "=" + base.query_value(x)) for x in ordered]
    pairs.append(("Signature", "Signature=" + signature))
    return "&".join(text for _, text in sorted(pairs, key=lambda pair: utf8(pair[0])))


wrong("b19", "Puts `Signature` at its sorted place among the query parameters, instead of last.", o.QUERY, query_text=sorted_query)


def quote_points(text):
    return "".join(json.dumps(c) [1:-1] if ord(c) < 128 else "\\u%04x" % ord(c) for c in text)


def json_points(ordered, signature):
    parts = ['"' + quote_points(x.name) + '": ' + ('"' + quote_points(x.text) + '"' if x.quoted else x.text) for x in ordered]
    return "{" + ", ".join(parts + ['"Signature": ' + json.dumps(signature)]) + "}"


wrong("b20", "Writes a character above U+FFFF in the JSON body as `\\u` and five hexadecimal digits of its code point, not as a surrogate pair.",
      "action-json", json_text=json_points)

wrong("b21", "The bucket request writes a space as `+` instead of `%20` (a form encoder for the GET's query string).",
      "bucket-request", bucket_target=lambda query: "/?" + query.replace("%20", "+"))

# ------------------------------------------------------------------ password

wrong("b22", "Base64-encodes the password with a line feed after it (shell: `echo \"$pw\" | base64`).",
      "password", password_text=lambda text: base64.b64encode(utf8(text) + b"\n").decode())


def maybe_encoded(text):
    if text and len(text) % 4 == 0 and re.fullmatch("[A-Za-z0-9+/]+={0,2}", text):
        return text
    return base64.b64encode(utf8(text)).decode()


wrong("b23", "Returns the password unencoded when it looks like Base64 already (length divisible by four, only Base64 characters), such as `Pass1234`.",
      "password", password_text=maybe_encoded)

# ------------------------------------------------------------------ file signature


def sorted_as_given(headers, dialect):
    groups = {}
    for name, value in sorted(((n, v) for n, v in headers if base.is_extra(n, dialect)), key=lambda pair: pair[0]):
        groups.setdefault(name.lower(), []).append(base.extra_value(value))
    return base.entries(list(groups.items()))


wrong("b24", "Sorts the extra headers by their names as given and lower-cases them afterwards, so upper-case letters sort before lower-case ones.",
      o.FILE, canonical_headers=sorted_as_given)


def merge_neighbours(pairs):
    out = []
    for name, value in pairs:
        if out and out[-1][0] == name:
            out[-1][1].append(value)
        else:
            out.append((name, [value]))
    return out


wrong("b25", "Merges a repeated extra header only with its immediate predecessor in request order; repeats with another extra header between get separate entries.",
      o.FILE, merge=merge_neighbours)


def unfold_breaks(value):
    return re.sub(r"\r?\n(?=[ \t])", " ", value)


wrong("b26", "Unfolds a header value by replacing only the line break with a space, so blanks before and after the break remain in the value.",
      o.FILE, unfold=unfold_breaks)


def without_date(method, bucket, key, headers, dialect):
    if find(headers, dialect["headerPrefix"].lower() + "date"):
        headers = [pair for pair in headers if pair[0].lower() != "date"]
    return header_text(method, bucket, key, headers, dialect)


wrong("b27", "Leaves the Date line of the signed text empty when an `X-Svc-Date` header is present, as AWS signature version 2 does with `x-amz-date`.",
      o.HEADER, header_text=without_date)


def md5_base64(headers, method):
    value = base.positional(headers, "content-md5")
    return base64.b64encode(bytes.fromhex(value)).decode() if re.fullmatch("[0-9a-fA-F]{32}", value) else value


wrong("b28", "Signs a Content-MD5 header of 32 hexadecimal digits as the Base64 of those 16 bytes, instead of as given.",
      o.HEADER, content_md5=md5_base64)


def path_join(bucket, key):
    out = []
    for part in [bucket] + key.split("/"):
        if part == "..":
            out = out[:-1]
        elif part not in ("", "."):
            out.append(part)
    return "/" + "/".join(out)


wrong("b29", "Builds the resource with Go's path.Join, so double and trailing slashes vanish and `.` and `..` segments of the key are resolved.",
      o.FILE, resource=path_join)

wrong("b30", "Cuts the key at its first question mark in the signed resource, taking the rest for a query string.",
      o.FILE, resource_key=lambda key: key.partition("?")[0])

wrong("b31", "Truncates a private key of more than 64 bytes to its first 64 bytes for HMAC, instead of hashing it.",
      o.FILE, file_key=lambda private: utf8(private)[:64])

FIRST = []


def cached_key(private):
    FIRST.append(utf8(private))
    return FIRST[0]


wrong("b32", "Keeps the HMAC key of the first file signature in a static variable and uses it for all later calls, whatever private key they give.",
      o.FILE, file_key=cached_key)

wrong("b33", "Builds the file string to sign in a 1024-byte buffer, so it is cut after 1023 bytes.",
      o.FILE, file_bytes=lambda text: utf8(text)[:1023])


# ------------------------------------------------------------------ forms, policies, instant upload

def type_or_header(headers, fields):
    value = one(form_fields(fields, "Content-Type"))
    if value is None:
        return base.positional(headers, "content-type")
    return positional_value(value)


wrong("b34", "A form without a Content-Type field signs the HTTP request's Content-Type header (multipart/form-data) instead of an empty line.",
      "form-authorization", form_type=type_or_header)


def field_first(headers, fields):
    value = one(form_fields(fields, "Content-MD5") or find(headers, "content-md5"))
    return "" if value is None else positional_value(value)


wrong("b35", "A form with both signs the form field Content-MD5 instead of the header Content-MD5.",
      "form-authorization", form_md5=field_first)

wrong("b36", "Encodes the callback policy in URL-safe Base64 without the padding `=` (Go's RawURLEncoding).",
      "policy", policy_base64=lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="))


def plain_policy(text, policy):
    try:
        raw = policy.replace("-", "+").replace("_", "/").rstrip("=")
        return text + base64.b64decode(raw + "=" * (-len(raw) % 4), validate=True).decode("utf-8")
    except ValueError:
        return text + policy


wrong("b37", "Appends the decoded JSON text of the policy to the string to sign, instead of the encoded policy as sent.",
      "policy-authorization, verify-authorization", policy_text=plain_policy)

wrong("b38", "Instant upload signs the percent-encoded FileName as it stands in the query string, instead of the raw key.",
      "instant-upload", hit_key=lambda key: base.percent(key))


# ------------------------------------------------------------------ pre-signed URLs

def encode_uri(key):
    return "".join(chr(b) if b < 128 and (chr(b).isalnum() or b in b"-_.!~*'();,/?:@&=+$#") else "%%%02X" % b for b in utf8(key))


wrong("b39", "Encodes the key in the URL path with JavaScript's encodeURI, so `?` and `#` in a key stay as they are and cut the path.",
      "presigned-url", url_path=encode_uri)


def expires32(expires):
    return str(int32(int(expires))) if re.fullmatch("[0-9]+", expires) else expires


wrong("b40", "Keeps Expires of a pre-signed URL in a signed 32-bit integer, so times after January 2038 become negative, signed and sent.",
      "presigned-url", presign_expires=expires32, url_expires=expires32)


# ------------------------------------------------------------------ ETags

def stale_hashes(blocks):
    buffer, out = bytearray(base.BLOCK), b""
    for block in blocks:
        buffer[:len(block)] = block
        out += base.etag_hash(buffer)
    return base.etag_hash(out)


wrong("b41", "In a file of several blocks, hashes the full 4 MiB buffer for a short last block: its data, followed by the previous block's leftover bytes.",
      "etag", hash_hashes=stale_hashes)

wrong("b42", "Counts ETag blocks as size divided by 4 MiB plus one, so a file whose size is a multiple of 4 MiB (empty included) gets one too many.",
      "etag", block_count=lambda data, blocks: len(data) // base.BLOCK + 1)

wrong("b43", "Reads the content in text mode on Windows, so CR LF becomes LF before ETags and part ETags are computed.",
      "etag, part-etag", content_bytes=lambda content: content_bytes(content).replace(b"\r\n", b"\n"))

wrong("b44", "Gives a part the form of a file ETag, with the four-byte block count 1 before the SHA-1 (32 characters instead of 28).",
      "part-etag", part_raw=lambda data: (1).to_bytes(4, "little") + base.etag_hash(data))

# ------------------------------------------------------------------ verifying

wrong("b45", "Accepts any Authorization scheme that starts with the right word, such as `SvcX` or `Svc4-HMAC` (startsWith instead of equality).",
      o.V_AUTH, scheme_ok=lambda scheme, dialect: scheme.startswith(dialect["scheme"]))


def no_match():
    raise base.No("signature-mismatch", "not the signature of this request")


def decoded_equal(expected, got):
    raw = re.sub("[^A-Za-z0-9+/]", "", got.replace("-", "+").replace("_", "/"))
    try:
        if base64.b64decode(raw + "=" * (-len(raw) % 4)) == base64.b64decode(expected):
            return
    except ValueError:
        pass
    no_match()


wrong("b46", "Compares the Base64 signature of file requests and URLs without regard to letter case (equalsIgnoreCase).",
      o.V_FILE, check_signature=lambda expected, got: None if expected.lower() == got.lower() else no_match())

wrong("b47", "Compares decoded bytes of file signatures after lenient Base64 decoding, so missing padding, URL-safe letters, foreign characters and set spare bits are accepted.",
      o.V_FILE, check_signature=decoded_equal)


def policy_off(text, policy):
    return text


wrong("b48", "Verifies an Authorization with a policy against the string to sign without the policy, so any well-formed policy passes and truly signed ones are refused.",
      o.V_AUTH, verify_policy_text=policy_off)

wrong("b49", "Accepts a callback policy in Authorization with every method, not just PUT and POST.",
      o.V_AUTH, policy_method_ok=lambda method: True)


def last_headers(given, headers, dialect):
    last = {}
    for name, value in headers:
        last[name.lower()] = (name, value) if base.is_extra(name, dialect) else None
    kept = [pair for pair in headers if not base.is_extra(pair[0], dialect)] + [pair for pair in last.values() if pair]
    return base.header_text(given["method"], given["bucket"], given["key"], kept, dialect)


wrong("b50", "When verifying Authorization, keeps extra headers in a map, so of a repeated one only the last value is in the string to sign.",
      o.V_AUTH, verify_header_text=last_headers)

wrong("b51", "Refuses a pre-signed URL as expired in the very second of Expires (now >= Expires instead of now > Expires).",
      o.V_URL, is_late=lambda now, expires: now >= expires)

wrong("b52", "Treats Expires of zero as no expiry, so a correctly signed pre-signed URL with `Expires=0` never expires.",
      o.V_URL, is_late=lambda now, expires: expires != 0 and now > expires)

wrong("b53", "Decodes `+` in the path of a pre-signed URL to a space, so a URL with a literal plus sign in its key is checked for another key.",
      o.V_URL, key_of_path=lambda path: unpercent(path.replace("+", " "), "url-malformed"))


def strtol(expires):
    match = re.match(r"[ \t\n]*[+-]?[0-9]+", expires, re.A)
    return int(match[0]) if match else 0


wrong("b54", "Reads Expires of a pre-signed URL like strtol: leading digits (sign, blanks before) count, the rest is ignored, and no digits mean 0.",
      o.V_URL, expires_seconds=strtol)

wrong("b55", "Verifies a HEAD request with a pre-signed URL as GET, so a URL signed for HEAD is refused and one signed for GET is accepted.",
      o.V_URL, verify_method=lambda method: "GET" if verify_method(method) == "HEAD" else verify_method(method))


def any_case(public_key, keys):
    if public_key.lower() != keys["publicKey"].lower():
        raise base.No("public-key-unknown", "unknown")


wrong("b56", "Looks up the account without regard to the letter case of the public key (a case-insensitive database column).",
      o.V_ALL, check_account=any_case)


def no_blanks(query):
    out = []
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        if value:
            out.append((base.query_decode(name), base.query_decode(value)))
    return out


def verify_query_no_blanks(given, keys, dialect):
    pairs = no_blanks(given["query"])
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


wrong("b57", "Drops query parameters with an empty value when verifying a query string (Python's parse_qsl without keep_blank_values).",
      o.V_QUERY, verify_query=verify_query_no_blanks)


def encoded_order(given, keys, dialect):
    pieces = sorted((piece for piece in given["query"].split("&") if piece), key=lambda piece: utf8(piece.partition("=")[0]))
    pairs = base.read_query("&".join(pieces))
    base.check_query_repeated([name for name, _ in pairs])
    signature = base.signature_of(pairs)
    leaves = base.without_signature(base.flatten([list(pair) for pair in pairs]))
    if not signature:
        raise base.No("signature-missing", "no Signature")
    base.verify_need(leaves)
    public_key = [leaf.text for leaf in leaves if leaf.name == "PublicKey"][0]
    base.check_account(public_key, keys)
    if base.sign_leaves(leaves, keys) != signature:
        no_match()
    return {"publicKey": public_key}


wrong("b58", "When verifying a query string, sorts the parameters by their still percent-encoded names and decodes them afterwards.",
      o.V_QUERY, verify_query=encoded_order)


def written(number):
    base.number_text(number)
    return Written({"number": number})


class Written(dict):
    pass


def leaves_as_written(name, value, leaves=base.leaves):
    if isinstance(value, Written):
        return [Leaf(name, value["number"], False)]
    return leaves(name, value)


wrong("b59", "Verifies a JSON body with its numbers as written (BigDecimal.toString and the like), so `42.0` is hashed as `42.0` instead of `42`.",
      o.V_JSON, json_number=written, leaves=leaves_as_written)

SEEN = set()


def remembered(parameters, signature, keys):
    if isinstance(signature, str) and (signature, keys["publicKey"]) in SEEN:
        return {"publicKey": keys["publicKey"]}
    result = verify_parameters(parameters, signature, keys)
    SEEN.add((signature, keys["publicKey"]))
    return result


wrong("b60", "Caches action signatures that it has accepted and accepts them again without computing, whatever the parameters are then.",
      o.V_PARAM, verify_parameters=remembered)
