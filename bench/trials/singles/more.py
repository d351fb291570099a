"""Wrong signers: each entry replaces one or two functions of base.py."""
import base64
import email.utils
import json
import math
import posixpath
import re
import unicodedata
import urllib.parse

import base as b
from recording import wrong

ACTION = "action-signature, action-json, action-query, bucket-request, verify-query, verify-json"
SENT = "action-json, action-query, bucket-request"
FILE = "authorization, form-authorization, policy-authorization, instant-upload, presigned-url, verify-authorization, verify-presigned-url"
HEADER = "authorization, policy-authorization, instant-upload, verify-authorization"
ESCAPES = "url-encode, action-query, bucket-request, instant-upload, presigned-url"

# ------------------------------------------------------------------ batch 1: parameters

wrong("q01", "Sorts the joined pairs `name=value` as texts (PHP sort of strings), so `Name.0` comes before `Name`", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: b.utf8(x.name + "=" + x.text)))

wrong("q02", "Natural order: digits in names compare as numbers (natsort, localeCompare with numeric), Backends.2 before Backends.10",
      ACTION, order=lambda ls: sorted(ls, key=lambda x: [(0, int(p), "") if re.fullmatch("[0-9]+", p) else (1, 0, p)
                                                         for p in re.split("([0-9]+)", x.name)]))

wrong("q03", "Sorts by UTF-16 code units (JavaScript, Java, C#), so astral names come before U+E000 to U+FFFF", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: (b.utf8(x.name), x.name.encode("utf-16-be"))[1]))

wrong("q04", "localeCompare: letters regardless of case first, then lower case before upper case", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: (x.name.lower(), x.name.swapcase())))

wrong("q05", "Ports the Python 2 idiom `params.sort(key=lambda kv: kv[0].split('.'))`: dotted names sort piece by piece", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: [b.utf8(p) for p in x.name.split(".")]))

wrong("q06", "Puts Action first, then the rest in order, in the signed string", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: (x.name != "Action", b.utf8(x.name))))


wrong("q07", "Signs each text value without the whitespace around it (a form helper trims), but sends it as given", ACTION,
      signed_value=lambda x: x.text.strip() if x.quoted else x.text)

wrong("q08", "Parameters whose value is the empty text are sent, but left out of the signed string (Aliyun, Tencent)", ACTION,
      signed_pair=lambda x: x.name + x.text if x.text else "")

_flatten = b.flatten
wrong("q09", "`if (!value) continue`: parameters that are empty, zero or false are neither signed nor sent", ACTION,
      flatten=lambda ps: [x for x in _flatten(ps) if x.text and (x.quoted or x.text not in ("0", "false"))])


def _js_number(written):
    b.Decimal(written)
    value = float(written)
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    text = repr(value)
    m = re.fullmatch(r"(-?[\d.]+)e([+-])0*(\d+)", text)
    if m:
        if m[2] == "-" and int(m[3]) <= 6:
            return format(b.Decimal(text), "f")
        return m[1] + "e" + m[2] + m[3]
    return text


_number_text = b.number_text


def _checked(function):
    def number_text(written):
        _number_text(written)
        return function(written)
    return number_text


wrong("q10", "String(Number(x)) of JavaScript: digits beyond 2^53 are lost, an exponent from 1e21 and below 1e-6", ACTION,
      number_text=_checked(_js_number))

wrong("q11", "PHP 5 text of a float: 14 significant digits for numbers with a fraction or an exponent", ACTION,
      number_text=_checked(lambda w: _number_text(w) if re.fullmatch(r"-?\d+", w) else _number_text("%.14g" % float(w))))

wrong("q12", "Numbers go through float64 (Go, interface{}): exact digits beyond 2^53 are lost, from 1e21 on they are printed with an exponent, and small ones too",
      ACTION, number_text=_checked(lambda w: re.sub(r"\.0$", "", repr(float(w))) if abs(float(w)) < 1e6
                                   else re.sub(r"\.?0+e", "e", "%.17g" % float(w)) if abs(float(w)) >= 1e21
                                   else _number_text(repr(float(w)))))

wrong("q13", "C printf %f, then trailing zeros cut: at most six decimals", ACTION,
      number_text=_checked(lambda w: _number_text("%.6f" % b.Decimal(w) if "." in w or "e-" in w.lower() else w)))

wrong("q14", "Java BigDecimal.toPlainString without stripTrailingZeros: 42.0 stays 42.0, 1.50 stays 1.50", ACTION,
      number_text=_checked(lambda w: format(b.Decimal(w), "f")))

wrong("q15", "Only positive exponents are expanded; a number with a negative exponent stays as written", ACTION,
      number_text=_checked(lambda w: w if re.search("[eE]-", w) else _number_text(w)))

wrong("q16", "Strips trailing zeros of integers too, when they come from an exponent: 1e2 gives 1E+2 through BigDecimal.stripTrailingZeros().toString()",
      ACTION, number_text=_checked(lambda w: _number_text(w) if not re.search("[eE]", w) else str(b.Decimal(w).normalize())))

wrong("q17", "PHP strval: true is 1, false is the empty text, in the signed string only (sent as JSON booleans or true/false)",
      ACTION, signed_value=lambda x: {"true": "1", "false": ""}.get(x.text, x.text) if not x.quoted else x.text)

wrong("q18", "json_encode with JSON_NUMERIC_CHECK: texts that look like numbers are sent as JSON numbers", "action-json",
      json_leaf=lambda x: x.text if not x.quoted or re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", x.text) else json.dumps(x.text))

wrong("q19", "Sends booleans as JSON texts (a map of strings), numbers right", "action-json",
      json_leaf=lambda x: json.dumps(x.text) if x.quoted or x.text in ("true", "false") else x.text)

wrong("q20", "Hand-made JSON: escapes the quote but not the backslash nor line breaks", "action-json",
      json_leaf=lambda x: '"' + x.text.replace('"', '\\"') + '"' if x.quoted else x.text)

wrong("q21", "JSON escapes of characters above U+FFFF keep only 16 bits of the code point", "action-json",
      json_leaf=lambda x: '"' + "".join("\\u%04x" % (ord(c) & 0xFFFF) if ord(c) > 126 else json.dumps(c)[1:-1] for c in x.text) + '"'
      if x.quoted else x.text)

wrong("q22", "Signs the text as its JSON literal without the quotes: a quote, backslash or line break is signed escaped", ACTION,
      signed_value=lambda x: json.dumps(x.text, ensure_ascii=False)[1:-1] if x.quoted else x.text)

wrong("q23", "An empty list becomes a parameter with the empty text", ACTION,
      list_leaves=lambda name, items: [b.Leaf(name, "", True)] if not items else
      [leaf for i, item in enumerate(items) for leaf in b.leaves(b.item_name(name, i), item)])

wrong("q24", "A list of one item is sent as a plain parameter without .0", ACTION,
      list_leaves=lambda name, items: b.leaves(name, items[0]) if len(items) == 1 else
      [leaf for i, item in enumerate(items) for leaf in b.leaves(b.item_name(name, i), item)])


def _inner_list(name, items):
    if "." in name and items and all(isinstance(i, str) for i in items):
        return [b.Leaf(name, ",".join(items), True)]
    return [leaf for i, item in enumerate(items) for leaf in b.leaves(b.item_name(name, i), item)]


wrong("q25", "A list of texts inside an object or another list is joined by commas instead of flattened", ACTION, list_leaves=_inner_list)

wrong("q26", "PHP http_build_query names: members of objects are Name[Key], items Name[0]", ACTION,
      item_name=lambda n, i: n + "[" + str(i) + "]", member_name=lambda n, m: n + "[" + m + "]")

wrong("q27", "Leaves out every parameter whose name equals Signature regardless of case", ACTION,
      unsigned_name=lambda n: n.lower() == "signature")

wrong("q28", "Leaves out Signature at any depth: Filter.Signature too", ACTION,
      unsigned_name=lambda n: n.split(".")[-1] == "Signature")

wrong("q29", "Hexadecimal of a BigInteger: the leading zeros of the digest are lost", ACTION,
      action_hex=lambda d: "%x" % int.from_bytes(d, "big"))

wrong("q30", "Encode64 of Ruby: the password gets a line feed after every 60 characters", "password",
      password_text=lambda t: "\n".join(re.findall(".{1,60}", base64.b64encode(b.utf8(t)).decode())))

wrong("q31", "The password is encoded as UTF-16LE (C# Encoding.Unicode) when it is not ASCII", "password",
      password_text=lambda t: base64.b64encode(b.utf8(t) if t.isascii() else t.encode("utf-16-le")).decode())

# ------------------------------------------------------------------ encoders

wrong("q32", "Does not escape the percent sign of what looks like an escape already", ESCAPES,
      percent=lambda t: re.sub(r"%25(?=[0-9A-Fa-f]{2})", "%", "".join(chr(x) if b.safe_byte(x) else b.escape_byte(x) for x in b.text_bytes(t))))

wrong("q33", "C: sprintf(\"%%%02X\", char) with a signed char, bytes from 0x80 become %FFFFFFE4", ESCAPES,
      escape_byte=lambda x: "%%%02X" % x if x < 128 else "%%FFFFFF%02X" % x)

wrong("q34", "Escapes without padding: a byte below 16 becomes %A instead of %0A", ESCAPES, escape_byte=lambda x: "%%%X" % x)


def _cesu(t):
    b.utf8(t)
    return re.sub("[\U00010000-\U0010ffff]", lambda m: "".join(
        chr(int.from_bytes(m[0].encode("utf-16-be")[i:i + 2], "big")) for i in (0, 2)), t).encode("utf-8", "surrogatepass")


wrong("q35", "Percent-encodes each UTF-16 unit by itself: an astral character becomes six bytes (CESU-8)", ESCAPES, text_bytes=_cesu)

wrong("q36", "Python's quote with its default safe='/': the slash is not escaped", ESCAPES,
      safe_byte=lambda x: chr(x).isalnum() and x < 128 or x in b"-_.~/")

wrong("q37", "isalnum of a Latin-1 locale: bytes that are letters in ISO 8859-1 are not escaped (sent as their Latin-1 characters)", ESCAPES,
      safe_byte=lambda x: chr(x).isalnum() or x in b"-_.~")

wrong("q38", "Names of parameters are not percent-encoded in the query", "action-query, bucket-request", query_name=lambda n: n)

wrong("q39", "A parameter with the empty value is written without its equals sign", "action-query, bucket-request",
      query_text=lambda ls, s: "&".join([b.query_name(x.name) + ("=" + b.query_value(x) if x.text else "") for x in ls] + ["Signature=" + s]))

wrong("q40", "Values are brought to Unicode NFC before signing and sending (Swift, macOS)", ACTION,
      string_text=lambda v: unicodedata.normalize("NFC", v))


def _lower_bucket(given, keys, dialect):
    ordered, _ = b.complete(given, keys)
    for x in ordered:
        if x.name == "BucketName":
            x.text = x.text.lower()
    signature = b.sign_leaves(ordered, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        b.need(ordered, "Type", "BucketName")
    return {"target": b.bucket_target(b.query_text(ordered, signature))}


wrong("q41", "Lower-cases BucketName before signing and sending it (S3 naming rules)", "bucket-request", op_bucket_request=_lower_bucket)


def _type_default(given, keys, dialect):
    names = [n for n, _ in given["parameters"]]
    if ["Action", "CreateBucket"] in given["parameters"] and "Type" not in names:
        given = {"parameters": given["parameters"] + [["Type", "public"]]}
    ordered, signature = b.complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        b.need(ordered, "BucketName")
    return {"target": b.bucket_target(b.query_text(ordered, signature))}


wrong("q42", "CreateBucket without Type gets Type=public instead of a refusal", "bucket-request", op_bucket_request=_type_default)

# ------------------------------------------------------------------ headers of files

_find = b.find
wrong("h01", "Signs the media type without its parameters: text/plain; charset=utf-8 as text/plain",
      HEADER, content_type=lambda hs, m: b.positional(hs, "content-type").split(";")[0].strip())
wrong("h02", "Without Content-Type, PUT signs application/octet-stream (what its HTTP client would send)", HEADER,
      content_type=lambda hs, m: b.positional(hs, "content-type") if _find(hs, "content-type") or m != "PUT" else "application/octet-stream")
wrong("h03", "Content-Type is left empty for GET, HEAD and DELETE, since they have no body", HEADER,
      content_type=lambda hs, m: "" if m in ("GET", "HEAD", "DELETE") else b.positional(hs, "content-type"))


def _amz_date(hs, m):
    when = b.positional(hs, "date")
    return "" if any(n.lower().startswith("x-") and n.lower().endswith("-date") for n, _ in hs) else when


wrong("h04", "As AWS with x-amz-date: the Date line is empty when the request has an X-Svc-Date header", HEADER + ", form-authorization", date=_amz_date)


def _parsed_date(hs, m):
    when = b.positional(hs, "date")
    try:
        return email.utils.format_datetime(email.utils.parsedate_to_datetime(when).replace(tzinfo=None)).replace("-0000", "GMT")
    except Exception:
        return when


wrong("h05", "Parses the Date and formats it again (a Date field of the language): 2-digit days, seconds and zone change", HEADER, date=_parsed_date)
wrong("h06", "A Content-MD5 of 32 hexadecimal digits is signed as Base64 of its bytes", HEADER,
      content_md5=lambda hs, m: (lambda v: base64.b64encode(bytes.fromhex(v)).decode() if re.fullmatch("[0-9a-fA-F]{32}", v) else v)(b.positional(hs, "content-md5")))
wrong("h07", "Without Date, its line break is missing too", HEADER + ", form-authorization, presigned-url",
      lines=lambda me, md, mi, w, ex, re_: me + "\n" + md + "\n" + mi + "\n" + (w + "\n" if w else "") + ex + re_)
wrong("h08", "Finds Content-Type only in exactly this spelling (a plain dictionary)", HEADER,
      content_type=lambda hs, m: b.positional([h for h in hs if h[0] == "Content-Type"], "content-type"))
wrong("h09", "Content-MD5 is found only when the header is spelled Content-Md5 (the canonical spelling of Go)", HEADER,
      content_md5=lambda hs, m: b.positional([h for h in hs if h[0] == "Content-Md5"], "content-md5"))
wrong("h10", "A Date in an X-Svc-Date header replaces the Date on the Date line", HEADER,
      date=lambda hs, m: b.positional(hs, "date") or next((b.header_value(v) for n, v in hs if n.lower() == "x-svc-date"), ""))
wrong("h11", "Turkish lower case: I in the name of an extra header becomes a dotless i", FILE,
      extra_name=lambda n: n.replace("I", "\u0131").lower())
wrong("h12", "Collapses repeated slashes in the key of the resource", FILE, resource_key=lambda k: re.sub("/{2,}", "/", k))
wrong("h13", "Strips the slashes at the start of the key in the resource", FILE, resource_key=lambda k: k.lstrip("/"))


def _dots(key):
    out = []
    parts = key.split("/")
    for i, part in enumerate(parts):
        if part == "..":
            out = out[:-1]
        elif part != ".":
            out.append(part)
        if part in (".", "..") and i == len(parts) - 1:
            out.append("")
    return "/".join(out)


wrong("h14", "Resolves . and .. in the key of the resource, as new URL() does", FILE, resource_key=_dots)
wrong("h15", "Cuts the key of the resource at the first question mark", FILE, resource_key=lambda k: k.split("?")[0])
wrong("h16", "Decodes percent escapes in the key before it signs it", FILE, resource_key=lambda k: urllib.parse.unquote(k))
wrong("h17", "Decodes a plus in the key to a space before it signs it", FILE, resource_key=lambda k: k.replace("+", " "))
wrong("h18", "Encodes the string to sign in Latin-1 if it fits, else in UTF-8 (Perl, Python 2, 'binary' of Node)", FILE,
      file_bytes=lambda t: t.encode("latin-1") if all(ord(c) < 256 for c in t) else b.utf8(t))
wrong("h19", "UTF-8 twice (Perl: bytes taken for text)", FILE, file_bytes=lambda t: b.utf8(t).decode("latin-1").encode("utf-8"))
wrong("h20", "PHP hash_hmac without raw output: Base64 of the hexadecimal text", FILE, file_base64=lambda d: base64.b64encode(d.hex().encode()).decode())


def _echo(t):
    return b.utf8(re.sub(r"\\([nrt\\])", lambda m: {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}[m[1]], t))


wrong("h21", "dash's echo: a backslash with n, r, t or a backslash in the string to sign is interpreted", FILE, file_bytes=_echo)
wrong("h22", "Unquoted shell variable: runs of spaces in the string to sign become one", FILE, file_bytes=lambda t: b.utf8(re.sub(" {2,}", " ", t)))
wrong("h23", "Percent-encodes the public key in the Authorization header", "authorization, form-authorization, policy-authorization, instant-upload",
      credentials=lambda p, s, d: d["scheme"] + " " + b.percent(p) + ":" + s)
wrong("h24", "An HMAC of its own that cuts keys above 64 bytes instead of hashing them", FILE,
      file_digest=lambda k, m: b.hmac.new(k[:64], m, b.hashlib.sha1).digest())
wrong("h25", "Decodes the private key from hexadecimal when it looks like it", FILE,
      file_key=lambda k: bytes.fromhex(k) if re.fullmatch("([0-9a-f]{2})+", k) else b.utf8(k))
wrong("h26", "Trims the private key (read from a file), in HMAC and in SHA-1", "all that sign",
      file_key=lambda k: b.utf8(k.strip()), action_key=lambda k: k.strip())

# ------------------------------------------------------------------ batch 2: extra headers


def _join_some(values):
    return ",".join([v for v in values if v])


wrong("x01", "Joining repeated extra headers leaves out the empty values", FILE, join_values=_join_some)
wrong("x02", "Repeated extra headers with the same value count once (a set of values)", FILE, join_values=lambda vs: ",".join(dict.fromkeys(vs)))
wrong("x03", "Sorts the values of a repeated extra header", FILE, join_values=lambda vs: ",".join(sorted(vs)))


def _by_given_name(headers, dialect):
    groups = {}
    for name, value in headers:
        if b.is_extra(name, dialect):
            groups.setdefault(name, []).append(b.extra_value(value))
    return b.entries(sorted([(n.lower(), v) for n, v in groups.items()], key=lambda g: g[0]))


wrong("x04", "Merges by the name as given, so names that differ in case stay two entries", FILE, canonical_headers=_by_given_name)


def _sort_before_lower(headers, dialect):
    groups = {}
    for name, value in sorted([(n, v) for n, v in headers if b.is_extra(n, dialect)], key=lambda h: h[0]):
        groups.setdefault(name.lower(), []).append(b.extra_value(value))
    return b.entries(list(groups.items()))


wrong("x05", "Sorts by the names as given and lower-cases afterwards", FILE, canonical_headers=_sort_before_lower)
wrong("x06", "Sorts the finished lines name:value, so x-svc-a-b comes before x-svc-a", FILE,
      entries=lambda gs: "".join(sorted(b.entry(n, v) for n, v in gs)))
wrong("x07", "Underscores in the names of extra headers become dashes (CGI and PHP $_SERVER)", FILE, extra_name=lambda n: n.lower().replace("_", "-"))
wrong("x08", "The prefix test lacks its final dash: X-Svcfoo is an extra header", FILE, extra_prefix=lambda d: d["headerPrefix"].lower().rstrip("-"))
wrong("x09", "A header that has the prefix anywhere in its name is an extra header", FILE,
      is_extra=lambda n, d: b.extra_prefix(d) in b.fold_name(n))
wrong("x10", "Extra headers with metadata (X-Svc-Meta-) alone are signed", FILE,
      is_extra=lambda n, d: b.fold_name(n).startswith(b.extra_prefix(d) + "meta-"))
wrong("x11", "The prefix is compared in two spellings only, X-Svc- and x-svc-, not in any other case", FILE,
      is_extra=lambda n, d: n.startswith((d["headerPrefix"], d["headerPrefix"].lower())))


def _first_fold(value):
    b.header_value(value)
    return re.sub(r"[ \t]*\r?\n[ \t]+", " ", value, count=1).strip(" \t")


wrong("x12", "JavaScript replace without /g: only the first fold of an extra value becomes a space", FILE, extra_value=_first_fold)
wrong("x13", "Unfolding keeps the spaces before the line break: one more space in the value", FILE,
      extra_value=lambda v: (b.header_value(v), re.sub(r"\r?\n[ \t]+", " ", v).strip(" \t"))[1])
wrong("x14", "Unfolding takes away line breaks but keeps the white space after them", FILE,
      extra_value=lambda v: (b.header_value(v), re.sub(r"[\r\n]", "", v).strip(" \t"))[1])


def _outside_quotes(value):
    return "".join(p if i % 2 else re.sub("[ \t]+", " ", p) for i, p in enumerate(re.split('("[^"]*")', b.header_value(value))))


wrong("x15", "Runs of spaces in an extra value become one, but not inside double quotes (early AWS v4)", FILE, extra_value=_outside_quotes)
wrong("x16", "Blanks after commas inside an extra value are removed (splits the list and joins it)", FILE,
      extra_value=lambda v: ",".join(p.strip(" \t") for p in b.header_value(v).split(",")))
wrong("x17", "trim() of JavaScript: no-break space, form feed and other Unicode space is cut from header values", FILE,
      trim=lambda v: v.strip(" \t\x0b\x0c\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"))
wrong("x18", "Only white space before the value is removed from extra headers, not after it", FILE,
      extra_value=lambda v: (b.header_value(v), b.unfold(v).lstrip(" \t"))[1])
wrong("x19", "The last extra header has no line feed if there is exactly one (join with a special case)", FILE,
      entries=lambda gs: "".join(b.entry(n, v) for n, v in gs) if len(gs) != 1 else b.entry(*gs[0])[:-1])
wrong("x20", "Extra values that are not ASCII are percent-encoded in the signed text (Tencent)", FILE,
      extra_value=lambda v: "".join(c if ord(c) < 128 else b.percent(c) for c in b.header_value(v)))
wrong("x21", "Headers that are repeated come after those that are not (merged in a second pass)",
      FILE, sort_groups=lambda gs: sorted([g for g in gs if len(g[1]) == 1]) + [g for g in gs if len(g[1]) > 1])
wrong("x22", "X-Svc-Date and X-Svc-Content-Md5 never go into the extra headers (taken for positional ones)", FILE,
      is_extra=lambda n, d: b.fold_name(n).startswith(b.extra_prefix(d)) and b.fold_name(n)[len(b.extra_prefix(d)):] not in ("date", "content-md5", "content-type"))

# ------------------------------------------------------------------ ETag

wrong("e01", "Counts blocks as size / 4 MiB + 1: one too many at exact multiples (hash right)", "etag",
      block_count=lambda d, bl: len(d) // b.block_size() + 1 if len(d) else 0)


def _stale(data):
    size = b.block_size()
    buffer, out = bytearray(size), []
    for i in range(0, len(data), size):
        piece = data[i:i + size]
        buffer[:len(piece)] = piece
        out.append(bytes(buffer) if out else bytes(piece))
    return out


wrong("e02", "Reuses its buffer and hashes all of it: the last of several blocks ends with bytes of the one before", "etag", split=_stale)
wrong("e03", "Exactly one full block (4 MiB) is hashed twice: < instead of <=", "etag", is_single=lambda d, bl: len(d) < b.block_size())
wrong("e04", "The last hash is left out of the hash of hashes (loop to n-1), the count is right", "etag",
      hash_hashes=lambda bl: b.etag_hash(b"".join(b.etag_hash(x) for x in bl[:-1])))
wrong("e05", "Qiniu: prefix byte 0x16 for one block, 0x96 for more, instead of the count", "etag",
      etag_layout=lambda c, d: bytes([0x16 if c <= 1 else 0x96]) + d)
wrong("e06", "Number of blocks rounded to nearest instead of up (round(size / 4 MiB), at least 1)", "etag",
      block_count=lambda d, bl: 0 if not d else max(1, math.floor(len(d) / b.block_size() + 0.5)))
wrong("e07", "Opens the content in text mode: CR LF becomes LF before hashing", "etag, part-etag",
      etag_hash=lambda d: b.hashlib.sha1(bytes(d).replace(b"\r\n", b"\n")).digest())
wrong("e08", "Base64 without padding (RawURLEncoding): only a part's ETag has any", "part-etag",
      etag_base64=lambda r: base64.urlsafe_b64encode(r).decode().rstrip("="))
wrong("e09", "tr + - on standard Base64, the slash is forgotten", "etag, part-etag", etag_base64=lambda r: base64.b64encode(r).decode().replace("+", "-"))
wrong("e10", "Hash of hashes over the URL-safe Base64 of each block's hash", "etag",
      hash_hashes=lambda bl: b.etag_hash(b"".join(base64.urlsafe_b64encode(b.etag_hash(x)) for x in bl)))
wrong("e11", "A chain: each block is hashed with the hash so far in front", "etag",
      hash_hashes=lambda bl: __import__("functools").reduce(lambda h, x: b.etag_hash(h + bytes(x)), bl, b""))
wrong("e12", "An empty file gets 24 zero bytes", "etag", etag_layout=lambda c, d: b.count_bytes(c) + (d if c else bytes(20)))
wrong("e13", "An empty part has the empty ETag", "part-etag", part_raw=lambda d: b.etag_hash(d) if d else b"")
wrong("e14", "A part above 4 MiB gets the hash of hashes, without count", "part-etag",
      part_raw=lambda d: b.etag_digest(d, b.split(d)))

# ------------------------------------------------------------------ pre-signed URLs

_percent = b.percent
wrong("r01", "Path by encodeURI: ? and # in the key stay as they are, and other reserved characters", "presigned-url",
      url_path=lambda k: urllib.parse.quote(b.utf8(k), safe="/;,?:@&=+$#-_.!~*'()"))
wrong("r02", "Path by a form encoder: a space in the key becomes a plus", "presigned-url",
      url_path=lambda k: "/".join(b.percent(p).replace("%20", "+") for p in k.split("/")))
wrong("r03", "The plus in the signature is not encoded, / and = are", "presigned-url", url_signature=lambda s: s.replace("/", "%2F").replace("=", "%3D"))
wrong("r04", "The signature is encoded twice (encoded, then put in URLSearchParams)", "presigned-url", url_signature=lambda s: b.percent(b.percent(s)))
wrong("r05", "Base64 of the signature made URL-safe (- and _) instead of percent-encoded", "presigned-url",
      url_signature=lambda s: b.percent(s.replace("+", "-").replace("/", "_")))
wrong("r06", "HEAD is pre-signed as GET (S3 links work for both)", "presigned-url", presign_method=lambda m: "GET" if b.verb(m) == "HEAD" else b.verb(m))
wrong("r07", "Extra headers are signed in the URL for PUT and POST only", "presigned-url",
      presign_text=lambda g, hs, d: b.lines(b.presign_method(g["method"]), (b.check_bucket(g["bucket"]), "")[1], "", b.presign_expires(g["expires"]),
                                            b.presign_headers(hs, d) if b.presign_method(g["method"]) in ("PUT", "POST") else "",
                                            b.presign_resource(g["bucket"], g["key"])))
wrong("r08", "A Date header takes the place of Expires in the signed text if there is one", "presigned-url",
      presign_text=lambda g, hs, d: b.lines(b.presign_method(g["method"]), (b.check_bucket(g["bucket"]), "")[1], "",
                                            b.date(hs, "") or b.presign_expires(g["expires"]), b.presign_headers(hs, d), b.presign_resource(g["bucket"], g["key"])))
wrong("r09", "Expires goes through int(): zeros in front are lost in text and URL; crash if it is no number", "presigned-url",
      presign_expires=lambda e: str(int(e)), url_expires=lambda e: str(int(e)))
wrong("r10", "Leading slashes of the key are missing in the URL's path (signed right)", "presigned-url",
      url_path=lambda k: "/".join(b.percent(p) for p in k.lstrip("/").split("/")))
wrong("r11", "The URL library resolves . and .. in the path (signed right)", "presigned-url",
      url_path=lambda k: "/".join(b.percent(p) for p in _dots(k).split("/")))
wrong("r12", "Path style: scheme://host/bucket/key", "presigned-url", url_start=lambda s, bu, h: s + "://" + h + "/" + bu + "/")
wrong("r13", "Signs the percent-encoded key in pre-signed URLs only, if the key is not ASCII", "presigned-url",
      presign_resource=lambda bu, k: b.resource(bu, k if k.isascii() else b.url_path(k)))
wrong("r14", "Reads 'Date is replaced by Expires' as a date: signs the expiry as an HTTP date", "presigned-url",
      presign_expires=lambda e: email.utils.formatdate(int(e), usegmt=True) if re.fullmatch("[0-9]{1,11}", e) else e)
wrong("r15", "Always https, whatever the scheme asked for", "presigned-url", url_start=lambda s, bu, h: "https://" + bu + "." + h + "/")
wrong("r16", "Content-Type is signed in the URL for PUT when the header is there", "presigned-url",
      presign_text=lambda g, hs, d: b.lines(b.presign_method(g["method"]), (b.check_bucket(g["bucket"]), "")[1],
                                            b.content_type(hs, "PUT") if b.presign_method(g["method"]) == "PUT" else "",
                                            b.presign_expires(g["expires"]), b.presign_headers(hs, d), b.presign_resource(g["bucket"], g["key"])))
wrong("r17", "The public key is not encoded in the URL", "presigned-url", url_public_key=lambda p: p)

# ------------------------------------------------------------------ forms, policies, instant upload


def _form_type(headers, fields):
    value = b.one(b.form_fields(fields, "Content-Type"))
    return b.positional(headers, "content-type") if value is None else b.positional_value(value)


wrong("w01", "A form without the field Content-Type signs the HTTP header instead", "form-authorization", form_type=_form_type)
wrong("w02", "Form fields are looked up regardless of case", "form-authorization",
      form_fields=lambda fs, w: [v for n, v in fs if n.lower() == w.lower()])
wrong("w03", "The form field Content-MD5 wins over the header", "form-authorization",
      form_md5=lambda hs, fs: (lambda v: "" if v is None else b.positional_value(v))(b.one(b.form_fields(fs, "Content-MD5") or _find(hs, "content-md5"))))
wrong("w04", "The form field Content-MD5 is never signed", "form-authorization", form_md5=lambda hs, fs: b.positional(hs, "content-md5"))

_form_text = b.form_text
wrong("w05", "Form fields with the extra prefix are signed like extra headers (S3 x-amz- fields)", "form-authorization",
      form_text=lambda g, hs, d: _form_text(g, hs + [(n, v) for n, v in g["fields"] if n.lower().startswith(d["headerPrefix"].lower())], d))
wrong("w06", "A form signs the resource of the bucket, since it is posted to /", "form-authorization",
      form_text=lambda g, hs, d: _form_text(dict(g, key=""), hs, d))
wrong("w07", "The Date of a form comes from a field Date if there is one", "form-authorization",
      form_text=lambda g, hs, d: _form_text(g, [h for h in hs if h[0].lower() != "date"] + [(n, v) for n, v in g["fields"] if n == "Date"]
                                            if any(n == "Date" for n, _ in g["fields"]) else hs, d))
wrong("w08", "PHP json_encode: slashes in the policy are written \\/", "policy",
      policy_json=lambda ms: "{" + ",".join(json.dumps(n, ensure_ascii=False).replace("/", "\\/") + ":" + json.dumps(v, ensure_ascii=False).replace("/", "\\/") for n, v in ms) + "}")
wrong("w09", "Go json.Marshal: < > & in the policy are written \\u003c, \\u003e, \\u0026", "policy",
      policy_json=lambda ms: re.sub("[<>&]", lambda m: "\\u%04x" % ord(m[0]), "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in ms) + "}"))
wrong("w10", "The members of the policy are sorted", "policy",
      policy_json=lambda ms: json.dumps(dict(sorted(ms)), ensure_ascii=False, separators=(",", ":")))
wrong("w11", "Members of the policy with the empty text are left out (omitempty)", "policy",
      policy_json=lambda ms: json.dumps({n: v for n, v in ms if v}, ensure_ascii=False, separators=(",", ":")))
wrong("w12", "The policy has no Base64 padding", "policy", policy_base64=lambda d: base64.urlsafe_b64encode(d).decode().rstrip("="))
wrong("w13", "The signed text ends with the policy in the standard alphabet, whatever was sent", "policy-authorization, verify-authorization",
      policy_text=lambda t, p: t + p.replace("-", "+").replace("_", "/"))
wrong("w14", "A line feed stands between resource and policy if the key does not end with a slash", "policy-authorization, verify-authorization",
      policy_text=lambda t, p: t + ("" if t.endswith("/") or not p else "\n") + p)
wrong("w15", "The empty policy still gives a trailing colon", "policy-authorization", policy_credentials=lambda v, p: v + ":" + p)
wrong("w16", "FileName is encoded by a helper for paths: its slashes stay", "instant-upload",
      hit_target=lambda e, k, s: "/uploadhit?Hash=" + b.percent(e) + "&FileName=" + b.url_path(k) + "&FileSize=" + b.percent(s))
wrong("w17", "Signs the percent-encoded FileName in instant uploads", "instant-upload", hit_key=lambda k: b.percent(k))


def _hit_plain(given, keys, dialect):
    text = b.sign_given(given, [h for h in b.read_headers(given["headers"]) if h[0].lower() != "content-type"], dialect, b.hit_method(), b.hit_key(given["key"]))
    return {"target": b.hit_target(given["etag"], given["key"], given["size"]),
            "authorization": b.credentials(keys["publicKey"], b.file_signature(text, keys), dialect)}


wrong("w18", "Instant upload leaves Content-Type out, since it has no body", "instant-upload", op_instant=_hit_plain)
wrong("w19", "Instant upload signs Content-MD5 as the ETag when the header is missing", "instant-upload",
      op_instant=lambda g, k, d: _hit_md5(g, k, d))


def _hit_md5(given, keys, dialect):
    headers = b.read_headers(given["headers"])
    if not b.find(headers, "content-md5"):
        headers = headers + [("Content-MD5", given["etag"])]
    text = b.sign_given(given, headers, dialect, b.hit_method(), b.hit_key(given["key"]))
    return {"target": b.hit_target(given["etag"], given["key"], given["size"]),
            "authorization": b.credentials(keys["publicKey"], b.file_signature(text, keys), dialect)}

# ------------------------------------------------------------------ batch 3: verifiers

VA, VU, VQ, VJ = "verify-authorization", "verify-presigned-url", "verify-query", "verify-json"


def _lenient_equal(expected, got):
    try:
        return base64.b64decode(got + "==") == base64.b64decode(expected)
    except ValueError:
        return False


def _check_file(equal):
    """check_signature is shared by the two verifiers of files only."""
    def check_signature(expected, got):
        if not equal(expected, got):
            raise b.No("signature-mismatch", "differs")
    return check_signature


wrong("g01", "Compares decoded bytes of the signature: junk characters, missing padding and other last bits are accepted", VA + ", " + VU,
      check_signature=_check_file(_lenient_equal))
wrong("g02", "Compares only as many characters as came (strncmp with the length of the given signature)", VA + ", " + VU,
      check_signature=_check_file(lambda e, g: e[:len(g)] == g))
wrong("g03", "Compares file signatures regardless of case", VA + ", " + VU, check_signature=_check_file(lambda e, g: e.lower() == g.lower()))
wrong("g04", "Hex signatures are compared by their first 32 characters only (a column of the width of MD5)", VQ + ", " + VJ,
      equal_hex=lambda e, g: e[:32] == g[:32] and len(e) == len(g))


def _by_method(given, keys, dialect):
    if b.verb(given["method"]) == "HEAD":
        given = dict(given, now="0")
    return _verify_url(given, keys, dialect)


_verify_url = b.verify_url
wrong("g05", "The expiry is not checked for HEAD", VU, verify_url=_by_method)
wrong("g06", "Fifteen minutes of clock skew are allowed after the expiry", VU, is_late=lambda now, e: now > e + 900)


def _parse_int(expires):
    m = re.match(r"\s*[+-]?[0-9]+", expires)
    if not m:
        raise b.No("expires-malformed", "NaN")
    return int(m[0])


wrong("g07", "parseInt: an expiry with anything after its digits, or a sign or space before, is accepted", VU, expires_seconds=_parse_int)
wrong("g08", "An expiry beyond 32 bits (after 2038) wraps around and is late", VU,
      expires_seconds=lambda e: ((int(e) + 2**31) % 2**32 - 2**31) if re.fullmatch("[0-9]{1,15}", e) else _parse_bad())


def _parse_bad():
    raise b.No("expires-malformed", "no number")


wrong("g09", "Links that are valid for more than seven days from now are refused (S3 v4)", VU,
      check_expiry=lambda now, e: _seven(now, e))


def _seven(now, expires):
    seconds = b.expires_seconds(expires)
    if int(now) > seconds:
        raise b.No("expired", "late")
    if seconds - int(now) > 604800:
        raise b.No("expires-malformed", "more than seven days")


wrong("g10", "Expires=0 means never", VU, is_late=lambda now, e: e != 0 and now > e)
wrong("g11", "Milliseconds: an expiry of 13 digits or more is divided by 1000 before the comparison", VU,
      expires_seconds=lambda e: int(e) // 1000 if re.fullmatch("[0-9]{13,15}", e) else int(e) if re.fullmatch("[0-9]{1,15}", e) else _parse_bad())


def _last_wins(names):
    if names.count("Signature") > 1:
        raise b.No("parameter-repeated", "two signatures")


wrong("g12", "Only a repeated Signature is refused in a link; of other repeated parameters the last counts", VU, check_url_repeated=_last_wins)


def _extra_parameters(given, keys, dialect):
    query = b.split_url(given["url"], given["fileHost"])[2]
    for name, _ in b.read_query(query):
        if name not in (dialect["publicKeyParameter"], "Expires", "Signature"):
            raise b.No("url-malformed", "unknown parameter " + name)
    return _verify_url(given, keys, dialect)


wrong("g13", "A link with any further query parameter is refused", VU, verify_url=_extra_parameters)
wrong("g14", "The path of a link is decoded twice", VU, key_of_path=lambda p: urllib.parse.unquote(b.unpercent(p, "url-malformed")))
wrong("g15", "A plus in the path of a link is a space", VU, key_of_path=lambda p: b.unpercent(p.replace("+", " "), "url-malformed"))
wrong("g16", "The bucket is all before the known file host, which is compared by endsWith: evil-host.example with the host as suffix passes", VU,
      check_host=lambda h, f: h.split(".")[0] if h.lower().endswith(f.lower()) and h.split(".")[0] else _bad_host())


def _bad_host():
    raise b.No("url-malformed", "host")


wrong("g17", "The file host is compared with regard to case", VU,
      check_host=lambda h, f: h.partition(".")[0] if h.partition(".")[2] == f and h.partition(".")[0] else _bad_host())


def _head_as_get(given, keys, dialect):
    if b.verb(given["method"]) == "HEAD":
        try:
            return _verify_url(dict(given, method="GET"), keys, dialect)
        except b.No as no:
            if no.args[0] != "signature-mismatch":
                raise
    return _verify_url(given, keys, dialect)


wrong("g18", "A link signed for GET is also accepted for HEAD (as S3 does)", VU, verify_url=_head_as_get)


def _drop_fragment(url, file_host):
    match = re.fullmatch(r"(https?)://([^/?#]*)/([^?#]*)\??([^#]*)(#.*)?", url, re.S)
    if not match:
        raise b.No("url-malformed", "not a URL")
    return b.check_host(match[2], file_host), b.key_of_path(match[3]), match[4]


wrong("g19", "A fragment of the link is dropped silently", VU, split_url=_drop_fragment)


def _first_authorization(headers):
    values = b.find(headers, "authorization")
    if not values:
        raise b.No("authorization-missing", "none")
    return b.header_value(values[0])


wrong("g20", "Of two Authorization headers the first counts", VA, find_authorization=_first_authorization)
wrong("g21", "Authorization is found only in this spelling", VA,
      find_authorization=lambda hs: _find_exact(hs))


def _find_exact(headers):
    values = [v for n, v in headers if n == "Authorization"]
    if not values:
        raise b.No("authorization-missing", "none")
    if len(values) > 1:
        raise b.No("authorization-malformed", "two")
    return b.header_value(values[0])


wrong("g22", "A policy may be any JSON value: lists and texts pass", VA,
      policy_ok=lambda p: _any_json(p))


def _any_json(policy):
    try:
        json.loads(base64.urlsafe_b64decode(policy.replace("+", "-").replace("/", "_").rstrip("=") + "=" * (-len(policy.rstrip("=")) % 4)).decode("utf-8"))
        return True
    except (ValueError, RecursionError):
        return False


wrong("g23", "A policy is accepted for DELETE too (any method but GET and HEAD)", VA, policy_method_ok=lambda m: m.upper() not in ("GET", "HEAD"))


def _scheme_split(given, keys, dialect):
    headers = b.read_headers(given["headers"])
    text = b.verify_header_text(given, headers, dialect)
    words = b.find_authorization(headers).split()
    if len(words) != 2 or not b.scheme_ok(words[0], dialect):
        raise b.No("authorization-malformed", "not two words")
    public_key, signature, policy = b.split_credentials(words[1])
    if policy is not None:
        b.check_policy(policy, given["method"])
    b.check_account(public_key, keys)
    b.check_signature(b.file_signature(b.verify_policy_text(text, policy), keys), signature)
    return {"publicKey": public_key}


wrong("g24", "Any white space may stand between scheme and credentials (strings.Fields)", VA, verify_authorization=_scheme_split)
wrong("g25", "The credentials are split at the last colon, so policies are taken for a public key with a colon", VA,
      split_credentials=lambda r: (r.rpartition(":")[0], r.rpartition(":")[2], None) if ":" in r and not re.search(r"[ \t]", r) else _bad_auth())


def _bad_auth():
    raise b.No("authorization-malformed", "no colon")


_read_query = b.read_query
wrong("g26", "parse_qs of old Python: a semicolon separates parameters too", VQ + ", " + VU, read_query=lambda q: _read_query(q.replace(";", "&")))
wrong("g27", "parse_qsl without keep_blank_values: parameters with the empty value vanish before the check", VQ + ", " + VU,
      read_query=lambda q: [p for p in _read_query(q) if p[1]])


def _lenient_unpercent(text):
    return urllib.parse.unquote(b.utf8(text).decode())


wrong("g28", "Stray percent signs stay, bytes that are no UTF-8 become U+FFFD (urllib's unquote)", VQ + ", " + VU, query_decode=_lenient_unpercent)
wrong("g29", "A plus in the query is a space, in values only", VQ,
      read_query=lambda q: [(b.query_decode(n), b.query_decode(v.replace("+", " "))) for n, _, v in (p.partition("=") for p in q.split("&") if p)])


def _top_pairs(pairs):
    return {"object": [[n, b.wrap(v)] for n, v in dict(pairs).items()]}


wrong("g30", "Of a JSON member that is there twice, the last counts", VJ, json_pairs=_top_pairs)


def _float_json(body):
    value = _read_json_with(body, parse_int=b.json_number, parse_float=lambda w: {"number": repr(float(w))} if math.isfinite(float(w)) else {"number": w})
    return value


def _read_json_with(body, **options):
    options = {"object_pairs_hook": b.json_pairs, "parse_int": b.json_number, "parse_float": b.json_number, "parse_constant": b.json_constant, **options}
    try:
        value = json.loads(body, **options)
    except (ValueError, RecursionError):
        raise b.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise b.No("body-malformed", "not an object")
    return value["object"]


wrong("g31", "Numbers with a fraction or exponent of the body go through a double before the check", VJ, read_json=_float_json)
wrong("g32", "NaN and Infinity are accepted as texts in the body", VJ, read_json=lambda body: _read_json_with(body, parse_constant=lambda w: w))


def _prefix_json(body):
    try:
        value, _ = json.JSONDecoder(object_pairs_hook=b.json_pairs, parse_int=b.json_number, parse_float=b.json_number,
                                    parse_constant=b.json_constant).raw_decode(body.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        raise b.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise b.No("body-malformed", "not an object")
    return value["object"]


wrong("g33", "json.Decoder of Go: reads the first value of the body and ignores what follows", VJ, read_json=_prefix_json)


def _fold_members(members):
    out = []
    for name, value in members:
        out.append(["Signature" if name.lower() == "signature" else name, value])
    return out


_read_json = b.read_json
wrong("g34", "Go's encoding/json: the member signature is taken for Signature whatever its case", VJ, read_json=lambda body: _fold_members(_read_json(body)))
wrong("g35", "Action is not required by the verifiers", VQ + ", " + VJ, verify_need=lambda o: b.need(o, "PublicKey"))
wrong("g36", "A leading byte order mark of the body is skipped", VJ, read_json=lambda body: _read_json(body.lstrip("\ufeff")))
wrong("g37", "A Signature that is not a text is turned into text and compared (mismatch instead of missing)", VJ,
      signature_of=lambda ps: (lambda v: None if v is None else v if isinstance(v, str) else str(v.get("number", v)) if isinstance(v, dict) else str(v))(dict(ps).get("Signature")))
wrong("g38", "The account is looked up regardless of case and of outer spaces (a SQL collation)", "verify-*",
      check_account=lambda p, k: None if p.strip().lower() == k["publicKey"].strip().lower() else _unknown())


def _unknown():
    raise b.No("public-key-unknown", "unknown")


wrong("g39", "Extra headers of a link request are checked only if there is no more than one", VU,
      verify_url_headers=lambda hs, d: b.canonical_headers(hs, d) if sum(b.is_extra(n, d) for n, _ in hs) <= 1 else "")
wrong("g40", "Accepts every OPTIONS request without a check (pre-flight)", VA + ", " + VU,
      verify_url=lambda g, k, d: {"publicKey": k["publicKey"]} if g["method"] == "OPTIONS" else _verify_url(g, k, d),
      verify_authorization=lambda g, k, d: {"publicKey": k["publicKey"]} if g["method"] == "OPTIONS" else _verify_authorization(g, k, d))
_verify_authorization = b.verify_authorization

# ------------------------------------------------------------------ refusals, crashes

wrong("z01", "Python 2: UnicodeEncodeError for a string to sign that is not ASCII", FILE, file_bytes=lambda t: t.encode("ascii"))
wrong("z02", "btoa: exception for passwords with characters above U+00FF, Latin-1 bytes for others", "password",
      password_text=lambda t: base64.b64encode(t.encode("latin-1")).decode())


def _mmap_like(content):
    data = _content_bytes(content)
    if not data:
        raise ValueError("cannot mmap an empty file")
    return data


_content_bytes = b.content_bytes
wrong("z03", "mmap of an empty file: exception", "etag, part-etag", content_bytes=_mmap_like)
wrong("z04", "Methods outside GET, PUT, POST, DELETE, HEAD are refused", "authorization, presigned-url, verify-*",
      verb=lambda m: m.upper() if m.upper() in ("GET", "PUT", "POST", "DELETE", "HEAD") else _no_method())


def _no_method():
    raise b.No("method", "unknown method")


_header_name = b.header_name


def _strict_name(name):
    name = _header_name(name)
    if not re.fullmatch("[A-Za-z0-9-]+", name):
        raise b.No("header-name", "letters, digits and dashes only")
    return name


wrong("z05", "Header names with other token characters than letters, digits and dashes are refused", FILE, header_name=_strict_name)
wrong("z06", "An empty key is refused", "authorization, presigned-url, form-authorization, instant-upload",
      resource_key=lambda k: k or _no_key())


def _no_key():
    raise b.No("text", "empty key")


wrong("z07", "Integers beyond 64 bits are refused", ACTION,
      number_text=lambda w: _number_text(w) if abs(b.Decimal(_number_text(w))) < 2**63 else _no_number())


def _no_number():
    raise b.No("number", "does not fit 64 bits")


_object_leaves = b.object_leaves
wrong("z08", "AttributeError for an object inside a list (only flat lists were thought of)", ACTION,
      list_leaves=lambda name, items: [leaf for i, item in enumerate(items) for leaf in
                                       (b.leaves(b.item_name(name, i), item) if not (isinstance(item, dict) and "object" in item) else item.encode())])
wrong("z09", "A repeated extra header is refused like a repeated positional one", FILE,
      merge=lambda ps: _no_repeat(ps))


def _no_repeat(pairs):
    b.one([n for n, _ in pairs if sum(m == n for m, _ in pairs) > 1])
    return [(n, [v]) for n, v in pairs]
