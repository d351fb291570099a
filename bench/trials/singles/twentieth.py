"""Thirty implementations with one mistake each, as patches of base.py: af01 to af11 verify, af12 to af30 sign."""
import base
from operations import (ACTION, ESCAPES, FILE, TYPED, V_AUTH, V_FILE, V_JSON, V_PARAM, V_URL)
from recording import wrong

right = {name: value for name, value in vars(base).items() if callable(value)}


# ------------------------------------------------------------------ verifiers

def af01(headers):
    values = [value for name, value in headers if name == "Authorization"]
    if not values:
        raise base.No("authorization-missing", "no Authorization")
    if len(values) > 1:
        raise base.No("authorization-malformed", "two of them")
    return base.header_value(values[0])


wrong("af01", "verify-authorization looks the Authorization header up by that exact spelling (a plain map instead of a "
      "case-insensitive one): `authorization` or `AUTHORIZATION`, as HTTP/2 sends it, is refused with authorization-missing.",
      V_AUTH, find_authorization=af01)


def af02(expected, got):
    if not all(a == b for a, b in zip(expected, got)):
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("af02", "The constant-time comparison of a file signature (Authorization header and pre-signed URL) runs over the shorter of the two "
      "texts (zip) and forgets to compare the lengths: any non-empty beginning of the right signature, and the right signature with "
      "anything after it, is accepted.", V_FILE, check_signature=af02)


def af03(now, expires):
    base.expires_seconds(expires)
    if now > expires:
        raise base.No("expired", "too late")


wrong("af03", "verify-presigned-url compares Expires with the clock as texts, not as numbers: an expiry with fewer digits than now is accepted "
      "when its first digits are greater (9 is `later` than 1700000000), and a later expiry with more digits (10000000000) is refused "
      "as expired.", V_URL, check_expiry=af03)


def af04(method):
    method = base.verb(method)
    return "GET" if method == "HEAD" else method


wrong("af04", "verify-presigned-url runs behind a router that serves HEAD with the handler of GET, and verifies HEAD requests with the verb GET: "
      "a URL signed for HEAD is refused and a URL signed for GET is accepted with HEAD.", V_URL, verify_method=af04)


def af05(path):
    key = right["key_of_path"](path)
    return base.re.sub("/+", "/", "/" + key)[1:]


wrong("af05", "verify-presigned-url takes the key from a path in which the proxy has merged runs of slashes (nginx merge_slashes): key a//b is "
      "verified as a/b, and key /a as a.", V_URL, key_of_path=af05)


def af06(text):
    once = base.unpercent(text, "query-malformed")
    try:
        return base.unpercent(once, "query-malformed")
    except base.No:
        return once


wrong("af06", "The verifier decodes names and values of the query a second time (the framework has already done it): a value that still "
      "contains %XY after decoding, such as 50%25 sent as 50%2525, is signed in its twice decoded form; a second decoding that "
      "fails is ignored.", "verify-query, verify-presigned-url", query_decode=af06)


def af07(written):
    return {"number": repr(float(written)) if base.re.search("[.eE]", written) else written}


wrong("af07", "verify-json parses numbers with a fraction or an exponent into doubles before it writes them as plain decimals (integers stay exact): "
      "a decimal with more than 17 significant digits is rounded, 1e-400 becomes 0 and 1e400 is refused.", V_JSON, json_number=af07)


wrong("af08", "verify-authorization accepts the third part of the header, a callback policy, with every method except GET and HEAD, so also with DELETE.",
      V_AUTH, policy_method_ok=lambda method: method.upper() not in ("GET", "HEAD"))


def af09(given, keys, dialect):
    method = base.verify_method(given["method"])
    headers = base.read_headers(given["headers"])
    bucket, key, query = base.split_url(given["url"], given["fileHost"])
    names = (dialect["publicKeyParameter"], "Expires", "Signature")
    pairs = [(name, value) for name, value in base.read_query(query) if name in names]
    base.check_url_repeated([name for name, _ in pairs])
    public_key, expires, signature = (dict(pairs).get(name) for name in names)
    base.check_url_parameters(public_key, expires, signature)
    base.check_expiry(given["now"], expires)
    base.check_account(public_key, keys)
    mime = base.positional(headers, "content-type") if method in ("PUT", "POST") else ""
    text = base.lines(method, "", mime, expires, base.verify_url_headers(headers, dialect), base.resource(bucket, key))
    base.check_signature(base.file_signature(text, keys), signature)
    return {"publicKey": public_key}


wrong("af09", "verify-presigned-url puts the Content-Type header of the request into the signed text when the method is PUT or POST, "
      "instead of leaving that position empty.", V_URL, verify_url=af09)


def af10(body):
    return [[name, value] for name, value in right["read_json"](body) if value != ""]


wrong("af10", "verify-json drops top-level members whose value is the empty string before it computes the signature (omitempty), so that their "
      "names are not signed either.", V_JSON, read_json=af10)

wrong("af11", "verify-query and verify-json compare only the first 40 characters of the Signature that was sent (a fixed-width column or strncmp), so "
      "the right signature with further characters after it is accepted.", V_PARAM,
      equal_hex=lambda expected, got: base.equal(expected, got[:40]))


# ------------------------------------------------------------------ parameters, numbers, lists, objects

def af12(name, members):
    return right["object_leaves"](name, [pair for pair in members if pair[0] != "Signature"])


wrong("af12", "Signature is removed at every level of nesting: a member named Signature of an object among the parameters (Image.Signature) is "
      "neither signed nor sent.", TYPED, object_leaves=af12)


def af13(written):
    text = right["number_text"](written)
    return written if "E" in written else text


wrong("af13", "Numbers are expanded to plain decimals only if the exponent is written with a small e: a number with a capital E, such as 1E3 or 25E-1, "
      "is signed and sent as it is written.", TYPED, number_text=af13)


def af14(written):
    text = right["number_text"](written)
    return text if "." in text else str(max(-2 ** 63, min(2 ** 63 - 1, int(text))))


wrong("af14", "Whole numbers go through a saturating conversion to a 64-bit integer (strtoll): above 9223372036854775807 or below "
      "-9223372036854775808 that limit is signed and sent instead.", TYPED, number_text=af14)


def af15_items(items):
    for item in items:
        if isinstance(item, dict) and "list" in item:
            yield from af15_items(item["list"])
        else:
            yield item


wrong("af15", "Lists directly within lists are merged into one flat list before the items are numbered: [[a, b], [c]] gives Name.0, Name.1, Name.2 "
      "instead of Name.0.0, Name.0.1, Name.1.0.", TYPED,
      list_leaves=lambda name, items: right["list_leaves"](name, list(af15_items(items))))

wrong("af16", "A list with exactly one item is treated as that item, without a number: Name instead of Name.0 (and Name.Key instead of Name.0.Key).",
      TYPED, list_leaves=lambda name, items: base.leaves(name, items[0]) if len(items) == 1 else right["list_leaves"](name, items))

wrong("af17", "Parameters are sorted as joined texts `name=value` instead of by name: a name that continues another one with a character "
      "below `=` (Name and Name.0, Disk and Disk1, Tag and Tag-x, also List.1 and List.10) comes before the shorter one.", ACTION,
      order=lambda all_leaves: sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name + "=" + leaf.text)))


# ------------------------------------------------------------------ URL encoding, passwords

def af18(text):
    return "".join(piece if index % 2 else right["percent"](piece)
                   for index, piece in enumerate(base.re.split("(%[0-9A-Fa-f]{2})", text)))


wrong("af18", "The URL encoding guards against double encoding: a percent sign that is followed by two hexadecimal digits is taken for an "
      "existing escape and left alone, instead of becoming %25.", ESCAPES, percent=af18)

wrong("af19", "The URL encoding writes escapes without zero padding (%X instead of %02X): bytes below 0x10, such as a line feed or a tab, have one digit (%A, %9).",
      ESCAPES, escape_byte=lambda b: "%%%X" % b)

wrong("af20", "The Base64 of the password is wrapped as for MIME: passwords of more than 57 bytes get a line feed after each 76 characters.",
      "password", password_text=lambda text: base.base64.encodebytes(base.utf8(text)).decode().rstrip("\n"))


# ------------------------------------------------------------------ headers

wrong("af21", "The Content-Type header is not signed with GET and HEAD, because these have no body: its position is left empty although the header was sent.",
      "authorization, policy-authorization, verify-authorization",
      content_type=lambda headers, method: "" if method in ("GET", "HEAD") else right["content_type"](headers, method))


def af22(pairs):
    groups = []
    for name, value in pairs:
        if groups and groups[-1][0] == name:
            groups[-1][1].append(value)
        else:
            groups.append((name, [value]))
    return groups


wrong("af22", "Extra headers with the same name are merged (groupby) before the sorting, so only if they are neighbours: if another extra header is "
      "between them, each gets a line of its own.", FILE, merge=af22)

wrong("af23", "A fold is replaced together with the whitespace after the line break only: spaces and tabs before the line break stay, and the single "
      "space is added to them.", FILE, unfold=lambda value: base.re.sub(r"(?:\r?\n[ \t]+)+", " ", value))

wrong("af24", "Extra headers are sorted as finished lines `name:value`, not by name: a name that continues another one with a hyphen or a digit "
      "(x-svc-meta-a and x-svc-meta-a-b) comes before the shorter one, as these are below the colon.", FILE,
      sort_groups=lambda groups: sorted(groups, key=lambda group: base.entry(*group)))


# ------------------------------------------------------------------ pre-signed URLs, forms, instant upload, policy

wrong("af25", "presigned-url leaves out empty segments of the key in the path of the URL (signed text as given): a leading or trailing slash is lost and "
      "a//b becomes a/b.", "presigned-url",
      url_path=lambda key: "/".join(base.percent(part) for part in key.split("/") if part))


def af26(headers, fields):
    value = base.one(base.form_fields(fields, "Content-MD5") or base.find(headers, "content-md5"))
    return "" if value is None else base.positional_value(value)


wrong("af26", "form-authorization prefers the form field Content-MD5 to the header Content-MD5 when both are given.", "form-authorization", form_md5=af26)

wrong("af27", "instant-upload signs the percent-encoded key (slashes kept) in the resource, instead of the key itself.", "instant-upload",
      hit_key=lambda key: base.url_path(key))

wrong("af28", "policy-authorization signs the policy as given, but sends it in the header without its trailing padding (=).", "policy-authorization",
      policy_credentials=lambda value, policy: value + ":" + policy.rstrip("=") if policy else value)


# ------------------------------------------------------------------ ETag

def af29(blocks):
    digests = [base.etag_hash(block) for block in blocks]
    if len(blocks[-1]) == base.BLOCK:
        digests.append(base.etag_hash(b""))
    return base.etag_hash(b"".join(digests))


wrong("af29", "The loop over the blocks of a file larger than 4 MiB ends at the first short read: if the size is an exact multiple of 4 MiB (8 MiB, "
      "12 MiB), the SHA-1 of an empty block is hashed after the others; the block count is right.", "etag", hash_hashes=af29)


def af30(data):
    return base.etag_digest(data, base.split(data))


wrong("af30", "The ETag of a part of more than 4 MiB is made like that of a file, from the SHA-1 over the SHA-1 values of its 4 MiB blocks, instead of "
      "the SHA-1 of the whole part.", "part-etag", part_raw=af30)
