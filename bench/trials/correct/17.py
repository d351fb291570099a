"""Verifies the Authorization header with a hand-written scanner."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, binascii, json
from proto import run, Refused


class Scanner:
    def __init__(self, s):
        self.s, self.p = s, 0

    def expect(self, lit):
        if self.s[self.p:self.p + len(lit)] != lit:
            raise Refused('authorization-malformed', 'expected %r' % lit)
        self.p += len(lit)

    def until(self, stop):
        q = self.p
        while self.p < len(self.s) and self.s[self.p] not in stop:
            self.p += 1
        if q == self.p:
            raise Refused('authorization-malformed', 'nothing there')
        return self.s[q:self.p]

    @property
    def done(self):
        return self.p == len(self.s)


def fold(v):
    r, k = [], 0
    while k < len(v):
        j = k
        while j < len(v) and v[j] in ' \t\r\n':
            j += 1
        run_ = v[k:j]
        if run_:
            r.append(' ' if '\n' in run_ else run_)
        else:
            r.append(v[k])
            j = k + 1
        k = j
    return ''.join(r).strip(' \t')


def is_policy(t):
    try:
        return isinstance(json.loads(base64.b64decode(t.replace('-', '+').replace('_', '/'), validate=True)), dict)
    except ValueError:
        return False


def verify(i, pub, pri, d):
    h = sorted(((n.strip(' \t').lower(), fold(v)) for n, v in i['headers']), key=lambda x: x[0])
    a = [v for n, v in h if n == 'authorization']
    if len(a) != 1:
        raise Refused('authorization-malformed' if a else 'authorization-missing')
    sc = Scanner(a[0])
    sc.expect(d['scheme'] + ' ')
    who = sc.until(': ')
    sc.expect(':')
    given = sc.until(': ')
    tail = ''
    if not sc.done:
        sc.expect(':')
        tail = sc.until(': ')
        if not sc.done or i['method'].upper() not in ('PUT', 'POST') or not is_policy(tail):
            raise Refused('authorization-malformed')
    if who != pub:
        raise Refused('public-key-unknown')
    s = i['method'].upper() + '\n'
    for want in ('content-md5', 'content-type', 'date'):
        got = [v for n, v in h if n == want]
        if len(got) > 1:
            raise Refused('header-repeated')
        s += ''.join(got) + '\n'
    last = None
    for n, v in h:
        if n.startswith(d['headerPrefix'].lower()):
            s = s[:-1] + ',' + v + '\n' if n == last else s + n + ':' + v + '\n'
            last = n
    s += '/' + i['bucket'] + '/' + i['key'] + tail
    if not hmac.compare_digest(base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')), given.encode()):
        raise Refused('signature-mismatch')
    return who


run('correct-scanner', {'verify-authorization': verify})
