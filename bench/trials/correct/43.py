#!/usr/bin/env python3
"""Correct. Tables in SQLite: parameters, headers and form fields are rows of blobs; the database sorts (by memcmp), finds repeated names with
GROUP BY ... HAVING, merges with ORDER BY, and looks up accounts. JSON bodies have Signature first; queries are in reverse order (Signature last),
pre-signed URLs have Signature first.
"""
import base64, hashlib, hmac, json, os, re, sqlite3, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


DB = sqlite3.connect(":memory:")
DB.executescript("""
CREATE TABLE leaf (at INTEGER PRIMARY KEY, name BLOB, text BLOB, quoted INTEGER);
CREATE TABLE header (at INTEGER PRIMARY KEY, name BLOB, value BLOB);
CREATE TABLE field (at INTEGER PRIMARY KEY, name BLOB, value BLOB);
CREATE TABLE account (public BLOB PRIMARY KEY, private BLOB);
CREATE TABLE octet (code INTEGER PRIMARY KEY, written TEXT);
""")
DB.executemany("INSERT INTO octet VALUES (?, ?)", [(c, chr(c) if re.match("[A-Za-z0-9._~-]", chr(c)) else "%%%02X" % c) for c in range(256)])
TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"


def rows(sql, *given):
    return DB.execute(sql, given).fetchall()


def clear(table):
    DB.execute("DELETE FROM " + table)


def escape(text):
    known = dict(rows("SELECT code, written FROM octet"))
    return "".join(known[c] for c in text.encode())


def plain(written, reason="number"):
    m = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?", written)
    if not m:
        raise Refused(reason, written)
    digits = m[2] + (m[3] or "")
    if not digits.strip("0"):
        return "0"
    if m[4] and len(m[4].lstrip("+-0")) > 6:
        raise Refused(reason, "too long")
    point = len(m[2]) + int(m[4] or 0)
    lead = len(digits) - len(digits.lstrip("0"))
    if not -4000 < point - lead - 1 < 4000:
        raise Refused(reason, "too long")
    digits, point = digits[lead:].rstrip("0"), point - lead
    if point <= 0:
        return m[1] + "0." + "0" * -point + digits
    digits = digits.ljust(point, "0")
    return m[1] + digits[:point] + ("." + digits[point:] if digits[point:] else "")


def spread(name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, bool):
        yield name, "true" if value else "false", 0
    elif isinstance(value, str):
        yield name, value, 1
    elif "number" in value:
        yield name, plain(value["number"]), 0
    elif "list" in value:
        for i, item in enumerate(value["list"]):
            yield from spread("%s.%d" % (name, i), item)
    else:
        for member, item in value["object"]:
            yield from spread(name + "." + member, item)


def load(leaves):
    clear("leaf")
    DB.executemany("INSERT INTO leaf (name, text, quoted) VALUES (?, ?, ?)", [(n.encode(), t.encode(), k) for n, t, k in leaves])
    if rows("SELECT name FROM leaf WHERE name <> ? GROUP BY name HAVING count(*) > 1", b"Signature"):
        raise Refused("parameter-repeated")
    DB.execute("DELETE FROM leaf WHERE name = ?", (b"Signature",))


def has(*names):
    for name in names:
        if not rows("SELECT 1 FROM leaf WHERE name = ?", name.encode()):
            raise Refused("parameter-missing", name)


def sha(private):
    sha1 = hashlib.sha1()
    for name, text in DB.execute("SELECT name, text FROM leaf ORDER BY name"):
        sha1.update(name + text)
    sha1.update(private.encode())
    return sha1.hexdigest()


def parameters(q, *names):
    load([leaf for name, value in q["parameters"] for leaf in spread(name, value)])
    has(*names)


def action_signature(q, public, private):
    parameters(q)
    return {"signature": sha(private)}


def query_text(private):
    return "".join(escape(n.decode()) + "=" + escape(t.decode()) + "&" for n, t in rows("SELECT name, text FROM leaf ORDER BY name DESC")) + "Signature=" + sha(private)


def action_query(q, public, private):
    parameters(q, "Action", "PublicKey")
    return {"query": query_text(private)}


def bucket_request(q, public, private):
    parameters(q, "Action", "PublicKey")
    if rows("SELECT 1 FROM leaf WHERE name = ? AND text = ?", b"Action", b"CreateBucket"):
        has("Type", "BucketName")
    return {"target": "/?" + query_text(private)}


def action_json(q, public, private):
    parameters(q, "Action", "PublicKey")
    out = ['"Signature":"%s"' % sha(private)]
    for name, text, quoted in rows("SELECT name, text, quoted FROM leaf ORDER BY at"):
        out.append(json.dumps(name.decode()) + ":" + (json.dumps(text.decode(), ensure_ascii=False) if quoted else text.decode()))
    return {"body": "{" + ",\t".join(out) + "}"}


def header_value(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode()
    if re.search("[\r\n\0]", value):
        raise Refused("header-value")
    return value


def load_headers(pairs):
    clear("header")
    for name, value in pairs:
        name = name.strip(" \t")
        if not re.fullmatch(TOKEN, name):
            raise Refused("header-name", name)
        DB.execute("INSERT INTO header (name, value) VALUES (?, ?)", (name.lower().encode(), header_value(value).encode()))


def one(table, name):
    found = rows("SELECT value FROM %s WHERE name = ?" % table, name.encode())
    if len(found) > 1:
        raise Refused("header-repeated", name)
    return found[0][0].decode() if found else None


def canonical():
    prefix, merged = WORDS["headerPrefix"].lower().encode(), {}
    for name, value in DB.execute("SELECT name, value FROM header WHERE substr(name, 1, ?) = ? ORDER BY name, at", (len(prefix), prefix)):
        merged[name] = merged[name] + b"," + value if name in merged else value
    return "".join(n.decode() + ":" + v.decode() + "\n" for n, v in merged.items())


def verb(method):
    if not re.fullmatch(TOKEN, method):
        raise Refused("method", method)
    return method.upper()


def place(q):
    if not q["bucket"] or "/" in q["bucket"]:
        raise Refused("bucket", q["bucket"])
    return "/" + q["bucket"] + "/" + q["key"]


def mac(private, text):
    return base64.b64encode(hmac.new(private.encode(), text.encode(), hashlib.sha1).digest()).decode()


def credentials(public, private, text):
    public.encode()
    return WORDS["scheme"] + " " + public + ":" + mac(private, text)


def header_text(method, q):
    load_headers(q["headers"])
    method, where = verb(method), place(q)
    return "\n".join([method] + [one("header", n) or "" for n in ("content-md5", "content-type", "date")] + [canonical()]) + where


def authorization(q, public, private):
    return {"authorization": credentials(public, private, header_text(q["method"], q))}


def policy_authorization(q, public, private):
    value = credentials(public, private, header_text(q["method"], q) + q["policy"])
    return {"authorization": value + (":" + q["policy"] if q["policy"] else "")}


def instant(q, public, private):
    value = credentials(public, private, header_text("POST", q))
    return {"target": "/uploadhit?Hash=" + escape(q["etag"]) + "&FileName=" + escape(q["key"]) + "&FileSize=" + escape(q["size"]), "authorization": value}


def form(q, public, private):
    load_headers(q["headers"])
    where = place(q)
    clear("field")
    DB.executemany("INSERT INTO field (name, value) VALUES (?, ?)", [(n.encode(), header_value(v).encode()) for n, v in q["fields"] if n in ("Content-Type", "Content-MD5")])
    md5 = one("header", "content-md5")
    md5 = one("field", "Content-MD5") if md5 is None else md5
    return {"authorization": credentials(public, private, "\n".join(["POST", md5 or "", one("field", "Content-Type") or "", one("header", "date") or "", canonical()]) + where)}


def presigned(q, public, private):
    load_headers(q["headers"])
    method, where = verb(q["method"]), place(q)
    signature = mac(private, method + "\n\n\n" + q["expires"] + "\n" + canonical() + where)
    path = "/".join(map(escape, q["key"].split("/")))
    return {"url": "%s://%s.%s/%s?Signature=%s&%s=%s&Expires=%s" % (q["scheme"], q["bucket"], q["fileHost"], path, escape(signature), WORDS["publicKeyParameter"], escape(public), escape(q["expires"]))}


def decode(text, reason):
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise Refused(reason, "stray %")
    try:
        return re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode()), text.encode(), flags=re.S).decode()
    except UnicodeDecodeError:
        raise Refused(reason, "not UTF-8")


def private_of(public, mine, private):
    clear("account")
    DB.execute("INSERT INTO account VALUES (?, ?)", (mine.encode(), private.encode()))
    found = rows("SELECT private FROM account WHERE public = ?", public.encode())
    if not found:
        raise Refused("public-key-unknown", public)
    return found[0][0].decode()


def verify_query(q, public, private):
    pairs = [tuple(decode(x, "query-malformed") for x in piece.partition("=")[::2]) for piece in q["query"].split("&") if piece]
    signatures = [v for n, v in pairs if n == "Signature"]
    if len(signatures) > 1:
        raise Refused("parameter-repeated", "Signature")
    load([(n, v, 1) for n, v in pairs])
    if not signatures or not signatures[0]:
        raise Refused("signature-missing")
    has("Action", "PublicKey")
    given = rows("SELECT text FROM leaf WHERE name = ?", b"PublicKey")[0][0].decode()
    if sha(private_of(given, public, private)) != signatures[0]:
        raise Refused("signature-mismatch")
    return {"publicKey": given}


def verify_authorization(q, public, private):
    text = header_text(q["method"], q)
    found = rows("SELECT value FROM header WHERE name = ?", b"authorization")
    if not found:
        raise Refused("authorization-missing")
    m = re.fullmatch(r"([^ ]*) ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", found[0][0].decode(), re.S)
    if len(found) > 1 or not m or m[1] != WORDS["scheme"]:
        raise Refused("authorization-malformed")
    if m[4] is not None and (q["method"].upper() not in ("PUT", "POST") or not is_policy(m[4])):
        raise Refused("authorization-malformed", "policy")
    if mac(private_of(m[2], public, private), text + (m[4] or "")) != m[3]:
        raise Refused("signature-mismatch")
    return {"publicKey": m[2]}


def is_policy(policy):
    m = re.fullmatch("([A-Za-z0-9+/]*)=*|([A-Za-z0-9_-]*)=*", policy)
    if not m:
        return False
    body = (m[1] if m[1] is not None else m[2]).translate({45: 43, 95: 47})
    try:
        return type(json.loads(base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode())) is dict
    except (ValueError, RecursionError):
        return False


serve("tables", {"url-encode": lambda q, public, private: {"encoded": escape(q["text"])}, "action-signature": action_signature, "action-json": action_json, "action-query": action_query,
                 "bucket-request": bucket_request, "authorization": authorization, "policy-authorization": policy_authorization, "instant-upload": instant, "form-authorization": form,
                 "presigned-url": presigned, "verify-query": verify_query, "verify-authorization": verify_authorization})
