"""Blind trial, eighth set: single wrong mistakes; each entry replaces one or a few functions of base.py.

t01 to t35 are in verifiers, t36 to t70 in signing (some of these show in the verifiers too)."""
import base64
import json
import re

import base as b
from operations import (ACTION, ESCAPES, FILE, POSITIONAL, QUERY, TYPED, V_ALL, V_AUTH, V_FILE, V_JSON, V_PARAM,
                        V_QUERY, V_URL)
from recording import wrong

_policy_ok = b.policy_ok
_number_text = b.number_text
_percent = b.percent
_json_leaf = b.json_leaf
_date = b.date
_verb = b.verb
_unfold = b.unfold
_unpercent = b.unpercent
_read_json = b.read_json
_prepare = b.prepare
_verify_header_text = b.verify_header_text
_form_type = b.form_type
_op_bucket = b.op_bucket_request
_url_signature = b.url_signature


def _policy_plain(policy):
    """The text of a policy that policy_ok has accepted."""
    plain = policy.replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8")


# ------------------------------------------------------------------ verifiers: the Authorization header

def _authorization(search=False, texts=None):
    """verify_authorization; search: the credentials are searched for; texts: what may have been signed."""
    def verify(given, keys, dialect):
        headers = b.read_headers(given["headers"])
        text = b.verify_header_text(given, headers, dialect)
        value = b.find_authorization(headers)
        if search:
            found = re.search(re.escape(dialect["scheme"]) + " .*", value)
            value = found[0] if found else value
        scheme, blank, rest = value.partition(" ")
        if not b.scheme_ok(scheme, dialect) or not blank:
            raise b.No("authorization-malformed", "not the scheme")
        public_key, signature, policy = b.split_credentials(rest)
        if policy is not None:
            b.check_policy(policy, given["method"])
        b.check_account(public_key, keys)
        right = [b.verify_policy_text(text, policy)]
        if texts:
            right += texts(given, headers, dialect, text, policy)
        if not any(b.equal(b.file_signature(x, keys), signature) for x in right):
            raise b.No("signature-mismatch", "not the signature of this request")
        return {"publicKey": public_key}
    return verify


wrong("t01", "The pattern for Authorization is searched for without ^, so anything may stand before the scheme (NotSvc pub:sig, Basic x, Svc pub:sig)", V_AUTH,
      verify_authorization=_authorization(search=True))


def _word_key(rest):
    parts = rest.split(":")
    if len(parts) not in (2, 3) or "" in parts or re.search(r"[ \t]", rest) or not re.fullmatch(r"[\w@.-]+", parts[0], re.A):
        raise b.No("authorization-malformed", "not key:signature")
    return parts[0], parts[1], parts[2] if len(parts) == 3 else None


wrong("t02", "The pattern for Authorization is (Svc) ([\\w@.-]+):(...), so a public key with + / or = in it is refused as malformed", V_AUTH,
      split_credentials=_word_key)


def _unescaped_key(rest):
    parts = rest.split(":")
    if len(parts) not in (2, 3) or "" in parts or re.search(r"[ \t]", rest):
        raise b.No("authorization-malformed", "not key:signature")
    return _unpercent(parts[0], "authorization-malformed"), parts[1], parts[2] if len(parts) == 3 else None


wrong("t03", "The public key of Authorization is percent-decoded, as in a URL, so someone%40example.com passes for someone@example.com (and a key with a % that is no escape is malformed)",
      V_AUTH, split_credentials=_unescaped_key)


def _last_character(expected, got):
    if len(expected) != len(got):
        return False
    difference = 0
    for x, y in zip(expected, got):
        difference = ord(x) ^ ord(y)
    return difference == 0


wrong("t04", "A comparison in constant time that assigns (diff = a ^ b) instead of accumulating (diff |= a ^ b): only the length and the last character of a signature count", V_ALL,
      equal=_last_character)

wrong("t05", "File signatures are compared with endsWith, so anything may stand before the right signature", V_FILE,
      equal=lambda expected, got: got.endswith(expected) if len(expected) == 28 else expected == got)


def _same_bytes(expected, got):
    if len(expected) != 28:
        return expected == got
    try:
        return len(got) == 28 and got.isascii() and base64.b64decode(got, validate=True) == base64.b64decode(expected)
    except ValueError:
        return False


wrong("t06", "File signatures are decoded and compared as bytes, by a decoder that does not look at the unused bits of the last letter (Go's StdEncoding without Strict): three other last letters pass",
      V_FILE, equal=_same_bytes)

wrong("t07", "`if (!policy)` after decoding: the empty object {} is false in PHP and Python, so a policy that is the Base64 of {} is refused as malformed", V_AUTH,
      policy_ok=lambda policy: _policy_ok(policy) and json.loads(_policy_plain(policy)) != {})

wrong("t08", "A policy is accepted with the methods that have a body, so with PATCH too", V_AUTH,
      policy_method_ok=lambda method: method.upper() in ("PUT", "POST", "PATCH"))

wrong("t09", "Policies are decoded with RawURLEncoding, which knows no padding: a policy with = at its end is refused as malformed", V_AUTH,
      policy_ok=lambda policy: "=" not in policy and _policy_ok(policy))


def _compact_policy(policy):
    if not _policy_ok(policy):
        return False
    plain = _policy_plain(policy)
    return json.dumps(json.loads(plain), separators=(",", ":"), ensure_ascii=False) == plain


wrong("t10", "A policy is parsed, written again and must be the same text, so one whose JSON has blanks or an unusual escape (\\/) is refused as malformed", V_AUTH,
      policy_ok=_compact_policy)


def _no_repeated_extra(given, headers, dialect):
    text = _verify_header_text(given, headers, dialect)
    if any(len(values) > 1 for _, values in b.merge(b.extra_pairs(headers, dialect))):
        raise b.No("header-repeated", "an extra header is there twice")
    return text


wrong("t11", "verify-authorization refuses a request in which an extra header is repeated (a guard against request smuggling) instead of merging the values", V_AUTH,
      verify_header_text=_no_repeated_extra)


def _or_escaped_key(given, headers, dialect, text, policy):
    return [b.verify_policy_text(b.header_text(given["method"], given["bucket"], b.url_path(given["key"]), headers, dialect), policy)]


wrong("t12", "After a mismatch verify-authorization compares once more with the percent-encoded key in the resource (for clients that sign the URL's path), so such a signature passes", V_AUTH,
      verify_authorization=_authorization(texts=_or_escaped_key))

wrong("t13", "After a mismatch verify-authorization compares once more without the policy (for old clients), so a policy can be added to a request that was signed without one", V_AUTH,
      verify_authorization=_authorization(texts=lambda given, headers, dialect, text, policy: [text]))


def _method_as_sent(given, headers, dialect):
    _verify_header_text(given, headers, dialect)
    method = given["method"]
    return b.lines(method, b.content_md5(headers, method), b.content_type(headers, method), b.date(headers, method),
                   b.canonical_headers(headers, dialect), b.resource(given["bucket"], given["key"]))


wrong("t14", "File requests are verified with the method as it was sent; only the signer puts it into upper case, so a get in lower case is a mismatch", V_FILE,
      verify_header_text=_method_as_sent, verify_method=lambda method: (_verb(method), method)[1])

wrong("t15", "Headers are read from CGI variables HTTP_*, but the Content-Type is in CONTENT_TYPE, without HTTP_: verify-authorization takes it as absent", V_AUTH,
      verify_header_text=lambda given, headers, dialect: (_verify_header_text(given, headers, dialect), _verify_header_text(
          given, [h for h in headers if b.fold_name(h[0]) != "content-type"], dialect))[1])


def _beginning_of_key(public_key, keys):
    if not keys["publicKey"].startswith(public_key):
        raise b.No("public-key-unknown", "unknown")


wrong("t16", "The account is looked up by the beginning of its public key (LIKE 'key%', an option for log searches), so a public key that is cut short is known", V_ALL,
      check_account=_beginning_of_key)


# ------------------------------------------------------------------ verifiers: pre-signed URLs

def _dots_for_anything(host, file_host):
    match = re.fullmatch("([^.]+)\\." + file_host, host, re.I)
    if not match:
        raise b.No("url-malformed", "another host")
    return match[1]


wrong("t17", "The host is matched against a pattern made of the file host whose dots are not escaped, so buck.filesXexample.com passes for buck.files.example.com", V_URL,
      check_host=_dots_for_anything)


def _dollar(expires):
    if not re.match(r"^[0-9]{1,15}$", expires):
        raise b.No("expires-malformed", "not a number of seconds")
    return int(expires)


wrong("t18", "Expires is checked with ^[0-9]+$, whose $ also matches before a line feed at the end (PHP, Python, Perl): Expires=1700000000%0A is accepted if that is what was signed", V_URL,
      expires_seconds=_dollar)


def _url(expires_needed=True, account=True, typed=False, dated=False, others=False, read=None):
    """verify_url with one thing changed."""
    def verify(given, keys, dialect):
        method = b.verify_method(given["method"])
        headers = b.read_headers(given["headers"])
        bucket, key, query = b.split_url(given["url"], given["fileHost"])
        names = (dialect["publicKeyParameter"], "Expires", "Signature")
        every = b.read_query(query)
        if read:
            public_key, expires, signature = read(query, every, names)
        else:
            pairs = [(name, value) for name, value in every if name in names]
            b.check_url_repeated([name for name, _ in pairs])
            public_key, expires, signature = (dict(pairs).get(name) for name in names)
        b.check_url_parameters(public_key, expires if expires_needed else expires or "", signature)
        if expires is not None:
            b.check_expiry(given["now"], expires)
        if account:
            b.check_account(public_key, keys)
        when = expires or ""
        if dated and b.find(headers, "date"):
            when = b.date(headers, method)
        resource = b.resource(bucket, key)
        rest = sorted((name, value) for name, value in every if name not in names)
        if others and rest:
            resource += "?" + "&".join(name + "=" + value for name, value in rest)
        md5, mime = (b.content_md5(headers, method), b.content_type(headers, method)) if typed else ("", "")
        b.check_signature(b.file_signature(b.lines(method, md5, mime, when, b.verify_url_headers(headers, dialect), resource), keys), signature)
        return {"publicKey": public_key}
    return verify


wrong("t19", "Expires is optional: a URL without it is verified with an empty line in its place and never expires", V_URL,
      verify_url=_url(expires_needed=False))


def _last_question_mark(url, file_host):
    start, mark, query = url.rpartition("?")
    if not mark:
        start, query = url, ""
    match = re.fullmatch(r"(https?)://([^/?#]*)/([^#]*)", start, re.S)
    if not match or "#" in query:
        raise b.No("url-malformed", "not a URL")
    return b.check_host(match[2], file_host), b.key_of_path(match[3]), query


wrong("t20", "The query begins after the last question mark (lastIndexOf), so a URL with a further parameter whose value has a raw ? is not understood", V_URL,
      split_url=_last_question_mark)

wrong("t21", "verify-presigned-url does not compare the public key of the URL with that of the account: any public key passes with the account's signature", V_URL,
      verify_url=_url(account=False))

wrong("t22", "verify-presigned-url puts the Content-MD5 and the Content-Type of the request into the string to sign, as verify-authorization does, instead of two empty lines", V_URL,
      verify_url=_url(typed=True))

wrong("t23", "The other parameters of a pre-signed URL are appended to the resource in the string to sign, as the sub-resources of S3 (?response-content-type=...), so a good URL with a further parameter is a mismatch", V_URL,
      verify_url=_url(others=True))

wrong("t24", "The key from the path of a pre-signed URL ends at its first NUL (a C string), so the URL for k also passes for k%00 and whatever follows", V_URL,
      key_of_path=lambda path: _unpercent(path, "url-malformed").split("\0")[0])


def _key_needed(path):
    if not path:
        raise b.No("url-malformed", "no key")
    return _unpercent(path, "url-malformed")


wrong("t25", "A pre-signed URL with an empty key (for the bucket itself) is refused as malformed", V_URL, key_of_path=_key_needed)


def _three_escapes(query, every, names):
    pairs = [(name, value) for name, value in every if name in names]
    b.check_url_repeated([name for name, _ in pairs])
    public_key, expires, signature = (dict(pairs).get(name) for name in names)
    raw = [piece.partition("=")[2] for piece in query.split("&") if piece.partition("=")[0] == "Signature"]
    if raw:
        signature = raw[0].replace("%2B", "+").replace("%2F", "/").replace("%3D", "=")
    return public_key, expires, signature


wrong("t26", "The Signature of a URL is decoded by replacing %2B, %2F and %3D and nothing else, so escapes with lower-case digits (%2b) or of other characters (%41) are a mismatch", V_URL,
      verify_url=_url(read=_three_escapes))

wrong("t27", "verify-presigned-url shares its string to sign with the header's verification and has the Date header in the fourth line if the request has one (browsers and proxies add it), Expires only otherwise", V_URL,
      verify_url=_url(dated=True))


def _anywhere(query, every, names):
    found = [re.search(re.escape(name) + "=([^&]*)", query) for name in names]
    return tuple(b.query_decode(m[1]) if m else None for m in found)


wrong("t28", "The parameters of a URL are found with patterns such as Expires=([^&]*) that may match within a longer name, so OldSignature=x or response-Expires=0 before them is taken for them (and a repeated parameter is not noticed)", V_URL,
      verify_url=_url(read=_anywhere))


# ------------------------------------------------------------------ verifiers: queries and JSON bodies

def _last_forty(given, keys, dialect):
    query = given["query"]
    if query[-51:-40] != "&Signature=":
        raise b.No("signature-missing", "no Signature at the end")
    pairs = b.read_query(query[:-51])
    b.check_query_repeated([name for name, _ in pairs])
    return b.verify_parameters([list(pair) for pair in pairs], query[-40:], keys)


wrong("t29", "verify-query cuts the query 51 characters before its end: a Signature that does not stand last, or that has not 40 characters, counts as missing", V_QUERY,
      verify_query=_last_forty)


def _decode_then_split(query):
    out = []
    for piece in query.split("&"):
        if piece:
            name, _, value = b.query_decode(piece).partition("=")
            out.append((name, value))
    return out


wrong("t30", "Each piece of a query is decoded before it is split at its first =, so a name with an escaped = in it is cut there", V_QUERY,
      read_query=_decode_then_split)


def _clear_password(parameters):
    ordered = _prepare(parameters)
    for leaf in ordered:
        if leaf.name == "Password":
            try:
                leaf.text = base64.b64decode(leaf.text, validate=True).decode("utf-8")
            except ValueError:
                pass
    return ordered


wrong("t31", "The verifier of parameters decodes the Base64 of Password before it computes the signature, so the clear text is verified and a good request with a Password is a mismatch", V_PARAM,
      verify_prepare=_clear_password)


def _no_control(parameters):
    ordered = _prepare(parameters)
    if any(re.search(r"[\x00-\x1f\x7f]", leaf.text) for leaf in ordered):
        raise b.No("text", "a control character")
    return ordered


wrong("t32", "The verifier refuses parameters with a control character in a value (tab, line feed), to protect its log", V_PARAM, verify_prepare=_no_control)

wrong("t33", "The hand-written reader of JSON knows the escapes for quote, backslash, b, f, n, r, t and u, but leaves \\/ as the two characters (PHP writes each slash so)", V_JSON,
      read_json=lambda body: _read_json(re.sub(r"\\(.)", lambda m: "\\\\/" if m[1] == "/" else m[0], body, flags=re.S)))


def _last_nested(pairs):
    return {"object": [[name, b.wrap(value)] for name, value in dict(pairs).items()], "twice": len(dict(pairs)) != len(pairs)}


def _top_only(body):
    try:
        value = json.loads(body, object_pairs_hook=_last_nested, parse_int=b.json_number, parse_float=b.json_number, parse_constant=b.json_constant)
    except (ValueError, RecursionError):
        raise b.No("body-malformed", "not JSON")
    if not isinstance(value, dict) or "object" not in value:
        raise b.No("body-malformed", "not an object")
    if value["twice"]:
        raise b.No("parameter-repeated", "a member is there twice")
    return value["object"]


wrong("t34", "A repeated member of a JSON body is refused at the top level only; in an object within, the last one of the name counts", V_JSON, read_json=_top_only)


def _bare_braces(body):
    if not body.startswith("{") or not body.endswith("}"):
        raise b.No("body-malformed", "not an object")
    return _read_json(body)


wrong("t35", "A JSON body must begin with { and end with }, so one with a blank or a line break before or after the object is refused as malformed", V_JSON, read_json=_bare_braces)

# ------------------------------------------------------------------ signing: parameters

wrong("t36", "sort((a, b) => a.name > b.name): the comparer gives true or false, never a negative number, and today's V8 leaves the parameters in the order in which they came", ACTION,
      order=lambda ls: list(ls))

wrong("t37", "The policy is the Base64 of json.dumps with its default separators, so a blank follows each comma and colon: not compact JSON", "policy",
      policy_json=lambda members: "{" + ", ".join(json.dumps(n, ensure_ascii=False) + ": " + json.dumps(v, ensure_ascii=False) for n, v in members) + "}")

wrong("t38", "The private key stands at both ends of the string that is hashed (Taobao's rule), not only at its end", ACTION, with_key=lambda text, key: key + text + key)

wrong("t39", "Extra headers are sorted with OrdinalIgnoreCase of .NET, which compares them in upper case: an underscore comes after the letters, x-svc-a_b after x-svc-aab", FILE,
      sort_groups=lambda groups: sorted(groups, key=lambda group: group[0].upper()))


def _whole(written):
    text = _number_text(written).partition(".")[0]
    return "0" if text == "-0" else text


wrong("t40", "Numbers are cast to integers (%d), so a fraction is cut off in what is signed and sent: 1.5 becomes 1", TYPED, number_text=_whole)


def _long(written):
    text = _number_text(written)
    return text if "." in text else str((int(text) + 2 ** 63) % 2 ** 64 - 2 ** 63)


wrong("t41", "Whole numbers are taken as a 64-bit long (longValue), so beyond it they wrap: 9223372036854775808 becomes -9223372036854775808", TYPED, number_text=_long)

wrong("t42", "Lists and objects are flattened with brackets, in what is signed and in what is sent: Name[0], Name[0][Key] (PHP, qs)", TYPED,
      item_name=lambda name, index: name + "[" + str(index) + "]", member_name=lambda name, member: name + "[" + member + "]")

wrong("t43", "A parameter with the value null is neither dropped nor refused, but signed and sent as an empty text", TYPED, null_leaves=lambda name: [b.Leaf(name, "", True)])

wrong("t44", "Numbers are put into the signed string with String.format, which writes Arabic-Indic digits on a phone set to Arabic (they are sent with ASCII digits)", TYPED,
      signed_value=lambda x: x.text if x.quoted else x.text.translate({48 + i: 0x660 + i for i in range(10)}))

# ------------------------------------------------------------------ signing: queries, JSON, encodings

wrong("t45", "The query is rendered by a template that escapes for HTML: &amp; stands between the parameters", QUERY,
      query_text=lambda ordered, signature: "&amp;".join([b.query_name(x.name) + "=" + b.query_value(x) for x in ordered] + ["Signature=" + signature]))

wrong("t46", "Signature is the first parameter of the query instead of the last", QUERY,
      query_text=lambda ordered, signature: "&".join(["Signature=" + signature] + [b.query_name(x.name) + "=" + b.query_value(x) for x in ordered]))

wrong("t47", "The JSON body has null for a parameter that is the empty text (signed as an empty text)", "action-json",
      json_leaf=lambda x: "null" if x.quoted and not x.text else _json_leaf(x))

wrong("t48", "Percent-encoding follows RFC 1738 (rawurlencode of old PHP, URLEncoder): ~ becomes %7E", ESCAPES, percent=lambda text: _percent(text).replace("~", "%7E"))

wrong("t49", "Percent-encoding is quote of Python with its default for safe: a slash stays as it is", ESCAPES, percent=lambda text: _percent(text).replace("%2F", "/"))


def _cesu(text):
    b.utf8(text)
    return "".join(chr(0xD7C0 + (ord(c) >> 10)) + chr(0xDC00 + (ord(c) & 1023)) if ord(c) > 0xFFFF else c for c in text).encode("utf-8", "surrogatepass")


wrong("t50", "Percent-encoding turns each UTF-16 unit into UTF-8 by itself, so a character beyond U+FFFF becomes two escaped surrogates: %ED%A0%BD%ED%B8%80", ESCAPES, text_bytes=_cesu)

wrong("t51", "The Password is encoded with the URL-safe alphabet of Base64 (- and _), since it may go into a query", "password",
      password_text=lambda text: base64.urlsafe_b64encode(b.utf8(text)).decode())


def _private_by_default(given, keys, dialect):
    names = [name for name, _ in given["parameters"]]
    more = [["Type", "private"]] if ["Action", "CreateBucket"] in given["parameters"] and "Type" not in names else []
    return _op_bucket(dict(given, parameters=given["parameters"] + more), keys, dialect)


wrong("t52", "CreateBucket without the required Type is sent and signed with Type=private as a default instead of being refused", "bucket-request", op_bucket_request=_private_by_default)

# ------------------------------------------------------------------ signing: files

wrong("t53", "The first four lines of the string to sign end with CR LF, as lines of HTTP do (println on Windows), instead of LF", FILE,
      lines=lambda method, md5, mime, when, extra, res: method + "\r\n" + md5 + "\r\n" + mime + "\r\n" + when + "\r\n" + extra + res)

wrong("t54", "The canonical resource stands before the canonical extra headers in the string to sign", FILE,
      lines=lambda method, md5, mime, when, extra, res: method + "\n" + md5 + "\n" + mime + "\n" + when + "\n" + res + extra)


def _fold_to_nothing(value):
    out = re.sub(r"\r?\n[ \t]", "\n ", value)
    return re.sub(r"[ \t]*\n[ \t\n]*", "", out) if "\n " in out and not re.search(r"\n(?! )", out) else out


wrong("t55", "A fold in a header value (the line break and the blanks around it) is removed instead of replaced by a space", FILE, unfold=_fold_to_nothing)

wrong("t56", "Only line breaks followed by a space count as folds (\\r?\\n +), so a header value folded with a tab is refused for its line break", FILE,
      unfold=lambda value: value if re.search(r"\n\t", value) else _unfold(value))


def _seconds_only(expires):
    if not re.fullmatch(r"[0-9]+", expires):
        raise b.No("number", "Expires is no number")
    return expires


wrong("t57", "The signer of URLs refuses an Expires that is not made of digits, although it is opaque text for a signer", "presigned-url", presign_expires=_seconds_only)

wrong("t58", "The private key is trimmed (it often comes from a file with a line break), so one that begins or ends with white space signs wrongly",
      ACTION + ", " + FILE, action_key=lambda key: key.strip(), file_key=lambda key: b.utf8(key.strip()))

wrong("t59", "The bucket is in the host name (virtual-hosted style), so the canonical resource is /<key> without the bucket, as in AWS Signature V4", FILE,
      resource=lambda bucket, key: "/" + b.resource_key(key))


def _no_parent(key):
    if ".." in key.split("/"):
        raise b.No("key", "path traversal")
    return key


wrong("t60", "Keys with a segment .. are refused (a guard against path traversal), in signers and verifiers", FILE, resource_key=_no_parent)


def _date_of_extra(headers, method):
    if not b.find(headers, "date"):
        for name, value in headers:
            if re.fullmatch(r"x-[a-z0-9]+-date", b.fold_name(name)):
                return b.header_value(value)
    return _date(headers, method)


wrong("t61", "Without a Date header the value of X-Svc-Date goes into the line of Date (and stands among the extra headers as well)", POSITIONAL, date=_date_of_extra)


def _known_verb(method):
    if _verb(method) not in ("GET", "HEAD", "PUT", "POST", "DELETE"):
        raise b.No("method", "not supported")
    return _verb(method)


wrong("t62", "Methods other than GET, HEAD, PUT, POST and DELETE (OPTIONS, PATCH) are refused", "authorization, policy-authorization, presigned-url, verify-authorization, verify-presigned-url",
      verb=_known_verb)

# ------------------------------------------------------------------ signing: forms, policies, instant upload, URLs, ETags

wrong("t63", "The form field Content-Type is signed without its parameters, as the multipart parser gives it: text/html of text/html; charset=utf-8", "form-authorization",
      form_type=lambda headers, fields: _form_type(headers, fields).split(";")[0].strip(" \t"))


def _policy_first(given, keys, dialect):
    text = b.sign_given(given, b.read_headers(given["headers"]), dialect, given["method"], given["key"])
    resource = b.resource(given["bucket"], given["key"])
    signature = b.file_signature(text[:len(text) - len(resource)] + given["policy"] + resource, keys)
    return {"authorization": b.policy_credentials(b.credentials(keys["publicKey"], signature, dialect), given["policy"])}


wrong("t64", "The policy stands before the canonical resource in the string to sign, not after it", "policy-authorization", op_policy_authorization=_policy_first)

_op_policy_authorization = b.op_policy_authorization
wrong("t65", "The call with a policy Base64-encodes the policy that it is given, which is encoded already, before it signs and sends it", "policy-authorization",
      op_policy_authorization=lambda given, keys, dialect: _op_policy_authorization(
          dict(given, policy=base64.urlsafe_b64encode(b.utf8(given["policy"])).decode()), keys, dialect))

wrong("t66", "Instant upload is signed as PUT, as it takes the place of an upload, although it is sent as POST", "instant-upload", hit_method=lambda: "PUT")

wrong("t67", "The signature of a pre-signed URL is percent-encoded and then put into a query builder that encodes it again (%252B)", "presigned-url",
      url_signature=lambda signature: _url_signature(_url_signature(signature)))

wrong("t68", "The two empty lines of Content-MD5 and Content-Type are left out of the string to sign of a pre-signed URL: the method, the expiry, then headers and resource", "presigned-url",
      presign_text=lambda given, headers, dialect: "".join((b.lines(b.presign_method(given["method"]), "", "", given["expires"], b.presign_headers(headers, dialect), b.presign_resource(
          given["bucket"], given["key"])).replace("\n\n\n", "\n", 1), (b.check_bucket(given["bucket"]), "")[1])))

wrong("t69", "A file of at most 4 MiB is hashed like a greater one, as the SHA-1 of the SHA-1 of its only block", "etag", is_single=lambda data, blocks: False)

wrong("t70", "The block count comes after the SHA-1 in an ETag, not before it", "etag", etag_layout=lambda count, digest: digest + b.count_bytes(count))
