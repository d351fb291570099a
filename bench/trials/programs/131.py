"""Port of a Rust verifier (http::HeaderMap, the url crate).

Mistakes:
1. Of a repeated extra header only the first value is signed (HeaderMap::get).
2. The path of a pre-signed URL is normalized by the URL parser: segments . and .. (also spelt %2e) are resolved before the key
   is taken from it.
3. Expires is parsed as u32: values above 4294967295 are refused with expires-malformed.
"""
import base64
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from files import grouped, header, mac, parse, resource, verb  # noqa: E402
from serving import WORDS, Refused, serve  # noqa: E402


def is_policy(policy):
    """Base64 (either alphabet, padded or not) of a JSON object."""
    if re.search("[+/]", policy) and re.search("[-_]", policy):
        return False
    bare = policy.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return isinstance(json.loads(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode()), dict)
    except (ValueError, RecursionError):
        return False


def canonical(headers):
    groups = grouped(headers)
    return "".join(name + ":" + groups[name][0] + "\n" for name in sorted(groups))


def verify_authorization(given, public, private):
    headers = parse(given["headers"])
    text = "\n".join([verb(given["method"]), header(headers, "content-md5"), header(headers, "content-type"),
                      header(headers, "date"), canonical(headers) + resource(given["bucket"], given["key"])])
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing", "none")
    match = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", values[0])
    if len(values) > 1 or not match:
        raise Refused("authorization-malformed", "not Scheme key:signature")
    policy = match[3]
    if policy is not None:
        if given["method"].upper() not in ("PUT", "POST") or not is_policy(policy):
            raise Refused("authorization-malformed", "no policy here")
        text += policy
    if match[1] != public:
        raise Refused("public-key-unknown", "unknown")
    if mac(text, private) != match[2]:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": public}


def decode(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray percent sign")
    raw = re.sub(b"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def normalize(path):
    out, segments = [], path.split("/")
    for i, segment in enumerate(segments):
        dots = re.sub("%2e", ".", segment, flags=re.I)
        if dots == "..":
            del out[-1:]
        elif dots != ".":
            out.append(segment)
            continue
        if i == len(segments) - 1:
            out.append("")
    return "/".join(out)


def verify_presigned_url(given, public, private):
    method = verb(given["method"])
    headers = parse(given["headers"])
    match = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)(?:\?([^#]*))?", given["url"])
    if not match:
        raise Refused("url-malformed", "no URL")
    bucket, _, rest = match[1].partition(".")
    if not bucket or rest.lower() != given["fileHost"].lower():
        raise Refused("url-malformed", "another host")
    key = decode(normalize(match[2]), "url-malformed")
    wanted = {}
    repeated = False
    for piece in (match[3] or "").split("&"):
        if piece:
            name, _, value = piece.partition("=")
            name, value = decode(name, "query-malformed"), decode(value, "query-malformed")
            if name in (WORDS["publicKeyParameter"], "Expires", "Signature"):
                repeated = repeated or name in wanted
                wanted[name] = value
    if repeated:
        raise Refused("parameter-repeated", "twice")
    if not wanted.get("Signature"):
        raise Refused("signature-missing", "no Signature")
    given_key, expires = wanted.get(WORDS["publicKeyParameter"]), wanted.get("Expires")
    if given_key is None or expires is None:
        raise Refused("parameter-missing", "no key or no Expires")
    if not re.fullmatch("[0-9]{1,15}", expires) or int(expires) > 4294967295:
        raise Refused("expires-malformed", "no u32")
    if int(given["now"]) > int(expires):
        raise Refused("expired", "too late")
    if given_key != public:
        raise Refused("public-key-unknown", "unknown")
    text = "\n".join([method, "", "", expires, canonical(headers) + resource(bucket, key)])
    if mac(text, private) != wanted["Signature"]:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": public}


serve("rust-verifier", {"verify-authorization": verify_authorization, "verify-presigned-url": verify_presigned_url})
