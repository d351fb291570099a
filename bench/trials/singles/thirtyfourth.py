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

import hmac  # noqa: E402
import json  # noqa: E402
from datetime import datetime  # noqa: E402

# ------------------------------------------------------------------ account API: values, order, bodies, queries


def numeric_check(leaf):
    if leaf.quoted and re.fullmatch(r"[ \t\n\r\v\f]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", leaf.text, re.A):
        text = leaf.text.strip()
        if re.fullmatch(r"[+-]?\d{1,18}", text):
            return str(int(text))
        value = float(text)
        if abs(value) < 1e300:
            return json.dumps(value)
    return right["json_leaf"](leaf)


wrong("at01", "The body is written with PHP's JSON_NUMERIC_CHECK, so a text that looks like a number goes into the JSON as a number (\"0012\" becomes 12), while the signature covers the text.",
      "action-json", json_leaf=numeric_check)


def five_digits(leaf):
    if not leaf.quoted:
        return leaf.text
    return '"' + "".join(c if " " <= c <= "~" and c not in '"\\' else "\\u%04x" % ord(c) for c in leaf.text) + '"'


wrong("at02", "The hand-written JSON writer escapes a character beyond U+FFFF as \\u with five digits (\\u1f600) instead of a surrogate pair.",
      "action-json", json_leaf=five_digits)


def all_passwords(name, value):
    if isinstance(value, str) and name.endswith("Password") and name != "Password":
        value = base64.b64encode(base.utf8(value)).decode()
    return right["leaves"](name, value)


wrong("at03", "Every parameter whose name merely ends in Password (AdminPassword, NewPassword) is Base64-encoded by the library before it signs and sends it, not only by the caller.",
      ACTION, leaves=all_passwords)

wrong("at04", "Names and values are concatenated first and the finished strings are sorted, so NameServer comes before or after Name depending on the value of Name.",
      ACTION, order=lambda all_leaves: sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name + leaf.text)))

wrong("at05", "A list of one item is unrolled as PowerShell does it and becomes Name instead of Name.0.",
      TYPED, list_leaves=lambda name, items: base.leaves(name, items[0]) if len(items) == 1 else right["list_leaves"](name, items))


def long_number(written):
    text = right["number_text"](written)
    return str(max(-2147483648, min(2147483647, int(text)))) if re.fullmatch(r"-?\d+", text) else text


wrong("at06", "Whole numbers pass through strtol with a 32-bit long, which stops at 2147483647 and -2147483648.",
      TYPED, number_text=long_number)


def without_empty(ordered, signature):
    return right["query_text"]([leaf for leaf in ordered if leaf.text != ""], signature)


wrong("at07", "A parameter with an empty value is signed but then left out of the query string, as query builders do with empty values.",
      QUERY, query_text=without_empty)

wrong("at08", "The query, escaped already, goes through java.net.URI's constructor of several arguments, which escapes each percent sign again (%40 becomes %2540), in the bucket requests alone.",
      "bucket-request", bucket_target=lambda query: "/?" + query.replace("%", "%25"))

wrong("at09", "The query is built with a form encoder, which turns each line break in a value into CR LF, while the signature covers the value with its lone LF.",
      QUERY, query_value=lambda leaf: base.percent(re.sub(r"\r\n|\r|\n", "\r\n", leaf.text)))


# ------------------------------------------------------------------ escaping and passwords

wrong("at10", "The escaping keeps every letter and digit of Unicode as it is, because it asks Char.IsLetterOrDigit, so é and 图 are not escaped.", ESCAPES,
      percent=lambda text: "".join(c if c.isalnum() or c in "-_.~" else "".join(base.escape_byte(b) for b in base.text_bytes(c)) for c in text))


def encoded_once(text):
    return "".join(piece if re.fullmatch("%[0-9A-Fa-f]{2}", piece) else right["percent"](piece)
                   for piece in re.split("(%[0-9A-Fa-f]{2})", text))


wrong("at11", "A percent sign that two hexadecimal digits follow is taken for an escape that is there already and stays as it is, to avoid double encoding.",
      ESCAPES, percent=encoded_once)


def component(text):
    return "".join(chr(b) if base.safe_byte(b) or b in b"!*'()" else "%%%02X" % b for b in base.utf8(text))


wrong("at12", "The password is btoa(encodeURIComponent(text)) with the unescape forgotten, so @, spaces and letters outside ASCII are percent-encoded before Base64.",
      "password", password_text=lambda text: base64.b64encode(component(text).encode()).decode())

# ------------------------------------------------------------------ files

wrong("at13", "The extra headers are sorted as finished name:value lines, so x-svc-a-b comes before x-svc-a because a hyphen is lower than a colon.",
      FILE, sort_groups=lambda groups: sorted(groups, key=lambda group: group[0] + ":" + ",".join(group[1])))

SPACES = " \t\v\f\xa0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

wrong("at14", "Header values are trimmed with JavaScript's trim, which also takes no-break spaces, ideographic spaces and byte order marks from both ends.",
      FILE, trim=lambda value: value.strip(SPACES))


def media_type(headers, method):
    return re.sub(r"[ \t]*;[ \t]*", "; ", right["content_type"](headers, method))


wrong("at15", "Content-Type is parsed and written anew as .NET's MediaTypeHeaderValue does, so text/html;charset=utf-8 is signed with a space after the semicolon.",
      HEADER, content_type=media_type)


def escaped_meta(value):
    value = right["extra_value"](value)
    return value if value.isascii() else right["percent"](value)


wrong("at16", "An extra header whose value has characters outside ASCII is percent-encoded before it is signed, as other clouds' metadata is.",
      FILE, extra_value=escaped_meta)


def path_style(bucket, key):
    if key.startswith(bucket + "/"):
        key = key[len(bucket) + 1:]
    return right["resource"](bucket, key)


wrong("at17", "A key that begins with the bucket's own name and a slash is taken for a path-style address, and that beginning is removed from the signed resource.",
      FILE, resource=path_style)


def md5_value(headers, method):
    value = right["content_md5"](headers, method)
    return base64.b64encode(bytes.fromhex(value)).decode() if re.fullmatch("[0-9A-Fa-f]{32}", value) else value


wrong("at18", "A Content-MD5 of 32 hexadecimal digits is turned into Base64 in the signed text, though the header is sent as it was given.",
      HEADER, content_md5=md5_value)


def fields_are_headers(given, headers, dialect):
    more = [(base.header_name(name), value) for name, value in given["fields"] if name.lower().startswith(base.extra_prefix(dialect))]
    return right["form_text"](given, headers + more, dialect)


wrong("at19", "In a form upload the X-Svc- form fields are canonicalized with the extra headers, as in the POST policies of other clouds.",
      "form-authorization", form_text=fields_are_headers)


def form_without_date(given, headers, dialect):
    return right["form_text"](given, [(name, value) for name, value in headers if name.lower() != "date"], dialect)


wrong("at20", "A form upload is signed with an empty Date line even if the request has a Date header, because browsers may not set it.",
      "form-authorization", form_text=form_without_date)


def nested_policy(members):
    out = []
    for name, value in members:
        try:
            inner = json.loads(value)
        except ValueError:
            inner = None
        out.append(json.dumps(name, ensure_ascii=False) + ":"
                   + (json.dumps(inner, ensure_ascii=False, separators=(",", ":")) if isinstance(inner, dict) else json.dumps(value, ensure_ascii=False)))
    return "{" + ",".join(out) + "}"


wrong("at21", "A policy member whose text is itself a JSON object (a callbackBody) is put into the policy as an object instead of a text.",
      "policy", policy_json=nested_policy)

wrong("at22", "The policy is signed as it is, but the header's third part has lost its = signs, as a JWT library would write it.",
      "policy-authorization", policy_credentials=lambda value, policy: right["policy_credentials"](value, policy.rstrip("=")))

wrong("at23", "FileName of the instant upload is the last segment of the key only (File.getName), while the signature covers the whole key.",
      "instant-upload", hit_target=lambda etag, key, size: right["hit_target"](etag, key.rpartition("/")[2] or key, size))


def no_dots(key):
    out = []
    segments = key.split("/")
    for n, segment in enumerate(segments):
        last = n == len(segments) - 1
        if segment == ".." and out:
            out.pop()
        if segment not in (".", ".."):
            out.append(segment)
        elif last:
            out.append("")
    return right["url_path"]("/".join(out))


wrong("at24", "The finished link passes through a URL class that resolves the segments . and .. of the path, while the signature covers the key as given.",
      "presigned-url", url_path=no_dots)

# ------------------------------------------------------------------ ETag


def until_ff(content):
    return right["content_bytes"](content).partition(b"\xff")[0]


wrong("at25", "The file is read with getc into a char that is compared with EOF, so reading ends at the first byte 0xFF.",
      "etag, part-etag", content_bytes=until_ff)


def blocks_of_part(data):
    return base.etag_digest(data, base.split(data))


wrong("at26", "The ETag of a part larger than 4 MiB is the hash over the hashes of its blocks, as for a whole file, instead of the hash of the part.",
      "part-etag", part_raw=blocks_of_part)

# ------------------------------------------------------------------ verifying


def environ_names(given, headers, dialect):
    return base.header_text(given["method"], given["bucket"], given["key"],
                            [(name.replace("_", "-"), value) for name, value in headers], dialect)


wrong("at27", "The verifier rebuilds header names from the CGI environment, so an underscore in the name of an extra header has become a hyphen.",
      V_AUTH, verify_header_text=environ_names)


def latin(given, headers, dialect):
    return base.header_text(given["method"], given["bucket"], given["key"],
                            [(name, base.utf8(value).decode("latin-1")) for name, value in headers], dialect)


wrong("at28", "The verifier takes header values as the web framework decodes them, in Latin-1, and encodes them as UTF-8 again, so values outside ASCII never verify.",
      V_AUTH, verify_header_text=latin)


def urlsafe_only(policy):
    return right["policy_ok"](policy) and not re.search("[+/]", policy)


wrong("at29", "The verifier accepts policies in the URL-safe alphabet alone and refuses one in standard Base64 that has + or /.",
      V_AUTH, policy_ok=urlsafe_only)


def fresh(given, headers, dialect):
    text = right["verify_header_text"](given, headers, dialect)
    try:
        when = parsedate_to_datetime(base.date(headers, given["method"]))
    except (TypeError, ValueError, OverflowError, IndexError):
        return text
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    if abs((datetime.now(timezone.utc) - when).total_seconds()) > 900:
        raise base.No("expired", "request time too skewed")
    return text


wrong("at30", "The verifier refuses a request whose Date is more than fifteen minutes off its own clock, as other clouds do.",
      V_AUTH, verify_header_text=fresh)


def slash_kept(path):
    return base.unpercent(re.sub("%2[Ff]", lambda m: "%25" + m[0][1:], path), "url-malformed")


wrong("at31", "The verifier reads the path from a server that decodes every escape but %2F, so a link whose slashes are escaped does not verify.",
      V_URL, key_of_path=slash_kept)


def three_only(url, file_host):
    out = right["split_url"](url, file_host)
    if len({piece.partition("=")[0] for piece in out[2].split("&") if piece}) > 3:
        raise base.No("query-malformed", "unknown parameter")
    return out


wrong("at32", "The verifier refuses a link that has any query parameter beside the three of the signature, such as one that was added for caching.",
      V_URL, split_url=three_only)


def week(now, expires):
    right["check_expiry"](now, expires)
    if int(expires) - int(now) > 604800:
        raise base.No("expires-malformed", "more than seven days ahead")


wrong("at33", "The verifier refuses links that expire more than seven days from now, a limit taken from another cloud.",
      V_URL, check_expiry=week)


def php_names(query):
    return [(re.sub(r"[ .\[]", "_", name.lstrip(" ")), value) for name, value in right["read_query"](query)]


def get_query(given, keys, dialect):
    pairs = php_names(given["query"])
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


wrong("at34", "The verifier takes the parameters from PHP's $_GET, where each dot or space in a name has become an underscore (Backends.0 is Backends_0).",
      V_QUERY, verify_query=get_query)


def slash_escape(body):
    return right["read_json"](re.sub(r"\\(?:(/)|(.))", lambda m: "\\\\/" if m[1] else m[0], body, flags=re.S))


wrong("at35", "The verifier's own JSON parser does not know the escape \\/ and keeps its backslash, so bodies that PHP wrote with URLs in them do not verify.",
      V_JSON, read_json=slash_escape)


def upper_escapes(text):
    return base.unpercent(re.sub("%(?![0-9A-F]{2})(?=[0-9A-Fa-f]{2})", "%25", text), "query-malformed")


wrong("at36", "The verifier decodes escapes with upper-case hexadecimal digits only and leaves %c3 or %2f in the query as they are.",
      "verify-query, verify-presigned-url", query_decode=upper_escapes)

