"""Azure Storage "Shared Key" rewritten for this service.

Mistakes:
 M1 (line 18) The private key is Base64-decoded before it is used, where it can be decoded (account keys are Base64 in Azure).
 M2 (line 41) The Date line is empty when an x-svc-date header is sent.
 M3 (line 24) Header names are sorted by culture as .NET does: hyphens and underscores are ignored first, then decide.
 M4 (line 34) A header with an empty value is not signed (Azure skipped these in old versions).
Of a form, Content-MD5 is read from the HTTP headers only, and field names are compared without case (not in the specification).
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64, binascii, re
from proto import run


def key_bytes(private):
    try:
        return base64.b64decode(private, validate=True)  # M1
    except (binascii.Error, ValueError):
        return private.encode('utf-8')


def culture(name):
    return (re.sub('[-_]', '', name), name)  # M3


def build(method, i, d, ctype=None, tail=''):
    ms = {}
    std = {}
    for name, value in i['headers']:
        name = name.lower().strip(' \t')
        value = re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', value).strip(' \t')
        if name.startswith(d['headerPrefix'].lower()):
            if value == '':  # M4
                continue
            ms[name] = ms[name] + ',' + value if name in ms else value
        else:
            std.setdefault(name, value)
    date = std.get('date', '')
    if d['headerPrefix'].lower() + 'date' in ms:
        date = ''  # M2
    parts = [method.upper(), std.get('content-md5', ''), std.get('content-type', '') if ctype is None else ctype, date]
    return '\n'.join(parts) + '\n' + ''.join(f'{n}:{ms[n]}\n' for n in sorted(ms, key=culture)) + f"/{i['bucket']}/{i['key']}" + tail


def shared_key(s, pub, pri, d):
    return d['scheme'] + ' ' + pub + ':' + base64.b64encode(hmac.new(key_bytes(pri), s.encode('utf-8'), hashlib.sha1).digest()).decode()


def form(i, pub, pri, d):
    ct = ''
    for n, v in i['fields']:
        if n.lower() == 'content-type':
            ct = v.strip(' \t')
            break
    return shared_key(build('POST', i, d, ct), pub, pri, d)


run('naive-azure', {
    'authorization': lambda i, p, k, d: shared_key(build(i['method'], i, d), p, k, d),
    'form-authorization': form,
    'policy-authorization': lambda i, p, k, d: shared_key(build(i['method'], i, d, None, i['policy']), p, k, d) + ':' + i['policy'],
})
