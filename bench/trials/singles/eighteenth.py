"""Forty implementations with one mistake each, as patches of base.py: ad01 to ad28 sign, ad29 to ad40 verify."""
import base
import base64
import hashlib
import hmac
import json
import re
from operations import (SIGNED, ACTION, TYPED, QUERY, FILE, HEADER, V_ALL, V_AUTH, V_URL, V_QUERY, V_JSON)
from recording import wrong

# The correct functions, before any patch.
right = {name: value for name, value in vars(base).items() if callable(value)}

# ------------------------------------------------------------ action parameters and their forms

wrong("ad01", "Sorts the parameter names without regard to case, as a TreeMap with String.CASE_INSENSITIVE_ORDER or "
      "PHP's natcasesort does.", ACTION,
      order=lambda leaves: sorted(leaves, key=lambda x: x.name.lower().encode("utf-8")))

wrong("ad02", "Encodes the values of the query string as a form does (urllib's quote_plus, PHP's urlencode), so that a space "
      "becomes a plus sign.", QUERY,
      query_value=lambda leaf: base.percent(leaf.text).replace("%20", "+"))

wrong("ad03", "Signs booleans as Python's str() writes them, True and False with a capital, while the JSON body has true and "
      "false.", TYPED,
      signed_value=lambda leaf: leaf.text.capitalize() if not leaf.quoted and leaf.text in ("true", "false") else leaf.text)


def keeps_zero(written):
    right["number_text"](written)
    text = format(base.Decimal(written), "f")
    return "0" if re.fullmatch("-0", text) else text


wrong("ad04", "Keeps a zero fraction of a number (42.0 is signed and sent as 42.0, 1.50 as 1.50), as BigDecimal.toPlainString "
      "and Python's str() do.", TYPED, number_text=keeps_zero)

wrong("ad05", "Signs the parameters with HMAC-SHA1 keyed with the private key, in place of SHA-1 of the text with the key "
      "appended, as most other clouds do.", ACTION,
      action_digest=lambda text, key: hmac.new(base.utf8(key), base.utf8(text), hashlib.sha1).digest())

wrong("ad06", "Signs the percent-encoded values of the parameters, because it builds the signed text from the finished query "
      "string.", ACTION,
      signed_value=lambda leaf: base.percent(leaf.text))

wrong("ad07", "Numbers the items of a list from 1 (Name.1, Name.2), as the AWS query API does.", TYPED,
      item_name=lambda name, index: "%s.%d" % (name, index + 1))

wrong("ad08", "Encodes Password as MIME Base64 with line breaks and a final line feed, as Python's base64.encodebytes does.",
      "password",
      password_text=lambda text: base64.encodebytes(base.utf8(text)).decode())


def helps_password(parameters):
    return [[name, right["password_text"](value) if name == "Password" and isinstance(value, str) else value]
            for name, value in parameters]


wrong("ad09", "The SDK itself encodes the parameter Password as Base64 in action-signature and in every sent form, although the "
      "caller has encoded it already.", SIGNED,
      complete=lambda given, keys: right["complete"]({"parameters": helps_password(given["parameters"])}, keys),
      op_action_signature=lambda given, keys, dialect: right["op_action_signature"](
          {"parameters": helps_password(given["parameters"])}, keys, dialect))

wrong("ad10", "Writes numbers and booleans as strings in the JSON body, because the parameters are kept in a Map<String, String>.",
      "action-json", json_leaf=lambda leaf: json.dumps(leaf.text))


def in_its_place(ordered, signature):
    pairs = [(x.name, base.query_value(x)) for x in ordered] + [("Signature", signature)]
    return "&".join(base.query_name(n) + "=" + v for n, v in sorted(pairs, key=lambda p: p[0].encode("utf-8")))


wrong("ad11", "Puts Signature at its sorted place in the query string and not last, as Go's url.Values.Encode does.", QUERY,
      query_text=in_its_place)

wrong("ad12", "Leaves out the parameters whose value is an empty string, both in the signed text and in the request (the habit "
      "`if value:` of a dictionary filter).", ACTION,
      prepare=lambda parameters: [leaf for leaf in right["prepare"](parameters) if leaf.text != ""])

# ------------------------------------------------------------ file requests

wrong("ad13", "Signs application/octet-stream as Content-Type when the request has no Content-Type header, the default of many "
      "storage SDKs.", HEADER,
      content_type=lambda headers, method: right["content_type"](headers, method)
      if base.find(headers, "content-type") else "application/octet-stream")

wrong("ad14", "Signs the percent-encoded key (slashes kept) in the resource, as S3 does with the canonical URI.", FILE,
      resource_key=lambda key: base.url_path(key))

wrong("ad15", "Puts the Base64 signature into the pre-signed URL without URL-encoding it.", "presigned-url",
      url_signature=lambda signature: signature)

wrong("ad16", "Signs only the last value of a repeated extra header, because the headers are put into a dictionary by lower-case "
      "name.", FILE,
      merge=lambda pairs: [(name, [value]) for name, value in dict(pairs).items()])

wrong("ad17", "Signs the Content-Type header of the HTTP request for a form upload, not the form field Content-Type.",
      "form-authorization",
      form_type=lambda headers, fields: right["positional"](headers, "content-type"))

wrong("ad18", "Signs the Content-Type header in a pre-signed URL, as the vendor's newer page and several SDKs do, where the "
      "specification leaves the line empty.", "presigned-url",
      presign_type=lambda headers: right["positional"](headers, "content-type"))


def sorted_as_given(headers, dialect):
    groups = {}
    for name, value in sorted([h for h in headers if base.is_extra(h[0], dialect)], key=lambda h: h[0]):
        groups.setdefault(name.lower(), [])
    for name, value in headers:
        if base.is_extra(name, dialect):
            groups[name.lower()].append(base.extra_value(value))
    return base.entries(list(groups.items()))


wrong("ad19", "Sorts the extra headers by the names as the caller spelled them, and converts them to lower case only "
      "afterwards.", FILE, canonical_headers=sorted_as_given)

wrong("ad20", "Unfolds a header value by deleting only the line breaks, so the indentation of the next line stays (a replace of "
      "CR and LF with nothing).", FILE,
      unfold=lambda value: re.sub(r"\r?\n(?=[ \t])", "", value))

wrong("ad21", "Encodes the callback policy with standard Base64 (+ and /), not with the URL-safe alphabet.", "policy",
      policy_base64=lambda data: base64.b64encode(data).decode())

wrong("ad22", "Signs /bucket/uploadhit, the path of the request, for an instant upload, not the key of the file.",
      "instant-upload", hit_key=lambda key: "uploadhit")

wrong("ad23", "Always signs GET in a pre-signed URL, because it was written for downloads only and ignores the method.",
      "presigned-url", presign_method=lambda method: (right["verb"](method), "GET")[1])

wrong("ad24", "Collapses each run of blanks inside an extra header's value into a single space, as AWS Signature 4 does.", FILE,
      extra_value=lambda value: re.sub(r"[ \t]+", " ", right["header_value"](value)))

# ------------------------------------------------------------ ETags

wrong("ad25", "Writes the block count big-endian, as network order and Java's ByteBuffer do.", "etag",
      count_bytes=lambda count: count.to_bytes(4, "big"))

wrong("ad26", "Hashes the joined hexadecimal texts of the block hashes (hexdigest, PHP's sha1()), not their raw bytes, for a file "
      "of more than one block.", "etag",
      hash_hashes=lambda blocks: hashlib.sha1("".join(hashlib.sha1(b).hexdigest() for b in blocks).encode()).digest())

wrong("ad27", "Uses the hash of hashes for a file of exactly 4 MiB, because it tests for size < 4 MiB and not <=.", "etag",
      is_single=lambda data, blocks: len(data) < 4194304)

wrong("ad28", "Strips the = padding of the Base64 (Java's withoutPadding, Go's RawURLEncoding), which changes the ETag of a part.",
      "part-etag",
      etag_base64=lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("="))

# ------------------------------------------------------------ verifiers

wrong("ad29", "Accepts any third part of the Authorization header as a callback policy: it checks neither that the method is PUT "
      "or POST nor that it is Base64 of a JSON object, and only appends it to the signed text.", V_AUTH,
      check_policy=lambda policy, method: None)

wrong("ad30", "Never looks whether a pre-signed URL has expired: Expires is only part of the signed text.", V_URL,
      check_expiry=lambda now, expires: None)

wrong("ad31", "Signs the path of a pre-signed URL as it stands in the request line, without decoding the percent escapes (Node's "
      "req.url, Go's EscapedPath).", V_URL,
      key_of_path=lambda path: path)

wrong("ad32", "Decodes a plus sign in a query string as a space, as parse_qsl, URLSearchParams and PHP's $_GET do.",
      V_QUERY + ", " + V_URL,
      query_decode=lambda text: base.unpercent(text.replace("+", " "), "query-malformed"))

wrong("ad33", "Drops the query parameters with an empty value before it computes the signature, as Python's parse_qsl does by "
      "default.", V_QUERY + ", " + V_URL,
      read_query=lambda query: [pair for pair in right["read_query"](query) if pair[1] != ""])


def as_double(written):
    return {"number": repr(float(written))}


wrong("ad34", "Reads the JSON numbers as doubles (JavaScript, Go's interface{}), so that digits beyond 2^53 change before the "
      "signature is computed.", V_JSON, json_number=as_double)

wrong("ad35", "Compares the signatures without regard to case (equalsIgnoreCase, strcasecmp).", V_ALL,
      equal=lambda expected, got: expected.lower() == got.lower())

wrong("ad36", "Compares the signatures with a home-made constant-time loop over zip() that forgets the lengths, so a truncated "
      "signature is accepted.", V_ALL,
      equal=lambda expected, got: sum(a != b for a, b in zip(expected, got)) == 0)


def exact_authorization(headers):
    return right["find_authorization"]([(n, v) for n, v in headers if n == "Authorization"])


wrong("ad37", "Looks up the header Authorization by its exact spelling in a plain dictionary, so authorization in lower case is "
      "not found.", V_AUTH, find_authorization=exact_authorization)


def any_host(host, file_host):
    bucket = host.partition(".")[0]
    if not bucket:
        raise base.No("url-malformed", "no bucket")
    return bucket


wrong("ad38", "Takes the first label of the host as the bucket and never compares the rest with the file host, so a URL of "
      "another service is accepted.", V_URL, check_host=any_host)

wrong("ad39", "Never compares the public key of the request with the account's: a server with one account only recomputes the "
      "signature.", V_ALL, check_account=lambda public_key, keys: None)


def plain_json(value):
    if isinstance(value, dict) and "number" in value:
        return base.number_text(value["number"])
    if isinstance(value, dict) and "list" in value:
        return "[" + ",".join(plain_json(item) for item in value["list"]) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + plain_json(v) for n, v in value["object"]) + "}"
    return json.dumps(value, ensure_ascii=False)


wrong("ad40", "Signs a nested array or object of the JSON body as its compact JSON text under its own name, in place of "
      "flattening it to Name.0 and Name.Key.", V_JSON,
      verify_prepare=lambda parameters: right["prepare"](
          [[n, plain_json(v) if isinstance(v, dict) and "number" not in v else v] for n, v in parameters]))
