"""Sixty implementations with one mistake each, as patches of base.py: i01 to i45 sign, i46 to i60 verify."""
import base
from operations import (ACTION, ESCAPES, FILE, HEADER, QUERY, SENDERS, SIGNED, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON,  # noqa: F401
                        V_PARAM, V_QUERY, V_URL)
from recording import wrong

# The correct functions, before any patch.
right = {name: value for name, value in vars(base).items() if callable(value)}


# ------------------------------------------------------------------ i01 to i45: signing

# 5.3, percent-encoding

wrong("i01", "Percent-encoding leaves ! * ' ( ) as they are, like encodeURIComponent.", ESCAPES,
      safe_byte=lambda b: right["safe_byte"](b) or b in b"!*'()")

wrong("i02", "Percent-encoding writes a space as +, like Java's URLEncoder or Python's quote_plus.", ESCAPES,
      escape_byte=lambda b: "+" if b == 0x20 else right["escape_byte"](b))

wrong("i03", "Percent-encoding leaves / as it is, like Python's quote with its default safe characters.", ESCAPES,
      safe_byte=lambda b: right["safe_byte"](b) or b == 0x2F)

wrong("i04", "Percent-encoding escapes ~ as %7E, like Java's URLEncoder and old PHP.", ESCAPES,
      safe_byte=lambda b: right["safe_byte"](b) and b != 0x7E)


def percent_units(text):
    base.utf8(text)
    raw = text.encode("utf-16-be")
    units = [raw[i] * 256 + raw[i + 1] for i in range(0, len(raw), 2)]
    return "".join(chr(u) if u < 128 and right["safe_byte"](u) else "%%%02X" % u for u in units)


wrong("i05", "Percent-encoding escapes the UTF-16 code unit of a character (%E9, %4E2D) instead of its UTF-8 bytes.", ESCAPES,
      percent=percent_units)

# 5.1 and 4.2, parameters

wrong("i06", "The parameters are sorted by name without regard to case.", ACTION,
      order=lambda all_leaves: sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name.lower())))


def prepare_then_flatten(parameters):
    kept = base.without_signature(base.flatten(sorted(parameters, key=lambda pair: base.utf8(pair[0]))))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("i07", "The parameters are sorted before lists and objects are flattened, so Name.10 stays after Name.2 and the members of an "
      "object stay in the order given.", TYPED, prepare=prepare_then_flatten)

wrong("i08", "Booleans are signed (and sent in a query) as True and False, as Python's str() writes them; the JSON body has true and "
      "false.", TYPED, boolean_text=lambda value: str(value),
      json_leaf=lambda leaf: leaf.text.lower() if not leaf.quoted and leaf.text in ("True", "False") else right["json_leaf"](leaf))


def number_double(written):
    right["number_text"](written)
    return right["number_text"](repr(float(written)))


wrong("i09", "Every number goes through a double and is written without exponent, so integers beyond 2^53 and long fractions lose "
      "digits and those beyond the range of a double are refused.", TYPED, number_text=number_double)

wrong("i10", "Parameters whose value is falsy (empty text, the number 0, false) are left out of the signed text and of the request.",
      ACTION, prepare=lambda parameters: [leaf for leaf in right["prepare"](parameters)
                                          if leaf.text != "" and (leaf.quoted or leaf.text not in ("0", "false"))])

wrong("i11", "The signed text of the parameters has the percent-encoded values instead of the plain ones.", ACTION,
      signed_value=lambda leaf: base.percent(leaf.text))

wrong("i12", "The hexadecimal signature is made with BigInteger.toString(16), which drops the digest's leading zeros.", ACTION,
      action_hex=lambda digest: "%x" % int.from_bytes(digest, "big"))


def ordered_with_signature(parameters):
    all_leaves = base.flatten(parameters)
    base.check_repeated([leaf.name for leaf in all_leaves])
    return base.order(all_leaves)


def complete_resigning(given, keys):
    ordered = base.prepare(given["parameters"])
    base.need(ordered, "Action", "PublicKey")
    return ordered, base.sign_leaves(ordered_with_signature(given["parameters"]), keys)


wrong("i13", "A Signature that is already among the parameters (of a retry) is signed with them, before the new one replaces it.", SIGNED,
      op_action_signature=lambda given, keys, dialect: {"signature": base.sign_leaves(ordered_with_signature(given["parameters"]), keys)},
      complete=complete_resigning)

wrong("i14", "The JSON body has every value as a JSON string, numbers and booleans too.", "action-json",
      json_leaf=lambda leaf: base.json.dumps(leaf.text))


def nested_json(value):
    if value is True or value is False:
        return base.boolean_text(value)
    if isinstance(value, str):
        return base.json.dumps(value)
    if "number" in value:
        return base.number_text(value["number"])
    if "list" in value:
        return "[" + ", ".join(nested_json(item) for item in value["list"]) + "]"
    return "{" + ", ".join(base.json.dumps(name) + ": " + nested_json(item) for name, item in value["object"]) + "}"


def action_json_nested(given, keys, dialect):
    _, signature = base.complete(given, keys)
    members = [(name, value) for name, value in given["parameters"] if not base.unsigned_name(name)] + [("Signature", signature)]
    return {"body": nested_json({"object": members})}


wrong("i15", "The JSON body has lists and objects as JSON arrays and objects; only the signed text is flattened.", "action-json",
      op_action_json=action_json_nested)

wrong("i16", "The items of a list are numbered from one: Name.1, Name.2.", TYPED,
      item_name=lambda name, index: name + "." + str(index + 1))


def query_sorted(ordered, signature):
    return "&".join(base.query_name(x.name) + "=" + base.query_value(x)
                    for x in base.order(ordered + [base.Leaf("Signature", signature, True)]))


wrong("i17", "In the query, Signature stands at its place in the sorted order instead of last.", QUERY, query_text=query_sorted)

wrong("i18", "The signature of parameters is HMAC-SHA1 keyed with the private key, which is not appended, instead of SHA-1 of the text "
      "with the key at its end.", ACTION,
      action_digest=lambda text, private_key: base.file_digest(base.utf8(private_key), base.utf8(text)))

wrong("i19", "The Base64 of a password is broken into lines of 76 characters and ends with a line feed, like Python's encodebytes.",
      "password", password_text=lambda text: base.base64.encodebytes(base.utf8(text)).decode())

# 5.2, headers

wrong("i20", "The extra headers stay in the order given, as in the worked example, instead of being sorted.", FILE,
      sort_groups=lambda groups: groups)

wrong("i21", "Of extra headers with the same name only the last value is signed (they are put into a dictionary).", FILE,
      merge=lambda pairs: [(name, [value]) for name, value in dict(pairs).items()])

wrong("i22", "The values of a repeated extra header are joined by a comma and a space.", FILE,
      join_values=lambda values: ", ".join(values))


def sort_then_lower(headers, dialect):
    chosen = sorted([pair for pair in headers if base.is_extra(pair[0], dialect)], key=lambda pair: pair[0])
    return base.entries(base.merge([(base.extra_name(name), base.extra_value(value)) for name, value in chosen]))


wrong("i23", "The extra headers are sorted by their names as given and converted to lower case afterwards, so X-Svc-B comes before "
      "x-svc-a.", FILE, canonical_headers=sort_then_lower)

wrong("i24", "Unfolding replaces only the line break by a space and keeps the blanks around it.", FILE,
      unfold=lambda value: base.re.sub(r"\r?\n(?=[ \t])", " ", value))

wrong("i25", "Runs of spaces inside the value of an extra header are collapsed to one space, as in AWS V4.", FILE,
      extra_value=lambda value: base.re.sub(" {2,}", " ", right["extra_value"](value)))

wrong("i26", "The extra headers are joined by line feeds and a line feed is put before the resource always, so that a request without "
      "extra headers has an empty line there.", FILE, entries=lambda groups: right["entries"](groups) or "\n")


def lines_without_empty(method, md5, mime, when, extra, res):
    return "".join(part + "\n" for part in (method, md5, mime, when) if part) + extra + res


wrong("i27", "An empty Content-MD5, Content-Type or Date (or Expires) leaves out its line feed too.", FILE, lines=lines_without_empty)

wrong("i28", "The key in the resource is percent-encoded per segment, as in the URL.", FILE, resource_key=lambda key: base.url_path(key))


def resource_join(bucket, key):
    import posixpath
    path = posixpath.normpath("/" + bucket + "/" + key)
    return path + "/" if key.endswith("/") and path != "/" else path


wrong("i29", "The resource is built with Node's path.posix.join('/', bucket, key), which collapses slashes, resolves . and .. and has "
      "no final slash for an empty key.", FILE, resource=resource_join)

wrong("i30", "The signature of file requests is URL-safe Base64.", FILE,
      file_base64=lambda digest: base.base64.urlsafe_b64encode(digest).decode())


def verb_as_given(method):
    right["verb"](method)
    return method


wrong("i31", "The HTTP method is signed as it is given, so get and put are signed in lower case.",
      "authorization, policy-authorization, presigned-url, verify-authorization, verify-presigned-url", verb=verb_as_given)


def date_or_extra(headers, method):
    if any(base.re.fullmatch(r"x-[a-z0-9]+-date", base.fold_name(name)) for name, _ in headers):
        return ""
    return right["date"](headers, method)


wrong("i32", "When there is an extra header x-svc-date, the Date position is left empty, as Amazon's rule for x-amz-date has it.",
      HEADER + ", form-authorization", date=date_or_extra)

wrong("i33", "A PUT or POST without Content-Type is signed with application/octet-stream in its position.", HEADER,
      content_type=lambda headers, method: right["content_type"](headers, method)
      or ("application/octet-stream" if method in ("PUT", "POST") else ""))

# 4.3, forms; policies; instant upload

wrong("i34", "A form upload is signed with the HTTP header Content-Type instead of the form field.", "form-authorization",
      form_type=lambda headers, fields: base.positional(headers, "content-type"))

wrong("i35", "A line feed separates the resource and the policy in the signed text.", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + "\n" + policy)

wrong("i36", "The policy is encoded with standard Base64 instead of the URL-safe one.", "policy",
      policy_base64=lambda data: base.base64.b64encode(data).decode())

wrong("i37", "The instant upload is signed for the resource /<bucket>/uploadhit, the path of the request.", "instant-upload",
      hit_key=lambda key: "uploadhit")

# 5.4, pre-signed URLs

wrong("i38", "A pre-signed URL is signed without the extra headers.", "presigned-url", presign_headers=lambda headers, dialect: "")

wrong("i39", "The signature is put into the pre-signed URL without URL-encoding.", "presigned-url",
      url_signature=lambda signature: signature)


def presign_get(method):
    right["verb"](method)
    return "GET"


wrong("i40", "A pre-signed URL is signed for GET, whatever the method asked for.", "presigned-url", presign_method=presign_get)

# 2, ETags

wrong("i41", "The block count in the ETag is big-endian.", "etag", count_bytes=lambda count: count.to_bytes(4, "big"))

wrong("i42", "A file of exactly 4 MiB gets the hash of block hashes, because the test is < instead of <=.", "etag",
      is_single=lambda data, blocks: len(data) < base.block_size())

wrong("i43", "The block count is size / 4 MiB + 1, one too many for an empty file and for whole multiples of 4 MiB.", "etag",
      block_count=lambda data, blocks: len(data) // base.block_size() + 1)

wrong("i44", "For a file of several blocks the hexadecimal hashes of the blocks are hashed instead of their bytes.", "etag",
      hash_hashes=lambda blocks: base.etag_hash("".join(base.etag_hash(block).hex() for block in blocks).encode()))

wrong("i45", "The ETag of a part is made like that of a file, with the block count before the hash.", "part-etag",
      part_raw=lambda data: base.etag_layout(len(base.split(data)), base.etag_digest(data, base.split(data))))

# ------------------------------------------------------------------ i46 to i60: verifying

wrong("i46", "The signatures are compared over the length of the received one (strncmp), so a beginning of the right signature is "
      "accepted.", V_ALL, equal=lambda expected, got: expected.startswith(got))

wrong("i47", "The public key of the request is not compared with the account's; any is accepted and returned.", V_ALL,
      check_account=lambda public_key, keys: None)


def method_get(method):
    right["verb"](method)
    return "GET"


wrong("i48", "A pre-signed URL is verified as a GET, whatever the method of the request.", V_URL, verify_method=method_get)


def verified_with(md5=None, mime=None, key=None, chosen=None):
    """verify_header_text with one part changed."""
    def text(given, headers, dialect):
        method = base.verb(given["method"])
        base.check_bucket(given["bucket"])
        was = [base.content_md5(headers, method), base.content_type(headers, method), base.date(headers, method)]
        return base.lines(method, md5(was[0]) if md5 else was[0], mime(was[1]) if mime else was[1], was[2],
                          base.canonical_headers(chosen(headers, dialect) if chosen else headers, dialect),
                          base.resource(given["bucket"], key(given["key"]) if key else given["key"]))
    return text


wrong("i49", "The verifier of the Authorization header leaves the Content-MD5 position empty, even if the header is there.", V_AUTH,
      verify_header_text=verified_with(md5=lambda value: ""))

wrong("i50", "The verifier of the Authorization header takes the media type without its parameters (; charset=utf-8) as Content-Type.",
      V_AUTH, verify_header_text=verified_with(mime=lambda value: value.partition(";")[0].strip(" \t")))


def unquote(text):
    from urllib.parse import unquote as decode
    return decode(text)


wrong("i51", "The verifier of the Authorization header percent-decodes the key, which is decoded already.", V_AUTH,
      verify_header_text=verified_with(key=unquote))


def first_extras(headers, dialect):
    out, seen = [], set()
    for name, value in headers:
        if base.is_extra(name, dialect):
            if base.extra_name(name) in seen:
                continue
            seen.add(base.extra_name(name))
        out.append((name, value))
    return out


wrong("i52", "The verifier of file requests reads only the first of several extra headers with the same name (Header.Get).", V_FILE,
      verify_header_text=verified_with(chosen=first_extras),
      verify_url_headers=lambda headers, dialect: base.canonical_headers(first_extras(headers, dialect), dialect))

wrong("i53", "The verifier accepts a callback policy as the third part of the header but does not append it to the signed text.", V_AUTH,
      verify_policy_text=lambda text, policy: text)

wrong("i54", "The verifier accepts a callback policy with every method, GET and DELETE too.", V_AUTH,
      policy_method_ok=lambda method: True)

wrong("i55", "The verifier does not look into the third part of the header: any text passes as a policy, also one that is not Base64 "
      "of a JSON object.", V_AUTH, policy_ok=lambda policy: True)

wrong("i56", "The verifier of pre-signed URLs never compares Expires with the clock.", V_URL, check_expiry=lambda now, expires: None)

wrong("i57", "The verifier of pre-signed URLs decodes + in the path as a space.", V_URL,
      key_of_path=lambda path: right["key_of_path"](path.replace("+", " ")))

wrong("i58", "The verifiers decode + in a query as a space, like form parsers.", "verify-query, verify-presigned-url",
      query_decode=lambda text: right["query_decode"](text.replace("+", " ")))


def prepare_unsorted(parameters):
    kept = base.without_signature(base.flatten(parameters))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("i59", "The verifiers of parameters join them in the order received instead of sorting them.", V_PARAM,
      verify_prepare=prepare_unsorted)

wrong("i60", "The verifier of JSON bodies parses numbers to doubles, so integers beyond 2^53 and long fractions change and "
      "numbers beyond the range of a double are refused.", V_JSON,
      json_number=lambda written: {"number": repr(float(written))})
