#!/usr/bin/env python3
"""Correct. Immutable records and events: a request is turned into a list of events (Line, Extra, Resource, Leaf, Chunk), and small observers fold
the list into strings, digests, queries and bodies; verifiers replay the events of what they received against a signer. All eighteen operations. JSON
bodies keep the order of the given parameters and put the signature last; texts are written with every character beyond ASCII escaped.
"""
import base64, hashlib, hmac, json, os, re, sys
from collections import namedtuple
from decimal import Decimal, localcontext, MAX_PREC, MAX_EMAX, MIN_EMIN

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


Line = namedtuple("Line", "text")
Extra = namedtuple("Extra", "name value at")
Resource = namedtuple("Resource", "bucket key")
Suffix = namedtuple("Suffix", "text")
Leaf = namedtuple("Leaf", "name text kind")
Credential = namedtuple("Credential", "scheme public signature policy")

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


# ------------------------------------------------------------------ sources of events

def field(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode()
    if re.search(r"[\r\n\0]", value):
        raise Refused("header-value", "line break or NUL")
    return value


def received(pairs):
    out = []
    for name, value in pairs:
        name = name.strip(" \t")
        if not TOKEN.fullmatch(name):
            raise Refused("header-name", "no token")
        out.append((name.lower(), field(value)))
    return tuple(out)


def only(pairs, name):
    match [v for n, v in pairs if n == name]:
        case []:
            return None
        case [value]:
            return value
        case _:
            raise Refused("header-repeated", name)


def method_event(text):
    if not TOKEN.fullmatch(text):
        raise Refused("method", text)
    return Line(text.upper())


def extra_events(pairs):
    prefix = WORDS["headerPrefix"].lower()
    return [Extra(n, v, at) for at, (n, v) in enumerate(pairs) if n.startswith(prefix)]


def resource_event(q):
    if not q["bucket"] or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    return Resource(q["bucket"], q["key"])


def header_events(q, method):
    pairs = received(q["headers"])
    yield method_event(method)
    place = resource_event(q)
    for name in ("content-md5", "content-type", "date"):
        yield Line(only(pairs, name) or "")
    yield from extra_events(pairs)
    yield place


def form_events(q):
    pairs = received(q["headers"])
    place = resource_event(q)
    fields = [(n, field(v)) for n, v in q["fields"] if n in ("Content-Type", "Content-MD5")]
    md5 = only(pairs, "content-md5")
    yield Line("POST")
    yield Line((only(fields, "Content-MD5") if md5 is None else md5) or "")
    yield Line(only(fields, "Content-Type") or "")
    yield Line(only(pairs, "date") or "")
    yield from extra_events(pairs)
    yield place


def url_events(q):
    pairs = received(q["headers"])
    yield method_event(q["method"])
    place = resource_event(q)
    yield from (Line(""), Line(""), Line(q["expires"]))
    yield from extra_events(pairs)
    yield place


def plain(written, reason):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused(reason, written)
    with localcontext() as c:
        c.prec, c.Emax, c.Emin = MAX_PREC, MAX_EMAX, MIN_EMIN
        try:
            value = Decimal(written)
        except ArithmeticError:
            raise Refused(reason, "too large")
        if not value.is_finite():
            raise Refused(reason, "too large")
        if not value:
            return "0"
        if not -4000 < value.adjusted() < 4000:
            raise Refused(reason, "too long")
        text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def leaf_events(name, value, reason="number", null="parameter-null"):
    match value:
        case None:
            raise Refused(null, name)
        case True | False:
            yield Leaf(name, str(value).lower(), "word")
        case str():
            yield Leaf(name, value, "text")
        case {"number": written}:
            yield Leaf(name, plain(written, reason), "number")
        case {"list": items}:
            for i, item in enumerate(items):
                yield from leaf_events(f"{name}.{i}", item, reason, null)
        case {"object": members}:
            for member, item in members:
                yield from leaf_events(f"{name}.{member}", item, reason, null)


def chunk_events(content):
    if "file" not in content:
        yield base64.b64decode(content["bytes"])
        return
    with open(content["file"], "rb") as f:
        yield from iter(lambda: f.read(262144), b"")


# ------------------------------------------------------------------ observers

class StringToSign:
    def __init__(self, events):
        self.lines, self.extras, self.tail = [], {}, ""
        for event in events:
            match event:
                case Line(text):
                    self.lines.append(text + "\n")
                case Extra(name, value, at):
                    self.extras.setdefault(name, []).append((at, value))
                case Resource(bucket, key):
                    self.tail += "/" + bucket + "/" + key
                case Suffix(text):
                    self.tail += text

    def __str__(self):
        merged = ("%s:%s\n" % (n, ",".join(v for _, v in sorted(self.extras[n], key=lambda x: x[0]))) for n in sorted(self.extras))
        return "".join(self.lines) + "".join(merged) + self.tail

    def signature(self, private):
        return base64.b64encode(hmac.new(private.encode(), str(self).encode(), "sha1").digest()).decode()


class Parameters:
    def __init__(self, leaves):
        self.given = tuple(leaf for leaf in leaves if leaf.name != "Signature")
        self.table = {leaf.name: leaf for leaf in self.given}
        if len(self.table) != len(self.given):
            raise Refused("parameter-repeated")
        self.ordered = sorted(self.given, key=lambda leaf: leaf.name.encode())

    def need(self, *names):
        for name in names:
            if name not in self.table:
                raise Refused("parameter-missing", name)
        return self

    def signature(self, private):
        return hashlib.sha1(("".join(leaf.name + leaf.text for leaf in self.ordered) + private).encode()).hexdigest()

    def query(self, private):
        return "&".join([escape(leaf.name) + "=" + escape(leaf.text) for leaf in self.ordered] + ["Signature=" + self.signature(private)])

    def body(self, private):
        rows = [json.dumps(leaf.name) + ":" + (json.dumps(leaf.text) if leaf.kind == "text" else leaf.text) for leaf in self.given]
        return "{\r\n" + ",\r\n".join(rows + ['"Signature":"%s"' % self.signature(private)]) + "\r\n}"


def escape(text):
    return re.sub(rb"[^A-Za-z0-9._~-]", lambda m: b"%%%02X" % m[0][0], text.encode()).decode()


class Blocks:
    SIZE = 1 << 22

    def __init__(self, chunks):
        self.hashes, self.rest, self.all = [], bytearray(), hashlib.sha1()
        for chunk in chunks:
            self.all.update(chunk)
            self.rest += chunk
            while len(self.rest) >= self.SIZE:
                self.hashes.append(hashlib.sha1(self.rest[:self.SIZE]).digest())
                del self.rest[:self.SIZE]
        if self.rest:
            self.hashes.append(hashlib.sha1(self.rest).digest())

    def etag(self):
        digest = self.all.digest() if len(self.hashes) < 2 else hashlib.sha1(b"".join(self.hashes)).digest()
        return base64.urlsafe_b64encode(len(self.hashes).to_bytes(4, "little") + digest).decode()

    def part(self):
        return base64.urlsafe_b64encode(self.all.digest()).decode()


# ------------------------------------------------------------------ signing

def credential(c):
    c.public.encode()
    return "%s %s:%s" % c[:3] + (":" + c.policy if c.policy else "")


def signed(events, public, private, policy=""):
    events = list(events) + [Suffix(policy)]
    return credential(Credential(WORDS["scheme"], public, StringToSign(events).signature(private), policy))


def parameters(q):
    return Parameters([leaf for name, value in q["parameters"] for leaf in leaf_events(name, value)])


def full(q):
    return parameters(q).need("Action", "PublicKey")


def bucket_request(q, public, private):
    p = full(q)
    if p.table["Action"].text == "CreateBucket":
        p.need("Type", "BucketName")
    return {"target": "/?" + p.query(private)}


def instant(q, public, private):
    return {"authorization": signed(header_events(q, "POST"), public, private),
            "target": "/uploadhit?" + "&".join(n + "=" + escape(q[m]) for n, m in (("Hash", "etag"), ("FileName", "key"), ("FileSize", "size")))}


def presigned(q, public, private):
    signature = StringToSign(url_events(q)).signature(private)
    query = {"Signature": signature, "Expires": q["expires"], WORDS["publicKeyParameter"]: public}
    return {"url": f'{q["scheme"]}://{q["bucket"]}.{q["fileHost"]}/' + "/".join(map(escape, q["key"].split("/"))) + "?" + "&".join(n + "=" + escape(v) for n, v in query.items())}


def policy(q, public, private):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in q["members"]) + "}"
    return {"policy": base64.urlsafe_b64encode(text.encode()).decode()}


# ------------------------------------------------------------------ verifying

def unescape(text, reason):
    out = bytearray()
    pieces = text.split("%")
    out += pieces[0].encode()
    for piece in pieces[1:]:
        if not re.match("[0-9A-Fa-f]{2}", piece):
            raise Refused(reason, "stray percent sign")
        out += bytes.fromhex(piece[:2]) + piece[2:].encode()
    try:
        return out.decode()
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def pairs_of(query):
    return [(unescape(n, "query-malformed"), unescape(v, "query-malformed")) for n, _, v in (piece.partition("=") for piece in query.split("&") if piece)]


def unrepeated(pairs):
    table = dict(pairs)
    if len(table) != len(pairs):
        raise Refused("parameter-repeated")
    return table


def account(given, public):
    if given != public:
        raise Refused("public-key-unknown", given)
    return {"publicKey": given}


def same(expected, got):
    if expected != got:
        raise Refused("signature-mismatch")


def policy_object(text):
    if not re.fullmatch("[A-Za-z0-9+/]*=*|[A-Za-z0-9_-]*=*", text):
        return False
    body = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return isinstance(json.loads(base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode()), dict)
    except (ValueError, RecursionError):
        return False


def verify_authorization(q, public, private):
    events = list(header_events(q, q["method"]))
    values = [v for n, v in received(q["headers"]) if n == "authorization"]
    if not values:
        raise Refused("authorization-missing")
    scheme, blank, rest = values[0].partition(" ")
    parts = rest.split(":")
    if len(values) > 1 or scheme != WORDS["scheme"] or not blank or len(parts) not in (2, 3) or not all(parts) or re.search("[ \t]", rest):
        raise Refused("authorization-malformed")
    c = Credential(scheme, *parts, *[None] * (3 - len(parts)))
    if c.policy is not None:
        if q["method"].upper() not in ("PUT", "POST") or not policy_object(c.policy):
            raise Refused("authorization-malformed", "policy")
        events.append(Suffix(c.policy))
    result = account(c.public, public)
    same(StringToSign(events).signature(private), c.signature)
    return result


def verify_url(q, public, private):
    method_event(q["method"])
    received(q["headers"])
    m = re.fullmatch(r"https?://([^/?#]*)/([^?#]*)\??([^#]*)", q["url"], re.S)
    if not m:
        raise Refused("url-malformed")
    bucket, _, host = m[1].partition(".")
    if not bucket or host.lower() != q["fileHost"].lower():
        raise Refused("url-malformed", "host")
    key = unescape(m[2], "url-malformed")
    names = (WORDS["publicKeyParameter"], "Expires", "Signature")
    table = unrepeated([p for p in pairs_of(m[3]) if p[0] in names])
    if not table.get("Signature"):
        raise Refused("signature-missing")
    if len(table) < 3:
        raise Refused("parameter-missing")
    if not re.fullmatch("[0-9]{1,15}", table["Expires"]):
        raise Refused("expires-malformed")
    if int(q["now"]) > int(table["Expires"]):
        raise Refused("expired")
    result = account(table[names[0]], public)
    same(StringToSign(url_events(dict(q, bucket=bucket, key=key, expires=table["Expires"]))).signature(private), table["Signature"])
    return result


def verify_parameters(leaves, signature, public, private):
    p = Parameters(leaves)
    if not signature:
        raise Refused("signature-missing")
    result = account(p.need("Action", "PublicKey").table["PublicKey"].text, public)
    same(p.signature(private), signature)
    return result


def verify_query(q, public, private):
    table = unrepeated(pairs_of(q["query"]))
    return verify_parameters([Leaf(n, v, "text") for n, v in table.items()], table.get("Signature"), public, private)


def members(pairs):
    unrepeated([(n, None) for n, _ in pairs])
    return {"object": [(n, listed(v)) for n, v in pairs]}


def listed(v):
    return {"list": [listed(x) for x in v]} if isinstance(v, list) else v


def no_constant(word):
    raise ValueError(word)


def verify_json(q, public, private):
    try:
        body = json.loads(q["body"], object_pairs_hook=members, parse_int=lambda t: {"number": t}, parse_float=lambda t: {"number": t}, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("body-malformed")
    if not isinstance(body, dict) or "object" not in body:
        raise Refused("body-malformed", "no object")
    leaves = [leaf for n, v in body["object"] for leaf in leaf_events(n, v, "body-malformed", "body-malformed")]
    signature = dict(body["object"]).get("Signature")
    return verify_parameters(leaves, signature if isinstance(signature, str) else None, public, private)


serve("events", {
    "url-encode": lambda q, public, private: {"encoded": escape(q["text"])},
    "password": lambda q, public, private: {"value": base64.standard_b64encode(q["text"].encode()).decode()},
    "action-signature": lambda q, public, private: {"signature": parameters(q).signature(private)},
    "action-json": lambda q, public, private: {"body": full(q).body(private)},
    "action-query": lambda q, public, private: {"query": full(q).query(private)},
    "bucket-request": bucket_request,
    "authorization": lambda q, public, private: {"authorization": signed(header_events(q, q["method"]), public, private)},
    "form-authorization": lambda q, public, private: {"authorization": signed(form_events(q), public, private)},
    "policy": policy,
    "policy-authorization": lambda q, public, private: {"authorization": signed(header_events(q, q["method"]), public, private, q["policy"])},
    "instant-upload": instant, "presigned-url": presigned,
    "etag": lambda q, public, private: {"etag": Blocks(chunk_events(q["content"])).etag()},
    "part-etag": lambda q, public, private: {"etag": Blocks(chunk_events(q["content"])).part()},
    "verify-authorization": verify_authorization, "verify-presigned-url": verify_url, "verify-query": verify_query, "verify-json": verify_json})
