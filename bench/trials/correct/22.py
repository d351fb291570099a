"""Coroutines: a collector that headers are sent into."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64
from proto import run


def coroutine(f):
    def start(*a):
        c = f(*a)
        next(c)
        return c
    return start


@coroutine
def mac(key):
    h, piece = hmac.new(key, digestmod='sha1'), b''
    while piece is not None:
        h.update(piece)
        piece = yield
    yield h.digest()


@coroutine
def collector(prefix):
    slots, extra = {}, {}
    item = yield
    while item is not None:
        n, v = item
        n = n.strip('\t ').lower()
        if '\n' in v:
            v = ' '.join(filter(None, (p.strip('\t\r ') for p in v.split('\n'))))
        v = v.strip('\t ')
        if n[:len(prefix)] == prefix:
            extra.setdefault(n, []).append(v)
        else:
            slots.setdefault(n, v)
        item = yield
    yield slots, extra


def authorization(i, pub, pri, d):
    c = collector(d['headerPrefix'].lower())
    for h in i['headers']:
        c.send(h)
    slots, extra = c.send(None)
    m = mac(pri.encode())
    m.send(i['method'].upper().encode() + b'\n')
    for n in 'content-md5', 'content-type', 'date':
        m.send((slots.get(n, '') + '\n').encode())
    for n in sorted(extra):
        m.send((n + ':').encode())
        for k, v in enumerate(extra[n]):
            m.send((',' * bool(k) + v).encode())
        m.send(b'\n')
    m.send(f"/{i['bucket']}/{i['key']}".encode())
    return f"{d['scheme']} {pub}:{base64.b64encode(m.send(None)).decode()}"


run('correct-coroutines', {'authorization': authorization})
