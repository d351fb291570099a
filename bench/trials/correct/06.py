"""Regular expressions over one block of header text."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, re
from proto import run, Unsupported


def block(headers):
    for n, v in headers:
        if re.search(r'\r?\n(?![ \t])', v) or re.search(r'[:\r\n]', n) or '\r' in re.sub('\r\n', '', v):
            raise Unsupported('a header that is no header line')
    return ''.join(n + ':' + v.replace('\r\n', '\n') + '\n' for n, v in headers)


def canonical(text, prefix):
    text = re.sub(r'[ \t]*(?:\n[ \t]+)+', ' ', text)
    text = re.sub(r'(?m)^([^:\n]*?)[ \t]*:[ \t]*(.*?)[ \t]*$', lambda m: m[1].lower() + ':' + m[2], text)
    return text, sorted(re.findall('(?m)^(' + re.escape(prefix.lower()) + r'[^:\n]*):(.*)$', text), key=lambda m: m[0])


def string(method, i, d, ctype=None, fields=()):
    text, extra = canonical(block(i['headers']), d['headerPrefix'])
    one = lambda n: (re.findall('(?m)^' + n + ':(.*)$', text) + [''])[0]
    joined = ''.join('%s:%s\n' % x for x in extra)
    while True:
        shorter = re.sub(r'(?m)^([^:\n]+)(:.*)\n\1:(.*)$', r'\1\2,\3', joined, count=1)
        if shorter == joined:
            break
        joined = shorter
    md5 = one('content-md5')
    if fields and not re.search('(?m)^content-md5:', text):
        md5 = next((v for n, v in fields if n == 'Content-MD5'), '').strip(' \t')
    return '\n'.join([method.upper(), md5, one('content-type') if ctype is None else ctype, one('date'),
                      joined + '/' + i['bucket'] + '/' + i['key']])


def out(s, pub, pri, d):
    return re.sub('^', d['scheme'] + ' ' + pub + ':', base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode(), count=1) \
        if '\\' not in pub else d['scheme'] + ' ' + pub + ':' + base64.b64encode(hmac.digest(pri.encode(), s.encode(), 'sha1')).decode()


def form(i, pub, pri, d):
    t = [v.strip(' \t') for n, v in i['fields'] if n == 'Content-Type']
    return out(string('POST', i, d, t[0] if t else '', i['fields']), pub, pri, d)


run('correct-regex', {'authorization': lambda i, a, b, d: out(string(i['method'], i, d), a, b, d), 'form-authorization': form})
