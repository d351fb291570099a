"""150 single mistakes: id, group, truth, patch. `b` is the module base (patched), `o` holds the original functions."""
import base64
import hashlib
import hmac
import html
import json
import re
import time
import types
import unicodedata
from decimal import Decimal

import base as b
from recording import wrong

o = types.SimpleNamespace(**vars(b))


def mistake(id, truth, subtle=False, **patch):
    wrong(id, truth, None, **patch)


def checked(write):
    """A number text function that refuses the same malformed numbers as the base."""
    return lambda w: (o.number_text(w), write(w))[1]


# ============================================================ signers: parameters (5.1)

# --- sorting
mistake("p01", "Parameters are sorted by name without regard to case, so ChargeType comes before CPU.",
        order=lambda ls: sorted(ls, key=lambda x: x.name.lower()))
mistake("p02", "Parameters are not sorted at all: they are signed in the order given.",
        order=lambda ls: list(ls))
mistake("p03", "Sorts the strings name+value instead of the names (a name that is a prefix of another may land behind it).",
        subtle=True, order=lambda ls: sorted(ls, key=lambda x: b.utf8(x.name + x.text)))
mistake("p05", "Sorts names by UTF-16 code units (JavaScript, Java, C# ordinal) instead of UTF-8 bytes.",
        subtle=True, order=lambda ls: sorted(ls, key=lambda x: x.name.encode("utf-16-be", "surrogatepass")))
mistake("p06", "Natural sort: numbers inside names are compared as numbers, so Backends.2 comes before Backends.10.",
        subtle=True,
        order=lambda ls: sorted(ls, key=lambda x: [(0, int(p), "") if p.isdecimal() and p.isascii() else (1, 0, p)
                                                   for p in re.split(r"([0-9]+)", x.name) if p]))


def locale_key(name):
    return ([c for c in name.lower() if c.isalnum()], [c.isupper() for c in name], name)


mistake("p07", "Sorts with localeCompare (or a collator): case and punctuation only break ties.",
        order=lambda ls: sorted(ls, key=lambda x: locale_key(x.name)))
mistake("p09", "Sorts the percent-encoded names, so a name with a blank or non-ASCII letter lands before the letters.",
        subtle=True, order=lambda ls: sorted(ls, key=lambda x: o.percent(x.name)))
mistake("p10", "PublicKey is added after sorting, so it always is last instead of in its place.",
        order=lambda ls: sorted(ls, key=lambda x: (x.name == "PublicKey", b.utf8(x.name))))
mistake("p11", "Sorts by the part of a name before its first dot only, as if before flattening: items of a list keep their order (Names.2 before Names.10), also when the names were given flat.",
        subtle=True, order=lambda ls: sorted(ls, key=lambda x: b.utf8(x.name.split(".")[0])))

# --- joining
mistake("p13", "Pairs are joined as name=value&name=value in the signed text (Aliyun, COS style).",
        signed_pair=lambda x: x.name + "=" + x.text, join_pairs="&".join)
mistake("p15", "Values are percent-encoded before signing.",
        signed_value=lambda x: o.percent(x.text))
mistake("p17", "Names (not values) are percent-encoded before signing.",
        subtle=True, signed_pair=lambda x: o.percent(x.name) + x.text)

# --- private key
mistake("p20", "The private key is put before the parameters instead of after them.",
        with_key=lambda text, key: key + text)
mistake("p24", "The private key carries the trailing line feed of the file it was read from (action signatures only).",
        action_key=lambda key: key + "\n")
mistake("p25", "The private key is stripped of white space at both ends before it is appended.",
        subtle=True, action_key=lambda key: key.strip())

# --- digest
mistake("p26", "HMAC-SHA1 keyed by the private key over the parameters, instead of SHA-1 of parameters and key.",
        action_digest=lambda text, key: hmac.new(b.utf8(key), b.utf8(text), "sha1").digest())
mistake("p29", "The hexadecimal signature is upper-case.",
        action_hex=lambda d: d.hex().upper())
mistake("p31", "Leading zeros of the hexadecimal signature are lost (Java: new BigInteger(1, digest).toString(16)).",
        subtle=True, action_hex=lambda d: "%x" % int.from_bytes(d, "big"))
mistake("p32", "Each byte below 16 is written with one digit (Java: Integer.toHexString without padding).",
        subtle=True, action_hex=lambda d: "".join("%x" % x for x in d))

# --- which parameters
mistake("p34", "A Signature among the parameters is signed with the others.",
        subtle=True, sign_leaves=lambda ls, keys: o.sign_leaves(ls, keys), unsigned_name=lambda name: False)
mistake("p35", "Any parameter whose name is 'signature' in any case is left out of the signed text.",
        subtle=True, unsigned_name=lambda name: name.lower() == "signature")
mistake("p36", "Parameters with an empty value are left out of the signed text (WeChat, Alipay style).",
        subtle=True, join_pairs=lambda pairs: "".join(p for p in pairs if p),
        signed_pair=lambda x: x.name + x.text if x.text != "" else "")
mistake("p37", "Falsy values (0, false, empty text) are left out of the signed text.",
        subtle=True, signed_pair=lambda x: x.name + x.text if x.text not in ("",) and not (not x.quoted and x.text in ("0", "false")) else "")
mistake("p38", "PublicKey is not part of the signed text.",
        signed_pair=lambda x: "" if x.name == "PublicKey" else x.name + x.text)

# --- values
mistake("p40", "Values are stripped of white space at both ends in the signed text.",
        subtle=True, signed_value=lambda x: x.text.strip())
mistake("p41", "Booleans are signed as Python writes them: True and False.",
        boolean_text=lambda v: str(v))
mistake("p43", "Booleans are signed as PHP writes them: true is '1' and false is the empty text.",
        boolean_text=lambda v: "1" if v else "")


def python_float(w):
    return str(int(w)) if re.fullmatch("-?[0-9]+", w) else repr(float(w))


mistake("p44", "Numbers with a fraction or exponent are written as a Python float: 42.0 stays 42.0, 1e20 becomes 1e+20.",
        number_text=checked(python_float))


def js_number(w):
    f = float(w)
    if f in (float("inf"), float("-inf")):
        return "Infinity" if f > 0 else "-Infinity"
    if f == int(f) and abs(f) < 1e21:
        return format(Decimal(repr(f)).quantize(Decimal(1)), "f") if f else "0"
    if 1e-6 <= abs(f) < 1e21:
        return format(Decimal(repr(f)), "f")
    mantissa, exponent = ("%r" % f if "e" in repr(f) else "%.16e" % f).split("e")
    return mantissa + "e" + ("+" if int(exponent) > 0 else "") + str(int(exponent))


mistake("p45", "All numbers pass through a JavaScript Number: digits beyond 2^53 are lost, 1e21 and more are written with an exponent.",
        subtle=True, number_text=checked(js_number))


def go_float(w):
    f = float(w)
    d = Decimal(repr(f))
    if f == 0:
        return "0"
    exponent = d.adjusted()
    if -4 <= exponent < 21 and not (exponent >= 6 and True):
        t = format(d, "f")
        return t.rstrip("0").rstrip(".") if "." in t else t
    digits = "".join(map(str, d.as_tuple().digits)).rstrip("0") or "0"
    return ("-" if f < 0 else "") + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%+03d" % exponent


mistake("p46", "Numbers are printed with Go's %v of a float64: 1000000 becomes 1e+06.",
        number_text=checked(go_float))
mistake("p47", "Numbers are cast to an integer: the fraction is lost.",
        number_text=lambda w: str(int(Decimal(o.number_text(w)))))
mistake("p49", "Numbers are signed as they were written: 1e3 and 42.0 stay as they are.",
        number_text=checked(lambda w: w))
mistake("p50", "Integers wrap around at 32 bits (C, C# int).",
        subtle=True,
        number_text=lambda w: str((int(w) + 2**31) % 2**32 - 2**31) if re.fullmatch("-?[0-9]+", w) else o.number_text(w))

# --- lists and objects
mistake("p51", "List items are numbered from 1: Name.1, Name.2.",
        item_name=lambda name, i: name + "." + str(i + 1))
mistake("p52", "List items are named in PHP style: Name[0], Name[1].",
        item_name=lambda name, i: "%s[%d]" % (name, i))
mistake("p53", "A list is signed as one parameter, its items joined with commas.",
        list_leaves=lambda name, items: [b.Leaf(name, ",".join(x.text for x in o.list_leaves(name, items)), True)])
def json_of(v):
    if isinstance(v, dict):
        if "number" in v:
            return o.number_text(v["number"])
        if "list" in v:
            return "[" + ",".join(map(json_of, v["list"])) + "]"
        return "{" + ",".join(json.dumps(m) + ":" + json_of(x) for m, x in v["object"]) + "}"
    return json.dumps(v, ensure_ascii=False)


mistake("p54", "An object is signed as one parameter, its JSON text, instead of Name.Key.",
        object_leaves=lambda name, ms: [b.Leaf(name, json_of({"object": ms}), True)])

# --- character sets
mistake("p58", "Texts are NFC-normalized before signing.",
        subtle=True, signed_value=lambda x: unicodedata.normalize("NFC", x.text))

# --- query, JSON, password
mistake("p59", "A blank in a query value is encoded as plus instead of %20.",
        query_value=lambda x: o.percent(x.text).replace("%20", "+"))
mistake("p60", "Percent escapes are lower-case hexadecimal (%e4 instead of %E4).",
        escape_byte=lambda x: "%%%02x" % x)
mistake("p61", "The tilde is encoded as %7E (Java URLEncoder, old PHP urlencode).",
        subtle=True, safe_byte=lambda x: o.safe_byte(x) and x != 126)
mistake("p62", "encodeURIComponent is used: ! ' ( ) * stay unencoded.",
        subtle=True, safe_byte=lambda x: o.safe_byte(x) or x in b"!'()*")
mistake("p63", "The slash stays unencoded (Python's quote with its default safe).",
        safe_byte=lambda x: o.safe_byte(x) or x == 47)
mistake("p64", "Names in the query string are not encoded, only values.",
        subtle=True, query_name=lambda name: name)
mistake("p65", "Characters are encoded by their UTF-16 code unit, not by UTF-8 bytes (escape(): %u4E2D, %E9).",
        subtle=True,
        percent=lambda t: "".join(chr(u) if u < 128 and o.safe_byte(u) else "%%%02X" % u if u < 256 else "%%u%04X" % u
                                  for u in [int.from_bytes(t.encode("utf-16-be", "surrogatepass")[i:i + 2], "big") for i in range(0, 2 * len(t.encode("utf-16-be", "surrogatepass")) // 2, 2)]))
mistake("p66", "Password is Base64-encoded with the URL-safe alphabet.",
        subtle=True, password_text=lambda t: base64.urlsafe_b64encode(b.utf8(t)).decode())
mistake("p67", "Password is encoded with a MIME encoder: a line feed after 76 characters and at the end (Ruby Base64.encode64).",
        password_text=lambda t: base64.encodebytes(b.utf8(t)).decode())
mistake("p68", "The parameter Password, already Base64, is encoded once more before signing and sending.",
        flatten=lambda ps: [b.Leaf(x.name, o.password_text(x.text), True) if x.name == "Password" else x for x in o.flatten(ps)])

# ============================================================ signers: files (5.2)

# --- string to sign
mistake("f01", "The method is signed as given, not in upper case.",
        verb=lambda m: (o.verb(m), m)[1])
mistake("f04", "An absent (or empty) positional header loses its line break too.",
        lines=lambda m, md5, mime, when, extra, res: m + "\n" + "".join(x + "\n" for x in (md5, mime, when) if x) + extra + res)
mistake("f05", "Without a Content-Type, application/octet-stream is signed.",
        content_type=lambda h, m: o.content_type(h, m) or "application/octet-stream")
mistake("f06", "Content-Type loses its parameters: only what stands before the semicolon is signed.",
        subtle=True, content_type=lambda h, m: o.content_type(h, m).split(";")[0].strip())
mistake("f07", "Content-Type is lower-cased.",
        subtle=True, content_type=lambda h, m: o.content_type(h, m).lower())
mistake("f08", "Content-Type is signed only with PUT and POST; with other methods its line is empty.",
        subtle=True, content_type=lambda h, m: o.content_type(h, m) if m in ("PUT", "POST") else "")
mistake("f09", "Content-MD5 given as hexadecimal is converted to Base64 before signing.",
        subtle=True,
        content_md5=lambda h, m: (lambda v: base64.b64encode(bytes.fromhex(v)).decode() if re.fullmatch("[0-9a-fA-F]{32}", v) else v)(o.content_md5(h, m)))
mistake("f10", "When an extra header named x-svc-date is sent, the Date line is empty (as with x-amz-date).",
        subtle=True,
        date=lambda h, m: "" if any(n.lower().endswith("svc-date") for n, _ in h) else o.date(h, m))
mistake("f12", "Positional headers are looked up by their exact spelling (Content-Type), so content-type is not seen.",
        subtle=True,
        positional=lambda h, w: o.positional([(n, v) for n, v in h if n == "-".join(p.capitalize() if p != "md5" else "MD5" for p in w.split("-"))], w))
mistake("f13", "White space around the values of Content-MD5, Content-Type and Date is not trimmed.",
        subtle=True, positional_value=lambda v: (o.header_value(v), o.unfold(v))[1])
mistake("f16", "The extra headers follow the resource instead of preceding it.",
        lines=lambda m, md5, mime, when, extra, res: m + "\n" + md5 + "\n" + mime + "\n" + when + "\n" + res + ("\n" + extra.rstrip("\n") if extra else ""))

# --- extra headers
mistake("f18", "Names of extra headers keep their case.",
        extra_name=lambda n: n)
mistake("f19", "Extra headers are not sorted.",
        sort_groups=lambda g: g)
mistake("f20", "The finished lines name:value are sorted instead of the names, so x-svc-a-b precedes x-svc-a.",
        subtle=True, sort_groups=lambda g: sorted(g, key=lambda x: x[0] + ":" + ",".join(x[1])))
mistake("f21", "Of an extra header that is repeated only the last value is signed.",
        join_values=lambda vs: vs[-1])
mistake("f23", "A repeated extra header gets a line for each value.",
        entry=lambda n, vs: "".join(n + ":" + v + "\n" for v in vs))
mistake("f24", "Values of a repeated extra header are joined with comma and blank.",
        join_values=", ".join)


def merge_adjacent(pairs):
    out = []
    for n, v in pairs:
        if out and out[-1][0] == n:
            out[-1][1].append(v)
        else:
            out.append((n, [v]))
    return out


mistake("f26", "Only adjacent repetitions of an extra header are merged; with another extra header between them they stay two lines.",
        subtle=True, merge=merge_adjacent)
mistake("f27", "Extra headers of the same name in different case are not merged: they are grouped before lower-casing.",
        subtle=True,
        extra_pairs=lambda h, d: [(n, b.extra_value(v)) for n, v in h if o.is_extra(n, d)],
        sort_groups=lambda g: sorted([(n.lower(), vs) for n, vs in g], key=lambda x: x[0]))
mistake("f28", "No line feed after the last extra header.",
        entries=lambda g: o.entries(g)[:-1])
mistake("f30", "Folds inside values are removed instead of replaced by one blank.",
        subtle=True, extra_value=lambda v: (o.header_value(v), o.trim(re.sub(r"[ \t]*\r?\n[ \t]+", "", v)))[1])
mistake("f32", "Every run of blanks inside a value becomes one blank, as in AWS Signature V4.",
        subtle=True, extra_value=lambda v: re.sub(r"[ \t]+", " ", o.header_value(v)))
mistake("f33", "Only the first fold of a value is replaced (JavaScript: replace with a text or without /g).",
        subtle=True, extra_value=lambda v: (o.header_value(v), o.trim(re.sub(r"[ \t]*\r?\n[ \t]+", " ", v, count=1)))[1])
mistake("f34", "White space around the values of extra headers is not trimmed.",
        extra_value=lambda v: (o.header_value(v), o.unfold(v))[1])
mistake("f35", "Only blanks, not tabs, are trimmed from the values of extra headers.",
        subtle=True, extra_value=lambda v: (o.header_value(v), o.unfold(v).strip(" "))[1])
mistake("f36", "Trimming also removes the no-break space and other Unicode blanks.",
        subtle=True, extra_value=lambda v: (o.header_value(v), o.unfold(v).strip())[1])
mistake("f37", "Extra headers with an empty value are left out.",
        subtle=True, extra_pairs=lambda h, d: [p for p in o.extra_pairs(h, d) if p[1]])
mistake("f38", "Only headers that start with x-svc-meta- count as extra headers.",
        is_extra=lambda n, d: n.lower().startswith(d["headerPrefix"].lower() + "meta-"))
mistake("f39", "The prefix is compared without its last dash, so X-Svcfoo also counts as an extra header.",
        subtle=True, is_extra=lambda n, d: n.lower().startswith(d["headerPrefix"].lower()[:-1]))
mistake("f40", "Extra headers are recognised only in the spelling X-Svc-; x-svc- and X-SVC- are ignored.",
        is_extra=lambda n, d: n.startswith(d["headerPrefix"]))

# --- resource
mistake("f44", "The resource lacks the bucket: '/' and the key.",
        resource=lambda bu, k: "/" + k)
mistake("f46", "The key is percent-encoded in the resource, slashes kept.",
        resource_key=lambda k: "/".join(o.percent(x) for x in k.split("/")))
mistake("f47", "The key is percent-decoded before signing.",
        subtle=True,
        resource_key=lambda k: re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes.fromhex(m[1].decode()), o.utf8(k)).decode("utf-8", "replace"))
mistake("f48", "The key is cut at the first question mark.",
        subtle=True, resource_key=lambda k: k.split("?")[0])
mistake("f49", "Leading slashes of the key are stripped.",
        subtle=True, resource_key=lambda k: k.lstrip("/"))
mistake("f50", "Double slashes in the key are reduced to one.",
        subtle=True, resource=lambda bu, k: re.sub("/+", "/", o.resource(bu, k)))


def dots(k):
    out = []
    for part in k.split("/"):
        if part == "..":
            out[-1:] = []
        elif part != ".":
            out.append(part)
    return "/".join(out)


mistake("f51", "Dot segments of the key are resolved, as a URL parser does.",
        subtle=True, resource_key=dots)
mistake("f52", "With an empty key the resource is /bucket without the slash.",
        subtle=True, resource=lambda bu, k: o.resource(bu, k) if k else "/" + bu)

# --- HMAC and Base64
mistake("f54", "HMAC is keyed by the string to sign, over the private key (arguments swapped).",
        file_digest=lambda k, m: hmac.new(m, k, "sha1").digest())
mistake("f55", "HMAC-SHA256 instead of HMAC-SHA1.",
        file_digest=lambda k, m: hmac.new(k, m, "sha256").digest())
mistake("f57", "The private key is decoded as hexadecimal if it can be.",
        file_key=lambda k: bytes.fromhex(k) if re.fullmatch("([0-9a-fA-F]{2})+", k) else o.utf8(k))
mistake("f58", "A private key of more than 64 bytes is truncated to 64 instead of hashed (hand-made HMAC).",
        subtle=True, file_key=lambda k: o.utf8(k)[:64])
mistake("f60", "The signature is in URL-safe Base64.",
        subtle=True, file_base64=lambda d: base64.urlsafe_b64encode(d).decode())
mistake("f61", "The signature's Base64 lacks its padding.",
        file_base64=lambda d: base64.b64encode(d).decode().rstrip("="))
mistake("f64", "The string to sign is encoded as Latin-1 with '?' for other characters, instead of UTF-8.",
        subtle=True, file_bytes=lambda t: t.encode("latin-1", "replace"))

# --- layout

# ============================================================ signers: only sometimes

mistake("s01", "A PUT without a Content-Type signs application/octet-stream; other methods sign the empty line.",
        subtle=True, content_type=lambda h, m: o.content_type(h, m) or ("application/octet-stream" if m == "PUT" else ""))
mistake("s02", "Of a repeated extra header only the merged text is trimmed, so blanks around the inner commas stay.",
        subtle=True, extra_value=lambda v: (o.header_value(v), o.unfold(v))[1], join_values=lambda vs: o.trim(",".join(vs)))
mistake("s03", "Content-MD5 is signed only with PUT; with other methods its line is empty.",
        subtle=True, content_md5=lambda h, m: o.content_md5(h, m) if m == "PUT" else "")
mistake("s04", "Integers of more than three digits are written with thousands separators (toLocaleString, number_format).",
        number_text=lambda w: re.sub(r"(?<=[0-9])(?=([0-9]{3})+$)", ",", o.number_text(w)) if "." not in o.number_text(w) else o.number_text(w))
mistake("s05", "Booleans inside lists are written as Python writes them (True, False); at top level they are right.",
        subtle=True,
        list_leaves=lambda name, items: [b.Leaf(x.name, x.text.capitalize(), False) if x.text in ("true", "false") and not x.quoted else x
                                         for x in o.list_leaves(name, items)])
mistake("s06", "An empty list is signed and sent as a parameter with an empty text instead of nothing.",
        subtle=True, list_leaves=lambda name, items: o.list_leaves(name, items) or [b.Leaf(name, "", True)])
mistake("s07", "Only folds with CRLF are unfolded; a bare LF and its blanks are merely deleted.",
        subtle=True,
        extra_value=lambda v: (o.header_value(v), o.trim(re.sub(r"\n[ \t]+", "", re.sub(r"[ \t]*(\r\n[ \t]+)+", " ", v))))[1])
mistake("s08", "A slash at the end of the key is stripped.",
        subtle=True, resource_key=lambda k: k.rstrip("/"))
mistake("s09", "A plus in the key is signed as a blank.",
        subtle=True, resource_key=lambda k: k.replace("+", " "))
mistake("s10", "Lists inside lists or objects are not flattened further: the inner list is signed as its JSON text.",
        subtle=True,
        list_leaves=lambda name, items: o.list_leaves(name, items) if "." not in name else
        [b.Leaf(name, json.dumps([x.text for x in o.list_leaves("x", items)], separators=(",", ":"), ensure_ascii=False), True)])

# ============================================================ ETag, forms, URLs

mistake("u01", "The block count of the ETag is big-endian.",
        count_bytes=lambda n: n.to_bytes(4, "big"))
mistake("u03", "A file of exactly one full block (4 MiB) takes the form with the hash of hashes (< instead of <=).",
        subtle=True, is_single=lambda data, bs: len(data) < b.BLOCK)
mistake("u04", "The hash of hashes joins the hexadecimal texts of the block hashes.",
        hash_hashes=lambda bs: hashlib.sha1("".join(hashlib.sha1(x).hexdigest() for x in bs).encode()).digest())
mistake("u05", "Standard Base64 in the ETag.",
        subtle=True, etag_base64=lambda r: base64.b64encode(r).decode())
mistake("u06", "A file that is an exact multiple of the block size gets one block too many in the count (size / 4 MiB + 1).",
        subtle=True, block_count=lambda data, bs: len(data) // b.BLOCK + 1 if data else 0)
mistake("u08", "An empty file counts as one block.",
        subtle=True, block_count=lambda data, bs: max(1, len(bs)))
mistake("u11", "The pre-signed URL's expiry is in milliseconds, in the URL and in the signed text.",
        presign_expires=lambda e: e + "000", url_expires=lambda e: e + "000")
mistake("u12", "Signature in the pre-signed URL is not URL-encoded.",
        url_signature=lambda s: s)
mistake("u13", "Signature in the pre-signed URL is URL-encoded twice.",
        url_signature=lambda s: o.percent(o.percent(s)))
mistake("u14", "The public key's query parameter is called PublicKey instead of SvcPublicKey.",
        url_query=lambda p, e, s, d: "PublicKey=" + p + "&Expires=" + e + "&Signature=" + s)
mistake("u15", "The pre-signed URL signs the Content-Type header.",
        subtle=True, presign_type=lambda h: o.content_type(h, "GET"))
mistake("u17", "The pre-signed URL is always signed for GET, whatever the method.",
        subtle=True, presign_method=lambda m: (o.verb(m), "GET")[1])
mistake("u18", "Extra headers are left out of the pre-signed text.",
        subtle=True, presign_headers=lambda h, d: "")
mistake("u19", "A form upload signs the request's Content-Type header instead of the form field.",
        form_type=lambda h, f: o.content_type(h, "POST"))
mistake("u20", "The callback policy is encoded with standard Base64 instead of the URL-safe alphabet.",
        subtle=True, policy_base64=lambda d: base64.b64encode(d).decode())
mistake("u21", "In a form upload the form field Content-MD5 is ignored: only a header counts.",
        subtle=True, form_md5=lambda h, f: o.positional(h, "content-md5"))
mistake("u22", "In a form upload the form field Content-MD5 wins over the header Content-MD5.",
        subtle=True, form_md5=lambda h, f: o.form_md5([], f) or o.form_md5(h, []))
mistake("u24", "The callback policy is not part of the signed text.",
        policy_text=lambda t, p: t)
mistake("u26", "The callback policy's JSON is not compact: a blank follows each comma and colon (Python json.dumps default).",
        policy_json=lambda ms: json.dumps(dict(ms), ensure_ascii=False))
mistake("u27", "The instant upload signs the key uploadhit instead of FileName.",
        hit_key=lambda k: "uploadhit")
mistake("u29", "The expiry of a pre-signed URL is taken as a life time and added to the clock.",
        presign_expires=lambda e: str(int(time.time()) + int(e)), url_expires=lambda e: str(int(time.time()) + int(e)))
mistake("u31", "Blanks in the path of the pre-signed URL become plus.",
        subtle=True, url_path=lambda k: o.url_path(k).replace("%20", "+"))

# ============================================================ verifiers

mistake("v01", "Accepts expired pre-signed URLs: the expiry is never compared.",
        check_expiry=lambda now, e: (b.expires_seconds(e), None)[1])
mistake("v02", "Takes Expires for milliseconds: nearly every URL has expired.",
        is_late=lambda now, e: now > e // 1000)
mistake("v03", "Refuses a URL in the very second in which it expires (>= instead of >).",
        subtle=True, is_late=lambda now, e: now >= e)
mistake("v04", "Compares Expires and the time as texts.",
        subtle=True, is_late=lambda now, e: str(now) > str(e))
mistake("v05", "Verifies a pre-signed URL as GET, whatever the request's method.",
        subtle=True, verify_method=lambda m: (o.verb(m), "GET")[1])
mistake("v06", "Compares signatures without regard to case.",
        subtle=True, equal=lambda x, y: x.lower() == y.lower())
mistake("v07", "A pre-signed URL without Signature, or with an empty one, is accepted.",
        check_url_parameters=lambda p, e, s: o.check_url_parameters(p, e, s or "x"),
        check_signature=lambda x, y: None if not y else o.check_signature(x, y))
mistake("v08", "A request without Authorization is accepted as the account's own.",
        verify_authorization=lambda g, k, d: o.verify_authorization(g, k, d) if o.find(o.read_headers(g["headers"]), "authorization") else {"publicKey": k["publicKey"]})
mistake("v09", "The path of a pre-signed URL is decoded twice.",
        subtle=True, key_of_path=lambda p: o.unpercent(o.unpercent(p, "url-malformed"), "url-malformed"))
mistake("v10", "A plus in a query string is decoded as a blank.",
        query_decode=lambda t: o.query_decode(t.replace("+", " ")))
mistake("v11", "Any public key is accepted: the request is verified with the private key of the one account.",
        check_account=lambda p, k: None)
mistake("v12", "The scheme of Authorization is not looked at.",
        scheme_ok=lambda s, d: True)
mistake("v14", "Accepts a signature that is only a beginning of the right one (compares the length of what was sent).",
        subtle=True, equal=lambda x, y: x[:len(y)] == y)
mistake("v15", "The verifier of pre-signed URLs leaves the extra headers out.",
        subtle=True, verify_url_headers=lambda h, d: "")
mistake("v16", "A callback policy is accepted with any method, GET too.",
        subtle=True, policy_method_ok=lambda m: True)
mistake("v17", "Any third part of Authorization is taken for a callback policy, without decoding it.",
        subtle=True, policy_ok=lambda p: True)
mistake("v18", "A callback policy is split off but not added to the text that is verified.",
        verify_policy_text=lambda t, p: t)


def last_wins(pairs):
    return {"object": [[n, b.wrap(v)] for n, v in dict(pairs).items()]}


mistake("v19", "Of a member that the JSON body holds twice the last wins, instead of a refusal.",
        subtle=True, json_pairs=last_wins)
mistake("v21", "Numbers of a JSON body pass through a double before they are signed again.",
        subtle=True, json_number=lambda w: {"number": js_number(w)})
mistake("v22", "A signature in URL-safe or unpadded Base64 is accepted as well (the decoded digests are compared leniently).",
        subtle=True,
        equal=lambda x, y: x == y or x.rstrip("=") == y.rstrip("=").replace("-", "+").replace("_", "/"))
mistake("v23", "Expires is read like parseInt does: blanks in front and anything behind the digits are ignored.",
        subtle=True, expires_seconds=lambda e: int((re.match(r"\s*[+-]?[0-9]+", e) or [o.expires_seconds(e)])[0]))
mistake("v24", "A hexadecimal signature in upper case is accepted (query and JSON only).",
        subtle=True, equal_hex=lambda x, y: x == y.lower())
mistake("v25", "The signature is checked before the expiry, so a forged and expired URL is reported as a mismatch.",
        subtle=True, check_expiry=lambda now, e: (o.expires_seconds(e), None)[1],
        after_signature=lambda g, e: o.check_expiry(g["now"], e))
mistake("v27", "The host of a pre-signed URL is not compared: any host with the bucket in front is accepted.",
        subtle=True, check_host=lambda h, f: h.partition(".")[0])
mistake("v29", "An expired URL is still accepted for five minutes (clock skew).",
        subtle=True, is_late=lambda now, e: now > e + 300)
