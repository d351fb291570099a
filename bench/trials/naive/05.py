"""Qiniu's SDK with the names changed: qetag, upload policies, urlsafe_base64_encode everywhere.

Mistakes:
 M1 (line 34) Authorization: the signature is URL-safe Base64.
 M2 (line 22) ETag as in qetag: the prefix is one byte, 0x16 for one block and 0x96 for several, instead of the count.
 M3 (line 48) The policy is appended before the resource, behind the headers.
 M4 (line 63) The ETag of a part is the qetag of that part too (prefix and all).
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64, json, re
from proto import run, content


def urlsafe_base64_encode(b):
    return base64.urlsafe_b64encode(b).decode()


def qetag(data):
    n = 4 * 1024 * 1024
    if len(data) <= n:
        return urlsafe_base64_encode(b'\x16' + hashlib.sha1(data).digest())  # M2
    sha = hashlib.sha1()
    for i in range(0, len(data), n):
        sha.update(hashlib.sha1(data[i:i + n]).digest())
    return urlsafe_base64_encode(b'\x96' + sha.digest())


class Mac:
    def __init__(self, ak, sk, d):
        self.ak, self.sk, self.d = ak, sk, d

    def sign(self, s):
        return urlsafe_base64_encode(hmac.new(self.sk.encode(), s.encode(), hashlib.sha1).digest())  # M1

    def token(self, i, policy=''):
        pos = {'content-md5': '', 'content-type': '', 'date': ''}
        ext = {}
        for n, v in i['headers']:
            n = n.strip(' \t').lower()
            if n in pos:
                pos[n] = v.strip(' \t')
            elif n.startswith(self.d['headerPrefix'].lower()):
                ext.setdefault(n, []).append(re.sub('[ \t]*(?:\r?\n[ \t]+)+', ' ', v).strip(' \t'))
        s = '\n'.join([i['method'].upper(), pos['content-md5'], pos['content-type'], pos['date'], ''])
        for n in sorted(ext):
            s += n + ':' + ','.join(ext[n]) + '\n'
        s += policy  # M3
        s += '/' + i['bucket'] + '/' + i['key']
        t = self.d['scheme'] + ' ' + self.ak + ':' + self.sign(s)
        return t + ':' + policy if policy else t


def policy(i, pub, pri, d):
    return urlsafe_base64_encode(json.dumps(dict(i['members']), separators=(',', ':'), ensure_ascii=False).encode())


run('naive-qiniu', {
    'authorization': lambda i, a, b, d: Mac(a, b, d).token(i),
    'policy': policy,
    'policy-authorization': lambda i, a, b, d: Mac(a, b, d).token(i, i['policy']),
    'etag': lambda i, a, b, d: qetag(content(i['content'])),
    'part-etag': lambda i, a, b, d: qetag(content(i['content'])),  # M4
})
