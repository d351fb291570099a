#!/usr/bin/env python3
"""A unit in Delphi (TStringList, TNetEncoding, FloatToStr), for an accounting program.

1. TStringList.Sorted with CaseSensitive = False: sorts regardless of case, and with dupIgnore a name that differs from an earlier one in case only
   is dropped, from the signed text and from what is sent.
2. FloatToStr for numbers with a fraction: 15 digits, and the decimal comma of the system's locale in the signed text (the sent one is right).
3. TNetEncoding.Base64 puts CR LF after each 76 characters of a Password (not at its end).
4. Headers are kept as Name=Value and taken apart with Split(['='])[1]: the value of an extra header ends before its first equals sign.
5. ShortString for names: an extra header's name is cut after 31 characters, so two long ones may become one.
"""
import base64, hashlib, hmac, json, os, re, sys
from decimal import Decimal, Context

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Refused, serve, WORDS  # noqa: E402


class TStringList:
    def __init__(self):
        self.Strings, self.Objects = [], []

    def Add(self, s, obj):
        key = s.casefold()
        lo, hi = 0, len(self.Strings)
        while lo < hi:
            mid = (lo + hi) // 2
            if self.Strings[mid].casefold() < key:
                lo = mid + 1
            else:
                hi = mid
        if lo < len(self.Strings) and self.Strings[lo].casefold() == key:
            if self.Strings[lo] == s:
                raise Refused("parameter-repeated", s)
            return
        self.Strings.insert(lo, s)
        self.Objects.insert(lo, obj)


class TParam:
    def __init__(self, signed, sent, json_):
        self.signed, self.sent, self.json = signed, sent, json_


def FloatToStr(text):
    return format(Context(prec=15).create_decimal(text).normalize(), "f")


def TextOf(value):
    if isinstance(value, bool):
        t = "true" if value else "false"
        return TParam(t, t, t)
    if isinstance(value, str):
        return TParam(value, value, json.dumps(value))
    w = value["number"]
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", w):
        raise Refused("number", "''%s'' is not a valid floating point value" % w)
    t = format(Decimal(w), "f")
    if "." in t:
        t = t.rstrip("0").rstrip(".")
    t = "0" if t == "-0" else t
    if "." in t:
        t = FloatToStr(t)
    return TParam(t.replace(".", ","), t, t)


def AddParam(list_, name, value):
    if value is None:
        raise Refused("parameter-null", name)
    if isinstance(value, dict) and "list" in value:
        i = 0
        while i < len(value["list"]):
            AddParam(list_, name + "." + str(i), value["list"][i])
            i += 1
    elif isinstance(value, dict) and "object" in value:
        for k, v in value["object"]:
            AddParam(list_, name + "." + k, v)
    else:
        list_.Add(name, TextOf(value))


def Params(q):
    list_ = TStringList()
    for name, value in q["parameters"]:
        if name != "Signature":
            AddParam(list_, name, value)
    return list_


def SHA1(list_, private):
    s = ""
    for i in range(len(list_.Strings)):
        s = s + list_.Strings[i] + list_.Objects[i].signed
    return hashlib.sha1((s + private).encode()).hexdigest().lower()


def Encode(s):
    r = ""
    for b in s.encode():
        if chr(b) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~":
            r = r + chr(b)
        else:
            r = r + "%" + "0123456789ABCDEF"[b >> 4] + "0123456789ABCDEF"[b & 15]
    return r


def Need(list_):
    for name in ("Action", "PublicKey"):
        if name not in list_.Strings:
            raise Refused("parameter-missing", name)


def Query(q, public, private):
    list_ = Params(q)
    Need(list_)
    r = ""
    for i in range(len(list_.Strings)):
        r = r + Encode(list_.Strings[i]) + "=" + Encode(list_.Objects[i].sent) + "&"
    return {"query": r + "Signature=" + SHA1(list_, private)}


def Body(q, public, private):
    list_ = Params(q)
    Need(list_)
    r = "{"
    for i in range(len(list_.Strings)):
        r = r + json.dumps(list_.Strings[i]) + ":" + list_.Objects[i].json + ","
    return {"body": r + '"Signature":"' + SHA1(list_, private) + '"}'}


def Password(q, public, private):
    s = base64.b64encode(q["text"].encode()).decode()
    return {"value": "\r\n".join(s[i:i + 76] for i in range(0, len(s), 76))}


def Unfold(value):
    value = re.sub(r"[ \t]*(?:\r?\n[ \t]+)+", " ", value).strip(" \t")
    value.encode()
    return value


def Headers(q):
    list_ = []
    for name, value in q["headers"]:
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise Refused("header-name", name)
        value = Unfold(value)
        if re.search("[\r\n\0]", value):
            raise Refused("header-value", name)
        list_.append((name.lower(), value))
    return list_


def Value(list_, name):
    r = None
    for n, v in list_:
        if n == name:
            if r is not None:
                raise Refused("header-repeated", name)
            r = v
    return r or ""


def Extra(list_):
    merged = {}
    for n, v in list_:
        if n.startswith(WORDS["headerPrefix"].lower()):
            merged.setdefault(n[:31], []).append(v.split("=")[0])
    return "".join(n + ":" + ",".join(merged[n]) + "\n" for n in sorted(merged))


def Check(method, q):
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", method):
        raise Refused("method", method)
    if q["bucket"] == "" or q["bucket"].find("/") >= 0:
        raise Refused("bucket", q["bucket"])


def Credentials(public, private, text):
    return WORDS["scheme"] + " " + public + ":" + base64.b64encode(hmac.new(private.encode(), text.encode(), "sha1").digest()).decode()


def Authorization(q, public, private):
    h = Headers(q)
    Check(q["method"], q)
    return {"authorization": Credentials(public, private, q["method"].upper() + "\n" + Value(h, "content-md5") + "\n" + Value(h, "content-type") + "\n" + Value(h, "date") + "\n" + Extra(h) + "/" + q["bucket"] + "/" + q["key"])}


def Form(q, public, private):
    h = Headers(q)
    Check("POST", q)
    f = []
    for name, value in q["fields"]:
        if name in ("Content-Type", "Content-MD5"):
            f.append((name, Unfold(value)))
            if re.search("[\r\n\0]", f[-1][1]):
                raise Refused("header-value", name)
    md5 = Value(h, "content-md5") if any(n == "content-md5" for n, _ in h) else Value(f, "Content-MD5")
    return {"authorization": Credentials(public, private, "POST\n" + md5 + "\n" + Value(f, "Content-Type") + "\n" + Value(h, "date") + "\n" + Extra(h) + "/" + q["bucket"] + "/" + q["key"])}


serve("delphi", {"url-encode": lambda q, public, private: {"encoded": Encode(q["text"])}, "password": Password,
                 "action-signature": lambda q, public, private: {"signature": SHA1(Params(q), private)}, "action-query": Query, "action-json": Body,
                 "authorization": Authorization, "form-authorization": Form})
