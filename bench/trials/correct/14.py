"""decimal.Decimal for numbers, Signature first in the JSON body."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, json
from decimal import Decimal, Context, MAX_PREC, MAX_EMAX, MIN_EMIN
from urllib.parse import quote_plus
from proto import run, Refused


def plain(t):
    x = Decimal(t)
    if not x.is_finite():
        raise Refused('number', t)
    s = format(x, 'f')
    if '.' in s:
        s = s.rstrip('0').rstrip('.')
    return '0' if s in ('-0', '') else s


def walk(n, v, put):
    if isinstance(v, dict):
        if 'number' in v:
            return put(n, plain(v['number']), True)
        for k, x in enumerate(v['list']) if 'list' in v else v['object']:
            walk('{}.{}'.format(n, k), x, put)
    elif v is None:
        raise Refused('parameter-null', n)
    elif isinstance(v, bool):
        put(n, json.dumps(v), True)
    else:
        put(n, v, False)


def prepared(i, pri):
    texts, raw = {}, {}

    def put(n, v, bare):
        if n in texts:
            raise Refused('parameter-repeated', n)
        texts[n] = v
        raw[n] = v if bare else json.dumps(v, ensure_ascii=False)
    for n, v in i['parameters']:
        if n != 'Signature':
            walk(n, v, put)
    s = ''
    for n in sorted(texts):
        s += n + texts[n]
    return texts, raw, hashlib.sha1((s + pri).encode()).hexdigest()


def needed(t):
    for n in ('Action', 'PublicKey'):
        if n not in t:
            raise Refused('parameter-missing', n)


def body(i, pub, pri, d):
    t, raw, sig = prepared(i, pri)
    needed(t)
    return '{"Signature":"%s"%s}' % (sig, ''.join(',' + json.dumps(n, ensure_ascii=False) + ':' + v for n, v in raw.items()))


def query(i, pub, pri, d):
    t, _, sig = prepared(i, pri)
    needed(t)
    q = lambda s: quote_plus(s, safe='~').replace('+', '%20')
    return '&'.join([q(n) + '=' + q(v) for n, v in t.items()] + ['Signature=' + sig])


run('correct-decimal', {'action-signature': lambda i, a, b, d: prepared(i, b)[2], 'action-json': body, 'action-query': query})
