"""JavaScript in the browser: URLSearchParams, Array.prototype.sort, String(number), btoa.

Mistakes:
 M1 (line 62) URLSearchParams encodes: "+" for a space, "*" as it is, "~" as %7E.
 M2 (line 17) String(number): digits beyond 2^53 are lost; exponents for 1e21 and more and for less than 1e-6.
 M3 (line 71) sort() compares UTF-16 code units.
 M4 (line 53) String(object): a list is "a,b", an object "[object Object]", null is "null"; nothing is flattened.
 M5 (line 100) btoa(): a password outside Latin-1 throws; one inside is encoded as Latin-1.
Refuses nothing; a malformed number throws (error).
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, base64, json
from proto import run


def js_number(text):
    f = float(text)  # M2
    if f != f or f in (float('inf'), float('-inf')):
        return 'NaN' if f != f else ('Infinity' if f > 0 else '-Infinity')
    if f == 0:
        return '0'
    m, e = ('%r' % abs(f), 0)
    mant, _, exp = m.partition('e')
    whole, _, frac = mant.partition('.')
    frac = '' if frac == '0' else frac
    digits = whole + frac
    point = len(whole) + int(exp or 0)
    stripped = digits.lstrip('0')
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip('0') or '0'
    sign = '-' if f < 0 else ''
    n = len(digits)
    if n <= point <= 21:
        return sign + digits + '0' * (point - n)
    if 0 < point <= 21:
        return sign + digits[:point] + '.' + digits[point:]
    if -6 < point <= 0:
        return sign + '0.' + '0' * -point + digits
    x = point - 1
    return sign + digits[0] + ('.' + digits[1:] if n > 1 else '') + 'e' + ('+' if x > 0 else '-') + str(abs(x))


def js_string(v, top=True):
    if isinstance(v, str):
        return v
    if v is None:
        return 'null' if top else ''
    if isinstance(v, bool):
        return 'true' if v else 'false'
    if 'number' in v:
        return js_number(v['number'])
    if 'list' in v:
        return ','.join(js_string(x, False) for x in v['list'])  # M4
    return '[object Object]'


def form_encode(s):
    out = ''
    for b in s.encode('utf-8'):
        c = chr(b)
        if c == ' ':
            out += '+'  # M1
        elif c.isascii() and (c.isalnum() or c in '*-._'):
            out += c
        else:
            out += '%%%02X' % b
    return out


def signature(params, pri):
    keys = sorted(params, key=lambda k: k.encode('utf-16-be'))  # M3
    return hashlib.sha1((''.join(k + js_string(params[k]) for k in keys) + pri).encode('utf-8')).hexdigest()


def js_json(v):
    if isinstance(v, str):
        return json.dumps(v, ensure_ascii=False)
    if v is None or isinstance(v, bool):
        return json.dumps(v)
    if 'number' in v:
        return js_number(v['number'])
    if 'list' in v:
        return '[' + ','.join(js_json(x) for x in v['list']) + ']'
    return '{' + ','.join(json.dumps(k) + ':' + js_json(x) for k, x in v['object']) + '}'


def action_json(i, pub, pri, d):
    p = {k: v for k, v in i['parameters'] if k != 'Signature'}
    sig = signature(p, pri)
    return '{' + ','.join(json.dumps(k, ensure_ascii=False) + ':' + js_json(v) for k, v in list(p.items()) + [('Signature', sig)]) + '}'


def search_params(i, pri):
    p = {k: v for k, v in i['parameters'] if k != 'Signature'}
    sig = signature(p, pri)
    return '&'.join(form_encode(k) + '=' + form_encode(js_string(v)) for k, v in list(p.items()) + [('Signature', sig)])


def btoa(s):
    return base64.b64encode(s.encode('latin-1')).decode()  # M5


run('naive-browser', {
    'url-encode': lambda i, a, b, d: form_encode(i['text']),
    'password': lambda i, a, b, d: btoa(i['text']),
    'action-signature': lambda i, a, b, d: signature({k: v for k, v in i['parameters'] if k != 'Signature'}, b),
    'action-json': action_json,
    'action-query': lambda i, a, b, d: search_params(i, b),
    'bucket-request': lambda i, a, b, d: '/?' + search_params(i, b),
})
