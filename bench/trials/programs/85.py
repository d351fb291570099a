"""An Elixir Plug that verifies requests.

1. The key of a pre-signed URL is joined from conn.path_info, so empty path segments (double, leading and trailing slashes) are lost.
2. verify-query decodes with URI.decode_query, so a plus sign is a space.
3. JSON numbers with a fraction are floats and hashed with to_string, so 42.0 stays 42.0 and 1.0e-7 keeps its exponent.
4. A JSON list of texts (not empty) is interpolated as one value under its own name, its texts concatenated, instead of Name.0, Name.1 and so on.
"""
import base64
import hashlib
import hmac
import json
import re
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from serving import Refused, WORDS, content, serve  # noqa: E402

from urllib.parse import unquote_to_bytes  # noqa: E402

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def uri_decode(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, text)
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(reason, text)


def decode_query(query, form):
    pairs = []
    for piece in filter(None, query.split("&")):
        name, _, value = (piece.replace("+", " ") if form else piece).partition("=")
        pairs.append((uri_decode(name, "query-malformed"), uri_decode(value, "query-malformed")))
    return pairs


def unique(pairs):
    m = dict(pairs)
    if len(m) != len(pairs):
        raise Refused("parameter-repeated", "")
    return m


def accept(params, signature, pub, pri):
    if not isinstance(signature, str) or not signature:
        raise Refused("signature-missing", "")
    for n in ("Action", "PublicKey"):
        if n not in params:
            raise Refused("parameter-missing", n)
    if params["PublicKey"] != pub:
        raise Refused("public-key-unknown", "")
    ctx = hashlib.sha1()
    for n in sorted(params, key=str.encode):
        ctx.update((n + params[n]).encode())
    ctx.update(pri.encode())
    if ctx.hexdigest() != signature:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


def verify_query(i, pub, pri):
    params = unique(decode_query(i["query"], True))
    return accept(params, params.pop("Signature", None), pub, pri)


class Map:
    def __init__(self, pairs):
        unique(pairs)
        self.pairs = pairs


def elixir_float(written):
    if not re.search("[.eE]", written):
        return str(int(written))
    text = repr(float(written))
    if "e" in text:
        m, _, e = text.partition("e")
        return (m if "." in m else m + ".0") + "e" + ("-" if e[0] == "-" else "") + e.lstrip("+-0")
    return text


class Number(str):
    pass


def flatten(name, v):
    if v is None:
        raise Refused("body-malformed", "null")
    if isinstance(v, Map):
        for n, item in v.pairs:
            yield from flatten(name + "." + n, item)
    elif isinstance(v, list) and v and all(isinstance(item, str) and not isinstance(item, Number) for item in v):
        yield name, "".join(v)
    elif isinstance(v, list):
        for n, item in enumerate(v):
            yield from flatten("%s.%d" % (name, n), item)
    elif isinstance(v, bool):
        yield name, "true" if v else "false"
    elif isinstance(v, Number):
        yield name, elixir_float(v)
    else:
        yield name, v


def bad(word):
    raise ValueError(word)


def verify_json(i, pub, pri):
    try:
        body = json.loads(i["body"], object_pairs_hook=Map, parse_int=Number, parse_float=Number, parse_constant=bad)
    except (ValueError, RecursionError):
        raise Refused("body-malformed", "")
    if not isinstance(body, Map):
        raise Refused("body-malformed", "")
    rows = [row for n, v in body.pairs for row in flatten(n, v)]
    params = unique([row for row in rows if row[0] != "Signature"])
    return accept(params, dict(body.pairs).get("Signature"), pub, pri)


def verify_presigned_url(i, pub, pri):
    if not TOKEN.fullmatch(i["method"]):
        raise Refused("method", "")
    extra = {}
    for name, value in i["headers"]:
        name = name.strip(" \t").lower()
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", "")
        value.encode()
        value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", "")
        if name.startswith(WORDS["headerPrefix"].lower()):
            extra[name] = extra[name] + "," + value if name in extra else value
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)\??([^#]*)", i["url"], re.S)
    if not m:
        raise Refused("url-malformed", "")
    bucket, _, host = m[1].partition(".")
    if not bucket or host.lower() != i["fileHost"].lower():
        raise Refused("url-malformed", "host")
    path_info = [uri_decode(part, "url-malformed") for part in m[2].split("/") if part]
    names = [WORDS["publicKeyParameter"], "Expires", "Signature"]
    params = unique([pair for pair in decode_query(m[3], False) if pair[0] in names])
    account, expires, signature = map(params.get, names)
    if not signature:
        raise Refused("signature-missing", "")
    if account is None or expires is None:
        raise Refused("parameter-missing", "")
    if not re.fullmatch("[0-9]{1,15}", expires):
        raise Refused("expires-malformed", "")
    if int(i["now"]) > int(expires):
        raise Refused("expired", "")
    if account != pub:
        raise Refused("public-key-unknown", "")
    lines = [i["method"].upper(), "", "", expires] + [n + ":" + extra[n] for n in sorted(extra)] + ["/" + bucket + "/" + "/".join(path_info)]
    if base64.b64encode(hmac.new(pri.encode(), "\n".join(lines).encode(), hashlib.sha1).digest()).decode() != signature:
        raise Refused("signature-mismatch", "")
    return {"publicKey": pub}


if __name__ == "__main__":
    serve("plug", {"verify-presigned-url": verify_presigned_url, "verify-query": verify_query, "verify-json": verify_json})
