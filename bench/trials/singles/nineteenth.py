"""Forty implementations with one mistake each, as patches of base.py: ae01 to ae28 sign, ae29 to ae40 verify."""
import base
import base64
import hashlib
import hmac
import json
import posixpath
import re
from decimal import Context, Decimal
from operations import (ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, SIGNED, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON, V_PARAM, V_QUERY, V_URL)
from recording import wrong

right = {name: value for name, value in vars(base).items() if callable(value)}

# ------------------------------------------------------------ action parameters and their forms

wrong("ae01", "Sorts the parameters by name without regard to case, so ChargeType comes before CPU in the signed string.",
      ACTION, order=lambda all_leaves: sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name.lower())))

wrong("ae02", "Percent-encodes only the values of a query string; the names of parameters are written as they are.",
      QUERY, query_name=lambda name: name)


def falsy_pair(leaf):
    empty = leaf.text in ("", "0") or (leaf.text == "false" and not leaf.quoted)
    return "" if empty else right["signed_pair"](leaf)


wrong("ae03", "Runs the parameters through PHP's array_filter before signing: a parameter whose value is an empty text, 0 or false "
      "is sent but not part of the signed string.", ACTION, signed_pair=falsy_pair)


def maybe_base64(text):
    if text and len(text) % 4 == 0 and re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", text):
        return text
    return right["password_text"](text)


wrong("ae04", "Leaves a password as it is if its clear text already looks like Base64 (length a multiple of four and only letters "
      "of its alphabet), thinking that the caller has encoded it.", "password", password_text=maybe_base64)

wrong("ae05", "Writes the hexadecimal digits of an escape with a title-case function: of two digits that are both letters only the "
      "first is upper case, so the byte AC becomes %Ac.", ESCAPES, escape_byte=lambda b: ("%%%02x" % b).title())

wrong("ae06", "Compares parameter names by their first eight bytes only (packed into an integer); names that are equal there stay "
      "in the order in which they were given.", ACTION,
      order=lambda all_leaves: sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name)[:8].ljust(8, b"\0")))


def sorted_first(parameters):
    top = sorted(parameters, key=lambda pair: base.utf8(pair[0]))
    kept = base.without_signature(base.flatten(top))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("ae07", "Sorts the parameters before it flattens lists and objects: the items of a list stay in numeric order (Name.10 after "
      "Name.9) and members of an object in the order given.", SIGNED + ", verify-json", prepare=sorted_first)


def digits28(written):
    text = right["number_text"](written)
    return right["number_text"](format(Context(prec=28).plus(Decimal(text)), "f"))


wrong("ae08", "Keeps numbers in a decimal type of 28 significant digits; a number with more digits is rounded before it is signed "
      "and sent.", TYPED, number_text=digits28)


def exponent_zeros(written):
    text = right["number_text"](written)
    if "e" in written.lower() and "." not in text:
        return text.rstrip("0") or "0"
    return text


wrong("ae09", "After it has written a number with an exponent in full, it strips zeros at the end even if there is no decimal "
      "point: 1e3 becomes 1.", TYPED, number_text=exponent_zeros)


def decimal_escapes(leaf):
    if not leaf.quoted:
        return leaf.text
    out = ""
    for c in leaf.text:
        if c in '"\\':
            out += "\\" + c
        elif c in "\n\r\t":
            out += {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[c]
        elif c < " ":
            out += "\\u%04d" % ord(c)
        else:
            out += c
    return '"' + out + '"'


wrong("ae10", "Writes control characters of a JSON text as \\u with the decimal instead of the hexadecimal code, so U+000B is "
      "sent as \\u0011.", "action-json", json_leaf=decimal_escapes)


def lower_bucket(given, keys, dialect):
    pairs = [[n, v.lower() if n == "BucketName" and isinstance(v, str) else v] for n, v in given["parameters"]]
    return right["op_bucket_request"](dict(given, parameters=pairs), keys, dialect)


wrong("ae11", "Turns the value of BucketName to lower case before signing and sending a bucket request.", "bucket-request",
      op_bucket_request=lower_bucket)

wrong("ae12", "Prints the SHA-1 of the parameters as five 32-bit words with %x, so a word loses its leading zeros and the "
      "signature is shorter than 40 characters.", ACTION,
      action_hex=lambda digest: "".join("%x" % int.from_bytes(digest[i:i + 4], "big") for i in range(0, 20, 4)))


def rol(x, n):
    return (x << n | x >> (32 - n)) & 0xffffffff


def own_sha1(data):
    bits = (len(data) * 8).to_bytes(8, "big")
    rest = len(data) % 64
    zeros = (56 - rest - 1) if rest < 55 else (120 - rest - 1)
    data = data + b"\x80" + b"\0" * zeros + bits
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    for i in range(0, len(data), 64):
        w = [int.from_bytes(data[i + j:i + j + 4], "big") for j in range(0, 64, 4)]
        for t in range(16, 80):
            w.append(rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
        a, b, c, d, e = h
        for t in range(80):
            if t < 20:
                f, k = b & c | ~b & d, 0x5A827999
            elif t < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif t < 60:
                f, k = b & c | b & d | c & d, 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (rol(a, 5) + (f & 0xffffffff) + e + k + w[t]) & 0xffffffff, a, rol(b, 30), c, d
        h = [(x + y) & 0xffffffff for x, y in zip(h, (a, b, c, d, e))]
    return b"".join(x.to_bytes(4, "big") for x in h)


wrong("ae13", "Its own SHA-1 pads with one block too many if the length of the signed string is 55 modulo 64 bytes; every other "
      "length is right.", ACTION,
      action_digest=lambda text, private_key: own_sha1(base.action_bytes(base.with_key(text, base.action_key(private_key)))))

# ------------------------------------------------------------ files


def short_key(private_key):
    raw = base.utf8(private_key)
    return raw if len(private_key) > 64 else raw[:64]


wrong("ae14", "Its own HMAC decides by the number of characters, not bytes, whether the private key is longer than a block and must "
      "be hashed first: a key of at most 64 characters but more than 64 bytes is cut off after 64 bytes.", FILE, file_key=short_key)


def spaced(value):
    return re.sub(r";(?=[^ \t])", "; ", value)


wrong("ae15", "Signs the Content-Type as the library's media type object writes it: a space is added after a semicolon that has "
      "none.", POSITIONAL, content_type=lambda headers, method: spaced(right["content_type"](headers, method)),
      form_type=lambda headers, fields: spaced(right["form_type"](headers, fields)))


def own_date(method, bucket, key, headers, dialect):
    if base.find(headers, dialect["headerPrefix"].lower() + "date"):
        headers = [(n, v) for n, v in headers if n.lower() != "date"]
    return right["header_text"](method, bucket, key, headers, dialect)


wrong("ae16", "Leaves the Date position empty if the request has an extra header X-Svc-Date, as another cloud wants it.", HEADER,
      header_text=own_date)


def once(pairs):
    groups = {}
    for name, value in pairs:
        values = groups.setdefault(name, [])
        if value not in values:
            values.append(value)
    return list(groups.items())


wrong("ae17", "Collects the values of a repeated extra header in a set, so a value that is sent twice under the same name is "
      "signed only once.", FILE, merge=once)


def joined_path(bucket, key):
    return "/" + posixpath.normpath(bucket + "/" + key).lstrip("/")


wrong("ae18", "Joins bucket and key with a path function: the signed resource loses double slashes, a slash at the end and "
      "segments of one or two dots.", FILE, resource=joined_path)


def numeric(text):
    if re.fullmatch(r"-?[0-9]{1,15}", text):
        return str(int(text))
    if re.fullmatch(r"-?[0-9]{1,9}\.[0-9]{1,6}", text):
        return repr(float(text))
    return json.dumps(text, ensure_ascii=False)


wrong("ae19", "Writes a policy's members with JSON_NUMERIC_CHECK: a text that looks like a number becomes a JSON number.", "policy",
      policy_json=lambda members: "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + numeric(v) for n, v in members) + "}")

wrong("ae20", "Strips the = signs at the end of the policy when it writes the Authorization header, but signs the policy with "
      "them.", "policy-authorization", policy_credentials=lambda value, policy: right["policy_credentials"](value, policy.rstrip("=")))


def no_zero(etag, key, size):
    target = right["hit_target"](etag, key, size)
    return target.rpartition("&FileSize=")[0] if size == "0" else target


wrong("ae21", "Leaves FileSize out of the instant upload's target if the size is 0, as a value that is not set.", "instant-upload",
      hit_target=no_zero)

wrong("ae22", "Does not encode a percent sign in the path of a pre-signed URL if two hexadecimal digits follow, to avoid encoding "
      "twice; the key a%20b then names another file.", "presigned-url",
      url_path=lambda key: re.sub(r"%25([0-9A-Fa-f]{2})", r"%\1", right["url_path"](key)))

wrong("ae23", "Takes only the host name of the file host for a pre-signed URL, so the port is lost.", "presigned-url",
      url_start=lambda scheme, bucket, host: right["url_start"](scheme, bucket, host.split(":")[0]))

wrong("ae24", "Signs a pre-signed URL for HEAD as if it were for GET.", "presigned-url",
      presign_method=lambda method: "GET" if base.verb(method) == "HEAD" else base.verb(method))


def stale(data):
    size = base.block_size()
    blocks = [bytes(block) for block in right["split"](data)]
    if len(blocks) > 1 and len(blocks[-1]) < size:
        blocks[-1] += blocks[-2][len(blocks[-1]):]
    return blocks


wrong("ae25", "Reads blocks into one buffer and always hashes the whole buffer: a short last block is hashed together with what "
      "the block before left behind it.", "etag", split=stale)

wrong("ae26", "Computes the number of blocks as size / 4 MiB + 1 for a file larger than one block, so it is one too many if the "
      "size is a multiple of 4 MiB.", "etag",
      block_count=lambda data, blocks: len(data) // base.block_size() + 1 if len(blocks) > 1 else len(blocks))


def part_as_file(data):
    blocks = base.split(data)
    return base.etag_hash(data) if len(blocks) <= 1 else base.hash_hashes(blocks)


wrong("ae27", "Hashes a part larger than 4 MiB like a file: its part ETag is the SHA-1 over the SHA-1 values of the part's blocks.",
      "part-etag", part_raw=part_as_file)

wrong("ae28", "Makes an ETag's Base64 URL-safe with a replace function that replaces only the first + and the first /; further ones "
      "stay.", "etag, part-etag",
      etag_base64=lambda raw: base64.b64encode(raw).decode().replace("+", "-", 1).replace("/", "_", 1))

# ------------------------------------------------------------ verifying


def any_case(expected, got):
    if expected.lower() != got.lower():
        raise base.No("signature-mismatch", "not the signature of this request")


wrong("ae29", "Compares the Base64 signature of a file request without regard to upper and lower case.", V_FILE,
      check_signature=any_case)

wrong("ae30", "Compares signatures in constant time over the shorter of the two lengths: a signature that is cut off, or that has "
      "something behind it, is accepted.", V_ALL,
      equal=lambda expected, got: not sum(a != b for a, b in zip(expected, got)))


def int32(expires):
    value = right["expires_seconds"](expires) & 0xffffffff
    return value - (1 << 32) if value >> 31 else value


wrong("ae31", "Keeps Expires in a signed 32-bit integer: a URL that expires after January 2038 counts as expired.", V_URL,
      expires_seconds=int32)

wrong("ae32", "Decodes a plus sign in the path of a pre-signed URL as a space, as in form data.", V_URL,
      key_of_path=lambda path: right["key_of_path"](path.replace("+", " ")))


def split_all(query):
    out = []
    for piece in query.split("&"):
        if piece:
            fields = piece.split("=")
            out.append((base.query_decode(fields[0]), base.query_decode(fields[1]) if len(fields) > 1 else ""))
    return out


wrong("ae33", "Splits each pair of a query string at every equals sign and takes the second field: an unencoded = within a value, as "
      "at the end of an unescaped signature, cuts the value off.", V_QUERY + ", " + V_URL, read_query=split_all)

wrong("ae34", "Leaves a member named Signature out of the signed string at every depth when it verifies, not only at the top "
      "level: Auth.Signature is not signed.", V_PARAM,
      verify_prepare=lambda parameters: [leaf for leaf in base.prepare(parameters) if not leaf.name.endswith(".Signature")])


def any_json(policy):
    try:
        plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
        json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8"))
        return True
    except (ValueError, RecursionError):
        return False


wrong("ae35", "Accepts as a policy the Base64 of any JSON value, for example of a number or a list, not only of an object.", V_AUTH,
      policy_ok=any_json)


def folded_account(public_key, keys):
    if public_key.lower() != keys["publicKey"].lower():
        raise base.No("public-key-unknown", "unknown")


wrong("ae36", "Looks the public key up without regard to upper and lower case, as the database compares texts.", V_ALL,
      check_account=folded_account)

wrong("ae37", "Drops parameters with an empty value when it parses a query string, as parse_qsl does by default.",
      V_QUERY + ", " + V_URL, read_query=lambda query: [pair for pair in right["read_query"](query) if pair[1] != ""])


def first_value(body):
    text = body.lstrip(" \t\r\n")
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        raise base.No("body-malformed", "not JSON")
    return right["read_json"](text[:end])


wrong("ae38", "Reads the JSON body with a stream decoder that stops after the first value; whatever follows the object is "
      "accepted.", V_JSON, read_json=first_value)


def cgi(headers):
    return [(name.replace("_", "-"), value) for name, value in headers]


wrong("ae39", "Gets the headers from CGI variables, so an underscore in the name of an extra header is signed as a hyphen when it "
      "verifies.", V_FILE,
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, cgi(headers), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](cgi(headers), dialect))


def raw_names(query):
    out = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            out.append((name, base.query_decode(value)))
    return out


wrong("ae40", "Decodes only the values of a query string when it verifies; names are taken as they are written.",
      V_QUERY + ", " + V_URL, read_query=raw_names)
