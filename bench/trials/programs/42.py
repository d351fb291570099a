#!/usr/bin/env python3
"""A server in PHP ($_GET, explode): verifies queries of the account API and the Authorization header.

1. Names in $_GET have _ for each dot and space, so flattened parameters such as Name.0 do not verify in a query.
2. list($public, $signature) = explode(':'): a third part is ignored, neither looked at nor signed, so a request with a policy is
   verified as one without.
3. Of repeated names in a query the last one counts, nothing is refused.
"""
import base64
import hashlib
import hmac
import os
import re
import sys
from urllib.parse import unquote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, WORDS, serve  # noqa: E402


def no(reason):
    raise Refused(reason, "")


def get_array(query):
    out = {}
    for piece in query.split("&"):
        if not piece:
            continue
        name, _, value = piece.partition("=")
        if re.search(r"%(?![0-9A-Fa-f]{2})", piece):
            no("query-malformed")
        try:
            name, value = unquote(name, errors="strict"), unquote(value, errors="strict")
        except UnicodeDecodeError:
            no("query-malformed")
        out[re.sub(r"[. ]", "_", name)] = value
    return out


def verify_params(params, public, private):
    signature = params.pop("Signature", "")
    if signature == "":
        no("signature-missing")
    for name in ("Action", "PublicKey"):
        if name not in params:
            no("parameter-missing")
    if params["PublicKey"] != public:
        no("public-key-unknown")
    text = ""
    for name in sorted(params, key=lambda n: n.encode()):
        text += name + params[name]
    if hashlib.sha1((text + private).encode()).hexdigest() != signature:
        no("signature-mismatch")
    return {"publicKey": public}


def verify_authorization(q, public, private):
    headers = {}
    for name, value in q["headers"]:
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            no("header-name")
        value = re.sub(r"[ \t]*\r?\n[ \t]+(?:\r?\n[ \t]+)*", " ", value).strip(" \t")
        if re.search(r"[\r\n\0]", value):
            no("header-value")
        headers.setdefault(name.lower(), []).append(value)
    for name in ("content-md5", "content-type", "date"):
        if len(headers.get(name, [])) > 1:
            no("header-repeated")
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", q["method"]):
        no("method")
    if q["bucket"] == "" or "/" in q["bucket"]:
        no("bucket")
    given = headers.get("authorization", [])
    if not given:
        no("authorization-missing")
    scheme, _, rest = given[0].partition(" ")
    parts = rest.split(":")
    if len(given) > 1 or scheme != WORDS["scheme"] or len(parts) < 2 or "" in parts[:2] or re.search(r"\s", rest):
        no("authorization-malformed")
    if parts[0] != public:
        no("public-key-unknown")
    text = q["method"].upper() + "\n"
    for name in ("content-md5", "content-type", "date"):
        text += headers.get(name, [""])[0] + "\n"
    for name in sorted(headers):
        if name.startswith(WORDS["headerPrefix"].lower()):
            text += name + ":" + ",".join(headers[name]) + "\n"
    text += "/" + q["bucket"] + "/" + q["key"]
    if base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode() != parts[1]:
        no("signature-mismatch")
    return {"publicKey": public}


serve("php-server", {"verify-query": lambda q, public, private: verify_params(get_array(q["query"]), public, private),
                     "verify-authorization": verify_authorization})
