"""A trie of names instead of sorting."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, hmac, base64, re
from proto import run, Refused


class Trie:
    def __init__(self):
        self.kids, self.values = {}, []

    def add(self, name, value):
        t = self
        for b in name.encode():
            t = t.kids.setdefault(b, Trie())
        t.values.append(value)

    def walk(self):
        stack = [(b'', self)]
        while stack:
            at, t = stack.pop()
            if t.values:
                yield at.decode(), t.values
            for b in sorted(t.kids, reverse=True):
                stack.append((at + bytes([b]), t.kids[b]))


def fixed(t):
    """Decimal text by moving the point in a list of digits."""
    minus = t.startswith('-')
    mant, _, e = t.lstrip('-').lower().partition('e')
    ds = list(mant.replace('.', ''))
    at = (mant.index('.') if '.' in mant else len(mant)) + int(e or 0)
    while at < 1:
        ds.insert(0, '0')
        at += 1
    while len(ds) < at:
        ds.append('0')
    while len(ds) > at and ds[-1] == '0':
        ds.pop()
    while at > 1 and ds[0] == '0':
        ds.pop(0)
        at -= 1
    r = ''.join(ds[:at]) + ('.' + ''.join(ds[at:]) if ds[at:] else '')
    return '-' + r if minus and r != '0' else r


def sow(t, n, v):
    if isinstance(v, dict):
        (k, x), = v.items()
        if k == 'number':
            t.add(n, fixed(x))
        for a, b in [] if k == 'number' else x if k == 'object' else enumerate(x):
            sow(t, f'{n}.{a}', b)
    elif v is not None:
        t.add(n, v if isinstance(v, str) else 'true' if v else 'false')


def action(i, pub, pri, d):
    t = Trie()
    for n, v in i['parameters']:
        n == 'Signature' or sow(t, n, v)
    s = ''
    for n, vs in t.walk():
        if len(vs) > 1:
            raise Refused('parameter-repeated', n)
        s += n + vs[0]
    return hashlib.sha1((s + pri).encode()).hexdigest()


def auth(i, pub, pri, d):
    t, top = Trie(), {}
    for n, v in i['headers']:
        n, v = n.strip(' \t').lower(), re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t')
        t.add(n, v)
    lines, pos = [], dict.fromkeys(('content-md5', 'content-type', 'date'), '')
    for n, vs in t.walk():
        if n in pos:
            pos[n] = vs[0]
        if n.startswith(d['headerPrefix'].lower()):
            lines.append(n + ':' + ','.join(vs))
    s = '\n'.join([i['method'].upper(), *pos.values(), *lines, f"/{i['bucket']}/{i['key']}"])
    return d['scheme'] + ' ' + pub + ':' + base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode()


run('correct-trie', {'action-signature': action, 'authorization': auth})
