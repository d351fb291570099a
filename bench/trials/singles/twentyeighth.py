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

No = base.No
Leaf = base.Leaf


# ------------------------------------------------------------------ canonical headers and resource

def an01_merge(pairs):
    groups = {}
    for name, value in pairs:
        groups.setdefault(name, set()).add(value)
    return [(name, sorted(values, key=base.utf8)) for name, values in groups.items()]


wrong("an01", "C++ port that collects the extra headers in a std::map<std::string, std::set<std::string>>, because a set looked tidier "
      "than a vector. The values of a header that is sent several times are therefore joined in sorted order instead of the order of "
      "the request, and two equal values of one header are signed only once.",
      FILE, merge=an01_merge)


def an02_entries(groups):
    return "".join(sorted((base.entry(name, values) for name, values in groups), key=base.utf8))


wrong("an02", "Rust author who formats every extra header as a line \"name:value\\n\" into a Vec<String>, then calls lines.sort() and "
      "lines.concat(). The colon takes part in the comparison and is above the hyphen, the point and the digits, so x-svc-meta-a-b (or "
      "x-svc-meta-a1) is listed before x-svc-meta-a, of which it is a continuation.",
      FILE, entries=an02_entries)


def an03_join(values):
    return ",".join(value for value in values if value not in ("", "0"))


wrong("an03", "PHP client that joins the values of an extra header with implode(',', array_filter($values)) to get rid of nulls. "
      "array_filter without a callback drops every falsy value, so a value \"0\" disappears (x-svc-meta-n:0 is signed as x-svc-meta-n:), "
      "and so does an empty value among several (a, empty, b is signed as a,b and not a,,b).",
      FILE, join_values=an03_join)


def an04_extra(value):
    return base.trim(re.sub(r"[ \t]*\r?\n[ \t]+", " ", value, count=1))


wrong("an04", "JavaScript author who unfolds the value of an extra header with value.replace(/[ \\t]*\\r?\\n[ \\t]+/, ' ') and forgets the g "
      "flag: only the first fold becomes a space. A value folded over three or more lines keeps its later line breaks (and the blanks "
      "after them) in the signed text.",
      FILE, extra_value=an04_extra)


def an05_resource(bucket, key):
    return key if key.startswith("/") else "/" + bucket + "/" + key


wrong("an05", "Rust author who builds the resource with Path::new(\"/\").join(bucket).join(key). Path::join throws away everything so far "
      "when its argument is absolute, so for a key that begins with a slash (\"/a.txt\") the resource is the key alone, without bucket "
      "(Python's os.path.join does the same). Every other key is right.",
      FILE, resource=an05_resource)


def an06_key(key):
    base.utf8(key)
    path, _, fragment = key.partition("#")
    if re.search(r"[\x00-\x1f\x7f]", path) or re.search(r"%(?![0-9A-Fa-f]{2})", path.partition("?")[0] + "#" + fragment):
        raise No("parse", "net/url: invalid character or URL escape")
    raw = re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode()), path.partition("?")[0].encode(), flags=re.S)
    return raw.decode("utf-8", "surrogateescape")


def an06_bytes(text):
    return text.encode("utf-8", "surrogateescape")


wrong("an06", "Go helper that takes the resource from the request's address: u, err := url.Parse(\"http://\" + host + \"/\" + key), with the key "
      "not escaped, then u.Path. A key is cut at its first ? or #, an escape that is part of the key's name (report%20a) is decoded in "
      "the signed resource, and a key with a stray percent sign or a control character is refused with the parse error.",
      FILE, resource_key=an06_key, file_bytes=an06_bytes)

MEDIA = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+"
                   r"(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*=[ \t]*(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|\"[^\"\\]*\"))?)*[ \t]*")


def an07_type(headers, method):
    value = right["content_type"](headers, method)
    if not MEDIA.fullmatch(value):
        return value
    parts = re.findall(r"(?:\"[^\"]*\"|[^;\"])+", value)
    return "; ".join(re.sub(r"[ \t]*=[ \t]*", "=", part.strip(" \t"), count=1) for part in parts)


wrong("an07", "C# client that passes Content-Type through MediaTypeHeaderValue and signs its ToString(), while the header is sent as the caller "
      "gave it. ToString() writes exactly \"; \" before each parameter, so text/plain;charset=utf-8 is signed as text/plain; charset=utf-8 "
      "(and blanks around the semicolon or the equals sign are normalized too). Types without parameters are right; form fields too.",
      HEADER, content_type=an07_type)


def an08_sort(groups):
    def weight(group):
        main = group[0].replace("-", "").replace("'", "")
        return [(c.isalnum(), c) for c in main], group[0]
    return sorted(groups, key=weight)


wrong("an08", "C# on .NET Framework: headers.OrderBy(h => h.Key) uses the culture's word sort, which ignores hyphens and apostrophes in its first "
      "comparison and puts any other punctuation before digits and letters. x-svc-metaa comes before x-svc-meta-b, and x-svc-a_b before "
      "x-svc-a1, where byte order has them the other way round.",
      FILE, sort_groups=an08_sort)


# ------------------------------------------------------------------ action parameters

def an09_number(written):
    right["number_text"](written)
    if re.fullmatch(r"-?\d+", written, re.A) and -2 ** 63 <= int(written) < 2 ** 64:
        return str(int(written))
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise No("number", "out of range")
    return "0" if value == 0 else ("%.6f" % value).rstrip("0").rstrip(".")


wrong("an09", "C++ client over nlohmann::json: integers of 64 bits are written as they are, every other number is a double and goes through "
      "std::to_string, which always prints six decimals; the author then strips the trailing zeros. 1.23456789 is signed and sent as "
      "1.234568, 0.0000004 as 0, and an integer of more than 64 bits as the nearest double.",
      TYPED, number_text=an09_number)


def an10_number(written):
    right["number_text"](written)
    import decimal
    with decimal.localcontext() as context:
        context.prec, context.Emin, context.Emax = 20000, -30000, 30000
        value = Decimal(written)
        if abs(value) > 2 ** 96 - 1:
            raise No("number", "too large for a System.Decimal")
        places = max(0, min(28, -value.as_tuple().exponent))
        while True:
            value = value.quantize(Decimal(1).scaleb(-places))
            if abs(int(value.scaleb(places))) < 2 ** 96 or places == 0:
                break
            places -= 1
        if value == 0:
            return "0"
        sign, digits, exponent = value.as_tuple()
        text = "".join(map(str, digits)).lstrip("0")
        first = len(text) + exponent - 1
        if first > -5:
            plain = format(value, "f")
            return plain.rstrip("0").rstrip(".") if "." in plain else plain
        text = text.rstrip("0")
        return "-" * sign + text[0] + ("." + text[1:] if text[1:] else "") + "E-%02d" % -first


wrong("an10", "C# client that keeps numbers as decimal and writes them with ToString(\"G29\", InvariantCulture), the usual recipe to drop trailing "
      "zeros. G29 switches to scientific notation below 0.0001, so 0.00001 is signed and sent as 1E-05. Besides, a decimal holds 28 or 29 "
      "digits: longer fractions are rounded and numbers above 7.9E28 are refused.",
      TYPED, number_text=an10_number)


def an11_list(name, items):
    def flat(values):
        for value in values:
            if isinstance(value, dict) and "list" in value:
                yield from flat(value["list"])
            else:
                yield value
    return right["list_leaves"](name, list(flat(items)))


wrong("an11", "Ruby client that writes value.flatten.each_with_index for an Array: flatten also dissolves the lists inside the list, so "
      "[[a, b], [c]] becomes Name.0, Name.1, Name.2 instead of Name.0.0, Name.0.1, Name.1.0. Lists of texts and of objects are right.",
      TYPED, list_leaves=an11_list)


def an12_number(written):
    right["number_text"](written)
    text = "%.14g" % float(written)
    if "inf" in text:
        raise No("number", "infinite")
    return text


wrong("an12", "Lua (LuaJIT) client: every number is a double and tostring() writes it with %.14g. Whole numbers from 1e14 on get an exponent "
      "(100000000000000 is signed and sent as 1e+14), small fractions too (1e-05), everything is rounded to 14 significant digits, and "
      "minus zero stays -0.",
      TYPED, number_text=an12_number)


def an13_order(all_leaves):
    return sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name + leaf.text))


wrong("an13", "Go client that first appends k+v of every parameter to a slice, then calls sort.Strings and strings.Join(\"\"). Where one name is "
      "the beginning of another the value takes part in the comparison: Name=Zed goes after Name1=a, because Z is above 1. Sets without such "
      "names are right.",
      ACTION, order=an13_order)


def an14_member(name, member):
    chars = list(member)
    if chars and chars[0].isupper():
        for i in range(len(chars)):
            if i == 1 and not chars[i].isupper():
                break
            if i > 0 and i + 1 < len(chars) and not chars[i + 1].isupper():
                break
            chars[i] = chars[i].lower()
    return name + "." + "".join(chars)


wrong("an14", "C# client that turns object parameters into a JObject with Newtonsoft's CamelCasePropertyNamesContractResolver, which also renames "
      "dictionary keys, before flattening them. Members of objects get a small first letter (Disks.0.Size becomes Disks.0.size, and a leading "
      "abbreviation is lowered whole: IPAddress becomes ipAddress), in the signature and in what is sent. Top-level names are right.",
      TYPED, member_name=an14_member)


def an15_item(name, item):
    return [Leaf(name, str(item), True)] if item is True or item is False else base.leaves(name, item)


def an15_list(name, items):
    return [leaf for index, item in enumerate(items) for leaf in an15_item(base.item_name(name, index), item)]


def an15_object(name, members):
    return [leaf for member, item in members for leaf in an15_item(base.member_name(name, member), item)]


wrong("an15", "Python client that handles booleans where it reads the parameters, but not in the recursive function that flattens lists and objects, "
      "which falls back to str(value). A boolean inside a list or an object is signed, and sent as a text, as True or False; one at the top "
      "level is true or false as it should be.",
      TYPED, list_leaves=an15_list, object_leaves=an15_object)


# ------------------------------------------------------------------ URL encoding, queries, JSON bodies

def an16_bytes(text):
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return base.utf8(text)


wrong("an16", "Perl client that escapes with URI::Escape's uri_escape, and only when that dies (\"Can't escape \\x{4E2D}, try uri_escape_utf8\") with "
      "uri_escape_utf8. A text whose characters are all at or below U+00FF is escaped one byte per character, as Latin-1: an e with acute is "
      "%E9 instead of %C3%A9. Texts with a Chinese character are right.",
      ESCAPES, text_bytes=an16_bytes)


def an17_bytes(text):
    return base.utf8(text.replace("\n", "\r\n"))


wrong("an17", "Lua client with the url_encode snippet everybody copies, whose first line is str = str:gsub(\"\\n\", \"\\r\\n\"). A line feed in a name or "
      "value is sent as %0D%0A although it was signed as a line feed (and CR LF is sent as %0D%0D%0A). The author did repair the snippet's + for "
      "spaces.",
      ESCAPES, text_bytes=an17_bytes)


def an18_leaf(leaf):
    text = leaf.text
    if leaf.quoted and re.fullmatch(r"[ \t\n\r\v\f]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\r\v\f]*", text):
        if re.fullmatch(r"\s*[+-]?[0-9]{1,19}\s*", text) and -2 ** 63 <= int(text) < 2 ** 63:
            return str(int(text))
        value = float(text)
        if value not in (float("inf"), float("-inf")):
            return repr(value)[:-2] if repr(value).endswith(".0") else repr(value)
    return right["json_leaf"](leaf)


wrong("an18", "PHP client that writes the body with json_encode($params, JSON_NUMERIC_CHECK) so that its numbers, which it has already turned into "
      "strings, come out as JSON numbers. Texts that look like numbers do too: the text \"007\" is sent as 7, \"1e3\" as 1000, \"1.50\" as 1.5, a "
      "20-digit id as a rounded double. The signature is over the text as given.",
      "action-json", json_leaf=an18_leaf)


def an19_query(ordered, signature):
    pairs = sorted([(base.query_name(x.name), base.query_value(x), base.utf8(x.name)) for x in ordered]
                   + [("Signature", signature, b"Signature")], key=lambda pair: pair[2])
    return "&".join(name + "=" + value for name, value, _ in pairs)


wrong("an19", "Go client that adds the signature with values.Set(\"Signature\", sig) and then writes values.Encode() (repairing + to %20), which sorts "
      "by name. Signature stands in the middle of the query wherever a parameter sorts after it, such as Type, Zone or any name in small "
      "letters, and not last.",
      QUERY, query_text=an19_query)


def an20_text(text):
    try:
        return base.percent(base.unpercent(text, "text"))
    except No:
        return base.percent(text)


def an20_value(leaf):
    return an20_text(leaf.text)


wrong("an20", "Swift client that guards against double encoding with (value.removingPercentEncoding ?? value).addingPercentEncoding(withAllowedCharacters: "
      "unreserved). A value that is itself text like 100%25 or a%20b is decoded first and sent as 100%25 or a%20b, which the server reads as 100% "
      "or \"a b\"; the signature is over the value as given. Values with a stray percent sign are right.",
      QUERY, query_name=an20_text, query_value=an20_value)


# ------------------------------------------------------------------ pre-signed URLs

def an21_path(key):
    return right["url_path"](unicodedata.normalize("NFC", key))


wrong("an21", "Java client that makes the URL with new URI(scheme, host, \"/\" + key, null).toASCIIString(). toASCIIString normalizes to NFC before it "
      "escapes, so a key with a decomposed letter (e and U+0301, as macOS names files) has %C3%A9 in the URL but e and U+0301 in the signed "
      "text. Keys that are already in NFC are right.",
      "presigned-url", url_path=an21_path)


def an22_long(expires):
    match = re.match(r"[ \t\n\v\f\r]*([+-]?[0-9]+)", expires)
    return str(max(-2 ** 31, min(2 ** 31 - 1, int(match[1][:4000])))) if match else "0"


wrong("an22", "C++ client compiled on Windows that reads the expiry with strtol, where long has 32 bits: an expiry after January 2038 (such as "
      "4102444800) is signed and sent as 2147483647, leading zeros are lost, and a text that is not a number becomes 0.",
      "presigned-url", presign_expires=an22_long, url_expires=an22_long)


def an23_path(key):
    return "/".join(base.percent(part) for part in key.split("/") if part)


wrong("an23", "C# client that writes the path of the URL as string.Join(\"/\", key.Split('/', StringSplitOptions.RemoveEmptyEntries).Select("
      "Uri.EscapeDataString)). The empty segments of a key are lost in the URL: a//b becomes a/b, /a becomes a, and folder/ becomes folder. The "
      "signature is over the key as given.",
      "presigned-url", url_path=an23_path)


def an24_start(scheme, bucket, host):
    host = (bucket + "." + host).lower()
    port = {"http": ":80", "https": ":443"}.get(scheme, "?")
    return scheme + "://" + (host[:-len(port)] if host.endswith(port) else host) + "/"


def an24_path(key):
    out = []
    parts = right["url_path"](key).split("/")
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part == ".":
            out += [""] if last else []
        elif part == "..":
            out[-1:] = []
            out += [""] if last else []
        else:
            out.append(part)
    return "/".join(out)


wrong("an24", "Node client that returns new URL(text).href. The URL class lower-cases the host, so a bucket with a capital letter is signed as it is but "
      "addressed in small letters; it resolves the segments . and .. of a key (a/../b.txt becomes b.txt in the URL only); and it drops the default "
      "port of the scheme from the host.",
      "presigned-url", url_start=an24_start, url_path=an24_path)


# ------------------------------------------------------------------ ETag

def an25_hashes(blocks):
    return base.etag_hash("".join(base.etag_hash(block).hex() for block in blocks).encode())


wrong("an25", "PHP client that calls sha1($block) for each block and sha1(implode('', $hashes), true) at the end. Without its second argument sha1() "
      "returns hexadecimal text, so for files of more than 4 MiB the outer hash is over hexadecimal digits instead of bytes. Smaller files are right.",
      "etag", hash_hashes=an25_hashes)


def an26_base64(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


wrong("an26", "Go client that uses base64.RawURLEncoding for both ETags. The ETag of a file has 24 bytes and needs no padding, so it is right; the ETag of a "
      "part has 20 bytes and loses its final equals sign (27 characters instead of 28).",
      "part-etag", etag_base64=an26_base64)


def an27_hashes(blocks):
    blocks = [bytes(block) for block in blocks]
    if len(blocks) > 1:
        blocks[-1] += blocks[-2][len(blocks[-1]):]
    return base.etag_hash(b"".join(base.etag_hash(block) for block in blocks))


wrong("an27", "Java client that reads each block into one byte[] of 4 MiB and calls sha.update(buffer) instead of sha.update(buffer, 0, n). When the last "
      "block of a large file is not full, the rest of the previous block, still in the buffer, is hashed with it. Files of at most one block (hashed by "
      "other code) and files of whole blocks are right.",
      "etag", hash_hashes=an27_hashes)


# ------------------------------------------------------------------ policy, form

def an28_policy(given, keys, dialect):
    text = base.policy_json(given["members"])
    base.utf8(text)
    return {"policy": base.policy_base64(text.encode("cp1252", "replace"))}


wrong("an28", "Java 8 on Windows: the callback policy's JSON is turned into bytes with json.getBytes(), without a charset, which there is windows-1252. "
      "Accented letters become single bytes that are not UTF-8, and Chinese characters or emoji become question marks, before the Base64.",
      "policy", op_policy=an28_policy)


def an29_type(headers, fields):
    if not base.form_fields(fields, "Content-Type") and len(base.find(headers, "content-type")) == 1:
        return base.positional(headers, "content-type")
    return right["form_type"](headers, fields)


wrong("an29", "JavaScript form uploader that signs fields['Content-Type'] ?? headers['Content-Type'] ?? ''. A form without its own Content-Type field is "
      "signed with the request's Content-Type header (multipart/form-data; boundary=...) instead of an empty line.",
      "form-authorization", form_type=an29_type)


# ------------------------------------------------------------------ verifiers

def an30_check(expected, got):
    text = re.sub(r"[^A-Za-z0-9+/_-]", "", got.partition("=")[0]).replace("-", "+").replace("_", "/")
    if len(text) % 4 == 1:
        text = text[:-1]
    if base64.b64decode(text + "=" * (-len(text) % 4)) != base64.b64decode(expected):
        raise No("signature-mismatch", "not the signature of this request")


wrong("an30", "Node server that compares with crypto.timingSafeEqual(Buffer.from(given, 'base64'), digest), having checked the lengths of the two buffers. "
      "Node's decoder accepts the URL-safe alphabet, missing padding, foreign characters in between and anything after the equals sign, so many other "
      "spellings of the right signature are accepted by both file verifiers.",
      V_FILE, check_signature=an30_check)


def an31_read(body):
    decoder = base.json.JSONDecoder(object_pairs_hook=base.json_pairs, parse_int=base.json_number, parse_float=base.json_number,
                                    parse_constant=base.json_constant)
    try:
        value, _ = decoder.raw_decode(body.lstrip(" \t\r\n"))
    except (ValueError, RecursionError):
        raise No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise No("body-malformed", "not an object")
    return value["object"]


wrong("an31", "Java server that reads the body with Jackson's ObjectMapper, whose FAIL_ON_TRAILING_TOKENS is off by default: it stops after the first JSON "
      "value. A correctly signed object followed by anything else (a second object, stray letters) is accepted instead of refused as malformed.",
      V_JSON, read_json=an31_read)


def an32_number(written):
    return {"number": repr(float(written))}


wrong("an32", "Node server that reads the body with JSON.parse: every number is a double before it is written into the signed text (in plain decimals, by a "
      "function of its own). A request signed over 9007199254740993 or over a fraction of more than 17 digits is refused as a mismatch; a number "
      "beyond 1e308 is refused as malformed. All other requests are right.",
      V_JSON, json_number=an32_number)


def an33_query(query):
    return [(name, value) for name, value in right["read_query"](query) if value]


wrong("an33", "Python server that reads queries with urllib.parse.parse_qsl and leaves keep_blank_values at False: a parameter with an empty value is "
      "dropped, though its name was signed, so a correct request with an empty parameter is refused as a mismatch (and an empty Expires counts as "
      "missing rather than malformed).",
      V_QUERY + ", " + V_URL, read_query=an33_query)


def an34_key(path):
    key = right["key_of_path"](path)
    out = []
    parts = re.sub(r"/+", "/", "/" + key).split("/")[1:]
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part == "..":
            if not out:
                raise No("url-malformed", "above the root")
            out.pop()
        elif part != ".":
            out.append(part)
            continue
        if last:
            out.append("")
    return "/".join(out)


wrong("an34", "Lua gateway (OpenResty) that verifies a pre-signed URL with ngx.var.uri as the path. nginx has already merged repeated slashes (merge_slashes is "
      "on by default) and resolved . and .. segments in it, so a correctly signed URL for the key a//b, /a or a/./b is refused as a mismatch, and the "
      "signature of a/b opens a//b.",
      V_URL, key_of_path=an34_key)


def an35_expiry(now, expires):
    base.expires_seconds(expires)
    if now > expires:
        raise No("expired", "too late")


wrong("an35", "Lua server that compares ngx.var.arg_Expires with tostring(ngx.time()): two strings, compared character by character. An expiry with another "
      "number of digits than now is judged wrongly: 999999999 (in 2001) counts as later than 1700000000, and 10000000000 (in 2286) as earlier.",
      V_URL, check_expiry=an35_expiry)


def an36_verify(given, keys, dialect):
    headers = base.read_headers(given["headers"])
    text = base.verify_header_text(given, headers, dialect)
    value = base.find_authorization(headers)
    before, word, after = value.partition(dialect["scheme"] + " ")
    public_key, signature, policy = base.split_credentials(after if word else value)
    if policy is not None:
        base.check_policy(policy, given["method"])
    base.check_account(public_key, keys)
    base.check_signature(base.file_signature(base.verify_policy_text(text, policy), keys), signature)
    return {"publicKey": public_key}


wrong("an36", "Kotlin server that takes the credentials as header.substringAfter(\"Svc \"). substringAfter returns the whole text when the delimiter is not in "
      "it, and looks for it anywhere: a header with no scheme at all (pub:signature), or with something before the scheme (XSvc pub:signature, "
      "Bearer Svc pub:signature), is accepted.",
      V_AUTH, verify_authorization=an36_verify)
