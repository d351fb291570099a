"""Sixty implementations with one mistake each, as patches of base.py: o01 to o42 sign, o43 to o60 verify."""
import base64
import email.utils
import hashlib
import hmac
import json
import re
from decimal import Decimal

import base
from operations import (ACTION, ESCAPES, FILE, HEADER, QUERY, SENDERS, SENT, SIGNED, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON,  # noqa: F401
                        V_PARAM, V_QUERY, V_URL)
from recording import wrong

# The correct functions, before any patch.
right = {name: value for name, value in vars(base).items() if callable(value)}

POLICY_BOTH = "policy-authorization, verify-authorization"
QUERY_READ = "verify-query, verify-presigned-url"


def copy_leaf(leaf, text):
    return base.Leaf(leaf.name, text, leaf.quoted)


# ================================================================== sign: the most common

wrong("o01", "Percent-encodes with Java's URLEncoder and only repairs the plus sign: * stays as it is, and ~ becomes %7E.",
      ESCAPES, safe_byte=lambda b: chr(b).isalnum() and b < 128 or b in b"-_.*")

wrong("o02", "Percent-encodes with JavaScript's encodeURIComponent, which leaves ! ' ( ) * as they are.",
      ESCAPES, safe_byte=lambda b: chr(b).isalnum() and b < 128 or b in b"-_.~!'()*")

wrong("o03", "Sorts the parameters by name without regard to case (C# dictionary, localeCompare), so ChargeType comes before CPU.",
      ACTION, order=lambda all_leaves: sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name.lower())))

wrong("o04", "The file signature is Base64 of the 40 hexadecimal digits of the HMAC (PHP's hash_hmac without its fourth argument), "
      "not of its 20 bytes.",
      FILE, file_base64=lambda digest: base64.b64encode(digest.hex().encode()).decode())


def encode_password_again(parameters):
    return [copy_leaf(leaf, base.password_text(leaf.text)) if leaf.name == "Password" and leaf.quoted else leaf
            for leaf in right["prepare"](parameters)]


wrong("o05", "Base64-encodes the text of the parameter Password itself before it signs and sends it, although the caller has already "
      "done so.",
      SIGNED, prepare=encode_password_again, verify_prepare=right["prepare"])

wrong("o06", "Joins the values of a repeated extra header with a comma and a space.",
      FILE, join_values=lambda values: ", ".join(values))


def type_with_default(headers, method):
    if not base.find(headers, "content-type"):
        return "application/octet-stream"
    return right["content_type"](headers, method)


wrong("o07", "Signs application/octet-stream in the line of Content-Type if the request has no Content-Type header.",
      HEADER, content_type=type_with_default)

wrong("o08", "Signs the percent-encoded key (slashes kept), as it stands in the request line, instead of the raw key.",
      FILE, resource_key=lambda key: "/".join(base.percent(part) for part in key.split("/")))

wrong("o09", "Writes the ETag's block count in big-endian order (Java's DataOutputStream and ByteBuffer).",
      "etag", count_bytes=lambda count: count.to_bytes(4, "big"))

wrong("o10", "Takes the single-hash form of the ETag only for files below 4 MiB: a file of exactly 4 MiB gets the SHA-1 of the SHA-1 "
      "of its one block.",
      "etag", is_single=lambda data, blocks: len(data) < 4194304)

wrong("o11", "The signed string of the action API has the percent-encoded values instead of the plain ones.",
      ACTION, signed_value=lambda leaf: base.percent(leaf.text))


def action_hmac(text, private_key):
    return hmac.new(base.utf8(private_key), base.action_bytes(text), hashlib.sha1).digest()


wrong("o12", "The action signature is HMAC-SHA1 with the private key as its key, instead of SHA-1 of the text with the private key "
      "at its end.",
      ACTION, action_digest=action_hmac)

wrong("o13", "Signs an instant upload on the resource /<bucket>/uploadhit, the path of the request, instead of on the file's key.",
      "instant-upload", hit_key=lambda key: "uploadhit")

wrong("o14", "Signs a form upload with the Content-Type header of the HTTP request instead of the form field Content-Type.",
      "form-authorization", form_type=lambda headers, fields: base.positional(headers, "content-type"))


def spaced_policy(members):
    return "{" + ", ".join(json.dumps(n, ensure_ascii=False) + ": " + json.dumps(v, ensure_ascii=False) for n, v in members) + "}"


wrong("o15", "The JSON in the callback policy is not compact: it has a space after each comma and colon (Python's json.dumps).",
      "policy", policy_json=spaced_policy)


# ================================================================== sign: less common

def node_base64(private_key):
    """Buffer.from(key, 'base64'): skips what is no Base64 character, stops at =."""
    base.utf8(private_key)
    clean = re.sub("[^A-Za-z0-9+/]", "", private_key.split("=")[0].replace("-", "+").replace("_", "/"))
    if len(clean) % 4 == 1:
        clean = clean[:-1]
    return base64.b64decode(clean + "=" * (-len(clean) % 4))


wrong("o16", "The HMAC key is the private key decoded from Base64 (port of Azure's shared key; Node's lenient decoder), not the UTF-8 "
      "bytes of its text.",
      FILE, file_key=node_base64)

wrong("o17", "Numbers the items of a list from one (Name.1, Name.2), as the query APIs of AWS and Aliyun do.",
      TYPED, item_name=lambda name, index: name + "." + str(index + 1))


def java_double(written):
    right["number_text"](written)                       # the same refusals
    if not re.search("[.eE]", written):
        return right["number_text"](written)
    sign, digits, exponent = Decimal(repr(float(written))).as_tuple() if abs(float(written)) < 1e308 else Decimal(written).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    minus = "-" if sign else ""
    if not text:
        return minus + "0.0"
    power = len(text) + exponent - 1                    # of the first digit
    text = text.rstrip("0")
    if -3 <= power < 7:
        if power < 0:
            return minus + "0." + "0" * (-power - 1) + text
        text = text.ljust(power + 1, "0")
        return minus + text[:power + 1] + "." + (text[power + 1:] or "0")
    return minus + text[0] + "." + (text[1:] or "0") + "E" + str(power)


wrong("o18", "Writes numbers that have a fraction or an exponent as Java's Double.toString does: 42.0 stays 42.0, 1e7 becomes 1.0E7, "
      "and 0.0001 becomes 1.0E-4.",
      TYPED, number_text=java_double)

wrong("o19", "Percent-encodes the signature twice in a pre-signed URL (by hand, and again by the URL builder): = becomes %253D.",
      "presigned-url", url_signature=lambda signature: base.percent(base.percent(signature)))


def always_get(method):
    base.verb(method)
    return "GET"


wrong("o20", "Signs a pre-signed URL with the verb GET whatever the method is.",
      "presigned-url", presign_method=always_get)


def without_date(given, headers, dialect, method, key):
    if base.find(headers, base.extra_prefix(dialect) + "date"):
        base.date(headers, method)                      # the same refusals
        headers = [pair for pair in headers if base.fold_name(pair[0]) != "date"]
    return right["sign_given"](given, headers, dialect, method, key)


wrong("o21", "Leaves the line of Date empty if there is an extra header X-Svc-Date (the rule of S3 for x-amz-date).",
      SENDERS, sign_given=without_date)

wrong("o22", "Builds the target of a bucket request with Go's url.Values.Encode, so that a space is + in the query.",
      "bucket-request", bucket_target=lambda query: "/?" + query.replace("%20", "+"))


def pairs_by_given_name(headers, dialect):
    chosen = sorted((pair for pair in headers if base.is_extra(pair[0], dialect)), key=lambda pair: pair[0])
    return right["extra_pairs"](chosen, dialect)


wrong("o23", "Sorts the extra headers by their names as given and converts the names to lower case afterwards, so X-Svc-B comes before "
      "x-svc-a and X-Svc-a.",
      FILE, extra_pairs=pairs_by_given_name, sort_groups=lambda groups: groups)

wrong("o24", "The ETag of a part has no = at its end (Go's base64.RawURLEncoding).",
      "part-etag", etag_base64=lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("="))

wrong("o25", "The ETag of a file above 4 MiB is the SHA-1 over the hexadecimal texts of the blocks' hashes, not over their bytes.",
      "etag", hash_hashes=lambda blocks: base.etag_hash("".join(base.etag_hash(block).hex() for block in blocks).encode()))


def ruby_encode64(text):
    whole = base64.b64encode(base.utf8(text)).decode()
    return "\n".join(whole[i:i + 60] for i in range(0, len(whole), 60))


wrong("o26", "Encodes the password with Ruby's Base64.encode64 and chomps it: there is a line break after each 60 characters.",
      "password", password_text=ruby_encode64)

wrong("o27", "Sends every value in the JSON body as a string (Map<String, String>), numbers and booleans too.",
      "action-json", json_leaf=lambda leaf: json.dumps(leaf.text))


def complete_with_old(given, keys):
    ordered, signature = right["complete"](given, keys)
    old = [leaf for leaf in base.flatten(given["parameters"]) if leaf.name == "Signature"]
    return base.order(ordered + old), signature


wrong("o28", "Keeps a Signature that is already among the parameters in the request, and adds the new one to it.",
      SENT, complete=complete_with_old)


def plain_policy(text, policy):
    try:
        return text + base64.urlsafe_b64decode(policy + "=" * (-len(policy) % 4)).decode()
    except ValueError:
        return text + policy


wrong("o29", "Appends the decoded JSON of the callback policy to the string to sign, instead of its Base64 text as sent.",
      POLICY_BOTH, policy_text=plain_policy)


# ================================================================== sign: subtle and odd

wrong("o30", "Prints each byte to escape as a signed char (C's %02X of a char): bytes from 0x80 become %FFFFFFC3.",
      ESCAPES, escape_byte=lambda b: "%%%02X" % b if b < 128 else "%%FFFFFF%02X" % b)


def modified_utf8(text):
    base.utf8(text)
    out = bytearray()
    units = text.encode("utf-16-be")
    for i in range(0, len(units), 2):
        unit = units[i] << 8 | units[i + 1]
        if unit == 0:
            out += b"\xc0\x80"
        else:
            out += chr(unit).encode("utf-8", "surrogatepass")
    return bytes(out)


wrong("o31", "The bytes that the action API signs are Java's modified UTF-8 (JNI's GetStringUTFChars): a character above U+FFFF is six "
      "bytes, and NUL is C0 80.",
      ACTION, action_bytes=modified_utf8)


def sort_then_flatten(parameters):
    out = []
    for name, value in sorted(parameters, key=lambda pair: base.utf8(pair[0])):
        out += base.leaves(name, value)
    out = base.without_signature(out)
    base.check_repeated([leaf.name for leaf in out])
    return out


wrong("o32", "Sorts the parameters before it flattens lists and objects, and not again afterwards: Name.10 follows Name.9, members stay "
      "in their given order, and A-B follows A.0.",
      TYPED, prepare=sort_then_flatten)

wrong("o33", "Sorts the finished lines name:value instead of the names, so that x-svc-a-b comes before x-svc-a (the hyphen is below the "
      "colon).",
      FILE, entries=lambda groups: "".join(sorted(base.entry(name, values) for name, values in groups)))


def hmac_by_hand(key, message):
    if len(key) >= 64:                                  # RFC 2104: longer than 64
        key = hashlib.sha1(key).digest()
    key = key.ljust(64, b"\0")
    inner = hashlib.sha1(bytes(b ^ 0x36 for b in key) + message).digest()
    return hashlib.sha1(bytes(b ^ 0x5C for b in key) + inner).digest()


wrong("o34", "A hand-written HMAC hashes a private key of exactly 64 bytes first (>= instead of >).",
      FILE, file_digest=hmac_by_hand)


def sha1_by_hand(message):
    state = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    tail = len(message) % 64
    zeros = 55 - tail if tail < 55 else 119 - tail      # correct: tail <= 55
    data = message + b"\x80" + b"\0" * zeros + (len(message) * 8).to_bytes(8, "big")

    def turn(x, n):
        return (x << n | x >> 32 - n) & 0xFFFFFFFF

    for start in range(0, len(data), 64):
        w = [int.from_bytes(data[start + i:start + i + 4], "big") for i in range(0, 64, 4)]
        for i in range(16, 80):
            w.append(turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1))
        a, b, c, d, e = state
        for i in range(80):
            if i < 20:
                f, k = b & c | ~b & d, 0x5A827999
            elif i < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif i < 60:
                f, k = b & c | b & d | c & d, 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (turn(a, 5) + (f & 0xFFFFFFFF) + e + k + w[i]) & 0xFFFFFFFF, a, turn(b, 30), c, d
        state = [(x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d, e))]
    return b"".join(x.to_bytes(4, "big") for x in state)


def action_sha1_by_hand(text, private_key):
    message = base.action_bytes(base.with_key(text, base.action_key(private_key)))
    return sha1_by_hand(message) if len(message) % 64 == 55 else hashlib.sha1(message).digest()


wrong("o35", "A hand-written SHA-1 pads a message whose length is 55 modulo 64 with one block too many (< instead of <=), so the action "
      "signature is wrong for those lengths alone.",
      ACTION, action_digest=action_sha1_by_hand)


def stale_buffer(blocks):
    blocks = [bytes(block) for block in blocks]
    if len(blocks) > 1 and len(blocks[-1]) < len(blocks[-2]):
        blocks[-1] += blocks[-2][len(blocks[-1]):]
    return right["hash_hashes"](blocks)


wrong("o36", "Reads the blocks of a large file into one buffer and always hashes the whole buffer, so that a short last block ends with "
      "what is left of the block before it.",
      "etag", hash_hashes=stale_buffer)

wrong("o37", "Converts the names of extra headers to lower case in a Turkish locale: X-Svc-Meta-ID becomes x-svc-meta-\u0131d with a "
      "dotless i.",
      FILE, extra_name=lambda name: name.replace("I", "\u0131").lower())


def form_with_field_headers(given, headers, dialect):
    base.check_bucket(given["bucket"])
    for name, value in given["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            base.header_value(value)
    more = [(name, value) for name, value in given["fields"] if base.TOKEN.fullmatch(name) and base.is_extra(name, dialect)]
    return base.lines(base.form_method(), base.form_md5(headers, given["fields"]), base.form_type(headers, given["fields"]),
                      base.date(headers, "POST"), base.canonical_headers(headers + more, dialect),
                      base.resource(given["bucket"], given["key"]))


wrong("o38", "A form upload also signs the form fields whose names start with X-Svc-, as if they were extra headers (the x-amz-meta-* "
      "fields of S3).",
      "form-authorization", form_text=form_with_field_headers)


def whatwg_path(key):
    out, parts = [], key.split("/")
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "..":
            out = out[:-1]
        elif part != ".":
            out.append(base.percent(part))
            continue
        if last:
            out.append("")
    return "/".join(out)


wrong("o39", "The URL library of a pre-signed URL removes the segments . and .. of the path (new URL() in JavaScript), while the "
      "signature is over the key as given.",
      "presigned-url", url_path=whatwg_path)


def array_filter(parameters):
    return [leaf for leaf in right["prepare"](parameters)
            if leaf.text not in ("", "0") and (leaf.quoted or leaf.text != "false")]


wrong("o40", "Drops parameters whose value PHP takes for empty (array_filter without a callback): an empty text, the text 0, the number "
      "0 and false are neither signed nor sent.",
      SIGNED, prepare=array_filter, verify_prepare=right["prepare"])

FIRST_KEY = []


def first_key(private_key):
    key = base.utf8(private_key)
    if not FIRST_KEY:
        FIRST_KEY.append(key)
    return FIRST_KEY[0]


wrong("o41", "Makes the HMAC object of the file interface once, with the first private key it sees, and uses it for every later account.",
      FILE, file_key=first_key)


def int32(size):
    if re.fullmatch("[0-9]+", size):
        return str((int(size) + 2 ** 31) % 2 ** 32 - 2 ** 31)
    return size


wrong("o42", "FileSize of an instant upload goes through a 32-bit int: 2147483648 becomes -2147483648.",
      "instant-upload", hit_target=lambda etag, key, size: right["hit_target"](etag, key, int32(size)))


# ================================================================== verify: the most common

def read_query_without_blanks(query):
    return right["read_query"]("&".join(piece for piece in query.split("&") if piece.partition("=")[2]))


wrong("o43", "Reads a query with Python's parse_qsl and its default keep_blank_values=False: parameters with an empty value vanish "
      "before verification.",
      QUERY_READ, read_query=read_query_without_blanks)

wrong("o44", "Decodes a raw + in a query to a space, as for HTML forms.",
      QUERY_READ, query_decode=lambda text: right["query_decode"](text.replace("+", " ")))


def raw_path(path):
    right["key_of_path"](path)
    return path


wrong("o45", "Verifies a pre-signed URL over the path as it stands in the URL, without decoding its percent escapes.",
      V_URL, key_of_path=raw_path)

wrong("o46", "Refuses a pre-signed URL as expired in the very second of Expires (now >= Expires).",
      V_URL, is_late=lambda now, expires: now >= expires)


def double_integer(written):
    if re.fullmatch(r"-?[0-9]{16,300}", written):
        return {"number": format(Decimal(repr(float(written))), "f")}
    return {"number": written}


wrong("o47", "Reads the integers of a JSON body as doubles, so that those beyond 2^53 lose their last digits before verification.",
      V_JSON, json_number=double_integer)


def compact(value):
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is True or value is False or value is None:
        return json.dumps(value)
    if "number" in value:
        return value["number"]
    if "list" in value:
        return "[" + ",".join(map(compact, value["list"])) + "]"
    return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + compact(item) for name, item in value["object"]) + "}"


def nested_as_text(parameters):
    return right["prepare"]([[name, compact(value) if isinstance(value, dict) and "number" not in value else value]
                             for name, value in parameters])


wrong("o48", "Verifies a JSON body without flattening: the value of a list or an object is its compact JSON text.",
      V_JSON, verify_prepare=nested_as_text)


# ================================================================== verify: less common

def php_names(query):
    return [(re.sub("[. ]", "_", name), value) for name, value in right["read_query"](query)]


wrong("o49", "Takes the parameters from PHP's $_GET, where the dots and spaces of names have become underscores (Name.0 is Name_0).",
      V_QUERY, read_query=php_names)


def first_values(headers, dialect):
    seen, out = set(), []
    for name, value in headers:
        if not base.is_extra(name, dialect) or name.lower() not in seen:
            out.append((name, value))
        seen.add(name.lower())
    return out


wrong("o50", "Reads extra headers with Go's Header.Get: of a repeated one, only the first value counts.",
      V_FILE,
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, first_values(headers, dialect), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](first_values(headers, dialect), dialect))


def compare_as_text(now, expires):
    base.expires_seconds(expires)
    if now > expires:
        raise base.No("expired", "too late")


wrong("o51", "Compares Expires with the time as texts, so that 999999999 is later than 1700000000 and 10000000000 is earlier.",
      V_URL, check_expiry=compare_as_text)


def only_base64(policy):
    try:
        plain = policy.rstrip("=").replace("-", "+").replace("_", "/")
        base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        return True
    except ValueError:
        return False


wrong("o52", "Accepts any Base64 text as the third part of Authorization, without looking for a JSON object in it, so that the end of a "
      "signed key can pass as a policy.",
      V_AUTH, policy_ok=only_base64)

wrong("o53", "Compares only as many characters as the supplied signature has (C's strncmp with its length): any first part of the "
      "right signature is accepted.",
      V_ALL, equal=lambda expected, got: expected.startswith(got))


def date_must_be_http(given, headers, dialect):
    for value in base.find(headers, "date"):
        try:
            email.utils.parsedate_to_datetime(base.header_value(value))
        except (ValueError, TypeError, IndexError):
            raise base.No("authorization-malformed", "Date is not an HTTP date")
    return right["verify_header_text"](given, headers, dialect)


wrong("o54", "Refuses a request whose Date is not an HTTP date (as S3 does), although Date is any text.",
      V_AUTH, verify_header_text=date_must_be_http)


# ================================================================== verify: subtle and odd

def wsgiref_type(given, headers, dialect):
    if not base.find(headers, "content-type"):
        headers = headers + [("Content-Type", "text/plain")]
    return right["verify_header_text"](given, headers, dialect)


wrong("o55", "Takes Content-Type from a WSGI environment of wsgiref, which says text/plain if the request has no Content-Type.",
      V_AUTH, verify_header_text=wsgiref_type)


def cgi_names(headers, dialect):
    return [(name.replace("_", "-") if base.is_extra(name.replace("_", "-"), dialect) else name, value) for name, value in headers]


wrong("o56", "Rebuilds the names of extra headers from CGI variables (HTTP_X_SVC_META_A_B): an underscore in a name becomes a hyphen.",
      V_FILE,
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, cgi_names(headers, dialect), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](cgi_names(headers, dialect), dialect))


def trimmed(value):
    if isinstance(value, str):
        return value.strip(" \t\n\r\0\x0b")
    if isinstance(value, dict) and "list" in value:
        return {"list": [trimmed(item) for item in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, trimmed(item)] for name, item in value["object"]]}
    return value


wrong("o57", "A middleware (Laravel's TrimStrings) has removed the whitespace around every text value before the parameters are verified.",
      V_PARAM,
      verify_prepare=lambda parameters: right["prepare"]([[name, trimmed(value)] for name, value in parameters]))

ACCEPTED = set()


def remembered(expected, got):
    if got in ACCEPTED:
        return
    right["check_signature"](expected, got)
    ACCEPTED.add(got)


wrong("o58", "Remembers the signatures that it has accepted and accepts them again without computing anything, for another key or "
      "method too.",
      V_FILE, check_signature=remembered)


def decoded_twice(path):
    key = right["key_of_path"](path)
    try:
        return right["key_of_path"](key)
    except base.No:
        return key


wrong("o59", "Decodes the path of a pre-signed URL twice (the framework and the program), so that %2541 becomes A.",
      V_URL, key_of_path=decoded_twice)


def numeric_check(value):
    if isinstance(value, str):
        if re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", value):
            text = format(Decimal(value), "f")
            text = text.rstrip("0").rstrip(".") if "." in text else text
            return text if text.strip("-0.") else "0"
        return value
    if isinstance(value, dict) and "list" in value:
        return {"list": [numeric_check(item) for item in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, numeric_check(item)] for name, item in value["object"]]}
    return value


wrong("o60", "Turns the texts of a JSON body that look like numbers into numbers (PHP's JSON_NUMERIC_CHECK) before it verifies: 007 "
      "becomes 7, and 1.0 becomes 1.",
      V_JSON, verify_prepare=lambda parameters: right["prepare"]([[name, numeric_check(value)] for name, value in parameters]))
