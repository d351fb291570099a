#!/usr/bin/env python3
"""Correct. JSON bodies go through a tokenizer and an explicit stack, without recursion; URLs are cut with partition; credentials
are read from the right end; the expiry is compared digit by digit; the string to sign is compared as bytes of both digests."""
import base64
import hmac
import os
import re
import string
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

TOKEN = re.compile(r'[ \t\r\n]*(?:(?P<text>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")'
                   r'|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>true|false|null)|(?P<mark>[][{}:,]))')
ESCAPE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def text_of(token):
    def one(match):
        code = match[1]
        return chr(int(code[1:], 16)) if code[0] == "u" else ESCAPE.get(code, code)
    plain = re.sub(r"\\(u....|.)", one, token[1:-1])
    return re.sub("[\ud800-\udbff][\udc00-\udfff]", lambda m: chr(0x10000 + (ord(m[0][0]) - 0xd800) * 1024 + ord(m[0][1]) - 0xdc00), plain)


def malformed():
    raise base.No("body-malformed", "not JSON")


def read_json(body):
    """One stack of open lists and objects; state says what may come: value, first (value or end), name, colon, next."""
    stack, at, state, result, twice = [], 0, "value", None, False
    end = len(body.rstrip(" \t\r\n"))
    while at < end:
        match = TOKEN.match(body, at)
        if not match:
            malformed()
        at, kind, token = match.end(), match.lastgroup, match[match.lastgroup]
        if state == "done":
            malformed()
        if state in ("name", "firstname"):
            if token == "}" and kind == "mark" and state == "firstname":
                kind, token, state = "close", "}", "next"
            elif kind == "text":
                stack[-1][1].append(text_of(token))
                state = "colon"
                continue
            else:
                malformed()
        elif state == "colon":
            if token != ":" or kind != "mark":
                malformed()
            state = "value"
            continue
        if state == "next" or kind == "close":
            if kind == "mark" and token == ",":
                state = "name" if stack[-1][0] == "object" else "value"
                continue
            if token not in ("]", "}") or kind not in ("mark", "close") or (token == "}") != (stack[-1][0] == "object"):
                malformed()
            value = {stack[-1][0]: stack[-1][2]}
            stack.pop()
        elif kind == "mark" and token == "]" and state == "firstvalue":
            value = {"list": []}
            stack.pop()
        elif kind == "mark":
            if token not in "[{" or len(stack) > 300:
                malformed()
            stack.append(["list" if token == "[" else "object", [], []])
            state = "firstvalue" if token == "[" else "firstname"
            continue
        else:
            value = text_of(token) if kind == "text" else {"number": token} if kind == "number" else {"true": True, "false": False, "null": None}[token]
        if not stack:
            result, state = value, "done"
            continue
        kind, names, items = stack[-1]
        if kind == "object":
            name = names.pop()
            twice = twice or any(known == name for known, _ in items)
            items.append([name, value])
        else:
            items.append(value)
        state = "next"
    if state != "done":
        malformed()
    if twice:
        raise base.No("parameter-repeated", "a member is there twice")
    if not isinstance(result, dict) or "object" not in result:
        malformed()
    return result["object"]


def split_url(url, file_host):
    scheme, mark, rest = url.partition("://")
    if scheme not in ("http", "https") or not mark or "#" in rest:
        raise base.No("url-malformed", "not a URL")
    before, _, query = rest.partition("?")
    host, slash, path = before.partition("/")
    if not slash:
        raise base.No("url-malformed", "no path")
    return base.check_host(host, file_host), base.key_of_path(path), query


def split_credentials(rest):
    pieces, start = [], 0
    for i, c in enumerate(rest):
        if c in " \t":
            raise base.No("authorization-malformed", "a blank")
        if c == ":":
            pieces.append(rest[start:i])
            start = i + 1
    pieces.append(rest[start:])
    if not 2 <= len(pieces) <= 3 or not all(pieces):
        raise base.No("authorization-malformed", "parts")
    return tuple(pieces) if len(pieces) == 3 else (pieces[0], pieces[1], None)


def check_expiry(now, expires):
    if not 1 <= len(expires) <= 15 or any(c not in string.digits for c in expires):
        raise base.No("expires-malformed", "digits")
    width = max(len(now), len(expires))
    if now.rjust(width, "0") > expires.rjust(width, "0"):
        raise base.No("expired", "late")


def check_signature(expected, got):
    """As bytes of the digest; a text that is not the one encoding of its bytes is another signature."""
    try:
        raw = base64.b64decode(got.encode("ascii"), validate=True)
    except (ValueError, UnicodeEncodeError):
        raw = b""
    if not hmac.compare_digest(raw, base64.b64decode(expected)) or base64.b64encode(raw).decode() != got:
        raise base.No("signature-mismatch", "other digest")


base.read_json, base.split_url, base.split_credentials = read_json, split_url, split_credentials
base.check_expiry, base.check_signature = check_expiry, check_signature

if __name__ == "__main__":
    base.main()
