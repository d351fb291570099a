"""Somebody who has written AWS Signature V4 signers all day writes this one.

Mistakes:
 M1 (line 16) "Trimall" from V4: every run of white space inside a header value becomes one space, folded or not.
 M2 (line 27) V4 has an empty line behind the canonical headers; here it is there whenever there are extra headers.
 M3 (line 61) ETag: the count is followed by SHA-256 digests ("which SHA: not shown", V4 is SHA-256).
Of a form, Content-MD5 is read from the HTTP headers only, and field names are compared without case (not in the specification).
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64, struct
from proto import run, content


def trimall(v):
    return ' '.join(v.split())  # M1


def canonical(headers, prefix):
    pairs = [(n.strip(' \t').lower(), trimall(v)) for n, v in headers]
    pairs = [p for p in pairs if p[0].startswith(prefix)]
    lines = []
    for n in sorted({n for n, _ in pairs}):
        lines.append(n + ':' + ','.join(v for m, v in pairs if m == n))
    if not lines:
        return ''
    return '\n'.join(lines) + '\n' + '\n'  # M2


def sts(verb, ctype_from, i, d):
    h = {}
    for n, v in i['headers']:
        h[n.strip(' \t').lower()] = v.strip(' \t\r\n')
    ct = h.get('content-type', '')
    if ctype_from is not None:
        ct = ''
        for n, v in ctype_from:
            if n.lower() == 'content-type':
                ct = v.strip(' \t')
    return (verb.upper() + '\n' + h.get('content-md5', '') + '\n' + ct + '\n' + h.get('date', '') + '\n'
            + canonical(i['headers'], d['headerPrefix'].lower()) + '/' + i['bucket'] + '/' + i['key'])


def mac(pri, s):
    return base64.b64encode(hmac.new(pri.encode(), s.encode(), 'sha1').digest()).decode('ascii')


def authorization(i, pub, pri, d):
    return f"{d['scheme']} {pub}:{mac(pri, sts(i['method'], None, i, d))}"


def form(i, pub, pri, d):
    return f"{d['scheme']} {pub}:{mac(pri, sts('POST', i['fields'], i, d))}"


def etag(i, pub, pri, d):
    data = content(i['content'])
    size = 4 << 20
    blocks = [data[o:o + size] for o in range(0, len(data), size)]
    if len(blocks) <= 1:
        digest = hashlib.sha256(data).digest()  # M3
    else:
        digest = hashlib.sha256(b''.join(hashlib.sha256(b).digest() for b in blocks)).digest()
    return base64.urlsafe_b64encode(struct.pack('<I', len(blocks)) + digest).decode()


run('naive-sigv4', {'authorization': authorization, 'form-authorization': form, 'etag': etag})
