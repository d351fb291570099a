"""Pre-signed URLs in an unusual, legal form: Signature first, slashes of the key escaped."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from urllib.parse import quote
from proto import run


def escaped(s):
    return quote(s, safe='')


def url(i, pub, pri, d):
    heads = {}
    for n, v in i['headers']:
        n = n.strip(' \t').lower()
        if n.startswith(d['headerPrefix'].lower()):
            heads.setdefault(n, []).append(re.sub(r'[ \t]*(\r?\n[ \t]+)+', ' ', v).strip(' \t'))
    s = '\n'.join([i['method'].upper(), '', '', i['expires']] + [n + ':' + ','.join(heads[n]) for n in sorted(heads)]
                  + [f"/{i['bucket']}/{i['key']}"])
    sig = base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode()
    key = escaped(i['key'])
    return (f"{i['scheme']}://{i['bucket']}.{i['fileHost']}/{key}?Signature={escaped(sig)}"
            f"&Expires={escaped(i['expires'])}&{d['publicKeyParameter']}={escaped(pub)}")


run('correct-signature-first', {'presigned-url': url})
