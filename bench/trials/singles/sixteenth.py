"""Fifty implementations with one mistake each, as patches of base.py: ab01 to ab41 sign, ab42 to ab50 verify."""
import base64
import re
import unicodedata
import urllib.parse
from decimal import Context, Decimal

import base
from operations import (ACTION, TYPED, FILE, HEADER, ESCAPES, V_ALL, V_FILE, V_AUTH, V_URL, V_PARAM, V_JSON)
from recording import wrong

# The correct functions, before any patch.
right = {name: value for name, value in vars(base).items() if callable(value)}


# ------------------------------------------------------------------ parameters

def natural(name):
    return [int(part) if part.isdigit() else part for part in re.split("([0-9]+)", name)]


def js_number(written):
    right["number_text"](written)
    value = float(written)
    if value == 0:
        return "0"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, digits))
    point = len(digits) + exponent
    minus = "-" if sign else ""
    if len(digits) <= point <= 21:
        return minus + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return minus + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return minus + "0." + "0" * -point + digits
    tail = "e" + ("+" if point > 0 else "-") + str(abs(point - 1))
    return minus + digits[0] + ("." + digits[1:] if digits[1:] else "") + tail


def java_number(written):
    plain = right["number_text"](written)
    return str(Decimal(plain).normalize(Context(prec=9000)))


def php_signed(leaf):
    if not leaf.quoted and leaf.text in ("true", "false"):
        return "1" if leaf.text == "true" else ""
    return leaf.text


def only_truthy(all_leaves):
    return [leaf for leaf in right["without_signature"](all_leaves)
            if leaf.text and (leaf.quoted or leaf.text not in ("0", "false"))]


def uri_component(text):
    return "".join(chr(b) if right["safe_byte"](b) or b in b"!'()*" else "%%%02X" % b for b in base.text_bytes(text))


def json_all_text(leaf):
    return right["json_leaf"](leaf) if leaf.quoted or leaf.text in ("true", "false") else '"' + leaf.text + '"'


def top_sorted(parameters):
    kept = base.without_signature(base.flatten(sorted(parameters, key=lambda pair: base.utf8(pair[0]))))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("ab01", "Sorts the parameters without regard to case (PHP's ksort with SORT_FLAG_CASE, or a TreeMap with String.CASE_INSENSITIVE_ORDER), so ChargeType comes before CPU.", ACTION,
      order=lambda found: sorted(found, key=lambda leaf: (leaf.name.lower().encode(), leaf.name.encode())))
wrong("ab02", "Sorts the parameter names in natural order, with runs of digits compared as numbers (PHP's SORT_NATURAL), so that item 2 of a list comes before item 10.", ACTION,
      order=lambda found: sorted(found, key=lambda leaf: natural(leaf.name)))
wrong("ab03", "Reads every number into a double and writes it as JavaScript's String(number) does: integers beyond 2^53 are rounded, and very large and very small numbers get an exponent.", TYPED,
      number_text=js_number)
wrong("ab04", "Writes numbers with Java's BigDecimal.stripTrailingZeros().toString(), so a whole number that ends in zeros becomes 1E+2 instead of 100, and tiny fractions get an exponent.", TYPED,
      number_text=java_number)
wrong("ab05", "Signs booleans as PHP turns them to text (true is 1 and false is empty), though it sends them as true and false.", TYPED,
      signed_value=php_signed)
wrong("ab06", "Leaves out parameters with a falsy value (empty text, the number 0, false) as `if (!value) continue` does, both when it signs and when it sends.", ACTION,
      without_signature=only_truthy)
wrong("ab07", "Numbers the items of a list from 1 (Name.1, Name.2), as the query APIs of AWS do.", TYPED,
      list_leaves=lambda name, items: [leaf for index, item in enumerate(items) for leaf in base.leaves(base.item_name(name, index + 1), item)])
wrong("ab08", "Names the members of an object with square brackets (Filter[Key]), as http_build_query does, instead of with a dot.", TYPED,
      member_name=lambda name, member: name + "[" + member + "]")
wrong("ab09", "Percent-encodes with JavaScript's encodeURIComponent alone, which leaves ! ' ( ) and * as they are.", ESCAPES,
      percent=uri_component)
wrong("ab10", "Writes numbers as texts in the JSON body (\"CPU\": \"4\"), because its parameters are a map of strings.", "action-json",
      json_leaf=json_all_text)
wrong("ab11", "Turns the text to sign for an action into ISO-8859-1 bytes, with ? for characters outside of it (Java's getBytes of the wrong character set), instead of UTF-8.", ACTION,
      action_bytes=lambda text: (base.utf8(text), text.encode("latin-1", "replace"))[1])
wrong("ab12", "Sorts only the parameters of the top level and flattens afterwards, so members of objects stay in the order given and items of lists in the order of their index.", TYPED,
      prepare=top_sorted)


# ------------------------------------------------------------------ Authorization, string to sign, extra headers, resource

def fold_one_blank(value):
    out = re.sub(r"\r?\n[ \t]", " ", value)
    return out


def no_empty(headers, dialect):
    return [pair for pair in right["extra_pairs"](headers, dialect) if pair[1]]


def exact_prefix(name, dialect):
    return name.startswith((dialect["headerPrefix"], dialect["headerPrefix"].lower()))


def amz_date(method, bucket, key, headers, dialect):
    method = base.verb(method)
    base.check_bucket(bucket)
    when = base.date(headers, method)
    if base.find(headers, base.extra_prefix(dialect) + "date"):
        when = ""
    return base.lines(method, base.content_md5(headers, method), base.content_type(headers, method), when,
                      base.canonical_headers(headers, dialect), base.resource(bucket, key))


def md5_base64(headers, method):
    value = right["content_md5"](headers, method)
    return base64.b64encode(bytes.fromhex(value)).decode() if re.fullmatch("[0-9a-fA-F]{32}", value) else value


wrong("ab13", "Sorts the finished name:value lines instead of the names, so x-svc-a-b comes before x-svc-a, because the hyphen is less than the colon.", FILE,
      entries=lambda groups: "".join(sorted(base.entry(name, values) for name, values in groups)))
wrong("ab14", "Joins the values of a repeated extra header with a comma and a space, as fetch's Headers and Node do.", FILE,
      join_values=", ".join)
wrong("ab15", "Keeps the values of a repeated extra header in a set, so a value that comes twice is signed once.", FILE,
      join_values=lambda values: ",".join(dict.fromkeys(values)))
wrong("ab16", "Unfolds a header value by replacing the line break and just one blank after it, so the rest of the indentation (and blanks before the line break) stay.", FILE,
      unfold=fold_one_blank)
wrong("ab17", "Squeezes runs of spaces inside the value of an extra header to one space, as AWS Signature Version 4 does (Trimall), though there is no fold.", FILE,
      extra_value=lambda value: re.sub("[ \t]+", " ", right["extra_value"](value)))
wrong("ab18", "Skips extra headers with an empty value.", FILE,
      extra_pairs=no_empty)
wrong("ab19", "Recognises extra headers only in the spellings X-Svc- and x-svc-, so X-SVC-Foo is not signed.", FILE,
      is_extra=exact_prefix)
wrong("ab20", "Signs Content-Type without its parameters: everything from the semicolon on (charset, boundary) is cut off.", HEADER,
      content_type=lambda headers, method: right["content_type"](headers, method).split(";")[0].rstrip(" \t"))
wrong("ab21", "Leaves the Date line empty when there is an x-svc-date header, as Amazon S3's old signature does with x-amz-date.", HEADER,
      header_text=amz_date)
wrong("ab22", "Decodes percent escapes in the key before it signs (a key that itself contains %41 is signed with A), because it takes the key for a path of a URL.", FILE,
      resource_key=lambda key: urllib.parse.unquote(key, errors="surrogateescape") if "%" in key else key)
wrong("ab23", "Removes a slash at the start of the key from the resource, so the key /a is signed like a.", FILE,
      resource_key=lambda key: key[1:] if key.startswith("/") else key)
wrong("ab24", "Normalises the key in the resource to Unicode NFC (a habit from macOS file names), so a letter with a combining accent is signed as one character.", FILE,
      resource_key=lambda key: unicodedata.normalize("NFC", key))
wrong("ab25", "Has its own HMAC, which cuts a private key of more than 64 bytes to 64 bytes instead of hashing it first.", FILE,
      file_key=lambda key: base.utf8(key)[:64])
wrong("ab26", "Takes a Content-MD5 of 32 hexadecimal digits and signs it as Base64 of the 16 bytes, the form that RFC 1864 and S3 want, instead of the value as sent.", HEADER,
      content_md5=md5_base64)


# ------------------------------------------------------------------ pre-signed URLs

def int32(expires):
    if not re.fullmatch("[0-9]{1,15}", expires) or int(expires) < 2 ** 31:
        return expires
    return str((int(expires) + 2 ** 31) % 2 ** 32 - 2 ** 31)


def date_first(given, headers, dialect):
    method = base.presign_method(given["method"])
    base.check_bucket(given["bucket"])
    return base.lines(method, "", "", base.date(headers, method) or given["expires"], base.presign_headers(headers, dialect),
                      base.presign_resource(given["bucket"], given["key"]))


wrong("ab27", "Leaves / as it is in the URL-encoded signature of a pre-signed URL (Python's quote with its default safe='/').", "presigned-url",
      url_signature=lambda signature: base.percent(signature).replace("%2F", "/"))
wrong("ab28", "Writes a space of the key as + in the path of a pre-signed URL (Java's URLEncoder), not as %20.", "presigned-url",
      url_path=lambda key: right["url_path"](key).replace("%20", "+"))
wrong("ab29", "Keeps Expires in a signed 32-bit integer, so a time after January 2038 becomes negative or another time, in the signed text and in the URL.", "presigned-url",
      presign_expires=int32, url_expires=int32)
wrong("ab30", "Does not sign the extra headers in a pre-signed URL.", "presigned-url",
      presign_headers=lambda headers, dialect: "")
wrong("ab31", "Signs the Date header instead of Expires in a pre-signed URL when the request has a Date header.", "presigned-url",
      presign_text=date_first)


# ------------------------------------------------------------------ forms, policies, instant upload

def header_type_first(headers, fields):
    value = base.one(base.find(headers, "content-type") or base.form_fields(fields, "Content-Type"))
    return "" if value is None else base.positional_value(value)


def plain_policy(text, policy):
    try:
        return text + base64.urlsafe_b64decode(policy + "=" * (-len(policy) % 4)).decode("utf-8")
    except ValueError:
        return text + policy


wrong("ab32", "Signs a form upload with the Content-Type header of the HTTP request (multipart/form-data) when there is one, and uses the form field only without it.", "form-authorization",
      form_type=header_type_first)
wrong("ab33", "Compares the names of form fields without regard to case, so a field content-type is signed as the Content-Type.", "form-authorization",
      form_fields=lambda fields, wanted: [value for name, value in fields if name.lower() == wanted.lower()])
wrong("ab34", "Does not sign the form field Content-MD5: only a header of that name counts.", "form-authorization",
      form_md5=lambda headers, fields: base.positional(headers, "content-md5"))
wrong("ab35", "Appends the decoded JSON of the callback policy to the string to sign, instead of the Base64 text as it is sent.", "policy-authorization, verify-authorization",
      policy_text=plain_policy)
wrong("ab36", "Sends only the last part of the key (what follows the last slash) as the FileName of an instant upload, like basename, but signs the whole key.", "instant-upload",
      hit_target=lambda etag, key, size: right["hit_target"](etag, key.rsplit("/", 1)[-1], size))


# ------------------------------------------------------------------ ETag

def old_buffer(data, blocks):
    if base.is_single(data, blocks):
        return base.etag_hash(data)
    blocks = [bytes(block) for block in blocks]
    blocks[-1] += blocks[-2][len(blocks[-1]):]
    return base.hash_hashes(blocks)


wrong("ab37", "Writes the block count of an ETag in big-endian (network) byte order.", "etag",
      count_bytes=lambda count: count.to_bytes(4, "big"))
wrong("ab38", "Computes the block count of an ETag as the size divided by 4 MiB plus one, so a file of exactly 4 or 8 MiB counts a block too many and an empty file counts one.", "etag",
      block_count=lambda data, blocks: len(data) // base.BLOCK + 1)
wrong("ab39", "Uses the hash of the whole file only for files of less than 4 MiB: a file of exactly 4 MiB gets the hash over the hash of its one block.", "etag",
      is_single=lambda data, blocks: len(data) < base.BLOCK)
wrong("ab40", "Hashes its whole 4 MiB buffer for the last, shorter block of a file of more than 4 MiB, with the old bytes of the block before it at the end.", "etag",
      etag_digest=old_buffer)
wrong("ab41", "Writes ETags in URL-safe Base64 without padding (Go's RawURLEncoding), which shows only in the ETag of a part.", "part-etag",
      etag_base64=lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("="))


# ------------------------------------------------------------------ verifiers

def check_no_case(expected, got):
    if expected.lower() != got.lower():
        raise base.No("signature-mismatch", "not the signature of this request")


def late_check(given, expires):
    right["check_expiry"](given["now"], expires)


def milliseconds(expires):
    seconds = right["expires_seconds"](expires)
    return seconds // 1000 if len(expires) >= 13 else seconds



def strict_query(url, file_host):
    bucket, key, query = right["split_url"](url, file_host)
    for name, _ in base.read_query(query):
        if name not in ("Expires", "Signature") and not name.endswith("PublicKey"):
            raise base.No("query-malformed", "an unknown parameter")
    return bucket, key, query


wrong("ab42", "Compares the Base64 signature of a file request without regard to case (equalsIgnoreCase), so a signature with changed letters is accepted.", V_FILE,
      check_signature=check_no_case)
wrong("ab43", "Compares only as many characters as the sender gave (strncmp with the length of the sender's signature), so the first characters of a right action signature are accepted.", V_PARAM,
      equal_hex=lambda expected, got: expected.startswith(got))
wrong("ab44", "Does not look at the public key: a request that names another account is accepted when it is signed with the private key of this account.", V_ALL,
      check_account=lambda public_key, keys: None)
wrong("ab45", "Checks the expiry of a pre-signed URL only after the signature, so a URL that is both expired and wrongly signed is reported as a signature mismatch.", V_URL,
      check_expiry=lambda now, expires: None, after_signature=late_check)
wrong("ab46", "Takes an Expires of 13 or more digits for milliseconds (JavaScript's Date.now()), so a far expiry in seconds is refused as expired.", V_URL,
      expires_seconds=milliseconds)
wrong("ab47", "Decodes + in the path of a pre-signed URL to a space (URLDecoder, unquote_plus), so a valid URL for a key with an unescaped + is refused.", V_URL,
      key_of_path=lambda path: right["key_of_path"](path.replace("+", " ")))
wrong("ab48", "Signs the numbers of a JSON body as they are written there, so a valid request with 42.0 or 1e3 (signed as 42 and 1000) is refused.", V_JSON,
      json_number=lambda written: written)
wrong("ab49", "Accepts a callback policy as the third part of Authorization with every method, so GET and DELETE of a shorter key pass with the signature of a longer key.", V_AUTH,
      policy_method_ok=lambda method: True)
wrong("ab50", "Refuses a pre-signed URL that has any query parameter besides the public key, Expires and Signature, such as ufileattname.", V_URL,
      split_url=strict_query)
