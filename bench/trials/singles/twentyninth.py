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

# ------------------------------------------------------------------ canonical headers and resource

wrong("ao01", "Builds the finished entries first and sorts those, so the colon takes part in the comparison. A name that continues another "
      "one with a hyphen, a dot or a digit (x-svc-a-b, x-svc-a1 against x-svc-a) is put before the shorter name instead of after it.", FILE,
      sort_groups=lambda groups: sorted(groups, key=lambda group: group[0] + ":"))

wrong("ao02", "Unfolds a header value by replacing only the line break and the blanks after it. Blanks in front of the line break stay, so "
      "'a', blank, CRLF, blank, 'b' becomes 'a', two blanks, 'b' instead of one blank.", FILE,
      unfold=lambda value: re.sub(r"\r?\n[ \t]+", " ", value))

wrong("ao03", "Merges equal extra header names with a group-by over the headers in the order sent, before sorting them. Equal names that are "
      "not neighbours in the request stay two entries, one under the other.", FILE,
      merge=lambda pairs: [(name, [value for _, value in group]) for name, group in itertools.groupby(pairs, key=lambda pair: pair[0])])


def ao04(headers, dialect):
    extra = sorted([pair for pair in headers if base.is_extra(pair[0], dialect)], key=lambda pair: pair[0])
    return base.entries(base.merge(base.extra_pairs(extra, dialect)))


wrong("ao04", "Swaps two steps: sorts the extra headers by the names as sent, upper case before lower case, and converts the names to lower "
      "case afterwards. Requests that mix the case of header names get another order of entries, and of the values of a repeated name.", FILE,
      canonical_headers=ao04)

wrong("ao05", "Normalises the Content-Type header before signing: blanks around a semicolon are removed, so 'text/plain; charset=utf-8' is "
      "signed as 'text/plain;charset=utf-8'. The form field Content-Type is left alone.", HEADER,
      content_type=lambda headers, method: re.sub(r"[ \t]*;[ \t]*", ";", right["content_type"](headers, method)))

wrong("ao06", "Removes slashes from the end of the key before it goes into the resource, so the folder marker 'photos/' is signed as 'photos'.",
      FILE, resource_key=lambda key: key.rstrip("/"))


def ao07(headers, method):
    value = right["date"](headers, method)
    return "" if any(re.fullmatch(r"x-[a-z0-9]+-date", base.fold_name(name)) for name, _ in headers) else value


wrong("ao07", "Knows another vendor's rule: if the request has an extra header X-Svc-Date, the line of Date is left empty, although the "
      "request also has a Date header. Without an extra header of that name, all is right.", POSITIONAL, date=ao07)

wrong("ao08", "Reads 'joined by commas with no spaces' as a rule for commas inside a value too: an extra header's value 'a, b' is split at its "
      "comma and joined again as 'a,b'.", FILE,
      extra_value=lambda value: ",".join(part.strip(" \t") for part in base.header_value(value).split(",")))

wrong("ao09", "Gets its headers from CGI variables and turns every underscore of an extra header's name into a hyphen: x-svc-meta-my_tag is "
      "signed as x-svc-meta-my-tag.", FILE, extra_name=lambda name: name.lower().replace("_", "-"))

# ------------------------------------------------------------------ action parameters

wrong("ao10", "Glues each name to its value first and sorts the glued texts. If one name is the beginning of another (A and AB), the value of "
      "the shorter decides the order: A=z is signed after AB=1. Names that do not begin one another are sorted right.", ACTION,
      join_pairs=lambda pairs: "".join(sorted(pairs)))


wrong("ao11", "Drops zeros of a fraction with Decimal.normalize(), which also rounds to 28 significant digits: a number with 29 or more digits "
      "is signed and sent rounded.", TYPED,
      number_text=lambda written: format(Decimal(right["number_text"](written)).normalize(), "f"))


def ao12(written):
    text = right["number_text"](written)
    return "-0" if text == "0" and re.fullmatch(r"-.*[.eE].*", written) else text


wrong("ao12", "Checks for minus zero before it drops the fraction, so only '-0' becomes '0': '-0.0', '-0.00' and '-0e3' are written '-0'.",
      TYPED, number_text=ao12)

wrong("ao13", "An empty list or an empty object does not vanish while flattening: it is signed and sent as a parameter of its name with an "
      "empty text.", TYPED,
      list_leaves=lambda name, items: right["list_leaves"](name, items) if items else [base.Leaf(name, "", True)],
      object_leaves=lambda name, members: right["object_leaves"](name, members) if members else [base.Leaf(name, "", True)])


def ao14_items(items):
    for item in items:
        if isinstance(item, dict) and "list" in item:
            yield from ao14_items(item["list"])
        else:
            yield item


wrong("ao14", "Flattens a list of lists to one plain list before numbering: [[a, b], [c]] becomes Name.0, Name.1, Name.2 instead of Name.0.0, "
      "Name.0.1, Name.1.0.", TYPED, list_leaves=lambda name, items: right["list_leaves"](name, list(ao14_items(items))))


def ao15_leaves(name, item):
    return [base.Leaf(name, str(item), True)] if item is True or item is False else base.leaves(name, item)


wrong("ao15", "Writes booleans as true and false at the top, but forgets it inside lists and objects, where they are the texts True and False "
      "of Python.", TYPED,
      list_leaves=lambda name, items: [x for i, item in enumerate(items) for x in ao15_leaves(base.item_name(name, i), item)],
      object_leaves=lambda name, members: [x for n, item in members for x in ao15_leaves(base.member_name(name, n), item)])


def ao16_unset(value):
    if isinstance(value, dict) and "number" in value:
        return base.number_text(value["number"]) == "0"
    return value is False


wrong("ao16", "Takes false and the number zero for 'not set' and leaves such a parameter out of the signature and of the request. Empty texts, "
      "and false or zero inside a list or an object, are kept.", TYPED,
      flatten=lambda parameters: right["flatten"]([pair for pair in parameters if not ao16_unset(pair[1])]))

# ------------------------------------------------------------------ URL encoding, queries, JSON bodies

wrong("ao17", "Protects against double encoding: what looks like an escape in the clear text (a percent sign and two hexadecimal digits) is "
      "left as it is, so 'a%20b' is not encoded as 'a%2520b'. Other percent signs are encoded.", ESCAPES,
      percent=lambda text: "".join(part if i % 2 else right["percent"](part)
                                   for i, part in enumerate(re.split(r"(%[0-9A-Fa-f]{2})", text))))

wrong("ao18", "Writes the escape of a byte without a leading zero, so bytes below 16 have one digit only: a line feed is %A, a tab is %9.",
      ESCAPES, escape_byte=lambda b: "%%%X" % b)


def ao19_quote(text):
    return '"' + "".join(json_char(c) for c in text) + '"'


def json_char(c):
    return base.json.dumps(c)[1:-1] if ord(c) < 128 else "\\u%04x" % ord(c)


def ao19(ordered, signature):
    parts = [ao19_quote(x.name) + ": " + (ao19_quote(x.text) if x.quoted else x.text) for x in ordered]
    return "{" + ", ".join(parts + ['"Signature": ' + ao19_quote(signature)]) + "}"


wrong("ao19", "Escapes non-ASCII characters of the JSON body as \\u and the code point in hexadecimal, without surrogate pairs. A character "
      "beyond U+FFFF gets five digits, so the server reads another character and a digit; the signature is of the right text.", "action-json",
      json_text=ao19)


def ao20(ordered, signature):
    rows = [(x.name, base.query_value(x)) for x in ordered] + [("Signature", signature)]
    return "&".join(base.query_name(name) + "=" + value for name, value in sorted(rows, key=lambda row: base.utf8(row[0])))


wrong("ao20", "Puts the signature into the set of parameters and sorts once more before joining, so Signature stands at its place in the "
      "alphabet (before Type and Zone) instead of at the end of the query.", QUERY, query_text=ao20)


def ao21(leaf):
    if leaf.quoted or leaf.text in ("true", "false"):
        return right["json_leaf"](leaf)
    double = float(leaf.text)
    if abs(double) == float("inf"):
        return leaf.text
    return str(int(double)) if double == int(double) else repr(double)


wrong("ao21", "Signs a number with all its digits, but puts it into the JSON body as a double: 9007199254740993 is signed as it is and sent as "
      "9007199254740992, and a fraction with more than 17 digits is sent rounded. Below 0.0001 it is sent with an exponent.", "action-json", json_leaf=ao21)

# ------------------------------------------------------------------ pre-signed URLs

wrong("ao22", "Builds the path of the pre-signed URL from the non-empty parts of the key: slashes at the start and the end and doubled slashes "
      "vanish from the URL ('a//b/' becomes 'a/b'), while the signature is of the key as given.", "presigned-url",
      url_path=lambda key: "/".join(base.percent(part) for part in key.split("/") if part))


def ao23(headers, dialect):
    last = {base.fold_name(name): (name, value) for name, value in headers}
    return base.canonical_headers(list(last.values()), dialect)


wrong("ao23", "For a pre-signed URL the headers go through a dictionary, so of a repeated extra header only the last value is signed. The "
      "Authorization header merges all values, as it should.", "presigned-url", presign_headers=ao23)

wrong("ao24", "Signs a pre-signed URL for HEAD as if it were for GET, because 'HEAD is GET without a body'. All other methods are right.",
      "presigned-url", presign_method=lambda method: "GET" if right["presign_method"](method) == "HEAD" else right["presign_method"](method))


def ao25(given, headers, dialect):
    method = base.presign_method(given["method"])
    base.check_bucket(given["bucket"])
    parts = [method, "", "", given["expires"]]
    extra = base.canonical_headers(headers, dialect)
    if extra:
        parts.append(extra)
    return "\n".join(parts + [base.resource(given["bucket"], given["key"])])


wrong("ao25", "Joins the parts of a pre-signed text with line feeds, though the canonical headers already end with one: with extra headers "
      "there is an empty line before the resource. Without extra headers, and in the Authorization header, all is right.", "presigned-url",
      presign_text=ao25)

# ------------------------------------------------------------------ ETags


def ao26(blocks):
    running, out = hashlib.sha1(), b""
    for block in blocks:
        running.update(block)
        out += running.digest()
    return base.etag_hash(out)


wrong("ao26", "Does not reset the hash object between blocks of a file above 4 MiB: the hash of block N is of everything from the start of the "
      "file to the end of block N. The first block and small files are right.", "etag", hash_hashes=ao26)


def ao27(blocks):
    buffer, out = bytearray(base.block_size()), b""
    for block in blocks:
        buffer[:len(block)] = block
        out += base.etag_hash(buffer)
    return base.etag_hash(out)


wrong("ao27", "Reads every block into the same buffer and hashes the whole buffer, so a last block shorter than 4 MiB is hashed with the rest "
      "of the block before it behind it. Files of whole blocks and files of at most 4 MiB are right.", "etag", hash_hashes=ao27)

wrong("ao28", "Reads content in text mode: each CR LF becomes LF before hashing, for files and for parts.", "etag, part-etag",
      content_bytes=lambda content: right["content_bytes"](content).replace(b"\r\n", b"\n"))

# ------------------------------------------------------------------ forms, instant upload

wrong("ao29", "In a form upload, form fields whose names start with X-Svc- are signed as extra headers, after those of the HTTP request; they "
      "are fields, not headers, and do not belong into the canonical headers.", "form-authorization",
      form_text=lambda given, headers, dialect: right["form_text"](
          given, headers + [(name, value) for name, value in given["fields"] if base.is_extra(name, dialect)], dialect))

wrong("ao30", "Takes FileName of the instant upload for the name without folders: only what follows the last slash of the key goes into the "
      "target. The whole key is signed.", "instant-upload",
      hit_target=lambda etag, key, size: right["hit_target"](etag, posixpath.basename(key), size))

# ------------------------------------------------------------------ verifying


def ao31(now, expires):
    base.expires_seconds(expires)
    if now > expires:
        raise base.No("expired", "too late")


wrong("ao31", "Compares the time and Expires of a pre-signed URL as texts, not as numbers. If they have different numbers of digits, the first "
      "digit decides: 999999999 counts as later than 1700000000, and 10000000000 as earlier than 1700000000.", V_URL, check_expiry=ao31)


def ao32(expected, got):
    try:
        same = base64.b64decode(got) == base64.b64decode(expected)
    except ValueError:
        same = False
    if not same:
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("ao32", "Compares file signatures after decoding them with a tolerant Base64 decoder. Other spellings of the same 20 bytes pass: another "
      "last character that differs only in unused bits, foreign characters in between, more padding.", V_FILE, check_signature=ao32)

wrong("ao33", "Skips pieces of a query that have no equals sign. A bare name is a parameter with an empty value and belongs to the signed text, "
      "so a signed query with a bare name is refused, and a bare name added afterwards is not noticed. In a pre-signed URL, a bare "
      "SvcPublicKey or Expires counts as missing instead of empty, and a second, bare Signature is not noticed as repeated.", V_QUERY + ", " + V_URL,
      read_query=lambda query: right["read_query"]("&".join(piece for piece in query.split("&") if "=" in piece)))

wrong("ao34", "Reads numbers with a fraction or an exponent in a JSON body as doubles before it checks the signature: more than about 17 digits "
      "are rounded and a right signature is refused. Integers are read with all digits.", V_JSON,
      json_number=lambda written: {"number": repr(float(written)) if re.search(r"[.eE]", written) else written})

ao35_seen = {}


def ao35(parameters, signature, keys):
    known = (keys["publicKey"], keys["privateKey"], signature if isinstance(signature, str) else None)
    if known in ao35_seen:
        return dict(ao35_seen[known])
    result = right["verify_parameters"](parameters, signature, keys)
    ao35_seen[known] = dict(result)
    return result


wrong("ao35", "Remembers accepted signatures of queries and JSON bodies to save time. A signature that has passed once passes again for the "
      "same account with any other parameters. A forged request with a signature never seen before is refused.", V_PARAM, verify_parameters=ao35)

wrong("ao36", "Compares two signatures character by character with zip and never compares their lengths: the beginning of the right signature, "
      "even its first character alone, and the right signature with something behind it are accepted.", V_ALL,
      equal=lambda expected, got: all(a == b for a, b in zip(expected, got)))
