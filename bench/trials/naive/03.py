"""Translation of an Aliyun OSS client in PHP (associative arrays, empty(), urlencode()).

Mistakes:
 M1 (line 19) Headers are a PHP array: of a repeated header the last value wins.
 M2 (line 33) `if (empty($value)) continue;`: an extra header with the value "" or "0" is dropped.
 M3 (line 35) str_replace(["\\r", "\\n"], ''): a fold loses its line break and keeps the white space.
 M4 (line 56) urlencode() for the key of the URL: a space becomes "+" (slashes are put back).
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64
from urllib.parse import quote_plus, quote
from proto import run


def php_array(headers):
    a = {}
    for name, value in headers:
        a[name.strip(' \t').lower()] = value  # M1
    return a


def sign_string(verb, bucket, key, a, prefix, expires=None, tail=''):
    s = verb.upper() + "\n"
    if expires is None:
        s += a.get('content-md5', '').strip(' \t') + "\n" + a.get('content-type', '').strip(' \t') + "\n" + a.get('date', '').strip(' \t') + "\n"
    else:
        s += "\n\n" + expires + "\n"
    for name in sorted(a):
        if not name.startswith(prefix):
            continue
        value = a[name]
        if value in ('', '0'):  # M2
            continue
        value = value.replace('\r', '').replace('\n', '').strip(' \t')  # M3
        s += name + ':' + value + "\n"
    return s + '/' + bucket + '/' + key + tail


def hm(s, k):
    return base64.b64encode(hmac.new(k.encode('utf8'), s.encode('utf8'), hashlib.sha1).digest()).decode()


def authorization(i, pub, pri, d):
    s = sign_string(i['method'], i['bucket'], i['key'], php_array(i['headers']), d['headerPrefix'].lower())
    return d['scheme'] + ' ' + pub + ':' + hm(s, pri)


def with_policy(i, pub, pri, d):
    s = sign_string(i['method'], i['bucket'], i['key'], php_array(i['headers']), d['headerPrefix'].lower(), None, i['policy'])
    return d['scheme'] + ' ' + pub + ':' + hm(s, pri) + ':' + i['policy']


def url(i, pub, pri, d):
    s = sign_string(i['method'], i['bucket'], i['key'], php_array(i['headers']), d['headerPrefix'].lower(), i['expires'])
    k = quote_plus(i['key']).replace('%2F', '/')  # M4
    return (i['scheme'] + '://' + i['bucket'] + '.' + i['fileHost'] + '/' + k + '?' + d['publicKeyParameter'] + '='
            + quote(pub, safe='') + '&Expires=' + quote(i['expires'], safe='') + '&Signature=' + quote(hm(s, pri), safe=''))


run('naive-oss-php', {'authorization': authorization, 'policy-authorization': with_policy, 'presigned-url': url})
