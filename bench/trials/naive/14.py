"""Python on requests and http.client, keys treated as file paths.

Mistakes:
 M1 (line 24) The string to sign is encoded as Latin-1, as http.client does with headers, and as UTF-8 only where that fails.
 M2 (line 19) posixpath.join('/', bucket, key) and normpath: "a//b" becomes "a/b", "." and ".." go, a key with a slash at its
    start loses the bucket, a slash at the end goes.
 M3 (line 35) ' '.join(value.splitlines()): a fold becomes one space plus the white space that was there; splitlines() cuts at CR, FF, NEL and others too.
 M4 (line 69) Instant upload is signed with the path that is requested, /<bucket>/uploadhit, instead of the key.
Of a form, Content-MD5 is read from the HTTP headers only, and field names are compared without case (not in the specification).
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, base64, posixpath
from urllib.parse import quote, urlencode
from proto import run


def resource(bucket, key):
    return posixpath.normpath(posixpath.join('/', bucket, key))  # M2


def encoded(s):
    try:
        return s.encode('latin-1')  # M1
    except UnicodeEncodeError:
        return s.encode('utf-8')


def signature(method, ctype, date, i, key, pri, d, md5=None):
    prefix = d['headerPrefix'].lower()
    merged = {}
    for n, v in i['headers']:
        n = n.lower().strip(' \t')
        if n.startswith(prefix):
            v = ' '.join(v.splitlines()).strip(' \t')  # M3
            merged[n] = merged[n] + ',' + v if n in merged else v
    if md5 is None:
        md5 = head(i['headers'], 'content-md5')
    lines = [method.upper(), md5, ctype, date]
    lines += [n + ':' + merged[n] for n in sorted(merged)]
    lines += [resource(i['bucket'], key)]
    return base64.b64encode(hmac.new(pri.encode(), encoded('\n'.join(lines)), 'sha1').digest()).decode()


def head(pairs, name):
    for n, v in pairs:
        if n.lower().strip(' \t') == name:
            return v.strip(' \t')
    return ''


def authorization(i, pub, pri, d):
    s = signature(i['method'], head(i['headers'], 'content-type'), head(i['headers'], 'date'), i, i['key'], pri, d)
    return '{} {}:{}'.format(d['scheme'], pub, s)


def form(i, pub, pri, d):
    s = signature('POST', head(i['fields'], 'content-type'), head(i['headers'], 'date'), i, i['key'], pri, d)
    return '{} {}:{}'.format(d['scheme'], pub, s)


def presign(i, pub, pri, d):
    s = signature(i['method'], '', i['expires'], i, i['key'], pri, d, '')
    q = urlencode([(d['publicKeyParameter'], pub), ('Expires', i['expires']), ('Signature', s)], quote_via=quote, safe='')
    return f"{i['scheme']}://{i['bucket']}.{i['fileHost']}/{quote(i['key'], safe='/~')}?{q}"


def hit(i, pub, pri, d):
    s = signature('POST', head(i['headers'], 'content-type'), head(i['headers'], 'date'), i, 'uploadhit', pri, d)  # M4
    q = urlencode([('Hash', i['etag']), ('FileName', i['key']), ('FileSize', i['size'])], quote_via=quote, safe='')
    return {'target': '/uploadhit?' + q, 'authorization': '{} {}:{}'.format(d['scheme'], pub, s)}


run('naive-requests', {'authorization': authorization, 'form-authorization': form, 'presigned-url': presign, 'instant-upload': hit})
