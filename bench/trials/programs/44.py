#!/usr/bin/env python3
"""A verifying gateway in Lua (OpenResty: ngx.var.uri, ngx.req.get_uri_args, cjson).

1. ngx.var.uri is normalised: double slashes of a pre-signed URL's path are merged, and its segments . and .. are resolved.
2. get_uri_args decodes a + in a query as a blank.
3. An argument without an equals sign has the value true, which tostring() makes the text true; it is not verified as an empty text.
4. tonumber(Expires) also takes hexadecimal (0x...), fractions, exponents and blanks around the number.
5. type(cjson.decode(policy)) == "table" is true of a list as well, so a policy may be a JSON list.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def fail(reason):
    raise Refused(reason, "forbidden")


def unescape(text, reason):
    if re.search("%(?![0-9a-fA-F][0-9a-fA-F])", text):
        fail(reason)
    raw, i = bytearray(), 0
    data = text.encode()
    while i < len(data):
        if data[i] == 37:
            raw.append(int(data[i + 1:i + 3], 16))
            i += 3
        else:
            raw.append(data[i])
            i += 1
    try:
        return raw.decode()
    except UnicodeDecodeError:
        fail(reason)


def get_uri_args(query):
    args = []
    for piece in query.split("&"):
        if piece != "":
            name, equals, value = piece.replace("+", " ").partition("=")
            args.append((unescape(name, "query-malformed"), unescape(value, "query-malformed") if equals else "true"))
    return args


def once(args, names=None):
    out = {}
    for name, value in args:
        if names is None or name in names:
            if name in out:
                fail("parameter-repeated")
            out[name] = value
    return out


def request_headers(pairs):
    out = []
    for name, value in pairs:
        if not TOKEN.fullmatch(name):
            fail("header-name")
        value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value).strip(" \t")
        value.encode()
        if re.search(r"[\r\n\0]", value):
            fail("header-value")
        out.append((name.lower(), value))
    return out


def single(headers, name):
    found = [v for n, v in headers if n == name]
    if len(found) > 1:
        fail("header-repeated")
    return found[0] if found else ""


def svc_headers(headers):
    prefix, out = WORDS["headerPrefix"].lower(), {}
    for name, value in headers:
        if name.startswith(prefix):
            out[name] = out[name] + "," + value if name in out else value
    return "".join(name + ":" + out[name] + "\n" for name in sorted(out))


def verb(method):
    if not TOKEN.fullmatch(method):
        fail("method")
    return method.upper()


def hmac_sha1(private, text):
    return base64.b64encode(hmac.new(private.encode(), text.encode(), "sha1").digest()).decode()


def cjson_table(policy):
    if re.search("[+/]", policy) and re.search("[-_]", policy):
        return False
    plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode(), parse_constant=int), (dict, list))
    except (ValueError, RecursionError):
        return False


def access_by_header(q, public, private):
    headers = request_headers(q["headers"])
    method = verb(q["method"])
    if q["bucket"] == "" or "/" in q["bucket"]:
        fail("bucket")
    text = "\n".join([method, single(headers, "content-md5"), single(headers, "content-type"), single(headers, "date"), svc_headers(headers)])
    text += "/" + q["bucket"] + "/" + q["key"]
    given = [v for n, v in headers if n == "authorization"]
    if not given:
        fail("authorization-missing")
    match = re.fullmatch(r"(\S+) ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", given[0])
    if len(given) > 1 or not match or match[1] != WORDS["scheme"]:
        fail("authorization-malformed")
    if match[4] is not None:
        if method not in ("PUT", "POST") or not cjson_table(match[4]):
            fail("authorization-malformed")
        text += match[4]
    if match[2] != public:
        fail("public-key-unknown")
    if hmac_sha1(private, text) != match[3]:
        fail("signature-mismatch")
    return {"publicKey": public}


def uri(path):
    """What nginx makes of the path."""
    out = []
    pieces = re.sub("/+", "/", "/" + unescape(path, "url-malformed")).split("/")[1:]
    for i, piece in enumerate(pieces):
        last = i == len(pieces) - 1
        if piece in (".", ".."):
            if piece == "..":
                if not out:
                    fail("url-malformed")
                out.pop()
            if last:
                out.append("")
        else:
            out.append(piece)
    return "/".join(out)


def tonumber(text):
    text = text.strip(" \t\r\n\f\v")
    if re.fullmatch(r"[+-]?0[xX][0-9a-fA-F]+", text):
        return int(text, 16)
    if re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return float(text)
    fail("expires-malformed")


def access_by_url(q, public, private):
    headers = request_headers(q["headers"])
    method = verb(q["method"])
    match = re.fullmatch(r"https?://([^/?#.]+)\.([^/?#]+)/([^?#]*)(?:\?([^#]*))?", q["url"], re.S)
    if not match or match[2].lower() != q["fileHost"].lower():
        fail("url-malformed")
    key = uri(match[3])
    args = once(get_uri_args(match[4] or ""), (WORDS["publicKeyParameter"], "Expires", "Signature"))
    if not args.get("Signature"):
        fail("signature-missing")
    if WORDS["publicKeyParameter"] not in args or "Expires" not in args:
        fail("parameter-missing")
    if float(q["now"]) > tonumber(args["Expires"]):
        fail("expired")
    if args[WORDS["publicKeyParameter"]] != public:
        fail("public-key-unknown")
    if hmac_sha1(private, method + "\n\n\n" + args["Expires"] + "\n" + svc_headers(headers) + "/" + match[1] + "/" + key) != args["Signature"]:
        fail("signature-mismatch")
    return {"publicKey": public}


def access_by_query(q, public, private):
    args = once(get_uri_args(q["query"]))
    signature = args.pop("Signature", "")
    if signature == "":
        fail("signature-missing")
    if "Action" not in args or "PublicKey" not in args:
        fail("parameter-missing")
    if args["PublicKey"] != public:
        fail("public-key-unknown")
    text = "".join(name + args[name] for name in sorted(args, key=str.encode))
    if hashlib.sha1((text + private).encode()).hexdigest() != signature:
        fail("signature-mismatch")
    return {"publicKey": public}


serve("openresty", {"verify-authorization": access_by_header, "verify-presigned-url": access_by_url, "verify-query": access_by_query})
