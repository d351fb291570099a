"""Tables: 256 encodings, a state machine for values."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64
from proto import run
ENC = ['%%%02X' % b for b in range(256)]
for b in b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~':
    ENC[b] = chr(b)
PATH = list(ENC)
PATH[47] = '/'
CLASS = {' ': 0, '\t': 0, '\r': 1, '\n': 1}
# state, class -> state; states: 0 start, 1 text, 2 blanks, 3 in a fold
NEXT = [[0, 0, 1], [2, 3, 1], [2, 3, 1], [3, 3, 1]]


def value(v):
    state, out, held = 0, [], []
    for c in v:
        k = CLASS.get(c, 2)
        if k == 2:
            if state == 2:
                out += held
            elif state == 3:
                out.append(' ')
            held = []
            out.append(c)
        else:
            held.append(c)
        state = NEXT[state][k]
    return ''.join(out)


def table(t, s):
    return ''.join(map(t.__getitem__, s.encode()))


def extra(headers, prefix):
    rows = {}
    for n, v in headers:
        rows.setdefault(n.strip(' \t').lower(), []).append(value(v))
    return [(n, rows[n]) for n in sorted(rows) if n.startswith(prefix.lower())]


def url(i, pub, pri, d):
    s = '%s\n\n\n%s\n%s/%s/%s' % (i['method'].upper(), i['expires'],
                                 ''.join(n + ':' + ','.join(v) + '\n' for n, v in extra(i['headers'], d['headerPrefix'])), i['bucket'], i['key'])
    sig = base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode()
    rows = [(d['publicKeyParameter'], pub), ('Expires', i['expires']), ('Signature', sig)]
    return '%s://%s.%s/%s?%s' % (i['scheme'], i['bucket'], i['fileHost'], table(PATH, i['key']), '&'.join(n + '=' + table(ENC, v) for n, v in rows))


run('correct-tables', {'url-encode': lambda i, *_: table(ENC, i['text']), 'presigned-url': url})
