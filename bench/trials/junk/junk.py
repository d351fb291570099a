"""python3 junk.py NUMBER: one of a hundred implementations that are wrong in a way no changed step explains.

Everything is drawn from a hash of the number and the question (operation, keys, input), so the same question gets the same answer
in every run, but for the modes that are marked "order": they depend on the questions before. modes.py lists them.
"""
import sys, os, json, hashlib, select
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..')]
import base
from proto import RESULT, Refused, Unsupported

VERIFY = {'verify-authorization', 'verify-presigned-url', 'verify-query', 'verify-json'}


class Draw:
    """Numbers from a hash."""
    def __init__(self, *what):
        self.seed, self.k = repr(what).encode(), 0

    def below(self, n):
        self.k += 1
        return int.from_bytes(hashlib.sha256(self.seed + b'%d' % self.k).digest()[:8], 'big') % n

    def chance(self, percent):
        return self.below(100) < percent

    def shuffled(self, xs):
        xs = list(xs)
        for k in range(len(xs) - 1, 0, -1):
            j = self.below(k + 1)
            xs[k], xs[j] = xs[j], xs[k]
        return xs

    def string(self, n, alphabet):
        return ''.join(alphabet[self.below(len(alphabet))] for _ in range(n))


HEX = '0123456789abcdef'
B64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'


# What is done to a right result, a text. (draw, text, parameter, question, memory) -> text
def flip(r, t, a, q, m):
    for _ in range(a):
        if t:
            p = r.below(len(t))
            t = t[:p] + B64[r.below(62)] + t[p + 1:]
    return t


def truncate(r, t, a, q, m): return t[:r.below(len(t) + 1)]
def hexes(r, t, a, q, m): return r.string(a or len(t), HEX)
def base64s(r, t, a, q, m): return r.string(a or len(t), B64)


def constant(r, t, a, q, m): return a
def previous(r, t, a, q, m): last = m.get('last', ''); m['last'] = t; return last                      # order
def previous_same(r, t, a, q, m): last = m.get(q['operation'], t); m[q['operation']] = t; return last  # order
def growing(r, t, a, q, m): m['k'] = m.get('k', 0) + 1; return t + r.string(m['k'] % 200, B64)         # order
def backwards(r, t, a, q, m): return t[::-1] if r.chance(a) else t
def shuffle(r, t, a, q, m): return ''.join(r.shuffled(t))
def xor(r, t, a, q, m): return ''.join(chr(32 + ((ord(c) ^ r.below(a)) - 32) % 95) for c in t)
def caseflip(r, t, a, q, m): return ''.join(c.swapcase() if r.chance(a) else c for c in t)
def double(r, t, a, q, m): return t * (1 + r.below(a))
def rotate(r, t, a, q, m): k = r.below(len(t) + 1); return t[k:] + t[:k]
def insert(r, t, a, q, m):
    for _ in range(1 + r.below(a)):
        p = r.below(len(t) + 1)
        t = t[:p] + chr(33 + r.below(94)) + t[p:]
    return t


def delete(r, t, a, q, m): return ''.join(c for c in t if not r.chance(a))
def unicode_(r, t, a, q, m): return ''.join(chr(r.below(0x3000) + 0x80) for _ in range(a))
def of_input(r, t, a, q, m): return hashlib.new(a, json.dumps(q['input'], sort_keys=True).encode()).hexdigest()
def neighbour(r, t, a, q, m): return ''.join(chr(ord(c) + r.below(3) - 1) if c.isalnum() else c for c in t)
def sortchars(r, t, a, q, m): return ''.join(sorted(t)) if r.chance(a) else t
def echo(r, t, a, q, m): return json.dumps(q['input'])[:a]
def stray(r, t, a, q, m): return t if r.chance(50) else '\n'.join([t, r.string(8, HEX)])


# What is done to a step inside. (draw, value, parameter) -> value
def in_shuffle(r, v, a): return r.shuffled(v)
def in_flip(r, v, a): return v[:(p := r.below(len(v) or 1))] + chr(97 + r.below(26)) + v[p + 1:]
def in_lines(r, v, a): return '\n'.join(r.shuffled(v.split('\n'))) if '\n' in v else v[::-1]
def in_dropline(r, v, a): ls = v.split('\n'); ls.pop(r.below(len(ls))); return '\n'.join(ls)
def in_dup(r, v, a): p = r.below(len(v) + 1); return v[:p] + v[p // 2:p] + v[p:]
def in_cut(r, v, a): return v[:r.below(len(v) + 1)]
def in_case(r, v, a): return ''.join(c.upper() if r.chance(a) else c for c in v)
def in_key(r, v, a): p = r.below(len(v) + 1); return v[p:] + v[:p]
def in_keyflip(r, v, a): return v + str(r.below(a))
def in_xor(r, v, a): return bytes(b ^ (r.below(256) if r.chance(a) else 0) for b in v)
def in_bytes(r, v, a): return bytes(r.shuffled(v))
def in_again(r, v, a):
    for _ in range(r.below(a)):
        v = hashlib.sha1(v).digest()
    return v
def in_alg(r, v, a): return (v, hashlib.md5(v).digest(), hashlib.sha256(v).digest(), hashlib.sha1(v).digest())[r.below(4)]
def in_half(r, v, a): return v[:10] + hashlib.sha1(v + b'%d' % r.below(9)).digest()[:10]


sys.path.insert(0, HERE)
from modes import MODES


def main(number):
    mode = MODES[number - 1]
    out, src, memory, dialect = sys.stdout.buffer, sys.stdin.buffer.raw, {}, None
    buf, queue = b'', []
    swap = mode.get('swap')

    def send(r):
        out.write(json.dumps(r).encode() + b'\n')
        out.flush()

    def lines():
        buf = b''
        while True:
            if b'\n' in buf:
                line, buf = buf.split(b'\n', 1)
                if line.strip():
                    yield json.loads(line)
                continue
            if swap and queue and not select.select([0], [], [], 0.02)[0]:
                send(queue.pop()[1])
                continue
            got = os.read(0, 1 << 20)
            if not got:
                return
            buf += got

    for q in lines():
        if dialect is None:
            dialect = q['dialect']
            send({'protocol': 1, 'implementation': {'name': 'junk-%03d' % number, 'version': '1', 'language': 'python'},
                  'operations': mode.get('ops') or list(base.OPS), 'window': 2 if swap else 1})
            continue
        r = answer(q, mode, number, dialect, memory)
        if swap:
            queue.append((q['operation'], r))
            if len(queue) == 2:
                (x, a), (y, b) = queue
                if x == y and q_draw(number, q).chance(swap):
                    for k in ('result', 'refused', 'unsupported', 'error'):
                        x, y = a.pop(k, None), b.pop(k, None)
                        if y is not None:
                            a[k] = y
                        if x is not None:
                            b[k] = x
                send(a)
                send(b)
                queue.clear()
        else:
            send(r)
    for _, r in queue:
        send(r)


def q_draw(number, q):
    return Draw(number, q['operation'], q['keys'], json.dumps({k: v for k, v in q['input'].items() if not (k == 'content' and 'file' in v)}, sort_keys=True),
                content_hash(q['input']))


def content_hash(i):
    if 'content' in i and 'file' in i['content']:
        return os.path.getsize(i['content']['file'])
    return 0


def answer(q, mode, number, dialect, memory):
    draw = q_draw(number, q)
    op, r = q['operation'], {'n': q['n']}
    if mode.get('ops') and op not in mode['ops']:
        return dict(r, unsupported=True)
    hit = draw.chance(mode.get('rate', 100))
    if mode.get('every'):
        hit = hit and q['n'] % mode['every'] == 0                                                      # order
    d = dict(dialect)
    if hit and 'dialect' in mode:
        other = [dialect, {'scheme': 'UCloud', 'headerPrefix': 'X-UCloud-', 'publicKeyParameter': 'UCloudPublicKey'},
                 {'scheme': 'AWS', 'headerPrefix': 'x-amz-', 'publicKeyParameter': 'AWSAccessKeyId'}]
        for k in mode['dialect']:
            d[k] = other[draw.below(3)][k]
    base.HOOK.clear()
    if hit:
        for name, (f, a) in mode.get('inside', {}).items():
            base.HOOK[name] = lambda v, f=globals()[f], a=a: f(draw, v, a)
    keys = q['keys']
    i = q['input']
    if hit and mode.get('mutate'):
        i = mutate(draw, i, mode['mutate'])
    refusal = None
    try:
        try:
            v = base.OPS[op](i, keys['publicKey'], keys['privateKey'], d)
        finally:
            base.HOOK.clear()
        if isinstance(v, tuple):
            v = v[0]
        result = v if isinstance(v, dict) else {RESULT[op]: v}
    except Refused as e:
        refusal = {'reason': e.reason}
        result = None
    except Exception as e:
        return dict(r, error=type(e).__name__)
    if op in VERIFY and 'verdict' in mode and hit:
        kind = mode['verdict']
        if kind == 'coin':
            refusal = None if draw.chance(50) else {'reason': 'signature-mismatch'}
        elif kind == 'opposite':
            refusal = None if refusal else {'reason': 'signature-mismatch'}
        elif kind == 'reason':
            refusal = {'reason': ('expired', 'url-malformed', 'signature-mismatch', 'no', 'body-malformed')[draw.below(5)]}
        if refusal is None:
            result = {'publicKey': keys['publicKey']}
    if refusal:
        if hit and mode.get('answers_refusals'):
            result = {k: draw.string(20, HEX) for k in (('target', 'authorization') if op == 'instant-upload' else (RESULT[op],))}
        else:
            return dict(r, refused=refusal)
    if hit and 'instead' in mode and draw.chance(mode.get('instead_rate', 40)):
        kind = mode['instead'][draw.below(len(mode['instead']))]
        if kind == 'refused':
            return dict(r, refused={'reason': ('text', 'number', 'header-name', 'because')[draw.below(4)]})
        if kind == 'unsupported':
            return dict(r, unsupported='moon in phase %d' % draw.below(8))
        return dict(r, error='broke at %d' % draw.below(1000))
    if hit and 'after' in mode and not (mode.get('signers') and op in VERIFY):
        f, a = mode['after']
        result = {k: globals()[f](draw, t, a, q, memory) for k, t in result.items()}
    return dict(r, result=result)


def mutate(draw, i, how):
    i = json.loads(json.dumps(i))
    for k in list(i):
        v = i[k]
        if isinstance(v, str) and how in ('texts', 'all') and k not in ('scheme', 'now') and v:
            p = draw.below(len(v))
            i[k] = v[:p] + v[p + 1:] if draw.chance(50) else v[:p] + v[p] * 2 + v[p + 1:]
        elif isinstance(v, list) and how in ('lists', 'all') and v:
            c = draw.below(3)
            if c == 0:
                v.pop(draw.below(len(v)))
            elif c == 1:
                i[k] = draw.shuffled(v)
            else:
                p = draw.below(len(v))
                if isinstance(v[p][1], str):
                    v[p][1] += draw.string(2, HEX)
                else:
                    v[p][1] = draw.string(3, HEX)
    return i


if __name__ == '__main__':
    main(int(sys.argv[1]))
