"""Recursion instead of loops."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64
from proto import run
sys.setrecursionlimit(100000)
SAFE = frozenset(b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~')


def enc(b):
    if len(b) == 0:
        return ''
    if len(b) == 1:
        return chr(b[0]) if b[0] in SAFE else '%' + hexd(b[0] >> 4) + hexd(b[0] & 15)
    half = len(b) // 2
    return enc(b[:half]) + enc(b[half:])


def hexd(n):
    return '0123456789ABCDEF'[n]


def merge(a, b):
    out = []
    while a and b:
        out.append((b if b[0][0].encode() < a[0][0].encode() else a).pop(0))
    return out + a + b


def msort(x):
    return x if len(x) < 2 else merge(msort(x[:len(x) // 2]), msort(x[len(x) // 2:]))


def text(n):
    sign, body = ('-', n[1:]) if n[:1] == '-' else ('', n)
    mant, _, exp = body.lower().partition('e')
    whole, _, frac = mant.partition('.')
    r = shift(whole, frac, int(exp or 0))
    return r if r == '0' else sign + r


def shift(whole, frac, e):
    if e > 0:
        return shift(whole + (frac[:1] or '0'), frac[1:], e - 1)
    if e < 0:
        return shift(whole[:-1], (whole[-1:] or '0') + frac, e + 1)
    whole, frac = whole.lstrip('0') or '0', frac.rstrip('0')
    return whole + ('.' + frac if frac else '')


def flat(name, v):
    if isinstance(v, bool):
        return [(name, 'true' if v else 'false')]
    if v is None:
        return []
    if isinstance(v, str):
        return [(name, v)]
    if 'number' in v:
        return [(name, text(v['number']))]
    if 'list' in v:
        return rest(name, [(str(k), x) for k, x in enumerate(v['list'])])
    return rest(name, v['object'])


def rest(name, pairs):
    return [] if not pairs else flat(name + '.' + pairs[0][0], pairs[0][1]) + rest(name, pairs[1:])


def top(pairs):
    return [] if not pairs else (flat(*pairs[0]) if pairs[0][0] != 'Signature' else []) + top(pairs[1:])


def cat(pairs):
    return '' if not pairs else pairs[0][0] + pairs[0][1] + cat(pairs[1:])


def sign(i, pub, pri, d):
    return hashlib.sha1((cat(msort(top(i['parameters']))) + pri).encode()).hexdigest()


def trim(s):
    return trim(s[1:]) if s[:1] in (' ', '\t') and s else trim(s[:-1]) if s[-1:] in (' ', '\t') and s else s


def unfold(s):
    k = s.find('\n')
    if k < 0:
        return s
    a, b = s[:k], s[k + 1:]
    return unfold(a.rstrip(' \t\r') + ' ' + b.lstrip(' \t\r\n'))


def group(pairs):
    if not pairs:
        return ''
    n = pairs[0][0]
    same = [v for m, v in pairs if m == n]
    return n + ':' + ','.join(same) + '\n' + group([p for p in pairs if p[0] != n])


def first(pairs, n):
    return '' if not pairs else pairs[0][1] if pairs[0][0] == n else first(pairs[1:], n)


def auth(i, pub, pri, d):
    hs = [(trim(n).lower(), trim(unfold(v))) for n, v in i['headers']]
    ext = msort([h for h in hs if h[0].startswith(d['headerPrefix'].lower())])
    s = '\n'.join([i['method'].upper(), first(hs, 'content-md5'), first(hs, 'content-type'), first(hs, 'date'), group(ext)])
    return d['scheme'] + ' ' + pub + ':' + base64.b64encode(hmac.digest(
        pri.encode(), (s + '/' + i['bucket'] + '/' + i['key']).encode(), 'sha1')).decode()


run('correct-recursive', {'url-encode': lambda i, *_: enc(i['text'].encode()), 'action-signature': sign, 'authorization': auth})
