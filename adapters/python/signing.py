"""The signing specification in plain Python: the second implementation, written from its text alone.

Every operation takes its input, the keys and the dialect and returns its result and the stages on the way.
The sections are the specification's; "silent" marks what it leaves open and this project has settled.
"""
import base64
import hashlib
import hmac
import io
import json
import re
import sys

IMPLEMENTATION = {"name": "python", "version": "1.0.0", "language": "python"}

BLOCK_SIZE = 4 * 1024 * 1024  # §8; silent: MB are MiB
NUMBER_LIMIT = 4096  # characters of a number in plain decimal text
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"  # §5.3
ENCODED = [chr(byte) if byte in UNRESERVED else f"%{byte:02X}" for byte in range(256)]
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 §5.6.2
FOLD = re.compile(r"(?<![ \t])[ \t]*(?:\r?\n[ \t]+)+")  # without the look-behind, long runs of whitespace take quadratic time
NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?")  # RFC 8259 §6
ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
buffer = memoryview(bytearray(1024 * 1024))  # every read of a file goes through it


class Refused(Exception):
    """A deliberate no: Refused(reason, message)."""


class Unsupported(Exception):
    """The loop takes it from adapters whose implementation has no way to express an input; this one has."""


def refuse_if(condition, reason, message):
    if condition:
        raise Refused(reason, message)


# --- Texts ----------------------------------------------------------------------------------------------------------

def utf8(text):
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("text", "an unpaired surrogate has no UTF-8 form") from None


def url_encode(text):  # §5.3: every byte outside the unreserved set becomes %XY
    return "".join([ENCODED[byte] for byte in utf8(text)])


def url_decode(text, reason):  # §5.3, decoding; silent: a plus stays a plus
    octets = utf8(text)
    refuse_if(BAD_ESCAPE.search(octets), reason, "a percent sign without two hexadecimal digits")
    try:
        return ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), octets).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, "the escapes are not UTF-8") from None


def decode_query(query):  # §5.3, decoding: name=value pairs joined by &
    pieces = [piece.partition("=") for piece in query.split("&") if piece]
    return [(url_decode(name, "query-malformed"), url_decode(value, "query-malformed")) for name, _, value in pieces]


def plain_decimal(number):  # §5.1 step 3: no exponent; silent: all digits stay, except needless zeros
    match = NUMBER.fullmatch(number)
    refuse_if(not match, "number", "not a JSON number")
    minus, whole, fraction, exponent_sign, exponent = match.groups("")
    exponent = exponent.lstrip("0")[:13] or "0"  # 13 digits are enough to see that it is too large
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "0"
    # The digits before the decimal point: may be negative, or more than the number has.
    point = len(digits) - len(fraction) + int(exponent_sign + exponent)
    refuse_if(abs(point) > NUMBER_LIMIT, "number", "the plain decimal text is too long")
    if point < 1:
        digits, point = "0" * (1 - point) + digits, 1
    whole, fraction = digits[:point].ljust(point, "0"), digits[point:].rstrip("0")
    text = minus + whole + ("." + fraction if fraction else "")
    refuse_if(len(text) > NUMBER_LIMIT, "number", "the plain decimal text is too long")
    return text


# --- Bucket management and Action API (§4.1, §4.2, §5.1) ------------------------------------------------------------
# Parameters are flattened to triples: the name, the text to sign, and whether JSON puts quotes around that text.

def flatten(members, prefix=""):  # silent: arrays and objects become Name.0 and Name.Key
    for name, value in members:
        name = prefix + name
        refuse_if(value is None, "parameter-null", "null has no text to sign")
        if isinstance(value, bool):
            yield name, "true" if value else "false", False
        elif isinstance(value, str):
            yield name, value, True
        elif isinstance(value, list):  # as in a JSON body
            yield from flatten([(str(index), item) for index, item in enumerate(value)], name + ".")
        elif "list" in value:  # as in a question
            yield from flatten([(name, value["list"])])
        elif "number" in value:
            yield name, plain_decimal(value["number"]), False
        else:
            yield from flatten(value["object"], name + ".")


def sort_parameters(triples):  # §5.1 steps 1 and 2: all but Signature, in the byte order of their names
    triples = [triple for triple in triples if triple[0] != "Signature"]
    refuse_repeated([name for name, _, _ in triples])
    return sorted(triples, key=lambda triple: utf8(triple[0]))


def refuse_repeated(names):  # silent: the parameters are a set
    refuse_if(len(set(names)) < len(names), "parameter-repeated", "a parameter appears twice")


def require(triples, *names):  # §4.1, §4.2: required parameters
    for required in names:
        refuse_if(all(name != required for name, _, _ in triples), "parameter-missing", "no parameter " + required)


def sign_parameters(triples, keys):  # §5.1 steps 3 to 6; stringToSign ends with the private key, as step 4 says
    string_to_sign = "".join([name + text for name, text, _ in triples]) + keys["privateKey"]
    return {"sortedParameters": [[name, text] for name, text, _ in triples], "stringToSign": string_to_sign,
            "signature": hashlib.sha1(utf8(string_to_sign)).hexdigest()}


def signed_parameters(given, keys):  # §4.2: all parameters of a request, Signature last
    triples = sort_parameters(list(flatten(given["parameters"])))
    require(triples, "Action", "PublicKey")
    stages = sign_parameters(triples, keys)
    return triples + [("Signature", stages["signature"], True)], stages


def join_query(triples):  # §5.3: name=value pairs joined by &
    return "&".join([url_encode(name) + "=" + url_encode(text) for name, text, _ in triples])


def url_encode_text(given, keys, dialect):  # §5.3
    return {"encoded": url_encode(given["text"])}, {}


def password(given, keys, dialect):  # §4.2
    return {"value": base64.b64encode(utf8(given["text"])).decode()}, {}


def action_signature(given, keys, dialect):  # §5.1
    stages = sign_parameters(sort_parameters(list(flatten(given["parameters"]))), keys)
    return {"signature": stages["signature"]}, stages


def action_json(given, keys, dialect):  # §4.2, JSON body
    triples, stages = signed_parameters(given, keys)
    members = [to_json(name) + ":" + (to_json(text) if quoted else text) for name, text, quoted in triples]
    return {"body": "{" + ",".join(members) + "}"}, stages


def action_query(given, keys, dialect):  # §4.2, query string
    triples, stages = signed_parameters(given, keys)
    return {"query": join_query(triples)}, stages


def bucket_request(given, keys, dialect):  # §4.1
    triples, stages = signed_parameters(given, keys)
    if ["Action", "CreateBucket"] in stages["sortedParameters"]:
        require(triples, "Type", "BucketName")
    return {"target": "/?" + join_query(triples)}, stages


# --- File management (§4.3, §5.2, §5.4) -----------------------------------------------------------------------------

def check_method(method):  # §5.2, HTTP-Verb; silent: in upper case
    refuse_if(not TOKEN.fullmatch(method), "method", "the method is not an HTTP token")
    return method.upper()


def check_bucket(bucket):  # §4.3: the bucket is part of the host's name
    refuse_if(bucket == "" or "/" in bucket, "bucket", "a bucket's name is not empty and has no slash")


def check_headers(headers):  # §5.2 step 1, lower case, and steps 4 and 5, for every header of the request
    checked = []
    for name, value in headers:
        name = name.strip(" \t")
        refuse_if(not TOKEN.fullmatch(name), "header-name", "a header name is not an HTTP token")
        checked.append((name.lower(), header_value(value)))
    return checked


def header_value(value):  # §5.2 step 4, unfolding, and step 5, outer whitespace; silent: for positional headers too
    value = FOLD.sub(" ", value)
    refuse_if("\r" in value or "\n" in value or "\0" in value, "header-value", "a NUL, or a line break that is not a fold")
    utf8(value)  # no header can contain an unpaired surrogate
    return value.strip(" \t")


def form_headers(headers, fields):  # §5.2: Content-Type is a field; silent: Content-MD5 is a header or a field
    from_fields = ["Content-Type"] if "content-md5" in dict(headers) else ["Content-Type", "Content-MD5"]
    headers = [(name, value) for name, value in headers if name != "content-type"]
    return headers + [(name.lower(), header_value(value)) for name, value in fields if name in from_fields]


def positional(headers, name):  # §5.2: only the value, empty when absent; silent: once at most
    values = [value for other, value in headers if other == name]
    refuse_if(len(values) > 1, "header-repeated", "more than one " + name)
    return values[0] if values else ""


def canonicalized_svc_headers(headers, dialect):  # §5.2 steps 2, 3 and 6: sorted, merged, each with a line feed
    merged = {}
    for name, value in headers:
        if name.startswith(dialect["headerPrefix"].lower()):
            merged.setdefault(name, []).append(value)
    return "".join([name + ":" + ",".join(merged[name]) + "\n" for name in sorted(merged)])


def string_to_sign(method, positions, headers, bucket, key, dialect):  # §5.2, §5.4
    svc_headers, resource = canonicalized_svc_headers(headers, dialect), "/" + bucket + "/" + key
    text = "\n".join([method, *positions, svc_headers + resource])
    return {"canonicalHeaders": svc_headers, "canonicalResource": resource, "stringToSign": text}


def header_string_to_sign(method, given, dialect, fields=None):  # §5.2, of a request or, with fields, of a form
    method = check_method(method)
    check_bucket(given["bucket"])
    headers = check_headers(given["headers"])
    if fields is not None:
        headers = form_headers(headers, fields)
    positions = [positional(headers, name) for name in ("content-md5", "content-type", "date")]
    return string_to_sign(method, positions, headers, given["bucket"], given["key"], dialect)


def sign_file(stages, keys, policy=""):  # §5.2: HMAC-SHA1 and Base64; silent: a policy goes to the end of the text
    text = stages["stringToSign"] + policy
    digest = hmac.digest(utf8(keys["privateKey"]), utf8(text), "sha1")
    return dict(stages, stringToSign=text, digest=digest.hex(), signature=base64.b64encode(digest).decode())


def authorization_value(stages, keys, dialect):  # §5.2, the header's form
    utf8(keys["publicKey"])
    return dialect["scheme"] + " " + keys["publicKey"] + ":" + stages["signature"]


def authorization(given, keys, dialect):  # §5.2
    stages = sign_file(header_string_to_sign(given["method"], given, dialect), keys)
    return {"authorization": authorization_value(stages, keys, dialect)}, stages


def form_authorization(given, keys, dialect):  # §4.3
    stages = sign_file(header_string_to_sign("POST", given, dialect, given["fields"]), keys)
    return {"authorization": authorization_value(stages, keys, dialect)}, stages


def callback_policy(given, keys, dialect):  # silent: compact JSON in URL-safe Base64
    members = ",".join([to_json(name) + ":" + to_json(value) for name, value in given["members"]])
    return {"policy": base64.urlsafe_b64encode(utf8("{" + members + "}")).decode()}, {}


def policy_authorization(given, keys, dialect):  # silent: the policy follows the signature
    stages = sign_file(header_string_to_sign(given["method"], given, dialect), keys, given["policy"])
    value = authorization_value(stages, keys, dialect)
    return {"authorization": value + ":" + given["policy"] if given["policy"] else value}, stages


def instant_upload(given, keys, dialect):  # silent
    stages = sign_file(header_string_to_sign("POST", given, dialect), keys)
    texts = (url_encode(given["etag"]), url_encode(given["key"]), url_encode(given["size"]))
    return {"target": "/uploadhit?Hash={}&FileName={}&FileSize={}".format(*texts),
            "authorization": authorization_value(stages, keys, dialect)}, stages


def presigned_url(given, keys, dialect):  # §5.4; silent: the slashes of the key stay
    bucket, key, expires = given["bucket"], given["key"], given["expires"]
    method = check_method(given["method"])
    check_bucket(bucket)
    headers = check_headers(given["headers"])
    stages = sign_file(string_to_sign(method, ["", "", expires], headers, bucket, key, dialect), keys)
    stages["encodedSignature"] = url_encode(stages["signature"])
    file_url = given["scheme"] + "://" + bucket + "." + given["fileHost"] + "/" + url_encode(key).replace("%2F", "/")
    query = (dialect["publicKeyParameter"] + "=" + url_encode(keys["publicKey"]) + "&Expires=" + url_encode(expires)
             + "&Signature=" + stages["encodedSignature"])
    return {"url": file_url + "?" + query}, stages


# --- File ETag (§2) -------------------------------------------------------------------------------------------------

def open_content(content):
    if "file" in content:
        return open(content["file"], "rb", buffering=0)
    return io.BytesIO(base64.b64decode(content["bytes"], validate=True))


def hash_blocks(content, size):  # §2; silent: SHA is SHA-1, and an empty file has no block
    hashes = []
    with open_content(content) as stream:
        while True:
            sha, left = hashlib.sha1(), size
            while left > 0 and (count := stream.readinto(buffer[:left])):
                sha.update(buffer[:count])
                left -= count
            if left == size:
                return hashes
            hashes.append(sha.digest())


def etag(given, keys, dialect):  # §2; silent: the count in 32 bits, little-endian
    hashes = hash_blocks(given["content"], BLOCK_SIZE)
    digest = hashes[0] if len(hashes) == 1 else hashlib.sha1(b"".join(hashes)).digest()
    value = base64.urlsafe_b64encode(len(hashes).to_bytes(4, "little") + digest).decode()
    return {"etag": value}, {"blockCount": len(hashes), "digest": digest.hex()}


def part_etag(given, keys, dialect):  # silent: SHA-1 alone
    hashes = hash_blocks(given["content"], sys.maxsize)
    digest = hashes[0] if hashes else hashlib.sha1().digest()
    return {"etag": base64.urlsafe_b64encode(digest).decode()}, {"digest": digest.hex()}


# --- Verifying (§5, §7) ---------------------------------------------------------------------------------------------

def check_public_key(public_key, keys):  # §5: the server has a private key for the public key
    refuse_if(public_key != keys["publicKey"], "public-key-unknown", "no account has this public key")


def compare(stages, signature):  # §5, E1: equal signatures, or the request is discarded
    equal = hmac.compare_digest(utf8(stages["signature"]), utf8(signature))
    refuse_if(not equal, "signature-mismatch", "the signature is not that of the request")


def is_callback_policy(text):  # silent: Base64 of a JSON object, in either alphabet, with or without its padding
    alphabet = b"+/" if "+" in text or "/" in text else b"-_"
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=alphabet, validate=True)
        return isinstance(json.loads(decoded.decode()), dict)
    except (ValueError, RecursionError):  # also from Base64, UTF-8 and JSON
        return False


def verify_authorization(given, keys, dialect):  # §5.2
    stages = header_string_to_sign(given["method"], given, dialect)
    values = [value for name, value in check_headers(given["headers"]) if name == "authorization"]
    refuse_if(not values, "authorization-missing", "no Authorization header")
    scheme, _, credentials = values[0].partition(" ")
    pieces = credentials.split(":")
    blank = " " in credentials or "\t" in credentials
    refuse_if(len(values) > 1 or scheme != dialect["scheme"] or blank or len(pieces) not in (2, 3) or "" in pieces,
              "authorization-malformed", "not one header with scheme, space, public key, colon, signature")
    if len(pieces) == 3:  # silent: nothing separates resource and policy, so check the policy before the signature
        refuse_if(given["method"].upper() not in ("PUT", "POST"), "authorization-malformed", "a policy without an upload")
        refuse_if(not is_callback_policy(pieces[2]), "authorization-malformed", "the policy is not Base64 of a JSON object")
    check_public_key(pieces[0], keys)
    stages = sign_file(stages, keys, "".join(pieces[2:]))
    compare(stages, pieces[1])
    return {"publicKey": pieces[0]}, stages


def verify_presigned_url(given, keys, dialect):  # §5.4; silent: the expiry comes before the signature
    method, headers = check_method(given["method"]), check_headers(given["headers"])
    scheme, _, rest = given["url"].partition("://")
    rest, _, query = rest.partition("?")
    host, _, path = rest.partition("/")
    bucket, _, file_host = host.partition(".")
    other_host = bucket == "" or file_host.lower() != given["fileHost"].lower()
    refuse_if(scheme not in ("http", "https") or other_host or "#" in given["url"], "url-malformed", "not a file's URL")
    key = url_decode(path, "url-malformed")

    names = (dialect["publicKeyParameter"], "Expires", "Signature")
    pairs = [(name, value) for name, value in decode_query(query) if name in names]
    refuse_repeated([name for name, _ in pairs])
    public_key, expires, signature = [dict(pairs).get(name) for name in names]
    refuse_if(not signature, "signature-missing", "no Signature")
    refuse_if(public_key is None or expires is None, "parameter-missing", "no public key or no Expires")
    refuse_if(not re.fullmatch("[0-9]{1,15}", expires), "expires-malformed", "Expires is not a count of seconds")
    refuse_if(int(given["now"]) > int(expires), "expired", "the URL has expired")
    check_public_key(public_key, keys)
    stages = sign_file(string_to_sign(method, ["", "", expires], headers, bucket, key, dialect), keys)
    compare(stages, signature)
    return {"publicKey": public_key}, stages


def verify_parameters(triples, signature, keys):  # §5.1, the same for both forms (R4)
    triples = sort_parameters(triples)
    refuse_if(not signature, "signature-missing", "no Signature")
    require(triples, "Action", "PublicKey")
    stages = sign_parameters(triples, keys)
    public_key = dict(stages["sortedParameters"])["PublicKey"]
    check_public_key(public_key, keys)
    compare(stages, signature)
    return {"publicKey": public_key}, stages


def verify_query(given, keys, dialect):  # §5.3
    pairs = decode_query(given["query"])
    refuse_repeated([name for name, _ in pairs])
    return verify_parameters(list(flatten(pairs)), dict(pairs).get("Signature"), keys)


def verify_json(given, keys, dialect):  # §4.2
    names_of_objects = []

    def to_object(pairs):
        names_of_objects.append([name for name, _ in pairs])
        return {"object": pairs}

    def to_number(digits):
        return {"number": digits}

    try:
        body = json.loads(given["body"], object_pairs_hook=to_object, parse_int=to_number, parse_float=to_number,
                          parse_constant=plain_decimal)  # refuses NaN and Infinity
        refuse_if(not isinstance(body, dict) or "object" not in body, "body-malformed", "not an object")
        triples = list(flatten(body["object"]))
    except (ValueError, Refused) as problem:  # also refuses a null and a number that is too long
        raise Refused("body-malformed", f"not a JSON object to sign: {problem.args[-1]}") from None
    for names in names_of_objects:
        refuse_repeated(names)
    signature = dict(body["object"]).get("Signature")
    return verify_parameters(triples, signature if isinstance(signature, str) else None, keys)


OPERATIONS = {
    "url-encode": url_encode_text, "password": password, "action-signature": action_signature,
    "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
    "authorization": authorization, "form-authorization": form_authorization, "policy": callback_policy,
    "policy-authorization": policy_authorization, "instant-upload": instant_upload, "presigned-url": presigned_url,
    "etag": etag, "part-etag": part_etag, "verify-authorization": verify_authorization,
    "verify-presigned-url": verify_presigned_url, "verify-query": verify_query, "verify-json": verify_json,
}

STAGES = ["sortedParameters", "stringToSign", "signature", "canonicalHeaders", "canonicalResource", "digest",
          "encodedSignature", "blockCount"]
