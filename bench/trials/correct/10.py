"""Generators: a pipeline that yields names and values."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, hmac, base64, json, itertools, re
from urllib.parse import quote
from proto import run, Refused


class Num(str):
    pass


def leaves(name, v):
    match v:
        case bool():
            yield name, Num(str(v).lower())
        case str():
            yield name, v
        case None:
            return
        case {'number': n}:
            yield name, Num(''.join(digits(n)))
        case {'list': xs}:
            for k, x in enumerate(xs):
                yield from leaves(f'{name}.{k}', x)
        case {'object': xs}:
            for k, x in xs:
                yield from leaves(f'{name}.{k}', x)


def digits(n):
    m = re.fullmatch(r'(-?)(\d+)\.?(\d*)(?:[eE]([+-]?\d+))?', n)
    a, b, e = m[2], m[3], int(m[4] or 0)
    at = len(a) + e
    whole = (a + b)[:max(at, 0)].ljust(at, '0').lstrip('0') or '0'
    frac = ('0' * -at + (a + b)[max(at, 0):]).rstrip('0')
    if m[1] and (whole != '0' or frac):
        yield '-'
    yield whole
    if frac:
        yield '.'
        yield frac


def flat(i):
    for n, v in i['parameters']:
        if n != 'Signature':
            yield from leaves(n, v)


def sign(pairs, pri):
    h = hashlib.sha1()
    for piece in itertools.chain(itertools.chain.from_iterable(sorted(pairs)), [pri]):
        h.update(piece.encode())
    return h.hexdigest()


def complete(i):
    lacking = next((n for n in ('Action', 'PublicKey') if n not in (k for k, _ in flat(i))), None)
    if lacking:
        raise Refused('parameter-missing', lacking)


def query(i, pub, pri, d):
    complete(i)

    def items():
        for n, v in flat(i):
            yield quote(n, safe='') + '=' + quote(v, safe='')
        yield 'Signature=' + sign(flat(i), pri)
    return '&'.join(items())


def body(i, pub, pri, d):
    complete(i)

    def members():
        for n, v in flat(i):
            yield json.dumps(n) + ': ' + (v if isinstance(v, Num) else json.dumps(v))
        yield '"Signature": "' + sign(flat(i), pri) + '"'
    return '{' + ', '.join(members()) + '}'


run('correct-generators', {'action-signature': lambda i, a, b, d: sign(flat(i), b), 'action-query': query, 'action-json': body})
