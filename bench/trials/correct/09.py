"""Bytes only."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, binascii
from proto import run
B = lambda s: s.encode()
LOWER = bytes(range(65)) + bytes(range(97, 123)) + bytes(range(91, 256))
UPPER = bytes(range(97)) + bytes(range(65, 91)) + bytes(range(123, 256))
OPEN = b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~'


def squeeze(v):
    lines = v.replace(b'\r\n', b'\n').split(b'\n')
    if len(lines) == 1:
        return v.strip(b' \t')
    parts = [x.strip(b' \t') for x in lines]
    return b' '.join(x for x in parts if x)


def mac(method, i, pri, d, tail=b''):
    slots = {b'content-md5': b'', b'content-type': b'', b'date': b''}
    extra, pre = {}, B(d['headerPrefix']).translate(LOWER)
    for n, v in i['headers']:
        n, v = B(n).strip(b' \t').translate(LOWER), squeeze(B(v))
        if n in slots:
            slots[n] = v
        elif n[:len(pre)] == pre:
            extra.setdefault(n, []).append(v)
    buf = bytearray(B(method).translate(UPPER))
    for v in slots.values():
        buf += b'\n' + v
    buf += b'\n'
    for n in sorted(extra):
        buf += n + b':' + b','.join(extra[n]) + b'\n'
    buf += b'/%b/%b%b' % (B(i['bucket']), B(i['key']), tail)
    return binascii.b2a_base64(hmac.digest(B(pri), buf, 'sha1'), newline=False)


def pct(b):
    return b''.join(bytes([c]) if c in OPEN else b'%%%02X' % c for c in b)


def header(m, pub, d):
    return b'%b %b:%b' % (B(d['scheme']), B(pub), m)


def hit(i, pub, pri, d):
    t = b'/uploadhit?Hash=%b&FileName=%b&FileSize=%b' % tuple(pct(B(i[k])) for k in ('etag', 'key', 'size'))
    return {'target': t.decode(), 'authorization': header(mac('POST', i, pri, d), pub, d).decode()}


run('correct-bytes', {
    'authorization': lambda i, a, b, d: header(mac(i['method'], i, b, d), a, d).decode(),
    'policy-authorization': lambda i, a, b, d: (header(mac(i['method'], i, b, d, B(i['policy'])), a, d) + b':' + B(i['policy'])).decode(),
    'instant-upload': hit,
})
