"""Port of an old S3 (AWS Signature V2) client class: "the string to sign looks the same, so I renamed Amz to Svc".

Mistakes:
 M1 (line 39) As in S3, the Date line is left empty when the request has an x-svc-date header.
 M2 (line 40) As in S3, the key in the canonical resource is percent-encoded (slashes stay).
 M3 (line 41) As in S3, a pre-signed URL signs Content-MD5 and Content-Type too when the headers hold them.
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64, re
from urllib.parse import quote
from proto import run


class S3LikeAuth:
    def __init__(self, access, secret, dialect):
        self.access, self.secret, self.d = access, secret, dialect
        self.prefix = dialect['headerPrefix'].lower()

    def amz_headers(self, headers):
        bag = {}
        for k, v in headers:
            k = k.lower().strip(' \t')
            if k.startswith(self.prefix):
                v = re.sub(r'[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t')
                bag.setdefault(k, []).append(v)
        return ''.join('%s:%s\n' % (k, ','.join(bag[k])) for k in sorted(bag)), bag

    def one(self, headers, name):
        for k, v in headers:
            if k.lower().strip(' \t') == name:
                return v.strip(' \t')
        return ''

    def string_to_sign(self, verb, bucket, key, headers, expires=None):
        amz, bag = self.amz_headers(headers)
        date = self.one(headers, 'date') if expires is None else expires
        if expires is None and self.prefix + 'date' in bag:
            date = ''  # M1
        resource = '/' + bucket + '/' + quote(key, safe='/~')  # M2
        md5 = self.one(headers, 'content-md5')  # M3
        ctype = self.one(headers, 'content-type')
        return '\n'.join([verb.upper(), md5, ctype, date, amz + resource])

    def sign(self, s):
        return base64.b64encode(hmac.new(self.secret.encode(), s.encode('utf-8'), hashlib.sha1).digest()).decode()


def authorization(i, pub, pri, d):
    a = S3LikeAuth(pub, pri, d)
    return '%s %s:%s' % (d['scheme'], pub, a.sign(a.string_to_sign(i['method'], i['bucket'], i['key'], i['headers'])))


def presigned(i, pub, pri, d):
    a = S3LikeAuth(pub, pri, d)
    sig = a.sign(a.string_to_sign(i['method'], i['bucket'], i['key'], i['headers'], i['expires']))
    return '%s://%s.%s/%s?%s=%s&Expires=%s&Signature=%s' % (
        i['scheme'], i['bucket'], i['fileHost'], quote(i['key'], safe='/~'), d['publicKeyParameter'],
        quote(pub, safe='~'), quote(i['expires'], safe='~'), quote(sig, safe=''))


run('naive-s3v2', {'authorization': authorization, 'presigned-url': presigned})
