"""Google Cloud Storage V2 signed URLs, moved over by a Python developer.

Mistakes:
 M1 (line 30) urllib.parse.quote(signature) without safe='': a "/" in the signature is not encoded.
 M2 (line 24) Extra headers are not signed in a pre-signed URL ("a browser sends none").
 M3 (line 18) A HEAD request is pre-signed as GET.
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hmac, hashlib, base64
import urllib.parse
from proto import run


def generate_signed_url(i, pub, pri, d):
    method = i['method'].upper()
    if method == 'HEAD':
        method = 'GET'  # M3
    string_to_sign = '\n'.join([
        method,
        '',
        '',
        i['expires'],
        f"/{i['bucket']}/{i['key']}",  # M2
    ])
    signature = base64.b64encode(hmac.new(pri.encode(), string_to_sign.encode('utf-8'), hashlib.sha1).digest())
    return '{}://{}.{}/{}?{}={}&Expires={}&Signature={}'.format(
        i['scheme'], i['bucket'], i['fileHost'], urllib.parse.quote(i['key'], safe='/~'),
        d['publicKeyParameter'], urllib.parse.quote(pub, safe=''), urllib.parse.quote(i['expires'], safe=''),
        urllib.parse.quote(signature),  # M1
    )


run('naive-gcs', {'presigned-url': generate_signed_url})
