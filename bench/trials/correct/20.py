"""Structural pattern matching; a fraction of exact integers for numbers."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, json
from fractions import Fraction
from urllib.parse import urlencode, quote
from proto import run, Refused


def num(t):
    f = Fraction(t)
    if f.denominator == 1:
        return str(f.numerator)
    places = 0
    n, q = abs(f.numerator), f.denominator
    while q % 2 == 0 or q % 5 == 0:
        q = q // 10 if q % 10 == 0 else q // 2 if q % 2 == 0 else q // 5
        places += 1
    scaled = str(n * 10 ** places // f.denominator).zfill(places + 1)
    return ('-' if f < 0 else '') + (scaled[:-places] + '.' + scaled[-places:]).rstrip('0').rstrip('.')


def put(o, n, v):
    match v:
        case {'number': str(t)}: o[n] = (num(t), num(t))
        case {'list': list(xs)}:
            for k, x in enumerate(xs): put(o, f'{n}.{k}', x)
        case {'object': list(xs)}:
            for k, x in xs: put(o, f'{n}.{k}', x)
        case True | False: o[n] = (json.dumps(v), json.dumps(v))
        case str(): o[n] = (v, json.dumps(v))
        case None: pass


def parts(i, pri, strict=()):
    o = {}
    for n, v in i['parameters']:
        match n:
            case 'Signature': continue
            case _ if n in o: raise Refused('parameter-repeated', n)
            case _: put(o, n, v)
    for n in strict:
        if n not in o: raise Refused('parameter-missing', n)
    text = ''.join(n + o[n][0] for n in sorted(o))
    return o, hashlib.sha1((text + pri).encode()).hexdigest()


def ask(kind):
    def answer(i, pub, pri, d):
        match kind:
            case 'signature':
                return parts(i, pri)[1]
            case 'json':
                o, s = parts(i, pri, ['Action', 'PublicKey'])
                return '{\n' + ''.join(f'  {json.dumps(n)}: {j},\n' for n, (_, j) in o.items()) + f'  "Signature": "{s}"\n}}'
            case 'query' | 'bucket':
                need = ['Action', 'PublicKey']
                if kind == 'bucket' and ['Action', 'CreateBucket'] in i['parameters']: need += ['Type', 'BucketName']
                o, s = parts(i, pri, need)
                q = urlencode({n: t for n, (t, _) in o.items()} | {'Signature': s}, quote_via=quote, safe='')
                return q if kind == 'query' else '/?' + q
    return answer


run('correct-matching', {'action-signature': ask('signature'), 'action-json': ask('json'), 'action-query': ask('query'), 'bucket-request': ask('bucket')})
