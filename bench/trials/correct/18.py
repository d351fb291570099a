"""Verifies pre-signed URLs by computing with the library's URL functions, strictly."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from urllib.parse import urlsplit, unquote
from proto import run, Refused


def text(s, why):
    if re.search(r'%(?![0-9a-fA-F]{2})', s):
        raise Refused(why)
    try:
        return unquote(s, errors='strict')
    except UnicodeDecodeError:
        raise Refused(why)


def verify(i, pub, pri, d):
    try:
        u = urlsplit(i['url'])
    except ValueError:
        raise Refused('url-malformed')
    host, file_host = u.netloc.lower(), '.' + i['fileHost'].lower()
    if u.scheme not in ('http', 'https') or not host.endswith(file_host) or len(host) <= len(file_host):
        raise Refused('url-malformed')
    bucket = u.netloc[:-len(file_host)]
    wanted = {'public': [], 'expires': [], 'signature': []}
    names = {d['publicKeyParameter']: 'public', 'Expires': 'expires', 'Signature': 'signature'}
    for piece in u.query.split('&'):
        n, _, v = piece.partition('=')
        n, v = text(n, 'query-malformed'), text(v, 'query-malformed')
        if n in names:
            wanted[names[n]].append(v)
    for what, vs in wanted.items():
        if not vs:
            raise Refused('signature-missing' if what == 'signature' else 'parameter-missing', what)
        if len(vs) > 1:
            raise Refused('parameter-repeated', what)
    (who,), (until,), (given,) = wanted.values()
    if not until.isascii() or not until.isdecimal():
        raise Refused('expires-malformed')
    if int(until) < int(i['now']):
        raise Refused('expired')
    if who != pub:
        raise Refused('public-key-unknown')
    bag = {}
    for n, v in i['headers']:
        n = n.strip(' \t').lower()
        if n.startswith(d['headerPrefix'].lower()):
            bag.setdefault(n, []).append(re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t'))
    s = '\n'.join([i['method'].upper(), '', '', until, ''.join(f'{n}:{",".join(bag[n])}\n' for n in sorted(bag))])
    s += f"/{bucket}/{text(u.path[1:], 'url-malformed')}"
    mine = base64.b64encode(hmac.new(pri.encode(), s.encode(), 'sha1').digest())
    if not hmac.compare_digest(mine, given.encode()):
        raise Refused('signature-mismatch')
    return pub


run('correct-url-library', {'verify-presigned-url': verify})
