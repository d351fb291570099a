"""Thirty implementations with one mistake each, as patches of base.py."""
import base
from operations import (ACTION, ESCAPES, FILE, HEADER, POSITIONAL, QUERY, SIGNED, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON, V_PARAM, V_QUERY, V_URL)  # noqa: F401
from recording import wrong

right = {name: value for name, value in vars(base).items() if callable(value)}


# ------------------------------------------------------------------ account API

def by_name_and_value(all_leaves):
    return sorted(all_leaves, key=lambda leaf: base.utf8(leaf.name + leaf.text))


wrong("ah01", "JavaScript: maps each parameter to the text name+value and sorts these texts, so the value takes part in the order "
      "where one name is the beginning of another (Name=zeta against NameServer=a).", ACTION, order=by_name_and_value)


def top_level_order(parameters):
    tops = sorted(parameters, key=lambda pair: base.utf8(pair[0]))
    kept = base.without_signature(base.flatten(tops))
    base.check_repeated([leaf.name for leaf in kept])
    return kept


wrong("ah02", "Java: sorts the parameters as the caller gave them and flattens lists and objects afterwards, so items stay in the order "
      "of their index (Backends.2 before Backends.10) and members in the order given; signed and sent so.", TYPED,
      prepare=top_level_order)


def bridged_bool(written):
    text = right["number_text"](written)
    return {"0": "false", "1": "true"}.get(text, text)


wrong("ah03", "Swift: tests `value as? Bool` before the number types, which an NSNumber of 0 or 1 also satisfies: the numbers 0 and 1 are "
      "signed and sent as false and true.", TYPED, number_text=bridged_bool)


def signed_char_hex(digest):
    return "".join("%02x" % b if b < 128 else "ff" for b in digest)


wrong("ah04", "C++: snprintf(out, 3, \"%02x\", c) with a signed char: a byte from 0x80 on is ffffff.. cut to two characters, so it is "
      "rendered as ff in the hexadecimal signature.", ACTION, action_hex=signed_char_hex)


def mojibake_leaf(leaf):
    return base.json.dumps(base.utf8(leaf.text).decode("latin-1")) if leaf.quoted else leaf.text


wrong("ah05", "Perl: the values are UTF-8 byte strings (signed rightly), and the JSON encoder takes them for characters: each text value of "
      "the body is UTF-8 encoded twice, so that é arrives as Ã©.", "action-json", json_leaf=mojibake_leaf)


def bare_single(name, items):
    return base.leaves(name, items[0]) if len(items) == 1 else right["list_leaves"](name, items)


wrong("ah06", "Kotlin: a list of exactly one item is flattened as if it were the item itself, with no .0 in its name; signed and sent so.",
      TYPED, list_leaves=bare_single)


def lua_number(written):
    return "%.14g" % float(right["number_text"](written))


wrong("ah07", "LuaJIT: every number is a double that tostring writes with %.14g: more than 14 significant digits are rounded, and 1e14 and "
      "above, or below 0.0001, have an exponent; signed and sent so.", TYPED, number_text=lua_number)


def no_blank_pairs(ordered, signature):
    return right["query_text"]([leaf for leaf in ordered if leaf.text != ""], signature)


wrong("ah08", "C#: the query string leaves out parameters whose value is the empty text (string.IsNullOrEmpty), although their names are "
      "in the signed string.", QUERY, query_text=no_blank_pairs)


# ------------------------------------------------------------------ files

FIRST_KEY = []


def static_mac(private_key):
    if not FIRST_KEY:
        FIRST_KEY.append(right["file_key"](private_key))
    return FIRST_KEY[0]


wrong("ah09", "Java: the Mac is a static that is initialized once: the private key of the first file request of the process signs and "
      "checks all later ones, whatever their keys.", FILE, file_key=static_mac)


def fields_as_headers(given, headers, dialect):
    more = [(name, value) for name, value in given["fields"] if base.is_extra(name, dialect)]
    return right["form_text"](given, headers + more, dialect)


wrong("ah10", "PHP port of an S3 form: form fields named X-Svc-* are signed as extra headers, after the values of headers of the same name.",
      "form-authorization", form_text=fields_as_headers)


def media_type(text):
    return base.re.sub(r"[ \t]*;[ \t]*", ";", text)


wrong("ah11", "Spring: Content-Type, header or form field, is parsed to a MimeType and printed again for signing, without the whitespace "
      "around semicolons (text/plain;charset=utf-8).", POSITIONAL,
      content_type=lambda headers, method: media_type(right["content_type"](headers, method)),
      form_type=lambda headers, fields: media_type(right["form_type"](headers, fields)))


wrong("ah12", "Ruby: sorts the finished lines name:value of the extra headers instead of the names, so x-svc-meta-a:1 comes before "
      "x-svc-meta:1, since the hyphen is below the colon.", FILE,
      entries=lambda groups: "".join(sorted(base.entry(name, values) for name, values in groups)))


wrong("ah13", "Elixir: collects the values of a repeated extra header by putting each in front of a list, so they are joined in reverse "
      "order (the last value first).", FILE, join_values=lambda values: ",".join(reversed(values)))


def policy_decoded(text, policy):
    try:
        plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
        return text + base.base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")
    except ValueError:
        return text + policy


wrong("ah14", "Go: appends the decoded JSON of the callback policy to StringToSign instead of its Base64 text as sent (a policy that does "
      "not decode to UTF-8 is appended as it is).", "policy-authorization, verify-authorization", policy_text=policy_decoded)


def joined_path(bucket, key):
    import posixpath
    return posixpath.normpath("/" + bucket + "/" + key)


wrong("ah15", "Go: builds CanonicalizedResource with path.Join, which drops a slash at the end of the key (folder/, and the empty key), "
      "merges double slashes and resolves . and .. in the signed text.", FILE, resource=joined_path)


def respaced(value):
    return ",".join(part.strip(" \t") for part in right["extra_value"](value).split(","))


wrong("ah16", "Guava: each value of an extra header is split at its commas, trimmed and joined again, so the blanks next to commas inside "
      "a single value are lost (\"a, b\" is signed as \"a,b\").", FILE, extra_value=respaced)


# ------------------------------------------------------------------ ETags

def split_until_eof(data):
    blocks = right["split"](data)
    if len(data) > base.block_size() and len(data) % base.block_size() == 0:
        blocks.append(memoryview(b""))
    return blocks


wrong("ah17", "C++: reads blocks with while (!file.eof()), which is only set by the read after the last byte: a file of 8, 12, ... MiB "
      "exactly gets one more, empty block, counted and hashed.", "etag", split=split_until_eof)


def stale_buffer(blocks):
    last = bytes(blocks[-1])
    return right["hash_hashes"](blocks[:-1] + [last + bytes(blocks[-2])[len(last):]])


wrong("ah18", "Java: for files above 4 MiB hashes the whole 4 MiB buffer after each read, so a short last block is followed by the end of the "
      "block before it, left over in the buffer.", "etag", hash_hashes=stale_buffer)


wrong("ah19", "Node: puts the bytes in a binary (Latin-1) string and makes a Buffer of it with the default encoding UTF-8 before Base64: "
      "each byte from 0x80 on becomes two bytes in the ETag of files and parts.", "etag, part-etag",
      etag_base64=lambda raw: right["etag_base64"](raw.decode("latin-1").encode("utf-8")))


wrong("ah20", "Ruby on Windows: reads the file in text mode, so CR LF in the content becomes LF before anything is split, counted or hashed.",
      "etag, part-etag", content_bytes=lambda content: right["content_bytes"](content).replace(b"\r\n", b"\n"))


# ------------------------------------------------------------------ servers

wrong("ah21", "Rust: the constant-time comparison folds over expected.zip(got) and never compares the lengths: a signature cut short, down "
      "to one right character, or with something appended is accepted.", V_ALL,
      equal=lambda expected, got: all(a == b for a, b in zip(expected, got)))


wrong("ah22", "Java server: accepts a file signature in the URL-safe alphabet too (- for +, _ for /), in Authorization and in pre-signed URLs.",
      V_FILE, check_signature=lambda expected, got: right["check_signature"](expected, got.replace("-", "+").replace("_", "/")))


def textual_expiry(now, expires):
    base.expires_seconds(expires)
    if now > expires:
        raise base.No("expired", "too late")


wrong("ah23", "Ruby server: compares Expires and the time as texts, so 999999999 is later than 1700000000, and 10000000000 earlier.",
      V_URL, check_expiry=textual_expiry)


def head_is_get(method):
    return "GET" if method.upper() == "HEAD" else method


wrong("ah24", "Rack server: the middleware has turned HEAD into GET before the check, so a HEAD signed as HEAD is refused and a HEAD with a "
      "signature for GET is accepted.", V_FILE,
      verify_method=lambda method: right["verify_method"](head_is_get(method)),
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](
          dict(given, method=head_is_get(given["method"])), headers, dialect))


def cgi_names(headers):
    return [(name.replace("_", "-"), value) for name, value in headers]


wrong("ah25", "PHP server: gets the header names back from $_SERVER, where hyphen and underscore are the same: an underscore in a header's name "
      "is a hyphen in the text it signs (x-svc-meta-my_id becomes x-svc-meta-my-id).", V_FILE,
      verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, cgi_names(headers), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](cgi_names(headers), dialect))


def node_headers(headers, dialect):
    groups, others = {}, []
    for name, value in headers:
        if base.is_extra(name, dialect):
            groups.setdefault(name.lower(), []).append(base.header_value(value))
        else:
            others.append((name, value))
    return others + [(name, ", ".join(values)) for name, values in groups.items()]


wrong("ah26", "Node server: takes extra headers from req.headers, which has joined the values of a repeated header with a comma and a blank.",
      V_FILE, verify_header_text=lambda given, headers, dialect: right["verify_header_text"](given, node_headers(headers, dialect), dialect),
      verify_url_headers=lambda headers, dialect: right["verify_url_headers"](node_headers(headers, dialect), dialect))


def double_number(written):
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise ValueError("infinite")
    return {"number": format(base.Decimal(repr(value)), "f")}


wrong("ah27", "Express server: the numbers of a JSON body are parsed to doubles before the check, so an integer above 2^53 or a number of more "
      "than 17 digits is rounded in the signed string (and one above 1.8e308 makes the body malformed).", V_JSON, json_number=double_number)


def parse_qsl(given, keys, dialect):
    pairs = [pair for pair in base.read_query(given["query"]) if pair[1] != ""]
    base.check_query_repeated([name for name, _ in pairs])
    return base.verify_parameters([list(pair) for pair in pairs], base.signature_of(pairs), keys)


wrong("ah28", "Python server: parses the query with parse_qsl, which drops parameters with an empty value: their names are not in the string "
      "that the server signs, so such a request is refused, and one with an empty parameter added is accepted.", V_QUERY,
      verify_query=parse_qsl)


def first_value(body):
    decoder = base.json.JSONDecoder(object_pairs_hook=lambda pairs: base.json_pairs(pairs), parse_int=base.json_number,
                                    parse_float=base.json_number, parse_constant=base.json_constant)
    try:
        value = decoder.raw_decode(body.lstrip(" \t\r\n"))[0]
    except (ValueError, RecursionError):
        raise base.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise base.No("body-malformed", "not an object")
    return value["object"]


wrong("ah29", "Go server: json.NewDecoder(body).Decode reads the first JSON value only; whatever follows the object in the body is ignored "
      "and the request accepted.", V_JSON, read_json=first_value)


def collated_account(public_key, keys):
    return right["check_account"](public_key.lower(), {"publicKey": keys["publicKey"].lower()})


wrong("ah30", "MySQL behind the server: the account is looked up with a collation that ignores case, so PublicKey in other letters (PUB for "
      "pub) is accepted, and reported as sent, if the signature is right for the request as sent.", V_ALL, check_account=collated_account)
