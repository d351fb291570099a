"""A Go gateway that verifies the header and the account API: mime.ParseMediaType, url.ParseQuery, float64.

Mistakes:
 M1 (line 42) The Content-Type is signed without its parameters ("; charset=utf-8" goes), in lower case.
 M2 (line 55) strings.TrimSpace on every decoded value of the account API before it is signed.
 M3 (line 81) JSON numbers are float64 and written by strconv.FormatFloat(f, 'f', -1, 64): digits beyond 2^53 are lost.
 M4 (line 21) Only the first len(given) characters of the signature are compared (strings.HasPrefix(expected, given)); empty is refused.
 M5 (line 37) A third part of the header, a callback policy, is not known: malformed.
Action is not asked for; otherwise malformed input is refused.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64, json, re
from decimal import Decimal
from urllib.parse import unquote
from proto import run, Refused


def equal(expected, given):
    if not given:
        raise Refused('signature-missing')
    if not expected.startswith(given):  # M4
        raise Refused('signature-mismatch')


def header(i, pub, pri, d):
    std, ext = {}, {}
    for n, v in i['headers']:
        n, v = n.lower().strip(), re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t')
        if n.startswith(d['headerPrefix'].lower()):
            ext.setdefault(n, []).append(v)
        elif n in std and n in ('authorization', 'content-type', 'content-md5', 'date'):
            raise Refused('header-repeated')
        else:
            std[n] = v
    if 'authorization' not in std:
        raise Refused('authorization-missing')
    m = re.fullmatch(re.escape(d['scheme']) + r' ([^: ]+):([A-Za-z0-9+/=]*)', std['authorization'])  # M5
    if not m:
        raise Refused('authorization-malformed')
    if m[1] != pub:
        raise Refused('public-key-unknown')
    ct = std.get('content-type', '').split(';')[0].strip().lower()  # M1
    s = '\n'.join([i['method'].upper(), std.get('content-md5', ''), ct, std.get('date', ''), ''])
    s += ''.join(n + ':' + ','.join(ext[n]) + '\n' for n in sorted(ext)) + '/' + i['bucket'] + '/' + i['key']
    equal(base64.b64encode(hmac.new(pri.encode(), s.encode(), 'sha1').digest()).decode(), m[2])
    return pub


def account(p, pub, pri):
    if 'PublicKey' not in p:
        raise Refused('parameter-missing')
    if p['PublicKey'] != pub:
        raise Refused('public-key-unknown')
    given = p.pop('Signature', '')
    s = ''.join(k + p[k].strip() for k in sorted(p)) + pri  # M2
    equal(hashlib.sha1(s.encode()).hexdigest(), given)
    return pub


def put(p, k, v):
    if k in p:
        raise Refused('parameter-repeated')
    p[k] = v


def query(i, pub, pri, d):
    p = {}
    for pair in i['query'].split('&'):
        if '=' not in pair or re.search('%(?![0-9A-Fa-f]{2})', pair):
            raise Refused('query-malformed')
        k, v = pair.split('=', 1)
        try:
            put(p, unquote(k, errors='strict'), unquote(v, errors='strict'))
        except UnicodeDecodeError:
            raise Refused('query-malformed')
    return account(p, pub, pri)


def body(i, pub, pri, d):
    try:
        o = json.loads(i['body'], parse_int=float, parse_float=float, object_pairs_hook=Members, parse_constant=no)  # M3
    except ValueError:
        raise Refused('body-malformed')
    p = {}

    def walk(name, v):
        if isinstance(v, Members):
            for k, x in v:
                walk(name + '.' + k, x)
        elif isinstance(v, list):
            for n, x in enumerate(v):
                walk('%s.%d' % (name, n), x)
        elif isinstance(v, bool):
            put(p, name, 'true' if v else 'false')
        elif isinstance(v, float):
            put(p, name, format(Decimal(repr(v)).normalize() if v else Decimal(0), 'f'))
        elif v is not None:
            put(p, name, v)

    if not isinstance(o, Members):
        raise Refused('body-malformed')
    for k, v in o:
        walk(k, v)
    return account(p, pub, pri)


class Members(list):
    pass


def no(x):
    raise ValueError(x)


run('naive-go-verify', {'verify-authorization': header, 'verify-query': query, 'verify-json': body})
