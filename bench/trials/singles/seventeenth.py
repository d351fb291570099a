"""Twenty implementations with one mistake each, all with a condition or a corner: ac01 to ac16 sign, ac17 to ac20 verify."""
import re
from decimal import Decimal

import base
from operations import (ACTION, TYPED, FILE, ESCAPES, V_AUTH, V_URL, V_QUERY, V_JSON)
from recording import wrong

# The correct functions, before any patch.
right = {name: value for name, value in vars(base).items() if callable(value)}


# ---- etags

def ac01_count(data, blocks):
    return len(data) // base.block_size() + 1 if len(data) > base.block_size() else len(blocks)


wrong("ac01", "For a file larger than 4 MiB whose size is a whole multiple of 4 MiB, the block count in the ETag is one too high; the digest is right.",
      "etag", block_count=ac01_count)


def ac02_part(data):
    return base.etag_hash(data) if len(data) <= base.block_size() else base.hash_hashes(base.split(data))


wrong("ac02", "The ETag of a part longer than 4 MiB is made of the SHA-1 over the SHA-1 values of its 4 MiB blocks, as for a file, instead of the SHA-1 of the part.",
      "part-etag", part_raw=ac02_part)


# ---- password

def ac03_password(text):
    whole = right["password_text"](text)
    return "\r\n".join(whole[i:i + 76] for i in range(0, len(whole), 76))


wrong("ac03", "When the Base64 of a password is longer than 76 characters, a CR LF is put after each 76 characters (not at the end).",
      "password", password_text=ac03_password)


# ---- forms

def ac04_md5(headers, fields):
    header = base.positional(headers, "content-md5")
    if header:
        return header
    value = base.one(base.form_fields(fields, "Content-MD5"))
    return "" if value is None else base.positional_value(value)


wrong("ac04", "In a form, a Content-MD5 header that is present but empty does not count: the form field Content-MD5 is signed in its place.",
      "form-authorization", form_md5=ac04_md5)


def ac05_type(headers, fields):
    if base.form_fields(fields, "Content-Type"):
        return right["form_type"](headers, fields)
    header = base.positional(headers, "content-type")
    return "" if header.lower().startswith("multipart/") else header


wrong("ac05", "If a form has no field Content-Type, the request's Content-Type header is signed in its place, unless that is a multipart type.",
      "form-authorization", form_type=ac05_type)


# ---- policies

def ac06_json(members):
    plain = right["policy_json"](members)
    return re.sub("[\U00010000-\U0010ffff]", lambda m: "\\u%04x\\u%04x" % (
        0xd800 + (ord(m[0]) - 0x10000 >> 10), 0xdc00 + (ord(m[0]) & 0x3ff)), plain)


wrong("ac06", "In a policy's JSON, a character beyond U+FFFF is written as two \\u escapes (a surrogate pair) instead of as itself.",
      "policy", policy_json=ac06_json)


def ac07_base64(data):
    import base64
    return base64.b64encode(data).decode().replace("+", "-", 1).replace("/", "_", 1)


wrong("ac07", "When a policy is made URL-safe, only the first + and the first / are replaced; from the second one on they stay.",
      "policy", policy_base64=ac07_base64)


# ---- instant upload

def ac08_target(etag, key, size):
    name = key.rstrip("/").rpartition("/")[2] if "/" in key else key
    return right["hit_target"](etag, name, size)


wrong("ac08", "If the key has a slash, the FileName in the query of an instant upload is only what follows the last slash (slashes at the end do not count); the whole key is signed.",
      "instant-upload", hit_target=ac08_target)


# ---- bucket requests

def ac09_bucket(query):
    return "/?" + "&".join(piece for piece in query.split("&") if not piece.endswith("="))


wrong("ac09", "A parameter with an empty value is left out of the query of a bucket request, though it is signed.",
      "bucket-request", bucket_target=ac09_bucket)


# ---- action API

def ac10_order(all_leaves):
    def steps(leaf):
        return re.sub(rb"\.(\d{1,9})(?=\.|$)", lambda m: b"." + b"%09d" % int(m[1]), base.utf8(leaf.name))
    return sorted(all_leaves, key=steps)


wrong("ac10", "Numbers of list items in names are sorted as numbers, so from the eleventh item on Name.10 comes after Name.9 and not after Name.1.",
      ACTION, order=ac10_order)


def ac11_bytes(text):
    out = b""
    for c in text:
        base.utf8(c)
        if ord(c) > 0xffff:
            n = ord(c) - 0x10000
            out += (chr(0xd800 + (n >> 10)) + chr(0xdc00 + (n & 0x3ff))).encode("utf-8", "surrogatepass")
        else:
            out += c.encode("utf-8")
    return out


wrong("ac11", "A character beyond U+FFFF is percent-encoded as the three bytes of each of its two surrogates (CESU-8), six escapes instead of four.",
      ESCAPES, text_bytes=ac11_bytes)


def ac12_leaves(name, value):
    if (value is True or value is False) and "." in name:
        return [base.Leaf(name, "1" if value else "0", False)]
    return right["leaves"](name, value)


wrong("ac12", "Booleans inside a list or an object are written 1 and 0; booleans at the top level are true and false as they should be.",
      TYPED, leaves=ac12_leaves)


# ---- files

def ac13_join(values):
    return ",".join(values[:2]) + "".join(", " + value for value in values[2:])


wrong("ac13", "From the third value of a repeated extra header on, values are joined with a comma and a space; the first two with a comma alone.",
      FILE, join_values=ac13_join)


def ac14_unfold(value):
    return re.sub(r"[ \t]*\r?\n[ \t]+", " ", value, count=1)


wrong("ac14", "Only the first fold of a header value is unfolded; a value with a second fold is refused because of the line break that is left.",
      FILE, unfold=ac14_unfold)


def ac15_key(key):
    return key[1:] if key.startswith("/") else key


wrong("ac15", "A key that begins with a slash loses this one slash in the signed resource.",
      FILE, resource_key=ac15_key)


# ---- pre-signed URLs

def ac16_expires(expires):
    return expires[:-3] if len(expires) > 12 else expires


wrong("ac16", "An expiry of more than 12 characters is taken for milliseconds: its last three characters are cut off, in the signed text and in the URL.",
      "presigned-url", presign_expires=ac16_expires, url_expires=ac16_expires)


# ---- verifying

def ac17_late(now, expires):
    return now > expires + 30 if expires else False


wrong("ac17", "A pre-signed URL is accepted until 30 seconds after its expiry, and one with Expires=0 never expires.",
      V_URL, is_late=ac17_late)


def ac18_query(query):
    return [pair for pair, piece in zip(right["read_query"](query), [p for p in query.split("&") if p]) if "=" in piece]


wrong("ac18", "A piece of a query without an equals sign is ignored instead of being a parameter with an empty value, when a query is verified.",
      V_QUERY + ", " + V_URL, read_query=ac18_query)


def ac19_number(written):
    if re.fullmatch(r"-?\d{17,}", written):
        return {"number": format(Decimal(float(written)), "f")}
    return {"number": written}


wrong("ac19", "In a JSON body that is verified, an integer of 17 or more digits goes through a double and loses precision.",
      V_JSON, json_number=ac19_number)


def ac20_method(method):
    return method in ("PUT", "POST")


wrong("ac20", "A callback policy in the Authorization header is refused if the method is not written in upper case (put, Post).",
      V_AUTH, policy_method_ok=ac20_method)
