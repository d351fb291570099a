"""First try, the specification read in a hurry: account API.

Mistakes:
 M1 (line 56) "HMAC-style keyed hashing" (section 5): HMAC-SHA1 keyed with the private key, nothing appended.
 M2 (line 55) Values are URL-encoded before they are signed.
 M3 (line 40) The Password parameter is Base64-encoded by the signer, although the caller already did it.
 M4 (line 54) Text and number values that are empty are not signed (`if value:`), but they are sent. false counts as empty.
Refuses nothing; a malformed number throws (error).
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, json
from decimal import Decimal
from urllib.parse import quote
from proto import run


def plain(v):
    """JSON value as it is sent: flat parameters."""
    if isinstance(v, dict) and 'number' in v:
        x = Decimal(v['number'])
        if x == x.to_integral_value():
            return int(x)
        return x
    return v


def flat(params):
    out = {}
    def go(name, v):
        if isinstance(v, dict) and 'list' in v:
            for n, x in enumerate(v['list']): go('%s.%d' % (name, n), x)
        elif isinstance(v, dict) and 'object' in v:
            for k, x in v['object']: go(name + '.' + k, x)
        elif v is not None:
            out[name] = plain(v)
    for k, v in params:
        if k != 'Signature':
            go(k, v)
    if 'Password' in out:
        out['Password'] = base64.b64encode(str(out['Password']).encode()).decode()  # M3
    return out


def text(v):
    if v is True: return 'true'
    if v is False: return 'false'
    if isinstance(v, Decimal): return format(v.normalize(), 'f')
    return str(v)


def sign(p, pri):
    s = ''
    for k in sorted(p):
        if p[k] or (p[k] == 0 and p[k] is not False):  # M4
            s += k + quote(text(p[k]), safe='~')  # M2
    return hmac.new(pri.encode(), s.encode(), 'sha1').hexdigest()  # M1


def to_query(p, pri):
    return '&'.join(quote(k, safe='~') + '=' + quote(text(v), safe='~') for k, v in p.items()) + '&Signature=' + sign(p, pri)


def to_json(p, pri):
    p = dict(p, Signature=sign(p, pri))
    return '{' + ', '.join(json.dumps(k) + ': ' + (text(v) if isinstance(v, Decimal) else json.dumps(v)) for k, v in p.items()) + '}'


run('naive-hurry-action', {
    'password': lambda i, a, b, d: base64.b64encode(i['text'].encode()).decode(),
    'action-signature': lambda i, a, b, d: sign(flat(i['parameters']), b),
    'action-json': lambda i, a, b, d: to_json(flat(i['parameters']), b),
    'action-query': lambda i, a, b, d: to_query(flat(i['parameters']), b),
    'bucket-request': lambda i, a, b, d: '/?' + to_query(flat(i['parameters']), b),
})
