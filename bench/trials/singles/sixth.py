"""Blind trial, sixth set: single wrong mistakes; each entry replaces one or a few functions of base.py."""
import base64
import json
import re
import urllib.parse

import base as b
from operations import ACTION, ESCAPES, FILE, POSITIONAL, QUERY, SIGNED, TYPED, V_ALL, V_AUTH, V_JSON, V_PARAM, V_QUERY, V_URL
from recording import wrong

_number_text = b.number_text
_percent = b.percent
_list_leaves = b.list_leaves
_content_md5 = b.content_md5
_form_md5 = b.form_md5
_form_type = b.form_type
_date = b.date
_resource = b.resource
_file_key = b.file_key
_password_text = b.password_text
_prepare = b.prepare
_policy_json = b.policy_json
_policy_base64 = b.policy_base64
_etag_base64 = b.etag_base64
_canonical_headers = b.canonical_headers
_split_credentials = b.split_credentials
_check_signature = b.check_signature
_expires_seconds = b.expires_seconds
_read_query = b.read_query
_read_json = b.read_json
_header_text = b.header_text
_verify_url = b.verify_url


# ------------------------------------------------------------------ parameters

def _plain_text(value):
    if value is True or value is False:
        return b.boolean_text(value)
    return value if isinstance(value, str) else b.number_text(value["number"])


def _comma_list(name, items):
    if items and all(x is True or x is False or isinstance(x, str) or isinstance(x, dict) and "number" in x for x in items):
        return [b.Leaf(name, ",".join(map(_plain_text, items)), True)]
    return _list_leaves(name, items)


wrong("m01", "A list of plain values is joined with commas into one parameter; only lists of objects or lists get indexes", TYPED, list_leaves=_comma_list)


def _lost_prefix(name, members):
    out = []
    for member, item in members:
        inner = isinstance(item, dict) and "object" in item
        out += b.leaves(member if inner else b.member_name(name, member), item)
    return out


wrong("m02", "The recursion for an object within an object passes the member's name alone, so Obj.Deep.k is signed and sent as Deep.k", TYPED,
      object_leaves=_lost_prefix)


def _minus_zero(written):
    text = _number_text(written)
    return "-0" if text == "0" and written.startswith("-") else text


wrong("m03", "A negative zero keeps its sign: -0 and -0.0 are signed and sent as -0", TYPED, number_text=_minus_zero)

wrong("m04", "An exponent with a plus sign (1e+21, as JavaScript writes it) is not known by the pattern, so such a number is signed and sent as it was written", TYPED,
      number_text=lambda w: _number_text(w) and w if re.search(r"[eE]\+", w) else _number_text(w))

wrong("m05", "http_build_query, urldecode and str_replace(['=', '&'], ''): names and values also lose their own equals signs and ampersands in the signed text", ACTION,
      signed_pair=lambda x: re.sub("[=&]", "", x.name + b.signed_value(x)))

wrong("m06", "Texts are URL-decoded before they are signed, to be on the safe side, so a plus is signed as a blank and %25 as a percent sign", ACTION,
      signed_value=lambda x: urllib.parse.unquote_plus(x.text) if x.quoted else x.text)

wrong("m07", "Integer.toHexString for each byte of the digest: a byte below 16 gets one digit, so the signature is shorter than 40 characters", ACTION,
      action_hex=lambda digest: "".join("%x" % c for c in digest))


def _as_json(value):
    if value is True or value is False:
        return b.boolean_text(value)
    if isinstance(value, str):
        return json.dumps(value)
    if "number" in value:
        return b.number_text(value["number"])
    if "list" in value:
        return "[" + ", ".join(map(_as_json, value["list"])) + "]"
    return "{" + ", ".join(json.dumps(n) + ": " + _as_json(v) for n, v in value["object"]) + "}"


def _nested_body(given, keys, dialect):
    ordered, signature = b.complete(given, keys)
    members = [json.dumps(n) + ": " + _as_json(v) for n, v in given["parameters"] if n != "Signature"]
    return {"body": "{" + ", ".join(members + ['"Signature": ' + json.dumps(signature)]) + "}"}


wrong("m08", "The JSON body holds lists and objects as they were given; they are flattened for the signed text only", "action-json", op_action_json=_nested_body)


def _json_password(ordered, signature):
    leaves = [b.Leaf(x.name, _password_text(x.text), True) if x.name == "Password" else x for x in ordered]
    parts = [json.dumps(x.name) + ": " + b.json_leaf(x) for x in leaves]
    return "{" + ", ".join(parts + ['"Signature": ' + json.dumps(signature)]) + "}"


wrong("m09", "The writer of the JSON body Base64-encodes the parameter Password; the signature covers it as given", "action-json", json_text=_json_password)

wrong("m10", "The query names the items of lists with brackets (Names[0]), as PHP does; the signed text has Names.0", QUERY,
      query_name=lambda name: _percent(re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", name, flags=re.A)))

wrong("m11", "The query repeats the list's name for each item (Names=a&Names=b), as URLSearchParams.append does; the signed text has Names.0 and Names.1", QUERY,
      query_name=lambda name: _percent(re.sub(r"\.\d+$", "", name, flags=re.A)))


def _bucket_lower(given, keys, dialect):
    ordered, signature = b.complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        b.need(ordered, "Type", "BucketName")
    sent = [b.Leaf(x.name, x.text.lower(), x.quoted) if x.name == "BucketName" else x for x in ordered]
    return {"target": b.bucket_target(b.query_text(sent, signature))}


wrong("m12", "BucketName is sent in lower case, as host names are, but signed as given", "bucket-request", op_bucket_request=_bucket_lower)


def _bucket_path(query):
    found = re.search("(?:^|&)BucketName=([^&]*)", query)
    return "/" + (found[1] if found else "") + "?" + query


wrong("m13", "Path style: the target of a bucket request with BucketName is /<BucketName>?... instead of /?...", "bucket-request", bucket_target=_bucket_path)

# ------------------------------------------------------------------ url-encode, password

wrong("m14", "The escaped text is put into upper case to get upper-case digits, and so are the letters of the text itself", ESCAPES,
      percent=lambda text: _percent(text).upper(), url_path=lambda key: "/".join(_percent(p).upper() for p in key.split("/")))


def _char_hex(text):
    units = b.utf8(text).decode().encode("utf-16-be")
    codes = [units[i] * 256 + units[i + 1] for i in range(0, len(units), 2)]
    return "".join(chr(c) if c < 128 and b.safe_byte(c) else "%%%02X" % c for c in codes)


wrong("m15", "String.format(\"%%%02X\", (int) c) for each char instead of each byte of UTF-8: é is %E9 and 中 is %4E2D", ESCAPES, percent=_char_hex)

wrong("m16", "White space at both ends of the password is trimmed before it is encoded", "password", password_text=lambda text: _password_text(text.strip()))

wrong("m17", "Base64.getEncoder().withoutPadding(): the encoded password has no equals signs at its end", "password",
      password_text=lambda text: _password_text(text).rstrip("="))

# ------------------------------------------------------------------ files

wrong("m18", "Blanks are removed around every colon of an extra header's line, also around those within the value (a: b becomes a:b)", FILE,
      entry=lambda name, values: re.sub("[ \t]*:[ \t]*", ":", name + ":" + b.join_values(values)) + "\n")


def _md5_hex(value):
    try:
        raw = base64.b64decode(value, validate=True)
    except ValueError:
        return value
    return raw.hex() if len(raw) == 16 else value


wrong("m19", "A Content-MD5 that is Base64 of 16 bytes is signed as its 32 hexadecimal digits", POSITIONAL,
      content_md5=lambda headers, method: _md5_hex(_content_md5(headers, method)), form_md5=lambda headers, fields: _md5_hex(_form_md5(headers, fields)))

wrong("m20", "A Date that ends in UTC or +0000 is signed with GMT at its end", POSITIONAL,
      date=lambda headers, method: re.sub(r"(UTC|\+0000)\Z", "GMT", _date(headers, method)))

wrong("m21", "The bucket is taken from the host up to its first dot, so my.bucket is signed as my", FILE.replace(", verify-presigned-url", ""), resource_bucket=lambda bucket: bucket.split(".")[0])

wrong("m22", "A key that begins with the bucket's name and a slash is taken for bucket and key, so the bucket is not put before it again", FILE,
      resource=lambda bucket, key: "/" + key if key.startswith(bucket + "/") else _resource(bucket, key))

wrong("m23", "The signed key ends before its first question mark, as if a query began there", FILE, resource_key=lambda key: key.split("?")[0])

wrong("m24", "The four lines before the extra headers are trimmed at their end and then one line feed is added, so without a Date its line is missing "
      "(and without Content-Type and Content-MD5 theirs too)", POSITIONAL,
      lines=lambda method, md5, mime, when, extra, res: "\n".join([method, md5, mime, when]).rstrip("\n") + "\n" + extra + res)

wrong("m25", "The line break after each extra header stands in single quotes, so a backslash and the letter n are signed there", FILE,
      entry=lambda name, values: name + ":" + b.join_values(values) + "\\n")

wrong("m26", "A private key of hexadecimal digits is decoded to bytes before it is the key of the HMAC", FILE,
      file_key=lambda k: bytes.fromhex(k) if re.fullmatch("([0-9A-Fa-f]{2})+", k) else _file_key(k))

# ------------------------------------------------------------------ policies, forms, instant upload


def _policy_before(value, policy):
    head, _, signature = value.rpartition(":")
    return head + ":" + policy + ":" + signature if policy else value


wrong("m27", "The policy stands before the signature in the header: <key>:<policy>:<signature>", "policy-authorization", policy_credentials=_policy_before)


def _policy_alone(given, keys, dialect):
    text = b.sign_given(given, b.read_headers(given["headers"]), dialect, given["method"], given["key"])
    signature = b.file_signature(given["policy"] or text, keys)
    return {"authorization": b.policy_credentials(b.credentials(keys["publicKey"], signature, dialect), given["policy"])}


wrong("m28", "Qiniu's rule: with a policy the signature covers the policy alone and nothing of the request", "policy-authorization", op_policy_authorization=_policy_alone)

wrong("m29", "stripslashes() on the policy's JSON, to undo \\/, also takes the backslashes before quotes and other escapes", "policy",
      policy_json=lambda members: re.sub(r"\\(.)", r"\1", _policy_json(members), flags=re.S))

wrong("m30", "json.NewEncoder(w).Encode of Go: the policy is the Base64 of the JSON with a line feed after it", "policy",
      policy_base64=lambda data: _policy_base64(data + b"\n"))

wrong("m31", "A copied line was not changed: without a header Content-MD5, the form's line of Content-MD5 holds the form field Content-Type", "form-authorization",
      form_md5=lambda headers, fields: b.positional_value(b.one(b.find(headers, "content-md5") or b.form_fields(fields, "Content-Type")) or ""))


def _not_multipart(headers, fields):
    value = b.one(b.find(headers, "content-type"))
    return b.positional_value(value) if value and not b.trim(value).lower().startswith("multipart/") else _form_type(headers, fields)


wrong("m32", "A form signs the form field Content-Type only if the header is missing or multipart; any other header Content-Type is signed in its place",
      "form-authorization", form_type=_not_multipart)

wrong("m33", "The query of an instant upload is built by a form encoder, so a blank in FileName is +", "instant-upload",
      hit_target=lambda etag, key, size: "/uploadhit?Hash=" + b.percent(etag) + "&FileName=" + b.percent(key).replace("%20", "+") + "&FileSize=" + b.percent(size))

wrong("m34", "The size is a float in Lua 5.3, so FileSize is written with a zero fraction (4096.0)", "instant-upload",
      hit_target=lambda etag, key, size: "/uploadhit?Hash=" + b.percent(etag) + "&FileName=" + b.percent(key) + "&FileSize=" + b.percent(size + ".0"))


def _instant_bare(given, keys, dialect):
    headers = [(n, v) for n, v in b.read_headers(given["headers"]) if not b.is_extra(n, dialect)]
    text = b.sign_given(given, headers, dialect, b.hit_method(), b.hit_key(given["key"]))
    return {"target": b.hit_target(given["etag"], given["key"], given["size"]),
            "authorization": b.credentials(keys["publicKey"], b.file_signature(text, keys), dialect)}


wrong("m35", "Instant upload is signed without the extra headers of the request, since no file is sent", "instant-upload", op_instant=_instant_bare)

# ------------------------------------------------------------------ presigned URLs


def _joined(given, keys, dialect):
    signature = b.file_signature(b.presign_text(given, b.read_headers(given["headers"]), dialect), keys)
    return {"url": b.url_start(given["scheme"], given["bucket"], given["fileHost"]) + b.url_path(given["key"]) + ("&" if "?" in given["key"] else "?")
            + b.url_query(b.url_public_key(keys["publicKey"]), b.percent(b.url_expires(given["expires"])), b.url_signature(signature), dialect)}


wrong("m36", "The query is joined with & instead of ? if the key has a question mark (key.includes('?') ? '&' : '?')", "presigned-url", op_presign=_joined)


def _seconds(expires):
    return str(int(expires) // 1000) if re.fullmatch("[1-9][0-9]{12}", expires) else expires


wrong("m37", "An Expires of 13 digits is taken for milliseconds and divided by 1000, in the URL and in the signed text", "presigned-url",
      presign_expires=_seconds, url_expires=_seconds)

wrong("m38", "The equals sign at the signature's end is taken off before it goes into the URL", "presigned-url", url_signature=lambda s: b.percent(s.rstrip("=")))

# ------------------------------------------------------------------ ETag

wrong("m39", "Qiniu's layout: the byte 0x16 before the hash of a file of one block, 0x96 before that of more, instead of the count of blocks", "etag",
      etag_layout=lambda count, digest: (b"\x96" if count > 1 else b"\x16") + digest)

wrong("m40", "Each chunk of the read stream (64 KiB) is taken for a block of a file, in the count and in the hash over the hashes; the limit of the single hash is right", "etag",
      split=lambda data: [data[i:i + 65536] for i in range(0, len(data), 65536)], is_single=lambda data, blocks: len(data) <= 4194304)

wrong("m41", "The last block of a file of more than 4 MiB is read into a cleared buffer and hashed as 4 MiB, with zeros after its end", "etag",
      hash_hashes=lambda blocks: b.etag_hash(b"".join(b.etag_hash(bytes(x).ljust(4194304, b"\0")) for x in blocks)))


def _part(change):
    return lambda given, keys, dialect: {"etag": change(_etag_base64(b.part_raw(b.content_bytes(given["content"]))))}


wrong("m42", "base64.RawURLEncoding: a part's ETag has no equals sign at its end (the file's ETag has none anyway)", "part-etag", op_part_etag=_part(lambda t: t.rstrip("=")))

wrong("m43", "A part's ETag stands in double quotes, as in S3's header ETag", "part-etag", op_part_etag=_part(lambda t: '"' + t + '"'))

# ------------------------------------------------------------------ verifying


def _braces(policy):
    try:
        plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
        text = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")
    except ValueError:
        return False
    return text.startswith("{") and text.endswith("}")


wrong("m44", "The third part counts as a JSON object if its decoded text begins with { and ends with }, whatever stands between", V_AUTH, policy_ok=_braces)


def _with_headers(change):
    return lambda given, headers, dialect: _header_text(given["method"], given["bucket"], given["key"], change(headers, dialect), dialect)


wrong("m45", "The framework hands over Content-Type without its parameters (req.mimetype), so a good request with ; charset=utf-8 is a mismatch", V_AUTH,
      verify_header_text=_with_headers(lambda hs, d: [(n, v.split(";")[0] if n.lower() == "content-type" else v) for n, v in hs]))

wrong("m46", "The bucket comes from the host in lower case, so a request for a bucket with capitals is verified as one for the bucket in lower case", V_AUTH,
      verify_header_text=lambda given, headers, dialect: _header_text(given["method"], given["bucket"].lower(), given["key"], headers, dialect))


def _no_signature(rest):
    return (rest[:-1], "", None) if re.fullmatch("[^: \t]+:", rest) else _split_credentials(rest)


def _if_given(expected, got):
    if got:
        _check_signature(expected, got)


wrong("m47", "if (signature && signature != expected): an Authorization with nothing after the colon is accepted", V_AUTH,
      split_credentials=_no_signature, check_signature=_if_given)

wrong("m48", "The prefix of extra headers is compared in this spelling only, so extra headers that came in lower case (HTTP/2) are left out of the verified text", V_AUTH,
      verify_header_text=_with_headers(lambda hs, d: [(n, v) for n, v in hs if not b.is_extra(n, d) or n.startswith(d["headerPrefix"])]))

wrong("m49", "Content-MD5 is gone from newer HTTP, and the server's library does not hand it over, so it is verified as absent", V_AUTH,
      verify_header_text=_with_headers(lambda hs, d: [(n, v) for n, v in hs if n.lower() != "content-md5"]))

wrong("m50", "The path is freed of all slashes at its start (lstrip), also of those that belong to the key, so a key like /a does not match", V_URL,
      key_of_path=lambda path: b.unpercent(path, "url-malformed").lstrip("/"))

wrong("m51", "The expiry is multiplied by 1000 for the comparison, but the clock is in seconds, so no realistic URL ever expires", V_URL,
      is_late=lambda now, expires: now > expires * 1000)


def _float_seconds(expires):
    if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?([eE][+]?[0-9]{1,2})?", expires):
        return int(float(expires))
    return _expires_seconds(expires)


wrong("m52", "is_numeric and a float: an expiry with an exponent or a fraction (1.8e9, 1700000000.5) is accepted", V_URL, expires_seconds=_float_seconds)

wrong("m53", "strtol with base 0 reads the expiry, so one with a zero at its start is octal and ends before the first 8 or 9", V_URL,
      expires_seconds=lambda e: int(re.match("0[0-7]*", e)[0], 8) if re.fullmatch("0[0-9]{1,14}", e) else _expires_seconds(e))


def _to_the_end(given, keys, dialect):
    head, mark, tail = given["url"].partition("Signature=")
    return _verify_url({**given, "url": head + mark + tail.replace("&", "%26")}, keys, dialect)


wrong("m54", "url.substring(url.indexOf('Signature=') + 10): all that follows is the signature, so a further parameter after it makes a mismatch", V_URL, verify_url=_to_the_end)


def _first_values(headers, dialect):
    seen, out = set(), []
    for name, value in headers:
        if name.lower() not in seen:
            out.append((name, value))
        seen.add(name.lower())
    return _canonical_headers(out, dialect)


wrong("m55", "getHeader gives the first value, so of a repeated extra header only that one is verified with a presigned URL", V_URL, verify_url_headers=_first_values)


def _of_pairs(change):
    """verify_query with other pairs, without touching verify-presigned-url."""
    def verify(given, keys, dialect):
        pairs = change(given["query"])
        b.check_query_repeated([n for n, _ in pairs])
        return b.verify_parameters([list(p) for p in pairs], b.signature_of(pairs), keys)
    return verify


def _last_equals(query):
    out = []
    for piece in query.split("&"):
        if piece:
            name, mark, value = piece.rpartition("=") if "=" in piece else (piece, "", "")
            out.append((b.query_decode(name), b.query_decode(value)))
    return out


wrong("m56", "A pair of the query is split at its last equals sign instead of the first, so a value with raw equals signs (Password=VUN=) goes into the name", V_QUERY,
      verify_query=_of_pairs(_last_equals))


def _raw_public_key(query):
    return [(n, v) if n != "PublicKey" else (n, p.partition("=")[2]) for (n, v), p in zip(_read_query(query), [p for p in query.split("&") if p])]


wrong("m57", "PublicKey is cut out of the raw query and not decoded, since it needs no encoding, so one with %40 is unknown", V_QUERY, verify_query=_of_pairs(_raw_public_key))

wrong("m58", "A log filter masks Password as [FILTERED] in the parameters themselves before they are verified", V_PARAM,
      verify_prepare=lambda ps: _prepare([[n, "[FILTERED]" if n == "Password" else v] for n, v in ps]))


def _python_booleans(value):
    if value is True or value is False:
        return str(value)
    if isinstance(value, dict) and "list" in value:
        return {"list": [_python_booleans(x) for x in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[n, _python_booleans(v)] for n, v in value["object"]]}
    return value


wrong("m59", "Booleans of the JSON body are written with Python's str() into the verified text, as True and False", V_JSON,
      read_json=lambda body: [[n, _python_booleans(v)] for n, v in _read_json(body)])


def _batch_of_one(body):
    text = body.strip(" \t\r\n")
    return _read_json(text[1:-1]) if text.startswith("[") and text.endswith("]") else _read_json(body)


wrong("m60", "A body that is a list with one object in it is verified as that object (a batch of one) instead of refused", V_JSON, read_json=_batch_of_one)
