"""The eleventh set: wrong implementations as patches of base.py. c01 to c48 sign, c49 to c70 verify."""
import base64
import json
import os
import re
import sys
import unicodedata

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import base  # noqa: E402
from operations import (ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, TYPED, V_AUTH, V_FILE, V_ALL, V_JSON,  # noqa: E402
                        V_PARAM, V_QUERY, V_URL)
from recording import wrong  # noqa: E402

ORIGINAL = dict(vars(base))


def old(name):
    return ORIGINAL[name]


No = base.No
Leaf = base.Leaf

# ================================================================== 5.1, the signed parameters

wrong("c01", "Sorts the already concatenated name+value strings instead of the names, so a name that begins another name can "
      "come after it, depending on its value.", ACTION,
      order=lambda ls: sorted(ls, key=lambda leaf: base.utf8(leaf.name + leaf.text)))


def c02(parameters):
    kept = base.without_signature(base.flatten(sorted(parameters, key=lambda p: base.utf8(p[0]))))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("c02", "Sorts the parameters by their top-level names and flattens lists and objects afterwards, so Name.10 is signed "
      "after Name.2 and object members stay in the given order.", TYPED, prepare=c02)

wrong("c03", "Leaves parameters whose value is an empty string out of the signed string, though they are still sent.", ACTION,
      signed_pair=lambda leaf: leaf.name + leaf.text if leaf.text else "")


def c04(written):
    text = old("number_text")(written)
    if "." in text:
        text = ("%.6f" % float(text)).rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return text


wrong("c04", "Formats numbers with a fraction by printf's %f, so that only six decimal places survive in the signed and sent "
      "text.", TYPED, number_text=c04)


def c05(parameters):
    return [x for x in old("flatten")(parameters) if x.quoted or x.text not in ("0", "false")]


wrong("c05", "Treats the number 0 and the boolean false as unset and drops such parameters before signing and sending "
      "(omitempty).", TYPED, flatten=c05)


def c06(name, items):
    return base.leaves(name, items[0]) if len(items) == 1 else old("list_leaves")(name, items)


wrong("c06", "A list with exactly one element is signed and sent under the bare name, without the index .0.", TYPED, list_leaves=c06)

wrong("c07", "Removes every flattened parameter whose last name step is Signature, for example Data.Signature, not only the "
      "top-level parameter Signature.", ACTION, unsigned_name=lambda name: name.split(".")[-1] == "Signature")

wrong("c08", "Prints the SHA-1 digest as one big number in hexadecimal, so leading zeros are lost and the signature can be shorter "
      "than 40 characters.", ACTION, action_hex=lambda digest: "%x" % int.from_bytes(digest, "big"))

wrong("c09", "Normalises parameter values to Unicode NFC before they go into the signed string, but sends them as given.", ACTION,
      signed_value=lambda leaf: unicodedata.normalize("NFC", leaf.text))


def c10(text):
    base.utf8(text)
    return b"".join(c.encode("utf-16-be").decode("utf-16-be").encode("utf-8") if ord(c) < 0x10000 else
                    b"".join(chr(u).encode("utf-8", "surrogatepass")
                             for u in (0xD800 + (ord(c) - 0x10000 >> 10), 0xDC00 + (ord(c) - 0x10000 & 0x3FF))) for c in text)


wrong("c10", "Encodes characters above U+FFFF in the signed parameter string as two three-byte surrogates (CESU-8) instead of one "
      "four-byte UTF-8 sequence.", ACTION, action_bytes=c10)


def c11(name, items):
    out = []
    for index, item in enumerate(items):
        out += [Leaf(base.item_name(name, index), str(item), False)] if isinstance(item, bool) else base.leaves(
            base.item_name(name, index), item)
    return out


def c11_json(leaf):
    return json.dumps(leaf.text) if leaf.quoted else leaf.text.lower()


wrong("c11", "Writes booleans that are elements of a list as True and False in the signed string, top-level booleans as true and "
      "false.", TYPED, list_leaves=c11, json_leaf=c11_json)

wrong("c12", "Removes a parameter from the signed string when its name is Signature in any letter case, for example signature.",
      ACTION, unsigned_name=lambda name: name.lower() == "signature")

# ================================================================== 4.2, 4.1, 5.3: the forms of sending

wrong("c13", "Writes string values that look like a number as JSON numbers in the body (PHP's JSON_NUMERIC_CHECK), so the string "
      "\"10\" becomes 10 and \"1.50\" is re-read as 1.5.", "action-json",
      json_leaf=lambda leaf: leaf.text if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", leaf.text, re.A)
      else old("json_leaf")(leaf))


def c14(leaf):
    if not leaf.quoted and re.fullmatch(r"-?\d+", leaf.text) and abs(int(leaf.text)) > 2 ** 53:
        return str(int(float(leaf.text))) if abs(int(leaf.text)) < 10 ** 300 else leaf.text
    return old("json_leaf")(leaf)


wrong("c14", "Writes integers beyond 2^53 into the JSON body rounded to a double, while the signature covers the exact digits.",
      "action-json", json_leaf=c14)

wrong("c15", "Puts Signature at its place in the sorted order of the query, before Type or Zone, instead of appending it last.", QUERY,
      query_text=lambda ordered, signature: "&".join(
          base.query_name(x.name) + "=" + base.query_value(x)
          for x in sorted(list(ordered) + [Leaf("Signature", signature, True)], key=lambda x: base.utf8(x.name))))

wrong("c16", "Percent-encodes only the values of the query string and writes parameter names as they are.", QUERY,
      query_name=lambda name: name)

wrong("c17", "Encodes a space as + and then replaces only the first + of the text by %20, so the second and later spaces stay +.",
      ESCAPES, percent=lambda text: old("percent")(text).replace("%20", "+").replace("+", "%20", 1))

wrong("c18", "Leaves what already looks like an escape (% and two hexadecimal digits) as it is instead of encoding the percent sign "
      "as %25.", ESCAPES, percent=lambda text: re.sub(r"%25(?=[0-9A-Fa-f]{2})", "%", old("percent")(text)))

wrong("c19", "Leaves letters and digits outside ASCII unencoded, because the test for unreserved characters is Unicode's isalnum.", ESCAPES,
      percent=lambda text: "".join(c if c.isalnum() else old("percent")(c) for c in text if base.utf8(text) is not None))

wrong("c20", "Writes escapes of bytes below 16 with a single hexadecimal digit, %A instead of %0A.", ESCAPES,
      escape_byte=lambda b: "%%%X" % b)

wrong("c21", "Base64 of the password is broken into lines of 76 characters by line feeds (MIME encoder).", "password",
      password_text=lambda text: base64.encodebytes(base.utf8(text)).decode().rstrip("\n"))


def c22(text):
    base.utf8(text)
    try:
        if text and len(text) % 4 == 0 and base64.b64encode(base64.b64decode(text, validate=True)).decode() == text:
            return text
    except ValueError:
        pass
    return old("password_text")(text)


wrong("c22", "Returns a clear-text password unchanged when it happens to be valid Base64 itself, such as password or Test1234.",
      "password", password_text=c22)


def c23(given, keys, dialect):
    ordered, signature = base.complete(given, keys)
    base.need(ordered, "Type", "BucketName")
    return {"target": base.bucket_target(base.query_text(ordered, signature))}


wrong("c23", "Demands Type and BucketName of every bucket-management operation, not only of CreateBucket, and refuses the others.",
      "bucket-request", op_bucket_request=c23)


wrong("c24", "Sends BucketName in lower case in the bucket-management query although the signature covers the name as given.",
      "bucket-request", op_bucket_request=lambda given, keys, dialect: {"target": re.sub(
          r"(?<=[?&]BucketName=)[^&]*", lambda m: base.percent(base.unpercent(m[0], "text").lower()),
          old("op_bucket_request")(given, keys, dialect)["target"])})

# ================================================================== 5.2, the file signature

wrong("c25", "Signs a HEAD request with the verb GET.",
      "authorization, policy-authorization, presigned-url, verify-authorization, verify-presigned-url",
      verb=lambda method: "GET" if old("verb")(method) == "HEAD" else old("verb")(method))

wrong("c26", "Leaves the Content-Type position empty for GET, HEAD and DELETE even if the request has that header.",
      "authorization, policy-authorization, verify-authorization",
      content_type=lambda headers, method: "" if method in ("GET", "HEAD", "DELETE") and old("content_type")(headers, method) is not None
      else old("content_type")(headers, method))


def c27(headers, method):
    value = old("content_md5")(headers, method)
    return base64.b64encode(bytes.fromhex(value)).decode() if re.fullmatch(r"[0-9A-Fa-f]{32}", value) else value


wrong("c27", "Converts a Content-MD5 of 32 hexadecimal digits to Base64 of the 16 bytes before signing, instead of signing the value as "
      "sent.", HEADER, content_md5=c27)


def c28(headers, method):
    value = old("date")(headers, method)
    return "" if any(base.fold_name(name) in ("x-svc-date", "x-ucloud-date") for name, _ in headers) else value


wrong("c28", "Leaves the Date position empty if the request has an X-Svc-Date header, as AWS does with x-amz-date.", POSITIONAL, date=c28)

wrong("c29", "Takes every header whose name starts with X-Svc, without the final hyphen, as an extra header, for example X-Svcfoo.", FILE,
      extra_prefix=lambda dialect: dialect["headerPrefix"].lower().rstrip("-"))

wrong("c30", "Replaces underscores in the names of extra headers by hyphens, as CGI-style header dictionaries do.", FILE,
      extra_name=lambda name: name.lower().replace("_", "-"))

wrong("c31", "Sorts the finished lines name:value instead of the names, so x-svc-a-b comes before x-svc-a, since the hyphen sorts "
      "below the colon.", FILE, sort_groups=lambda groups: sorted(groups, key=lambda g: base.entry(g[0], g[1])))

wrong("c32", "Drops repeated equal values when it merges headers of the same name, so a, b, a gives a,b.", FILE,
      join_values=lambda values: ",".join(dict.fromkeys(values)))

wrong("c33", "Removes the blanks after commas inside the value of an extra header, so a value a, b is signed as a,b.", FILE,
      extra_value=lambda value: re.sub(r"[ \t]*,[ \t]*", ",", old("extra_value")(value)))


def c34(value):
    if old("unfold")(value) == value:
        return value
    return re.sub(r"[ \t]*\r?\n[ \t]+", "", re.sub(r"[ \t]*\r?\n[ \t]+", " ", value, count=1))


wrong("c34", "Replaces only the first fold of a header value by a space and deletes later folds without putting a space there.", FILE,
      unfold=c34)

wrong("c35", "Removes whitespace around every colon of the header line, also around colons inside the value of an extra header.", FILE,
      extra_value=lambda value: re.sub(r"[ \t]*:[ \t]*", ":", old("extra_value")(value)))

wrong("c36", "Skips empty values when it merges repeated extra headers, so values a, empty, b are joined as a,b.", FILE,
      join_values=lambda values: ",".join(value for value in values if value))

wrong("c37", "Strips leading slashes from the key in the signed resource, so key /a is signed as /bucket/a.", FILE,
      resource_key=lambda key: key.lstrip("/"))


def c38(private_key):
    raw = base.utf8(private_key)
    try:
        if raw and len(raw) % 4 == 0:
            return base64.b64decode(raw, validate=True)
    except ValueError:
        pass
    return raw


wrong("c38", "Base64-decodes the private key before using it as the HMAC key whenever it is valid Base64 text (Azure habit).", FILE,
      file_key=c38)


def c39(public_key, signature, dialect):
    return dialect["scheme"] + " " + base.percent(public_key) + ":" + signature


wrong("c39", "Percent-encodes the public key in the Authorization value, so a@b.c becomes a%40b.c.",
      "authorization, form-authorization, policy-authorization, instant-upload", credentials=c39)

# ================================================================== 4.3 forms, policies, instant upload


def c40(headers, fields):
    value = base.one(base.form_fields(fields, "Content-Type"))
    return base.content_type(headers, "POST") if value is None else base.positional_value(value)


wrong("c40", "Signs the request's own Content-Type header (multipart/form-data) when a form upload has no form field Content-Type.",
      "form-authorization", form_type=c40)

wrong("c41", "Strips the = padding of the URL-safe Base64 callback policy.", "policy",
      policy_base64=lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="))

wrong("c42", "Converts the policy text to the standard Base64 alphabet before it is appended to the signed string, while the header "
      "carries the URL-safe text.", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + policy.replace("-", "+").replace("_", "/"))


def c43(etag, key, size):
    if re.fullmatch(r"\d+", size, re.A):
        size = str((int(size) + 2 ** 31) % 2 ** 32 - 2 ** 31)
    return old("hit_target")(etag, key, size)


wrong("c43", "Keeps FileSize of an instant upload in a signed 32-bit integer, so sizes from 2 GiB wrap and become negative or small.",
      "instant-upload", hit_target=c43)

# ================================================================== 5.4, pre-signed URLs


def c44(key):
    out = []
    parts = key.split("/")
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "..":
            del out[-1:]
        elif part != ".":
            out.append(base.percent(part))
            continue
        if last:
            out.append("")
    return "/".join(out)


wrong("c44", "Resolves . and .. segments of the key in the path of a pre-signed URL (URL library), while the raw key is signed.",
      "presigned-url", url_path=c44)


def c45(given, headers, dialect):
    when = base.date(headers, given["method"]) or given["expires"]
    method = base.presign_method(given["method"])
    base.check_bucket(given["bucket"])
    return base.lines(method, "", "", when, base.presign_headers(headers, dialect), base.resource(given["bucket"], given["key"]))


wrong("c45", "Signs a pre-signed URL with the Date header's value instead of Expires whenever a Date header is given.", "presigned-url",
      presign_text=c45)

# ================================================================== 2, the ETag


def c46(blocks):
    hashes, previous = [], b""
    for block in blocks:
        block = bytes(block) + previous[len(block):]
        hashes.append(base.etag_hash(block))
        previous = block
    return base.etag_hash(b"".join(hashes))


wrong("c46", "Reads blocks into one reused 4 MiB buffer and hashes the whole buffer, so a short last block includes leftovers of the "
      "block before it.", "etag", hash_hashes=c46)

wrong("c47", "Hashes identical blocks only once: the SHA over the block SHA values of a large file omits repeated values.", "etag",
      hash_hashes=lambda blocks: base.etag_hash(b"".join(dict.fromkeys(base.etag_hash(block) for block in blocks))))

wrong("c48", "For a part larger than 4 MiB, takes the SHA-1 over the SHA-1 values of its 4 MiB blocks instead of the SHA-1 of the part.",
      "part-etag", part_raw=lambda data: base.etag_digest(data, base.split(data)))

# ================================================================== verifying: Authorization


def c49(expected, got):
    if not expected.startswith(got):
        raise No("signature-mismatch", "not the signature of this request")


wrong("c49", "Compares only as many characters of the file signature as the request supplies (strncmp with the given length), so any "
      "leading part is accepted.", V_FILE, check_signature=c49)


def c50(expected, got):
    try:
        same = base64.b64decode(got.encode("ascii", "replace")) == base64.b64decode(expected)
    except ValueError:
        same = False
    if not same:
        raise No("signature-mismatch", "not the signature of this request")


wrong("c50", "Compares decoded signature bytes with a lenient Base64 decoder that skips foreign characters and ignores unused last bits, "
      "so altered signature texts are accepted.", V_FILE, check_signature=c50)


def c51(headers):
    return re.sub(r"[ \t]+", " ", old("find_authorization")(headers))


wrong("c51", "Accepts any run of spaces or tabs between the scheme and the credentials instead of exactly one space.", V_AUTH,
      find_authorization=c51)


def c52(given, keys, dialect):
    try:
        return old("verify_authorization")(given, keys, dialect)
    except No as no:
        if no.args[0] != "signature-mismatch":
            raise
    kept = [(n, v) for n, v in given["headers"] if not base.is_extra(n.strip(" \t"), dialect)]
    return old("verify_authorization")(dict(given, headers=kept), keys, dialect)


wrong("c52", "When the signature does not match, tries again without the X-Svc- headers and accepts the request if that matches.", V_AUTH,
      verify_authorization=c52)


def c53(policy):
    try:
        base64.b64decode(policy.replace("-", "+").replace("_", "/").rstrip("=") + "=" * (-len(policy.rstrip("=")) % 4), validate=True)
        return True
    except ValueError:
        return False


wrong("c53", "Accepts any Base64 text as the third part of the Authorization header, without checking that it holds a JSON object.", V_AUTH,
      policy_ok=c53)


def c54(public_key, keys):
    if public_key.casefold() != keys["publicKey"].casefold():
        raise No("public-key-unknown", "unknown")


wrong("c54", "Looks up the public key without regard to letter case.", V_ALL, check_account=c54)


def c55(given, headers, dialect):
    try:
        key = base.unpercent(given["key"], "url-malformed")
    except No:
        key = given["key"]
    return base.header_text(given["method"], given["bucket"], key, headers, dialect)


wrong("c55", "Percent-decodes the already decoded key once more before it builds the resource of the Authorization header check.", V_AUTH,
      verify_header_text=c55)

# ================================================================== verifying: pre-signed URLs

wrong("c56", "Compares Expires with the current time as texts, character by character, so an expiry with fewer digits can seem "
      "later.", V_URL,
      check_expiry=lambda now, expires: base.expires_seconds(expires) if str(int(now)) <= expires else no_late(expires))


def no_late(expires):
    base.expires_seconds(expires)
    raise No("expired", "too late")


def c57_late(given, expires):
    if base.is_late(int(given["now"]), int(expires)):
        raise No("expired", "too late")


wrong("c57", "Checks the expiry only after account and signature, so an expired URL with a wrong signature is reported as "
      "signature-mismatch instead of expired.", V_URL,
      check_expiry=lambda now, expires: base.expires_seconds(expires), after_signature=c57_late)

wrong("c58", "Refuses pre-signed URLs that expire more than seven days (604800 seconds) after now.", V_URL,
      is_late=lambda now, expires: now > expires or expires - now > 604800)

wrong("c59", "Keeps Expires in a signed 32-bit integer, so an expiry after January 2038 turns negative and counts as expired.", V_URL,
      expires_seconds=lambda expires: (old("expires_seconds")(expires) + 2 ** 31) % 2 ** 32 - 2 ** 31)

wrong("c60", "Decodes + in query strings as a space, also in a raw Signature or PublicKey value.", "verify-presigned-url, verify-query",
      query_decode=lambda text: old("query_decode")(text.replace("+", " ")))


def c61(path):
    key = old("key_of_path")(path)
    try:
        return base.unpercent(key, "url-malformed")
    except No:
        return key


wrong("c61", "Percent-decodes the key of a pre-signed URL twice, so %2541 becomes A instead of %41.", V_URL, key_of_path=c61)


def c62(host, file_host):
    bucket, dot, rest = host.partition(".")
    if not bucket or not dot or not host.lower().endswith(file_host.lower()):
        raise No("url-malformed", "another host")
    return bucket


wrong("c62", "Only checks that the URL's host ends with the file host, so a.b.files.example or a.evilfiles.example is accepted with "
      "bucket a.", V_URL, check_host=c62)

wrong("c63", "Verifies a HEAD request on a pre-signed URL as if it were GET, so URLs signed for GET work for HEAD and those for HEAD fail.",
      V_URL, verify_method=lambda method: "GET" if base.verb(method) == "HEAD" else base.verb(method))

wrong("c64", "Grants 300 seconds of clock skew: a URL is refused only when now is later than Expires plus 300.", V_URL,
      is_late=lambda now, expires: now > expires + 300)

# ================================================================== verifying: parameters

wrong("c65", "Drops query parameters with an empty value before checking the signature (parse_qs without keep_blank_values).", V_QUERY,
      verify_query=lambda given, keys, dialect: c65(given, keys))


def c65(given, keys):
    pairs = [pair for pair in base.read_query(given["query"]) if pair[1]]
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


def c66(given, keys, dialect):
    head, mark, tail = given["query"].partition("&Signature=")
    query = head + mark + tail.partition("&")[0]
    return old("verify_query")(dict(given, query=query), keys, dialect)


wrong("c66", "Ends reading the query at the value of Signature: parameters after it are neither signed nor refused, just ignored.", V_QUERY,
      verify_query=c66)


def c67(given, keys, dialect):
    pairs = [(re.sub("[. ]", "_", name), value) for name, value in base.read_query(given["query"])]
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


wrong("c67", "Turns dots and spaces in query parameter names into underscores before checking, as PHP's $_GET does, so Name.0 is signed as "
      "Name_0.", V_QUERY, verify_query=c67)

wrong("c68", "Checks the signature over the parameters in the order received instead of sorting them by name.", V_PARAM,
      verify_prepare=lambda parameters: c68(parameters))


def c68(parameters):
    kept = base.without_signature(base.flatten(parameters))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


def c69(written):
    value = float(written)
    if value in (float("inf"), float("-inf")):
        return {"number": written}
    return {"number": repr(int(value)) if value == int(value) else repr(value)}


wrong("c69", "Reads the numbers of a JSON body as doubles, so integers beyond 2^53 and long fractions are checked with rounded digits.",
      V_JSON, json_number=c69)


def c70(value):
    if isinstance(value, str):
        return value.strip()
    return old("wrap")(value)


wrong("c70", "Trims whitespace from both ends of string members of the JSON body before checking the signature (TrimStrings "
      "middleware).", V_JSON, wrap=c70)
