#!/usr/bin/env python3
"""Correct. Checks come in another order than elsewhere, so that a request with two faults is refused for the other one: headers
before bucket and method, the account before the expiry and the policy, missing parameters before a missing signature, a missing
Authorization before all else. Still the expiry and the policy are checked before the signature."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def header_text(method, bucket, key, headers, dialect):
    extra = base.canonical_headers(headers, dialect)
    when, mime, md5 = (base.positional(headers, name) for name in ("date", "content-type", "content-md5"))
    base.check_bucket(bucket)
    return base.lines(base.verb(method), md5, mime, when, extra, base.resource(bucket, key))


def form_text(given, headers, dialect):
    for name, value in reversed(given["fields"]):
        if name in ("Content-MD5", "Content-Type"):
            base.header_value(value)
    extra, when = base.canonical_headers(headers, dialect), base.positional(headers, "date")
    mime, md5 = base.form_type(headers, given["fields"]), base.form_md5(headers, given["fields"])
    base.check_bucket(given["bucket"])
    return base.lines("POST", md5, mime, when, extra, base.resource(given["bucket"], given["key"]))


def verify_authorization(given, keys, dialect):
    named = [value for name, value in given["headers"] if name.strip(" \t").lower() == "authorization"]
    if not named:
        raise base.No("authorization-missing", "no such header")
    if len(named) > 1:
        raise base.No("authorization-malformed", "several")
    scheme, blank, rest = base.header_value(named[0]).partition(" ")
    if scheme != dialect["scheme"] or not blank:
        raise base.No("authorization-malformed", "scheme")
    public_key, signature, policy = base.split_credentials(rest)
    base.check_account(public_key, keys)
    if policy is not None:
        base.check_policy(policy, given["method"])
    text = base.header_text(given["method"], given["bucket"], given["key"], base.read_headers(given["headers"]), dialect)
    base.check_signature(base.file_signature(text + (policy or ""), keys), signature)
    return {"publicKey": public_key}


def verify_url(given, keys, dialect):
    bucket, key, query = base.split_url(given["url"], given["fileHost"])
    wanted = dialect["publicKeyParameter"], "Expires", "Signature"
    found = {}
    for name, value in base.read_query(query):
        if name in wanted:
            if name in found:
                raise base.No("parameter-repeated", name)
            found[name] = value
    if any(name not in found for name in wanted[:2]):
        raise base.No("parameter-missing", "public key or expiry")
    if not found.get("Signature"):
        raise base.No("signature-missing", "Signature")
    base.check_account(found[wanted[0]], keys)
    base.check_expiry(given["now"], found["Expires"])
    extra = base.canonical_headers(base.read_headers(given["headers"]), dialect)
    text = base.lines(base.verb(given["method"]), "", "", found["Expires"], extra, base.resource(bucket, key))
    base.check_signature(base.file_signature(text, keys), found["Signature"])
    return {"publicKey": keys["publicKey"]}


def verify_parameters(parameters, signature, keys):
    ordered = base.prepare(parameters)
    base.need(ordered, "PublicKey", "Action")
    base.check_account({leaf.name: leaf.text for leaf in ordered}["PublicKey"], keys)
    if not isinstance(signature, str) or signature == "":
        raise base.No("signature-missing", "Signature")
    base.check_signature(base.sign_leaves(ordered, keys), signature)
    return {"publicKey": keys["publicKey"]}


def op_presign(given, keys, dialect):
    extra = base.canonical_headers(base.read_headers(given["headers"]), dialect)
    base.check_bucket(given["bucket"])
    text = base.lines(base.verb(given["method"]), "", "", given["expires"], extra, base.resource(given["bucket"], given["key"]))
    signature = base.file_signature(text, keys)
    pairs = [(dialect["publicKeyParameter"], keys["publicKey"]), ("Expires", given["expires"]), ("Signature", signature)]
    return {"url": given["scheme"] + "://" + given["bucket"] + "." + given["fileHost"] + "/" + base.url_path(given["key"]) + "?"
            + "&".join(name + "=" + base.percent(value) for name, value in pairs)}


base.header_text, base.form_text, base.verify_authorization = header_text, form_text, verify_authorization
base.verify_url, base.verify_parameters, base.op_presign = verify_url, verify_parameters, op_presign

if __name__ == "__main__":
    base.main()
