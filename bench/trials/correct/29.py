"""Strict: refuses whatever the specification leaves open (nulls, repeats, empty lists), and all that is malformed."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, hmac, base64, re
from proto import run, Refused

GRAMMAR = re.compile(r'(?P<s>-?)(?P<w>0|[1-9]\d*)(\.(?P<f>\d+))?([eE](?P<e>[+-]?\d+))?', re.A)
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def number(t):
    m = GRAMMAR.fullmatch(t)
    if not m or abs(int(m['e'] or 0)) > 5000:
        raise Refused('number', t)
    digits, e = m['w'] + (m['f'] or ''), int(m['e'] or 0) - len(m['f'] or '')
    n = int(digits)
    if n == 0:
        return '0'
    if e >= 0:
        return m['s'] + str(n * 10 ** e)
    whole, frac = divmod(n, 10 ** -e)
    frac = str(frac).zfill(-e).rstrip('0')
    return m['s'] + str(whole) + ('.' + frac if frac else '')


def leaves(name, v):
    if v is None:
        raise Refused('parameter-null', name)
    if isinstance(v, (bool, str)):
        return [(name, v if isinstance(v, str) else repr(v).lower())]
    kind, x = next(iter(v.items()))
    if kind == 'number':
        return [(name, number(x))]
    if not x:
        raise Refused('parameter-null', name)
    return sum((leaves(name + '.' + str(k), y) for k, y in (x if kind == 'object' else enumerate(x))), [])


def action(i, pub, pri, d):
    flat = sum((leaves(n, v) for n, v in i['parameters'] if n != 'Signature'), [])
    names = [n for n, _ in flat]
    if len(names) != len(set(names)):
        raise Refused('parameter-repeated')
    for n in ('Action', 'PublicKey'):
        if n not in names:
            raise Refused('parameter-missing', n)
    return hashlib.sha1((''.join(a + b for a, b in sorted(flat)) + pri).encode()).hexdigest()


def auth(i, pub, pri, d):
    if not TOKEN.fullmatch(i['method']):
        raise Refused('method')
    if not i['bucket'] or re.search(r'[/\s\x00-\x1f]', i['bucket']):
        raise Refused('bucket')
    m = {}
    for n, v in i['headers']:
        n = n.strip(' \t')
        if not TOKEN.fullmatch(n):
            raise Refused('header-name', n)
        v = re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t')
        if re.search('[\r\n\x00]', v):
            raise Refused('header-value', n)
        m.setdefault(n.lower(), []).append(v)
    top = [i['method'].upper()]
    for n in 'content-md5', 'content-type', 'date':
        if len(m.get(n, ())) > 1:
            raise Refused('header-repeated', n)
        top += m.get(n, [''])
    ext = [n + ':' + ','.join(m[n]) for n in sorted(m) if n.startswith(d['headerPrefix'].lower())]
    s = '\n'.join(top + ext) + '\n/' + i['bucket'] + '/' + i['key']
    return d['scheme'] + ' ' + pub + ':' + base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode()


run('correct-strict', {'action-signature': action, 'authorization': auth})
