"""Pre-signed URLs in an unusual, legal form: Signature first, every byte escaped, slashes of the key too."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from proto import run


def all_escaped(s):
    return ''.join('%%%02X' % b for b in s.encode())


def url(i, pub, pri, d):
    heads = {}
    for n, v in i['headers']:
        n = n.strip(' \t').lower()
        if n.startswith(d['headerPrefix'].lower()):
            heads.setdefault(n, []).append(re.sub(r'[ \t]*(\r?\n[ \t]+)+', ' ', v).strip(' \t'))
    s = '\n'.join([i['method'].upper(), '', '', i['expires']] + [n + ':' + ','.join(heads[n]) for n in sorted(heads)]
                  + [f"/{i['bucket']}/{i['key']}"])
    sig = base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode()
    key = all_escaped(i['key'])
    return (f"{i['scheme']}://{i['bucket']}.{i['fileHost']}/{key}?Signature={all_escaped(sig)}"
            f"&Expires={all_escaped(i['expires'])}&{d['publicKeyParameter']}={all_escaped(pub)}")


run('correct-odd-url', {'presigned-url': url})
