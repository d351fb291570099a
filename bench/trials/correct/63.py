#!/usr/bin/env python3
"""One pass over bytes: everything is UTF-8 from the beginning, every reader is a push machine that sees each byte once (queries, URLs, headers, JSON).
Shows its stages. Refuses an unsigned request before it looks at the method."""
import base64
import hashlib
import hmac
import json
import sys

LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
NUMERALS = b"0123456789"
TOKEN = LETTERS + NUMERALS + b"!#$%&'*+.^_`|~-"
UNRESERVED = LETTERS + NUMERALS + b"-_.~"
DIALECT = {}


class No(Exception):
    pass


def raw(text):
    return text.encode("utf-8")


def escape(data, also=b""):
    out = bytearray()
    for b in data:
        if b in UNRESERVED or b in also:
            out.append(b)
        else:
            out += b"%%%02X" % b
    return bytes(out)


class Unescaper:
    """Bytes go in, unescaped bytes come out."""

    def __init__(self, reason):
        self.out, self.digits, self.reason = bytearray(), None, reason

    def push(self, b):
        if self.digits is not None:
            self.digits.append(b)
            if b not in b"0123456789abcdefABCDEF":
                raise No(self.reason, "bad escape")
            if len(self.digits) == 2:
                self.out.append(int(self.digits, 16))
                self.digits = None
        elif b == 0x25:
            self.digits = bytearray()
        else:
            self.out.append(b)

    def end(self):
        if self.digits is not None:
            raise No(self.reason, "unfinished escape")
        try:
            self.out.decode("utf-8")
        except UnicodeDecodeError:
            raise No(self.reason, "not UTF-8 after unescaping")
        return bytes(self.out)


class QueryReader:
    def __init__(self):
        self.pairs, self.name, self.value = [], None, None

    def push(self, b):
        if b == 0x26:
            self.flush()
            return
        if self.name is None:
            self.name = Unescaper("query-malformed")
        if self.value is not None:
            self.value.push(b)
        elif b == 0x3D:
            self.value = Unescaper("query-malformed")
        else:
            self.name.push(b)

    def flush(self):
        if self.name is not None:
            self.pairs.append((self.name.end(), self.value.end() if self.value is not None else b""))
        self.name = self.value = None

    def end(self):
        self.flush()
        return self.pairs


def read_query(data):
    reader = QueryReader()
    for b in data:
        reader.push(b)
    return reader.end()


def read_url(data):
    """scheme, host, path, pairs"""
    scheme, host, path, query, state = bytearray(), bytearray(), Unescaper("url-malformed"), QueryReader(), 0
    for b in data:
        if b == 0x23:
            raise No("url-malformed", "a fragment")
        if state == 0:
            if b == 0x3A:
                state = 1
            else:
                scheme.append(b)
        elif state in (1, 2):
            if b != 0x2F:
                raise No("url-malformed", "// expected")
            state += 1
        elif state == 3:
            if b == 0x2F:
                state = 4
            elif b == 0x3F:
                raise No("url-malformed", "no path")
            else:
                host.append(b)
        elif state == 4:
            if b == 0x3F:
                state = 5
            else:
                path.push(b)
        else:
            query.push(b)
    if state < 4 or scheme not in (b"http", b"https"):
        raise No("url-malformed", "http(s)://host/path expected")
    return bytes(host), path.end(), query.end()


def header_value(data):
    """0 text, 1 CR, 2 LF, 3 blanks after LF"""
    out, gap, state = bytearray(), bytearray(), 0
    for b in data:
        if b == 0 or state == 1 and b != 10 or state == 2 and b not in b" \t":
            raise No("header-value", "byte %d is not allowed here" % b)
        if b == 10 or b == 13:
            gap, state = bytearray(b" "), 2 if b == 10 else 1
        elif b in b" \t":
            if state == 0:
                gap.append(b)
            else:
                state = 3
        else:
            if out:
                out += gap
            out.append(b)
            gap, state = bytearray(), 0
    if state in (1, 2):
        raise No("header-value", "a line break at the end")
    return bytes(out)


def is_token(data):
    for b in data:
        if b not in TOKEN:
            return False
    return len(data) > 0


def headers_of(pairs):
    out = []
    for name, value in pairs:
        name = name.strip(" \t").encode("utf-8", "surrogatepass")
        if not is_token(name):
            raise No("header-name", "token expected")
        out.append((name.lower(), header_value(raw(value))))
    return out


# ---------------------------------------------------------------- numbers and parameters

def plain(written):
    """Text of a JSON number to plain decimal: the bytes once, then the point is moved."""
    state, minus, digits, point, exponent, down = 0, False, bytearray(), None, bytearray(), False
    for b in written.encode("utf-8", "surrogatepass"):
        if b in NUMERALS:
            if state == 2:
                raise No("number", "a zero before a digit")
            if state in (0, 1):
                state = 2 if b == 48 else 3
            elif state in (4, 5):
                state = 5
            elif state in (6, 7, 8):
                state = 8
                exponent.append(b)
                continue
            digits.append(b)
        elif b == 45 and state == 0:
            state, minus = 1, True
        elif b == 46 and state in (2, 3):
            state, point = 4, len(digits)
        elif b in b"eE" and state in (2, 3, 5):
            state, point = 6, len(digits) if point is None else point
        elif b in b"+-" and state == 6:
            state, down = 7, b == 45
        else:
            raise No("number", "byte %d in a number" % b)
    if state not in (2, 3, 5, 8):
        raise No("number", "an unfinished number")
    if not digits.strip(b"0"):
        return b"0"
    if len(exponent.lstrip(b"0")) > 4:
        raise No("number", "exponent of five digits")
    at = (len(digits) if point is None else point) + int(exponent or b"0") * (-1 if down else 1)
    if at < 1:
        digits, at = bytearray(b"0") * (1 - at) + digits, 1
    digits += b"0" * (at - len(digits))
    whole, part = bytes(digits[:at]).lstrip(b"0") or b"0", bytes(digits[at:]).rstrip(b"0")
    return (b"-" if minus else b"") + whole + (b"." + part if part else b"")


def leaves(name, value, out):
    if value is None:
        raise No("parameter-null", "null")
    if value is True:
        out.append((name, b"true", False))
    elif value is False:
        out.append((name, b"false", False))
    elif isinstance(value, str):
        out.append((name, raw(value), True))
    elif "number" in value:
        out.append((name, plain(value["number"]), False))
    elif "list" in value:
        for at, item in enumerate(value["list"]):
            leaves(name + b".%d" % at, item, out)
    else:
        for member, item in value["object"]:
            leaves(name + b"." + raw(member), item, out)


def rows_of(parameters):
    out = []
    for name, value in parameters:
        leaves(raw(name), value, out)
    out = sorted((row for row in out if row[0] != b"Signature"), key=lambda row: row[0])
    for a, b in zip(out, out[1:]):
        if a[0] == b[0]:
            raise No("parameter-repeated", "a name comes again")
    return out


def sorted_parameters(rows):
    return {"sortedParameters": [[n.decode(), v.decode()] for n, v, _ in rows]}


def action_sign(rows, pri):
    sha = hashlib.sha1()
    for name, value, _ in rows:
        sha.update(name)
        sha.update(value)
    sha.update(pri)
    return sha.hexdigest()


def complete(i):
    rows = rows_of(i["parameters"])
    names = {row[0] for row in rows}
    if b"Action" not in names or b"PublicKey" not in names:
        raise No("parameter-missing", "Action and PublicKey are needed")
    return rows


def as_query(rows, pri):
    out = bytearray()
    for name, value, _ in rows:
        out += escape(name) + b"=" + escape(value) + b"&"
    return (out + b"Signature=" + raw(action_sign(rows, pri))).decode()


def action_signature(i, pub, pri):
    rows = rows_of(i["parameters"])
    return {"signature": action_sign(rows, pri)}, sorted_parameters(rows)


def action_json(i, pub, pri):
    rows = complete(i)
    signature, out = action_sign(rows, pri), []
    for name, value, quoted in rows:
        out.append(json.dumps(name.decode(), ensure_ascii=False) + ": " + (json.dumps(value.decode(), ensure_ascii=False) if quoted else value.decode()))
        if name == b"PublicKey":
            out.append('"Signature": "' + signature + '"')
    return {"body": "{" + ", ".join(out) + "}"}, {**sorted_parameters(rows), "signature": signature}


def action_query(i, pub, pri):
    rows = complete(i)
    return {"query": as_query(rows, pri)}, {**sorted_parameters(rows), "signature": action_sign(rows, pri)}


def bucket_request(i, pub, pri):
    rows = complete(i)
    have = {name: value for name, value, _ in rows}
    if have[b"Action"] == b"CreateBucket" and not (b"Type" in have and b"BucketName" in have):
        raise No("parameter-missing", "a bucket needs a type and a name")
    return {"target": "/?" + as_query(rows, pri)}, {**sorted_parameters(rows), "signature": action_sign(rows, pri)}


# ---------------------------------------------------------------- files

def sole(pairs, name):
    found = [v for n, v in pairs if n == name]
    if len(found) > 1:
        raise No("header-repeated", "one expected")
    return found[0] if found else b""


def extra(headers):
    prefix, groups = raw(DIALECT["headerPrefix"]).lower(), {}
    for name, value in headers:
        if name.startswith(prefix):
            groups[name] = groups[name] + b"," + value if name in groups else value
    return b"".join(name + b":" + groups[name] + b"\n" for name in sorted(groups))


def sign_file(method, md5, mime, date, headers, bucket, key, pri, policy=b""):
    method = method.encode("utf-8", "surrogatepass")
    if not is_token(method):
        raise No("method", "token expected")
    if not bucket or b"/" in bucket:
        raise No("bucket", "a name without slash expected")
    canonical, resource = extra(headers), b"/" + bucket + b"/" + key
    mac, text = hmac.new(pri, None, hashlib.sha1), bytearray()
    for piece in (method.upper(), b"\n", md5, b"\n", mime, b"\n", date, b"\n", canonical, resource, policy):
        mac.update(piece)
        text += piece
    signature = base64.b64encode(mac.digest()).decode()
    trace = {"canonicalHeaders": canonical.decode(), "canonicalResource": resource.decode(), "digest": mac.hexdigest(), "signature": signature}
    if not policy:
        trace["stringToSign"] = text.decode()
    return signature, trace


def by_headers(method, i, headers, pri, policy=b""):
    return sign_file(method, sole(headers, b"content-md5"), sole(headers, b"content-type"), sole(headers, b"date"), headers,
                     raw(i["bucket"]), raw(i["key"]), pri, policy)


def credentials(pub, signature):
    raw(pub)
    return DIALECT["scheme"] + " " + pub + ":" + signature


def authorization(i, pub, pri):
    signature, trace = by_headers(i["method"], i, headers_of(i["headers"]), pri)
    return {"authorization": credentials(pub, signature)}, trace


def form(i, pub, pri):
    headers = headers_of(i["headers"])
    fields = [(raw(n), header_value(raw(v))) for n, v in i["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = sole(headers, b"content-md5") if b"content-md5" in dict(headers) else sole(fields, b"Content-MD5")
    signature, trace = sign_file("POST", md5, sole(fields, b"Content-Type"), sole(headers, b"date"), headers, raw(i["bucket"]), raw(i["key"]), pri)
    return {"authorization": credentials(pub, signature)}, trace


def policy(i, pub, pri):
    out = []
    for name, value in i["members"]:
        raw(name + value)
        out.append(json.dumps(name) + ":" + json.dumps(value, ensure_ascii=False))
    return {"policy": base64.urlsafe_b64encode(raw("{" + ",".join(out) + "}")).decode()}, None


def policy_authorization(i, pub, pri):
    signature, trace = by_headers(i["method"], i, headers_of(i["headers"]), pri, raw(i["policy"]))
    return {"authorization": credentials(pub, signature) + (":" + i["policy"] if i["policy"] else "")}, trace


def instant(i, pub, pri):
    signature, trace = by_headers("POST", i, headers_of(i["headers"]), pri)
    target = b"/uploadhit?Hash=" + escape(raw(i["etag"])) + b"&FileName=" + escape(raw(i["key"])) + b"&FileSize=" + escape(raw(i["size"]))
    return {"target": target.decode(), "authorization": credentials(pub, signature)}, trace


def presigned(i, pub, pri):
    expires = raw(i["expires"])
    signature, trace = sign_file(i["method"], b"", b"", expires, headers_of(i["headers"]), raw(i["bucket"]), raw(i["key"]), pri)
    trace["encodedSignature"] = escape(raw(signature)).decode()
    return {"url": i["scheme"] + "://" + i["bucket"] + "." + i["fileHost"] + "/" + escape(raw(i["key"]), b"/").decode()
            + "?Expires=" + escape(expires).decode() + "&" + DIALECT["publicKeyParameter"] + "=" + escape(raw(pub), b"@").decode()
            + "&Signature=" + trace["encodedSignature"]}, trace


def stream(content):
    if "file" in content:
        with open(content["file"], "rb") as f:
            while True:
                piece = f.read(65536)
                if not piece:
                    return
                yield piece
    yield base64.b64decode(content.get("bytes", ""))


def etag(i, pub, pri):
    first, outer, inner, room, count = None, hashlib.sha1(), None, 0, 0
    for piece in stream(i["content"]):
        piece = memoryview(piece)
        while piece:
            if room == 0:
                if inner:
                    outer.update(inner.digest())
                inner, room, count = hashlib.sha1(), 4194304, count + 1
            now, piece = piece[:room], piece[room:]
            inner.update(now)
            room -= len(now)
    if count > 1:
        outer.update(inner.digest())
    first = outer if count != 1 else inner
    return ({"etag": base64.urlsafe_b64encode(bytes([count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24]) + first.digest()).decode()},
            {"blockCount": count, "digest": first.hexdigest()})


def part_etag(i, pub, pri):
    sha = hashlib.sha1()
    for piece in stream(i["content"]):
        sha.update(piece)
    return {"etag": base64.urlsafe_b64encode(sha.digest()).decode()}, {"digest": sha.hexdigest()}


# ---------------------------------------------------------------- verifying

def is_policy(data):
    kinds, end, bare = set(), 0, bytearray()
    for b in data:
        if b == 61:
            end += 1
        elif end or b not in LETTERS + NUMERALS + b"+/-_":
            return False
        else:
            if b in b"+/-_":
                kinds.add(b in b"+/")
            bare.append({45: 43, 95: 47}.get(b, b))
    if end > 2 or len(kinds) > 1 or len(bare) % 4 == 1:
        return False
    try:
        return isinstance(json.loads(base64.b64decode(bare + b"=" * (-len(bare) % 4)).decode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


def compare(pub, got_pub, expected, got):
    if got_pub != raw(pub):
        raise No("public-key-unknown", "whose key is this?")
    if not hmac.compare_digest(raw(expected), got):
        raise No("signature-mismatch", "expected another signature")
    return {"publicKey": pub}


def verify_authorization(i, pub, pri):
    headers = headers_of(i["headers"])
    found = [v for n, v in headers if n == b"authorization"]
    if not found:
        raise No("authorization-missing", "no credentials")
    parts, word = [bytearray()], raw(DIALECT["scheme"]) + b" "
    if len(found) > 1 or not found[0].startswith(word):
        raise No("authorization-malformed", "other credentials")
    for b in found[0][len(word):]:
        if b == 58:
            parts.append(bytearray())
        elif b in b" \t":
            raise No("authorization-malformed", "a blank in the credentials")
        else:
            parts[-1].append(b)
    if len(parts) not in (2, 3) or not all(parts):
        raise No("authorization-malformed", "%d parts" % len(parts))
    if len(parts) == 3 and (i["method"].upper() not in ("PUT", "POST") or not is_policy(parts[2])):
        raise No("authorization-malformed", "no policy")
    signature, trace = by_headers(i["method"], i, headers, pri, bytes(b"".join(parts[2:])))
    return compare(pub, bytes(parts[0]), signature, bytes(parts[1])), trace


def verify_url(i, pub, pri):
    headers = headers_of(i["headers"])
    host, key, pairs = read_url(raw(i["url"]))
    bucket, dot, rest = host.partition(b".")
    if not bucket or not dot or rest.decode().lower() != i["fileHost"].lower():
        raise No("url-malformed", "not a host of ours")
    have = {}
    for name, value in pairs:
        if name in (raw(DIALECT["publicKeyParameter"]), b"Expires", b"Signature"):
            if name in have:
                raise No("parameter-repeated", "comes again")
            have[name] = value
    if not have.get(b"Signature"):
        raise No("signature-missing", "no signature")
    if len(have) < 3:
        raise No("parameter-missing", "no expiry or public key")
    expires = have[b"Expires"]
    if not 1 <= len(expires) <= 15 or expires.translate(None, NUMERALS):
        raise No("expires-malformed", "no number")
    if int(i["now"]) > int(expires):
        raise No("expired", "over")
    signature, trace = sign_file(i["method"], b"", b"", expires, headers, bucket, key, pri)
    return compare(pub, have[raw(DIALECT["publicKeyParameter"])], signature, have[b"Signature"]), trace


def verify_rows(pub, pri, parameters, got):
    rows = rows_of(parameters)
    if not isinstance(got, str) or not got:
        raise No("signature-missing", "no signature")
    have = {name: value for name, value, _ in rows}
    if b"Action" not in have or b"PublicKey" not in have:
        raise No("parameter-missing", "no action or no account")
    signature = action_sign(rows, pri)
    return compare(pub, have[b"PublicKey"], signature, raw(got)), {**sorted_parameters(rows), "signature": signature}


def verify_query(i, pub, pri):
    pairs = [(n.decode(), v.decode()) for n, v in read_query(raw(i["query"]))]
    if len(dict(pairs)) < len(pairs):
        raise No("parameter-repeated", "a name comes again")
    return verify_rows(pub, pri, pairs, dict(pairs).get("Signature"))


VALUE, FIRST_ITEM, FIRST_NAME, NAME, COLON, AFTER, STRING, BACKSLASH, UNICODE, BARE, DONE = range(11)
SHORT = {34: b'"', 92: b"\\", 47: b"/", 98: b"\b", 102: b"\f", 110: b"\n", 114: b"\r", 116: b"\t"}


class JsonReader:
    """A push-down machine; numbers stay as they are written."""

    def __init__(self):
        self.state, self.stack, self.names = VALUE, [], []
        self.parts = self.piece = self.digits = self.root = None

    def bad(self):
        raise No("body-malformed", "no JSON object")

    def value(self, value):
        if not self.stack:
            self.root, self.state = value, DONE
            return
        top = self.stack[-1]
        if "list" in top:
            top["list"].append(value)
        else:
            top["object"].append([self.names.pop(), value])
        self.state = AFTER

    def close(self, kind):
        if not self.stack or kind not in self.stack[-1]:
            self.bad()
        done = self.stack.pop()
        if kind == "object" and len({n for n, _ in done["object"]}) < len(done["object"]):
            raise No("parameter-repeated", "a member comes again")
        self.value(done)

    def flush(self):
        self.parts.append(self.piece.decode("utf-8"))
        self.piece = bytearray()

    def string(self):
        self.flush()
        text = "".join(self.parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        if self.is_name:
            self.names.append(text)
            self.state = COLON
        else:
            self.value(text)

    def bare(self):
        word = bytes(self.piece)
        if word in (b"true", b"false", b"null"):
            self.value({b"true": True, b"false": False, b"null": None}[word])
            return
        try:
            plain(word.decode("utf-8"))
        except No as no:
            if "exponent" not in no.args[1]:
                self.bad()
        self.value({"number": word.decode()})

    def push(self, b):
        state = self.state
        if state == STRING:
            if b == 34:
                self.string()
            elif b == 92:
                self.state = BACKSLASH
            elif b < 32:
                self.bad()
            else:
                self.piece.append(b)
            return
        if state == BACKSLASH:
            if b == 117:
                self.digits, self.state = bytearray(), UNICODE
            elif b in SHORT:
                self.piece += SHORT[b]
                self.state = STRING
            else:
                self.bad()
            return
        if state == UNICODE:
            if b not in b"0123456789abcdefABCDEF":
                self.bad()
            self.digits.append(b)
            if len(self.digits) == 4:
                self.flush()
                self.parts.append(chr(int(self.digits, 16)))
                self.state = STRING
            return
        if state == BARE:
            if b not in b" \t\r\n,]}":
                self.piece.append(b)
                return
            self.bare()
            state = self.state
        if b in b" \t\r\n":
            return
        if state in (VALUE, FIRST_ITEM):
            if b == 123:
                self.stack.append({"object": []})
                self.state = FIRST_NAME
            elif b == 91:
                self.stack.append({"list": []})
                self.state = FIRST_ITEM
            elif b == 93 and state == FIRST_ITEM:
                self.close("list")
            elif b == 34:
                self.parts, self.piece, self.is_name, self.state = [], bytearray(), False, STRING
            elif b in b",]}:":
                self.bad()
            else:
                self.piece, self.state = bytearray([b]), BARE
        elif state in (FIRST_NAME, NAME):
            if b == 125 and state == FIRST_NAME:
                self.close("object")
            elif b == 34:
                self.parts, self.piece, self.is_name, self.state = [], bytearray(), True, STRING
            else:
                self.bad()
        elif state == COLON and b == 58:
            self.state = VALUE
        elif state == AFTER and b == 44:
            self.state = VALUE if "list" in self.stack[-1] else NAME
        elif state == AFTER and b == 93:
            self.close("list")
        elif state == AFTER and b == 125:
            self.close("object")
        else:
            self.bad()


def verify_json(i, pub, pri):
    reader = JsonReader()
    for b in raw(i["body"]):
        reader.push(b)
    if reader.state != DONE or not isinstance(reader.root, dict) or "object" not in reader.root:
        reader.bad()
    members = reader.root["object"]
    try:
        for name, value in members:
            leaves(b"", value, [])
    except No as no:
        raise No("body-malformed", no.args[1])
    return verify_rows(pub, pri, members, dict(map(tuple, members)).get("Signature"))


OPERATIONS = {
    "url-encode": lambda i, pub, pri: ({"encoded": escape(raw(i["text"])).decode()}, None),
    "password": lambda i, pub, pri: ({"value": base64.b64encode(raw(i["text"])).decode()}, None),
    "action-signature": action_signature, "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request,
    "authorization": authorization, "form-authorization": form, "policy": policy, "policy-authorization": policy_authorization,
    "instant-upload": instant, "presigned-url": presigned, "etag": etag, "part-etag": part_etag, "verify-authorization": verify_authorization,
    "verify-presigned-url": verify_url, "verify-query": verify_query, "verify-json": verify_json}


def reply(m):
    operation = OPERATIONS.get(m["operation"])
    if operation is None:
        return {"n": m["n"], "unsupported": True}
    try:
        result, trace = operation(m["input"], m["keys"]["publicKey"], raw(m["keys"]["privateKey"]))
    except No as no:
        return {"n": m["n"], "refused": {"reason": no.args[0], "message": no.args[1]}}
    except UnicodeEncodeError:
        return {"n": m["n"], "refused": {"reason": "text", "message": "not Unicode"}}
    except Exception as problem:
        return {"n": m["n"], "error": repr(problem)}
    return {"n": m["n"], "result": result, **({"trace": trace} if trace else {})}


def main():
    for line in sys.stdin.buffer:
        m = json.loads(line)
        if not DIALECT:
            DIALECT.update(m["dialect"])
            out = {"protocol": 1, "implementation": {"name": "one-pass", "version": "6.3", "language": "python"}, "operations": list(OPERATIONS)[::-1],
                   "traces": ["sortedParameters", "canonicalHeaders", "canonicalResource", "stringToSign", "digest", "signature", "encodedSignature",
                              "blockCount"]}
        else:
            out = reply(m)
        sys.stdout.buffer.write(json.dumps(out, ensure_ascii=False).encode("utf-8") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
