"""Classes with inheritance; every file operation that signs."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from abc import ABC, abstractmethod
from urllib.parse import quote
from proto import run, Refused


class Signer(ABC):
    def __init__(self, i, pub, pri, d):
        self.i, self.pub, self.pri, self.d = i, pub, pri, d

    @property
    def verb(self):
        return self.i['method'].upper()

    def cleaned(self):
        for n, v in self.i['headers']:
            yield n.strip(' \t').lower(), self.unfold(v)

    @staticmethod
    def unfold(v):
        return re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t')

    def lookup(self, name):
        found = [v for n, v in self.cleaned() if n == name]
        if len(found) > 1:
            raise Refused('header-repeated', name)
        return found[0] if found else ''

    def positional(self):
        return [self.lookup(n) for n in ('content-md5', 'content-type', 'date')]

    def tail(self):
        return ''

    def string(self):
        if '/' in self.i['bucket']:
            raise Refused('bucket')
        bag = {}
        for n, v in self.cleaned():
            if n.startswith(self.d['headerPrefix'].lower()):
                bag[n] = bag[n] + [v] if n in bag else [v]
        ext = ''.join('{}:{}\n'.format(n, ','.join(v)) for n, v in sorted(bag.items()))
        return '\n'.join([self.verb, *self.positional(), ext + '/' + self.i['bucket'] + '/' + self.i['key'] + self.tail()])

    def signature(self):
        return base64.b64encode(hmac.new(self.pri.encode(), self.string().encode(), 'sha1').digest()).decode()

    @abstractmethod
    def answer(self): ...


class Header(Signer):
    def answer(self):
        return ':'.join([self.d['scheme'] + ' ' + self.pub, self.signature()])


class Form(Header):
    verb = 'POST'

    def field(self, name):
        return next((self.unfold(v) for n, v in self.i['fields'] if n == name), '')

    def positional(self):
        md5, _, date = super().positional() if not self.twice() else ['', '', self.lookup('date')]
        return [md5 or self.field('Content-MD5'), self.field('Content-Type'), date]

    def twice(self):
        return sum(n == 'content-type' for n, _ in self.cleaned()) > 1


class Policy(Header):
    def tail(self):
        return self.i['policy']

    def answer(self):
        return super().answer() + ':' + self.i['policy']


class Hit(Header):
    verb = 'POST'

    def answer(self):
        q = [('Hash', self.i['etag']), ('FileName', self.i['key']), ('FileSize', self.i['size'])]
        return {'authorization': super().answer(), 'target': '/uploadhit?' + '&'.join(n + '=' + quote(v, safe='') for n, v in q)}


class Presigned(Signer):
    def positional(self):
        return ['', '', self.i['expires']]

    def answer(self):
        i, q = self.i, lambda s: quote(s, safe='')
        return f"{i['scheme']}://{i['bucket']}.{i['fileHost']}/{quote(i['key'])}?{self.d['publicKeyParameter']}={q(self.pub)}" \
               f"&Expires={q(i['expires'])}&Signature={q(self.signature())}"


def op(cls):
    return lambda *a: cls(*a).answer()


run('correct-classes', {'authorization': op(Header), 'form-authorization': op(Form), 'policy-authorization': op(Policy),
                        'instant-upload': op(Hit), 'presigned-url': op(Presigned)})
