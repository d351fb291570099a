"""Blind trial, seventh set: single wrong mistakes; each entry replaces one or a few functions of base.py."""
import base64
import hashlib
import hmac
import json
import re
import urllib.parse
from decimal import Decimal

import base as b
from operations import (ACTION, ESCAPES, FILE, POSITIONAL, QUERY, SENT, TYPED, V_AUTH, V_FILE, V_JSON, V_PARAM,
                        V_QUERY, V_URL)
from recording import wrong

_number_text = b.number_text
_boolean_text = b.boolean_text
_json_leaf = b.json_leaf
_content_type = b.content_type
_date = b.date
_extra_value = b.extra_value
_resource = b.resource
_policy_text = b.policy_text
_form_type = b.form_type
_entries = b.entries
_check_expiry = b.check_expiry
_unpercent = b.unpercent


# ------------------------------------------------------------------ parameters, 5.1

wrong("n01", "Parameters are sorted by name regardless of case (a case-insensitive comparer), so ChargeType is signed before CPU", ACTION,
      order=lambda ls: sorted(ls, key=lambda x: (b.utf8(x.name).lower(), b.utf8(x.name))))


def _sort_then_flatten(parameters):
    kept = b.without_signature(b.flatten(sorted(parameters, key=lambda p: b.utf8(p[0]))))
    b.check_repeated([x.name for x in kept])
    return kept


wrong("n02", "The parameters are sorted before they are flattened, not after: items stay in list order (List.2 before List.10) and members in written order", TYPED,
      prepare=_sort_then_flatten)

wrong("n03", "The signature is HMAC-SHA1 of the string with the private key as the HMAC key (as Aliyun), instead of SHA-1 of the string followed by the key", ACTION,
      action_digest=lambda text, key: hmac.new(b.utf8(key), b.action_bytes(text), hashlib.sha1).digest())


def _query_of_encoded(given, keys, dialect):
    ordered = b.prepare(given["parameters"])
    b.need(ordered, "Action", "PublicKey")
    encoded = [b.Leaf(x.name, b.percent(x.text), x.quoted) for x in ordered]
    return {"query": b.query_text(ordered, b.sign_leaves(encoded, keys))}


wrong("n04", "action-query percent-encodes the values first and signs the encoded values; the JSON form signs them raw", "action-query",
      op_action_query=_query_of_encoded)

wrong("n05", "List items are numbered from 1 (the AWS query API): Name.1, Name.2", TYPED,
      item_name=lambda name, index: name + "." + str(index + 1))


def _python_text(leaf):
    return leaf.text.capitalize() if not leaf.quoted and leaf.text in ("true", "false") else leaf.text


wrong("n06", "Booleans are signed, and put into a query, as str() of Python (ToString of C#) writes them: True and False; the JSON body has true and false", TYPED,
      signed_value=_python_text, query_value=lambda leaf: b.percent(_python_text(leaf)))


def _double(written):
    exact = _number_text(written)
    value = float(exact)
    return exact if value in (float("inf"), float("-inf")) else _number_text(repr(value))


wrong("n07", "Numbers go through a double, so whole numbers beyond 2^53 and long fractions lose digits in what is signed and sent", TYPED, number_text=_double)


def _printf_f(written):
    text = _number_text(written)
    return format(Decimal(text), ".6f") if "." in text else text


wrong("n08", "Numbers with a fraction are written with %f, always six decimals: 1.5 is signed and sent as 1.500000", TYPED, number_text=_printf_f)


def _json_of(value):
    if value is None:
        return "null"
    if value is True or value is False:
        return _boolean_text(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if "number" in value:
        return _number_text(value["number"])
    if "list" in value:
        return "[" + ",".join(map(_json_of, value["list"])) + "]"
    return "{" + ",".join(_json_of(n) + ":" + _json_of(v) for n, v in value["object"]) + "}"


def _items_as_json(name, items):
    out = []
    for index, item in enumerate(items):
        if isinstance(item, dict) and "object" in item:
            out.append(b.Leaf(b.item_name(name, index), _json_of(item), True))
        else:
            out += b.leaves(b.item_name(name, index), item)
    return out


wrong("n09", "Objects in a list are not flattened further: Name.0 is signed and sent with the JSON text of the object as its value", TYPED,
      list_leaves=_items_as_json)


def _sign_all(given, keys, dialect):
    every = b.flatten(given["parameters"])
    b.check_repeated([x.name for x in every])
    return {"signature": b.sign_leaves(b.order(every), keys)}


wrong("n10", "action-signature does not leave out a Signature that is already among the parameters, but signs it with the others", "action-signature",
      op_action_signature=_sign_all)

wrong("n11", "The signed string is made into bytes as US-ASCII, so each character beyond ASCII is hashed as a question mark", ACTION,
      action_bytes=lambda text: text.encode("ascii", "replace"))

# ------------------------------------------------------------------ JSON body and query

wrong("n12", "The JSON body sends numbers as strings (a map of string to string): \"CPU\": \"2\"", "action-json",
      json_leaf=lambda x: json.dumps(x.text) if not x.quoted and x.text not in ("true", "false") else _json_leaf(x))


def _nested_body(given, keys, dialect):
    ordered, signature = b.complete(given, keys)
    kept = [[n, v] for n, v in given["parameters"] if n != "Signature"] + [["Signature", signature]]
    return {"body": _json_of({"object": kept})}


wrong("n13", "The signature is over the flattened parameters, but the JSON body is the original structure with its lists and objects not flattened", "action-json",
      op_action_json=_nested_body)


def _numeric_check(leaf):
    if leaf.quoted and re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,9})?", leaf.text):
        return _number_text(format(Decimal(leaf.text), "f") if Decimal(leaf.text) else "0")
    return _json_leaf(leaf)


wrong("n14", "The JSON body writes texts that look like numbers as numbers (json_encode with JSON_NUMERIC_CHECK): \"007\" becomes 7, \"1.50\" becomes 1.5", "action-json",
      json_leaf=_numeric_check)

wrong("n15", "The values of the query are form-encoded: a space in a value becomes + (names keep %20)", QUERY,
      query_value=lambda x: b.percent(x.text).replace("%20", "+"))

wrong("n16", "Percent-encoding is encodeURIComponent: ! ' ( ) * are left as they are", ESCAPES,
      percent=lambda text: urllib.parse.quote(b.text_bytes(text), safe="-_.~!'()*"))

wrong("n17", "The query encodes the values but not the names of the parameters", QUERY, query_name=lambda name: name)

wrong("n18", "Percent-encoding writes the hexadecimal digits in lower case (HttpUtility.UrlEncode): %2f", ESCAPES, escape_byte=lambda x: "%%%02x" % x)


def _bucket_raw(given, keys, dialect):
    ordered, signature = b.complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        b.need(ordered, "Type", "BucketName")
    return {"target": b.bucket_target("&".join([x.name + "=" + x.text for x in ordered] + ["Signature=" + signature]))}


wrong("n19", "bucket-request joins the parameters into the target without any percent-encoding (only the action API encodes)", "bucket-request",
      op_bucket_request=_bucket_raw)


def _bucket_late_key(given, keys, dialect):
    ordered, _ = b.complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        b.need(ordered, "Type", "BucketName")
    signature = b.sign_leaves([x for x in ordered if x.name != "PublicKey"], keys)
    return {"target": b.bucket_target(b.query_text(ordered, signature))}


wrong("n20", "bucket-request adds PublicKey after it has signed, so PublicKey is sent but is not in the signed string", "bucket-request",
      op_bucket_request=_bucket_late_key)


# ------------------------------------------------------------------ Password

def _encode64(text):
    raw = base64.b64encode(b.utf8(text)).decode()
    return "\n".join(raw[i:i + 60] for i in range(0, len(raw), 60))


wrong("n21", "The Password is encoded with Ruby's encode64 and chomp: a line break stays after every 60 characters of Base64", "password", password_text=_encode64)


def _encode_again(given, keys):
    ordered = b.prepare(given["parameters"])
    b.need(ordered, "Action", "PublicKey")
    for leaf in ordered:
        if leaf.name == "Password":
            leaf.text = b.password_text(leaf.text)
    return ordered, b.sign_leaves(ordered, keys)


wrong("n22", "Requests Base64-encode the parameter Password, which the caller has already encoded, once more before they sign and send it", SENT, complete=_encode_again)


# ------------------------------------------------------------------ Authorization header, canonical headers

def _sorted_as_given(headers, dialect):
    extra = sorted([(name, value) for name, value in headers if b.is_extra(name, dialect)], key=lambda pair: pair[0])
    return b.entries(b.merge([(b.extra_name(name), b.extra_value(value)) for name, value in extra]))


wrong("n23", "Extra headers are sorted by the name as it was given and converted to lower case afterwards, so X-Svc-B comes before X-Svc-a", FILE,
      canonical_headers=_sorted_as_given)

wrong("n24", "The values of a repeated extra header are joined by a comma and a space", FILE, join_values=lambda values: ", ".join(values))

wrong("n25", "Every run of blanks within the value of an extra header becomes one space (Trimall of AWS V4), not only a fold", FILE,
      extra_value=lambda value: re.sub(r"[ \t]+", " ", _extra_value(value)))

wrong("n26", "The entries of the extra headers are joined by line feeds, so there is none between the last entry and the resource", FILE,
      entries=lambda groups: _entries(groups)[:-1])

wrong("n27", "Extra headers are found by their prefix before the name is in lower case: only those spelled X-Svc- exactly are signed", FILE,
      is_extra=lambda name, dialect: name.startswith(dialect["headerPrefix"]))


def _default_type(headers, method):
    value = _content_type(headers, method)
    return value or ("application/octet-stream" if method == "PUT" else "")


wrong("n28", "A PUT without a Content-Type (or with an empty one) is signed with application/octet-stream", "authorization, policy-authorization, verify-authorization", content_type=_default_type)


def _date_or_extra(headers, method):
    value = _date(headers, method)
    return "" if any(re.fullmatch(r"x-[a-z0-9]+-date", b.fold_name(name)) for name, _ in headers) else value


wrong("n29", "If there is an extra header x-svc-date, the Date position is empty (AWS S3 V2 with x-amz-date)", POSITIONAL, date=_date_or_extra)


def _put_only_md5(headers, method):
    value = b.positional(headers, "content-md5")
    return value if method in ("PUT", "POST") else ""


wrong("n30", "Content-MD5 is signed only for PUT and POST; for the other methods its line is empty even if the header is sent", "authorization, policy-authorization, verify-authorization", content_md5=_put_only_md5)

# ------------------------------------------------------------------ canonical resource

wrong("n31", "The key is percent-encoded in the canonical resource (slashes kept), as it stands in the URL", FILE, resource_key=lambda key: b.url_path(key))

wrong("n32", "Leading slashes of the key are taken off in the canonical resource (ltrim), but not in the URL", FILE, resource_key=lambda key: key.lstrip("/"))

wrong("n33", "With an empty key (a bucket listing) the canonical resource is /bucket, without the slash at its end", FILE,
      resource=lambda bucket, key: _resource(bucket, key) if key else "/" + b.resource_bucket(bucket))

wrong("n34", "The canonical resource ends before the first question mark of the key (the path is taken from a parsed URL that was not encoded)", FILE,
      resource_key=lambda key: key.split("?")[0])

# ------------------------------------------------------------------ forms, policies, instant upload

wrong("n35", "A form without a field Content-Type is signed with the header Content-Type of the request (multipart/form-data...)", "form-authorization",
      form_type=lambda headers, fields: _form_type(headers, fields) if b.form_fields(fields, "Content-Type") else b.content_type(headers, "POST"))


def _field_first(headers, fields):
    values = b.form_fields(fields, "Content-MD5") or b.find(headers, "content-md5")
    value = b.one(values)
    return "" if value is None else b.positional_value(value)


wrong("n36", "In a form the field Content-MD5 goes before the header Content-MD5 when both are there", "form-authorization", form_md5=_field_first)

wrong("n37", "The policy is encoded with standard Base64, with + and /", "policy", policy_base64=lambda data: base64.b64encode(data).decode())


def _decoded_policy(text, policy):
    try:
        return text + base64.urlsafe_b64decode(policy).decode("utf-8")
    except ValueError:
        return _policy_text(text, policy)


wrong("n38", "The policy is appended to the string to sign as its JSON text, before Base64; the header has it in Base64", "policy-authorization, verify-authorization",
      policy_text=_decoded_policy)

wrong("n39", "Instant upload signs the path that it requests, /bucket/uploadhit, instead of the key of the file", "instant-upload", hit_key=lambda key: "uploadhit")

wrong("n40", "The FileName of an instant upload is form-encoded: a space becomes +", "instant-upload",
      hit_target=lambda etag, key, size: "/uploadhit?Hash=" + b.percent(etag) + "&FileName=" + b.percent(key).replace("%20", "+") + "&FileSize=" + b.percent(size))

# ------------------------------------------------------------------ pre-signed URL

wrong("n41", "The Signature goes into the pre-signed URL as plain Base64, not percent-encoded, with its + / and =", "presigned-url", url_signature=lambda signature: signature)


def _put_type(given, headers, dialect):
    method = b.presign_method(given["method"])
    b.check_bucket(given["bucket"])
    mime = b.content_type(headers, method) if method == "PUT" else ""
    return b.lines(method, "", mime, given["expires"], b.presign_headers(headers, dialect), b.presign_resource(given["bucket"], given["key"]))


wrong("n42", "A pre-signed URL for PUT signs the Content-Type of the headers instead of an empty line", "presigned-url", presign_text=_put_type)

wrong("n43", "Pre-signed URLs are always signed for GET, whichever method is asked for", "presigned-url", presign_method=lambda method: (b.verb(method), "GET")[1])

wrong("n44", "The path of a pre-signed URL is encoded with encodeURI, which leaves ? # & = + and the like in the key as they are", "presigned-url",
      url_path=lambda key: urllib.parse.quote(b.utf8(key), safe=";,/?:@&=+$-_.!~*'()#"))


def _date_first(given, headers, dialect):
    method = b.presign_method(given["method"])
    b.check_bucket(given["bucket"])
    when = b.date(headers, method) or given["expires"]
    return b.lines(method, "", "", when, b.presign_headers(headers, dialect), b.presign_resource(given["bucket"], given["key"]))


wrong("n45", "The signature of a pre-signed URL has the Date header in the fourth line if one is given, and Expires only otherwise", "presigned-url", presign_text=_date_first)

# ------------------------------------------------------------------ ETag

wrong("n46", "The block count of an ETag is written in big-endian order (htonl, ByteBuffer, pack N)", "etag", count_bytes=lambda count: count.to_bytes(4, "big"))

wrong("n47", "The block count of an ETag is size / 4 MiB + 1, one too many for whole multiples of 4 MiB and for the empty file", "etag",
      block_count=lambda data, blocks: len(data) // b.block_size() + 1)

wrong("n48", "The ETag of a part is laid out as that of a file, with a block count of 1 before the SHA-1", "part-etag",
      part_raw=lambda data: b.etag_layout(1, b.etag_hash(data)))


# ------------------------------------------------------------------ verifiers: expiry

wrong("n49", "A pre-signed URL counts as expired in the very second of Expires: now >= Expires", V_URL, is_late=lambda now, expires: now >= expires)


def _text_expiry(now, expires):
    b.expires_seconds(expires)
    if now > expires:
        raise b.No("expired", "too late")


wrong("n50", "Expires and the present time are compared as texts, so 999999999 counts as later than 1700000000", V_URL, check_expiry=_text_expiry)

wrong("n51", "The expiry is checked after the signature, so an expired URL with a wrong signature is refused with signature-mismatch", V_URL,
      check_expiry=lambda now, expires: None, after_signature=lambda given, expires: _check_expiry(given["now"], expires))


def _atoi_expiry(now, expires):
    match = re.match(r"\s*[+-]?[0-9]+", expires)
    value = int(match[0]) if match else 0
    if value and int(now) > value:
        raise b.No("expired", "too late")


wrong("n52", "Expires is read with intval: digits with something after them pass, and what is no number at all counts as no expiry", V_URL, check_expiry=_atoi_expiry)

# ------------------------------------------------------------------ verifiers: comparison and account


def _ignore_case(expected, got):
    if expected.lower() != got.lower():
        raise b.No("signature-mismatch", "not the signature of this request")


wrong("n53", "Base64 signatures of files are compared regardless of case (equalsIgnoreCase)", V_FILE, check_signature=_ignore_case)

wrong("n54", "Signatures are compared with strncmp up to the length of the one received, so a prefix of the right one passes", "verify-authorization, verify-presigned-url, verify-query, verify-json",
      equal=lambda expected, got: expected[:len(got)] == got)


def _account_last(given, keys, dialect):
    headers = b.read_headers(given["headers"])
    text = b.verify_header_text(given, headers, dialect)
    value = b.find_authorization(headers)
    scheme, blank, rest = value.partition(" ")
    if not b.scheme_ok(scheme, dialect) or not blank:
        raise b.No("authorization-malformed", "not the scheme")
    public_key, signature, policy = b.split_credentials(rest)
    if policy is not None:
        b.check_policy(policy, given["method"])
    b.check_signature(b.file_signature(b.verify_policy_text(text, policy), keys), signature)
    return {"publicKey": public_key}


wrong("n55", "verify-authorization never compares the public key with that of the account: any public key passes with the account's signature", V_AUTH,
      verify_authorization=_account_last)


# ------------------------------------------------------------------ verifiers: queries

def _form_decode(text):
    return _unpercent(text.replace("+", " "), "query-malformed")


wrong("n56", "Queries are read as form data: a + stands for a space in names and values (also in Signature)", V_QUERY + ", " + V_URL, query_decode=_form_decode)


def _no_blank_values(query):
    out = []
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        if value:
            out.append((b.query_decode(name), b.query_decode(value)))
    return out


wrong("n57", "Parameters with an empty value are lost when a query is read (parse_qsl without keep_blank_values)", V_QUERY + ", " + V_URL, read_query=_no_blank_values)


def _decode_twice(text):
    once = _unpercent(text, "query-malformed")
    try:
        return _unpercent(once, "query-malformed")
    except b.No:
        return once


wrong("n58", "Queries are percent-decoded twice, once by the framework and once by the verifier", V_QUERY + ", " + V_URL, query_decode=_decode_twice)


def _last_wins(given, keys, dialect):
    pairs = dict(b.read_query(given["query"]))
    return b.verify_parameters([list(pair) for pair in pairs.items()], pairs.get("Signature"), keys)


wrong("n59", "verify-query puts the parameters into a map, so of a repeated name the last value is verified instead of a refusal", V_QUERY, verify_query=_last_wins)


def _stray_percent(text, reason):
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes.fromhex(m[1].decode()), b.utf8(text))
    return raw.decode("utf-8", "replace")


wrong("n60", "Percent-decoding is lenient (urllib unquote): a stray % stays as it is and bytes that are not UTF-8 become U+FFFD, instead of a refusal", V_QUERY + ", " + V_URL,
      unpercent=_stray_percent)

wrong("n61", "Parameters without Action are accepted: only PublicKey and Signature are looked for", V_PARAM,
      verify_need=lambda ordered: b.need(ordered, "PublicKey"))

# ------------------------------------------------------------------ verifiers: URL

wrong("n62", "verify-presigned-url leaves out the extra headers of the request when it builds the string to sign", V_URL,
      verify_url_headers=lambda headers, dialect: "")

wrong("n63", "verify-presigned-url verifies a HEAD request as GET", V_URL,
      verify_method=lambda method: "GET" if b.verb(method) == "HEAD" else b.verb(method))

wrong("n64", "The path of a pre-signed URL is decoded as form data: a + in the path becomes a space (QueryUnescape for PathUnescape)", V_URL,
      key_of_path=lambda path: _unpercent(path.replace("+", " "), "url-malformed"))


def _first_label(host, file_host):
    bucket = host.partition(".")[0]
    if not bucket:
        raise b.No("url-malformed", "no bucket")
    return bucket


wrong("n65", "The bucket is the first label of the host of a pre-signed URL; the rest is not compared with the file host", V_URL, check_host=_first_label)

# ------------------------------------------------------------------ verifiers: policies

wrong("n66", "verify-authorization accepts a policy with any method, not only with PUT and POST", V_AUTH, policy_method_ok=lambda method: True)


def _any_base64(policy):
    return re.fullmatch(r"[A-Za-z0-9+/_-]+={0,2}", policy) is not None


wrong("n67", "verify-authorization takes any Base64 text for a policy and does not look whether it is a JSON object", V_AUTH, policy_ok=_any_base64)

wrong("n68", "verify-authorization checks the policy but does not append it to the string to sign, so a signature with policy fails and one without it passes", V_AUTH,
      verify_policy_text=lambda text, policy: text)


# ------------------------------------------------------------------ verifiers: JSON

def _python_number(written):
    value = float(written) if re.search("[.eE]", written) else int(written)
    return {"number": written, "python": str(value)}


def _python_leaves(name, value):
    if isinstance(value, dict) and "python" in value:
        return [b.Leaf(name, value["python"], False)]
    return _leaves(name, value)


_leaves = b.leaves
wrong("n69", "verify-json reads numbers with json.loads and signs str() of the float: 42.0 stays 42.0, 1e3 becomes 1000.0, 0.00001 becomes 1e-05", V_JSON,
      json_number=_python_number, leaves=_python_leaves)


def _dict_pairs(pairs):
    return {"object": [[name, b.wrap(value)] for name, value in dict(pairs).items()]}


wrong("n70", "verify-json reads the body into a map, so of a repeated member the last one is verified instead of a refusal", V_JSON, json_pairs=_dict_pairs)
