"""Blind trial: single wrong mistakes; each entry replaces one or a few functions of base.py."""
import base64
import email.utils
import functools
import hashlib
import hmac
import json
import posixpath
import re
import struct
import unicodedata
import urllib.parse
from decimal import Context, Decimal

import base as b
from operations import ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, SENT, V_ALL, V_AUTH, V_FILE, V_JSON, V_PARAM, V_QUERY, V_URL
from recording import wrong

EMPTY = "d41d8cd98f00b204e9800998ecf8427e"

_leaves = b.leaves
_flatten = b.flatten
_number_text = b.number_text
_list_leaves = b.list_leaves
_percent = b.percent
_positional = lambda headers, wanted: b.positional(headers, wanted)  # noqa: E731
_header_value = b.header_value
_is_extra = b.is_extra
_canonical_headers = b.canonical_headers
_resource = b.resource
_lines = b.lines
_json_leaf = b.json_leaf
_order = b.order
_prepare = b.prepare
_content_bytes = b.content_bytes
_split_credentials = b.split_credentials
_policy_ok = b.policy_ok
_header_text = b.header_text
_verify_url = b.verify_url
_verify_authorization = b.verify_authorization
_read_query = b.read_query
_read_json = b.read_json
_expires_seconds = b.expires_seconds
_check_signature = b.check_signature
_file_digest = b.file_digest

# ------------------------------------------------------------------ parameters: order

wrong("a01", "Sorts with the collation of the locale en_US (strcoll): punctuation is skipped and case only breaks ties", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: ([c.lower() for c in x.name if c.isalnum()], x.name.swapcase())))

wrong("a02", "Compares names as signed chars (C on x86), so that bytes of 0x80 and above sort before ASCII", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: [c - 256 if c > 127 else c for c in b.utf8(x.name)]))


def _ksort(left, right):
    digits = "0|[1-9][0-9]*"
    if re.fullmatch(digits, left.name) and re.fullmatch(digits, right.name):
        return int(left.name) - int(right.name)
    one, two = b.utf8(left.name), b.utf8(right.name)
    return (one > two) - (one < two)


wrong("a03", "ksort without SORT_STRING: names that are whole numbers compare as numbers, 9 before 10", ACTION,
      order=lambda ls: sorted(ls, key=functools.cmp_to_key(_ksort)))

wrong("a04", "Escapes the names first and sorts the escaped names, so a name with an escaped character sorts by its percent sign", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: _percent(x.name)))


def _sort_then_flatten(parameters):
    kept = b.without_signature(b.flatten(sorted(parameters, key=lambda pair: b.utf8(pair[0]))))
    b.check_repeated([x.name for x in kept])
    return kept


wrong("a05", "Sorts the parameters first and flattens lists and objects afterwards, so items keep the order of the list", ACTION,
      prepare=_sort_then_flatten)

wrong("a06", "Adds PublicKey after the sort, so it is the last pair before the private key", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: (x.name == "PublicKey", b.utf8(x.name))))

# ------------------------------------------------------------------ parameters: lists, objects, booleans, texts

wrong("a07", "A list of one element is unwrapped and sent as a plain parameter without index", ACTION,
      list_leaves=lambda name, items: b.leaves(name, items[0]) if len(items) == 1 else _list_leaves(name, items))


def _ruby_flatten(items):
    out = []
    for item in items:
        out += _ruby_flatten(item["list"]) if isinstance(item, dict) and "list" in item else [item]
    return out


wrong("a08", "Lists inside lists are flattened with Array#flatten first, so all items share one running index", ACTION,
      list_leaves=lambda name, items: _list_leaves(name, _ruby_flatten(items)))


def _str_booleans(name, items):
    out = []
    for index, item in enumerate(items):
        if item is True or item is False:
            out.append(b.Leaf(b.item_name(name, index), str(item), False))
        else:
            out += b.leaves(b.item_name(name, index), item)
    return out


wrong("a09", "Booleans are lower-cased at the top level only; in a list they are signed with str() as True and False",
      "action-signature, action-json, action-query, bucket-request, verify-json", list_leaves=_str_booleans)

wrong("a10", "The query carries booleans as 1 and 0 (http_build_query) while true and false are signed", QUERY,
      query_value=lambda x: _percent({"true": "1", "false": "0"}.get(x.text, x.text) if not x.quoted else x.text))

wrong("a11", "Texts of digits are normalised as numbers before signing and sending (value + 0), so 007 becomes 7", ACTION,
      string_text=lambda v: str(int(v)) if re.fullmatch("0+[0-9]{1,15}", v) else v)

wrong("a12", "The signed value loses its line breaks at the end (a shell's command substitution); the sent value keeps them", ACTION,
      signed_value=lambda x: x.text.rstrip("\n"))

wrong("a13", "SecurityToken is added after the signature was computed, so it is sent but not signed", ACTION,
      signed_pair=lambda x: "" if x.name == "SecurityToken" else x.name + x.text)

wrong("a14", "Parameters named signature in any case are taken out, not only Signature", ACTION,
      unsigned_name=lambda name: name.lower() == "signature")


def _more_passwords(parameters):
    out = _flatten(parameters)
    for x in out:
        if x.name.endswith("Password") and x.name != "Password" and x.quoted:
            x.text = base64.b64encode(b.utf8(x.text)).decode()
    return out


wrong("a15", "Parameters whose names merely end in Password, such as AdminPassword, are Base64-encoded before signing and sending",
      "action-signature, action-json, action-query, bucket-request, verify-query, verify-json", flatten=_more_passwords)

wrong("a16", "Line breaks CR LF in values are signed as LF", ACTION,
      signed_value=lambda x: x.text.replace("\r\n", "\n"))

# ------------------------------------------------------------------ parameters: numbers


def _float32(written):
    exact = _number_text(written)
    try:
        short = struct.unpack("f", struct.pack("f", float(exact)))[0]
    except OverflowError:
        return exact
    for digits in range(1, 18):
        if struct.unpack("f", struct.pack("f", float("%.*g" % (digits, short))))[0] == short:
            return _number_text("%.*g" % (digits, short) if short else "0")
    return exact


wrong("a17", "Formats numbers with the bit size 32 (strconv.FormatFloat(v, 'f', -1, 32)), so they keep about seven digits", ACTION,
      number_text=_float32)

def _six(written):
    text = _number_text(written)
    return _number_text(format(Decimal(text).quantize(Decimal("0.000001"), context=Context(prec=9000)), "f")) if "." in text else text

wrong("a18", "Numbers go through a decimal type of 28 significant digits and are rounded there", ACTION,
      number_text=lambda w: _number_text(format(Context(prec=28).create_decimal(_number_text(w)), "f")))

wrong("a19", "Whole numbers are clamped to 32 bits (Rust `as i32`): anything above 2147483647 becomes 2147483647", ACTION,
      number_text=lambda w: (lambda t: t if "." in t else str(max(-2 ** 31, min(2 ** 31 - 1, int(t)))))(_number_text(w)))

wrong("a20", "tostring of Lua: numbers with a fraction or of 19 characters and more are written with %.14g", ACTION,
      number_text=lambda w: (lambda t: t if "." not in t and len(t) < 19 else "%.14g" % float(t))(_number_text(w)))

wrong("a21", "MessageFormat puts commas between the thousands of a number's signed text", "action-signature, action-json, action-query, bucket-request, verify-json",
      signed_value=lambda x: x.text if x.quoted or not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", x.text)
      else re.sub(r"(?<=[0-9])(?=([0-9]{3})+(?![0-9]))", ",", x.text.partition(".")[0]) + "".join(x.text.partition(".")[1:]))

wrong("a22", "stripTrailingZeros of old Java: a zero keeps its fraction, 0.00 stays 0.00", ACTION,
      number_text=lambda w: w.lstrip("-") if re.fullmatch(r"-?0\.0+", w) else _number_text(w))

wrong("a23", "Strips the zeros at the end of a number written with an exponent even if it has no point, so 1e2 becomes 1", ACTION,
      number_text=lambda w: (_number_text(w).rstrip("0").rstrip(".") or "0") if re.search("[eE]", w) else _number_text(w))


def _js_small(written):
    text = _number_text(written)
    value = Decimal(text)
    if value and abs(value) < Decimal("0.000001"):
        digits = value.normalize().as_tuple()
        figures = "".join(map(str, digits.digits))
        return ("-" if digits.sign else "") + figures[0] + ("." + figures[1:] if figures[1:] else "") + "e" + str(value.adjusted())
    return text


wrong("a24", "Handles great numbers, but numbers below 0.000001 are written with an exponent (1e-7), as String(n) does", ACTION,
      number_text=_js_small)

# ------------------------------------------------------------------ JSON body, query

wrong("a25", "Numbers that came from lists or objects are sent as JSON texts (the flattener keeps texts only)", "action-json",
      json_leaf=lambda x: json.dumps(x.text) if x.quoted or "." in x.name and x.text not in ("true", "false") else x.text)

wrong("a26", "Whole numbers beyond 2^53 are sent as JSON texts (a BigInt replacer)", "action-json",
      json_leaf=lambda x: x.text if not x.quoted and not (re.fullmatch("-?[0-9]+", x.text) and abs(int(x.text)) > 2 ** 53 - 1)
      else json.dumps(x.text))

wrong("a27", "The JSON writer escapes astral characters as \\u with five digits instead of a surrogate pair", "action-json",
      json_leaf=lambda x: re.sub("[\U00010000-\U0010ffff]", lambda m: "\\u%x" % ord(m[0]), json.dumps(x.text, ensure_ascii=False))
      if x.quoted else x.text)

wrong("a28", "Numbers of the JSON body pass through a double while the exact digits are signed", "action-json",
      json_leaf=lambda x: json.dumps(x.text) if x.quoted else x.text if x.text in ("true", "false") or len(x.text) > 300
      else _number_text(repr(float(x.text))))

wrong("a29", "A JSON text that holds a number is sent without quotes (JSON_NUMERIC_CHECK)", "action-json",
      json_leaf=lambda x: x.text if not x.quoted or re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", x.text) else json.dumps(x.text))

wrong("a30", "Puts Signature at its sorted place in the query instead of the end", QUERY,
      query_text=lambda o, s: "&".join(_percent(x.name) + "=" + _percent(x.text) for x in
                                       sorted(o + [b.Leaf("Signature", s, True)], key=lambda y: b.utf8(y.name))))

wrong("a31", "Values with escapes already in them (%41) are not escaped again in the query", QUERY,
      query_value=lambda x: re.sub("%25([0-9A-Fa-f]{2})", r"%\1", _percent(x.text)))

# ------------------------------------------------------------------ password, digest of parameters

wrong("a32", "encode_base64 with only the last line break removed: a long password has line breaks after each 76 characters", "password",
      password_text=lambda t: base64.encodebytes(b.utf8(t)).decode().rstrip("\n"))

wrong("a33", "btoa: a password of characters up to U+00FF is encoded from one byte per character", "password",
      password_text=lambda t: base64.b64encode(bytes(map(ord, t)) if all(ord(c) < 256 for c in t) else b.utf8(t)).decode())

wrong("a34", "The password is read as a line, so a line break at its end is lost", "password",
      password_text=lambda t: base64.b64encode(b.utf8(t.rstrip("\r\n"))).decode())

wrong("a35", "Hexadecimal by a big integer: zeros at the start of the digest are lost", ACTION,
      action_hex=lambda d: "%x" % int.from_bytes(d, "big"))

wrong("a36", "Characters beyond U+FFFF are hashed as two surrogates of three bytes each (CESU-8)", ACTION,
      action_bytes=lambda t: b.utf8(t) and re.sub("[\U00010000-\U0010ffff]", lambda m: "".join(
          chr(int.from_bytes(m[0].encode("utf-16-be")[i:i + 2], "big")) for i in (0, 2)), t).encode("utf-8", "surrogatepass"))

# ------------------------------------------------------------------ percent-encoding

wrong("a37", "Escapes char by char (Java), so a character beyond U+FFFF becomes two question marks %3F%3F", ESCAPES,
      text_bytes=lambda t: b.utf8(re.sub("[\U00010000-\U0010ffff]", "??", t)))


def _first_only(text):
    out = urllib.parse.quote(b.utf8(text), safe="-_.~!'()*")
    for c in "!'()*":
        out = out.replace(c, "%%%02X" % ord(c), 1)
    return out


wrong("a38", "Of each of ! ' ( ) * only the first occurrence is escaped (String.replace with a text)", ESCAPES, percent=_first_only)

wrong("a39", "Bytes below 16 are escaped with a single hexadecimal digit (%A)", ESCAPES, escape_byte=lambda c: "%%%X" % c)

wrong("a40", "sprintf of a signed char: bytes of 0x80 and above are written %FFFFFFC3", ESCAPES,
      escape_byte=lambda c: "%%%02X" % (c if c < 128 else c | 0xffffff00))

wrong("a41", "Letters and digits of every script are left alone (unicode.IsLetter)", ESCAPES,
      percent=lambda t: b.utf8(t) and "".join(c if c.isalnum() or c in "-_.~" else "".join("%%%02X" % x for x in b.utf8(c)) for c in t) or "")

wrong("a42", "Safe letters are tested as 'A' to 'z', so [ \\ ] ^ and ` are not escaped", ESCAPES,
      safe_byte=lambda c: 65 <= c <= 122 or 48 <= c <= 57 or c in b"-_.~")

wrong("a43", "Off by one: the test for lower-case letters is c < 'z', so z is escaped as %7A", ESCAPES,
      safe_byte=lambda c: 65 <= c <= 90 or 97 <= c < 122 or 48 <= c <= 57 or c in b"-_.~")

wrong("a44", "The class [A-Za-z0-9_.-~] is a range from . to ~, so / : ; < = > ? @ and more stay, and - is escaped", ESCAPES,
      safe_byte=lambda c: 0x2e <= c <= 0x7e)

wrong("a45", "Text is normalised to NFC before it is escaped (Foundation)", ESCAPES,
      text_bytes=lambda t: b.utf8(unicodedata.normalize("NFC", t)))

# ------------------------------------------------------------------ extra headers

wrong("a46", "toLowerCase in a Turkish locale: the letter I of an extra header's name becomes a dotless i", FILE,
      extra_name=lambda n: n.replace("I", "\u0131").lower())

wrong("a47", "The prefix is tested without its last hyphen, so X-SvcFoo is signed too", FILE,
      is_extra=lambda n, d: n.lower().startswith(b.extra_prefix(d).rstrip("-")))

_last_index = [0]


def _global_regexp(name, dialect):
    prefix = b.extra_prefix(dialect)
    if _last_index[0] == 0 and name.lower().startswith(prefix):
        _last_index[0] = len(prefix)
        return True
    _last_index[0] = 0
    return False


wrong("a48", "The prefix is a RegExp with the flag g used with test(), which remembers lastIndex: an extra header right after another is missed (also across requests)", FILE,
      is_extra=_global_regexp)

wrong("a49", "Underscores in the names of extra headers become hyphens (CGI names turned back)", FILE,
      extra_name=lambda n: n.lower().replace("_", "-"))


def _merge_first(headers, dialect):
    groups = {}
    for name, value in headers:
        if b.is_extra(name, dialect):
            groups.setdefault(name, []).append(b.extra_value(value))
    return "".join(n.lower() + ":" + ",".join(v) + "\n" for n, v in sorted(groups.items(), key=lambda g: g[0].lower()))


def _sort_first(headers, dialect):
    pairs = sorted([(n, b.extra_value(v)) for n, v in headers if b.is_extra(n, dialect)], key=lambda p: p[0])
    return "".join(n + ":" + ",".join(v) + "\n" for n, v in b.merge([(n.lower(), v) for n, v in pairs]))


wrong("a50", "Merges headers of the same spelling before the names are lower-cased, so X-Svc-A and x-svc-a give two lines", FILE,
      canonical_headers=_merge_first)

wrong("a51", "Sorts the extra headers by their names as sent and lower-cases them afterwards", FILE, canonical_headers=_sort_first)

wrong("a52", "Empty values of a repeated extra header are left out of the join", FILE, join_values=lambda vs: ",".join(v for v in vs if v))

wrong("a53", "Blanks after commas within an extra header's value are removed, as if all were merged headers", FILE,
      join_values=lambda vs: ",".join(re.sub(r"[ \t]*,[ \t]*", ",", v) for v in vs))

wrong("a54", "Only the first fold of an extra header's value is replaced (replace without the flag g)", FILE,
      extra_value=lambda v: re.sub(r"[ \t]*\r?\n[ \t]+", " ", v, count=1).strip(" \t"))

wrong("a55", "Unfolding removes the line break alone, so a tab or several blanks at the start of the next line stay", FILE,
      extra_value=lambda v: re.sub(r"\r?\n", "", v).strip(" \t") if "\n" in v else _header_value(v))

wrong("a56", "Trims extra values with the language's trim, which takes no-break and other Unicode spaces too", FILE,
      extra_value=lambda v: _header_value(v).strip())

wrong("a57", "With an odd parse of name:value lines, an extra value ends at its first colon (split(':')[1])", FILE,
      extra_value=lambda v: _header_value(v).split(":")[0].rstrip(" \t"))

# ------------------------------------------------------------------ positional headers, verb

wrong("a58", "Content-Type is parsed and formatted again, so text/html;charset=UTF-8 is signed with a space after the semicolon", POSITIONAL,
      content_type=lambda h, m: re.sub(r"[ \t]*;[ \t]*", "; ", _positional(h, "content-type")))

wrong("a59", "Content-MD5 of 32 hexadecimal digits is converted to Base64 before it is signed", POSITIONAL,
      content_md5=lambda h, m: (lambda v: base64.b64encode(bytes.fromhex(v)).decode() if re.fullmatch("[0-9a-fA-F]{32}", v) else v)(
          _positional(h, "content-md5")))

wrong("a60", "Amazon's rule: with an extra header named ...-Date the line of Date is empty", POSITIONAL,
      date=lambda h, m: "" if any(re.fullmatch(r"x-[a-z]+-date", n.lower()) for n, _ in h) else _positional(h, "date"))


def _gmt(headers, method):
    value = _positional(headers, "date")
    try:
        stamp = email.utils.mktime_tz(email.utils.parsedate_tz(value))
        return email.utils.formatdate(stamp, usegmt=True)
    except (TypeError, ValueError, OverflowError, IndexError):
        return value


wrong("a61", "A Date that can be parsed is signed in the form of RFC 1123 in GMT, whatever was sent", POSITIONAL, date=_gmt)

wrong("a62", "For GET and HEAD the line of Content-Type is empty, since there is no body", POSITIONAL,
      content_type=lambda h, m: "" if m in ("GET", "HEAD") else _positional(h, "content-type"))

wrong("a63", "A PUT without Content-Type is signed with application/octet-stream, the default of the HTTP library", POSITIONAL,
      content_type=lambda h, m: _positional(h, "content-type") or ("application/octet-stream" if m == "PUT" else ""))

wrong("a64", "Finds positional headers with strncasecmp over the wanted length, so the header Date-Of-Birth before Date is taken for it", POSITIONAL,
      positional=lambda h, w: next((b.positional_value(v) for n, v in h if n.lower().startswith(w)), ""))

wrong("a65", "HEAD is signed as GET", "authorization, policy-authorization, presigned-url, verify-authorization, verify-presigned-url",
      verb=lambda m: "GET" if m.upper() == "HEAD" else m.upper())

# ------------------------------------------------------------------ resource, string to sign, digest

wrong("a66", "path.Join: the resource loses a slash at the end, double slashes and dot segments", FILE,
      resource=lambda bucket, key: re.sub("^//", "/", posixpath.normpath("/" + bucket + "/" + key)))

wrong("a67", "URLDecoder: a plus in the signed key becomes a space", FILE, resource_key=lambda k: k.replace("+", " "))

wrong("a68", "fileSystemRepresentation: the signed key is decomposed (NFD)", FILE, resource_key=lambda k: unicodedata.normalize("NFD", k))

wrong("a69", "In presigned URLs slashes at the start of the key are not signed", "presigned-url",
      presign_resource=lambda bucket, key: _resource(bucket, key.lstrip("/")))

wrong("a70", "getBytes with US-ASCII: every other character of the string to sign is hashed as ?", FILE,
      file_bytes=lambda t: b.utf8(t) and t.encode("ascii", "replace"))

wrong("a71", "A private key longer than 64 bytes is cut to the block size instead of hashed", FILE, file_key=lambda k: b.utf8(k)[:64])

_stream = {}


def _never_reset(key, message):
    mac = _stream.setdefault(key, hmac.new(key, b"", hashlib.sha1))
    mac.update(message)
    return mac.digest()


wrong("a72", "One HMAC object is kept per key and never reset, so each signature after the first covers the earlier messages too", FILE,
      file_digest=_never_reset)

wrong("a73", "The public key is percent-encoded in the Authorization header", "authorization, form-authorization, policy-authorization, instant-upload",
      credentials=lambda p, s, d: d["scheme"] + " " + _percent(p) + ":" + s)


def _hex_policy(given, keys, dialect):
    text = b.sign_given(given, b.read_headers(given["headers"]), dialect, given["method"], given["key"])
    digest = b.file_digest(b.file_key(keys["privateKey"]), b.file_bytes(b.policy_text(text, given["policy"])))
    signature = base64.b64encode(digest.hex().encode()).decode()
    return {"authorization": b.policy_credentials(b.credentials(keys["publicKey"], signature, dialect), given["policy"])}


wrong("a74", "The call with a policy forgets hash_hmac's argument for raw output: Base64 of the hexadecimal digest", "policy-authorization",
      op_policy_authorization=_hex_policy)

# ------------------------------------------------------------------ forms, policies, instant upload

wrong("a75", "Without a form field Content-Type the HTTP header's multipart type is signed", "form-authorization",
      form_type=lambda h, fs: _header_value((b.form_fields(fs, "Content-Type") + b.find(h, "content-type") + [""])[0]))

wrong("a76", "The form field Content-MD5 wins over the header Content-MD5", "form-authorization",
      form_md5=lambda h, fs: _header_value((b.form_fields(fs, "Content-MD5") + b.find(h, "content-md5") + [""])[0]))


def _form_extra(given, headers, dialect):
    b.check_bucket(given["bucket"])
    more = headers + [(n, v) for n, v in given["fields"] if b.is_extra(n, dialect)]
    return b.lines("POST", b.form_md5(headers, given["fields"]), b.form_type(headers, given["fields"]),
                   b.date(headers, "POST"), b.canonical_headers(more, dialect), b.resource(given["bucket"], given["key"]))


def _form_no_date(given, headers, dialect):
    b.check_bucket(given["bucket"])
    return b.lines("POST", b.form_md5(headers, given["fields"]), b.form_type(headers, given["fields"]),
                   "", b.canonical_headers(headers, dialect), b.resource(given["bucket"], given["key"]))


wrong("a77", "Form fields whose names start with the extra prefix are signed as if they were headers", "form-authorization",
      form_text=_form_extra)


def _is_json_object(value):
    try:
        return isinstance(json.loads(value), dict)
    except (ValueError, RecursionError):
        return False


wrong("a78", "A callbackBody that is itself a JSON object is embedded as an object instead of a text", "policy",
      policy_json=lambda ms: "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + (
          v if _is_json_object(v) else json.dumps(v, ensure_ascii=False)) for n, v in ms) + "}")


def _plain_policy(text, policy):
    try:
        return text + base64.urlsafe_b64decode(policy.replace("+", "-").replace("/", "_") + "===").decode()
    except ValueError:
        return text + policy


wrong("a79", "Signs the policy's JSON instead of its Base64 text", "policy-authorization, verify-authorization", policy_text=_plain_policy)

wrong("a80", "The padding of the policy is sent but not signed", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + policy.rstrip("="))

wrong("a81", "Instant upload signs the percent-encoded FileName", "instant-upload", hit_key=lambda k: _percent(k))

wrong("a82", "FileSize is kept in a signed 32-bit integer and wraps for files of 2 GiB and more", "instant-upload",
      hit_target=lambda e, k, s: "/uploadhit?Hash=" + _percent(e) + "&FileName=" + _percent(k) + "&FileSize=" + (
          str((int(s) + 2 ** 31) % 2 ** 32 - 2 ** 31) if re.fullmatch("[0-9]+", s) else _percent(s)))

# ------------------------------------------------------------------ presigned URLs

wrong("a83", "The signed Expires passed through an integer and has lost zeros at its start; the URL has them", "presigned-url",
      presign_expires=lambda e: str(int(e)) if re.fullmatch("[0-9]+", e) else e)

wrong("a84", "Every URL that is not for PUT is signed as GET", "presigned-url", presign_method=lambda m: "PUT" if b.verb(m) == "PUT" else "GET")

wrong("a85", "Of a repeated extra header a presigned URL signs the first value only", "presigned-url",
      presign_headers=lambda h, d: _canonical_headers(list({n.lower(): (n, v) for n, v in reversed(h)}.values())[::-1], d))

wrong("a86", "A space in the path of the URL is written as +", "presigned-url", url_path=lambda k: "/".join(_percent(p).replace("%20", "+") for p in k.split("/")))

wrong("a87", "The URL class resolves dot segments of the path after signing (a/../b becomes b)", "presigned-url",
      url_path=lambda k: "/".join(_percent(p) for p in (
          re.sub("^/", "", posixpath.normpath("/" + k)) + ("/" if k.endswith("/") else "") if re.search(r"(^|/)\.\.?(/|$)", k) else k).split("/")))

wrong("a88", "A port in the file host is lost from the URL", "presigned-url",
      url_start=lambda s, bucket, host: s + "://" + bucket + "." + host.split(":")[0] + "/")

_urls = {}
_op_presign = b.op_presign


def _cached_url(given, keys, dialect):
    known = (keys["publicKey"], keys["privateKey"], given["method"], given["bucket"], given["key"], given["fileHost"], given["scheme"],
             json.dumps(given["headers"]))
    if known not in _urls:
        _urls[known] = _op_presign(given, keys, dialect)
    return _urls[known]


wrong("a89", "Presigned URLs are cached by everything but Expires, so a second expiry gives the first URL", "presigned-url", op_presign=_cached_url)

# ------------------------------------------------------------------ ETag

wrong("a90", "Off by one: a file of exactly one block is hashed as a list of blocks (size < 4 MiB is the single form)", "etag",
      is_single=lambda data, blocks: len(data) < b.BLOCK)

wrong("a91", "The count of blocks is size / 4 MiB + 1, too great by one for whole multiples", "etag",
      block_count=lambda data, blocks: len(data) // b.BLOCK + 1 if data else 0)


def _leftover(blocks):
    buffer, out = b"", []
    for block in blocks:
        buffer = bytes(block) + buffer[len(block):]
        out.append(hashlib.sha1(buffer).digest())
    return hashlib.sha1(b"".join(out)).digest()


wrong("a92", "The buffer is hashed whole, so a short last block is followed by what is left of the block before", "etag", hash_hashes=_leftover)

wrong("a93", "A byte order mark at the start of the content is skipped", "etag, part-etag",
      content_bytes=lambda c: re.sub(b"^\xef\xbb\xbf", b"", _content_bytes(c)))

wrong("a94", "A part greater than 4 MiB is hashed block by block, as a file is", "part-etag",
      part_raw=lambda data: b.etag_digest(data, b.split(data)))

wrong("a95", "Only the first + and the first / are replaced in the ETag (String.replace)", "etag, part-etag",
      etag_base64=lambda raw: base64.b64encode(raw).decode().replace("+", "-", 1).replace("/", "_", 1))

# ------------------------------------------------------------------ verifiers: comparison, account, Authorization


def _unknown():
    raise b.No("public-key-unknown", "unknown")


def _late():
    raise b.No("expired", "too late")


def _other_host():
    raise b.No("url-malformed", "another host")


wrong("a96", "Signatures are compared regardless of case (strcasecmp)", V_ALL, equal=lambda e, g: e.lower() == g.lower())

wrong("a97", "strncmp over the length of the signature that was sent, so its beginning is enough", V_ALL, equal=lambda e, g: e.startswith(g))


def _decoded(text):
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/") + "===")
    except ValueError:
        return text


wrong("a98", "Compares decoded signatures with a lenient decoder, so URL-safe letters, missing padding and foreign characters pass", V_FILE,
      check_signature=lambda e, g: None if _decoded(e) == _decoded(g) else _check_signature(e, g))

wrong("a99", "The signature of parameters is compared over 32 digits, a constant left from MD5", V_PARAM, equal_hex=lambda e, g: e[:32] == g[:32])

wrong("a100", "The public key is found in a table with a case-insensitive collation", V_ALL,
      check_account=lambda p, k: None if p.lower() == k["publicKey"].lower() else _unknown())


wrong("a101", "The public key is looked up in a column of 32 characters, so only its first 32 characters count", V_ALL,
      check_account=lambda p, k: None if p[:32] == k["publicKey"][:32] else _unknown())


def _first_authorization(headers):
    values = b.find(headers, "authorization")
    if not values:
        raise b.No("authorization-missing", "no Authorization")
    return b.header_value(values[0])


def _exact_authorization(headers):
    values = [v for n, v in headers if n == "Authorization"]
    if not values:
        raise b.No("authorization-missing", "no Authorization")
    if len(values) > 1:
        raise b.No("authorization-malformed", "two of them")
    return b.header_value(values[0])


def _last_authorization(headers):
    values = b.find(headers, "authorization")
    if not values:
        raise b.No("authorization-missing", "no Authorization")
    return b.header_value(values[-1])


wrong("a102", "Of two Authorization headers the first is taken (Header.Get)", V_AUTH, find_authorization=_first_authorization)

wrong("a103", "The Authorization header is found in this spelling only; authorization in lower case counts as missing", V_AUTH,
      find_authorization=_exact_authorization)

wrong("a104", "The scheme is tested with startsWith, so Svc2 passes", V_AUTH, scheme_ok=lambda s, d: s.startswith(d["scheme"]))

wrong("a105", "Splits at the last colon, so a header with a policy names an unknown public key", V_AUTH,
      split_credentials=lambda rest: (lambda p: (p[0], p[1], None) if len(p) == 2 and all(p) and not re.search(r"[ \t]", rest) else _split_credentials(rest))(rest.rsplit(":", 1)))

wrong("a106", "Blanks between scheme and credentials and around the colon are ignored", V_AUTH,
      split_credentials=lambda rest: _split_credentials(re.sub(r"[ \t]*:[ \t]*", ":", rest.strip(" \t"))))

wrong("a107", "An empty third part (a colon at the end) is taken as no policy", V_AUTH,
      split_credentials=lambda rest: _split_credentials(rest[:-1] if rest.count(":") == 2 and rest.endswith(":") else rest))

wrong("a108", "A policy is accepted with every method, also GET and DELETE", V_AUTH, policy_method_ok=lambda m: True)

wrong("a109", "The method is compared with PUT and POST as sent, so a put in lower case may have no policy", V_AUTH,
      policy_method_ok=lambda m: m in ("PUT", "POST"))


def _any_json(policy):
    try:
        json.loads(base64.urlsafe_b64decode(policy.replace("+", "-").replace("/", "_") + "===").decode())
        return True
    except (ValueError, RecursionError):
        return False


wrong("a110", "The policy may be Base64 of any JSON, also of a list, a number or a text", V_AUTH, policy_ok=_any_json)

wrong("a111", "The third part is checked for the letters of Base64 only, not for JSON", V_AUTH,
      policy_ok=lambda p: re.fullmatch(r"[A-Za-z0-9+/_-]+=*", p) is not None)

wrong("a112", "A policy in the standard Base64 alphabet is refused", V_AUTH, policy_ok=lambda p: not re.search("[+/]", p) and _policy_ok(p))

wrong("a113", "The policy is decoded and encoded again in the URL-safe alphabet before its signature is compared", V_AUTH,
      verify_policy_text=lambda text, policy: text if policy is None else text + policy.replace("+", "-").replace("/", "_"))


def _seen_headers(change):
    def text(given, headers, dialect):
        return b.header_text(given["method"], given["bucket"], given["key"], change(headers, dialect), dialect)
    return text


wrong("a114", "The server in front drops headers with an underscore in the name (nginx's default), so they are not verified", V_AUTH,
      verify_header_text=_seen_headers(lambda hs, d: [h for h in hs if "_" not in h[0]]))

wrong("a115", "Header values are decoded as ISO-8859-1 by the server's framework before they are verified as UTF-8", V_AUTH,
      verify_header_text=_seen_headers(lambda hs, d: [(n, b.utf8(v).decode("latin-1")) for n, v in hs]))

wrong("a116", "The framework's headers are a dictionary: of a repeated extra header only the last value is verified", V_AUTH,
      verify_header_text=_seen_headers(lambda hs, d: [h for i, h in enumerate(hs) if not (
          _is_extra(h[0], d) and any(o.lower() == h[0].lower() for o, _ in hs[i + 1:]))]))

def _comma_space(headers, dialect):
    out = {}
    for i, (name, value) in enumerate(headers):
        known = name.lower() if _is_extra(name, dialect) else i
        out[known] = (name, out[known][1] + ", " + b.header_value(value) if known in out else value)
    return list(out.values())


wrong("a117", "The framework joins repeated extra headers with a comma and a space before they are verified", V_AUTH,
      verify_header_text=_seen_headers(_comma_space))

wrong("a118", "The key is percent-decoded once more before it is verified", V_AUTH,
      verify_header_text=lambda g, hs, d: b.header_text(g["method"], g["bucket"], urllib.parse.unquote(g["key"]), hs, d))

wrong("a119", "X-HTTP-Method-Override replaces the method before the signature is verified", V_AUTH,
      verify_header_text=lambda g, hs, d: b.header_text(([v.strip() for n, v in hs if n.lower() == "x-http-method-override"
                                                          and b.TOKEN.fullmatch(v.strip())] + [g["method"]])[0], g["bucket"], g["key"], hs, d))


def _date_needed(given, headers, dialect):
    text = b.header_text(given["method"], given["bucket"], given["key"], headers, dialect)
    value = b.date(headers, given["method"])
    try:
        known = email.utils.parsedate(value)
    except (ValueError, IndexError):
        known = None
    if value and known is None:
        raise b.No("authorization-malformed", "the Date is no date")
    return text


wrong("a120", "A Date that is no HTTP date is refused, such as 20240131235959", V_AUTH, verify_header_text=_date_needed)

_good = set()


def _remember(expected, got):
    if got in _good:
        return
    _check_signature(expected, got)
    _good.add(got)


wrong("a121", "Good signatures are cached by their text alone, so a signature once accepted passes for any later request", V_FILE,
      check_signature=_remember)

# ------------------------------------------------------------------ verifiers: presigned URLs

def _text_expiry(now, expires):
    _expires_seconds(expires)
    if now > expires:
        _late()


wrong("a122", "The expiry and the time are compared as texts", V_URL, check_expiry=_text_expiry)


wrong("a123", "An Expires of 13 digits is taken for milliseconds", V_URL,
      expires_seconds=lambda e: _expires_seconds(e) // (1000 if len(e) == 13 else 1))

wrong("a124", "The expiry is a signed 32-bit integer, so one after January 2038 is long past", V_URL,
      expires_seconds=lambda e: (_expires_seconds(e) + 2 ** 31) % 2 ** 32 - 2 ** 31)


def _python_int(expires):
    try:
        return int(expires)
    except ValueError:
        raise b.No("expires-malformed", "not a number")


wrong("a125", "int() of Python reads the expiry, so a plus sign, blanks around it, underscores and other scripts' digits pass", V_URL,
      expires_seconds=_python_int)

wrong("a126", "parseInt reads the expiry, so letters after the digits pass", V_URL,
      expires_seconds=lambda e: _expires_seconds((re.match(r"\s*([0-9]+)", e) or ["", e])[1]))

wrong("a127", "atoi reads the expiry: text that is no number is 0 and so expired instead of malformed", V_URL,
      expires_seconds=lambda e: int(e) if re.fullmatch("[0-9]{1,15}", e) else 0)

wrong("a128", "The expiry is checked after the signature, so a forged late URL is a mismatch instead of expired", V_URL,
      check_expiry=lambda now, e: _expires_seconds(e) and None,
      after_signature=lambda given, e: _late() if int(given["now"]) > _expires_seconds(e) else None)

wrong("a129", "The expiry is checked for GET only, so a URL for PUT never expires", V_URL,
      verify_url=lambda g, k, d: _verify_url(g if g["method"].upper() == "GET" else {**g, "now": "0"}, k, d))


def _head_as_get(given, keys, dialect):
    try:
        return _verify_url(given, keys, dialect)
    except b.No as no:
        if no.args[0] == "signature-mismatch" and given["method"].upper() == "HEAD":
            return _verify_url({**given, "method": "GET"}, keys, dialect)
        raise


wrong("a130", "A HEAD is accepted with the signature for GET as well", V_URL, verify_url=_head_as_get)

wrong("a131", "The path of the URL is decoded twice (by the router and again by the verifier)", V_URL,
      key_of_path=lambda p: urllib.parse.unquote(b.unpercent(p, "url-malformed")))

wrong("a132", "An escaped slash in the path stays escaped (the router decodes piece by piece and keeps %2F)", V_URL,
      key_of_path=lambda p: "%2F".join(b.unpercent(x, "url-malformed") for x in re.split("%2[Ff]", p)))

wrong("a133", "Double slashes in the path of the URL are merged before it is verified (merge_slashes)", V_URL,
      key_of_path=lambda p: b.unpercent(re.sub("/+", "/", p).lstrip("/"), "url-malformed"))


def _ends_with(host, file_host):
    if not host.lower().endswith(file_host.lower()) or len(host) < len(file_host) + 2:
        raise b.No("url-malformed", "another host")
    return host[:-len(file_host) - 1]


wrong("a134", "The host is tested with endsWith, so photosXfiles.example counts as the bucket photos", V_URL, check_host=_ends_with)

wrong("a135", "Query parameters that are there twice are accepted and the last one counts", V_URL, check_url_repeated=lambda names: None)

_cases = {"expires": "Expires", "signature": "Signature"}
wrong("a136", "Expires and Signature are found in any case of letters (a case-insensitive query collection)", "verify-presigned-url, verify-query",
      read_query=lambda q: [(_cases.get(n.lower(), n), v) for n, v in _read_query(q)])

# ------------------------------------------------------------------ verifiers: parameters

wrong("a137", "Form decoding: a plus in the query is a space", "verify-query, verify-presigned-url",
      query_decode=lambda t: b.unpercent(t.replace("+", " "), "query-malformed"))

wrong("a138", "A stray percent sign and escapes that are no UTF-8 are tolerated", "verify-query, verify-presigned-url",
      query_decode=lambda t: urllib.parse.unquote(t, errors="replace"))

wrong("a139", "Semicolons separate parameters as well as &", "verify-query, verify-presigned-url",
      read_query=lambda q: _read_query(q.replace(";", "&")))

wrong("a140", "Parameters with an empty value are dropped while the query is parsed (parse_qsl's default)", "verify-query, verify-presigned-url",
      read_query=lambda q: [(n, v) for n, v in _read_query(q) if v])

wrong("a141", "split('=') of a pair takes its second piece, so a value loses everything from a raw equals sign on", "verify-query, verify-presigned-url",
      read_query=lambda q: _read_query("&".join("=".join(p.split("=")[:2]) for p in q.split("&"))))

wrong("a142", "A Signature that is there twice is accepted and the last one counts", V_QUERY, check_query_repeated=lambda names: None)

wrong("a143", "TrimStrings: a middleware trims the texts of parameters before they are verified", V_PARAM,
      verify_prepare=lambda ps: _prepare([[n, v.strip() if isinstance(v, str) else v] for n, v in ps]))

wrong("a144", "ConvertEmptyStringsToNull: parameters with an empty text are gone before they are verified", V_PARAM,
      verify_prepare=lambda ps: _prepare([[n, v] for n, v in ps if v != ""]))

wrong("a145", "JSON members that are there twice are accepted and the last one counts", V_JSON,
      json_pairs=lambda pairs: {"object": [[n, b.wrap(v)] for n, v in dict(pairs).items()]})

wrong("a146", "JSON numbers are read as doubles, so whole numbers beyond 2^53 and long fractions change", V_JSON,
      json_number=lambda w: {"number": repr(float(w))} if abs(float(w)) < 1e300 else {"number": w})

wrong("a147", "JSON numbers are verified as written in the body, so 1.50 and 1e2 are not the plain decimal text", V_JSON,
      json_number=lambda w: w)

wrong("a148", "NaN and Infinity are accepted in a JSON body and signed as these words", V_JSON, json_constant=lambda word: word)


def _first_value(body):
    try:
        value, _ = json.JSONDecoder(object_pairs_hook=b.json_pairs, parse_int=b.json_number, parse_float=b.json_number,
                                    parse_constant=b.json_constant).raw_decode(body.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        raise b.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise b.No("body-malformed", "not an object")
    return value["object"]


def _loose_json(body):
    try:
        value = json.loads(body, object_pairs_hook=b.json_pairs, parse_int=b.json_number, parse_float=b.json_number,
                           parse_constant=b.json_constant, strict=False)
    except (ValueError, RecursionError):
        raise b.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise b.No("body-malformed", "not an object")
    return value["object"]


def _trailing_comma(body):
    try:
        return _read_json(body)
    except b.No as no:
        if no.args[0] != "body-malformed":
            raise
        return _read_json(re.sub(r",\s*([}\]])", r"\1", body))


wrong("a149", "A streaming decoder reads the first JSON value and ignores what follows the object", V_JSON, read_json=_first_value)

wrong("a150", "Raw control characters within JSON texts are accepted", V_JSON, read_json=_loose_json)
