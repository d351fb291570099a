"""Rebuilt from a Tencent COS signer: there everything is lower case and URL-encoded.

Mistakes:
 M1 (line 35) The verb is signed in lower case.
 M2 (line 22) Values of extra headers are URL-encoded before they are signed.
Of a form, Content-MD5 is read from the HTTP headers only, and field names are compared without case (not in the specification).
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from urllib.parse import quote
from proto import run

FOLD = re.compile(r'[ \t]*(?:\r?\n[ \t]+)+')


def header_string(headers, prefix):
    groups = []
    for name, value in sorted(((n.strip(' \t').lower(), v) for n, v in headers), key=lambda p: p[0]):
        if not name.startswith(prefix):
            continue
        value = quote(FOLD.sub(' ', value).strip(' \t'), safe='~')  # M2
        if groups and groups[-1][0] == name:
            groups[-1][1].append(value)
        else:
            groups.append((name, [value]))
    return ''.join(n + ':' + ','.join(vs) + '\n' for n, vs in groups)


def pick(pairs, name):
    return next((v.strip(' \t') for n, v in pairs if n.strip(' \t').lower() == name), '')


def sign(verb, i, typ, pub, pri, d):
    fmt = verb.lower() + '\n'  # M1
    fmt += pick(i['headers'], 'content-md5') + '\n' + typ + '\n' + pick(i['headers'], 'date') + '\n'
    fmt += header_string(i['headers'], d['headerPrefix'].lower())
    fmt += '/%s/%s' % (i['bucket'], i['key'])
    return '%s %s:%s' % (d['scheme'], pub, base64.b64encode(hmac.digest(pri.encode(), fmt.encode(), 'sha1')).decode())


run('naive-cos', {
    'authorization': lambda i, a, b, d: sign(i['method'], i, pick(i['headers'], 'content-type'), a, b, d),
    'form-authorization': lambda i, a, b, d: sign('POST', i, pick(i['fields'], 'content-type'), a, b, d),
})
