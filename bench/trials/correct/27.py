"""A verifier of headers that takes the scheme in any case, as RFC 9110 section 11.1 says (the suite calls this an open question)."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re, json
from proto import run, Refused


def verify(i, pub, pri, d):
    by = {}
    for n, v in i['headers']:
        by.setdefault(n.strip(' \t').lower(), []).append(re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t'))
    if 'authorization' not in by:
        raise Refused('authorization-missing')
    m = re.fullmatch(r'([A-Za-z0-9-]+) ([^: ]+):([A-Za-z0-9+/]{27}=)(?::([A-Za-z0-9_=+/-]+))?', by['authorization'][0])
    if not m or len(by['authorization']) > 1 or m[1].lower() != d['scheme'].lower():
        raise Refused('authorization-malformed')
    if m[4]:
        try:
            ok = isinstance(json.loads(base64.b64decode(m[4], b'-_' if set(m[4]) & set('-_') else b'+/', validate=True)), dict)
        except ValueError:
            ok = False
        if not ok or i['method'].upper() not in ('PUT', 'POST'):
            raise Refused('authorization-malformed')
    if m[2] != pub:
        raise Refused('public-key-unknown')
    if any(len(by.get(n, ())) > 1 for n in ('content-md5', 'content-type', 'date')):
        raise Refused('header-repeated')
    one = lambda n: by.get(n, [''])[0]
    s = '\n'.join([i['method'].upper(), one('content-md5'), one('content-type'), one('date')]
                  + [n + ':' + ','.join(by[n]) for n in sorted(by) if n.startswith(d['headerPrefix'].lower())]
                  + ['/' + i['bucket'] + '/' + i['key'] + (m[4] or '')])
    if not hmac.compare_digest(base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode(), m[3]):
        raise Refused('signature-mismatch')
    return pub


run('correct-any-scheme-case', {'verify-authorization': verify})
