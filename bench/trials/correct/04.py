"""Own HMAC from RFC 2104 and own Base64."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, re
from proto import run
A = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'


def my_hmac(k, m):
    if len(k) > 64:
        k = hashlib.sha1(k).digest()
    k += bytes(64 - len(k))
    inner = hashlib.sha1(bytes(b ^ 0x36 for b in k) + m).digest()
    return hashlib.sha1(bytes(b ^ 0x5c for b in k) + inner).digest()


def my_b64(b):
    out = ''
    for p in range(0, len(b), 3):
        c = b[p:p + 3]
        n = int.from_bytes(c + bytes(3 - len(c)), 'big')
        q = [A[n >> s & 63] for s in (18, 12, 6, 0)]
        out += ''.join(q[:len(c) + 1]) + '=' * (3 - len(c))
    return out


def pct(s, keep=''):
    return ''.join(c if re.match(r'[A-Za-z0-9._~-]', c) or c in keep and c else ''.join('%%%02X' % b for b in c.encode()) for c in s)


def canon(headers, prefix):
    names, out = {}, ''
    for n, v in headers:
        n = n.strip(' \t').lower()
        if n.startswith(prefix.lower()):
            v = re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t')
            names[n] = v if n not in names else names[n] + ',' + v
    for n in sorted(names):
        out += n + ':' + names[n] + '\n'
    return out


def pos(headers, want):
    for n, v in headers:
        if n.strip(' \t').lower() == want:
            return v.strip(' \t')
    return ''


def authorization(i, pub, pri, d):
    h = i['headers']
    s = (i['method'].upper() + '\n' + pos(h, 'content-md5') + '\n' + pos(h, 'content-type') + '\n' + pos(h, 'date') + '\n'
         + canon(h, d['headerPrefix']) + '/' + i['bucket'] + '/' + i['key'])
    return d['scheme'] + ' ' + pub + ':' + my_b64(my_hmac(pri.encode(), s.encode()))


def presigned(i, pub, pri, d):
    s = i['method'].upper() + '\n\n\n' + i['expires'] + '\n' + canon(i['headers'], d['headerPrefix']) + '/' + i['bucket'] + '/' + i['key']
    sig = my_b64(my_hmac(pri.encode(), s.encode()))
    return (i['scheme'] + '://' + i['bucket'] + '.' + i['fileHost'] + '/' + pct(i['key'], '/') + '?' + d['publicKeyParameter'] + '='
            + pct(pub) + '&Expires=' + pct(i['expires']) + '&Signature=' + pct(sig))


run('correct-own-hmac', {'authorization': authorization, 'presigned-url': presigned, 'password': lambda i, *_: my_b64(i['text'].encode())})
