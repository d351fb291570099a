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

# ------------------------------------------------------------------ URL encoding

wrong("as01", "The escaping keeps every byte that is a letter or digit in Latin-1, so many bytes of characters outside ASCII stay unescaped.", ESCAPES,
      safe_byte=lambda b: chr(b).isalnum() or b in b"-_.~")

wrong("as02", "In a query only the values are escaped; the names of parameters are written as they are.", QUERY,
      query_name=lambda name: name)


# ------------------------------------------------------------------ account API

def order_by_pair(all_leaves):
    return sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name + leaf.text))


wrong("as03", "The parameters are sorted by the text of name and value together instead of the name, which matters if one name begins with another.", ACTION,
      order=order_by_pair)


def no_trailing_zeros(written):
    text = right["number_text"](written)
    return text if "." in text else text.rstrip("0") or "0"


wrong("as04", "The code that drops the zeros of a fraction also drops the last zeros of whole numbers: 100 becomes 1.", TYPED,
      number_text=no_trailing_zeros)


def six_places(written):
    text = right["number_text"](written)
    if "." not in text:
        return text
    text = format(Decimal(text), ".6f").rstrip("0").rstrip(".")
    return text if text.strip("-0") else "0"


wrong("as05", "Numbers with a fraction are rounded to six decimals.", TYPED,
      number_text=six_places)

wrong("as06", "Parameters whose value is an empty text are sent but left out of the signed text.", ACTION,
      signed_pair=lambda leaf: leaf.name + leaf.text if leaf.text else "")


def flat_items(items):
    for item in items:
        if isinstance(item, dict) and "list" in item:
            yield from flat_items(item["list"])
        else:
            yield item


def one_counter(name, items):
    return right["list_leaves"](name, list(flat_items(items)))


wrong("as07", "A list inside a list is merged into the outer one: its items are counted on with the outer numbers and get no number of their own.", TYPED,
      list_leaves=one_counter)

wrong("as08", "The signature of parameters is HMAC-SHA1 with the private key instead of SHA-1 of the text followed by the private key.", ACTION,
      action_digest=lambda text, key: hmac.new(base.utf8(key), base.utf8(text), hashlib.sha1).digest())


def double_leaf(leaf):
    if leaf.quoted or leaf.text in ("true", "false"):
        return right["json_leaf"](leaf)
    number = float(leaf.text)
    if number in (float("inf"), float("-inf")):
        return leaf.text
    return str(int(number)) if number.is_integer() else repr(number)


wrong("as09", "The JSON body holds numbers as 64-bit floating point, so those of more than about 16 digits are not the ones that were signed.", "action-json",
      json_leaf=double_leaf)


def latin_password(text):
    try:
        return base64.b64encode(text.encode("latin-1")).decode()
    except UnicodeEncodeError:
        return right["password_text"](text)


wrong("as10", "A password is taken as Latin-1 before Base64 if all its characters are in Latin-1, and as UTF-8 only otherwise.", "password",
      password_text=latin_password)


# ------------------------------------------------------------------ bucket requests

def with_type(given, keys, dialect):
    parameters = given["parameters"]
    if "Type" not in [name for name, _ in parameters]:
        parameters = parameters + [["Type", "private"]]
    return right["op_bucket_request"](dict(given, parameters=parameters), keys, dialect)


wrong("as11", "Every bucket request without Type gets Type=private, signed and sent, whatever its Action.", "bucket-request",
      op_bucket_request=with_type)


# ------------------------------------------------------------------ Authorization header

def sorted_as_given(headers, dialect):
    pairs = sorted(headers, key=lambda header: header[0])
    return base.entries(base.merge(base.extra_pairs(pairs, dialect)))


wrong("as12", "The extra headers are sorted by the names as given, before they become lower case.", FILE,
      canonical_headers=sorted_as_given)


def bare_type(value):
    return value.split(";")[0].strip(" \t")


wrong("as13", "The parameters of Content-Type (such as ; charset=utf-8) are cut off before signing.", POSITIONAL,
      content_type=lambda headers, method: bare_type(right["content_type"](headers, method)),
      form_type=lambda headers, fields: bare_type(right["form_type"](headers, fields)))


def default_type(headers, method):
    value = right["content_type"](headers, method)
    return value or ("application/octet-stream" if method == "PUT" else "")


wrong("as14", "A PUT without Content-Type, or with an empty one, is signed with application/octet-stream.", "authorization, policy-authorization, verify-authorization",
      content_type=default_type)


def head_is_get(method):
    method = right["verb"](method)
    return "GET" if method == "HEAD" else method


wrong("as15", "HEAD is signed and verified as GET.", "authorization, policy-authorization, presigned-url, verify-authorization, verify-presigned-url",
      verb=head_is_get)

wrong("as16", "The key in the resource ends at the first question mark, as if a query followed.", FILE,
      resource_key=lambda key: key.split("?")[0])


def unfold_keeping_blanks(value):
    return value if re.search(r"\n(?![ \t])", value) else re.sub(r"\r?\n", "", value)


wrong("as17", "Unfolding removes only the line break: the blanks around it stay as they are instead of becoming one space.", FILE,
      unfold=unfold_keeping_blanks)


def md5_of_hex(value):
    return base64.b64encode(bytes.fromhex(value)).decode() if re.fullmatch("[0-9a-fA-F]{32}", value) else value


wrong("as18", "A Content-MD5 of 32 hexadecimal digits is converted to Base64 before signing.", POSITIONAL,
      content_md5=lambda headers, method: md5_of_hex(right["content_md5"](headers, method)),
      form_md5=lambda headers, fields: md5_of_hex(right["form_md5"](headers, fields)))

# ------------------------------------------------------------------ form uploads

wrong("as19", "The form fields Content-Type and Content-MD5 are found in any case, so a field content-type is signed (or counts as a repetition).", "form-authorization",
      form_fields=lambda fields, wanted: [value for name, value in fields if name.lower() == wanted.lower()])


def form_md5_field_first(headers, fields):
    value = base.one(base.form_fields(fields, "Content-MD5") or base.find(headers, "content-md5"))
    return "" if value is None else base.positional_value(value)


wrong("as20", "In a form upload the form field Content-MD5 wins over the header Content-MD5.", "form-authorization",
      form_md5=form_md5_field_first)

# ------------------------------------------------------------------ policy

wrong("as21", "The JSON of a policy is put together without escaping, so quotes, backslashes and control characters of a member stand in it as they are.", "policy",
      policy_json=lambda members: "{" + ",".join('"%s":"%s"' % (name, value) for name, value in members) + "}")

wrong("as22", "The policy is appended to the string to sign after a line feed.", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + "\n" + policy if policy else text)

# ------------------------------------------------------------------ instant upload

wrong("as23", "An instant upload is signed for the resource /<bucket>/uploadhit, the path of the request, instead of the key.", "instant-upload",
      hit_key=lambda key: "uploadhit")


# ------------------------------------------------------------------ pre-signed URLs

def date_or_expires(given, headers, dialect):
    method = base.presign_method(given["method"])
    base.check_bucket(given["bucket"])
    dates = base.find(headers, "date")
    when = base.header_value(dates[0]) if dates else given["expires"]
    return base.lines(method, "", "", when, base.presign_headers(headers, dialect), base.presign_resource(given["bucket"], given["key"]))


wrong("as24", "A pre-signed URL is signed with the header Date instead of Expires if the request has a header Date.", "presigned-url",
      presign_text=date_or_expires)

URLS = {}


def cached_url(given, keys, dialect):
    place = keys["publicKey"], given["method"], given["bucket"], given["key"]
    if place not in URLS:
        URLS[place] = right["op_presign"](given, keys, dialect)
    return URLS[place]


wrong("as25", "Pre-signed URLs are cached by public key, method, bucket and key: another expiry, header, scheme or host gets the earlier URL.", "presigned-url",
      op_presign=cached_url)

# ------------------------------------------------------------------ ETag

wrong("as26", "The block count of an ETag is size / 4 MiB + 1 in whole numbers: one too many for an empty file and for exact multiples of 4 MiB.", "etag",
      block_count=lambda data, blocks: len(data) // base.BLOCK + 1)

wrong("as27", "The ETag of a large file is the hash of the blocks' hexadecimal digests instead of their bytes.", "etag",
      hash_hashes=lambda blocks: base.etag_hash("".join(base.etag_hash(block).hex() for block in blocks).encode()))

# ------------------------------------------------------------------ verifiers

wrong("as28", "Signatures are compared only up to the end of the shorter one, so any beginning of the right signature passes.", V_ALL,
      equal=lambda expected, got: all(a == b for a, b in zip(expected, got)))

wrong("as29", "The verifier of the Authorization header leaves the policy out of the string to sign.", V_AUTH,
      verify_policy_text=lambda text, policy: text)


def any_account(public_key, keys):
    pass


def any_key_authorization(given, keys, dialect):
    account, base.check_account = base.check_account, any_account
    try:
        return right["verify_authorization"](given, keys, dialect)
    finally:
        base.check_account = account


wrong("as30", "The verifier of the Authorization header does not check the public key and uses the one private key it has.", V_AUTH,
      verify_authorization=any_key_authorization)

wrong("as31", "A pre-signed URL is refused as expired already in the second that Expires names.", V_URL,
      is_late=lambda now, expires: now >= expires)


def url_without_end(given, keys, dialect):
    method = base.verify_method(given["method"])
    headers = base.read_headers(given["headers"])
    bucket, key, query = base.split_url(given["url"], given["fileHost"])
    names = (dialect["publicKeyParameter"], "Expires", "Signature")
    pairs = [(name, value) for name, value in base.read_query(query) if name in names]
    base.check_url_repeated([name for name, _ in pairs])
    public_key, expires, signature = (dict(pairs).get(name) for name in names)
    base.check_url_parameters(public_key, expires or "", signature)
    if expires:
        base.check_expiry(given["now"], expires)
    base.check_account(public_key, keys)
    text = base.lines(method, "", "", expires or "", base.verify_url_headers(headers, dialect), base.resource(bucket, key))
    base.check_signature(base.file_signature(text, keys), signature)
    return {"publicKey": public_key}


wrong("as32", "A pre-signed URL without Expires, or with an empty one, never expires: it is verified with an empty line in that place.", V_URL,
      verify_url=url_without_end)

wrong("as33", "The verifier of pre-signed URLs leaves the extra headers out of the string to sign.", V_URL,
      verify_url_headers=lambda headers, dialect: "")


def split_at_every_equals(query):
    out = []
    for piece in query.split("&"):
        if piece:
            parts = piece.split("=")
            out.append((base.query_decode(parts[0]), base.query_decode(parts[1] if len(parts) > 1 else "")))
    return out


wrong("as34", "A value in a query that is read ends at the next = sign: a=b=c gives b.", "verify-query, verify-presigned-url",
      read_query=split_at_every_equals)


def up_to_signature(given, keys, dialect):
    pieces = given["query"].split("&")
    for index, piece in enumerate(pieces):
        if piece.startswith("Signature="):
            pieces = pieces[:index + 1]
            break
    return right["verify_query"](dict(given, query="&".join(pieces)), keys, dialect)


wrong("as35", "The verifier of a query ignores all that follows the parameter Signature.", V_QUERY,
      verify_query=up_to_signature)


def python_booleans(value):
    if value is True or value is False:
        return str(value)
    if isinstance(value, dict) and "list" in value:
        return {"list": [python_booleans(item) for item in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, python_booleans(item)] for name, item in value["object"]]}
    return value


wrong("as36", "The verifier of a JSON body writes booleans as True and False in the signed text.", V_JSON,
      verify_prepare=lambda parameters: base.prepare([[name, python_booleans(value)] for name, value in parameters]))
