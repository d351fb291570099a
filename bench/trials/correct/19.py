"""Verifies the account API; its own JSON reader keeps numbers as they are written."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, hmac, re
from proto import run, Refused
WS = re.compile(r'[ \t\r\n]*')
NUM = re.compile(r'-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?', re.A)
ESC = {'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}


class Bad(Exception):
    pass


class Json:
    def __init__(self, s):
        self.s, self.p = s, 0

    def ws(self):
        self.p = WS.match(self.s, self.p).end()

    def peek(self):
        self.ws()
        return self.s[self.p:self.p + 1]

    def eat(self, c):
        if self.peek() != c:
            raise Bad(c)
        self.p += 1

    def leaf(self, emit, name):
        c = self.peek()
        if c == '"':
            emit(name, self.string())
        elif c == '{':
            self.object(emit, name + '.')
        elif c == '[':
            self.array(emit, name)
        else:
            for w, v in (('true', 'true'), ('false', 'false'), ('null', None)):
                if self.s.startswith(w, self.p):
                    self.p += len(w)
                    if v:
                        emit(name, v)
                    return
            m = NUM.match(self.s, self.p)
            if not m:
                raise Bad(self.p)
            self.p = m.end()
            emit(name, plain(m[0]))

    def object(self, emit, prefix):
        self.eat('{')
        if self.peek() == '}':
            self.p += 1
            return
        while True:
            if self.peek() != '"':
                raise Bad('name')
            n = self.string()
            self.eat(':')
            if prefix == '' and n == 'Signature' and self.peek() != '"':
                raise Bad('signature')
            self.leaf(emit, prefix + n)
            if self.peek() == '}':
                self.p += 1
                return
            self.eat(',')

    def array(self, emit, name):
        self.eat('[')
        k = 0
        if self.peek() == ']':
            self.p += 1
            return
        while True:
            self.leaf(emit, f'{name}.{k}')
            k += 1
            if self.peek() == ']':
                self.p += 1
                return
            self.eat(',')

    def string(self):
        self.p += 1
        out = []
        while True:
            c = self.s[self.p:self.p + 1]
            self.p += 1
            if c == '"':
                break
            if c == '' or c < ' ':
                raise Bad('string')
            if c != '\\':
                out.append(c)
                continue
            c = self.s[self.p:self.p + 1]
            self.p += 1
            if c == 'u':
                x = self.s[self.p:self.p + 4]
                if not re.fullmatch('[0-9a-fA-F]{4}', x):
                    raise Bad('u')
                out.append(chr(int(x, 16)))
                self.p += 4
            elif c in ESC and c:
                out.append(ESC[c])
            else:
                raise Bad('escape')
        try:
            return ''.join(out).encode('utf-16', 'surrogatepass').decode('utf-16')
        except UnicodeDecodeError:
            raise Bad('surrogate')


def plain(t):
    m = re.fullmatch(r'(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?', t)
    ds, e = m[2] + (m[3] or ''), len(m[2]) + int(m[4] or 0)
    ds = '0' * max(0, -e) + ds + '0' * max(0, e - len(ds))
    e = max(e, 0)
    r = (ds[:e].lstrip('0') or '0') + ('.' + ds[e:]).rstrip('0').rstrip('.')
    return r if r == '0' else m[1] + r


def body(i, pub, pri, d):
    got = {}

    def emit(n, v):
        if n in got:
            raise Refused('parameter-repeated', n)
        got[n] = v
    try:
        j = Json(i['body'])
        j.object(emit, '')
        j.ws()
        if j.p != len(j.s):
            raise Bad('more')
    except (Bad, RecursionError) as e:
        raise Refused('body-malformed', str(e))
    return check(got, pub, pri)


def query(i, pub, pri, d):
    got = {}
    for piece in i['query'].split('&'):
        n, eq, v = piece.partition('=')
        if not eq:
            raise Refused('query-malformed', piece)
        n, v = map(unpct, (n, v))
        if n in got:
            raise Refused('parameter-repeated', n)
        got[n] = v
    return check(got, pub, pri)


def unpct(s):
    out, k = bytearray(), 0
    b = s.encode()
    while k < len(b):
        if b[k] == 37:
            if not re.fullmatch(b'[0-9a-fA-F]{2}', b[k + 1:k + 3]):
                raise Refused('query-malformed', s)
            out.append(int(b[k + 1:k + 3], 16))
            k += 3
        else:
            out.append(b[k])
            k += 1
    try:
        return out.decode()
    except UnicodeDecodeError:
        raise Refused('query-malformed', 'UTF-8')


def check(got, pub, pri):
    given = got.pop('Signature', None)
    if not given:
        raise Refused('signature-missing')
    if not {'Action', 'PublicKey'} <= got.keys():
        raise Refused('parameter-missing')
    if got['PublicKey'] != pub:
        raise Refused('public-key-unknown')
    h = hashlib.sha1()
    for n in sorted(got):
        h.update(n.encode() + got[n].encode())
    h.update(pri.encode())
    if not hmac.compare_digest(h.hexdigest().encode(), given.encode()):
        raise Refused('signature-mismatch')
    return pub


run('correct-json-reader', {'verify-json': body, 'verify-query': query})
