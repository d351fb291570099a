"""Forty implementations with one mistake each, as patches of base.py: aa01 to aa28 sign, aa29 to aa40 verify."""
import base64
import posixpath
import re
import urllib.parse
from decimal import Decimal

import base
from operations import (ACTION, TYPED, FILE, HEADER, ESCAPES, V_ALL, V_FILE, V_AUTH, V_URL, V_PARAM, V_QUERY, V_JSON)
from recording import wrong

# The correct functions, before any patch.
right = {name: value for name, value in vars(base).items() if callable(value)}


# ------------------------------------------------------------------ parameters and numbers

def javascript_number(written):
    right["number_text"](written)
    value = float(written)
    if value in (float("inf"), float("-inf")):
        return "-Infinity" if value < 0 else "Infinity"
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits))
    short = text.rstrip("0")
    n = len(text) + exponent
    k = len(short)
    if k <= n <= 21:
        out = short + "0" * (n - k)
    elif 0 < n <= 21:
        out = short[:n] + "." + short[n:]
    elif -6 < n <= 0:
        out = "0." + "0" * -n + short
    else:
        e = n - 1
        out = short[0] + ("." + short[1:] if k > 1 else "") + "e" + ("+" if e > 0 else "-") + str(abs(e))
    return ("-" if sign else "") + out


wrong("aa01", "Numbers go through an IEEE double and JavaScript's String(), so large ones lose digits and 1e21 and up "
      "or below 1e-6 are signed and sent in exponent form.", TYPED, number_text=javascript_number)


def to_string_number(written):
    exact = right["number_text"](written)
    if re.fullmatch(r"-?[0-9]+", written):
        return exact
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise base.No("number", "too large")
    text = ("%f" % value).rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


wrong("aa02", "A number written with a fraction or an exponent is formatted with C++ std::to_string(double), i.e. rounded to "
      "six decimals, before its trailing zeros are removed.", TYPED, number_text=to_string_number)

wrong("aa03", "List items are named as in the AWS query protocol, Name.member.1, Name.member.2 and so on, instead of Name.0, Name.1.",
      TYPED, item_name=lambda name, index: name + ".member." + str(index + 1))


def sort_then_flatten(parameters):
    top = sorted(parameters, key=lambda pair: base.utf8(pair[0]))
    kept = base.without_signature(base.flatten(top))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("aa04", "The parameters are sorted by their top-level names before lists and objects are flattened, and not again "
      "afterwards, so Name.10 follows Name.9 and object members keep the order in which they were given.",
      TYPED, prepare=sort_then_flatten)

wrong("aa05", "Parameters whose value is the empty text are left out of the signature and of the request (Go's omitempty).", ACTION,
      without_signature=lambda every: [x for x in right["without_signature"](every) if not (x.quoted and x.text == "")])

wrong("aa06", "The parameters are sorted by the joined text name=value (as an OAuth 1 base string), not by name, so Disk2 and "
      "Disk.0 come before Disk.", ACTION,
      order=lambda every: sorted(every, key=lambda leaf: base.utf8(leaf.name + "=" + leaf.text)))

# ------------------------------------------------------------------ JSON, queries, percent-encoding, passwords

wrong("aa07", "The JSON body is assembled by hand and only quotation marks and backslashes of text values are escaped, so line "
      "breaks, tabs and other control characters stand raw in the body.", "action-json",
      json_leaf=lambda leaf: '"' + leaf.text.replace("\\", "\\\\").replace('"', '\\"') + '"' if leaf.quoted else leaf.text)


def numeric_check(leaf):
    if leaf.quoted and re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", leaf.text):
        if re.fullmatch(r"[+-]?[0-9]+", leaf.text) and -2 ** 63 <= int(leaf.text) < 2 ** 63:
            return str(int(leaf.text))
        value = float(leaf.text)
        if abs(value) != float("inf"):
            return repr(value)
    return right["json_leaf"](leaf)


wrong("aa08", "Texts that look like numbers are written into the JSON body as numbers (PHP's JSON_NUMERIC_CHECK), so \"007\" is "
      "signed as 007 but sent as 7.", "action-json", json_leaf=numeric_check)


def requote(text):
    return "".join(part if re.fullmatch("%[0-9A-Fa-f]{2}", part) else right["percent"](part)
                   for part in re.split("(%[0-9A-Fa-f]{2})", text))


wrong("aa09", "A percent sign that two hexadecimal digits follow is taken for an escape and kept as it is instead of becoming %25 "
      "(as requote_uri of Python's requests).", ESCAPES, percent=requote)

wrong("aa10", "Bytes from 0x80 on are sign-extended when they are escaped (C's sprintf(\"%%%02X\") of a signed char), so é becomes "
      "%FFFFFFC3%FFFFFFA9.", ESCAPES,
      escape_byte=lambda b: "%%%02X" % (b if b < 128 else b + 0xFFFFFF00))

wrong("aa11", "The GET of a bucket request writes a space as + because the HTTP library (params= of Python's requests) builds its "
      "query.", "bucket-request", bucket_target=lambda query: "/?" + query.replace("%20", "+"))


def mime_base64(text):
    whole = right["password_text"](text)
    return "\r\n".join(whole[i:i + 76] for i in range(0, len(whole), 76))


wrong("aa12", "Password is encoded with a MIME encoder (Java's Base64.getMimeEncoder), which breaks the Base64 by CR LF after each 76 "
      "characters, so passwords of more than 57 bytes differ.", "password", password_text=mime_base64)


# ------------------------------------------------------------------ private key

def azure_key(private_key):
    raw = right["file_key"](private_key)
    try:
        return base64.b64decode(raw, validate=True)
    except ValueError:
        return raw


wrong("aa13", "The HMAC key is the Base64-decoded private key if the private key is valid Base64 (port of Azure's shared key), and "
      "its UTF-8 bytes only otherwise.", FILE, file_key=azure_key)


wrong("aa14", "The string that SHA-1 hashes ends before its first NUL (C's strlen), so everything behind a NUL in a value and the "
      "private key itself are left out.", ACTION, action_bytes=lambda text: base.utf8(text).split(b"\0")[0])

# ------------------------------------------------------------------ headers

wrong("aa15", "The values of a repeated extra header are sorted and duplicates among them removed before they are joined (Guava's "
      "TreeMultimap).", FILE, join_values=lambda values: ",".join(sorted(set(values))))

wrong("aa16", "The finished lines name:value are sorted instead of the names, so x-svc-foo-bar comes before x-svc-foo.", FILE,
      sort_groups=lambda groups: sorted(groups, key=lambda group: group[0] + ":"))

wrong("aa17", "Only user metadata headers (X-Svc-Meta-*) are signed as extra headers, other X-Svc-* headers are left out.", FILE,
      extra_prefix=lambda dialect: dialect["headerPrefix"].lower() + "meta-")


def amazon_date(method, bucket, key, headers, dialect):
    if base.find(headers, dialect["headerPrefix"].lower() + "date"):
        headers = [(name, value) for name, value in headers if base.fold_name(name) != "date"]
    return right["header_text"](method, bucket, key, headers, dialect)


wrong("aa18", "If there is an extra header X-Svc-Date, the line of Date is left empty (port of S3 signature version 2 and "
      "x-amz-date).", HEADER, header_text=amazon_date)


def base64_md5(headers, method):
    value = right["content_md5"](headers, method)
    return base64.b64encode(bytes.fromhex(value)).decode() if re.fullmatch("[0-9a-fA-F]{32}", value) else value


wrong("aa19", "A Content-MD5 of 32 hexadecimal digits is converted to the Base64 form of RFC 1864 before it is signed.", HEADER,
      content_md5=base64_md5)


def octet_stream(headers, method):
    if method in ("PUT", "POST") and not base.find(headers, "content-type"):
        return "application/octet-stream"
    return right["content_type"](headers, method)


wrong("aa28", "If a PUT or POST has no Content-Type, application/octet-stream is signed in its place.", HEADER, content_type=octet_stream)


# ------------------------------------------------------------------ resource and key

def joined(bucket, key):
    path = posixpath.normpath("/" + bucket + "/" + key)
    return path + "/" if key.endswith("/") and path != "/" else path


wrong("aa20", "The resource is built with path.posix.join('/', bucket, key) of Node, which collapses repeated slashes, resolves . and .. "
      "and drops the final slash if the key is empty.", FILE, resource=joined)

wrong("aa21", "Percent escapes in the key are decoded before it is signed (the key is taken for a URL path), so the key a%20b is signed "
      "as 'a b'.", FILE, resource_key=lambda key: urllib.parse.unquote(key))

# ------------------------------------------------------------------ pre-signed URLs

wrong("aa22", "The key in a pre-signed URL is escaped with JavaScript's encodeURI, which leaves ? # & + ; : @ = $ , ! ' ( ) * as they "
      "are.", "presigned-url", url_path=lambda key: urllib.parse.quote(key, safe="-_.~!*'();/?:@&=+$,#"))

wrong("aa23", "A pre-signed URL for HEAD is signed with the verb GET.", "presigned-url",
      presign_method=lambda method: "GET" if right["presign_method"](method) == "HEAD" else right["presign_method"](method))


# ------------------------------------------------------------------ forms, instant upload, policy

def field_first(headers, fields):
    value = base.one(base.form_fields(fields, "Content-MD5") or base.find(headers, "content-md5"))
    return "" if value is None else base.positional_value(value)


wrong("aa24", "In a form upload with both, the form field Content-MD5 is signed instead of the header Content-MD5.",
      "form-authorization", form_md5=field_first)


def bodyless(given, keys, dialect):
    kept = [[name, value] for name, value in given["headers"]
            if name.strip(" \t").lower() not in ("content-type", "content-md5")]
    return right["op_instant"](dict(given, headers=kept), keys, dialect)


wrong("aa25", "An instant upload is signed with empty lines for Content-Type and Content-MD5 even if these headers are sent, because the "
      "request has no body.", "instant-upload", op_instant=bodyless)

wrong("aa26", "The policy that is appended to the string to sign is first converted to the URL-safe alphabet, although the header "
      "carries it as given, with + and /.", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + policy.replace("+", "-").replace("/", "_"))


# ------------------------------------------------------------------ ETag

def stale_buffer(blocks):
    blocks = list(blocks)
    last, before = blocks[-1], blocks[-2]
    blocks[-1] = bytes(last) + bytes(before[len(last):])
    return right["hash_hashes"](blocks)


wrong("aa27", "Above 4 MiB, the whole 4 MiB buffer is hashed for the last, shorter block, with the end of the block before still behind "
      "it (C's fread result ignored).", "etag", hash_hashes=stale_buffer)

# ------------------------------------------------------------------ the verify operations

wrong("aa29", "Signatures are compared without regard to case (equalsIgnoreCase), Base64 signatures too.", V_ALL,
      equal=lambda expected, got: expected.lower() == got.lower())

wrong("aa30", "Signatures are compared over the length of the one received (C's strncmp with strlen of the argument), so any non-empty "
      "beginning of the right signature is accepted.", V_ALL, equal=lambda expected, got: expected.startswith(got))


def lenient_base64(expected, got):
    try:
        same = base64.b64decode(expected) == base64.b64decode(got)
    except ValueError:
        same = False
    if not same:
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("aa31", "File signatures are compared after Python's lenient b64decode, which skips characters outside the alphabet and ignores "
      "the last unused bits, so other spellings of the signature are accepted.", V_FILE, check_signature=lenient_base64)


def text_expiry(now, expires):
    base.expires_seconds(expires)
    if now > expires:
        raise base.No("expired", "too late")


wrong("aa32", "The time and Expires are compared as texts (two strings with > in JavaScript), so an Expires with fewer or more digits than "
      "the time is misjudged.", V_URL, check_expiry=text_expiry)


def atol(expires):
    match = re.match(r"[ \t\n\v\f\r]*([+-]?[0-9]+)", expires)
    number = Decimal(match[1]) if match else Decimal(0)
    return max(-2 ** 63, min(2 ** 63 - 1, number))


wrong("aa33", "Expires is read with C's atol, so signs, leading blanks and anything behind the digits are accepted, and a text "
      "without leading digits counts as 0 (expired) instead of being malformed.", V_URL, expires_seconds=atol)

wrong("aa34", "A plus sign in a query is decoded to a space (parse_qs, urldecode), in names and values.", V_URL + ", " + V_QUERY,
      query_decode=lambda text: right["query_decode"](text.replace("+", " ")))

wrong("aa35", "Query parameters with an empty value are ignored (Python's parse_qsl without keep_blank_values), so they are not part of "
      "the signed string that is checked.", V_URL + ", " + V_QUERY,
      read_query=lambda query: [(name, value) for name, value in right["read_query"](query) if value != ""])


def double_number(written):
    value = float(written)
    if abs(value) == float("inf"):
        return {"number": written}
    return {"number": format(Decimal(repr(value)), "f")}


wrong("aa36", "Numbers of a JSON body are read as IEEE doubles and written in plain decimal, so integers beyond 2^53 and long fractions "
      "are checked with other digits than were sent.", V_JSON, json_number=double_number)

wrong("aa37", "A verifier leaves out every parameter whose last name part is Signature, also nested ones such as Tag.Signature, so these can "
      "be changed freely.", V_PARAM,
      verify_prepare=lambda parameters: [x for x in right["prepare"](parameters) if x.name.split(".")[-1] != "Signature"])


def upload_policy(policy, method):
    if base.policy_method_ok(method) and not base.policy_ok(policy):
        raise base.No("authorization-malformed", "no policy here")


def policy_of_uploads(text, policy):
    return right["verify_policy_text"](text, policy if text.split("\n")[0] in ("PUT", "POST") else None)


wrong("aa38", "A third part of Authorization is ignored with methods other than PUT and POST instead of being refused, so the request "
      "passes if its signature is right without it.", V_AUTH, check_policy=upload_policy, verify_policy_text=policy_of_uploads)


def exact_authorization(headers):
    return right["find_authorization"]([(name, value) for name, value in headers if name == "Authorization"])


wrong("aa39", "The header Authorization is only found if its name is spelt exactly so, not as authorization (HTTP/2) or AUTHORIZATION.",
      V_AUTH, find_authorization=exact_authorization)


def ends_with(host, file_host):
    bucket, dot, _ = host.partition(".")
    if not bucket or not dot or not host.lower().endswith(file_host.lower()):
        raise base.No("url-malformed", "another host")
    return bucket


wrong("aa40", "The host of a pre-signed URL only has to end with the file host, and its first label is the bucket, so hosts such as "
      "b.x.FILEHOST and b.evilFILEHOST are accepted as bucket b.", V_URL, check_host=ends_with)
