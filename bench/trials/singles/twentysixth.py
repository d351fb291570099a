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


# ------------------------------------------------------------------ account-API parameters


def falsy(value):
    if isinstance(value, dict):
        if "number" in value:
            return re.fullmatch(r"-?[0.]+([eE][+-]?\d+)?", value["number"]) is not None
        return not (value["list"] if "list" in value else value["object"])
    return value in ("", "0") or value is False


wrong("al01", "PHP: the parameters go through array_filter() without a callback before signing, so each top-level parameter whose "
      "value is the empty text, the text 0, the number 0 or false is neither signed nor sent.", SIGNED,
      prepare=lambda parameters: right["prepare"]([[n, v] for n, v in parameters if v is None or not falsy(v)]),
      verify_prepare=lambda parameters: right["prepare"](parameters))


def sorted_then_flat(parameters):
    kept = base.without_signature(base.flatten(sorted(parameters, key=lambda pair: base.utf8(pair[0]))))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("al02", "Sorts the parameters by their top-level names first and flattens lists and objects in place afterwards, without a "
      "second sort: item 10 of a list comes after item 9, and the members of an object stay in the order given.", TYPED,
      prepare=sorted_then_flat)


def flat_items(items):
    for item in items:
        if isinstance(item, dict) and "list" in item:
            yield from flat_items(item["list"])
        else:
            yield item


wrong("al03", "Ruby: a list is flattened with Array#flatten before its items are numbered, so the items of a list inside a list get "
      "consecutive numbers on one level, Name.0, Name.1, Name.2 for [[a, b], c].", TYPED,
      list_leaves=lambda name, items: right["list_leaves"](name, list(flat_items(items))))


def big_decimal(written):
    text = right["number_text"](written)
    if "." in text or not text.endswith("0") or text == "0":
        if text.lstrip("-").startswith("0.000000"):            # adjusted exponent below -6
            digits = text.lstrip("-")[2:]
            zeros = len(digits) - len(digits.lstrip("0"))
            digits = digits[zeros:]
            return ("-" if text[0] == "-" else "") + digits[0] + ("." + digits[1:] if digits[1:] else "") + "E-%d" % (zeros + 1)
        return text
    digits = text.lstrip("-").rstrip("0")
    power = len(text.lstrip("-")) - 1
    return ("-" if text[0] == "-" else "") + digits[0] + ("." + digits[1:] if digits[1:] else "") + "E+%d" % power


wrong("al04", "Java: numbers are written with new BigDecimal(text).stripTrailingZeros().toString() in place of toPlainString(), so a "
      "whole number that ends in a zero gets an exponent, 10 gives 1E+1 and 20480 gives 2.048E+4, and so does a fraction below "
      "0.000001.", TYPED, number_text=big_decimal)


def php_boolean(right_function, namer):
    def function(name, items):
        out = []
        for place, item in enumerate(items):
            part, item = (place, item) if namer == "item_name" else item
            full = getattr(base, namer)(name, part)
            if item is True or item is False:
                out.append(base.Leaf(full, "1" if item else "", True))
            else:
                out += base.leaves(full, item)
        return out
    return function


wrong("al05", "PHP: is_bool() is asked for top-level values only; a boolean inside a list or an object goes through strval(), so true is "
      "signed and sent as the text 1 and false as the empty text.", TYPED,
      list_leaves=php_boolean("list_leaves", "item_name"), object_leaves=php_boolean("object_leaves", "member_name"))

wrong("al06", "Sorts the finished texts, name plus value, in place of the names, so that if one name is the beginning of another "
      "(Backends.1 and Backends.10, Name and NameServer) the value of the shorter one decides their order in the signed text.", ACTION,
      join_pairs=lambda pairs: "".join(sorted(pairs, key=base.utf8)))


def numeric_check(leaf):
    text = leaf.text
    if leaf.quoted and re.fullmatch(r"[ \t\n\r\v\f]*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?[ \t\n\r\v\f]*", text, re.A):
        if re.fullmatch(r"\s*[+-]?\d+\s*", text, re.A) and -2**63 <= int(text) < 2**63:
            return str(int(text))
        if float(text) not in (float("inf"), float("-inf")):
            return repr(float(text))
    return right["json_leaf"](leaf)


wrong("al07", "PHP: json_encode() with JSON_NUMERIC_CHECK, so a text that looks like a number is sent as a JSON number in the body, "
      "\"007\" as 7 and \"10\" as 10; the signature is still made over the text.", "action-json", json_leaf=numeric_check)

wrong("al08", "A percent sign that is followed by two hexadecimal digits is taken for an escape that is there already and is left "
      "alone, as PHP's Guzzle and Rust's url do, so 100%25 stays 100%25 and is not encoded as 100%2525.", ESCAPES,
      percent=lambda text: "".join(part if place % 2 else right["percent"](part)
                                   for place, part in enumerate(re.split(r"(%[0-9A-Fa-f]{2})", text))))


def eager_bucket(given, keys, dialect):
    ordered, signature = base.complete(given, keys)
    if any(leaf.name == "Action" and "Bucket" in leaf.text for leaf in ordered):
        base.need(ordered, "Type", "BucketName")
    return {"target": base.bucket_target(base.query_text(ordered, signature))}


wrong("al09", "The check that Type and BucketName are present is made for every Action that has the word Bucket in its name, not for "
      "CreateBucket alone, so DescribeBucket or DeleteBucket without a Type is refused with parameter-missing.", "bucket-request",
      op_bucket_request=eager_bucket)

wrong("al10", "A guard against double encoding: a password that could itself be Base64 (only letters, digits, + and /, padding at the end, "
      "a length that is a multiple of four) is taken for encoded already and is returned unchanged.", "password",
      password_text=lambda text: text if text and len(text) % 4 == 0 and re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", text)
      else right["password_text"](text))


# ------------------------------------------------------------------ files: headers, resource, authorization

wrong("al11", "A fold is replaced with the pattern \\r?\\n[ \\t], the line break and exactly one blank, by a space; further blanks before "
      "the line break and after it stay, so a fold that is indented by four blanks leaves four blanks in the signed value.", FILE,
      unfold=lambda value: re.sub(r"\r?\n[ \t]", " ", value))

wrong("al12", "Merges equal header names with itertools.groupby without sorting first, so two headers of the same name are merged only if no "
      "other extra header stands between them; otherwise they become two lines.", FILE,
      merge=lambda pairs: [(name, [value for _, value in group]) for name, group in itertools.groupby(pairs, lambda pair: pair[0])])

wrong("al13", "Java: the values of one header name are collected in a LinkedHashSet, so a value that is sent twice under the same name "
      "appears only once in the joined list.", FILE, join_values=lambda values: ",".join(dict.fromkeys(values)))

wrong("al14", "The blanks around the colon are removed with a replacement of \\s*:\\s* on the whole line name:value, so colons inside the "
      "value of an extra header lose the blanks around them too, a : b becomes a:b.", FILE,
      extra_value=lambda value: re.sub(r"[ \t]*:[ \t]*", ":", right["extra_value"](value)))

wrong("al15", "The Content-Type is signed only for requests that have a body: with GET, HEAD and DELETE its place stays empty even if the "
      "header is sent, as an HTTP client does that drops the header there.",
      "authorization, policy-authorization, verify-authorization",
      content_type=lambda headers, method: "" if method in ("GET", "HEAD", "DELETE") else right["content_type"](headers, method))


def decoded_key(key):
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes.fromhex(m[1].decode()), base.utf8(key))
    return raw.decode("utf-8", "replace")


wrong("al16", "The key goes through URL decoding (Python's urllib.parse.unquote) before it is put into the resource, so a key that "
      "contains a percent sign and two hexadecimal digits is signed decoded; with pre-signed URLs to verify this is a second decoding.",
      FILE, resource_key=decoded_key)

wrong("al17", "The public key is percent-encoded in the Authorization value as in a query string, so its @ becomes %40.",
      "authorization, form-authorization, policy-authorization, instant-upload",
      credentials=lambda public_key, signature, dialect: right["credentials"](base.percent(public_key), signature, dialect))


def form_type_or_header(headers, fields):
    return right["form_type"](headers, fields) or base.positional(headers, "content-type")


wrong("al18", "A form without a field Content-Type, or with an empty one, is signed with the Content-Type header of the HTTP request in place "
      "of an empty line.", "form-authorization", form_type=form_type_or_header)

wrong("al19", "C: the policy's JSON is written by hand with an escape for the double quote only, so backslashes and control characters go "
      "into the JSON text unescaped.", "policy",
      policy_json=lambda members: "{" + ",".join('"%s":"%s"' % (n.replace('"', '\\"'), v.replace('"', '\\"')) for n, v in members) + "}")

wrong("al20", "The padding (=) at the end of the policy is cut off in the signed text only; in the Authorization value the policy "
      "keeps it.", "policy-authorization, verify-authorization",
      policy_text=lambda text, policy: text + policy.rstrip("="))

wrong("al21", "The FileName in the target is only the last segment of the key (Python's os.path.basename), while the whole key is signed; "
      "it matters for keys with a slash.", "instant-upload",
      hit_target=lambda etag, key, size: right["hit_target"](etag, posixpath.basename(key), size))

wrong("al22", "A pre-signed URL for HEAD is signed as GET, because S3-like services are believed to accept a GET signature for HEAD.",
      "presigned-url", presign_method=lambda method: "GET" if base.verb(method) == "HEAD" else base.verb(method))


def without_dots(key):
    parts, out = right["url_path"](key).split("/"), []
    for place, part in enumerate(parts):
        if part == "..":
            del out[-1:]
        elif part != ".":
            out.append(part)
            continue
        if place == len(parts) - 1:
            out.append("")
    return "/".join(out)


wrong("al23", "JavaScript: the pre-signed URL is built with new URL(), which resolves the segments . and .. of the path, so the URL of the key "
      "a/../b names b while the signature is made for a/../b.", "presigned-url", url_path=without_dots)


# ------------------------------------------------------------------ ETags

wrong("al24", "The number of blocks is size / 4194304 + 1 with integer division, so an empty file counts 1 and a size that is an exact multiple "
      "of 4 MiB counts one block too many; the hash is right.", "etag",
      block_count=lambda data, blocks: len(data) // base.block_size() + 1)


def stale_buffer(blocks):
    last = bytes(blocks[-1]) + bytes(blocks[-2][len(blocks[-1]):])
    return right["hash_hashes"](list(blocks[:-1]) + [last])


wrong("al25", "C: all blocks are read into the same 4 MiB buffer and the whole buffer is hashed each time, so in a file of more than "
      "one block a shorter last block is followed by the rest of the block before it.", "etag", hash_hashes=stale_buffer)

wrong("al26", "Rust: URL_SAFE_NO_PAD encodes the ETags. The 24 bytes of a file's never need padding, but the ETag of a part loses its = and has "
      "27 characters.", "part-etag", etag_base64=lambda raw: right["etag_base64"](raw).rstrip("="))


# ------------------------------------------------------------------ verifiers

def from_environ(headers):
    return [(name.replace("_", "-"), value) for name, value in headers]


wrong("al27", "Python WSGI: the verifier takes the header names from environ (HTTP_X_SVC_FOO) and turns each underscore into a hyphen, so "
      "a header name that really has an underscore is signed with a hyphen.", V_FILE,
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, from_environ(headers), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](from_environ(headers), dialect))


def first_three(rest):
    return right["split_credentials"](":".join(rest.split(":")[:3]))


wrong("al28", "JavaScript: [key, signature, policy] = rest.split(':') ignores all further parts, so an Authorization with a fourth part is "
      "accepted if the first three are right.", V_AUTH, split_credentials=first_three)


def node_decode(text):
    plain = re.sub(r"[^A-Za-z0-9+/]", "", text.split("=")[0].replace("-", "+").replace("_", "/"))
    if len(plain) % 4 == 1:
        plain = plain[:-1]
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


def check_decoded(expected, got):
    if node_decode(expected) != node_decode(got):
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("al29", "Node: the verifier compares the bytes of Buffer.from(signature, 'base64'), which is lenient, so a signature without its padding, "
      "with the URL-safe alphabet, with foreign characters in it or with anything after the = is accepted.", V_FILE,
      check_signature=check_decoded)

wrong("al30", "C: Expires is cast to a signed 32-bit integer, so a moment after January 2038 (2147483647) wraps round and mostly counts as "
      "expired.", V_URL,
      expires_seconds=lambda expires: (right["expires_seconds"](expires) + 2**31) % 2**32 - 2**31)

wrong("al31", "The expiry is looked at after the signature and the account, so a URL that is expired (or whose Expires is no number) and has "
      "a wrong signature is refused with signature-mismatch, and with an unknown public key with public-key-unknown.", V_URL,
      check_expiry=lambda now, expires: None,
      after_signature=lambda given, expires: right["check_expiry"](given["now"], expires))


def decoded_first(query):
    out = []
    for piece in base.query_decode(query).split("&"):
        if piece:
            name, _, value = piece.partition("=")
            out.append((name, value))
    return out


wrong("al32", "The verifier decodes the whole query string first and splits it at & and = afterwards, so a value with an encoded & (or a "
      "name with an encoded = ) falls apart.", V_QUERY + ", " + V_URL, read_query=decoded_first)

wrong("al33", "Python: json.loads makes a dict of the body, so a member that is there twice, also in an inner object, is not refused "
      "and the last value counts.", V_JSON,
      json_pairs=lambda pairs: {"object": [[name, base.wrap(value)] for name, value in dict(pairs).items()]})

wrong("al34", "C: the signatures are compared with strncmp(expected, got, strlen(got)), so every beginning of the right signature is accepted, "
      "a single character even.", V_ALL, equal=lambda expected, got: expected.startswith(got))


def standard_policy(policy):
    return right["policy_ok"](policy) and not re.search("[-_]", policy)


wrong("al35", "PHP: the verifier decodes the policy with base64_decode($policy, true), the standard alphabet only, so a policy whose URL-safe "
      "Base64 contains - or _ is refused with authorization-malformed.", V_AUTH, policy_ok=standard_policy)


def exact_authorization(headers):
    return right["find_authorization"]([(name, value) for name, value in headers if name == "Authorization"])


wrong("al36", "The verifier looks for the header name Authorization with exactly this case, so a request that spells it authorization, as "
      "HTTP/2 does, is refused with authorization-missing.", V_AUTH, find_authorization=exact_authorization)
