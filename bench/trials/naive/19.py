"""PHP: parse_str and json_decode verify the account API.

Mistakes:
 M1 (line 75) parse_str: dots and spaces in names become underscores; of a repeated name the last one counts; a "+" is a space, a bad %XY stays.
 M2 (line 31) json_decode: large integers become floats and are written with an exponent; 42.0 is "42", 1.0E+25.
 M3 (line 27) (string)true is "1", (string)false is "".
 M4 (line 65) The signature is compared without regard to case (strcasecmp).
 M5 (line 38) sort with ksort's default: numeric names are compared as numbers and come first.
Action is not asked for; otherwise malformed input is refused.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, json, re
from urllib.parse import unquote_plus
from proto import run, Refused


def php_float(f):
    if f == int(f) and abs(f) < 1e15:
        return str(int(f))
    r = '%.17G' % f if float('%.14G' % f) != f else '%.14G' % f
    m = re.match(r'(-?\d)(\.\d+)?E([+-])0*(\d+)$', r)
    return m[1] + (m[2] or '.0') + 'E' + m[3] + m[4] if m else repr(f)


def php_string(v):
    if v is True:
        return '1'  # M3
    if v is False or v is None:
        return ''
    if isinstance(v, float):
        return php_float(v)  # M2
    if isinstance(v, int):
        return str(v) if abs(v) < 2**63 else php_float(float(v))
    return v


def ksort(a):
    return sorted(a, key=lambda k: (0, int(k), '') if re.fullmatch('-?[1-9][0-9]{0,17}|0', k) else (1, 0, k))  # M5


def flat(out, name, v):
    if isinstance(v, list):
        for n, x in enumerate(v):
            flat(out, name + '.' + str(n), x)
    elif isinstance(v, dict):
        for k, x in v.items():
            flat(out, name + '.' + k, x)
    else:
        out[name] = php_string(v)


def no(x):
    raise ValueError(x)


def check(a, pub, pri):
    if 'Signature' not in a:
        raise Refused('signature-missing')
    given = a.pop('Signature')
    if 'PublicKey' not in a:
        raise Refused('parameter-missing')
    if a['PublicKey'] != pub:
        raise Refused('public-key-unknown')
    s = ''.join(k + a[k] for k in ksort(a)) + pri
    if hashlib.sha1(s.encode('utf-8')).hexdigest().lower() != given.lower():  # M4
        raise Refused('signature-mismatch')
    return pub


def query(i, pub, pri, d):
    a = {}
    for pair in i['query'].split('&'):
        if pair:
            k, _, v = pair.partition('=')
            a[re.sub('[. ]', '_', unquote_plus(k))] = unquote_plus(v)  # M1
    return check(a, pub, pri)


def body(i, pub, pri, d):
    try:
        o = json.loads(i['body'], parse_constant=no)
    except ValueError:
        raise Refused('body-malformed')
    if not isinstance(o, dict):
        raise Refused('body-malformed')
    a = {}
    for k, v in o.items():
        flat(a, k, v)
    return check(a, pub, pri)


run('naive-php-verify', {'verify-query': query, 'verify-json': body})
