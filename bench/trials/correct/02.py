"""Streaming: the MAC and the ETag are fed piece by piece; no string to sign is ever built."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64, io
from proto import run, Unsupported

BLOCK = 1 << 22


def opened(c):
    return open(c['file'], 'rb') if 'file' in c else io.BytesIO(base64.b64decode(c['bytes']))


def etag(i, *_):
    outer, first, count = hashlib.sha1(), None, 0
    with opened(i['content']) as f:
        left, inner = BLOCK, hashlib.sha1()
        fed = False
        while True:
            piece = f.read(min(left, 8191))
            if piece:
                if not fed:
                    count += 1
                    fed = True
                inner.update(piece)
                left -= len(piece)
            if fed and (left == 0 or not piece):
                first = first or inner.digest()
                outer.update(inner.digest())
                left, inner, fed = BLOCK, hashlib.sha1(), False
            if not piece:
                break
    digest = hashlib.sha1(b'').digest() if count == 0 else first if count == 1 else outer.digest()
    return base64.urlsafe_b64encode(count.to_bytes(4, 'little') + digest).decode()


def part(i, *_):
    h = hashlib.sha1()
    with opened(i['content']) as f:
        for piece in iter(lambda: f.read(1000), b''):
            h.update(piece)
    return base64.urlsafe_b64encode(h.digest()).decode()


def unfolded(value):
    """Characters of the value, without blanks around it, each fold as one space; a generator that remembers blanks only."""
    started, held = False, ''
    for c in value:
        if c in ' \t\r\n':
            held += c
            continue
        if started and held:
            yield ' ' if '\n' in held else held
        yield c
        started, held = True, ''


def authorization(i, pub, pri, d):
    mac = hmac.new(pri.encode(), digestmod='sha1')
    feed = lambda s: mac.update(s.encode())
    feed(i['method'].upper())
    heads = [(n.strip(' \t').lower(), v) for n, v in i['headers']]
    for want in ('content-md5', 'content-type', 'date'):
        feed('\n')
        for n, v in heads:
            if n == want:
                for c in unfolded(v):
                    feed(c)
                break
    feed('\n')
    prefix, last = d['headerPrefix'].lower(), None
    for n, v in sorted((h for h in heads if h[0].startswith(prefix)), key=lambda h: h[0]):
        feed(',' if n == last else ('' if last is None else '\n') + n + ':')
        last = n
        for c in unfolded(v):
            feed(c)
    if last is not None:
        feed('\n')
    for piece in ('/', i['bucket'], '/', i['key']):
        feed(piece)
    return f"{d['scheme']} {pub}:{base64.b64encode(mac.digest()).decode()}"


run('correct-streaming', {'etag': etag, 'part-etag': part, 'authorization': authorization})
