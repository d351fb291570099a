"""itertools.groupby; the ETag and the header from one toolbox; own hexadecimal."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, hmac, base64, itertools, operator, re
from proto import run, content
N = operator.itemgetter(0)


def tidy(h):
    n, v = h
    return n.strip(' \t').lower(), re.sub(r'(?:[ \t]*\r?\n)+[ \t]+', ' ', v).strip(' \t')


def string(i, d):
    hs = sorted(map(tidy, i['headers']), key=N)
    groups = {n: ','.join(v for _, v in g) for n, g in itertools.groupby(hs, N)}
    yield i['method'].upper()
    yield from (groups.get(n, '') for n in ('content-md5', 'content-type', 'date'))
    yield from (n + ':' + v for n, v in groups.items() if n.startswith(d['headerPrefix'].lower()))
    yield '/'.join(['', i['bucket'], i['key']])


def authorization(i, pub, pri, d):
    raw = hmac.digest(pri.encode(), '\n'.join(string(i, d)).encode(), 'sha1')
    return '{} {}:{}'.format(d['scheme'], pub, base64.b64encode(raw).decode())


def etag(i, *_):
    data = content(i['content'])
    cuts = list(itertools.takewhile(lambda o: o < len(data), itertools.count(0, 4 << 20)))
    parts = [hashlib.sha1(data[o:o + (4 << 20)]).digest() for o in cuts]
    whole = hashlib.sha1(b''.join(parts) if len(parts) > 1 else data).digest()
    return base64.urlsafe_b64encode(bytes([len(parts) >> s & 255 for s in (0, 8, 16, 24)]) + whole).decode()


run('correct-groupby', {'authorization': authorization, 'etag': etag})
