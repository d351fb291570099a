"""Own SHA-1 from RFC 3174, in pure Python."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import struct
from proto import run, Refused
M = 0xffffffff


def rol(x, n):
    return (x << n | x >> 32 - n) & M


def sha1(msg):
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    n = len(msg) * 8
    msg += b'\x80'
    msg += bytes((56 - len(msg)) % 64) + struct.pack('>Q', n)
    for o in range(0, len(msg), 64):
        w = list(struct.unpack('>16I', msg[o:o + 64]))
        for t in range(16, 80):
            w.append(rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
        a, b, c, d, e = h
        for t in range(80):
            if t < 20:
                f, k = b & c | ~b & d, 0x5A827999
            elif t < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif t < 60:
                f, k = b & c | b & d | c & d, 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (rol(a, 5) + f + e + k + w[t]) & M, a, rol(b, 30), c, d
        h = [(x + y) & M for x, y in zip(h, (a, b, c, d, e))]
    return ''.join('%08x' % x for x in h)


def decimal(t):
    neg = t.startswith('-')
    t = t.lstrip('-')
    e = 0
    for mark in 'eE':
        if mark in t:
            t, x = t.split(mark)
            e = int(x)
    if '.' in t:
        a, b = t.split('.')
    else:
        a, b = t, ''
    all_, place = a + b, len(a) + e
    if place <= 0:
        all_, place = '0' * (1 - place) + all_, 1
    if place > len(all_):
        all_ += '0' * (place - len(all_))
    r = all_[:place].lstrip('0') or '0'
    f = all_[place:].rstrip('0')
    if f:
        r += '.' + f
    return '-' + r if neg and r != '0' else r


def spread(pairs):
    stack, out = [(n, v) for n, v in reversed(pairs) if n != 'Signature'], {}
    while stack:
        n, v = stack.pop()
        if v is None:
            continue
        if v is True or v is False:
            v = str(v).lower()
        elif isinstance(v, dict):
            (kind, inner), = v.items()
            if kind == 'number':
                v = decimal(inner)
            else:
                kids = inner if kind == 'object' else [(str(k), x) for k, x in enumerate(inner)]
                stack.extend((n + '.' + k, x) for k, x in reversed(kids))
                continue
        if n in out:
            raise Refused('parameter-repeated', n)
        out[n] = v
    return out


def signature(i, pri):
    p = spread(i['parameters'])
    return sha1(''.join(k + p[k] for k in sorted(p)).encode() + pri.encode()), p


def e(s):
    return ''.join(c if c.isascii() and (c.isalnum() or c in '-_.~') else ''.join('%%%02X' % b for b in c.encode()) for c in s)


def query(i, pub, pri, d):
    sig, p = signature(i, pri)
    for need in ('Action', 'PublicKey'):
        if need not in p:
            raise Refused('parameter-missing', need)
    return '&'.join(e(k) + '=' + e(v) for k, v in p.items()) + '&Signature=' + sig


run('correct-own-sha1', {'action-signature': lambda i, a, b, d: signature(i, b)[0], 'action-query': query})
