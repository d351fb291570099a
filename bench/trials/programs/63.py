#!/usr/bin/env python3
"""A CPAN-like module in Perl (hashes, ||, MIME::Base64, URI::Escape), by a sysadmin.

1. $header{'content-type'} || '' : a value that is 0 is false, so it is signed as an empty line (also Content-MD5 and Date).
2. encode_base64 without '' as its second argument: the Password has a line feed after each 76 characters and at its end.
3. uri_escape (not uri_escape_utf8): a text whose characters are all below U+0100 is escaped as Latin-1.
4. next unless $value: parameters that are empty or 0 are left out of the query, though they are signed.
5. A form has its md5 from the form field first, and the header only if the field is missing.
"""
import base64, hashlib, hmac, json, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


def uri_escape(text):
    text.encode("utf-8")
    data = text.encode("latin-1") if all(ord(c) < 256 for c in text) else text.encode("utf-8")
    return "".join(chr(c) if re.match(rb"[A-Za-z0-9_.~-]", bytes([c])) else sprintf("%%%02X", c) for c in data)


def sprintf(format_, *values):
    return format_ % values


def numify(written):
    if re.match(r"^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?\Z", written, re.A) is None:
        die("number", "isn't numeric")
    text = format(Decimal(written), "f")
    text = re.sub(r"\.?0+\Z", "", text) if "." in text else text
    return "0" if text in ("-0", "", "-") else text


def die(reason, why=""):
    raise Refused(reason, why + " at Auth.pm line 1.")


def flatten(param, name, value):
    kind = "null" if value is None else "bool" if isinstance(value, bool) else "text" if isinstance(value, str) else list(value)[0]
    if kind == "null":
        die("parameter-null")
    if kind == "list":
        [flatten(param, name + "." + str(i), v) for i, v in enumerate(value["list"])]
        return
    if kind == "object":
        [flatten(param, name + "." + k, v) for k, v in value["object"]]
        return
    name in param and die("parameter-repeated", name)
    param[name] = {"text": lambda: value, "bool": lambda: "true" if value else "false", "number": lambda: numify(value["number"])}[kind]()


def param_of(q):
    param = {}
    for name, value in q["parameters"]:
        name == "Signature" or flatten(param, name, value)
    return param


def sha1_hex(param, private):
    return hashlib.sha1("".join([k + param[k] for k in sorted(param, key=lambda k: k.encode("utf-8"))] + [private]).encode("utf-8")).hexdigest()


def query(q, public, private):
    param = param_of(q)
    for wanted in ("Action", "PublicKey"):
        wanted in param or die("parameter-missing", wanted)
    pairs = []
    for k in sorted(param):
        if param[k] in ("", "0"):
            continue
        pairs.append(uri_escape(k) + "=" + uri_escape(param[k]))
    return {"query": "&".join(pairs + ["Signature=" + sha1_hex(param, private)])}


def header_of(q):
    header = {}
    for name, value in q["headers"]:
        re.match(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z", name) or die("header-name", name)
        header.setdefault(name.lower(), []).append(tidy(value))
    return header


def tidy(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    re.search(r"[\r\n\0]", value) and die("header-value")
    value.encode("utf-8")
    return value


def scalar(hash_, name):
    values = hash_.get(name, [])
    len(values) > 1 and die("header-repeated", name)
    return values[0] if values and values[0] not in ("", "0") else ""


def text_for(method, md5, mime, header, q):
    q["bucket"] and "/" not in q["bucket"] or die("bucket")
    lines = [method, md5, mime, scalar(header, "date")]
    lines += ["%s:%s" % (k, ",".join(header[k])) for k in sorted(header) if k.startswith(WORDS["headerPrefix"].lower())]
    return "\n".join(lines + ["/" + q["bucket"] + "/" + q["key"]])


def credential(public, private, text):
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], public, base64.b64encode(hmac.new(private.encode("utf-8"), text.encode("utf-8"), "sha1").digest()).decode())}


def authorization(q, public, private):
    header = header_of(q)
    re.match(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z", q["method"]) or die("method")
    return credential(public, private, text_for(q["method"].upper(), scalar(header, "content-md5"), scalar(header, "content-type"), header, q))


def form(q, public, private):
    header, field = header_of(q), {}
    for name, value in q["fields"]:
        if name in ("Content-MD5", "Content-Type"):
            field.setdefault(name, []).append(tidy(value))
    md5 = scalar(field, "Content-MD5") if "Content-MD5" in field else scalar(header, "content-md5")
    return credential(public, private, text_for("POST", md5, scalar(field, "Content-Type"), header, q))


def password(q, public, private):
    return {"value": base64.encodebytes(q["text"].encode("utf-8")).decode()}


def policy(q, public, private):
    text = "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in q["members"]) + "}"
    "".join(n + v for n, v in q["members"]).encode("utf-8")
    return {"policy": base64.urlsafe_b64encode(text.encode("utf-8")).decode()}


serve("perl-module", {"url-encode": lambda q, public, private: {"encoded": uri_escape(q["text"])}, "password": password,
                      "action-signature": lambda q, public, private: {"signature": sha1_hex(param_of(q), private)}, "action-query": query,
                      "authorization": authorization, "form-authorization": form, "policy": policy})
