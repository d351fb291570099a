"""Everything, in plain functions; the straightforward one."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64, json, re, struct
from urllib.parse import quote, unquote_to_bytes
from proto import run, content, Refused

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
NUMBER = re.compile(r'(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?\Z')
FOLD = re.compile(r'[ \t]*(?:\r?\n[ \t]+)+')
BLOCK = 4 * 1024 * 1024


def enc(s):
    return quote(s, safe='~')


def plain(t):
    m = NUMBER.match(t)
    if not m:
        raise Refused('number', t)
    sign, whole, frac, exp = m[1], m[2], m[3] or '', int(m[4] or 0)
    digits = whole + frac
    if not digits.strip('0'):
        return '0'
    if abs(exp) > 100000:
        raise Refused('number', 'too large')
    point = len(whole) + exp
    if point < 0:
        digits, point = '0' * -point + digits, 0
    digits = digits.ljust(point, '0')
    whole, frac = digits[:point].lstrip('0') or '0', digits[point:].rstrip('0')
    return sign + whole + ('.' + frac if frac else '')


class Number(str):
    pass


class Boolean(str):
    pass


def flatten(parameters):
    out = {}

    def put(name, v):
        if isinstance(v, dict) and 'list' in v:
            for n, x in enumerate(v['list']):
                put(f'{name}.{n}', x)
        elif isinstance(v, dict) and 'object' in v:
            for k, x in v['object']:
                put(f'{name}.{k}', x)
        else:
            if v is None:
                return
            if name in out:
                raise Refused('parameter-repeated', name)
            out[name] = Boolean('true' if v else 'false') if isinstance(v, bool) else v if isinstance(v, str) else Number(plain(v['number']))

    seen = set()
    for n, v in parameters:
        if n == 'Signature':
            continue
        if n in seen:
            raise Refused('parameter-repeated', n)
        seen.add(n)
        put(n, v)
    return out


def action(parameters, pri, pub):
    p = flatten(parameters)
    for need in ('Action', 'PublicKey'):
        if need not in p:
            raise Refused('parameter-missing', need)
    pairs = sorted(p.items(), key=lambda x: x[0].encode())
    s = ''.join(k + v for k, v in pairs) + pri
    sig = hashlib.sha1(s.encode()).hexdigest()
    return pairs, s, sig, {'sortedParameters': [[k, str(v)] for k, v in pairs], 'stringToSign': s, 'signature': sig}


def action_signature(i, pub, pri, d):
    _, _, sig, t = action(i['parameters'], pri, pub)
    return sig, t


def action_json(i, pub, pri, d):
    pairs, _, sig, t = action(i['parameters'], pri, pub)
    ms = [json.dumps(k) + ':' + (v if isinstance(v, (Number, Boolean)) else json.dumps(v)) for k, v in pairs]
    ms.append('"Signature":"%s"' % sig)
    return '{' + ','.join(ms) + '}', t


def query(i, pri, pub):
    pairs, _, sig, t = action(i['parameters'], pri, pub)
    return '&'.join([enc(k) + '=' + enc(v) for k, v in pairs] + ['Signature=' + sig]), t


def action_query(i, pub, pri, d):
    return query(i, pri, pub)


def bucket_request(i, pub, pri, d):
    names = [n for n, _ in i['parameters']]
    if ['Action', 'CreateBucket'] in i['parameters']:
        for need in ('Type', 'BucketName'):
            if need not in names:
                raise Refused('parameter-missing', need)
    q, t = query(i, pri, pub)
    return '/?' + q, t


def clean(name, value):
    name = name.strip(' \t')
    if not TOKEN.match(name):
        raise Refused('header-name', name)
    value = FOLD.sub(' ', value).strip(' \t')
    if re.search('[\r\n\0]', value):
        raise Refused('header-value', name)
    return name.lower(), value


def headers_of(headers, prefix):
    pos, ext = {}, {}
    for n, v in headers:
        n, v = clean(n, v)
        if n in ('content-md5', 'content-type', 'date'):
            if n in pos:
                raise Refused('header-repeated', n)
            pos[n] = v
        elif n.startswith(prefix.lower()):
            ext.setdefault(n, []).append(v)
    return pos, ''.join('%s:%s\n' % (n, ','.join(ext[n])) for n in sorted(ext))


def file_stages(method, i, pub, pri, d, ctype=None, expires=None, tail=''):
    if not TOKEN.match(method):
        raise Refused('method', method)
    if not i['bucket'] or '/' in i['bucket']:
        raise Refused('bucket', i['bucket'])
    pos, ch = headers_of(i['headers'], d['headerPrefix'])
    if expires is not None:
        top = ['', '', expires]
    else:
        top = [pos.get('content-md5', ''), pos.get('content-type', '') if ctype is None else ctype, pos.get('date', '')]
    cr = '/' + i['bucket'] + '/' + i['key']
    s = '\n'.join([method.upper()] + top) + '\n' + ch + cr + tail
    mac = hmac.new(pri.encode(), s.encode(), hashlib.sha1).digest()
    return {'canonicalHeaders': ch, 'canonicalResource': cr, 'stringToSign': s, 'digest': mac.hex(),
            'signature': base64.b64encode(mac).decode()}


def header(d, pub, t, tail=''):
    return '%s %s:%s%s' % (d['scheme'], pub, t['signature'], ':' + tail if tail else ''), t


def authorization(i, pub, pri, d):
    return header(d, pub, file_stages(i['method'], i, pub, pri, d))


def form(i, pub, pri, d):
    types = [FOLD.sub(' ', v).strip(' \t') for n, v in i['fields'] if n == 'Content-Type']
    if len(types) > 1:
        raise Refused('header-repeated', 'Content-Type')
    i = dict(i, headers=list(i['headers']))
    if not any(n.strip(' \t').lower() == 'content-md5' for n, _ in i['headers']):
        i['headers'] += [f for f in i['fields'] if f[0] == 'Content-MD5']
    return header(d, pub, file_stages('POST', i, pub, pri, d, types[0] if types else ''))


def policy(i, pub, pri, d):
    return base64.urlsafe_b64encode(json.dumps(dict(i['members']), ensure_ascii=False, separators=(',', ':')).encode()).decode()


def policy_authorization(i, pub, pri, d):
    return header(d, pub, file_stages(i['method'], i, pub, pri, d, tail=i['policy']), i['policy'])


def instant(i, pub, pri, d):
    t = file_stages('POST', i, pub, pri, d)
    return {'target': '/uploadhit?Hash=%s&FileName=%s&FileSize=%s' % (enc(i['etag']), enc(i['key']).replace('%2F', '%2F'), enc(i['size'])),
            'authorization': header(d, pub, t)[0]}, t


def presigned(i, pub, pri, d):
    t = file_stages(i['method'], i, pub, pri, d, expires=i['expires'])
    t['encodedSignature'] = enc(t['signature']).replace('/', '%2F')
    return '%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s' % (
        i['scheme'], i['bucket'], i['fileHost'], quote(i['key'], safe='/~'), d['publicKeyParameter'], enc(pub), enc(i['expires']),
        t['encodedSignature']), t


def etag(i, pub, pri, d):
    data = content(i['content'])
    n = (len(data) + BLOCK - 1) // BLOCK
    if n <= 1:
        h = hashlib.sha1(data).digest()
    else:
        h = hashlib.sha1(b''.join(hashlib.sha1(data[k * BLOCK:(k + 1) * BLOCK]).digest() for k in range(n))).digest()
    return base64.urlsafe_b64encode(struct.pack('<I', n) + h).decode(), {'blockCount': n, 'digest': h.hex()}


def part_etag(i, pub, pri, d):
    h = hashlib.sha1(content(i['content'])).digest()
    return base64.urlsafe_b64encode(h).decode(), {'digest': h.hex()}


def verify_authorization(i, pub, pri, d):
    auth = [clean('a', v)[1] for n, v in i['headers'] if n.strip(' \t').lower() == 'authorization']
    if not auth:
        raise Refused('authorization-missing')
    if len(auth) > 1:
        raise Refused('authorization-malformed')
    scheme, sp, rest = auth[0].partition(' ')
    parts = rest.rsplit(':', 1) if rest.count(':') < 2 else rest.split(':')
    if scheme != d['scheme'] or not sp or len(parts) not in (2, 3) or not all(parts):
        raise Refused('authorization-malformed')
    tail = ''
    if len(parts) == 3:
        tail = parts[2]
        try:
            ok = i['method'].upper() in ('PUT', 'POST') and isinstance(json.loads(strict64(tail)), dict)
        except ValueError:
            ok = False
        if not ok:
            raise Refused('authorization-malformed')
    if parts[0] != pub:
        raise Refused('public-key-unknown')
    t = file_stages(i['method'], i, pub, pri, d, tail=tail)
    if not hmac.compare_digest(t['signature'].encode(), parts[1].encode()):
        raise Refused('signature-mismatch')
    return pub, t


def strict64(t):
    t = t.replace('-', '+').replace('_', '/')
    return base64.b64decode(t, validate=True).decode('utf-8')


def decode(s, reason):
    if re.search('%(?![0-9A-Fa-f]{2})', s):
        raise Refused(reason, 'percent')
    try:
        return unquote_to_bytes(s).decode('utf-8')
    except UnicodeDecodeError:
        raise Refused(reason, 'UTF-8')


def split_query(q, reason, bare=False):
    out = {}
    for pair in q.split('&'):
        k, eq, v = pair.partition('=')
        if not eq and not bare:
            raise Refused(reason, pair)
        k, v = decode(k, reason), decode(v, reason)
        if k in out:
            raise Refused('parameter-repeated', k)
        out[k] = v
    return out


def verify_url(i, pub, pri, d):
    m = re.match(r'https?://([^/?#]*)/([^?#]*)\?([^#]*)\Z', i['url'], re.I)
    if not m or not m[1].lower().endswith('.' + i['fileHost'].lower()):
        raise Refused('url-malformed')
    bucket = m[1][:-len(i['fileHost']) - 1]
    key = decode(m[2], 'url-malformed')
    q = split_query(m[3], 'query-malformed', True)
    for n, why in ((d['publicKeyParameter'], 'parameter-missing'), ('Expires', 'parameter-missing'), ('Signature', 'signature-missing')):
        if n not in q:
            raise Refused(why, n)
    if not re.fullmatch('[0-9]+', q['Expires']):
        raise Refused('expires-malformed')
    if int(q['Expires']) < int(i['now']):
        raise Refused('expired')
    if q[d['publicKeyParameter']] != pub:
        raise Refused('public-key-unknown')
    t = file_stages(i['method'], {'bucket': bucket, 'key': key, 'headers': i['headers']}, pub, pri, d, expires=q['Expires'])
    if not hmac.compare_digest(t['signature'].encode(), q['Signature'].encode()):
        raise Refused('signature-mismatch')
    return pub, t


def verify_account(q, pub, pri):
    given = q.pop('Signature', None)
    if given is None:
        raise Refused('signature-missing')
    for n in ('Action', 'PublicKey'):
        if n not in q:
            raise Refused('parameter-missing', n)
    if q['PublicKey'] != pub:
        raise Refused('public-key-unknown')
    pairs = sorted(q.items(), key=lambda x: x[0].encode())
    s = ''.join(k + v for k, v in pairs) + pri
    sig = hashlib.sha1(s.encode()).hexdigest()
    if not hmac.compare_digest(sig.encode(), given.encode()):
        raise Refused('signature-mismatch')
    return pub, {'sortedParameters': [list(x) for x in pairs], 'stringToSign': s, 'signature': sig}


def verify_query(i, pub, pri, d):
    return verify_account(split_query(i['query'], 'query-malformed'), pub, pri)


class Members(list):
    pass


def verify_json(i, pub, pri, d):
    def bad(x):
        raise ValueError(x)
    try:
        o = json.loads(i['body'], parse_int=Number, parse_float=Number, parse_constant=bad, object_pairs_hook=Members)
    except ValueError:
        raise Refused('body-malformed')
    if not isinstance(o, Members):
        raise Refused('body-malformed')
    def conv(v):
        if isinstance(v, Number):
            return {'number': str(v)}
        if isinstance(v, Members):
            return {'object': [[k, conv(x)] for k, x in v]}
        if isinstance(v, list):
            return {'list': [conv(x) for x in v]}
        return v
    sig = [v for k, v in o if k == 'Signature']
    if len(sig) > 1:
        raise Refused('parameter-repeated')
    if not sig:
        raise Refused('signature-missing')
    if not isinstance(sig[0], str) or isinstance(sig[0], Number):
        raise Refused('body-malformed')
    q = {k: str(v) for k, v in flatten([[k, conv(v)] for k, v in o]).items()}
    return verify_account(dict(q, Signature=sig[0]), pub, pri)


run('correct-plain', {
    'url-encode': lambda i, *_: quote(i['text'], safe='~').replace('/', '%2F'),
    'password': lambda i, *_: base64.b64encode(i['text'].encode()).decode(),
    'action-signature': action_signature, 'action-json': action_json, 'action-query': action_query,
    'bucket-request': bucket_request, 'authorization': authorization, 'form-authorization': form, 'policy': policy,
    'policy-authorization': policy_authorization, 'instant-upload': instant, 'presigned-url': presigned, 'etag': etag,
    'part-etag': part_etag, 'verify-authorization': verify_authorization, 'verify-presigned-url': verify_url,
    'verify-query': verify_query, 'verify-json': verify_json,
})
