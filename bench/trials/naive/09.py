"""A Go program: map[string]interface{} from JSON, fmt.Sprint, url.Values.

Mistakes:
 M1 (line 32) fmt.Sprint(float64): from seven digits on (and below 1e-4) Go writes 1e+06, 1.234567e+06; digits beyond 2^53 are lost.
 M2 (line 62) url.Values.Encode() sorts everything, so Signature stands between its neighbours and not last.
 M3 (line 62, 72) url.QueryEscape: a space is "+".
 M4 (line 40) Lists are written as fmt.Sprint writes them: [a b]; objects as map[a:b].
Refuses nothing; a malformed number throws (error).
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, json
from urllib.parse import quote_plus
from proto import run


def sprint(v):
    if v is None:
        return '<nil>'
    if v is True:
        return 'true'
    if v is False:
        return 'false'
    if isinstance(v, str):
        return v
    if 'number' in v:
        f = float(v['number'])
        if f == 0:
            return '0'
        s, e = _shortest(abs(f))
        sign = '-' if f < 0 else ''
        exp = e - 1
        if exp < -4 or exp >= 6:  # M1
            return sign + s[0] + ('.' + s[1:] if len(s) > 1 else '') + 'e%s%02d' % ('-' if exp < 0 else '+', abs(exp))
        if e <= 0:
            return sign + '0.' + '0' * -e + s
        if len(s) <= e:
            return sign + s + '0' * (e - len(s))
        return sign + s[:e] + '.' + s[e:]
    if 'list' in v:
        return '[' + ' '.join(sprint(x) for x in v['list']) + ']'  # M4
    return 'map[' + ' '.join(k + ':' + sprint(x) for k, x in sorted(v['object'], key=lambda p: p[0])) + ']'


def _shortest(f):
    mant, _, exp = repr(f).partition('e')
    whole, _, frac = mant.partition('.')
    digits = whole + ('' if frac == '0' else frac)
    point = len(whole) + int(exp or 0)
    n = len(digits) - len(digits.lstrip('0'))
    return digits.lstrip('0').rstrip('0'), point - n


def sign(p, pri):
    h = hashlib.sha1()
    for k in sorted(p):
        h.update((k + sprint(p[k])).encode())
    h.update(pri.encode())
    return h.hexdigest()


def values(p):
    return '&'.join(quote_plus(k, safe='~') + '=' + quote_plus(sprint(p[k]), safe='~') for k in sorted(p))  # M2


def query(i, pri):
    p = {k: v for k, v in i['parameters'] if k != 'Signature'}
    p['Signature'] = sign(p, pri)
    return values(p)


run('naive-go', {
    'url-encode': lambda i, a, b, d: quote_plus(i['text'], safe='~'),  # M3
    'action-signature': lambda i, a, b, d: sign({k: v for k, v in i['parameters'] if k != 'Signature'}, b),
    'action-query': lambda i, a, b, d: query(i, b),
    'bucket-request': lambda i, a, b, d: '/?' + query(i, b),
})
