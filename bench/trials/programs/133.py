"""Port of a C# (.NET) file library that signs and verifies headers.

Mistakes:
1. Extra header names are sorted with a culture-sensitive comparison that ignores hyphens in the first pass and only breaks ties
   by the full names, so x-svc-foobar comes before x-svc-foo-z.
2. The values of a repeated extra header are joined with a comma and a space (HttpHeaders.ToString()).
3. verify-authorization decodes policies with Convert.FromBase64String: a policy in the URL-safe alphabet (with - or _) or
   without its padding is refused as authorization-malformed.
"""
import base64
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from files import credentials, grouped, header, mac, parse, resource, verb  # noqa: E402
from serving import WORDS, Refused, serve  # noqa: E402


def is_policy(policy):
    try:
        return isinstance(json.loads(base64.b64decode(policy, validate=True).decode()), dict)
    except (ValueError, RecursionError):
        return False


def canonical(headers):
    groups = grouped(headers)
    names = sorted(groups, key=lambda name: (name.replace("-", ""), name))
    return "".join(name + ":" + ", ".join(groups[name]) + "\n" for name in names)


def sign_text(given):
    headers = parse(given["headers"])
    return "\n".join([verb(given["method"]), header(headers, "content-md5"), header(headers, "content-type"),
                      header(headers, "date"), canonical(headers) + resource(given["bucket"], given["key"])])


def authorization(given, public, private):
    return {"authorization": credentials(public, mac(sign_text(given), private))}


def policy_authorization(given, public, private):
    policy = given["policy"]
    value = credentials(public, mac(sign_text(given) + policy, private))
    return {"authorization": value + ":" + policy if policy else value}


def policy(given, public, private):
    pairs = [json.dumps(n, ensure_ascii=False) + ":" + json.dumps(v, ensure_ascii=False) for n, v in given["members"]]
    return {"policy": base64.urlsafe_b64encode(("{" + ",".join(pairs) + "}").encode()).decode()}


def verify_authorization(given, public, private):
    headers = parse(given["headers"])
    text = "\n".join([verb(given["method"]), header(headers, "content-md5"), header(headers, "content-type"),
                      header(headers, "date"), canonical(headers) + resource(given["bucket"], given["key"])])
    values = [v for n, v in headers if n == "authorization"]
    if not values:
        raise Refused("authorization-missing", "none")
    match = re.fullmatch(re.escape(WORDS["scheme"]) + r" ([^: \t]+):([^: \t]+)(?::([^: \t]+))?", values[0])
    if len(values) > 1 or not match:
        raise Refused("authorization-malformed", "not Scheme key:signature")
    policy = match[3]
    if policy is not None:
        if given["method"].upper() not in ("PUT", "POST") or not is_policy(policy):
            raise Refused("authorization-malformed", "no policy here")
        text += policy
    if match[1] != public:
        raise Refused("public-key-unknown", "unknown")
    if mac(text, private) != match[2]:
        raise Refused("signature-mismatch", "differs")
    return {"publicKey": public}


serve("csharp-files", {"authorization": authorization, "policy-authorization": policy_authorization, "policy": policy,
                       "verify-authorization": verify_authorization})
