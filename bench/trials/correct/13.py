"""Only expressions: reduce, map, filter, lambda."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64
from functools import reduce
from proto import run

strip = lambda s: s.strip(' \t')
lines = lambda v: list(filter(None, map(strip, v.replace('\r\n', '\n').split('\n'))))
value = lambda v: ' '.join(lines(v)) if '\n' in v else strip(v)
low = lambda n: strip(n).lower()
heads = lambda i: list(map(lambda h: (low(h[0]), value(h[1])), i['headers']))
add = lambda acc, h: {**acc, h[0]: acc.get(h[0], ()) + (h[1],)}
extra = lambda i, d: reduce(add, filter(lambda h: h[0].startswith(d['headerPrefix'].lower()), heads(i)), {})
entries = lambda x: reduce(lambda s, n: s + n + ':' + ','.join(x[n]) + '\n', sorted(x), '')
slot = lambda i, n: reduce(lambda a, h: h[1] if h[0] == n else a, reversed(heads(i)), '')
slots = lambda i: map(lambda n: slot(i, n), ['content-md5', 'content-type', 'date'])
string = lambda i, d: '\n'.join([i['method'].upper(), *slots(i), entries(extra(i, d))]) + reduce(lambda a, k: a + '/' + i[k], ['bucket', 'key'], '')
sign = lambda s, k: base64.b64encode(hmac.digest(k.encode(), s.encode(), 'sha1')).decode()
run('correct-expressions', {'authorization': lambda i, p, k, d: d['scheme'] + ' ' + p + ':' + sign(string(i, d), k)})
