#!/usr/bin/env python3
"""Recursion instead of loops: texts are halved until one byte is left, parameters are merge-sorted, JSON is read by descent, the ETag's blocks are a
tree. Null members are dropped; of a positional header that is there twice, the last counts."""
import base64
import hashlib
import hmac
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import WORDS, Refused, content, serve  # noqa: E402

sys.setrecursionlimit(400000)
UNRESERVED = b"-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
TCHAR = "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~"
FOUR_MEBIBYTES = 4 << 20


def halve(things, one, none):
    """one(thing) of each thing, added up."""
    if len(things) == 0:
        return none
    if len(things) == 1:
        return one(things[0])
    middle = len(things) // 2
    return halve(things[:middle], one, none) + halve(things[middle:], one, none)


def every(things, test):
    if len(things) < 2:
        return not things or bool(test(things[0]))
    return every(things[:len(things) // 2], test) and every(things[len(things) // 2:], test)


def utf8(text):
    return text.encode("utf-8")


def escape(text):
    return halve(utf8(text), lambda b: chr(b) if b in UNRESERVED else "%{:02X}".format(b), "")


def merge_sort(rows):
    if len(rows) < 2:
        return rows
    return merge(merge_sort(rows[:len(rows) // 2]), merge_sort(rows[len(rows) // 2:]))


def merge(left, right):
    if not left or not right:
        return left + right
    a, b = utf8(left[0][0]), utf8(right[0][0])
    if a == b:
        raise Refused("parameter-repeated", "two with one name")
    return left[:1] + merge(left[1:], right) if a < b else right[:1] + merge(left, right[1:])


# ---------------------------------------------------------------- numbers

def digits_at(text, at):
    """Where the digits that begin at `at` end."""
    return digits_at(text, at + 1) if text[at:at + 1] in tuple("0123456789") else at


def number(written):
    start = 1 if written[:1] == "-" else 0
    end = digits_at(written, start)
    whole, fraction, exponent = written[start:end], "", "0"
    if whole == "" or whole[0] == "0" and len(whole) > 1:
        raise Refused("number", "malformed")
    if written[end:end + 1] == ".":
        stop = digits_at(written, end + 1)
        fraction, end = written[end + 1:stop], stop
        if not fraction:
            raise Refused("number", "no digit after the point")
    if written[end:end + 1] in ("e", "E"):
        sign = end + 2 if written[end + 1:end + 2] in ("+", "-") else end + 1
        stop = digits_at(written, sign)
        exponent, end = written[end + 1:stop], stop
        if stop == sign:
            raise Refused("number", "no exponent")
    if end != len(written):
        raise Refused("number", "more after the number")
    if (whole + fraction).strip("0") == "":
        return "0"
    if len(exponent.lstrip("+-0")) > 4:
        raise Refused("number", "too large or too small")
    return ("-" if start else "") + shifted(whole, fraction, int(exponent))


def shifted(whole, fraction, by):
    if by > 0:
        return shifted(whole + (fraction[:1] or "0"), fraction[1:], by - 1)
    if by < 0:
        return shifted(whole[:-1], (whole[-1:] or "0") + fraction, by + 1)
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    if len(whole) + len(fraction) > 8000:
        raise Refused("number", "more than 8000 digits")
    return whole + "." + fraction if fraction else whole


# ---------------------------------------------------------------- parameters

def flat(name, value):
    if value is None:
        return []
    if isinstance(value, bool):
        return [(name, "true" if value else "false", False)]
    if isinstance(value, str):
        return [(name, value, True)]
    if "number" in value:
        return [(name, number(value["number"]), False)]
    pairs = list(zip(map(str, range(len(value["list"]))), value["list"])) if "list" in value else value["object"]
    return halve(pairs, lambda pair: flat(name + "." + pair[0], pair[1]), [])


def rows_of(parameters):
    return merge_sort(halve(parameters, lambda pair: [row for row in flat(*pair) if row[0] != "Signature"], []))


def sign(rows, pri):
    return hashlib.sha1(utf8(halve(rows, lambda row: row[0] + row[1], "") + pri)).hexdigest()


def has(rows, name):
    return not every(rows, lambda row: row[0] != name)


def complete(given, names=("Action", "PublicKey")):
    rows = rows_of(given["parameters"])
    if not every(names, lambda name: has(rows, name)):
        raise Refused("parameter-missing", "one of " + " and ".join(names))
    return rows


def quote(text):
    """JSON with every character outside letters and digits escaped."""
    return '"' + halve(text, lambda c: c if c.isalnum() and c < "\x7f" else json.dumps(c)[1:-1] if ord(c) > 0xFFFF else "\\u%04x" % ord(c), "") + '"'


def query(rows, pri):
    return halve(rows, lambda row: escape(row[0]) + "=" + escape(row[1]) + "&", "") + "Signature=" + sign(rows, pri)


def action_json(given, pub, pri):
    rows = complete(given)
    utf8(halve(rows, lambda row: row[0] + row[1], ""))
    inner = halve(rows, lambda row: quote(row[0]) + " :\t" + (quote(row[1]) if row[2] else row[1]) + ",\r\n", "")
    return {"body": " {" + inner + quote("Signature") + ":" + quote(sign(rows, pri)) + "} "}


def bucket_request(given, pub, pri):
    rows = complete(given)
    if has([row for row in rows if row[1] == "CreateBucket"], "Action"):
        complete(given, ("Type", "BucketName"))
    return {"target": "/?" + query(rows, pri)}


# ---------------------------------------------------------------- headers

def unfold(value):
    """The value without outer blanks; each fold is a blank."""
    line, feed, rest = value.partition("\n")
    if not feed:
        return line.strip(" \t")
    if rest[:1] not in (" ", "\t"):
        raise Refused("header-value", "a line that does not begin with a blank")
    head, tail = (line[:-1] if line.endswith("\r") else line).strip(" \t"), unfold(rest)
    return head + " " + tail if head and tail else head + tail


def header(pair):
    name, value = pair[0].strip(" \t").lower(), unfold(pair[1])
    if not name or not every(pair[0].strip(" \t"), lambda c: c in TCHAR):
        raise Refused("header-name", "that is no name")
    utf8(value)
    if "\r" in value or "\0" in value:
        raise Refused("header-value", "CR or NUL")
    return [(name, value)]


def last(pairs, name):
    return "" if not pairs else pairs[-1][1] if pairs[-1][0] == name else last(pairs[:-1], name)


def extra(headers):
    """The first name's entry, then the others'."""
    if not headers:
        return ""
    name = min(headers)[0] if len(headers) < 2 else min(headers, key=lambda pair: pair[0])[0]
    mine, others = [v for n, v in headers if n == name], [pair for pair in headers if pair[0] != name]
    return name + ":" + ",".join(mine) + "\n" + extra(others)


def header_text(given, headers):
    method, bucket = given["method"], given["bucket"]
    if not method or not every(method, lambda c: c in TCHAR):
        raise Refused("method", "that is no method")
    if not bucket or not every(bucket, lambda c: c != "/"):
        raise Refused("bucket", "that is no bucket")
    own = [pair for pair in headers if pair[0].startswith(WORDS["headerPrefix"].lower())]
    return (method.upper() + "\n" + halve(("content-md5", "content-type", "date"), lambda name: last(headers, name) + "\n", "")
            + extra(own) + "/" + bucket + "/" + given["key"])


def mac(text, pri):
    return base64.b64encode(hmac.new(utf8(pri), utf8(text), hashlib.sha1).digest()).decode("ascii")


def authorization(given, pub, pri):
    utf8(pub)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + mac(header_text(given, halve(given["headers"], header, [])), pri)}


def policy_authorization(given, pub, pri):
    utf8(pub)
    signature = mac(header_text(given, halve(given["headers"], header, [])) + given["policy"], pri)
    return {"authorization": WORDS["scheme"] + " " + pub + ":" + signature + (":" + given["policy"] if given["policy"] else "")}


def policy(given, pub, pri):
    halve(given["members"], lambda pair: utf8(pair[0] + pair[1]), b"")
    inner = halve(given["members"], lambda pair: "," + json.dumps(pair[0]) + ":" + json.dumps(pair[1]), "")       # \uXXXX outside ASCII
    return {"policy": base64.urlsafe_b64encode(utf8("{" + inner[1:] + "}")).decode("ascii")}


def is_policy(text):
    bare = text[:-1] if text.endswith("=") else text
    bare = bare[:-1] if bare.endswith("=") else bare
    plain, safe = "+" in bare or "/" in bare, "-" in bare or "_" in bare
    try:
        raw = base64.b64decode(bare.replace("-", "+").replace("_", "/") + "=" * (-len(bare) % 4), validate=True)
        return not (plain and safe) and "=" not in bare and isinstance(json.loads(raw.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def compare(pub, got_pub, expected, got):
    if pub != got_pub:
        raise Refused("public-key-unknown", "somebody else")
    if not hmac.compare_digest(utf8(expected), utf8(got)):
        raise Refused("signature-mismatch", "the signature is of something else")
    return {"publicKey": pub}


def verify_authorization(given, pub, pri):
    headers = halve(given["headers"], header, [])
    text = header_text(given, headers)
    found = [v for n, v in headers if n == "authorization"]
    if not found:
        raise Refused("authorization-missing", "there is none")
    if len(found) > 1:
        raise Refused("authorization-malformed", "there are some")
    start, rest = found[0][:len(WORDS["scheme"]) + 1], found[0][len(WORDS["scheme"]) + 1:]
    parts = rest.split(":")
    if start != WORDS["scheme"] + " " or len(parts) not in (2, 3) or not every(parts, len) or " " in rest or "\t" in rest:
        raise Refused("authorization-malformed", "it reads otherwise")
    if len(parts) == 3 and not (given["method"].upper() in ("PUT", "POST") and is_policy(parts[2])):
        raise Refused("authorization-malformed", "the third part is no policy of an upload")
    return compare(pub, parts[0], mac(text + "".join(parts[2:]), pri), parts[1])


# ---------------------------------------------------------------- JSON by descent: each function returns a value and what is left of the text

def bad(why):
    raise Refused("body-malformed", why)


def blanks(text, at):
    return blanks(text, at + 1) if text[at:at + 1] in (" ", "\t", "\r", "\n") else at


def read_value(text, at):
    at = blanks(text, at)
    c = text[at:at + 1]
    if c == "{":
        end = blanks(text, at + 1)
        pairs, end = ([], end + 1) if text[end:end + 1] == "}" else read_members(text, end, [])
        if len({name for name, _ in pairs}) < len(pairs):
            raise Refused("parameter-repeated", "two with one name")
        return {"object": pairs}, end
    if c == "[":
        end = blanks(text, at + 1)
        items, end = ([], end + 1) if text[end:end + 1] == "]" else read_items(text, end, [])
        return {"list": items}, end
    if c == '"':
        pieces, end = read_string(text, at + 1, [])
        return "".join(pieces), end
    if text.startswith("true", at):
        return True, at + 4
    if text.startswith("false", at):
        return False, at + 5
    if text.startswith("null", at):
        return None, at + 4
    end = number_end(text, at)
    if end == at:
        bad("no value")
    return {"number": text[at:end]}, end


def number_end(text, at):
    return number_end(text, at + 1) if text[at:at + 1] and text[at] in "+-.0123456789eE" else at


def read_members(text, at, pairs):
    at = blanks(text, at)
    if text[at:at + 1] != '"':
        bad("no name")
    name, at = read_value(text, at)
    at = blanks(text, at)
    if text[at:at + 1] != ":":
        bad("no colon")
    value, at = read_value(text, at + 1)
    at = blanks(text, at)
    pairs.append([name, value])
    if text[at:at + 1] == ",":
        return read_members(text, at + 1, pairs)
    return (pairs, at + 1) if text[at:at + 1] == "}" else bad("no end of an object")


def read_items(text, at, items):
    value, at = read_value(text, at)
    at = blanks(text, at)
    items.append(value)
    if text[at:at + 1] == ",":
        return read_items(text, at + 1, items)
    return (items, at + 1) if text[at:at + 1] == "]" else bad("no end of a list")


def read_string(text, at, pieces):
    quote_at, slash_at = text.find('"', at), text.find("\\", at)
    if quote_at < 0:
        bad("no end of a string")
    end = slash_at if 0 <= slash_at < quote_at else quote_at
    if not every(text[at:end], lambda c: c >= " "):
        bad("a control character")
    pieces.append(text[at:end])
    if end == quote_at:
        return pieces, end + 1
    c = text[end + 1:end + 2]
    if c == "u":
        code, end = code_unit(text, end + 2), end + 6
        if 0xD800 <= code < 0xDC00 and text[end:end + 2] == "\\u":
            low = code_unit(text, end + 2)
            if 0xDC00 <= low < 0xE000:
                code, end = 0x10000 + ((code & 1023) << 10 | low & 1023), end + 6
        pieces.append(chr(code))
        return read_string(text, end, pieces)
    if not c or c not in '"\\/bfnrt':
        bad("an escape that JSON has not")
    pieces.append({"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(c, c))
    return read_string(text, end + 2, pieces)


def code_unit(text, at):
    four = text[at:at + 4]
    if len(four) < 4 or not every(four, lambda c: c in "0123456789abcdefABCDEF"):
        bad("four digits expected")
    return int(four, 16)


def verify_json(given, pub, pri):
    value, end = read_value(given["body"], 0)
    if not isinstance(value, dict) or "object" not in value or blanks(given["body"], end) != len(given["body"]):
        bad("not one object")
    try:
        rows = rows_of(value["object"])
    except Refused as no:
        raise Refused("body-malformed" if no.args[0] == "number" else no.args[0], *no.args[1:])
    signature = [v for n, v in value["object"] if n == "Signature"]
    if not signature or not isinstance(signature[0], str) or not signature[0]:
        raise Refused("signature-missing", "there is none")
    if not has(rows, "Action") or not has(rows, "PublicKey"):
        raise Refused("parameter-missing", "Action or PublicKey")
    return compare(pub, [t for n, t, _ in rows if n == "PublicKey"][0], sign(rows, pri), signature[0])


# ---------------------------------------------------------------- ETags

def block_hashes(data):
    """A list of the blocks' hashes."""
    if len(data) <= FOUR_MEBIBYTES:
        return [hashlib.sha1(data).digest()] if len(data) else []
    half = (len(data) // FOUR_MEBIBYTES + 1) // 2 * FOUR_MEBIBYTES
    return block_hashes(data[:half]) + block_hashes(data[half:])


def etag(given, pub, pri):
    hashes = block_hashes(memoryview(content(given["content"])))
    digest = hashes[0] if len(hashes) == 1 else hashlib.sha1(b"".join(hashes)).digest()
    return {"etag": base64.urlsafe_b64encode(little_endian(len(hashes), 4) + digest).decode("ascii")}


def little_endian(value, size):
    return b"" if size == 0 else bytes([value % 256]) + little_endian(value // 256, size - 1)


if __name__ == "__main__":
    serve("recursive", {
        "url-encode": lambda given, pub, pri: {"encoded": escape(given["text"])},
        "password": lambda given, pub, pri: {"value": base64.b64encode(utf8(given["text"])).decode("ascii")},
        "action-signature": lambda given, pub, pri: {"signature": sign(rows_of(given["parameters"]), pri)},
        "action-json": action_json, "action-query": lambda given, pub, pri: {"query": query(complete(given), pri)}, "bucket-request": bucket_request,
        "authorization": authorization, "policy": policy, "policy-authorization": policy_authorization, "etag": etag,
        "part-etag": lambda given, pub, pri: {"etag": base64.urlsafe_b64encode(hashlib.sha1(content(given["content"])).digest()).decode("ascii")},
        "verify-authorization": verify_authorization, "verify-json": verify_json})
