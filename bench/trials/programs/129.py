"""Port of a Java file client (OkHttp, java.util).

Mistakes:
1. The values of extra headers are trimmed with String.trim(), which removes every control character up to U+0020 at both
   ends, not only blanks and tabs.
2. In a form upload without the form field Content-Type, the Content-Type header of the request is signed instead.
3. In a pre-signed URL, the extra headers are in a map: of a repeated one only the last value is signed.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from files import clean, credentials, escape, grouped, header, mac, only, parse, resource, verb  # noqa: E402
from serving import WORDS, serve  # noqa: E402


CONTROLS = "".join(map(chr, range(33)))


def canonical(groups):
    return "".join(name + ":" + ",".join(v.strip(CONTROLS) for v in groups[name]) + "\n" for name in sorted(groups))


def sign_text(given):
    headers = parse(given["headers"])
    return "\n".join([verb(given["method"]), header(headers, "content-md5"), header(headers, "content-type"),
                      header(headers, "date"), canonical(grouped(headers)) + resource(given["bucket"], given["key"])])


def authorization(given, public, private):
    return {"authorization": credentials(public, mac(sign_text(given), private))}


def policy_authorization(given, public, private):
    policy = given["policy"]
    value = credentials(public, mac(sign_text(given) + policy, private))
    return {"authorization": value + ":" + policy if policy else value}


def form_authorization(given, public, private):
    headers = parse(given["headers"])
    fields = [(n, clean(v)) for n, v in given["fields"] if n in ("Content-Type", "Content-MD5")]
    mime = [v for n, v in fields if n == "Content-Type"]
    if not mime:
        mime = [v for n, v in headers if n == "content-type"]
    md5 = [v for n, v in headers if n == "content-md5"] or [v for n, v in fields if n == "Content-MD5"]
    text = "\n".join(["POST", only(md5), only(mime), header(headers, "date"),
                      canonical(grouped(headers)) + resource(given["bucket"], given["key"])])
    return {"authorization": credentials(public, mac(text, private))}


def presigned_url(given, public, private):
    groups = {name: values[-1:] for name, values in grouped(parse(given["headers"])).items()}
    text = "\n".join([verb(given["method"]), "", "", given["expires"],
                      canonical(groups) + resource(given["bucket"], given["key"])])
    path = "/".join(escape(part) for part in given["key"].split("/"))
    return {"url": "%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s" % (
        given["scheme"], given["bucket"], given["fileHost"], path, WORDS["publicKeyParameter"], escape(public),
        escape(given["expires"]), escape(mac(text, private)))}


serve("java-files", {"authorization": authorization, "policy-authorization": policy_authorization,
                     "form-authorization": form_authorization, "presigned-url": presigned_url})
