"""Flask view that verifies pre-signed URLs.

Mistakes:
 M1 (line 26) Expires and now are compared as texts; isdigit() takes digits of other scripts.
 M2 (line 29) unquote_plus() for the path: a "+" in the path becomes a space; a bad %XY or bad UTF-8 in it passes.
 M3 (line 35) The method is taken for GET, whatever was asked.
 M4 (line 28) The bucket is everything before the first dot of the host, whatever the host is.
 M5 (line 18) A "+" in the signature has become a space in the query and is put back with replace(' ', '+'); empty values are dropped by parse_qs; of a repeated name the first counts.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from urllib.parse import urlsplit, unquote_plus, parse_qs
from proto import run, Refused


def view(i, pub, pri, d):
    u = urlsplit(i['url'])
    args = {k: v[0] for k, v in parse_qs(u.query).items()}  # M5
    if d['publicKeyParameter'] not in args or args[d['publicKeyParameter']] != pub:
        raise Refused('public-key-unknown')
    if 'Signature' not in args:
        raise Refused('signature-missing')
    expires = args.get('Expires', '')
    if not expires.isdigit():
        raise Refused('expires-malformed')
    if expires < i['now']:  # M1
        raise Refused('expired')
    bucket = u.netloc.split('.')[0]  # M4
    key = unquote_plus(u.path)[1:]  # M2
    extra = {}
    for n, v in i['headers']:
        n = n.lower().strip()
        if n.startswith(d['headerPrefix'].lower()):
            extra.setdefault(n, []).append(re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t'))
    s = 'GET\n\n\n' + expires + '\n'  # M3
    s += ''.join(n + ':' + ','.join(extra[n]) + '\n' for n in sorted(extra)) + '/' + bucket + '/' + key
    want = base64.b64encode(hmac.new(pri.encode(), s.encode(), 'sha1').digest()).decode()
    if want != args['Signature'].replace(' ', '+'):
        raise Refused('signature-mismatch')
    return pub


run('naive-flask-verify', {'verify-presigned-url': view})
