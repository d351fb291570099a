"""Thirty implementations with one mistake each, as patches of base.py."""
import itertools
import json
import posixpath
import re
import unicodedata
from decimal import Decimal, localcontext

import base
from operations import (ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, SIGNED, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON, V_PARAM, V_QUERY, V_URL)  # noqa: F401
from recording import wrong

right = {name: value for name, value in vars(base).items() if callable(value)}


# ---------------------------------------------------------------- actions

def sorted_then_flat(parameters):
    right["prepare"](parameters)                                  # the same refusals
    return right["without_signature"](base.flatten(sorted(parameters, key=lambda pair: base.utf8(pair[0]))))


wrong("ag01", "Sorts the parameters as given by name and flattens lists and objects only afterwards, without sorting again: list items stay in"
      " index order (Backends.2 before Backends.10), object members in the order given, and all stand at the place of their list or object.",
      TYPED, prepare=sorted_then_flat)


def java_number(written):
    text = right["number_text"](written)
    with localcontext() as context:
        context.prec = 9000
        return str(Decimal(text).normalize(context))


wrong("ag02", "Writes numbers with Java's BigDecimal.stripTrailingZeros().toString(), which also strips zeros before the point: 100 becomes"
      " 1E+2 and 2048000 becomes 2.048E+6; numbers below 0.000001 get an exponent too.", TYPED, number_text=java_number)


wrong("ag03", "Normalises text values of parameters to Unicode NFC before signing and sending (a server: before it verifies).", ACTION,
      string_text=lambda value: unicodedata.normalize("NFC", value))


def flat_list(name, items):
    def flat(xs):
        for x in xs:
            if isinstance(x, dict) and "list" in x:
                yield from flat(x["list"])
            else:
                yield x
    return right["list_leaves"](name, list(flat(items)))


wrong("ag04", "A list directly inside a list is first merged into the outer list (Ruby's Array#flatten): [[a, b], [c]] gives Name.0, Name.1,"
      " Name.2 instead of Name.0.0, Name.0.1, Name.1.0.", TYPED, list_leaves=flat_list)

wrong("ag05", "Percent-encoding turns each line feed into CR LF first, as the widespread Lua snippet does: LF becomes %0D%0A.", ESCAPES,
      text_bytes=lambda text: right["text_bytes"](text.replace("\n", "\r\n")))


def cesu(text):
    base.utf8(text)
    out = b""
    for c in text:
        if ord(c) > 0xFFFF:
            n = ord(c) - 0x10000
            out += (chr(0xD800 + (n >> 10)) + chr(0xDC00 + (n & 0x3FF))).encode("utf-8", "surrogatepass")
        else:
            out += c.encode("utf-8")
    return out


wrong("ag06", "Percent-encoding goes through UTF-16 code units one by one, so a character above U+FFFF becomes two escaped surrogates of three"
      " bytes each (%ED%A0%BD%ED%B8%80, CESU-8) instead of four UTF-8 bytes.", ESCAPES, text_bytes=cesu)

wrong("ag07", "Parameters with an empty text are signed but left out of the query string.", QUERY,
      query_text=lambda ordered, signature: right["query_text"]([leaf for leaf in ordered if leaf.text != ""], signature))


def latin_password(text):
    base.utf8(text)
    try:
        return base.base64.b64encode(text.encode("latin-1")).decode()
    except UnicodeEncodeError:
        return right["password_text"](text)


wrong("ag08", "The password is Base64-encoded from its Latin-1 bytes (like JavaScript's btoa) if all its characters are at most U+00FF; only"
      " other passwords are encoded from UTF-8.", "password", password_text=latin_password)

# ---------------------------------------------------------------- files

wrong("ag09", "A hand-written HMAC cuts a private key of more than 64 bytes to its first 64 bytes instead of hashing it.", FILE,
      file_digest=lambda key, message: right["file_digest"](key[:64], message))

wrong("ag10", "Unfolds only the first fold of an extra header's value (JavaScript's replace with a pattern without the g flag); later folds stay"
      " in the string to sign with their line breaks.", FILE,
      extra_value=lambda value: re.sub(r"[ \t]*(\r?\n[ \t]+)+", " ", value.strip(" \t"), count=1).strip(" \t"))


wrong("ag11", "Merges extra headers of the same name only if no other extra header stands between them; otherwise each run gets an entry of its own,"
      " and the entries of one name follow each other after sorting.", FILE,
      merge=lambda pairs: [(name, [v for _, v in run]) for name, run in itertools.groupby(pairs, key=lambda pair: pair[0])])

wrong("ag12", "Sorts the finished lines name:value of the extra headers instead of the names, so x-svc-a-b and x-svc-a1 come before x-svc-a"
      " (a hyphen, a dot and digits are below the colon).", FILE,
      sort_groups=lambda groups: sorted(groups, key=lambda group: group[0] + ":" + base.join_values(group[1])))


def aws_date(headers, dialect):
    wanted = dialect["headerPrefix"].lower() + "date"
    dated = any(name.lower() == wanted for name, _ in headers)
    return [(name, value) for name, value in headers if not (dated and name.lower() == "date")]


wrong("ag13", "As in AWS S3 v2 (x-amz-date): if there is an extra header X-Svc-Date, the Date position is empty although a Date header is sent.",
      POSITIONAL,
      header_text=lambda method, bucket, key, headers, dialect: right["header_text"](method, bucket, key, aws_date(headers, dialect), dialect),
      form_text=lambda given, headers, dialect: right["form_text"](given, aws_date(headers, dialect), dialect))

wrong("ag14", "Builds the canonicalized resource with Go's path.Join: a slash at the end is lost (also after the bucket if the key is empty),"
      " repeated slashes become one, and the segments . and .. are resolved.", FILE,
      resource=lambda bucket, key: posixpath.normpath("/" + bucket + "/" + key))


def int32(expires):
    if not re.fullmatch(r"[0-9]+", expires, re.A) or int(expires) < 1 << 31:
        return expires
    return str((int(expires) + (1 << 31)) % (1 << 32) - (1 << 31))


wrong("ag15", "Keeps Expires in a signed 32-bit integer: an expiry of 2147483648 or more wraps around (4102444800 becomes -192522496), in the"
      " signed text and in the URL.", "presigned-url", presign_expires=int32, url_expires=int32)


def form_with_fields(given, headers, dialect):
    more = [(base.header_name(name), value) for name, value in given["fields"] if base.is_extra(name, dialect)]
    return right["form_text"](given, headers + more, dialect)


wrong("ag16", "Form fields whose names start with X-Svc- are signed too, as if they were extra headers after those of the request.",
      "form-authorization", form_text=form_with_fields)

wrong("ag17", "FileName of the instant upload is only the part of the key after its last slash, while the signature covers the whole key.",
      "instant-upload", hit_target=lambda etag, key, size: right["hit_target"](etag, key.rpartition("/")[2], size))


def numeric_check(members):
    return "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + (
        v if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", v, re.A) else json.dumps(v, ensure_ascii=False)) for n, v in members) + "}"


wrong("ag18", "In the policy's JSON a value that looks like a JSON number is written as a number instead of a text (PHP's JSON_NUMERIC_CHECK).",
      "policy", policy_json=numeric_check)

wrong("ag19", "The ETag of a part lacks the Base64 padding: 27 characters instead of 28 (Go's RawURLEncoding).", "part-etag",
      op_part_etag=lambda given, keys, dialect: {"etag": right["op_part_etag"](given, keys, dialect)["etag"].rstrip("=")})


def stale(blocks):
    filled = [bytes(block) for block in blocks]
    filled[-1] += filled[-2][len(filled[-1]):]
    return right["hash_hashes"](filled)


wrong("ag20", "In files of more than one block the whole reused read buffer is hashed for a short last block: the block is followed by what is left"
      " of the block before it, up to 4 MiB.", "etag", hash_hashes=stale)

# ---------------------------------------------------------------- servers


def late_text(now, expires):
    base.expires_seconds(expires)
    if now > expires:
        raise base.No("expired", "too late")


wrong("ag21", "The server compares now and Expires as texts, so with different numbers of digits it takes an expired URL for valid (Expires=999999999)"
      " or a valid one for expired (Expires=10000000000).", V_URL, check_expiry=late_text)

wrong("ag22", "The server treats HEAD as GET when it verifies a pre-signed URL: it accepts a URL signed for GET with HEAD and refuses one signed for"
      " HEAD.", V_URL, verify_method=lambda method: "GET" if right["verify_method"](method) == "HEAD" else right["verify_method"](method))

wrong("ag23", "The server decodes the path of a pre-signed URL like a form: an unescaped plus sign becomes a space in the key.", V_URL,
      key_of_path=lambda path: right["key_of_path"](path.replace("+", " ")))


def repaired(given, keys, dialect):
    url = re.sub(r"(?<=[?&]Signature=)[^&#]*", lambda m: m[0].replace("%20", "%2B").replace(" ", "%2B"), given["url"])
    return right["verify_url"](dict(given, url=url), keys, dialect)


wrong("ag24", "The server repairs the signature of a pre-signed URL before comparing: spaces (%20) in it are replaced by plus signs, so a damaged"
      " signature is accepted.", V_URL, verify_url=repaired)

wrong("ag25", "The server compares signatures only up to the length of the one received (strncmp), so any non-empty beginning of the right signature"
      " is accepted.", V_ALL, equal=lambda expected, got: expected.startswith(got))

wrong("ag26", "The server does not append the callback policy to the string to sign: it refuses correctly signed requests with a policy, and accepts"
      " any policy added to a request that was signed without one.", V_AUTH, verify_policy_text=lambda text, policy: text)

wrong("ag27", "The server only checks that the word before the space starts with the scheme, so it accepts Svc2 or SvcV4 in place of Svc.", V_AUTH,
      scheme_ok=lambda scheme, dialect: scheme.startswith(dialect["scheme"]))


def array_filter(parameters):
    return [leaf for leaf in right["verify_prepare"](parameters)
            if leaf.text not in ("", "0") and (leaf.quoted or leaf.text != "false")]


wrong("ag28", "The server passes the flattened parameters through PHP's array_filter before it verifies: those with an empty text, 0 (text or"
      " number) or JSON false are dropped and not signed.", V_PARAM, verify_prepare=array_filter)


def scalars_only(given, keys, dialect):
    members = base.read_json(given["body"])
    try:
        base.flatten(members)
    except base.No as no:
        raise base.No("body-malformed", str(no))
    flat = [[n, v] for n, v in members if not (isinstance(v, dict) and ("list" in v or "object" in v))]
    return base.verify_parameters(flat, base.signature_of(members), keys)


wrong("ag29", "The server leaves members that are arrays or objects out of the signed text of a JSON body instead of flattening them, so they may be"
      " changed freely and correctly signed ones are refused.", V_JSON, verify_json=scalars_only)


def last_values(headers, dialect):
    last = {}
    for i, (name, _) in enumerate(headers):
        last[name.lower()] = i
    return [pair for i, pair in enumerate(headers) if not base.is_extra(pair[0], dialect) or last[pair[0].lower()] == i]


wrong("ag30", "The server keeps only the last of several extra headers with the same name when it computes the signature, instead of merging them.",
      V_FILE,
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, last_values(headers, dialect), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](last_values(headers, dialect), dialect))
