"""Embedded C with OpenSSL: htonl, BIO_f_base64, atoi, sprintf.

Mistakes:
 M1 (line 36) ETag: the count is written with htonl(), so big-endian.
 M2 (line 20) BIO_f_base64 without BIO_FLAGS_BASE64_NO_NL: the policy is broken into lines of 64 characters, with a line feed at its end.
 M3 (line 54) Numbers go through a 32-bit int and "%d": larger ones wrap around, fractions are cut off.
 M4 (line 82) The hexadecimal signature is printed with "%02X".
 M5 (line 49) Strings end at the first NUL.
Refuses nothing; a malformed number throws (error).
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, base64, struct, json
from proto import run, content

MB4 = 4194304


def b64_bio(data):
    t = base64.b64encode(data).decode()
    return ''.join(t[k:k + 64] + '\n' for k in range(0, len(t), 64))  # M2


def urlsafe(t):
    return t.replace('+', '-').replace('/', '_')


def etag(i, pub, pri, d):
    buf = content(i['content'])
    cnt, off, cat, last = 0, 0, b'', b''
    while off < len(buf):
        last = hashlib.sha1(buf[off:off + MB4]).digest()
        cat += last
        cnt += 1
        off += MB4
    md = hashlib.sha1(cat).digest() if cnt > 1 else (last or hashlib.sha1(b'').digest())
    return urlsafe(base64.b64encode(struct.pack('>I', cnt) + md).decode())  # M1


def part(i, pub, pri, d):
    return urlsafe(base64.b64encode(hashlib.sha1(content(i['content'])).digest()).decode())


def policy(i, pub, pri, d):
    js = '{' + ','.join(json.dumps(k, ensure_ascii=False) + ':' + json.dumps(v, ensure_ascii=False) for k, v in i['members']) + '}'
    return urlsafe(b64_bio(js.encode('utf-8')))


def cstr(b):
    return b.split(b'\0', 1)[0]  # M5


def number(t):
    n = int(float(t)) if any(c in t for c in '.eE') else int(t)
    return b'%d' % ((n + 2**31) % 2**32 - 2**31)  # M3


def add(table, name, v):
    if isinstance(v, bool):
        table.append((name, b'true' if v else b'false'))
    elif v is None:
        pass
    elif isinstance(v, str):
        table.append((name, cstr(v.encode())))
    elif 'number' in v:
        table.append((name, number(v['number'])))
    elif 'list' in v:
        for k, x in enumerate(v['list']):
            add(table, name + b'.%d' % k, x)
    else:
        for k, x in v['object']:
            add(table, name + b'.' + cstr(k.encode()), x)


def action(i, pub, pri, d):
    table = []
    for n, v in i['parameters']:
        if n == 'Signature':
            continue
        add(table, cstr(n.encode()), v)
    table.sort(key=lambda r: r[0])
    md = hashlib.sha1(b''.join(n + v for n, v in table) + pri.encode()).digest()
    return ''.join('%02X' % b for b in md)  # M4


run('naive-c', {'etag': etag, 'part-etag': part, 'policy': policy, 'action-signature': action})
