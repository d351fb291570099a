"""A registry of decorated functions; small operations."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, base64, json
from proto import run, content
OPS = {}


def op(name):
    def register(f):
        OPS[name] = lambda i, *_: f(next(iter(i.values())))
        return f
    return register


@op('url-encode')
def encode(text, keep=b'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-~_'):
    hexed = text.encode().hex('%').upper()
    return ''.join(chr(int(h, 16)) if int(h, 16) in keep else '%' + h for h in hexed.split('%') if h)


@op('password')
def password(text):
    return str(base64.b64encode(bytes(text, 'utf-8')), 'ascii')


@op('policy')
def policy(members):
    return base64.urlsafe_b64encode(json.dumps({n: v for n, v in members}, separators=(',', ':')).encode()).decode()


@op('part-etag')
def part(c):
    return base64.b64encode(hashlib.sha1(content(c)).digest(), b'-_').decode()


run('correct-registry', OPS)
