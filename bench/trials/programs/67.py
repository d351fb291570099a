#!/usr/bin/env python3
"""A category in Objective-C (NSString, NSURLComponents, CommonCrypto), after ten years of iOS.

1. CCHmac(..., [text UTF8String], [text length], ...): with characters beyond ASCII the end of the string to sign is not hashed.
2. URLQueryAllowedCharacterSet leaves the + of a Signature, and ! $ & ' ( ) * + , / : ; = ? @ elsewhere in queries, as they are.
3. @YES is an NSNumber whose stringValue is 1, so booleans are signed, and put into queries, as 1 and 0.
4. caseInsensitiveCompare: sorts the names of parameters regardless of case.
"""
import base64, hashlib, hmac, json, os, re, sys
from decimal import Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


class NSString(str):
    def length(self):
        return len(self.encode("utf-16-le")) // 2

    def UTF8String(self):
        return self.encode("utf-8")

    def escaped(self, allowed):
        return NSString("".join(chr(c) if chr(c) in allowed else "%%%02X" % c for c in self.UTF8String()))

    def trimmed(self):
        return NSString(re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", self).strip(" \t"))


UNRESERVED = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
URLQueryAllowed = UNRESERVED | set("!$&'()*+,/:;=?@")


class NSDictionary:
    def __init__(self, pairs):
        self.rows = {}
        for name, value in pairs:
            if name != "Signature":
                self.setValue(name, value)

    def setValue(self, name, value):
        if value is None:
            raise Refused("parameter-null", "NSNull")
        if isinstance(value, dict) and "number" not in value:
            for key, item in (enumerate(value["list"]) if "list" in value else value["object"]):
                self.setValue(name + "." + str(key), item)
            return
        if name in self.rows:
            raise Refused("parameter-repeated", name)
        if isinstance(value, bool):
            self.rows[name] = ("1" if value else "0", "true" if value else "false")
        elif isinstance(value, str):
            self.rows[name] = (value, json.dumps(value))
        else:
            self.rows[name] = (NSDecimalNumber(value["number"]),) * 2

    def sortedKeys(self):
        return sorted(sorted(self.rows), key=str.casefold)

    def signature(self, private):
        text = NSString("".join(k + self.rows[k][0] for k in self.sortedKeys()) + private)
        return hashlib.sha1(text.UTF8String()).hexdigest()

    def require(self):
        for k in ("Action", "PublicKey"):
            if k not in self.rows:
                raise Refused("parameter-missing", k)


def NSDecimalNumber(written):
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", written):
        raise Refused("number", written)
    whole, dot, part = format(Decimal(written), "f").partition(".")
    part = part.rstrip("0")
    text = whole + ("." + part if part else "")
    return "0" if text == "-0" else text


def JSONBody(q, public, private):
    d = NSDictionary(q["parameters"])
    d.require()
    return {"body": "{\n" + "".join("  %s : %s,\n" % (json.dumps(k), d.rows[k][1]) for k in d.sortedKeys()) + '  "Signature" : "%s"\n}' % d.signature(private)}


def queryString(q, public, private):
    d = NSDictionary(q["parameters"])
    d.require()
    return {"query": "&".join(NSString(k).escaped(URLQueryAllowed) + "=" + NSString(d.rows[k][0]).escaped(URLQueryAllowed) for k in d.sortedKeys()) + "&Signature=" + d.signature(private)}


class Request:
    def __init__(self, q, method):
        self.fields, self.q = [], q
        for name, value in q["headers"]:
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise Refused("header-name", name)
            value = NSString(value).trimmed()
            value.UTF8String()
            if re.search("[\r\n\0]", value):
                raise Refused("header-value", name)
            self.fields.append((name.lower(), value))
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", method):
            raise Refused("method", method)
        if not q["bucket"] or "/" in q["bucket"]:
            raise Refused("bucket", q["bucket"])
        self.method = method.upper()

    def valueForHTTPHeaderField(self, name):
        values = [v for n, v in self.fields if n == name]
        if len(values) > 1:
            raise Refused("header-repeated", name)
        return values[0] if values else ""

    def rest(self):
        prefix, out = WORDS["headerPrefix"].lower(), ""
        for name in sorted({n for n, _ in self.fields if n.startswith(prefix)}):
            out += name + ":" + ",".join(v for n, v in self.fields if n == name) + "\n"
        return out + "/" + self.q["bucket"] + "/" + self.q["key"]

    def headerText(self):
        return "\n".join([self.method] + [self.valueForHTTPHeaderField(n) for n in ("content-md5", "content-type", "date")] + [self.rest()])


def CCHmac(private, text):
    text = NSString(text)
    data = text.UTF8String()[:text.length()]
    return base64.b64encode(hmac.new(private.encode(), data, hashlib.sha1).digest()).decode()


def authorization(q, public, private):
    return {"authorization": "%s %s:%s" % (WORDS["scheme"], public, CCHmac(private, Request(q, q["method"]).headerText()))}


def uploadHit(q, public, private):
    values = [NSString(q[k]).escaped(UNRESERVED) for k in ("etag", "key", "size")]
    return {"target": "/uploadhit?Hash=%s&FileName=%s&FileSize=%s" % tuple(values), "authorization": "%s %s:%s" % (WORDS["scheme"], public, CCHmac(private, Request(q, "POST").headerText()))}


def presigned(q, public, private):
    r = Request(q, q["method"])
    items = [(WORDS["publicKeyParameter"], public), ("Expires", q["expires"]), ("Signature", CCHmac(private, r.method + "\n\n\n" + q["expires"] + "\n" + r.rest()))]
    allowed = URLQueryAllowed - set("&=")
    return {"url": q["scheme"] + "://" + q["bucket"] + "." + q["fileHost"] + "/" + NSString(q["key"]).escaped(UNRESERVED | {"/"}) + "?" + "&".join(n + "=" + NSString(v).escaped(allowed) for n, v in items)}


serve("category", {"url-encode": lambda q, public, private: {"encoded": NSString(q["text"]).escaped(UNRESERVED)},
                   "action-signature": lambda q, public, private: {"signature": NSDictionary(q["parameters"]).signature(private)}, "action-json": JSONBody, "action-query": queryString,
                   "authorization": authorization, "instant-upload": uploadHit, "presigned-url": presigned})
