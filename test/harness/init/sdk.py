"""Stands for an SDK: signs a request by §5.2 and refuses what HTTP cannot carry. It is an untidy one: it prints and warns."""
import base64
import hmac
import os
import re
import warnings

from signing import Refused

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
FOLD = re.compile(r"[ \t]*(?:\r?\n[ \t]+)+")


def refuse_if(condition, reason):
    if condition:
        raise Refused(reason, "no")


def authorization(given, keys, dialect):
    print("a line of the SDK", flush=True)
    os.write(1, b"a line of its C library\n")
    warnings.warn("a deprecation", DeprecationWarning, stacklevel=1)
    refuse_if(not TOKEN.fullmatch(given["method"]), "method")
    refuse_if(given["bucket"] == "" or "/" in given["bucket"], "bucket")
    headers = {}
    for name, value in given["headers"]:
        name, value = name.strip(" \t"), FOLD.sub(" ", value)
        refuse_if(not TOKEN.fullmatch(name), "header-name")
        refuse_if(re.search("[\r\n\0]", value), "header-value")
        headers.setdefault(name.lower(), []).append(value.strip(" \t"))
    lines = [",".join(headers.get(name, [])) for name in ("content-md5", "content-type", "date")]
    prefix = dialect["headerPrefix"].lower()
    extra = ["%s:%s\n" % (name, ",".join(headers[name])) for name in sorted(headers) if name.startswith(prefix)]
    text = "\n".join([given["method"].upper(), *lines, "".join(extra)]) + "/%s/%s" % (given["bucket"], given["key"])
    mac = hmac.new(keys["privateKey"].encode(), text.encode(), "sha1").digest()
    return "%s %s:%s" % (dialect["scheme"], keys["publicKey"], base64.b64encode(mac).decode())
