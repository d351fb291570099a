#!/usr/bin/env python3
"""A Lua module (tables, string.gsub, string.format), for a router's firmware.

1. The usual urlencode of Lua: gsub("\n", "\r\n") goes first, so a line feed is escaped as %0D%0A.
2. The headers are a table: of a repeated name the last value counts, also of an extra header.
3. ("%.14g"):format(n) for every number that is no integer of 64 bits: 14 digits, and an exponent for great or small ones.
4. The HMAC of the firmware hashes a key of 64 bytes or more (>= instead of >), and a longer one into hexadecimal digits.
"""
import base64, hashlib, json, os, re, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


def gsub(text, pattern, with_):
    return re.sub(pattern, with_, text, flags=re.S)


def urlencode(text):
    text.encode()
    text = gsub(text, "\n", "\r\n")
    return gsub(text, r"[^A-Za-z0-9_.~-]", lambda m: "".join("%%%02X" % c for c in m[0].encode()))


def tostring(v):
    if v is True or v is False:
        return "true" if v else "false"
    if isinstance(v, str):
        return v
    written = v["number"]
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", "malformed number near '%s'" % written)
    if re.fullmatch("-?[0-9]+", written) and -2 ** 63 <= int(written) < 2 ** 63:
        return str(int(written))
    text = "%.14g" % float(written)
    return "0" if text == "-0" else text


def walk(t, name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, dict) and "list" in value:
        for i in range(len(value["list"])):
            walk(t, name + "." + str(i), value["list"][i])
    elif isinstance(value, dict) and "object" in value:
        for k, v in value["object"]:
            walk(t, name + "." + k, v)
    else:
        if name in t:
            raise Refused("parameter-repeated", name)
        t[name] = (tostring(value), value)


def parameters(q):
    t = {}
    for name, value in q["parameters"]:
        if name != "Signature":
            walk(t, name, value)
    return t


def keys(t):
    return sorted(t, key=lambda k: k.encode())


def sha1(t, private):
    return hashlib.sha1(("".join(k + t[k][0] for k in keys(t)) + private).encode()).hexdigest()


def needed(t, *names):
    for name in names:
        if name not in t:
            raise Refused("parameter-missing", name)


def action_query(q, public, private):
    t = parameters(q)
    needed(t, "Action", "PublicKey")
    return {"query": "&".join([urlencode(k) + "=" + urlencode(t[k][0]) for k in keys(t)] + ["Signature=" + sha1(t, private)])}


def bucket_request(q, public, private):
    out = action_query(q, public, private)["query"]
    t = parameters(q)
    if t["Action"][0] == "CreateBucket":
        needed(t, "Type", "BucketName")
    return {"target": "/?" + out}


def action_json(q, public, private):
    t = parameters(q)
    needed(t, "Action", "PublicKey")
    rows = [json.dumps(k) + ":" + (json.dumps(t[k][1]) if isinstance(t[k][1], str) else t[k][0]) for k in keys(t)]
    return {"body": "{" + ",".join(rows + ['"Signature":"%s"' % sha1(t, private)]) + "}"}


def hmac_sha1(key, text):
    key = key.encode()
    if len(key) > 64:
        key = hashlib.sha1(key).hexdigest().encode()
    elif len(key) == 64:
        key = hashlib.sha1(key).digest()
    key += b"\0" * (64 - len(key))
    inner = hashlib.sha1(bytes(c ^ 0x36 for c in key) + text.encode()).digest()
    return base64.b64encode(hashlib.sha1(bytes(c ^ 0x5C for c in key) + inner).digest()).decode()


def header_table(pairs):
    t = {}
    for name, value in pairs:
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise Refused("header-name", name)
        value = gsub(value, r"[ \t]*(?:\r?\n[ \t]+)+", " ").strip(" \t")
        value.encode()
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        t[name.lower()] = value
    return t


def canonical(t):
    out = []
    for name in sorted(t):
        if name[:len(WORDS["headerPrefix"])] == WORDS["headerPrefix"].lower():
            out.append(name + ":" + t[name] + "\n")
    return "".join(out)


def request(method, q):
    t = header_table(q["headers"])
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", method):
        raise Refused("method", method)
    if not re.fullmatch("[^/]+", q["bucket"], re.S):
        raise Refused("bucket", q["bucket"])
    return t, method.upper()


def authorization(q, public, private, method=None, extra=""):
    t, method = request(method or q["method"], q)
    text = "%s\n%s\n%s\n%s\n%s/%s/%s" % (method, t.get("content-md5", ""), t.get("content-type", ""), t.get("date", ""), canonical(t), q["bucket"], q["key"])
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], public, hmac_sha1(private, text))}


def presigned(q, public, private):
    t, method = request(q["method"], q)
    sig = hmac_sha1(private, method + "\n\n\n" + q["expires"] + "\n" + canonical(t) + "/" + q["bucket"] + "/" + q["key"])
    path = gsub(q["key"], "[^/]+", lambda m: urlencode(m[0]))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (q["scheme"], q["bucket"], q["fileHost"], path, WORDS["publicKeyParameter"], urlencode(public), urlencode(q["expires"]), urlencode(sig))}


serve("lua-module", {
    "url-encode": lambda q, public, private: {"encoded": urlencode(q["text"])},
    "action-signature": lambda q, public, private: {"signature": sha1(parameters(q), private)},
    "action-json": action_json, "action-query": action_query, "bucket-request": bucket_request, "authorization": authorization, "presigned-url": presigned})
