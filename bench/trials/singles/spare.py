"""Blind trial (surplus of third.py): single wrong mistakes; each entry replaces one or a few functions of base.py."""
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

wrong("j01", "The comparison for qsort looks at the first 16 bytes of a name only; longer common beginnings stay in the given order", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: b.utf8(x.name)[:16]))


def _ksort(left, right):
    digits = "0|[1-9][0-9]*"
    if re.fullmatch(digits, left.name) and re.fullmatch(digits, right.name):
        return int(left.name) - int(right.name)
    one, two = b.utf8(left.name), b.utf8(right.name)
    return (one > two) - (one < two)


def _sort_then_flatten(parameters):
    kept = b.without_signature(b.flatten(sorted(parameters, key=lambda pair: b.utf8(pair[0]))))
    b.check_repeated([x.name for x in kept])
    return kept

wrong("j02", "Sorts from the greatest name to the least when names differ in length only (comparison falls back to longer first)", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: b.utf8(x.name) + b"\xff"))

# ------------------------------------------------------------------ parameters: lists, objects, booleans, texts


def _ruby_flatten(items):
    out = []
    for item in items:
        out += _ruby_flatten(item["list"]) if isinstance(item, dict) and "list" in item else [item]
    return out


def _str_booleans(name, items):
    out = []
    for index, item in enumerate(items):
        if item is True or item is False:
            out.append(b.Leaf(b.item_name(name, index), str(item), False))
        else:
            out += b.leaves(b.item_name(name, index), item)
    return out

wrong("j03", "An empty list is kept as a parameter with the empty text", ACTION,
      list_leaves=lambda name, items: _list_leaves(name, items) if items else [b.Leaf(name, "", True)])

wrong("j04", "Members of an object are joined with an index of their position instead of their name", ACTION,
      object_leaves=lambda name, members: [leaf for i, (_, item) in enumerate(members) for leaf in b.leaves(name + "." + str(i), item)])

wrong("j05", "Objects inside lists get the member's name first and the index after it: Disk.Size.0 instead of Disk.0.Size", ACTION,
      list_leaves=lambda name, items: [leaf for i, item in enumerate(items) for leaf in (
          [x for m, v in item["object"] for x in b.leaves(name + "." + m + "." + str(i), v)]
          if isinstance(item, dict) and "object" in item else b.leaves(b.item_name(name, i), item))])

wrong("j06", "The texts True, TRUE and FALSE are taken for booleans and written in lower case", ACTION,
      string_text=lambda v: v.lower() if v.lower() in ("true", "false") else v)

wrong("j07", "The signed value ends at its first NUL character (strcat); the sent value is whole", ACTION,
      signed_value=lambda x: x.text.split("\0")[0])

wrong("j08", "Leaves out every flattened parameter whose last piece is Signature, also within objects", ACTION,
      unsigned_name=lambda name: name.split(".")[-1] == "Signature")

wrong("j09", "A helper for common parameters drops Region from the signed text when it is empty", ACTION,
      signed_pair=lambda x: "" if x.name == "Region" and not x.text else x.name + x.text)


def _more_passwords(parameters):
    out = _flatten(parameters)
    for x in out:
        if x.name.endswith("Password") and x.name != "Password" and x.quoted:
            x.text = base64.b64encode(b.utf8(x.text)).decode()
    return out

wrong("j10", "Values are escaped for HTML before they are signed (a template's default), so & < > and quotes change", ACTION,
      signed_value=lambda x: x.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;"))

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

def _six(written):
    text = _number_text(written)
    return _number_text(format(Decimal(text).quantize(Decimal("0.000001"), context=Context(prec=9000)), "f")) if "." in text else text


wrong("j11", "Formats numbers with %f and strips zeros, so a fraction ends after six digits", ACTION, number_text=_six)


def _js_small(written):
    text = _number_text(written)
    value = Decimal(text)
    if value and abs(value) < Decimal("0.000001"):
        digits = value.normalize().as_tuple()
        figures = "".join(map(str, digits.digits))
        return ("-" if digits.sign else "") + figures[0] + ("." + figures[1:] if figures[1:] else "") + "e" + str(value.adjusted())
    return text

wrong("j12", "A negative number with a fraction between 0 and -1 loses its sign (the whole part is formatted as the integer 0)", ACTION,
      number_text=lambda w: re.sub(r"^-0\.", "0.", _number_text(w)))

wrong("j13", "A decimal comma: numbers with a fraction are formatted in the locale de_DE when signed", "action-signature, action-json, action-query, bucket-request, verify-json",
      signed_value=lambda x: x.text if x.quoted else x.text.replace(".", ","))

# ------------------------------------------------------------------ JSON body, query

wrong("j14", "The JSON writer drops control characters other than tab, CR and LF from texts", "action-json",
      json_leaf=lambda x: json.dumps(re.sub("[\0-\x08\x0b\x0c\x0e-\x1f]", "", x.text)) if x.quoted else x.text)

wrong("j15", "Member names of the JSON body begin with a lower-case letter (a camelCase serializer), Signature excepted", "action-json",
      json_text=lambda o, s: "{" + ", ".join([json.dumps(x.name[:1].lower() + x.name[1:] if x.name not in ("PublicKey",) else x.name) + ": " + _json_leaf(x) for x in o]
                                             + ['"Signature": ' + json.dumps(s)]) + "}")

wrong("j16", "Dots in names are escaped as %2E in the query", QUERY,
      query_name=lambda name: _percent(name).replace(".", "%2E"))

wrong("j17", "Parameters with an empty value are sent as bare names without the equals sign", QUERY,
      query_text=lambda o, s: "&".join([_percent(x.name) + ("=" + _percent(x.text) if x.text else "") for x in o] + ["Signature=" + s]))

wrong("j18", "The names of parameters go into the query as they are; only the values are escaped", QUERY,
      query_name=lambda name: name)

wrong("j19", "Bucket requests reuse the form encoder: a space in a value is + (action-query is right)", "bucket-request",
      bucket_target=lambda query: "/?" + query.replace("%20", "+"))

wrong("j20", "Query values of more than 255 bytes are cut (a column of the log table shared its limit) after signing", QUERY,
      query_value=lambda x: b.utf8(x.text)[:255].decode("utf-8", "ignore") and _percent(b.utf8(x.text)[:255].decode("utf-8", "ignore")))

# ------------------------------------------------------------------ password, digest of parameters

wrong("j21", "The password is normalised (NFKC, as SASLprep does) before it is encoded", "password",
      password_text=lambda t: base64.b64encode(b.utf8(unicodedata.normalize("NFKC", t))).decode())

wrong("j22", "An empty password is encoded as the Base64 of one NUL (the terminator is counted)", "password",
      password_text=lambda t: base64.b64encode(b.utf8(t) or b"\0").decode())

wrong("j23", "The text is hashed as 'binary': the low byte of each character", ACTION,
      action_bytes=lambda t: b.utf8(t) and bytes(ord(c) & 255 for c in t))

wrong("j24", "The signed text is normalised to NFC before the SHA-1 (a String type that normalises)", ACTION,
      action_bytes=lambda t: b.utf8(unicodedata.normalize("NFC", t)))

wrong("j25", "A final line break is added by echo before sha1sum when the request has a value with a space", ACTION,
      action_bytes=lambda t: b.utf8(t) + (b"\n" if " " in t else b""))

# ------------------------------------------------------------------ percent-encoding


def _first_only(text):
    out = urllib.parse.quote(b.utf8(text), safe="-_.~!'()*")
    for c in "!'()*":
        out = out.replace(c, "%%%02X" % ord(c), 1)
    return out

wrong("j26", "The escaped text is written into a buffer of 1024 bytes with snprintf and cut there", ESCAPES,
      percent=lambda t: _percent(t)[:1023])

wrong("j27", "The escape for the space was special-cased, and so the no-break space U+00A0 becomes %20 too", ESCAPES,
      text_bytes=lambda t: b.utf8(t.replace("\u00a0", " ")))

wrong("j28", "Byte 0x7F (DEL) counts as safe, since the test is c > 126", ESCAPES,
      safe_byte=lambda c: (chr(c).isalnum() and c < 128) or c in b"-_.~\x7f")

# ------------------------------------------------------------------ extra headers

wrong("j29", "Knows two spellings of the prefix, as documented and lower-case; X-SVC-FOO is not signed", FILE,
      is_extra=lambda n, d: n.startswith((d["headerPrefix"], d["headerPrefix"].lower())))

wrong("j30", "Any header whose name contains the prefix is signed (indexOf >= 0), such as Old-X-Svc-Foo", FILE,
      is_extra=lambda n, d: b.extra_prefix(d) in n.lower())

_last_index = [0]


def _global_regexp(name, dialect):
    prefix = b.extra_prefix(dialect)
    if _last_index[0] == 0 and name.lower().startswith(prefix):
        _last_index[0] = len(prefix)
        return True
    _last_index[0] = 0
    return False


def _merge_first(headers, dialect):
    groups = {}
    for name, value in headers:
        if b.is_extra(name, dialect):
            groups.setdefault(name, []).append(b.extra_value(value))
    return "".join(n.lower() + ":" + ",".join(v) + "\n" for n, v in sorted(groups.items(), key=lambda g: g[0].lower()))


def _sort_first(headers, dialect):
    pairs = sorted([(n, b.extra_value(v)) for n, v in headers if b.is_extra(n, dialect)], key=lambda p: p[0])
    return "".join(n + ":" + ",".join(v) + "\n" for n, v in b.merge([(n.lower(), v) for n, v in pairs]))

wrong("j31", "Sorts the finished lines, so x-svc-a-b comes before x-svc-a", FILE,
      sort_groups=lambda gs: sorted(gs, key=lambda g: g[0] + ":" + ",".join(g[1])))

wrong("j32", "The values of a repeated extra header are sorted before they are joined", FILE, join_values=lambda vs: ",".join(sorted(vs)))

wrong("j33", "Equal values of a repeated extra header are joined once (a set)", FILE, join_values=lambda vs: ",".join(dict.fromkeys(vs)))

wrong("j34", "Unfolding replaces the line break and the blanks after it, but keeps blanks before it", FILE,
      extra_value=lambda v: re.sub(r"\r?\n[ \t]+", " ", v).strip(" \t"))

wrong("j35", "Unfolding looks for CR LF only; a fold with LF alone is dropped together with what follows", FILE,
      extra_value=lambda v: re.sub(r"[ \t]*\r\n[ \t]+", " ", v).split("\n")[0].strip(" \t"))

wrong("j36", "Tabs inside an extra header's value become spaces", FILE, extra_value=lambda v: _header_value(v).replace("\t", " "))

wrong("j37", "Double quotes around an extra header's value are removed", FILE,
      extra_value=lambda v: (lambda t: t[1:-1] if len(t) > 1 and t[0] == t[-1] == '"' else t)(_header_value(v)))

wrong("j38", "Trims extra values on the left only (after the colon) and keeps blanks at the end", FILE,
      extra_value=lambda v: b.unfold(v).lstrip(" \t"))

# ------------------------------------------------------------------ positional headers, verb

wrong("j39", "Content-Type is signed without its parameters (getMimeType), so ; charset=utf-8 is missing", POSITIONAL,
      content_type=lambda h, m: _positional(h, "content-type").split(";")[0].rstrip(" \t"))

wrong("j40", "Content-MD5 is signed in lower case (hexadecimal digests were expected)", POSITIONAL,
      content_md5=lambda h, m: _positional(h, "content-md5").lower())


def _gmt(headers, method):
    value = _positional(headers, "date")
    try:
        stamp = email.utils.mktime_tz(email.utils.parsedate_tz(value))
        return email.utils.formatdate(stamp, usegmt=True)
    except (TypeError, ValueError, OverflowError, IndexError):
        return value

wrong("j41", "Content-MD5 is signed for PUT only", POSITIONAL,
      content_md5=lambda h, m: _positional(h, "content-md5") if m == "PUT" else "")

wrong("j42", "Last-Modified is signed when there is no Date", POSITIONAL,
      date=lambda h, m: _positional(h, "date") or next((_header_value(v) for n, v in h if n.lower() == "last-modified"), ""))

wrong("j43", "Only GET, PUT, POST, HEAD and DELETE are upper-cased; patch and options are signed as given", FILE,
      verb=lambda m: m.upper() if m.upper() in ("GET", "PUT", "POST", "HEAD", "DELETE") else m)

# ------------------------------------------------------------------ resource, string to sign, digest

wrong("j44", "The key goes through a URL parser, so the signed key ends before its first #", FILE, resource_key=lambda k: k.split("#")[0])

wrong("j45", "The bucket in the resource is in lower case, as in a host name", FILE, resource_bucket=lambda x: x.lower())

wrong("j46", "Backslashes of the key are signed as slashes", FILE, resource_key=lambda k: k.replace("\\", "/"))

wrong("j47", "With an empty key the resource has no slash after the bucket", FILE,
      resource=lambda bucket, key: "/" + bucket + ("/" + key if key else ""))

wrong("j48", "Without any extra header an empty line stands in their place", FILE,
      lines=lambda method, md5, mime, when, extra, res: _lines(method, md5, mime, when, extra or "\n", res))

wrong("j49", "Content-MD5 and Content-Type change places when both are there", FILE,
      lines=lambda method, md5, mime, when, extra, res: _lines(method, mime, md5, when, extra, res) if md5 and mime
      else _lines(method, md5, mime, when, extra, res))

_stream = {}


def _never_reset(key, message):
    mac = _stream.setdefault(key, hmac.new(key, b"", hashlib.sha1))
    mac.update(message)
    return mac.digest()


def _hex_policy(given, keys, dialect):
    text = b.sign_given(given, b.read_headers(given["headers"]), dialect, given["method"], given["key"])
    digest = b.file_digest(b.file_key(keys["privateKey"]), b.file_bytes(b.policy_text(text, given["policy"])))
    signature = base64.b64encode(digest.hex().encode()).decode()
    return {"authorization": b.policy_credentials(b.credentials(keys["publicKey"], signature, dialect), given["policy"])}

# ------------------------------------------------------------------ forms, policies, instant upload

wrong("j50", "A form is signed with the verb PUT, copied from the upload", "form-authorization", form_method=lambda: "PUT")

wrong("j51", "Form fields are found regardless of case, so a field content-type is signed", "form-authorization",
      form_fields=lambda fs, w: [v for n, v in fs if n.lower() == w.lower()])


def _form_extra(given, headers, dialect):
    b.check_bucket(given["bucket"])
    more = headers + [(n, v) for n, v in given["fields"] if b.is_extra(n, dialect)]
    return b.lines("POST", b.form_md5(headers, given["fields"]), b.form_type(headers, given["fields"]),
                   b.date(headers, "POST"), b.canonical_headers(more, dialect), b.resource(given["bucket"], given["key"]))


def _form_no_date(given, headers, dialect):
    b.check_bucket(given["bucket"])
    return b.lines("POST", b.form_md5(headers, given["fields"]), b.form_type(headers, given["fields"]),
                   "", b.canonical_headers(headers, dialect), b.resource(given["bucket"], given["key"]))

wrong("j52", "The line of Date is always empty for forms, as browsers cannot send it", "form-authorization", form_text=_form_no_date)

wrong("j53", "The policy has no padding (rtrim of =)", "policy", policy_base64=lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="))

wrong("j54", "Members of the policy with an empty value are left out (omitempty)", "policy",
      policy_json=lambda ms: "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in ms if v) + "}")


def _is_json_object(value):
    try:
        return isinstance(json.loads(value), dict)
    except (ValueError, RecursionError):
        return False


def _plain_policy(text, policy):
    try:
        return text + base64.urlsafe_b64decode(policy.replace("+", "-").replace("/", "_") + "===").decode()
    except ValueError:
        return text + policy

wrong("j55", "The policy is percent-encoded when it is put into the header, so = becomes %3D", "policy-authorization",
      policy_credentials=lambda value, policy: value + ":" + _percent(policy))

wrong("j56", "Hash is turned into the standard Base64 alphabet before it is escaped", "instant-upload",
      hit_target=lambda e, k, s: "/uploadhit?Hash=" + _percent(e.replace("-", "+").replace("_", "/")) + "&FileName=" + _percent(k)
      + "&FileSize=" + _percent(s))

wrong("j57", "FileName in the target is the last piece of the key only", "instant-upload",
      hit_target=lambda e, k, s: "/uploadhit?Hash=" + _percent(e) + "&FileName=" + _percent(k.rsplit("/", 1)[-1]) + "&FileSize=" + _percent(s))

# ------------------------------------------------------------------ presigned URLs

wrong("j58", "Expires beyond January 2038 is set to 2147483647 (32-bit time_t)", "presigned-url",
      presign_expires=lambda e: str(min(int(e), 2147483647)) if re.fullmatch("[0-9]+", e) else e,
      url_expires=lambda e: str(min(int(e), 2147483647)) if re.fullmatch("[0-9]+", e) else e)

wrong("j59", "The signature in the URL is escaped with the slash as a safe character (quote's default)", "presigned-url",
      url_signature=lambda s: urllib.parse.quote(s))

wrong("j60", "The escapes of the URL's signature have lower-case digits (%2b, %3d)", "presigned-url",
      url_signature=lambda s: _percent(s).replace("%2B", "%2b").replace("%2F", "%2f").replace("%3D", "%3d"))

wrong("j61", "Escapes found in the key are left alone in the path, so the key 100%25 is addressed as 100%", "presigned-url",
      url_path=lambda k: "/".join(re.sub("%25([0-9A-Fa-f]{2})", r"%\1", _percent(p)) for p in k.split("/")))

_urls = {}
_op_presign = b.op_presign


def _cached_url(given, keys, dialect):
    known = (keys["publicKey"], keys["privateKey"], given["method"], given["bucket"], given["key"], given["fileHost"], given["scheme"],
             json.dumps(given["headers"]))
    if known not in _urls:
        _urls[known] = _op_presign(given, keys, dialect)
    return _urls[known]

# ------------------------------------------------------------------ ETag

wrong("j62", "The hash over the blocks covers the hexadecimal texts of their hashes", "etag",
      hash_hashes=lambda blocks: hashlib.sha1(b"".join(hashlib.sha1(x).hexdigest().encode() for x in blocks)).digest())


def _leftover(blocks):
    buffer, out = b"", []
    for block in blocks:
        buffer = bytes(block) + buffer[len(block):]
        out.append(hashlib.sha1(buffer).digest())
    return hashlib.sha1(b"".join(out)).digest()

wrong("j63", "The file is read in text mode: CR LF becomes LF", "etag, part-etag",
      content_bytes=lambda c: _content_bytes(c).replace(b"\r\n", b"\n"))

wrong("j64", "An empty file counts as one block", "etag", block_count=lambda data, blocks: max(1, len(blocks)))

wrong("j65", "An empty part has an empty ETag", "part-etag", part_raw=lambda data: hashlib.sha1(data).digest() if data else b"")

# ------------------------------------------------------------------ verifiers: comparison, account, Authorization


def _unknown():
    raise b.No("public-key-unknown", "unknown")


def _late():
    raise b.No("expired", "too late")


def _other_host():
    raise b.No("url-malformed", "another host")


def _decoded(text):
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/") + "===")
    except ValueError:
        return text

wrong("j66", "Padding at the end of the signature is not compared", V_FILE, equal=lambda e, g: e.rstrip("=") == g.rstrip("="))

wrong("j67", "Blanks and line breaks around the signature of parameters are ignored", V_PARAM, equal_hex=lambda e, g: e == g.strip())

wrong("j68", "Blanks at the end of a public key are ignored (SQL comparison of CHAR)", V_ALL,
      check_account=lambda p, k: None if p.rstrip(" ") == k["publicKey"].rstrip(" ") else _unknown())


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

wrong("j69", "Of two Authorization headers the last is taken (a dictionary)", V_AUTH, find_authorization=_last_authorization)

wrong("j70", "The scheme is not looked at: whatever stands before the first space", V_AUTH, scheme_ok=lambda s, d: True)

wrong("j71", "Parts after the third are ignored", V_AUTH, split_credentials=lambda rest: _split_credentials(":".join(rest.split(":")[:3])))

wrong("j72", "Everything after a comma or a blank behind the signature is cut off, as with parameters of other schemes", V_AUTH,
      split_credentials=lambda rest: _split_credentials(re.split(r"[, \t]", rest)[0]))

wrong("j73", "A policy is accepted with PUT only, so a POST with one is malformed", V_AUTH, policy_method_ok=lambda m: m.upper() == "PUT")


def _any_json(policy):
    try:
        json.loads(base64.urlsafe_b64decode(policy.replace("+", "-").replace("/", "_") + "===").decode())
        return True
    except (ValueError, RecursionError):
        return False

wrong("j74", "A policy is checked but left out of the text whose signature is compared", V_AUTH, verify_policy_text=lambda text, policy: text)


def _seen_headers(change):
    def text(given, headers, dialect):
        return b.header_text(given["method"], given["bucket"], given["key"], change(headers, dialect), dialect)
    return text

wrong("j75", "The framework drops extra headers with an empty value before the signature is verified", V_AUTH,
      verify_header_text=_seen_headers(lambda hs, d: [h for h in hs if b.header_value(h[1]) or not _is_extra(h[0], d)]))

def _comma_space(headers, dialect):
    out = {}
    for i, (name, value) in enumerate(headers):
        known = name.lower() if _is_extra(name, dialect) else i
        out[known] = (name, out[known][1] + ", " + b.header_value(value) if known in out else value)
    return list(out.values())

wrong("j76", "Extra headers are verified for PUT and POST only; other methods are compared without them", V_AUTH,
      verify_header_text=lambda g, hs, d: b.header_text(g["method"], g["bucket"], g["key"], hs if g["method"].upper() in ("PUT", "POST")
                                                        else [h for h in hs if not _is_extra(h[0], d)], d))


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

_good = set()


def _remember(expected, got):
    if got in _good:
        return
    _check_signature(expected, got)
    _good.add(got)

# ------------------------------------------------------------------ verifiers: presigned URLs

def _text_expiry(now, expires):
    _expires_seconds(expires)
    if now > expires:
        _late()

wrong("j77", "URLs stay valid for five more minutes (clock skew)", V_URL, is_late=lambda now, e: now > e + 300)


def _python_int(expires):
    try:
        return int(expires)
    except ValueError:
        raise b.No("expires-malformed", "not a number")

wrong("j78", "An expiry of 0 means that the URL never expires", V_URL, is_late=lambda now, e: e != 0 and now > e)


def _head_as_get(given, keys, dialect):
    try:
        return _verify_url(given, keys, dialect)
    except b.No as no:
        if no.args[0] == "signature-mismatch" and given["method"].upper() == "HEAD":
            return _verify_url({**given, "method": "GET"}, keys, dialect)
        raise

wrong("j79", "A plus in the path of the URL is decoded as a space", V_URL, key_of_path=lambda p: b.unpercent(p.replace("+", " "), "url-malformed"))


def _ends_with(host, file_host):
    if not host.lower().endswith(file_host.lower()) or len(host) < len(file_host) + 2:
        raise b.No("url-malformed", "another host")
    return host[:-len(file_host) - 1]

wrong("j80", "The file host is compared as written, so a host in capitals is another host", V_URL,
      check_host=lambda h, f: h.partition(".")[0] if h.partition(".")[0] and h.partition(".")[2] == f else _other_host())

wrong("j81", "Only the first label of the host is looked at; any other host is accepted", V_URL,
      check_host=lambda h, f: h.partition(".")[0] or _other_host())

wrong("j82", "Extra headers are not verified for presigned URLs, since browsers send none", V_URL, verify_url_headers=lambda hs, d: "")

_cases = {"expires": "Expires", "signature": "Signature"}

# ------------------------------------------------------------------ verifiers: parameters

wrong("j83", "Only values are decoded; an escaped name is signed as it stands", "verify-query, verify-presigned-url",
      read_query=lambda q: [(p.partition("=")[0], b.query_decode(p.partition("=")[2])) for p in q.split("&") if p])

wrong("j84", "Spaces around decoded names and values are trimmed", "verify-query, verify-presigned-url",
      read_query=lambda q: [(n.strip(), v.strip()) for n, v in _read_query(q)])

wrong("j85", "Parameters in brackets become dotted names (Names[0] is read as Names.0)", "verify-query",
      read_query=lambda q: [(re.sub(r"\[([^\[\]]+)\]", r".\1", n), v) for n, v in _read_query(q)])

wrong("j86", "The Action is not required", V_PARAM, verify_need=lambda o: b.need(o, "PublicKey"))


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

wrong("j87", "A comma before a closing brace or bracket is accepted in JSON", V_JSON, read_json=_trailing_comma)

wrong("j88", "null members of a JSON body are signed as the text null", V_JSON, null_leaves=lambda name: [b.Leaf(name, "null", False)])
