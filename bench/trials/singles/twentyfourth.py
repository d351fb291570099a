"""Thirty implementations with one mistake each, as patches of base.py."""
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

# ------------------------------------------------------------------ account


def elixir_list(name, items):
    try:
        codes = [int(item["number"]) for item in items]
        text = "".join(chr(code) for code in codes)
        text.encode("utf-8")
    except (TypeError, KeyError, ValueError, OverflowError):
        return right["list_leaves"](name, items)
    return [base.Leaf(name, text, True)] if items else []


wrong("aj01", "Elixir: to_string is called on a list of whole numbers, which Elixir takes for a charlist: Ports [80, 81] is signed and "
      "sent as the one parameter Ports with the text PQ, not as Ports.0 and Ports.1.", TYPED, list_leaves=elixir_list)


def powershell_repeated(names):
    right["check_repeated"]([name.lower() for name in names])


wrong("aj02", "PowerShell: the parameters are kept in a hashtable, whose names ignore case, so the different parameters Name and name "
      "are refused as one name given twice.", ACTION, check_repeated=powershell_repeated)


def r_number(written):
    text = right["number_text"](written)
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    value = Decimal(digits)
    if not value:
        return text
    value = value.normalize()
    mantissa = "".join(map(str, value.as_tuple().digits))
    exponent = value.adjusted()
    science = mantissa[0] + ("." + mantissa[1:] if mantissa[1:] else "") + "e%s%02d" % ("-" if exponent < 0 else "+", abs(exponent))
    return sign + (science if len(science) < len(digits) else digits)


wrong("aj03", "R: as.character and paste0 write a number with an exponent where that is shorter: 100000 becomes 1e+05 and 0.0001 becomes "
      "1e-04, while 123456 and 1000 stay.", TYPED, number_text=r_number)


def erlang_order(all_leaves):
    return sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name + leaf.text))


wrong("aj04", "Erlang: lists:sort runs over the finished strings Name ++ Value, so the value decides where one name is the beginning of "
      "another: Name = web comes after NameTag = 1, because Nameweb is above NameTag1.", ACTION, order=erlang_order)

scala_cache = {}


def scala_digest(text, private_key):
    if text not in scala_cache:
        scala_cache[text] = right["action_digest"](text, private_key)
    return scala_cache[text]


wrong("aj05", "Scala: signatures are memoised in a TrieMap by the joined parameters, without the private key, so the same parameters "
      "signed with another private key (after a key rotation, say) get the old signature.", ACTION, action_digest=scala_digest)


def haskell_bytes(text):
    base.utf8(text)
    return bytes(ord(c) & 255 for c in text)


wrong("aj06", "Haskell: Data.ByteString.Char8.pack keeps the low eight bits of each character, so the hash of an action request covers "
      "byte 2D for the character U+4E2D, and E9 alone for e with acute.", ACTION, action_bytes=haskell_bytes)


def cpp_value(leaf):
    out = leaf.text.replace("\\", "\\\\").replace('"', '\\"') if leaf.quoted else leaf.text
    return out.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


wrong("aj07", "C++: signs the serialised JSON value without its outer quotes, so a quotation mark, a backslash or a line break inside a "
      "text is signed in its escaped form: a\"b is signed as a\\\"b.", ACTION, signed_value=cpp_value)


def kotlin_sign(ordered, keys):
    return right["sign_leaves"]([leaf for leaf in ordered if not leaf.name.endswith("Signature")], keys)


wrong("aj08", "Kotlin: filterNot { it.key.endsWith(\"Signature\") } leaves every parameter whose name ends so out of the signed text, "
      "for example ImageSignature or Files.0.Signature, though it is sent.", ACTION, sign_leaves=kotlin_sign)


def powershell_password(text):
    base.utf8(text)
    return base64.b64encode(text.encode("utf-16-le")).decode()


wrong("aj09", "PowerShell: [Text.Encoding]::Unicode.GetBytes gives UTF-16, so the Password value is Base64 of two bytes per character: "
      "ab becomes YQBiAA==.", "password", password_text=powershell_password)


# ------------------------------------------------------------------ object

def perl_safe(b):
    return right["safe_byte"](b) or b in b"!*'()"


wrong("aj10", "Perl: uri_escape of URI::Escape leaves ! * ' ( ) as they are: a(1)! should be a%281%29%21.", ESCAPES, safe_byte=perl_safe)


def go_resource(bucket, key):
    return posixpath.normpath("/" + bucket + "/" + key.lstrip("/")) if key else "/" + bucket


wrong("aj11", "Go: the resource is path.Join(\"/\", bucket, key), which cleans it: dir/ is signed as /b/dir, a//b as /b/a/b, "
      "a/../b as /b/b, and the empty key as /b.", FILE, resource=go_resource)


def swift_type(headers, method):
    if method == "POST" and not base.find(headers, "content-type"):
        return "application/x-www-form-urlencoded"
    return right["content_type"](headers, method)


wrong("aj12", "Swift: signs the default type of URLSession for a POST: with POST and no Content-Type header the line holds "
      "application/x-www-form-urlencoded rather than nothing.", HEADER, content_type=swift_type)


def cpp_merge(pairs):
    groups = []
    for name, value in pairs:
        if groups and groups[-1][0] == name:
            groups[-1][1].append(value)
        else:
            groups.append((name, [value]))
    return groups


wrong("aj13", "C++: neighbours of equal name are merged before the headers are sorted, so X-Svc-A: 1, X-Svc-B: 2, X-Svc-A: 3 keeps two "
      "entries x-svc-a:1 and x-svc-a:3.", FILE, merge=cpp_merge)


def delphi_value(value):
    return re.sub(r" *, *| +", ",", base.header_value(value))


wrong("aj14", "Delphi: values go through TStringList.DelimitedText without StrictDelimiter, which splits at spaces too: the extra header "
      "value red apple is signed as red,apple, and a, b as a,b.", FILE, extra_value=delphi_value)


def dart_signature(signature):
    return signature.replace("+", "%2B", 1).replace("/", "%2F").replace("=", "%3D")


wrong("aj15", "Dart: replaceFirst('+', '%2B') escapes only the first plus sign of the signature in a pre-signed URL; a second plus sign "
      "stays and is read as a space.", "presigned-url", url_signature=dart_signature)


def powershell_hit(etag, key, size):
    grouped = "{:,}".format(int(size)) if re.fullmatch("[0-9]+", size) else size
    return right["hit_target"](etag, key, grouped)


wrong("aj16", "PowerShell: the size of an instant upload is formatted with the culture's group separators: 4194304 is sent as "
      "FileSize=4%2C194%2C304.", "instant-upload", hit_target=powershell_hit)


def rust_value(value):
    value = base.header_value(value)
    return value if all(" " <= c <= "~" or c == "\t" for c in value) else ""


wrong("aj17", "Rust: value.to_str().unwrap_or(\"\") turns a header value with any character outside ASCII into an empty one: "
      "X-Svc-Meta-Name: café is signed as x-svc-meta-name: with nothing after the colon.", FILE,
      extra_value=rust_value, positional_value=rust_value)


def scala_date(headers, method):
    value = right["date"](headers, method)
    try:
        return format_datetime(parsedate_to_datetime(value).astimezone(timezone.utc), usegmt=True)
    except (ValueError, TypeError, IndexError, OverflowError):
        return value


wrong("aj18", "Scala: the Date header is parsed and printed again in GMT before signing: Sun, 06 Nov 1994 08:49:37 +0800 is signed as "
      "Sun, 06 Nov 1994 00:49:37 GMT, and 6 Nov as 06 Nov.", POSITIONAL, date=scala_date)


def lua_key(private_key):
    return base.utf8(private_key)[:64]


wrong("aj19", "Lua: a hand-written HMAC cuts a private key of more than 64 bytes to its first 64, instead of hashing it.", FILE,
      file_key=lua_key)


# ------------------------------------------------------------------ ETag

def go_hashes(blocks):
    blocks = list(blocks)
    if len(blocks) > 1:
        last = bytes(blocks[-1])
        blocks[-1] = last + bytes(blocks[-2][len(last):])
    return right["hash_hashes"](blocks)


wrong("aj20", "Go: one 4 MiB buffer is reused, and sha1.Sum(buf) is taken rather than sha1.Sum(buf[:n]), so a short last block is hashed "
      "with the rest of the block before it: 4 MiB + 1 byte gives a second block of 4 MiB.", "etag", hash_hashes=go_hashes)

objc_outer = hashlib.sha1()


def objc_hashes(blocks):
    for block in blocks:
        objc_outer.update(base.etag_hash(block))
    return objc_outer.digest()


wrong("aj21", "Objective-C: the CC_SHA1_CTX over the block hashes is a static that is set up once, so from the second file of more than "
      "4 MiB in a process on, the hash covers the blocks of the earlier files too.", "etag", hash_hashes=objc_hashes)


def perl_content(content):
    return right["content_bytes"](content).replace(b"\r\n", b"\n")


wrong("aj22", "Perl: the file is opened without binmode (or with the :crlf layer), so CR LF in the content is hashed as LF alone: the "
      "bytes a CR LF b are hashed as a LF b.", "etag, part-etag", content_bytes=perl_content)


def shell_base64(raw):
    return base64.b64encode(raw).decode().replace("+", "_").replace("/", "-")


wrong("aj23", "Shell: tr '+/' '_-' has the two replacements the wrong way round, so an ETag has _ where - belongs and - where _ belongs.",
      "etag, part-etag", etag_base64=shell_base64)


def kotlin_part(data):
    return base.etag_digest(data, base.split(data))


wrong("aj24", "Kotlin: the part's ETag calls the digest function of whole files, so a part of more than 4 MiB (8 MiB, say) is hashed "
      "block by block, SHA-1 over the SHA-1 values; smaller parts are right.", "part-etag", part_raw=kotlin_part)


# ------------------------------------------------------------------ verifier

def plug_method(method):
    method = base.verb(method)
    return "GET" if method == "HEAD" else method


wrong("aj25", "Elixir: Plug.Head turns HEAD into GET before the check, so a pre-signed URL signed for GET is accepted for HEAD, and one "
      "signed for HEAD is refused.", V_URL, verify_method=plug_method)

seen = set()


def cached_check(expected, got):
    if got not in seen:
        right["check_signature"](expected, got)
        seen.add(got)


wrong("aj26", "Lua: OpenResty keeps accepted signatures in a shared dictionary and skips the comparison for them, so a signature that was "
      "accepted once is accepted for another key, method or bucket.", V_FILE, check_signature=cached_check)


def perl_number(text):
    match = re.match(r"[ \t\r\n]*([+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?)", text)
    return float(match[1]) if match else 0.0


def perl_equal(expected, got):
    return perl_number(expected) == perl_number(got)


wrong("aj27", "Perl: signatures are compared with == rather than eq, so only the number at their beginning counts, which is 0 without "
      "digits: abc… equals def…, and 12ab… equals 12ff….", V_ALL, equal=perl_equal)


def decoded_late(text):
    return base.unpercent(text, "query-malformed").replace("+", " ")


wrong("aj28", "C++: the query is percent-decoded first and its plus signs are made spaces afterwards, so %2B ends as a space too: "
      "Signature=ab%2Bcd%3D never matches.", "verify-query, verify-presigned-url", query_decode=decoded_late)


def laravel(value):
    if isinstance(value, str):
        return value.strip(" \t\n\r\0\x0b")
    if isinstance(value, dict) and "list" in value:
        return {"list": [laravel(item) for item in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, laravel(item)] for name, item in value["object"]]}
    return value


def laravel_prepare(parameters):
    return right["verify_prepare"]([[name, laravel(value)] for name, value in parameters])


wrong("aj29", "PHP: Laravel's TrimStrings middleware runs before the check, so a request with a value that begins or ends with "
      "whitespace, as Name = ' web', is refused though it is rightly signed.", V_PARAM, verify_prepare=laravel_prepare)


def delphi_seconds(expires):
    return (right["expires_seconds"](expires) + 2 ** 31) % 2 ** 32 - 2 ** 31


wrong("aj30", "Delphi: Expires goes into a 32-bit Integer and wraps round, so a pre-signed URL that is good until 4102444800 (2100) or "
      "2147483648 counts as expired long ago.", V_URL, expires_seconds=delphi_seconds)
