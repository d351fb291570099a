"""Express middleware that verifies the Authorization header (req.headers has lower-case names).

Mistakes:
 M1 (line 36) The scheme is not looked at: header.split(' ')[1]; what follows another space is ignored.
 M2 (line 39) A third part (policy) is ignored: split(':') and [0], [1].
 M3 (line 50) The public key in the header is not compared with the account's.
 M4 (line 23) Node joins a repeated Content-Type, Content-MD5 or Date by keeping the first; other repeated headers with ", ", a comma and a space,
    and that is what is signed.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from proto import run, Refused


def node_headers(pairs):
    h = {}
    for n, v in pairs:
        n = n.lower()
        v = re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t')
        if n in h:
            if n in ('content-type', 'content-md5', 'date', 'authorization'):
                continue
            h[n] += ', ' + v  # M4
        else:
            h[n] = v
    return h


def middleware(i, pub, pri, d):
    req = node_headers(i['headers'])
    if 'authorization' not in req:
        raise Refused('authorization-missing')
    words = req['authorization'].split(' ')
    if len(words) < 2:
        raise Refused('authorization-malformed')
    parts = words[1].split(':')  # M1
    if len(parts) < 2:
        raise Refused('authorization-malformed')
    access, given = parts[0], parts[1]  # M2
    if not access or not given:
        raise Refused('authorization-malformed')
    s = '\n'.join([i['method'].upper(), req.get('content-md5', ''), req.get('content-type', ''), req.get('date', ''), ''])
    for n in sorted(req):
        if n.startswith(d['headerPrefix'].lower()):
            s += n + ':' + req[n] + '\n'
    s += '/' + i['bucket'] + '/' + i['key']
    want = base64.b64encode(hmac.new(pri.encode(), s.encode(), 'sha1').digest()).decode()
    if not hmac.compare_digest(want.encode(), given.encode()):
        raise Refused('signature-mismatch')
    return access  # M3


run('naive-express-verify', {'verify-authorization': middleware})
