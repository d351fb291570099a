"""Java: TreeMap, URLEncoder, Double, Integer.

Mistakes:
 M1 (line 23) new TreeMap<>(String.CASE_INSENSITIVE_ORDER): ChargeType sorts before CPU.
 M2 (line 84) URLEncoder.encode(s).replace("+", "%20"): "*" is not encoded and "~" is %7E.
 M3 (line 31) Numbers with a point or exponent are Doubles: Double.toString gives 42.0 and 1.0E7.
 M4 (line 103) Booleans in the JSON body are texts ("true"), as all values are put in a Map<String, String> before; numbers too.
Refuses nothing; a malformed number throws (error).
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, json
from proto import run


class TreeMap:
    def __init__(self):
        self.d = {}

    def put(self, k, v):
        self.d[k] = v

    def entries(self):
        return sorted(self.d.items(), key=lambda e: e[0].upper().lower())  # M1


def double_to_string(f):
    a = abs(f)
    s = '-' if f < 0 else ''
    if a == 0 or 1e-3 <= a < 1e7:
        r = format(a, '.17g') if 'e' in repr(a) else repr(a)
        return s + r  # M3
    mant, _, exp = ('%.16e' % a).partition('e')
    digits = repr(a).partition('e')[0].replace('.', '').strip('0') or '0'
    return s + digits[0] + '.' + (digits[1:] or '0') + 'E' + str(int(exp))


def value_of(v):
    if isinstance(v, bool):
        return 'true' if v else 'false'
    if v is None:
        return None
    if isinstance(v, str):
        return v
    n = v['number']
    if any(c in n for c in '.eE'):
        return double_to_string(float(n))
    return str(int(n))  # BigInteger


def flatten(m, name, v):
    if isinstance(v, dict) and 'list' in v:
        for k, x in enumerate(v['list']):
            flatten(m, name + '.' + str(k), x)
    elif isinstance(v, dict) and 'object' in v:
        for k, x in v['object']:
            flatten(m, name + '.' + k, x)
    else:
        s = value_of(v)
        if s is not None:
            m.put(name, s)


def prepare(i):
    m = TreeMap()
    for n, v in i['parameters']:
        if not n == 'Signature':
            flatten(m, n, v)
    return m


def signature(m, pri):
    sb = []
    for k, v in m.entries():
        sb.append(k)
        sb.append(v)
    sb.append(pri)
    return hashlib.sha1(''.join(sb).encode('utf-8')).hexdigest()


def encode(s):
    out = []
    for b in s.encode('utf-8'):
        c = chr(b)
        if b < 128 and (c.isalnum() or c in '.-*_'):  # M2
            out.append(c)
        elif c == ' ':
            out.append('%20')
        else:
            out.append('%%%02X' % b)
    return ''.join(out)


def query(i, pri):
    m = prepare(i)
    s = '&'.join(encode(k) + '=' + encode(v) for k, v in m.entries())
    return s + '&Signature=' + signature(m, pri)


def body(i, pub, pri, d):
    m = prepare(i)
    o = dict(m.entries())
    o['Signature'] = signature(m, pri)
    return json.dumps(o)  # M4


run('naive-java', {
    'url-encode': lambda i, a, b, d: encode(i['text']),
    'action-signature': lambda i, a, b, d: signature(prepare(i), b),
    'action-query': lambda i, a, b, d: query(i, b),
    'action-json': body,
    'bucket-request': lambda i, a, b, d: '/?' + query(i, b),
})
