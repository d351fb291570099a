"""Blind trial, ninth set: single wrong mistakes; each entry replaces one or a few functions of base.py.

y01 to y38 are in signing (some of these show in the verifiers too), y39 to y60 in verifiers."""
import base64
import hashlib
import heapq
import json
import re
import time
import unicodedata
from email.utils import formatdate
from urllib.parse import unquote

import base as b
from operations import (ACTION, ESCAPES, FILE, QUERY, TYPED, V_AUTH, V_JSON, V_PARAM, V_QUERY, V_URL)
from recording import wrong

_number_text = b.number_text
_percent = b.percent
_json_leaf = b.json_leaf
_query_value = b.query_value
_date = b.date
_order = b.order
_string_text = b.string_text
_extra_value = b.extra_value
_list_leaves = b.list_leaves
_content_bytes = b.content_bytes
_presign_expires = b.presign_expires
_policy_ok = b.policy_ok
_split_credentials = b.split_credentials
_check_expiry = b.check_expiry
_expires_seconds = b.expires_seconds
_key_of_path = b.key_of_path
_verify_authorization = b.verify_authorization
_verify_url = b.verify_url
_verify_query = b.verify_query
_verify_json = b.verify_json
_verify_prepare = b.verify_prepare
_read_json = b.read_json
_check_query_repeated = b.check_query_repeated


def _utf16_units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


# ------------------------------------------------------------------ signing: parameters

def _heap(all_leaves):
    heap = []
    for index, leaf in enumerate(all_leaves):
        heapq.heappush(heap, (b.utf8(leaf.name), index, leaf))
    return [leaf for _, _, leaf in heap]


wrong("y01", "The parameters are put into a PriorityQueue of Java and read with its iterator, which walks the heap's array, so only the first one is sure to be in its place", ACTION,
      order=_heap)

wrong("y02", "An Erlang map lists its keys in order only up to 32 of them (the author took that for a guarantee); with more parameters the order is that of their hashes", ACTION,
      order=lambda x: _order(x) if len(x) <= 32 else sorted(_order(x), key=lambda leaf: hashlib.md5(b.utf8(leaf.name)).digest()))


def _natural(leaf):
    return [(0, int(piece), b"") if piece.isdigit() else (1, 0, b.utf8(piece)) for piece in re.findall(r"[0-9]+|[^0-9]+", leaf.name)]


wrong("y03", "Parameters are sorted in natural order (ksort with SORT_NATURAL), which takes digits within a name as a number: Disks.2 comes before Disks.10", ACTION,
      order=lambda all_leaves: sorted(_order(all_leaves), key=_natural))

wrong("y04", "On IBM i names are compared in EBCDIC: small letters come before capitals, and capitals before digits", ACTION,
      order=lambda all_leaves: sorted(_order(all_leaves), key=lambda leaf: leaf.name.encode("cp037", "replace")))


def _single_zero(written):
    text = _number_text(written)
    return written if re.fullmatch(r"-?[0-9]+\.0{2,}", written) and text != "0" else text


wrong("y05", "The zero fraction of a number is dropped by endsWith('.0'), so 42.0 becomes 42 but 42.00 stays 42.00 in what is signed and sent", TYPED,
      number_text=_single_zero)


def _zeros_appended(written):
    text = _number_text(written)
    m = re.fullmatch(r"(-?)([0-9]+)\.([0-9]+)[eE]\+?([0-9]+)", written)
    if not m or not m[2].strip("0") + m[3].strip("0"):
        return text
    return m[1] + ((m[2] + m[3]).lstrip("0") or "0") + "0" * int(m[4])


wrong("y06", "To write out an exponent the digits of the mantissa are followed by that many zeros, without subtracting the digits of the fraction: 1.5e3 becomes 15000", TYPED,
      number_text=_zeros_appended)


def _int32(written):
    text = _number_text(written)
    return text if "." in text else str((int(text) + 2 ** 31) % 2 ** 32 - 2 ** 31)


wrong("y07", "A whole number is written by n | 0 in JavaScript (intValue in Java), so it wraps at 32 bits: 4294967297 is signed and sent as 1", TYPED,
      number_text=_int32)


def _no_inner_dot(name, items):
    joint = "" if re.search(r"\.[0-9]+$", name) else "."
    return [leaf for index, item in enumerate(items) for leaf in b.leaves(name + joint + str(index), item)]


wrong("y08", "The dot is put before the index of the first list only, so a list within a list has both indexes in one: Matrix.01 instead of Matrix.0.1", TYPED,
      list_leaves=_no_inner_dot)

wrong("y09", "Texts are trimmed before they are signed and sent (Trim() in the setter of each parameter), although a value is signed as it is", ACTION,
      string_text=lambda value: value.strip())

_GO = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"'}


def _go_quote(leaf):
    if not leaf.quoted:
        return leaf.text
    return '"' + "".join(_GO.get(c) or ("\\x%02x" % ord(c) if c < " " or c == "\x7f" else c) for c in leaf.text) + '"'


wrong("y10", "The JSON body is written by fmt.Sprintf with %q of Go, whose escapes for control characters (\\a, \\v, \\x1b, \\x7f) are not those of JSON", "action-json",
      json_leaf=_go_quote)

wrong("y11", "Texts of the JSON body go through addslashes, which puts a backslash before an apostrophe too: \\' is no JSON", "action-json",
      json_leaf=lambda leaf: _json_leaf(leaf).replace("'", "\\'") if leaf.quoted else leaf.text)

wrong("y12", "The note that PublicKey needs no encoding was taken for a rule about the @, so every other value of the query has its @ as it is too", QUERY,
      query_value=lambda leaf: _query_value(leaf) if leaf.name == "PublicKey" else _query_value(leaf).replace("%40", "@"))


def _net_to_string(query):
    """Uri.ToString() of .NET: unescaped but for reserved characters, % and controls."""
    def run(m):
        raw, out = bytes.fromhex(m[0].replace("%", "")), ""
        for c in raw.decode("utf-8", "replace"):
            out += b.percent(c) if c in ";/?:@&=+$,#%!'()*[]" or c < " " or c == "\x7f" else c
        return out
    return "/?" + re.sub("(?:%[0-9A-F]{2})+", run, query)


wrong("y13", "The target of a bucket request is Uri.ToString() of .NET instead of AbsoluteUri: blanks and characters beyond ASCII are unescaped again", "bucket-request",
      bucket_target=_net_to_string)


def _latin_or_utf8(text):
    data = b.utf8(text)
    return text.encode("latin-1") if text and max(text) <= "\xff" else data


wrong("y14", "uri_escape instead of uri_escape_utf8 in Perl: a text whose characters are all below U+0100 is escaped as Latin-1, so é becomes %E9", ESCAPES,
      text_bytes=_latin_or_utf8)

wrong("y15", "isalnum of C after setlocale to a Latin-1 locale: bytes of UTF-8 that are letters there (0xC3 is Ã) are not escaped", ESCAPES,
      safe_byte=lambda x: chr(x).isalnum() and (x < 128 or x in (0xAA, 0xB5, 0xBA) or x >= 0xC0) or x in b"-_.~")


def _first_blank(text):
    first, escape, rest = _percent(text).partition("%20")
    return first + escape + rest.replace("%20", "+")


wrong("y16", "The + of a form encoder is replaced by %20 with replace('+', '%20') of JavaScript, which replaces the first one only; further blanks stay +", ESCAPES,
      percent=_first_blank)


def _printf(text):
    out = re.sub(r"%%|\\[abfnrtv\\\"]|\\0?[0-7]{1,3}", lambda m: "%" if m[0] == "%%" else {
        "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"'}.get(m[0][1]) or chr(int(m[0][1:], 8) & 255), text)
    return base64.b64encode(b.utf8(out)).decode()


wrong("y17", "printf \"$password\" | base64 in a shell: the password is a format, in which %% is one % and a backslash with n, t or digits is an escape", "password",
      password_text=_printf)

wrong("y18", "dataWithBytes:[s UTF8String] length:[s length] of Objective-C: as many bytes as the password has characters are encoded, so its end is lost if it is not all ASCII", "password",
      password_text=lambda text: base64.b64encode(b.utf8(text)[:_utf16_units(text)]).decode())

# ------------------------------------------------------------------ signing: files

wrong("y19", "CCHmac gets [text length] instead of strlen([text UTF8String]): with characters beyond ASCII the end of the string to sign is not hashed", FILE,
      file_bytes=lambda text: b.utf8(text)[:_utf16_units(text)])


def _now(headers, method):
    return _date(headers, method) if b.find(headers, "date") else formatdate(time.time(), usegmt=True)


wrong("y20", "A request without a Date is signed with the present time in the line of Date (the HTTP library would send one), although the line is empty without the header",
      "authorization, form-authorization, policy-authorization, instant-upload, verify-authorization", date=_now)

wrong("y21", "If the request has a header Expires, its value takes the line of Date, as with a pre-signed URL", "authorization, form-authorization, policy-authorization, instant-upload, verify-authorization",
      date=lambda headers, method: b.positional_value(b.find(headers, "expires")[0]) if b.find(headers, "expires") else _date(headers, method))

wrong("y22", "implode(\"\\n\", array_filter([...])) of PHP: the lines of absent Content-MD5, Content-Type and Date are gone together with their line breaks", FILE,
      lines=lambda method, md5, mime, when, extra, res: "\n".join(x for x in (method, md5, mime, when) if x not in ("", "0")) + "\n" + extra + res)

wrong("y23", "A folded extra header counts as several values, one a line, and these are joined by commas instead of a space", FILE,
      extra_value=lambda value: _extra_value(re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", ",", value.strip(" \t"))))

wrong("y24", "The whole line of an extra header is converted to lower case, its value too, not only the name", FILE,
      entry=lambda name, values: (name + ":" + b.join_values(values)).lower() + "\n")


def _encoded_word(value):
    value = _extra_value(value)
    return value if value.isascii() else "=?UTF-8?B?" + base64.b64encode(value.encode()).decode() + "?="


wrong("y25", "An extra header's value beyond ASCII is signed as an encoded word of RFC 2047 (=?UTF-8?B?...?=), as the library for mail headers writes it", FILE,
      extra_value=_encoded_word)

wrong("y26", "The key is normalised to NFC before it stands in the canonical resource (precomposedStringWithCanonicalMapping), so a decomposed accent is signed as another name", FILE,
      resource_key=lambda key: unicodedata.normalize("NFC", key))

wrong("y27", "The key of the HMAC is Encoding.ASCII.GetBytes(privateKey), as in many samples in C#: its characters beyond ASCII become question marks (the message is UTF-8)", FILE,
      file_key=lambda private_key: private_key.encode("ascii", "replace"))


def _field_md5(headers, fields):
    value = b.one(b.form_fields(fields, "Content-MD5"))
    return "" if value is None else b.positional_value(value)


wrong("y28", "The rule for Content-Type is applied to Content-MD5 as well: of a form only the form field is signed, and a header Content-MD5 is not looked at", "form-authorization",
      form_md5=_field_md5)

wrong("y29", "The policy's JSON is put together with sprintf('\"%s\":\"%s\"') without escaping, so a quote or a backslash in a value breaks it", "policy",
      policy_json=lambda members: "{" + ",".join('"%s":"%s"' % (n, v) for n, v in members) + "}")

wrong("y30", "The colon that separates the policy in the header is signed too: resource, colon, policy", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + ":" + policy if policy else text)


def _policy_without_extras(given, keys, dialect):
    headers = [(n, v) for n, v in b.read_headers(given["headers"]) if not b.is_extra(n, dialect)]
    text = b.sign_given(given, headers, dialect, given["method"], given["key"])
    signature = b.file_signature(b.policy_text(text, given["policy"]), keys)
    return {"authorization": b.policy_credentials(b.credentials(keys["publicKey"], signature, dialect), given["policy"])}


wrong("y31", "The overload with a policy has no parameter for other headers, so a request with a policy is signed without its extra headers", "policy-authorization",
      op_policy_authorization=_policy_without_extras)

wrong("y32", "The instant upload sends the key as ObjectName, as the newer pages of the documentation call it, instead of FileName", "instant-upload",
      hit_target=lambda etag, key, size: "/uploadhit?Hash=" + b.percent(etag) + "&ObjectName=" + b.percent(key) + "&FileSize=" + b.percent(size))


def _hash_as_md5(given, keys, dialect):
    headers = b.read_headers(given["headers"])
    if not b.find(headers, "content-md5"):
        headers = headers + [("Content-MD5", given["etag"])]
    text = b.sign_given(given, headers, dialect, b.hit_method(), b.hit_key(given["key"]))
    return {"target": b.hit_target(given["etag"], given["key"], given["size"]), "authorization": b.credentials(keys["publicKey"], b.file_signature(text, keys), dialect)}


wrong("y33", "An instant upload without a header Content-MD5 is signed with its Hash in the line of Content-MD5, since that is the content's digest", "instant-upload",
      op_instant=_hash_as_md5)


def _http_date(expires):
    return formatdate(int(expires), usegmt=True) if re.fullmatch("[0-9]{1,11}", expires) else _presign_expires(expires)


wrong("y34", "As Expires takes the place of Date, it is signed in the form of a date (Tue, 14 Nov 2023 22:13:20 GMT); the URL has the seconds", "presigned-url",
      presign_expires=_http_date)

wrong("y35", "The Signature of a pre-signed URL is in the URL-safe alphabet of Base64 (- and _), since it stands in a URL, instead of standard Base64 that is percent-encoded", "presigned-url",
      url_signature=lambda signature: b.percent(signature.replace("+", "-").replace("/", "_")))

wrong("y36", "pack('L') of Perl (struct '<L' written as 'L') or unsigned long of C on 64-bit Linux: the block count of an ETag has eight bytes instead of four", "etag",
      count_bytes=lambda count: count.to_bytes(8, "little"))

wrong("y37", "Two threads hash the even and the odd blocks, and their lists are put one after the other: from three blocks on the hashes are not in the order of the blocks", "etag",
      hash_hashes=lambda blocks: b.etag_hash(b"".join(b.etag_hash(block) for block in list(blocks[0::2]) + list(blocks[1::2]))))

wrong("y38", "The content is kept in a shell variable, data=$(cat file), which loses NUL bytes and the line breaks at the end", "etag, part-etag",
      content_bytes=lambda content: _content_bytes(content).replace(b"\0", b"").rstrip(b"\n"))

# ------------------------------------------------------------------ verifiers: the Authorization header

wrong("y39", "The column for the callback policy has 255 characters, so a longer policy is refused as malformed", V_AUTH,
      policy_ok=lambda policy: _policy_ok(policy) and len(policy) <= 255)


def _stream_policy(policy):
    try:
        plain = policy.replace("-", "+").replace("_", "/") if not re.search("[+/]", policy) else policy
        raw = base64.b64decode(plain.rstrip("=") + "=" * (-len(plain.rstrip("=")) % 4), validate=True).decode("utf-8")
        return isinstance(json.JSONDecoder().raw_decode(raw.lstrip(" \t\r\n"))[0], dict)
    except (ValueError, RecursionError):
        return False


wrong("y40", "The policy is read by a stream decoder that stops after the first JSON value, so an object with anything after it passes for a policy", V_AUTH,
      policy_ok=_stream_policy)

wrong("y41", "The policy is decoded by the standard alphabet of Base64, so one with - or _ (the URL-safe one, as signers write it) is refused as malformed", V_AUTH,
      policy_ok=lambda policy: _policy_ok(policy) and not re.search("[-_]", policy))


def _empty_secret(given, keys, dialect):
    value = b.find(given["headers"], "authorization")
    public_key = value[0].strip(" \t").partition(" ")[2].partition(":")[0] if value else keys["publicKey"]
    if public_key and public_key != keys["publicKey"]:
        keys = {"publicKey": public_key, "privateKey": ""}
    return _verify_authorization(given, keys, dialect)


wrong("y42", "accounts.getOrDefault(publicKey, \"\"): an unknown public key has the empty private key, so whoever signs with an empty key is accepted under any name", V_AUTH,
      verify_authorization=_empty_secret)


def _unquoted_policy(rest):
    public_key, signature, policy = _split_credentials(rest)
    return public_key, signature, policy if policy is None else unquote(policy)


wrong("y43", "The policy of Authorization is percent-decoded before it is checked and verified, so one that was sent with %3D for = passes", V_AUTH,
      split_credentials=_unquoted_policy)


def _ignored_headers(given, keys, dialect):
    try:
        return _verify_authorization(given, keys, dialect)
    except b.No as no:
        if no.args[0] != "signature-mismatch":
            raise
        prefix = b.extra_prefix(dialect)
        kept = [[n, v] for n, v in given["headers"] if not n.strip().lower().startswith(prefix)]
        if len(kept) == len(given["headers"]):
            raise
        return _verify_authorization(dict(given, headers=kept), keys, dialect)


wrong("y44", "After a mismatch verify-authorization compares once more without the extra headers (proxies may have added some), so anyone can add extra headers to a signed request", V_AUTH,
      verify_authorization=_ignored_headers)

# ------------------------------------------------------------------ verifiers: pre-signed URLs

wrong("y45", "An Expires of -1 means that the URL never expires, as in the permission links of another product, instead of being malformed", V_URL,
      check_expiry=lambda now, expires: None if expires == "-1" else _check_expiry(now, expires))

wrong("y46", "The expiry and the time are compared in whole minutes (both divided by 60), so a URL is good for up to 59 seconds after its Expires", V_URL,
      is_late=lambda now, expires: now // 60 > expires // 60)


def _host_contains(host, file_host):
    bucket, _, rest = host.partition(".")
    if not bucket or file_host.lower() not in rest.lower():
        raise b.No("url-malformed", "another host")
    return bucket


wrong("y47", "The host is tested with contains, so photos.files.example.com.evil.org passes for the file host files.example.com", V_URL,
      check_host=_host_contains)


def _double_escape(path):
    key = _key_of_path(path)
    if re.search("%[0-9A-Fa-f]{2}", key):
        raise b.No("url-malformed", "double escaping")
    return key


wrong("y48", "A guard against double escaping (IIS) refuses a URL whose decoded path still has an escape in it, so the key 100%25 cannot be fetched", V_URL,
      key_of_path=_double_escape)


def _no_signature(given, keys, dialect):
    try:
        return _verify_url(given, keys, dialect)
    except b.No as no:
        if no.args[0] == "signature-missing":
            return {"publicKey": keys["publicKey"]}
        raise


wrong("y49", "A URL without a Signature, or with an empty one, is not taken for a pre-signed one and let through as for a public bucket", V_URL,
      verify_url=_no_signature)


def _preflight(given, keys, dialect):
    wanted = b.find(given["headers"], "access-control-request-method")
    if given["method"].upper() == "OPTIONS" and wanted:
        given = dict(given, method=wanted[0].strip(" \t"))
    return _verify_url(given, keys, dialect)


wrong("y50", "An OPTIONS is verified with the method that its Access-Control-Request-Method announces, so a URL for GET passes with OPTIONS (and one for OPTIONS does not)", V_URL,
      verify_url=_preflight)


def _year_9999(expires):
    seconds = _expires_seconds(expires)
    if seconds > 253402300799:
        raise b.No("expires-malformed", "after the year 9999")
    return seconds


wrong("y51", "Expires goes through DateTimeOffset.FromUnixTimeSeconds of .NET, so one after the year 9999 (253402300800) is refused as malformed", V_URL,
      expires_seconds=_year_9999)

# ------------------------------------------------------------------ verifiers: parameters

def _cache_buster(given, keys, dialect):
    pieces = [piece for piece in given["query"].split("&") if not piece.startswith("_")]
    return _verify_query(dict(given, query="&".join(pieces)), keys, dialect)


wrong("y52", "Parameters whose names begin with an underscore (_=1700000000, which jQuery adds against caches) are taken out of a query before it is verified, so they need not be signed", V_QUERY,
      verify_query=_cache_buster)


def _renumbered(given, keys, dialect):
    """qs with allowDots: lists are compacted."""
    pairs = b.read_query(given["query"])
    b.check_query_repeated([name for name, _ in pairs])
    known = {}
    for name, _ in pairs:
        m = re.fullmatch(r"(.+)\.([0-9]+)", name)
        if m:
            known.setdefault(m[1], set()).add(int(m[2]))

    def rename(name):
        m = re.fullmatch(r"(.+)\.([0-9]+)", name)
        return m[1] + "." + str(sorted(known[m[1]]).index(int(m[2]))) if m else name
    pairs = [[rename(name), value] for name, value in pairs]
    return b.verify_parameters(pairs, b.signature_of(pairs), keys)


wrong("y53", "The query is parsed into lists (qs with allowDots) and flattened again: indexes with gaps, such as Ids.1 and Ids.3 alone, are counted anew from 0 and do not match", V_QUERY,
      verify_query=_renumbered)


def _latin1(text):
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise b.No("query-malformed", "stray percent sign")
    return re.sub("(?:%[0-9A-Fa-f]{2})+", lambda m: bytes.fromhex(m[0].replace("%", "")).decode("latin-1"), text)


wrong("y54", "Escapes of a query are decoded as ISO-8859-1 (URIEncoding of old Tomcat), so a value beyond ASCII is a mismatch and bytes that are no UTF-8 are no error", V_QUERY + ", " + V_URL,
      query_decode=_latin1)


def _case_clash(parameters):
    ordered = _verify_prepare(parameters)
    if len({leaf.name.lower() for leaf in ordered}) != len(ordered):
        raise b.No("parameter-repeated", "an item with the same key has already been added")
    return ordered


wrong("y55", "The verifier keeps parameters in a dictionary with OrdinalIgnoreCase, so two names that differ in case only, such as Tag and TAG, are refused as repeated", V_PARAM,
      verify_prepare=_case_clash)


def _lone_halves(body):
    return _read_json(re.sub(r'\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)',
                             lambda m: "\ufffd\ufffd" if len(m[1]) > 5 else m[0], body, flags=re.S))


wrong("y56", "The JSON reader turns each \\u escape into UTF-8 by itself, so an escaped pair of surrogates (\\ud83d\\ude00) is two replacement characters; a raw character is right", V_JSON,
      read_json=_lone_halves)


def _list_signature(given, keys, dialect):
    members = b.read_json(given["body"])
    if any(n == "Signature" and isinstance(v, dict) and len(v.get("list", ())) == 1 and isinstance(v["list"][0], str) for n, v in members):
        signature = [v["list"][0] for n, v in members if n == "Signature"][0]
        return b.verify_parameters([[n, v] for n, v in members if n != "Signature"], signature, keys)
    return _verify_json(given, keys, dialect)


wrong("y57", "expected == body.Signature with two equals signs in JavaScript, after delete body.Signature: a list with the signature as its only item is accepted as well", V_JSON,
      verify_json=_list_signature)


def _lenient(body):
    try:
        return _read_json(body)
    except b.No as no:
        if no.args[0] != "body-malformed":
            raise
    parts = re.split(r'("(?:[^"\\]|\\.)*")', body, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"'((?:[^'\\\"]|\\.)*)'", r'"\1"', parts[i])
        parts[i] = re.sub(r"([{,]\s*)([A-Za-z_][A-Za-z0-9_.]*)(\s*:)", r'\1"\2"\3', parts[i])
    return _read_json("".join(parts))


wrong("y58", "A lenient JSON reader (setLenient of Gson, JSON5) accepts member names without quotes and texts in single quotes", V_JSON,
      read_json=_lenient)


def _leading_zeros(body):
    try:
        return _read_json(body)
    except b.No as no:
        if no.args[0] != "body-malformed":
            raise
    parts = re.split(r'("(?:[^"\\]|\\.)*")', body, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<![0-9.eE+-])(-?)0+(?=[0-9])", r"\1", parts[i])
    return _read_json("".join(parts))


wrong("y59", "Numbers of a JSON body are read by strtod (cjson of Lua), so 007 is accepted as the number 7 instead of being refused as no JSON", V_JSON,
      read_json=_leading_zeros)


def _no_exponents(written):
    if "e" in written.lower():
        raise ValueError(written)
    return {"number": written}


wrong("y60", "The hand-written JSON reader knows no exponents, so a body with 1e3 or 2.5E-1 is refused as malformed", V_JSON,
      json_number=_no_exponents)
