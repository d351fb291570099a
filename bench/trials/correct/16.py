"""Headers are a dictionary (repeats are unsupported); str.translate and codecs; policies."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, codecs, json
from proto import run, Unsupported

PCT = {o: '%%%02X' % o for o in range(128) if not (chr(o).isalnum() or chr(o) in '-_.~')}


class Headers(dict):
    def __init__(self, pairs):
        for n, v in pairs:
            n = n.strip(' \t').lower()
            if n in self:
                raise Unsupported('headers are a dictionary')
            if '\n' in v:
                raise Unsupported('values are one line')
            self[n] = v.strip(' \t')


def lines(method, h, slots, prefix):
    yield method.upper()
    yield from slots
    for n in sorted(filter(lambda n: n.startswith(prefix.lower()), h)):
        yield n + ':' + h[n]


def sign(method, i, slots, h, pri, d, tail=''):
    s = ''.join(x + '\n' for x in lines(method, h, slots, d['headerPrefix'])) + f"/{i['bucket']}/{i['key']}{tail}"
    return codecs.encode(hmac.digest(pri.encode(), s.encode(), 'sha1'), 'base64').decode().rstrip('\n')


def auth(i, pub, pri, d, tail=''):
    h = Headers(i['headers'])
    sig = sign(i['method'], i, [h.get(n, '') for n in ('content-md5', 'content-type', 'date')], h, pri, d, tail)
    return f"{d['scheme']} {pub}:{sig}"


def form(i, pub, pri, d):
    h, f = Headers(i['headers']), {}
    for n, v in i['fields']:
        if n in f:
            raise Unsupported('fields are a dictionary')
        f[n] = v.strip(' \t')
    slots = [h['content-md5'] if 'content-md5' in h else f.get('Content-MD5', ''), f.get('Content-Type', ''), h.get('date', '')]
    return f"{d['scheme']} {pub}:{sign('POST', i, slots, h, pri, d)}"


def policy(i, *_):
    js = '{' + ','.join(json.dumps(k, ensure_ascii=False) + ':' + json.dumps(v, ensure_ascii=False) for k, v in i['members']) + '}'
    return codecs.encode(js.encode(), 'base64').decode().replace('\n', '').translate(str.maketrans('+/', '-_'))


run('correct-dictionary', {'authorization': auth, 'form-authorization': form, 'policy': policy,
                           'policy-authorization': lambda i, a, b, d: auth(i, a, b, d, i['policy']) + ':' + i['policy']})
