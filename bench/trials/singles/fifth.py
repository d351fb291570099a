"""Blind trial, fifth set: single wrong mistakes; each entry replaces one or a few functions of base.py."""
import base64
import email.utils
import hashlib
import json
import math
import re
import unicodedata
import urllib.parse
from decimal import Decimal

import base as b
from operations import ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, SENT, SIGNED, TYPED, V_ALL, V_AUTH, V_JSON, V_PARAM, V_QUERY, V_URL
from recording import wrong

_number_text = b.number_text
_percent = b.percent
_positional = b.positional
_header_value = b.header_value
_header_text = b.header_text
_canonical_headers = b.canonical_headers
_form_type = b.form_type
_resource = b.resource
_url_path = b.url_path
_query_text = b.query_text
_complete = b.complete
_content_bytes = b.content_bytes
_prepare = b.prepare
_policy_json = b.policy_json
_split_url = b.split_url
_check_host = b.check_host
_check_expiry = b.check_expiry
_read_query = b.read_query
_read_json = b.read_json
_verify_authorization = b.verify_authorization
_verify_url = b.verify_url
_verify_query = b.verify_query

# ------------------------------------------------------------------ parameters: order, names, values

wrong("k01", "Sorts shorter names before longer ones and only names of one length by bytes (the canonical order of CBOR)", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: (len(b.utf8(x.name)), b.utf8(x.name))))


def _bubble(all_leaves):
    out = list(all_leaves)
    for done in range(len(out) - 2):
        for i in range(len(out) - 1 - done):
            if b.utf8(out[i].name) > b.utf8(out[i + 1].name):
                out[i], out[i + 1] = out[i + 1], out[i]
    return out


wrong("k02", "A hand-written bubble sort makes one pass too few, so the first two names stay in the wrong order if the least name was given last", ACTION,
      order=_bubble)


def _padded(name, items):
    width = len(str(len(items) - 1))
    return [x for i, item in enumerate(items) for x in b.leaves(name + "." + str(i).zfill(width), item)]


wrong("k03", "To keep a list in order through the sort, indexes get as many digits as the last one has: with eleven or more items Name.00, Name.01, ...", TYPED,
      list_leaves=_padded)

wrong("k04", "A naming policy (PascalCase) is applied to the members of objects: Disk.size is signed and sent as Disk.Size", TYPED,
      member_name=lambda name, member: name + "." + member[:1].upper() + member[1:])

wrong("k05", "Texts are signed as the JSON writer wrote them, less the quotes around: a quote, a backslash or a line break within is signed with a backslash", ACTION,
      signed_value=lambda x: json.dumps(x.text, ensure_ascii=False)[1:-1] if x.quoted else x.text)

wrong("k06", "The private key is read from a line name=key with split('=')[1], so a key with an equals sign in it (Base64) ends before that sign",
      ACTION + ", " + FILE,
      action_key=lambda k: k.split("=")[0], file_key=lambda k: b.utf8(k.split("=")[0]))

wrong("k07", "The private key is appended like a parameter, with its name before it: ...PrivateKey<key>", ACTION,
      with_key=lambda text, key: text + "PrivateKey" + key)

# ------------------------------------------------------------------ parameters: numbers


def _trim_right(written):
    text = _number_text(written)
    if "." in written and not re.search("[eE]", written):
        return {"": "0", "-": "0"}.get(written.rstrip(".0"), written.rstrip(".0"))
    return text


wrong("k08", "strings.TrimRight(text, \".0\") on a number with a point takes zeros before the point too: 10.0 becomes 1 and 200.0 becomes 2 (1.50 is right)", TYPED,
      number_text=_trim_right)


def _lower_e(written):
    text = _number_text(written)
    return written if "E" in written else text


wrong("k09", "A number with an exponent is known by a lower-case e only; 1E3 and 2.5E-3 are signed and sent as they were written", TYPED, number_text=_lower_e)


def _big_decimal(written):
    text = _number_text(written)
    if not re.search("[.eE]", written):
        return text
    value = Decimal(text)
    if not value:
        return "0.0"
    sign, digits, _ = value.as_tuple()
    return ("-" if sign else "") + "0." + ("".join(map(str, digits)).rstrip("0") or "0") + "e" + str(value.adjusted() + 1)


wrong("k10", "BigDecimal#to_s of Ruby without 'F': a number with a point or an exponent is signed and sent in the form 0.15e1", TYPED, number_text=_big_decimal)


def _ostream(written):
    text = _number_text(written)
    return "%.6g" % float(text) if "." in text and len(text) < 300 else text


wrong("k11", "operator<< of C++ at its default precision: a number with a fraction keeps six significant digits (12345678.25 becomes 1.23457e+07)", TYPED,
      number_text=_ostream)


def _doubles(name, items):
    out = []
    for i, item in enumerate(items):
        for x in b.leaves(b.item_name(name, i), item):
            if isinstance(item, dict) and "number" in item and re.fullmatch("-?[0-9]+", x.text):
                x.text += ".0"
            out.append(x)
    return out


wrong("k12", "A list of numbers is a List<Double> whose items are written with toString: the whole number 1 in a list is signed and sent as 1.0", TYPED,
      list_leaves=_doubles)

# ------------------------------------------------------------------ query, bucket requests, body

wrong("k13", "url tags with omitempty: parameters that are an empty text, 0 or false are signed, but the query lacks them", QUERY,
      query_text=lambda o, s: _query_text([x for x in o if x.text and (x.quoted or x.text not in ("0", "false"))], s))

wrong("k14", "java.net.URI with several arguments quotes each percent sign, so the escaped query of a bucket request is escaped again (%2520)", "bucket-request",
      bucket_target=lambda query: "/?" + query.replace("%", "%25"))


def _key_in_map(given, keys):
    ordered, signature = _complete(given, keys)
    return ordered + [b.Leaf("PrivateKey", keys["privateKey"], True)], signature


wrong("k15", "The private key was put into the map of parameters for signing and is not taken out, so it is sent as PrivateKey", SENT, complete=_key_in_map)

# ------------------------------------------------------------------ escapes, password

wrong("k16", "encodeURIComponent with the known fix c.charCodeAt(0).toString(16) for ! ' ( ) *, so an asterisk is %2a with a lower-case digit", ESCAPES,
      percent=lambda t: _percent(t).replace("%2A", "%2a"))

wrong("k17", "url.PathEscape of Go is used everywhere, also in queries: $ & + = : @ are not escaped", ESCAPES,
      percent=lambda t: urllib.parse.quote(b.utf8(t), safe="-_.~$&+=:@"))

wrong("k18", "A text that holds a valid escape anywhere (100%25, %41) counts as encoded and is returned whole as it is, with its blanks and all", ESCAPES,
      percent=lambda t: t if b.utf8(t) and re.search("%[0-9A-Fa-f]{2}", t) else _percent(t))

wrong("k19", "Encoding.Unicode.GetBytes of C#: the password is encoded from UTF-16 (little-endian), not UTF-8", "password",
      password_text=lambda t: base64.b64encode(t.encode("utf-16-le") if b.utf8(t) else b"").decode())

wrong("k20", "btoa(encodeURIComponent(text)) without unescape: a password with a blank, with @ # % or beyond ASCII is escaped before it is encoded", "password",
      password_text=lambda t: base64.b64encode(urllib.parse.quote(b.utf8(t), safe="-_.~!*'()").encode()).decode())

# ------------------------------------------------------------------ extra headers

wrong("k21", "OrderBy of .NET compares names by culture, which skips hyphens: x-svc-aa comes before x-svc-a-b", FILE,
      sort_groups=lambda gs: sorted(gs, key=lambda g: (g[0].replace("-", ""), g[0])))

wrong("k22", "Natural order of extra headers (strnatcmp): x-svc-meta-9 comes before x-svc-meta-10", FILE,
      sort_groups=lambda gs: sorted(gs, key=lambda g: [(0, int(p), "") if re.fullmatch("[0-9]+", p) else (1, 0, p)
                                                       for p in re.split("([0-9]+)", g[0]) if p]))


def _first_and_last(pairs):
    groups = {}
    for name, value in pairs:
        groups[name] = [groups[name][0], value] if name in groups else [value]
    return list(groups.items())


wrong("k23", "merged[name] = first[name] + ',' + value: of three or more extra headers of one name only the first and the last are signed", FILE,
      merge=_first_and_last)

wrong("k24", "Values are trimmed before they are unfolded, so an extra header whose first line is empty is signed with a space at its start", FILE,
      extra_value=lambda v: b.check_value(b.unfold(b.trim(v))))


def _latin(text):
    raw = b.utf8(text)
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return raw


wrong("k25", "A string to sign whose characters all fit into ISO-8859-1 is hashed in that charset (one byte for \u00e9), any other one as UTF-8", FILE, file_bytes=_latin)

wrong("k26", "The pattern for extra headers, ^x-svc-[a-z-]+$, knows no digits, so one with a digit in its name is not signed", FILE,
      is_extra=lambda n, d: re.fullmatch(re.escape(b.extra_prefix(d)) + "[a-z-]+", n.lower()) is not None)

wrong("k27", "An extra header with an empty value is signed without its colon (the colon is added together with the value)", FILE,
      entry=lambda name, values: name + (":" + b.join_values(values) if b.join_values(values) else "") + "\n")


def _if_merged(values):
    out = ""
    for value in values:
        out = out + "," + value if out else value
    return out


wrong("k28", "if (merged) merged += ',': an empty first value of a repeated extra header leaves no comma", FILE, join_values=_if_merged)

wrong("k29", "size() > 1 instead of size() > 0: the extra headers are left out if there is just one", FILE,
      canonical_headers=lambda hs, d: _canonical_headers(hs, d) if len(b.extra_pairs(hs, d)) > 1 else "")

# ------------------------------------------------------------------ positional headers


def _post_type(headers, method):
    value = _positional(headers, "content-type")
    return "application/x-www-form-urlencoded" if method == "POST" and not b.find(headers, "content-type") else value


wrong("k30", "A POST without Content-Type is signed with application/x-www-form-urlencoded, the default of the HTTP library", HEADER, content_type=_post_type)

wrong("k31", "Content-Type is signed in lower case, also its parameters (charset=UTF-8, a boundary)", POSITIONAL,
      content_type=lambda h, m: _positional(h, "content-type").lower(), form_type=lambda h, fs: _form_type(h, fs).lower())


def _parsed_date(headers, method):
    value = _positional(headers, "date")
    try:
        return value if email.utils.parsedate(value) else ""
    except (ValueError, IndexError, TypeError):
        return ""


wrong("k32", "Date is a property of a date type: one that is no HTTP date, such as 20240131235959, is null and signed as an empty line", POSITIONAL, date=_parsed_date)

wrong("k33", "Headers are kept as texts name=value and split again, so each value ends before its first equals sign (a Content-MD5 loses its ==)", FILE,
      positional_value=lambda v: _header_value(v).split("=")[0], extra_value=lambda v: _header_value(v).split("=")[0])

# ------------------------------------------------------------------ resource, HMAC

wrong("k34", "if (key.startsWith(\"/\")) key = key.substring(1): a slash at the key's start is not signed", FILE,
      resource_key=lambda k: k[1:] if k.startswith("/") else k)


def _directory(method, bucket, key, headers, dialect):
    if b.verb(method) == "PUT" and key.endswith("/") and not b.find(headers, "content-type"):
        headers = headers + [("Content-Type", "application/x-directory")]
    return _header_text(method, bucket, key, headers, dialect)


wrong("k35", "A PUT of a key that ends in a slash is signed with the type application/x-directory if it has no Content-Type", HEADER, header_text=_directory)

wrong("k36", "URI.toASCIIString: characters beyond ASCII in the key are signed percent-encoded (after NFC), blanks and all the rest as they are", FILE,
      resource_key=lambda k: "".join(c if c < "\x80" else "".join("%%%02X" % x for x in b.utf8(c)) for c in unicodedata.normalize("NFC", k)))

wrong("k37", "snprintf into a buffer of 256 bytes: /bucket/key is cut after 255 bytes", FILE,
      resource=lambda bucket, key: b.utf8(_resource(bucket, key))[:255].decode("utf-8", "ignore"))

wrong("k38", "A private key longer than 64 bytes is replaced by the hexadecimal digits of its SHA-1 instead of the 20 bytes", FILE,
      file_key=lambda k: hashlib.sha1(b.utf8(k)).hexdigest().encode() if len(b.utf8(k)) > 64 else b.utf8(k))

# ------------------------------------------------------------------ forms, policies, instant upload


def _form_date(given, headers, dialect):
    b.check_bucket(given["bucket"])
    when = b.date(headers, "POST") or "".join(b.form_fields(given["fields"], "Date")[:1])
    return b.lines("POST", b.form_md5(headers, given["fields"]), b.form_type(headers, given["fields"]), when,
                   b.canonical_headers(headers, dialect), b.resource(given["bucket"], given["key"]))


wrong("k39", "Without a header Date, the form field Date is signed, as with Content-MD5", "form-authorization", form_text=_form_date)

wrong("k40", "Values of the policy that look like numbers are written without quotes (JSON_NUMERIC_CHECK)", "policy",
      policy_json=lambda ms: "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + (
          v if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", v) else json.dumps(v, ensure_ascii=False)) for n, v in ms) + "}")

wrong("k41", "A struct without json tags: the members of the policy begin with a capital (CallbackUrl)", "policy",
      policy_json=lambda ms: _policy_json([(n[:1].upper() + n[1:], v) for n, v in ms]))

wrong("k42", "A policy in the standard alphabet is sent in the URL-safe one, but signed as it was given", "policy-authorization",
      policy_credentials=lambda value, policy: value + ":" + policy.replace("+", "-").replace("/", "_") if policy else value)

wrong("k43", "number_format: FileSize has commas between its thousands from 1000 on", "instant-upload",
      hit_target=lambda e, k, s: "/uploadhit?Hash=" + _percent(e) + "&FileName=" + _percent(k) + "&FileSize="
      + _percent("{:,}".format(int(s)) if re.fullmatch("[0-9]{1,30}", s) else s))


def _hit_with_query(given, keys, dialect):
    target = b.hit_target(given["etag"], given["key"], given["size"])
    text = b.sign_given(given, b.read_headers(given["headers"]), dialect, b.hit_method(), given["key"] + target[len("/uploadhit"):])
    return {"target": target, "authorization": b.credentials(keys["publicKey"], b.file_signature(text, keys), dialect)}


wrong("k44", "The query of an instant upload counts as a sub-resource: ?Hash=...&FileName=...&FileSize=... is signed after the key", "instant-upload",
      op_instant=_hit_with_query)

# ------------------------------------------------------------------ presigned URLs

wrong("k45", "The URL library merges double slashes of the path, so a key like a//b or /a is addressed as a/b or a, though signed as given", "presigned-url",
      url_path=lambda k: _url_path(re.sub("/+", "/", k).lstrip("/")))


def _hoisted(given, keys, dialect):
    headers = b.read_headers(given["headers"])
    text = b.presign_text(given, [h for h in headers if not b.is_extra(h[0], dialect)], dialect)
    query = b.url_query(b.url_public_key(keys["publicKey"]), b.percent(b.url_expires(given["expires"])),
                        b.url_signature(b.file_signature(text, keys)), dialect)
    extra = b.sort_groups(b.merge(b.extra_pairs(headers, dialect)))
    return {"url": b.url_start(given["scheme"], given["bucket"], given["fileHost"]) + b.url_path(given["key"]) + "?"
            + "&".join([query] + [b.percent(n) + "=" + b.percent(b.join_values(vs)) for n, vs in extra])}


wrong("k46", "Amazon's hoisting: extra headers of a presigned URL become parameters of its query and are not signed", "presigned-url", op_presign=_hoisted)

# ------------------------------------------------------------------ ETag

wrong("k47", "Math.round(size / 4 MiB) instead of ceil: the count is one too small if the last block is less than half full (never below 1)", "etag",
      block_count=lambda data, blocks: max(1, math.floor(len(data) / b.BLOCK + 0.5)) if len(data) else 0)

wrong("k48", "char c = getc(f), compared with EOF: the first byte 0xFF ends the file", "etag, part-etag",
      content_bytes=lambda c: _content_bytes(c).split(b"\xff")[0])

# ------------------------------------------------------------------ verifiers: Authorization

wrong("k49", "The loop that compares runs over the length of the right signature only, so further characters after it are accepted", V_ALL,
      equal=lambda e, g: g.startswith(e))

wrong("k50", "The router turns a HEAD into a GET before the signature is verified, so a good HEAD is a mismatch", V_AUTH,
      verify_header_text=lambda g, hs, d: b.header_text("GET" if g["method"].upper() == "HEAD" else g["method"], g["bucket"], g["key"], hs, d))


def _lenient_policy(policy):
    try:
        plain = re.sub("[^A-Za-z0-9+/]", "", policy.replace("-", "+").replace("_", "/"))
        return isinstance(json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4)).decode()), dict)
    except (ValueError, RecursionError):
        return False


wrong("k51", "The decoder for the policy skips characters that are no Base64 (b64decode without validate), so such a third part passes", V_AUTH,
      policy_ok=_lenient_policy)

wrong("k52", "The router gives the path / for an empty key, so a good request for the bucket itself is verified with the resource /bucket//", V_AUTH,
      verify_header_text=lambda g, hs, d: b.header_text(g["method"], g["bucket"], g["key"] or "/", hs, d))


def _md5_checked(given, headers, dialect):
    text = _header_text(given["method"], given["bucket"], given["key"], headers, dialect)
    value = b.content_md5(headers, given["method"])
    if value:
        try:
            good = len(base64.b64decode(value, validate=True)) == 16
        except ValueError:
            good = False
        if not good:
            raise b.No("header-value", "Content-MD5 is no digest")
    return text


wrong("k53", "A Content-MD5 that is no Base64 of 16 bytes, such as hexadecimal digits, is refused", V_AUTH, verify_header_text=_md5_checked)


def _public_read(given, keys, dialect):
    if given["method"].upper() in ("GET", "HEAD") and not b.find(b.read_headers(given["headers"]), "authorization"):
        return {"publicKey": keys["publicKey"]}
    return _verify_authorization(given, keys, dialect)


wrong("k54", "A GET or HEAD without Authorization is accepted, since the bucket may be public", V_AUTH, verify_authorization=_public_read)

# ------------------------------------------------------------------ verifiers: presigned URLs


def _one_week(now, expires):
    _check_expiry(now, expires)
    if int(expires) - int(now) > 604800:
        raise b.No("expires-malformed", "more than seven days")


wrong("k55", "Amazon's limit: a URL that is valid for more than seven days from now is refused", V_URL, check_expiry=_one_week)


def _ten_digits(expires):
    if not re.fullmatch("[0-9]{10}", expires):
        raise b.No("expires-malformed", "not ten digits")
    return int(expires)


wrong("k56", "The expiry must have exactly ten digits, so 0 and 999999999 are malformed instead of expired, and a later 253402300800 too", V_URL, expires_seconds=_ten_digits)


def _https_only(url, file_host):
    if not url.startswith("https:"):
        raise b.No("url-malformed", "not https")
    return _split_url(url, file_host)


wrong("k57", "Only https URLs are accepted", V_URL, split_url=_https_only)

wrong("k58", "The port is taken off the URL's host before it is compared, so no URL is accepted if the file host has a port, and any port if it has none", V_URL,
      check_host=lambda h, f: _check_host(re.sub(":[0-9]*$", "", h), f))


def _with_names(test):
    def verify(given, keys, dialect):
        wanted = [dialect["publicKeyParameter"], "Expires", "Signature"]
        test([n for n, _ in b.read_query(b.split_url(given["url"], given["fileHost"])[2])], wanted)
        return _verify_url(given, keys, dialect)
    return verify


def _in_order(names, wanted):
    found = [n for n in names if n in wanted]
    if set(found) == set(wanted) and found != wanted:
        raise b.No("query-malformed", "not the known form")


wrong("k59", "A regular expression takes the query apart, so the public key, Expires and Signature must come in this order", V_URL, verify_url=_with_names(_in_order))


def _no_others(names, wanted):
    if set(names) - set(wanted):
        raise b.No("query-malformed", "an unknown parameter")


wrong("k60", "A further parameter in the query of a presigned URL (response-content-type, a tracking id) is refused as malformed", V_URL, verify_url=_with_names(_no_others))

wrong("k61", "decodeURI instead of decodeURIComponent: the escapes of ; / ? : @ & = + $ , # in the path stay, so keys with these do not match", V_URL,
      key_of_path=lambda p: b.unpercent(re.sub("%(?=3B|2F|3F|3A|40|26|3D|2B|24|2C|23)", "%25", p, flags=re.I), "url-malformed"))

wrong("k62", "The key of the URL is normalised to NFC before it is verified, so one with a decomposed accent does not match", V_URL,
      key_of_path=lambda p: unicodedata.normalize("NFC", b.unpercent(p, "url-malformed")))

# ------------------------------------------------------------------ verifiers: parameters


def _raw_order(given, keys, dialect):
    pairs = b.read_query("&".join(sorted(given["query"].split("&"))))
    b.check_query_repeated([n for n, _ in pairs])
    signature = b.signature_of(pairs)
    if not signature:
        raise b.No("signature-missing", "no Signature")
    kept = b.without_signature(b.flatten([list(p) for p in pairs]))
    b.verify_need(kept)
    b.check_account([x.text for x in kept if x.name == "PublicKey"][0], keys)
    if not b.equal_hex(b.sign_leaves(kept, keys), signature):
        raise b.No("signature-mismatch", "not the signature of these parameters")
    return {"publicKey": keys["publicKey"]}


wrong("k63", "Sorts the raw pieces name=value of the query before decoding them, so Name.0 or Name2 comes before Name", V_QUERY, verify_query=_raw_order)


def _of_pairs(change):
    """verify_query with other pairs, without touching verify-presigned-url."""
    def verify(given, keys, dialect):
        pairs = change(given["query"])
        b.check_query_repeated([n for n, _ in pairs])
        return b.verify_parameters([list(p) for p in pairs], b.signature_of(pairs), keys)
    return verify


def _cast(query):
    return [(n, _number_text(v) if n != "Signature" and re.fullmatch(r"-?(0|[1-9][0-9]{0,20})\.[0-9]{1,20}", v) else v) for n, v in _read_query(query)]


wrong("k64", "Values of the query that look like decimal numbers are read as numbers, so the version 1.10 is verified as 1.1", V_QUERY, verify_query=_of_pairs(_cast))


def _cut(query):
    head, mark, tail = query.partition("&Signature=")
    return _read_query(head + mark + tail.split("&")[0])


wrong("k65", "The signed part is the query up to &Signature=, so parameters after the signature are accepted unsigned", V_QUERY, verify_query=_of_pairs(_cut))


def _decode_first(query):
    pieces = b.query_decode(query).split("&")
    return [(p.partition("=")[0], p.partition("=")[2]) for p in pieces if p]


wrong("k66", "The whole query is decoded before it is split, so an escaped & in a value begins another parameter", V_QUERY, verify_query=_of_pairs(_decode_first))

wrong("k67", "Values of the query are decoded twice (by the framework and again by the verifier), so a value with an escape in its text, like 100%25, is a mismatch", V_QUERY,
      verify_query=_of_pairs(lambda q: [(n, urllib.parse.unquote(v)) for n, v in _read_query(q)]))

wrong("k68", "An XSS filter removes what looks like a tag (<...>) from texts before they are verified", V_PARAM,
      verify_prepare=lambda ps: _prepare([[n, re.sub("<[^<>]*>", "", v) if isinstance(v, str) else v] for n, v in ps]))


def _net_dates(body):
    def change(value):
        m = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?", value, re.A) if isinstance(value, str) else None
        return "%s/%s/%s %s" % (m[2], m[3], m[1], m[4]) if m else value
    return [[n, change(v)] for n, v in _read_json(body)]


wrong("k69", "Json.NET reads a text in the form of an ISO time (2024-01-31T23:59:59Z) as a DateTime, which is verified as 01/31/2024 23:59:59", V_JSON, read_json=_net_dates)

wrong("k70", "Only plain members of the body are verified: lists and objects are left out, so they need not be signed and good bodies with them are a mismatch", V_JSON,
      read_json=lambda body: [[n, v] for n, v in _read_json(body) if not (isinstance(v, dict) and ("list" in v or "object" in v))])
