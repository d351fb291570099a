"""Ruby on Rails: headers is a Hash with the names as usually written, paths begin with a slash, CGI.escape.

Mistakes:
 M1 (line 23) headers['Content-Type'] and so on: positional headers are found in this spelling only.
 M2 (line 20) key.sub(/^\\//, ''): a slash at the start of a key goes (in resource and URL).
 M3 (line 43) CGI.escape for the parts of the path and FileName: a space is "+".
 M4 (line 28) Extra headers: start_with?('X-Svc-') as spelled; x-svc-foo in lower case is not found. (Values keep their case.)
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from urllib.parse import quote_plus, quote
from proto import run


class Request:
    def __init__(self, verb, i, d):
        self.verb, self.d = verb.upper(), d
        self.bucket, self.headers = i['bucket'], i['headers']
        self.key = re.sub('^/', '', i['key'])  # M2

    def header(self, name):
        return next((v.strip(' \t') for n, v in self.headers if n == name), '')  # M1

    def extra(self):
        h = {}
        for n, v in self.headers:
            if n.startswith(self.d['headerPrefix']):  # M4
                h.setdefault(n.lower().strip(' \t'), []).append(re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t'))
        return ''.join(n + ':' + ','.join(h[n]) + '\n' for n in sorted(h))

    def text(self, expires=None):
        if expires is None:
            top = [self.verb, self.header('Content-MD5'), self.header('Content-Type'), self.header('Date')]
        else:
            top = [self.verb, '', '', expires]
        return '\n'.join(top) + '\n' + self.extra() + '/' + self.bucket + '/' + self.key

    def sign(self, pri, expires=None):
        return base64.b64encode(hmac.new(pri.encode(), self.text(expires).encode(), 'sha1').digest()).decode()

    def path(self):
        return '/'.join(quote_plus(p) for p in self.key.split('/'))  # M3


def presign(i, pub, pri, d):
    r = Request(i['method'], i, d)
    return (i['scheme'] + '://' + i['bucket'] + '.' + i['fileHost'] + '/' + r.path() + '?' + d['publicKeyParameter'] + '='
            + quote(pub, safe='') + '&Expires=' + quote(i['expires'], safe='') + '&Signature=' + quote(r.sign(pri, i['expires']), safe=''))


def hit(i, pub, pri, d):
    r = Request('post', i, d)
    return {'target': '/uploadhit?Hash=' + quote(i['etag'], safe='') + '&FileName=' + quote_plus(r.key) + '&FileSize=' + i['size'],
            'authorization': d['scheme'] + ' ' + pub + ':' + r.sign(pri)}


run('naive-rails', {
    'authorization': lambda i, a, b, d: '%s %s:%s' % (d['scheme'], a, Request(i['method'], i, d).sign(b)),
    'presigned-url': presign,
    'instant-upload': hit,
})
