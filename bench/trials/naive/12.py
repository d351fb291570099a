"""First try, the specification read in a hurry: files. The resource table names `x-svc-meta-<name>`, so that is what is signed.

Mistakes:
 M1 (line 26) Only headers x-svc-meta-... are signed, not every x-svc-... header.
 M2 (line 28) They stay in the order of the request, as in the worked example (repeated names are merged at the first).
 M3 (line 23) A form upload signs the Content-Type of the HTTP request.
Of a form, Content-MD5 is read from the HTTP headers only, and field names are compared without case (not in the specification).
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from proto import run


def sign(method, i, pub, pri, d):
    md5 = ctype = date = ''
    meta = {}
    for name, value in i['headers']:
        low = name.lower().strip(' \t')
        if low == 'content-md5':
            md5 = value.strip(' \t')
        elif low == 'content-type':
            ctype = value.strip(' \t')  # M3
        elif low == 'date':
            date = value.strip(' \t')
        elif low.startswith(d['headerPrefix'].lower() + 'meta-'):  # M1
            meta.setdefault(low, []).append(re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', value).strip(' \t'))
    extra = ''.join('%s:%s\n' % (n, ','.join(v)) for n, v in meta.items())  # M2
    s = '%s\n%s\n%s\n%s\n%s/%s/%s' % (method.upper(), md5, ctype, date, extra, i['bucket'], i['key'])
    return '%s %s:%s' % (d['scheme'], pub, base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode())


run('naive-hurry-file', {
    'authorization': lambda i, a, b, d: sign(i['method'], i, a, b, d),
    'form-authorization': lambda i, a, b, d: sign('POST', i, a, b, d),
})
