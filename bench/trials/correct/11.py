"""Insertion by bisect and heaps in the place of sort."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, bisect, heapq
from urllib.parse import quote
from proto import run, Refused


def number(t):
    # schoolbook: an integer of all digits and a power of ten
    neg, t = t[0] == '-', t.lstrip('-')
    t, _, e = t.replace('E', 'e').partition('e')
    a, _, b = t.partition('.')
    n, p = int(a + b), int(e or 0) - len(b)
    if n == 0:
        return '0'
    while n % 10 == 0 and p < 0:
        n, p = n // 10, p + 1
    s = str(n)
    if p >= 0:
        s += '0' * p
    else:
        s = s.rjust(1 - p, '0')
        s = s[:p] + '.' + s[p:]
    return '-' * neg + s


def pour(heap, name, v):
    if isinstance(v, bool):
        v = ('false', 'true')[v]
    if isinstance(v, str):
        heapq.heappush(heap, (name.encode(), v.encode()))
    elif v is not None:
        for kind, x in v.items():
            if kind == 'number':
                heapq.heappush(heap, (name.encode(), number(x).encode()))
            else:
                for k, y in (enumerate(x) if kind == 'list' else x):
                    pour(heap, name + '.' + str(k), y)


def drained(i):
    heap = []
    for n, v in i['parameters']:
        if n != 'Signature':
            pour(heap, n, v)
    return [heapq.heappop(heap) for _ in range(len(heap))]


def sign(pairs, pri):
    return hashlib.sha1(b''.join(a + b for a, b in pairs) + pri.encode()).hexdigest()


def bucket(i, pub, pri, d):
    ps = drained(i)
    names = [a for a, _ in ps]
    has = lambda n: (k := bisect.bisect_left(names, n)) < len(names) and names[k] == n
    for n in (b'Action', b'PublicKey') + ((b'BucketName', b'Type') if (b'Action', b'CreateBucket') in ps else ()):
        if not has(n):
            raise Refused('parameter-missing', n.decode())
    return '/?' + ''.join(quote(a, safe='') + '=' + quote(b, safe='') + '&' for a, b in ps) + 'Signature=' + sign(ps, pri)


run('correct-heap', {'action-signature': lambda i, a, b, d: sign(drained(i), b), 'bucket-request': bucket})
