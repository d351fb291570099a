"""Blind trial, fourth set: single wrong mistakes; each entry replaces one or a few functions of base.py."""
import base64
import email.utils
import functools
import hashlib
import hmac
import json
import re
import time
import urllib.parse
from decimal import Context, Decimal

import base as b
from operations import ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, SENDERS, SIGNED, TYPED, V_AUTH, V_FILE, V_JSON, V_PARAM, V_QUERY, V_URL
from recording import wrong

_leaves = b.leaves
_flatten = b.flatten
_number_text = b.number_text
_list_leaves = b.list_leaves
_percent = b.percent
_unpercent = b.unpercent
_positional = b.positional
_header_value = b.header_value
_is_extra = b.is_extra
_extra_pairs = b.extra_pairs
_header_text = b.header_text
_sign_given = b.sign_given
_form_md5 = b.form_md5
_form_type = b.form_type
_resource = b.resource
_url_path = b.url_path
_url_start = b.url_start
_content_bytes = b.content_bytes
_policy_text = b.policy_text
_policy_ok = b.policy_ok
_check_policy = b.check_policy
_check_signature = b.check_signature
_read_query = b.read_query
_read_json = b.read_json
_verify_authorization = b.verify_authorization

# ================================================================== batch 1: d001 to d055
# ------------------------------------------------------------------ parameters

wrong("d001", "Builds the texts name + value first and sorts these (sorted(k + v for k, v in ...)), so a name that begins another one sorts by its value",
      ACTION, order=lambda ls: sorted(ls, key=lambda x: b.utf8(x.name + x.text)))


def _json_as_given(given, keys, dialect):
    ordered = b.prepare(given["parameters"])
    b.need(ordered, "Action", "PublicKey")
    as_given = b.without_signature(b.flatten(given["parameters"]))
    return {"body": b.json_text(as_given, b.sign_leaves(as_given, keys))}


wrong("d002", "The JSON form signs the parameters in the order in which they were given; only the other calls sort them", "action-json",
      op_action_json=_json_as_given)

wrong("d003", "Writes an index as one character ('0' + i), so the eleventh item of a list is named with a colon instead of 10", TYPED,
      item_name=lambda name, index: name + "." + chr(48 + index))

wrong("d004", "Empty texts are removed from a list before its items get their indexes, so the later ones move up", TYPED,
      list_leaves=lambda name, items: _list_leaves(name, [i for i in items if not (isinstance(i, str) and i == "")]))


def _plain_json(value):
    if isinstance(value, dict) and "number" in value:
        return _number_text(value["number"])
    if isinstance(value, dict) and "list" in value:
        return "[" + ",".join(map(_plain_json, value["list"])) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(n) + ":" + _plain_json(v) for n, v in value["object"]) + "}"
    return json.dumps(value, ensure_ascii=False)


def _inner(name, value):
    if isinstance(value, dict) and "list" in value:
        return [b.Leaf(name, _plain_json(value), True)]
    return b.leaves(name, value)


wrong("d005", "Flattens lists at the top level only: a list inside a list or an object is signed and sent as a text, its JSON", TYPED,
      list_leaves=lambda name, items: [x for i, v in enumerate(items) for x in _inner(b.item_name(name, i), v)],
      object_leaves=lambda name, members: [x for m, v in members for x in _inner(b.member_name(name, m), v)])


def _guess_json(name, value):
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return _leaves(name, b.wrap(json.loads(value, parse_int=lambda w: {"number": w}, parse_float=lambda w: {"number": w},
                                                   object_pairs_hook=lambda ps: {"object": [[n, b.wrap(v)] for n, v in ps]})))
        except (ValueError, RecursionError):
            pass
    return _leaves(name, value)


wrong("d006", "A command-line habit: a text that is itself a JSON list or object is parsed and flattened as one", ACTION, leaves=_guess_json)

wrong("d007", "Signs PublicKey in its percent-encoded form (the @ as %40, as in the example URL), all other values raw", ACTION,
      signed_value=lambda x: _percent(x.text) if x.name == "PublicKey" else x.text)


def _encode_password(parameters):
    out = _flatten(parameters)
    for x in out:
        if x.name == "Password" and x.quoted:
            x.text = base64.b64encode(b.utf8(x.text)).decode()
    return out


wrong("d008", "The signer Base64-encodes the parameter Password, although the caller has done so already", ACTION, flatten=_encode_password)

# ------------------------------------------------------------------ numbers

wrong("d009", "stripTrailingZeros().toString() of Java's BigDecimal: a whole number that ends in zeros gets an exponent, 10 becomes 1E+1", TYPED,
      number_text=lambda w: (lambda t: t if t == "0" else str(Decimal(t).normalize(Context(prec=9000))))(_number_text(w)))


def _exact_double(written):
    text = _number_text(written)
    try:
        return _number_text(format(Decimal(float(text)), "f")) if "." in text else text
    except (OverflowError, b.No):
        return text


wrong("d010", "Fractions go through new BigDecimal(double), so 0.1 becomes 0.1000000000000000055511151231257827021181583404541015625", TYPED,
      number_text=_exact_double)

wrong("d011", "bc writes a number between -1 and 1 without its zero, so 0.5 is signed as .5 (it is sent as 0.5)", TYPED,
      signed_value=lambda x: x.text if x.quoted else re.sub(r"^(-?)0\.", r"\1.", x.text))


def _raw_number(name, value):
    if isinstance(value, dict) and "number" in value:
        _number_text(value["number"])
        return [b.Leaf(name, value["number"], False)]
    return b.leaves(name, value)


wrong("d012", "Numbers inside lists and objects are signed and sent as they were written (1.50, 1e2); only numbers at the top level become plain decimals",
      TYPED, list_leaves=lambda name, items: [x for i, v in enumerate(items) for x in _raw_number(b.item_name(name, i), v)],
      object_leaves=lambda name, members: [x for m, v in members for x in _raw_number(b.member_name(name, m), v)])


def _float_exponent(written):
    text = _number_text(written)
    if re.search("[eE]", written) and "." not in text:
        try:
            return format(Decimal(float(text)), "f")
        except OverflowError:
            return text
    return text


wrong("d013", "A whole number written with an exponent is expanded through a double (%.0f), so 1e23 becomes 99999999999999991611392", TYPED,
      number_text=_float_exponent)

# ------------------------------------------------------------------ JSON body, query, bucket requests

_json_text = b.json_text
wrong("d014", "omitempty: parameters that are an empty text, 0 or false are signed but left out of the JSON body", "action-json",
      json_text=lambda o, s: _json_text([x for x in o if x.text and (x.quoted or x.text not in ("0", "false"))], s))

wrong("d015", "Booleans are sent in the JSON body as the texts \"true\" and \"false\"", "action-json",
      json_leaf=lambda x: json.dumps(x.text) if x.quoted or x.text in ("true", "false") else x.text)

wrong("d016", "The hand-made JSON writer escapes quotes and control characters, but no backslashes", "action-json",
      json_leaf=lambda x: json.dumps(x.text).replace("\\\\", "\\") if x.quoted else x.text)

wrong("d017", "Query values are escaped by a URI builder, which leaves what RFC 3986 allows in a query (! $ ' ( ) * , ; : @ / ?), except for & = +", QUERY,
      query_value=lambda x: urllib.parse.quote(b.utf8(x.text), safe="-_.~!$'()*,;:@/?"))


def _hmac_bucket(given, keys, dialect):
    ordered, _ = b.complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        b.need(ordered, "Type", "BucketName")
    text = "".join(x.name + x.text for x in ordered)
    signature = hmac.new(b.utf8(keys["privateKey"]), b.utf8(text), hashlib.sha1).hexdigest()
    return {"target": b.bucket_target(b.query_text(ordered, signature))}


wrong("d018", "Bucket requests belong to storage, so they are signed with HMAC-SHA1 (in hexadecimal) under the private key instead of SHA-1 with the key appended",
      "bucket-request", op_bucket_request=_hmac_bucket)

# ------------------------------------------------------------------ escapes, password

wrong("d019", "replace('+', '%20') stands before the encoder instead of after it, so a plus in the text is escaped as a space, %20", ESCAPES,
      text_bytes=lambda t: b.utf8(t.replace("+", " ")))

wrong("d020", "CharacterSet.urlQueryAllowed of Swift: ! $ & ' ( ) * + , / : ; = ? @ are not escaped", ESCAPES,
      percent=lambda t: urllib.parse.quote(b.utf8(t), safe="-_.~!$&'()*+,/:;=?@"))

wrong("d021", "echo without -n: the password is encoded together with a line break after it", "password",
      password_text=lambda t: base64.b64encode(b.utf8(t) + b"\n").decode())

wrong("d022", "A password that already looks like Base64 (letters of the alphabet, a length divisible by four) is left as it is", "password",
      password_text=lambda t: t if t and len(t) % 4 == 0 and re.fullmatch("[A-Za-z0-9+/]+={0,2}", t) else base64.b64encode(b.utf8(t)).decode())

# ------------------------------------------------------------------ extra headers

wrong("d023", "Amazon's Trimall: runs of spaces within an extra header's value become one space", FILE,
      extra_value=lambda v: re.sub(" +", " ", _header_value(v)))

wrong("d024", "Only the user metadata (X-Svc-Meta-*) is taken for extra headers; others with the prefix are not signed", FILE,
      is_extra=lambda n, d: b.fold_name(n).startswith(b.extra_prefix(d) + "meta-"))


def _adjacent(pairs):
    groups = []
    for name, value in pairs:
        if groups and groups[-1][0] == name:
            groups[-1][1].append(value)
        else:
            groups.append((name, [value]))
    return groups


wrong("d025", "groupby without a sort before it: extra headers of one name are merged only if they follow one another, else each has its own line", FILE,
      merge=_adjacent)

wrong("d026", "In a value with a fold every run of white space becomes one space (\\s+), also runs that are not at a line break", FILE,
      extra_value=lambda v: re.sub("[ \t]+", " ", _header_value(v)) if "\n" in v else _header_value(v))

wrong("d027", "array_filter of PHP without a callback: extra headers with the value 0 and with an empty value are left out", FILE,
      extra_pairs=lambda hs, d: [(n, v) for n, v in _extra_pairs(hs, d) if v not in ("", "0")])

_kept = {}


def _leaking(given, headers, dialect, method, key):
    fresh = {}
    for name, value in headers:
        if _is_extra(name, dialect):
            fresh.setdefault(name.lower(), []).append((name, value))
    _kept.update(fresh)
    others = [h for h in headers if not _is_extra(h[0], dialect)]
    return _sign_given(given, others + [h for group in _kept.values() for h in group], dialect, method, key)


wrong("d028", "The client's table of headers is shared by its calls: extra headers of an earlier request are signed again unless the later one sets them anew",
      SENDERS, sign_given=_leaking)

# ------------------------------------------------------------------ positional headers

def _with_charset(headers, method):
    value = _positional(headers, "content-type")
    return value + "; charset=utf-8" if re.match("text/", value, re.I) and "charset" not in value.lower() else value


wrong("d029", "A Content-Type text/* without charset is signed with ; charset=utf-8, as the HTTP library would send it", HEADER,
      content_type=_with_charset)

wrong("d030", "Go's header map is indexed as header[\"Content-MD5\"], but its key is Content-Md5, so the header is never found and the line stays empty", HEADER,
      content_md5=lambda h, m: _positional(h, "content-md5") and "")

_TYPES = {".jpg": "image/jpeg", ".png": "image/png", ".txt": "text/plain", ".html": "text/html", ".json": "application/json",
          ".pdf": "application/pdf", ".zip": "application/zip", ".mp4": "video/mp4", ".gif": "image/gif", ".css": "text/css"}


def _guess_type(method, bucket, key, headers, dialect):
    guess = _TYPES.get("." + key.rsplit(".", 1)[-1].lower()) if "." in key else None
    if b.verb(method) == "PUT" and guess and not b.find(headers, "content-type"):
        headers = headers + [("Content-Type", guess)]
    return _header_text(method, bucket, key, headers, dialect)


wrong("d031", "A PUT without Content-Type is signed with the MIME type that belongs to the key's extension (photo.jpg: image/jpeg)", HEADER,
      header_text=_guess_type)

# ------------------------------------------------------------------ resource, HMAC

wrong("d032", "The key comes from the request's URL and is percent-decoded before it is signed, so escapes within the key itself (100%25) are decoded", FILE,
      resource_key=lambda k: urllib.parse.unquote(k))

wrong("d033", "Off by one in HMAC: a private key of exactly 64 bytes is hashed too (length >= block size)", FILE,
      file_key=lambda k: hashlib.sha1(b.utf8(k)).digest() if len(b.utf8(k)) >= 64 else b.utf8(k))

_first_key = []


def _singleton(private_key):
    _first_key.append(b.utf8(private_key))
    return _first_key[0]


wrong("d034", "The signer is a singleton that keeps the private key of its first call, so a later call with another private key is signed with the first one",
      FILE, file_key=_singleton)

# ------------------------------------------------------------------ forms, policies, instant upload


def _form_root(given, headers, dialect):
    b.check_bucket(given["bucket"])
    return b.lines("POST", b.form_md5(headers, given["fields"]), b.form_type(headers, given["fields"]), b.date(headers, "POST"),
                   b.canonical_headers(headers, dialect), b.resource(given["bucket"], ""))


wrong("d035", "A form is posted to /, so its resource is /<bucket>/ without the key", "form-authorization", form_text=_form_root)

wrong("d036", "Of a form only the HTTP header Content-MD5 is signed; a form field Content-MD5 is not looked at", "form-authorization",
      form_md5=lambda h, fs: _form_md5(h, []))

def _token_encode(data):
    text = base64.urlsafe_b64encode(data).decode()
    return text.rstrip("=") + str(text.count("=")) if text else ""


wrong("d037", "HttpServerUtility.UrlTokenEncode of .NET: the policy ends in the number of its padding characters (0, 1 or 2) instead of the padding", "policy",
      policy_base64=_token_encode)

wrong("d038", "The policy is appended without a test, so with an empty policy the Authorization ends in a colon", "policy-authorization",
      policy_credentials=lambda value, policy: value + ":" + policy)

wrong("d039", "A line feed separates the policy from the resource in the string to sign", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + "\n" + policy if policy else text)


def _hit_no_type(given, keys, dialect):
    headers = [h for h in b.read_headers(given["headers"]) if h[0].lower() != "content-type"]
    text = b.sign_given(given, headers, dialect, b.hit_method(), b.hit_key(given["key"]))
    return {"target": b.hit_target(given["etag"], given["key"], given["size"]),
            "authorization": b.credentials(keys["publicKey"], b.file_signature(text, keys), dialect)}


wrong("d040", "Instant upload has no body, so its line of Content-Type is empty even if the request has that header", "instant-upload",
      op_instant=_hit_no_type)

# ------------------------------------------------------------------ presigned URLs


def _date_first(given, headers, dialect):
    method = b.presign_method(given["method"])
    b.check_bucket(given["bucket"])
    return b.lines(method, "", "", b.date(headers, method) or given["expires"], b.presign_headers(headers, dialect),
                   b.presign_resource(given["bucket"], given["key"]))


wrong("d041", "If the request has a header Date, a presigned URL signs the Date instead of Expires", "presigned-url", presign_text=_date_first)

wrong("d042", "In the URL's signature / and = are replaced by their escapes, but + is forgotten", "presigned-url",
      url_signature=lambda s: s.replace("/", "%2F").replace("=", "%3D"))

wrong("d043", "A bucket with a dot in its name is addressed in path style (http://host/my.bucket/key), as certificates would need it", "presigned-url",
      url_start=lambda s, bucket, host: s + "://" + host + "/" + bucket + "/" if "." in bucket else _url_start(s, bucket, host))

wrong("d044", "The presigned URL always begins with https, whatever scheme was asked for", "presigned-url",
      url_start=lambda s, bucket, host: _url_start("https", bucket, host))

# ------------------------------------------------------------------ ETag

wrong("d045", "4 MB is taken as 4,000,000 bytes, for the blocks and for the limit of the single hash", "etag", block_size=lambda: 4000000)

wrong("d046", "The choice of the form uses size / 4 MiB rounded down, so files up to just below 8 MiB are hashed whole", "etag",
      is_single=lambda data, blocks: len(data) // b.BLOCK <= 1)

wrong("d047", "A part is read once into a buffer of 4 MiB, so of a greater part only the first 4 MiB are hashed", "part-etag",
      part_raw=lambda data: b.etag_hash(data[:b.BLOCK]))

wrong("d048", "The file is read as UTF-8 text (readFile(path, 'utf8')), so bytes that are no UTF-8 are hashed as U+FFFD", "etag, part-etag",
      content_bytes=lambda c: _content_bytes(c).decode("utf-8", "replace").encode("utf-8"))

# ------------------------------------------------------------------ verifiers

wrong("d049", "A third part of Authorization that is no Base64 of a JSON object is ignored instead of refused", V_AUTH,
      check_policy=lambda policy, method: _check_policy(policy, method) if _policy_ok(policy) else None,
      verify_policy_text=lambda text, policy: text if policy is None or not _policy_ok(policy) else _policy_text(text, policy))


def _fresh_date(given, headers, dialect):
    text = _header_text(given["method"], given["bucket"], given["key"], headers, dialect)
    try:
        stamp = email.utils.mktime_tz(email.utils.parsedate_tz(b.date(headers, given["method"])))
    except (TypeError, ValueError, OverflowError, IndexError):
        return text
    if abs(time.time() - stamp) > 900:
        raise b.No("expired", "the clocks differ by more than 15 minutes")
    return text


wrong("d050", "Amazon's rule: a Date that can be parsed and is more than 15 minutes off the server's clock is refused", V_AUTH, verify_header_text=_fresh_date)

_used = set()


def _once(given, keys, dialect):
    result = _verify_authorization(given, keys, dialect)
    known = [v for n, v in given["headers"] if n.strip().lower() == "authorization"][0]
    if known in _used:
        raise b.No("signature-mismatch", "a replay")
    _used.add(known)
    return result


wrong("d051", "Every Authorization is good for one request only: the same one a second time is refused as a replay", V_AUTH, verify_authorization=_once)

wrong("d052", "The method of the request is not looked at: each presigned URL is verified as one for GET", V_URL,
      verify_method=lambda m: b.verb(m) and "GET")


def _latin_path(path):
    _unpercent(path, "url-malformed")
    return urllib.parse.unquote(path, encoding="latin-1")


wrong("d053", "Escapes in the URL's path are decoded as ISO-8859-1 (the old default of Tomcat), so a key beyond ASCII does not match", V_URL, key_of_path=_latin_path)

wrong("d054", "PHP's $_GET: dots and spaces in the names of parameters are underscores before they are verified", V_QUERY,
      read_query=lambda q: [(re.sub("[. ]", "_", n), v) for n, v in _read_query(q)])


def _any_case_signature(body):
    members = _read_json(body)
    if "Signature" in [n for n, _ in members]:
        return members
    at = [i for i, (n, _) in enumerate(members) if n.lower() == "signature"][:1]
    return [["Signature", v] if i in at else [n, v] for i, (n, v) in enumerate(members)]


wrong("d055", "encoding/json of Go matches members in any case, so a body with signature instead of Signature is accepted", V_JSON,
      read_json=_any_case_signature)

# ================================================================== batch 2: d056 to d110
# ------------------------------------------------------------------ parameters


def _memcmp(left, right):
    one, two = b.utf8(left.name), b.utf8(right.name)
    size = min(len(one), len(two))
    return (one[:size] > two[:size]) - (one[:size] < two[:size])


wrong("d056", "Names are compared with memcmp over the shorter length, so a name and one that it begins count as equal and stay in the given order", ACTION,
      order=lambda ls: sorted(ls, key=functools.cmp_to_key(_memcmp)))

wrong("d057", "Lists of objects count from 1 (Disks.1.Size, as Amazon's filters do), lists of plain values from 0", TYPED,
      list_leaves=lambda name, items: [x for i, v in enumerate(items) for x in b.leaves(
          b.item_name(name, i + 1 if isinstance(v, dict) and "object" in v else i), v)])

wrong("d058", "A list is kept as a set: an item equal to an earlier one is dropped before the indexes are given", TYPED,
      list_leaves=lambda name, items: _list_leaves(name, list({json.dumps(i): i for i in items}.values())))

wrong("d059", "getBytes() without a charset on a Chinese Windows: the signed text is hashed as GBK, with ? for what GBK lacks", ACTION,
      action_bytes=lambda t: b.utf8(t) and t.encode("gbk", "replace"))


def _plain_string(written):
    _number_text(written)
    text = format(Decimal(written), "f")
    return text.lstrip("-") if not text.strip("-0.") else text


wrong("d060", "BigDecimal.toPlainString without stripTrailingZeros: 1.50 and 42.0 are signed and sent with the zeros of their fraction", TYPED,
      number_text=_plain_string)

wrong("d061", "Whole numbers are printed with %llu, so -1 becomes 18446744073709551615", TYPED,
      number_text=lambda w: (lambda t: str(2 ** 64 + int(t)) if re.fullmatch("-[0-9]{1,18}", t) else t)(_number_text(w)))


def _java_double(written):
    text = _number_text(written)
    try:
        value = float(text)
    except OverflowError:
        return text
    if not value or value in (float("inf"), float("-inf")) or 0.001 <= abs(value) < 10000000:
        return text
    shortest = Decimal(repr(value)).normalize().as_tuple()
    figures = "".join(map(str, shortest.digits))
    return ("-" if shortest.sign else "") + figures[0] + "." + (figures[1:] or "0") + "E" + str(len(figures) - 1 + shortest.exponent)


wrong("d062", "Gson makes each number a Double: from 10000000 on and below 0.001 it is signed and sent with an exponent (1.0E7)", TYPED,
      number_text=_java_double)

# ------------------------------------------------------------------ JSON body, query, bucket requests

wrong("d063", "utf8_encode on text that is UTF-8 already: the JSON body holds each byte beyond ASCII as a character of its own; the signature is right", "action-json",
      json_leaf=lambda x: json.dumps(b.utf8(x.text).decode("latin-1")) if x.quoted else x.text)

wrong("d064", "The hand-made JSON writer knows escapes for quotes, backslashes, LF and CR only; a tab or other control character stands in the text as it is", "action-json",
      json_leaf=lambda x: '"' + x.text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r") + '"' if x.quoted else x.text)


def _old_signature(given, keys, dialect):
    ordered, signature = b.complete(given, keys)
    return b.query_text(b.order(ordered + [x for x in b.flatten(given["parameters"]) if x.name == "Signature"]), signature)


def _old_signature_bucket(given, keys, dialect):
    ordered, _ = b.complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        b.need(ordered, "Type", "BucketName")
    return {"target": b.bucket_target(_old_signature(given, keys, dialect))}


wrong("d065", "A Signature among the parameters is not signed, but it stays in the query at its sorted place; the new one is at the end", QUERY,
      op_action_query=lambda g, k, d: {"query": _old_signature(g, k, d)}, op_bucket_request=_old_signature_bucket)


def _any_bucket_request(given, keys, dialect):
    return {"target": b.bucket_target(b.query_text(*b.complete(given, keys)))}


wrong("d066", "CreateBucket without Type or without BucketName is signed and sent instead of refused", "bucket-request", op_bucket_request=_any_bucket_request)

wrong("d067", "The target of a bucket request is the query alone, without the slash before the question mark", "bucket-request",
      bucket_target=lambda query: "?" + query)

# ------------------------------------------------------------------ escapes, password


def _js_escape(text):
    b.utf8(text)
    raw = text.encode("utf-16-be")
    units = [int.from_bytes(raw[i:i + 2], "big") for i in range(0, len(raw), 2)]
    return "".join(chr(u) if u < 128 and (chr(u).isalnum() or chr(u) in "@*_+-./") else "%%%02X" % u if u < 256 else "%%u%04X" % u for u in units)


wrong("d068", "escape() of JavaScript instead of encodeURIComponent: %u4E2D and %E9 for characters beyond ASCII, ~ escaped, @ * + / not", ESCAPES,
      percent=_js_escape)

wrong("d069", "A form encoder's rule for line breaks: a LF without CR before it is escaped as %0D%0A", ESCAPES,
      text_bytes=lambda t: b.utf8(re.sub("(?<!\r)\n", "\r\n", t)))


def _four_minus(text):
    bare = base64.b64encode(b.utf8(text)).decode().rstrip("=")
    return bare + "=" * (4 - len(bare) % 4)


wrong("d070", "Padding is computed as 4 - n % 4, so a password whose length is divisible by three gets four equals signs", "password", password_text=_four_minus)

# ------------------------------------------------------------------ extra headers

wrong("d071", "Characters beyond ASCII in an extra header's value are signed percent-encoded (metadata of other clouds)", FILE,
      extra_value=lambda v: "".join(c if ord(c) < 128 else _percent(c) for c in _header_value(v)))

wrong("d072", "The accumulator is not reversed (Erlang): the values of a repeated extra header are joined last first", FILE,
      join_values=lambda vs: ",".join(reversed(vs)))

wrong("d073", "Only spaces are trimmed around the values of headers; tabs stay", FILE, trim=lambda v: v.strip(" "))


def _two_at_a_time(pairs):
    groups = []
    for name, value in pairs:
        open_groups = [g for g in groups if g[0] == name and len(g[1]) == 1]
        if open_groups:
            open_groups[0][1].append(value)
        else:
            groups.append((name, [value]))
    return groups


wrong("d074", "Merging joins two headers of a name and goes on behind them, so of three or four of one name the third begins a line of its own", FILE,
      merge=_two_at_a_time)

# ------------------------------------------------------------------ positional headers, verb


def _two_spellings(headers, wanted):
    title = {"content-md5": "Content-MD5", "content-type": "Content-Type", "date": "Date"}[wanted]
    value = b.one([v for n, v in headers if n in (title, wanted)])
    return "" if value is None else b.positional_value(value)


wrong("d075", "Content-MD5, Content-Type and Date are found in two spellings only, this one and lower case; CONTENT-TYPE counts as absent", POSITIONAL,
      positional=_two_spellings)

wrong("d076", "Only extra headers are trimmed: blanks around Content-MD5, Content-Type and Date are signed", POSITIONAL,
      positional_value=lambda v: b.check_value(b.unfold(v)))


def _enum(method):
    if not b.TOKEN.fullmatch(method):
        raise b.No("method", "not a token")
    return method.upper() if method.upper() in ("GET", "PUT", "POST", "HEAD", "DELETE") else "GET"


wrong("d077", "The method is an enum of GET, PUT, POST, HEAD and DELETE; any other (PATCH, OPTIONS) falls back to GET", FILE, verb=_enum)

# ------------------------------------------------------------------ resource, hashes

wrong("d078", "White space at both ends of the key is trimmed before it is signed", FILE, resource_key=lambda k: k.strip())


def _rol(value, count):
    return (value << count | value >> (32 - count)) & 0xffffffff


def _own_sha1(data):
    """Right but for the padding: 55 bytes over a multiple of 64 get one more block."""
    rest = len(data) % 64
    zeros = 55 - rest if rest < 55 else 119 - rest
    data += b"\x80" + bytes(zeros) + (8 * len(data)).to_bytes(8, "big")
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    for at in range(0, len(data), 64):
        w = [int.from_bytes(data[i:i + 4], "big") for i in range(at, at + 64, 4)]
        for t in range(16, 80):
            w.append(_rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
        p, q, r, s, u = h
        for t in range(80):
            f, k = ((q & r | ~q & s, 0x5A827999), (q ^ r ^ s, 0x6ED9EBA1), (q & r | q & s | r & s, 0x8F1BBCDC), (q ^ r ^ s, 0xCA62C1D6))[t // 20]
            p, q, r, s, u = (_rol(p, 5) + f + u + k + w[t]) & 0xffffffff, p, _rol(q, 30), r, s
        h = [(x + y) & 0xffffffff for x, y in zip(h, (p, q, r, s, u))]
    return b"".join(x.to_bytes(4, "big") for x in h)


wrong("d079", "Its own SHA-1 pads with one block too many if the text with the private key is 55 bytes longer than a multiple of 64 (rest < 55 instead of rest <= 55)", ACTION,
      action_digest=lambda text, key: _own_sha1(b.action_bytes(b.with_key(text, key))))

# ------------------------------------------------------------------ forms, policies, instant upload


def _form_no_extra(given, headers, dialect):
    b.check_bucket(given["bucket"])
    return b.lines("POST", b.form_md5(headers, given["fields"]), b.form_type(headers, given["fields"]), b.date(headers, "POST"),
                   "", b.resource(given["bucket"], given["key"]))


wrong("d080", "A form is signed without extra headers, since browsers send none, even if the request has some", "form-authorization", form_text=_form_no_extra)

wrong("d081", "Without a form field Content-Type, or with an empty one, a form is signed with application/octet-stream", "form-authorization",
      form_type=lambda h, fs: _form_type(h, fs) or "application/octet-stream")

wrong("d082", "A policy without members gives the empty text instead of the Base64 of {}", "policy",
      op_policy=lambda g, k, d: {"policy": b.policy_base64(b.utf8(b.policy_json(g["members"]))) if g["members"] else ""})

_policy_json = b.policy_json
wrong("d083", "callbackUrl is percent-encoded before it is put into the policy", "policy",
      policy_json=lambda ms: _policy_json([(n, _percent(v) if n == "callbackUrl" else v) for n, v in ms]))


def _put_policy(given, keys, dialect):
    b.verb(given["method"])
    text = b.sign_given(given, b.read_headers(given["headers"]), dialect, "PUT", given["key"])
    signature = b.file_signature(b.policy_text(text, given["policy"]), keys)
    return {"authorization": b.policy_credentials(b.credentials(keys["publicKey"], signature, dialect), given["policy"])}


wrong("d084", "The call with a policy was made for PUT and signs PUT whatever the method is", "policy-authorization", op_policy_authorization=_put_policy)

wrong("d085", "if (size): an instant upload of an empty file has no FileSize in its target", "instant-upload",
      hit_target=lambda e, k, s: "/uploadhit?Hash=" + _percent(e) + "&FileName=" + _percent(k) + ("&FileSize=" + _percent(s) if s.strip("0") else ""))

wrong("d086", "FileName in the target has lost the slashes at the key's start; the signed key has them", "instant-upload",
      hit_target=lambda e, k, s: "/uploadhit?Hash=" + _percent(e) + "&FileName=" + _percent(k.lstrip("/")) + "&FileSize=" + _percent(s))

# ------------------------------------------------------------------ presigned URLs

wrong("d087", "encodeURI for the path of a presigned URL, so ? and # in the key are not escaped", "presigned-url",
      url_path=lambda k: urllib.parse.quote(b.utf8(k), safe=";,/?:@&=+$-_.!~*'()#"))

wrong("d088", "A presigned URL signs the path as it is in the URL, with its escapes", "presigned-url",
      presign_resource=lambda bucket, key: _resource(bucket, _url_path(key)))

_started = int(time.time())


def _lifetime(expires):
    return str(_started + int(expires)) if re.fullmatch("[0-9]{1,9}", expires) else expires


wrong("d089", "An Expires of at most nine digits is taken as a lifetime and added to the present time, in the URL and in the signed text", "presigned-url",
      presign_expires=_lifetime, url_expires=_lifetime)

# ------------------------------------------------------------------ ETag

wrong("d090", "The loop ends at a read of nothing and hashes that too: a file of 8, 12, ... MiB has the hash of an empty block after its blocks", "etag",
      hash_hashes=lambda blocks: b.etag_hash(b"".join(b.etag_hash(x) for x in blocks) + (b.etag_hash(b"") if len(blocks[-1]) == b.BLOCK else b"")))

wrong("d091", "A part's ETag is in the standard Base64 alphabet; that of a file is URL-safe", "part-etag",
      op_part_etag=lambda g, k, d: {"etag": base64.b64encode(b.part_raw(b.content_bytes(g["content"]))).decode()})

wrong("d092", "The file is opened as text under Windows, where the byte 0x1A (Ctrl-Z) ends it", "etag, part-etag",
      content_bytes=lambda c: _content_bytes(c).split(b"\x1a")[0])

# ------------------------------------------------------------------ verifiers: Authorization


def _policy_last(given, keys, dialect):
    headers = b.read_headers(given["headers"])
    text = b.verify_header_text(given, headers, dialect)
    scheme, blank, rest = b.find_authorization(headers).partition(" ")
    if not b.scheme_ok(scheme, dialect) or not blank:
        raise b.No("authorization-malformed", "not the scheme")
    public_key, signature, policy = b.split_credentials(rest)
    b.check_account(public_key, keys)
    b.check_signature(b.file_signature(b.verify_policy_text(text, policy), keys), signature)
    if policy is not None:
        b.check_policy(policy, given["method"])
    return {"publicKey": public_key}


wrong("d093", "The third part is looked at after the signature, so a bad one with a wrong signature is a mismatch instead of malformed", V_AUTH,
      verify_authorization=_policy_last)


def _needs_date(given, headers, dialect):
    if not b.date(headers, given["method"]):
        raise b.No("authorization-malformed", "no Date")
    return _header_text(given["method"], given["bucket"], given["key"], headers, dialect)


wrong("d094", "A request without a Date, or with an empty one, is refused", V_AUTH, verify_header_text=_needs_date)


def _needs_callback(policy):
    if not _policy_ok(policy):
        return False
    plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
    return "callbackUrl" in json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4)).decode())


wrong("d095", "A policy that is a JSON object without callbackUrl is refused as malformed", V_AUTH, policy_ok=_needs_callback)


def _second_chance(given, keys, dialect):
    try:
        return _verify_authorization(given, keys, dialect)
    except b.No as no:
        bare = [h for h in given["headers"] if h[0].strip(" \t").lower() != "content-type"]
        if no.args[0] != "signature-mismatch" or len(bare) == len(given["headers"]):
            raise
        return _verify_authorization({**given, "headers": bare}, keys, dialect)


wrong("d096", "After a mismatch it compares once more with an empty Content-Type (browsers add one), so a signature without that header passes with any type", V_AUTH,
      verify_authorization=_second_chance)

# ------------------------------------------------------------------ verifiers: presigned URLs


def _with_query(change):
    """verify_url with other query pairs, without touching verify-query."""
    def verify(given, keys, dialect):
        method = b.verify_method(given["method"])
        headers = b.read_headers(given["headers"])
        bucket, key, query = b.split_url(given["url"], given["fileHost"])
        names = (dialect["publicKeyParameter"], "Expires", "Signature")
        pairs = [change(n, v) for n, v in b.read_query(query) if n in names]
        b.check_url_repeated([n for n, _ in pairs])
        public_key, expires, signature = (dict(pairs).get(n) for n in names)
        b.check_url_parameters(public_key, expires, signature)
        b.check_expiry(given["now"], expires)
        b.check_account(public_key, keys)
        text = b.lines(method, "", "", expires, b.verify_url_headers(headers, dialect), b.resource(bucket, key))
        b.check_signature(b.file_signature(text, keys), signature)
        return {"publicKey": public_key}
    return verify


wrong("d097", "str_replace(' ', '+') on the URL's signature, so one with %20 in place of %2B is accepted", V_URL,
      verify_url=_with_query(lambda n, v: (n, v.replace(" ", "+") if n == "Signature" else v)))

wrong("d098", "urldecode() on a Signature that the framework has decoded: a plus in it becomes a space and good URLs are refused", V_URL,
      verify_url=_with_query(lambda n, v: (n, urllib.parse.unquote_plus(v) if n == "Signature" else v)))

wrong("d099", "The servlet container removes path parameters: in each piece of the URL's path everything from an unescaped semicolon on is gone", V_URL,
      key_of_path=lambda p: b.unpercent(re.sub(";[^/]*", "", p), "url-malformed"))

wrong("d100", "The router removes slashes at the end of the URL's path, so a key like dir/ does not match", V_URL,
      key_of_path=lambda p: b.unpercent(p.rstrip("/"), "url-malformed"))

wrong("d101", "The expiry is parsed and written again into the text to verify, so one with zeros at its start does not match", V_URL,
      verify_url=_with_query(lambda n, v: (n, str(int(v)) if n == "Expires" and re.fullmatch("[0-9]{1,15}", v) else v)))


def _upper_only(text, reason):
    if re.search("%(?![0-9A-F]{2})", text):
        raise b.No(reason, "stray percent sign")
    return _unpercent(text, reason)


wrong("d102", "Escapes with lower-case digits (%c3) are refused as malformed", "verify-presigned-url, verify-query", unpercent=_upper_only)

# ------------------------------------------------------------------ verifiers: parameters


def _as_sent(parameters):
    kept = b.without_signature(b.flatten(parameters))
    b.check_repeated([x.name for x in kept])
    return kept


wrong("d103", "The verifier joins the parameters in the order in which they came instead of sorting them", V_PARAM, verify_prepare=_as_sent)

wrong("d104", "Query parameters without an equals sign are ignored, not verified as empty texts", "verify-query, verify-presigned-url",
      read_query=lambda q: _read_query("&".join(p for p in q.split("&") if "=" in p)))


def _default_account(parameters, signature, keys):
    ordered = b.verify_prepare(parameters)
    if not isinstance(signature, str) or not signature:
        raise b.No("signature-missing", "no Signature")
    b.need(ordered, "Action")
    public_key = ([x.text for x in ordered if x.name == "PublicKey"] or [keys["publicKey"]])[0]
    b.check_account(public_key, keys)
    if not b.equal_hex(b.sign_leaves(ordered, keys), signature):
        raise b.No("signature-mismatch", "not the signature of these parameters")
    return {"publicKey": public_key}


wrong("d105", "Parameters without PublicKey are verified as those of the only account instead of refused", V_PARAM, verify_parameters=_default_account)


def _if_signed(parameters, signature, keys):
    ordered = b.verify_prepare(parameters)
    b.verify_need(ordered)
    public_key = [x.text for x in ordered if x.name == "PublicKey"][0]
    b.check_account(public_key, keys)
    if signature and not b.equal_hex(b.sign_leaves(ordered, keys), signature):
        raise b.No("signature-mismatch", "not the signature of these parameters")
    return {"publicKey": public_key}


wrong("d106", "if (signature && signature != expected): parameters without a Signature, or with an empty one, are accepted", V_PARAM, verify_parameters=_if_signed)


def _read_no_nul(body):
    members = _read_json(body)
    if re.search(r"(?<!\\)(\\\\)*\\u0000", body):
        raise b.No("body-malformed", "NUL in a text")
    return members


wrong("d107", "The body is kept as jsonb of PostgreSQL, which refuses \\u0000 in a text", V_JSON, read_json=_read_no_nul)


def _comments(body):
    token = r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|//[^\n]*'
    return _read_json(re.sub(token, lambda m: m[0] if m[0][0] == '"' else " ", body, flags=re.S))


wrong("d108", "The parser accepts comments (/* */ and //) in a JSON body", V_JSON, read_json=_comments)


def _flat_only(body):
    members = _read_json(body)
    if any(isinstance(v, dict) and ("list" in v or "object" in v) for _, v in members):
        raise b.No("body-malformed", "a nested value")
    return members


wrong("d109", "The body is read into a map of plain values, so one with a list or an object among its members is refused", V_JSON, read_json=_flat_only)


def _int64(written):
    if re.fullmatch("-?[0-9]+", written) and not -2 ** 63 <= int(written) < 2 ** 63:
        raise ValueError("out of range")
    return {"number": written}


wrong("d110", "Whole numbers of a JSON body beyond 64 bits are refused as malformed", V_JSON, json_number=_int64)
