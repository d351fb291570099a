"""Twenty-four implementations with one mistake each, as patches of base.py."""
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

import hmac  # noqa: E402

# ------------------------------------------------------------------ pre-signed URLs: queries

def plus_is_blank(url, file_host):
    bucket, key, query = right["split_url"](url, file_host)
    return bucket, key, query.replace("+", "%20")


wrong("au01", "The CDN worker reads the query of a pre-signed URL with URLSearchParams, so a raw plus sign in it, as in an unescaped signature, becomes a space.", V_URL,
      split_url=plus_is_blank)


def long_expires(url, file_host):
    bucket, key, query = right["split_url"](url, file_host)
    return bucket, key, re.sub("(^|&)Expires=0+(?=[0-9])", r"\1Expires=", query)


wrong("au02", "The Spring controller binds Expires to a long and signs that number, so leading zeros of the expiry are missing from the text that is verified.", V_URL,
      split_url=long_expires)


def parse_int(expires):
    match = re.match(r"[ \t\r\n]*([+-]?[0-9]+)", expires)
    if not match:
        raise base.No("expires-malformed", "NaN")
    return int(match[1])


wrong("au03", "The expiry is read with JavaScript's parseInt, so digits with a sign, with blanks before them or with letters after them pass as a time.", V_URL,
      expires_seconds=parse_int)

# ------------------------------------------------------------------ pre-signed URLs: hosts and paths

def hostname_only(host, file_host):
    return right["check_host"](host.partition(":")[0], file_host)


wrong("au04", "The Express app takes req.hostname, which has no port, so the URL's host and port never equal a file host that has a port.", V_URL,
      check_host=hostname_only)


def merge_slashes(path):
    return re.sub("/+", "/", "/" + right["key_of_path"](path))[1:]


wrong("au05", "The reverse proxy merges adjacent slashes of the path (nginx merge_slashes), and the key is taken from what is left.", V_URL,
      key_of_path=merge_slashes)


def dot_segments(path):
    out, parts = [], path.split("/")
    for at, part in enumerate(parts):
        dots = re.sub("%2e", ".", part, flags=re.I)
        if dots == "..":
            out = out[:-1]
        elif dots != ".":
            out.append(part)
        if dots in (".", "..") and at == len(parts) - 1:
            out.append("")
    return right["key_of_path"]("/".join(out))


wrong("au06", "The key is taken from the pathname of a WHATWG URL, in which the segments . and .. (also as %2E) are already resolved.", V_URL,
      key_of_path=dot_segments)


def decode_twice(path):
    once = right["key_of_path"](path)
    try:
        return right["key_of_path"](once)
    except base.No:
        return once


wrong("au07", "The API gateway decodes the path and the handler decodes it again, so a key that contains a percent sign and two hexadecimal digits becomes another key.", V_URL,
      key_of_path=decode_twice)


def no_encoded_slash(path):
    if re.search("%2f", path, re.I):
        raise base.No("url-malformed", "encoded slash")
    return right["key_of_path"](path)


wrong("au08", "Like Tomcat, the server refuses every path that contains %2F, although some clients send the slashes of a key so.", V_URL,
      key_of_path=no_encoded_slash)


def matrix_parameters(path):
    return right["key_of_path"](re.sub(";[^/]*", "", path))


wrong("au09", "Spring's path helper removes what follows a raw semicolon in each segment of the path as matrix parameters, before the key is read.", V_URL,
      key_of_path=matrix_parameters)

# ------------------------------------------------------------------ headers

def node_headers(headers, dialect):
    groups = base.sort_groups(base.merge(base.extra_pairs(headers, dialect)))
    return "".join(name + ":" + ", ".join(values) + "\n" for name, values in groups)


def node_text(given, headers, dialect):
    method = base.verb(given["method"])
    base.check_bucket(given["bucket"])
    return base.lines(method, base.content_md5(headers, method), base.content_type(headers, method), base.date(headers, method),
                      node_headers(headers, dialect), base.resource(given["bucket"], given["key"]))


wrong("au10", "Node has already joined the values of a repeated extra header with a comma and a space, and the verifier signs that.", V_FILE,
      verify_header_text=node_text, verify_url_headers=node_headers)


def no_underscores(headers):
    return [(name, value) for name, value in headers if "_" not in name]


wrong("au11", "The proxy in front drops headers whose names contain an underscore (nginx underscores_in_headers off), so they are missing from the verified text.", V_FILE,
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, no_underscores(headers), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](no_underscores(headers), dialect))


def media_type_only(given, headers, dialect):
    cut = [(name, value.partition(";")[0] if name.lower() == "content-type" else value) for name, value in headers]
    return right["verify_header_text"](given, cut, dialect)


wrong("au12", "The verifier signs request.media_type, as Rails gives it, so the parameters of Content-Type, such as charset, are missing from the text.", V_AUTH,
      verify_header_text=media_type_only)


def get_for_head(given, headers, dialect):
    method = "GET" if given["method"].upper() == "HEAD" else given["method"]
    return right["verify_header_text"]({**given, "method": method}, headers, dialect)


wrong("au13", "The framework routes HEAD to the handler of GET and shows GET as the method, so requests signed with HEAD do not verify.", V_FILE,
      verify_header_text=get_for_head, verify_method=lambda method: "GET" if method.upper() == "HEAD" else right["verify_method"](method))


def java_split(rest):
    return right["split_credentials"](re.sub("(?<=[^:]):+$", "", rest) if rest.count(":") > 1 else rest)


wrong("au14", "The credentials are split with Java's String.split, which drops empty strings at the end, so a header with further colons after the signature is accepted.", V_AUTH,
      split_credentials=java_split)

# ------------------------------------------------------------------ comparing

def buffer_bytes(text):
    text = text.replace("-", "+").replace("_", "/").partition("=")[0]
    text = re.sub("[^A-Za-z0-9+/]", "", text)
    text = text[:-1] if len(text) % 4 == 1 else text
    return base64.b64decode(text + "=" * (-len(text) % 4))


def compare_buffers(expected, got):
    if buffer_bytes(expected) != buffer_bytes(got):
        raise base.No("signature-mismatch", "buffers differ")


wrong("au15", "Signatures are compared as bytes after Node's Buffer.from(…, 'base64'), which takes the URL-safe alphabet, missing padding and stray characters.", V_FILE,
      check_signature=compare_buffers)

wrong("au16", "The constant-time comparison runs over the characters of the signature that was sent and not over its length too, so a beginning of the right signature passes.", V_ALL,
      equal=lambda expected, got: expected[:len(got)] == got)

# ------------------------------------------------------------------ queries of the action API

wrong("au17", "The query is read as PHP fills $_GET: a dot or a space in a parameter's name becomes an underscore before the text is built.", V_QUERY,
      read_query=lambda query: [(re.sub("[. ]", "_", name), value) for name, value in right["read_query"](query)])

wrong("au18", "The query is read with Go's url.Query, which silently leaves out every pair that contains a raw semicolon.", "verify-query, verify-presigned-url",
      read_query=lambda query: right["read_query"]("&".join(piece for piece in query.split("&") if ";" not in piece)))


def parse_qs(given, keys, dialect):
    pairs = base.read_query(given["query"])
    base.check_query_repeated([name for name, _ in pairs])
    pairs = [pair for pair in pairs if pair[1] != ""]
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


wrong("au19", "The query is read with Python's parse_qs, which leaves out parameters with an empty value, so their names are missing from the verified text.", V_QUERY,
      verify_query=parse_qs)

# ------------------------------------------------------------------ bodies of the action API

def double(written):
    value = float(written)
    return {"number": written if value in (float("inf"), float("-inf")) else repr(value)}


wrong("au20", "Numbers of the body are parsed into doubles, so an integer beyond 2^53 or a fraction with more than 17 digits is verified with other digits.", V_JSON,
      json_number=double)


def php_value(value):
    if value is True or value is False:
        return "1" if value else ""
    if isinstance(value, dict) and "list" in value:
        return {"list": [php_value(item) for item in value["list"]]}
    if isinstance(value, dict) and "object" in value:
        return {"object": [[name, php_value(item)] for name, item in value["object"]]}
    return value


wrong("au21", "The members of the body are cast to strings by PHP, so true is verified as 1 and false as nothing.", V_JSON,
      verify_prepare=lambda parameters: right["verify_prepare"]([[name, php_value(value)] for name, value in parameters]))

# ------------------------------------------------------------------ ETags

def stale_buffer(blocks):
    blocks = list(blocks)
    if len(blocks) > 1 and len(blocks[-1]) < len(blocks[-2]):
        blocks[-1] = bytes(blocks[-1]) + bytes(blocks[-2][len(blocks[-1]):])
    return right["hash_hashes"](blocks)


wrong("au22", "The last block of a large file is hashed with the whole read buffer, so the end of the block before it is still in it.", "etag",
      hash_hashes=stale_buffer)


def until_short(data):
    blocks = list(right["split"](data))
    if len(data) % base.block_size() == 0:
        blocks.append(memoryview(b""))
    return blocks


wrong("au23", "The loop reads blocks until one is shorter than 4 MiB and takes that one even if it is empty, so the empty file and whole multiples of 4 MiB have a block too many.", "etag",
      split=until_short)

wrong("au24", "The ETag of a part is encoded as for the file, where padding never appears, with an encoder that leaves the padding out.", "part-etag",
      op_part_etag=lambda given, keys, dialect: {"etag": right["op_part_etag"](given, keys, dialect)["etag"].rstrip("=")})

