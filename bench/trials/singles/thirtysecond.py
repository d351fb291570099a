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

from operations import SENT  # noqa: E402,F401



# ------------------------------------------------------------------ account API: sorting

ICU = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"


def culture_key(name):
    """Roughly the root collation: punctuation, digits, letters without case; then accents; then lower case first."""
    base.utf8(name)
    plain = unicodedata.normalize("NFD", name)
    letters = [c for c in plain if not unicodedata.combining(c)]
    first = [(0, ICU.index(c)) if c in ICU else (1, ord(c.lower()[0])) for c in letters]
    return first, [c for c in plain if unicodedata.combining(c)], [c.isupper() for c in letters], name


wrong("ar01", "C#: parameters are sorted with the default comparer of SortedDictionary, which is the culture's: letters without regard to case (ChargeType before CPU), "
      "lower case first where only the case differs, an underscore before a dot before a digit.", ACTION,
      order=lambda leaves: sorted(leaves, key=lambda leaf: culture_key(leaf.name)))

wrong("ar02", "Go: the parameters are made into texts name=value and these texts are sorted, so that Disk.0 and Disk-x come before Disk (. and - are below =).", ACTION,
      order=lambda leaves: sorted(leaves, key=lambda leaf: base.utf8(leaf.name + "=" + leaf.text)))


# ------------------------------------------------------------------ account API: values, flattening

def six_decimals(written):
    text = right["number_text"](written)
    return format(Decimal(text), ".6f") if "." in text else text


wrong("ar03", "C: a number that is not whole is written with %f, with six decimals (0.5 is 0.500000).", TYPED, number_text=six_decimals)


def php_boolean(leaf):
    if leaf.quoted or leaf.text not in ("true", "false"):
        return leaf.text
    return "1" if leaf.text == "true" else ""


wrong("ar04", "PHP: the signed text is put together with $k . $v, where true is 1 and false is nothing; the body and the query carry true and false.", TYPED,
      signed_value=php_boolean)


def to_json(value):
    if value is True or value is False:
        return base.boolean_text(value)
    if isinstance(value, str):
        return base.json.dumps(value, ensure_ascii=False)
    if "number" in value:
        return base.number_text(value["number"])
    if "list" in value:
        return "[" + ",".join(to_json(item) for item in value["list"]) + "]"
    return "{" + ",".join(to_json(name) + ":" + to_json(item) for name, item in value["object"]) + "}"


def scalar_lists(name, items):
    out = []
    for index, item in enumerate(items):
        inner = base.item_name(name, index)
        flat = base.leaves(inner, item)
        if isinstance(item, dict) and "object" in item:
            base.check_repeated([leaf.name for leaf in flat])
            flat = [base.Leaf(inner, to_json(item), True)]
        out += flat
    return out


wrong("ar05", "Only lists of plain values are flattened: an object inside a list is signed and sent as one parameter Name.0 with compact JSON text.", TYPED,
      list_leaves=scalar_lists)


wrong("ar06", "An empty list or an empty object is signed and sent as a parameter with an empty value, where it should be no parameter at all.", TYPED,
      list_leaves=lambda name, items: right["list_leaves"](name, items) if items else [base.Leaf(name, "", True)],
      object_leaves=lambda name, members: right["object_leaves"](name, members) if members else [base.Leaf(name, "", True)])

wrong("ar07", "Every parameter whose name begins with Signature (SignatureMethod, SignatureVersion, Signatures.0) is left out, not only Signature.", ACTION,
      unsigned_name=lambda name: name.startswith("Signature"))


def clear_password(leaf):
    if leaf.name != "Password" or not leaf.quoted:
        return leaf.text
    try:
        return base64.b64decode(leaf.text, validate=True).decode("utf-8")
    except ValueError:
        return leaf.text


wrong("ar08", "The parameter Password is signed as clear text (its Base64 is decoded for the signed text), though it is sent in Base64.", ACTION,
      signed_value=clear_password)


def encode64(text):
    plain = right["password_text"](text)
    return "".join(plain[i:i + 60] + "\n" for i in range(0, len(plain), 60))


wrong("ar09", "Ruby: Password is encoded with Base64.encode64, which puts a line feed after every 60 characters and at the end.", "password", password_text=encode64)


def big_integer(digest):
    return "%x" % int.from_bytes(digest, "big")


wrong("ar10", "Java: the hexadecimal signature is new BigInteger(1, digest).toString(16), which loses the zeros at its start.", ACTION, action_hex=big_integer)


# ------------------------------------------------------------------ account API: what is sent

SWIFT = b"-._~!$&'()*+,;=:@/?"


def swift_escape(text):
    return "".join(chr(b) if chr(b).isalnum() and b < 128 or b in SWIFT else "%%%02X" % b for b in base.utf8(text))


wrong("ar11", "Swift: texts are escaped with addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed), which leaves ! $ & ' ( ) * + , ; = : @ / ? as they are.",
      "url-encode, action-query, bucket-request",
      query_name=swift_escape, query_value=lambda leaf: swift_escape(leaf.text),
      op_url_encode=lambda given, keys, dialect: {"encoded": swift_escape(given["text"])})


def numeric_check(leaf):
    plain = right["json_leaf"](leaf)
    if not leaf.quoted or not re.fullmatch(r"[ \t\n\r\v\f]*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?[ \t\n\r\v\f]*", leaf.text, re.A):
        return plain
    text = leaf.text.strip(" \t\n\r\v\f")
    if re.fullmatch(r"[+-]?\d+", text, re.A) and -2 ** 63 <= int(text) < 2 ** 63:
        return str(int(text))
    value = float(text)
    return plain if value in (float("inf"), float("-inf")) else repr(value)


wrong("ar12", "PHP: the body is made with JSON_NUMERIC_CHECK, so a text that looks like a number (007, 1.50) is sent as the number 7 or 1.5, while the text itself is signed.",
      "action-json", json_leaf=numeric_check)


def aliyun_bucket(given, keys, dialect):
    ordered, _ = base.complete(given, keys)
    if ("Action", "CreateBucket") in [(x.name, x.text) for x in ordered]:
        base.need(ordered, "Type", "BucketName")
    text = base.join_pairs([base.percent(x.name) + base.percent(base.signed_value(x)) for x in ordered])
    signature = base.action_hex(base.action_digest(text, keys["privateKey"]))
    return {"target": base.bucket_target(base.query_text(ordered, signature))}


wrong("ar13", "Port of the Aliyun RPC signing: bucket requests sign names and values after URL encoding (the account API signs them unencoded).", "bucket-request",
      op_bucket_request=aliyun_bucket)


# ------------------------------------------------------------------ files: positional headers

def media_type(value):
    return value.split(";", 1)[0].rstrip(" \t")


wrong("ar14", "Only the media type of Content-Type is signed: everything from a semicolon on (charset, boundary) is cut off.", POSITIONAL,
      content_type=lambda headers, method: media_type(right["content_type"](headers, method)),
      form_type=lambda headers, fields: media_type(right["form_type"](headers, fields)))


def md5_as_base64(value):
    return base64.b64encode(bytes.fromhex(value)).decode() if re.fullmatch(r"[0-9A-Fa-f]{32}", value) else value


wrong("ar15", "Port from S3: a Content-MD5 of 32 hexadecimal digits is signed as the Base64 of its sixteen bytes.", POSITIONAL,
      content_md5=lambda headers, method: md5_as_base64(right["content_md5"](headers, method)),
      form_md5=lambda headers, fields: md5_as_base64(right["form_md5"](headers, fields)))


def has_own_date(headers, dialect):
    return bool(base.find(headers, base.extra_prefix(dialect) + "date"))


def dated_header_text(method, bucket, key, headers, dialect):
    method = base.verb(method)
    base.check_bucket(bucket)
    when = base.date(headers, method)
    return base.lines(method, base.content_md5(headers, method), base.content_type(headers, method),
                      "" if has_own_date(headers, dialect) else when,
                      base.canonical_headers(headers, dialect), base.resource(bucket, key))


def dated_form_text(given, headers, dialect):
    plain = right["form_text"](given, headers, dialect)
    if not has_own_date(headers, dialect):
        return plain
    return base.lines(base.form_method(), base.form_md5(headers, given["fields"]), base.form_type(headers, given["fields"]), "",
                      base.canonical_headers(headers, dialect), base.resource(given["bucket"], given["key"]))


wrong("ar16", "Port of AWS signature version 2: when there is a header X-Svc-Date, the line of Date stays empty even though Date is sent.", POSITIONAL,
      header_text=dated_header_text, form_text=dated_form_text)


# ------------------------------------------------------------------ files: extra headers

wrong("ar17", "Port of AWS signature version 4: runs of spaces inside the value of an extra header become one space.", FILE,
      extra_value=lambda value: re.sub(" +", " ", base.header_value(value)))

wrong("ar18", "The finished lines name:value of the extra headers are sorted, not the names, so x-svc-a-b and x-svc-a1 come before x-svc-a (- and 1 are below the colon).", FILE,
      entries=lambda groups: "".join(sorted(base.entry(name, values) for name, values in groups)))


def line_breaks_only(value):
    legal = right["unfold"](value)
    return value if legal == value else re.sub(r"\r?\n(?=[ \t])", " ", value)


wrong("ar19", "A folded header value is unfolded by replacing only the line break with a space; the spaces and tabs around it stay.", FILE, unfold=line_breaks_only)

def node_base64(private_key):
    base.utf8(private_key)
    text = re.sub("[^A-Za-z0-9+/]", "", private_key.split("=", 1)[0].replace("-", "+").replace("_", "/"))
    if len(text) % 4 == 1:
        text = text[:-1]
    return base64.b64decode(text + "=" * (-len(text) % 4))


wrong("ar21", "Port of Azure's shared key in Node.js: the HMAC's key is Buffer.from(privateKey, 'base64'), the private key decoded from Base64.", FILE, file_key=node_base64)

wrong("ar22", "The boundary between bucket and key is made with a path join, as path.Join in Go: a//b, a/./b, a/../b and a trailing slash (also that of an empty key) are cleaned in the signed resource.", FILE,
      resource=lambda bucket, key: posixpath.normpath("/" + bucket + "/" + key.lstrip("/")))


# ------------------------------------------------------------------ forms, policies, instant upload

def type_or_header(headers, fields):
    if base.form_fields(fields, "Content-Type"):
        return right["form_type"](headers, fields)
    return base.positional(headers, "content-type")


wrong("ar23", "A form without the field Content-Type is signed with the Content-Type header of the HTTP request (multipart/form-data) in place of an empty line.",
      "form-authorization", form_type=type_or_header)

wrong("ar24", "The callback policy stands on a line of its own in the signed text: a line feed goes between the resource and the policy.",
      "policy-authorization, verify-authorization", policy_text=lambda text, policy: text + "\n" + policy if policy else text)


def hit_base_name(etag, key, size):
    return right["hit_target"](etag, key.rsplit("/", 1)[-1], size)


wrong("ar25", "Instant upload sends only the last part of the key as FileName (a.txt for dir/a.txt), while the whole key is signed.", "instant-upload", hit_target=hit_base_name)


# ------------------------------------------------------------------ pre-signed URLs

def encode_uri(key):
    return "".join(chr(b) if chr(b).isalnum() and b < 128 or b in b";,/?:@&=+$-_.!~*'()#" else "%%%02X" % b for b in base.utf8(key))


wrong("ar26", "JavaScript: the path of a pre-signed URL is encodeURI(key), which leaves ? and # of the key as they are (and ; , : @ & = + $ ! * ' ( ) too).", "presigned-url",
      url_path=encode_uri)


# ------------------------------------------------------------------ ETag

def reused_buffer(blocks):
    hashes, buffer = [], bytearray(base.block_size())
    for block in blocks:
        buffer[:len(block)] = block
        hashes.append(base.etag_hash(bytes(buffer)))
    return base.etag_hash(b"".join(hashes))


wrong("ar27", "C: the blocks of a file above 4 MB are read into one buffer that is always hashed whole, so a short last block is hashed with the rest of the block before it.",
      "etag", hash_hashes=reused_buffer)

wrong("ar28", "The number of blocks is size / 4 MB + 1 in whole numbers, so it is one too many for a file whose size is a multiple of 4 MB (also the empty file).", "etag",
      block_count=lambda data, blocks: len(data) // base.block_size() + 1)


# ------------------------------------------------------------------ verifying

wrong("ar29", "C: signatures are compared with strncmp(expected, got, strlen(got)), so any beginning of the right signature is accepted.", V_ALL,
      equal=lambda expected, got: expected.startswith(got) and got != "")


def first_two(rest):
    parts = rest.split(":")
    if len(parts) < 2 or "" in parts[:2] or re.search(r"[ \t]", rest):
        raise base.No("authorization-malformed", "not key:signature")
    return parts[0], parts[1], None


wrong("ar30", "PHP: the Authorization header is split with explode(':') and only the first two parts are looked at: a callback policy (or anything else behind a second colon) "
      "is ignored and left out of the signed text.", V_AUTH, split_credentials=first_two)

wrong("ar31", "The verifier takes a callback policy in the Authorization header with every method, so with GET and DELETE too.", V_AUTH, policy_method_ok=lambda method: True)

wrong("ar32", "The verifier gives a pre-signed URL five minutes for clocks that differ: it is refused only when more than 300 seconds have passed since Expires.", V_URL,
      is_late=lambda now, expires: now > expires + 300)

wrong("ar33", "Python: the path of a pre-signed URL is decoded with unquote_plus, so a plus sign in the path becomes a space of the key.", V_URL,
      key_of_path=lambda path: base.unpercent(path.replace("+", " "), "url-malformed"))


def cut_query(given, keys, dialect):
    query = given["query"]
    match = re.search(r"(?:^|&)Signature=([^&]*)", query)
    before = base.read_query(query[:match.start()] if match else query)
    base.check_query_repeated([name for name, _ in before])
    return base.verify_parameters([list(pair) for pair in before], base.query_decode(match[1]) if match else None, keys)


wrong("ar34", "The verifier of a query takes everything before &Signature= as the signed parameters: parameters after the signature are ignored and not signed.", V_QUERY,
      verify_query=cut_query)


def trimmed(value):
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict) and "list" in value:
        return {"list": [trimmed(item) for item in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, trimmed(item)] for name, item in value["object"]]}
    return value


wrong("ar35", "Laravel: the middleware TrimStrings has cut the white space at both ends of every text value before the verifier computes the signature.", V_PARAM,
      verify_prepare=lambda parameters: right["verify_prepare"]([[name, trimmed(value)] for name, value in parameters]),
      signature_of=lambda pairs: trimmed(right["signature_of"](pairs)))


wrong("ar20", "Jackson (asText) or Rust's arbitrary precision: the verifier of a JSON body puts a number into the signed text as it is written in the body (1.50, 42.0, 1e3), "
      "not in its plain form.", V_JSON, json_number=lambda written: written)


wrong("ar36", "A verifier behind WSGI or Rack gets header names as HTTP_X_SVC_META_MY_KEY: an underscore in the name of an extra header has become a hyphen.", V_FILE,
      verify_header_text=lambda given, headers, dialect: base.header_text(
          given["method"], given["bucket"], given["key"], [(name.replace("_", "-"), value) for name, value in headers], dialect),
      verify_url_headers=lambda headers, dialect: base.canonical_headers([(name.replace("_", "-"), value) for name, value in headers], dialect))
