"""JSON bodies in an unusual, legal form: every character escaped, members backwards, numbers as they were written, white space."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib
from proto import run, Refused


def quoted(s):
    b = s.encode('utf-16-be')
    return '"' + ''.join('\\u%02X%02x' % (b[k], b[k + 1]) for k in range(0, len(b), 2)) + '"'


def plain(t):
    s, t = ('-', t[1:]) if t.startswith('-') else ('', t)
    m, e = (t.lower().split('e') + ['0'])[:2]
    w, f = (m.split('.') + [''])[:2]
    e = int(e)
    if e >= 0:
        f = f.ljust(e, '0')
        w, f = w + f[:e], f[e:]
    else:
        w = w.rjust(-e + 1, '0')
        w, f = w[:e], w[e:] + f
    r = '.'.join(x for x in (w.lstrip('0') or '0', f.rstrip('0')) if x)
    return s + r if r != '0' else r


def leaves(n, v):
    if isinstance(v, bool):
        return [(n, str(v).lower(), str(v).lower())]
    if isinstance(v, str):
        return [(n, v, quoted(v))]
    if v is None:
        return []
    if 'number' in v:
        return [(n, plain(v['number']), v['number'])]
    return [y for k, x in (v['object'] if 'object' in v else enumerate(v['list'])) for y in leaves(f'{n}.{k}', x)]


def body(i, pub, pri, d):
    all_ = [y for n, v in i['parameters'] if n != 'Signature' for y in leaves(n, v)]
    names = [n for n, _, _ in all_]
    if len(set(names)) < len(names):
        raise Refused('parameter-repeated')
    if 'Action' not in names or 'PublicKey' not in names:
        raise Refused('parameter-missing')
    sig = hashlib.sha1((''.join(n + t for n, t, _ in sorted(all_)) + pri).encode()).hexdigest()
    return ' {\r\n\t' + '\n ,\t'.join(quoted(n) + ' :\n' + j for n, _, j in reversed(all_ + [('Signature', sig, quoted(sig))])) + '\r\n} '


run('correct-odd-json', {'action-json': body})
