"""Reads the adapter protocol (JSON lines) and nothing else: no signing in here."""
import sys, json

RESULT = {
    'url-encode': 'encoded', 'password': 'value', 'action-signature': 'signature', 'action-json': 'body',
    'action-query': 'query', 'bucket-request': 'target', 'authorization': 'authorization',
    'form-authorization': 'authorization', 'policy': 'policy', 'policy-authorization': 'authorization',
    'presigned-url': 'url', 'etag': 'etag', 'part-etag': 'etag', 'verify-authorization': 'publicKey',
    'verify-presigned-url': 'publicKey', 'verify-query': 'publicKey', 'verify-json': 'publicKey',
}


class Refused(Exception):
    def __init__(self, reason, message=''):
        super().__init__(reason, message)
        self.reason, self.message = reason, message


class Unsupported(Exception):
    pass


def content(c):
    """The bytes of an input's `content`."""
    if 'file' in c:
        with open(c['file'], 'rb') as f:
            return f.read()
    import binascii
    return binascii.a2b_base64(c['bytes'])


def run(name, ops, after=None):
    """ops: operation -> f(input, publicKey, privateKey, dialect) giving a text, a dict of results, or (result, trace)."""
    out = sys.stdout.buffer
    dialect = None
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        m = json.loads(line)
        if dialect is None:
            dialect = m['dialect']
            r = {'protocol': 1, 'implementation': {'name': name, 'version': '1.0', 'language': 'python'},
                 'operations': list(ops)}
        else:
            r = {'n': m['n']}
            op = m['operation']
            if op not in ops:
                r['unsupported'] = True
            else:
                try:
                    v = ops[op](m['input'], m['keys']['publicKey'], m['keys']['privateKey'], dialect)
                    trace = None
                    if isinstance(v, tuple):
                        v, trace = v
                    if not isinstance(v, dict):
                        v = {RESULT[op]: v}
                    r['result'] = v
                    if trace:
                        r['trace'] = trace
                except Refused as e:
                    r['refused'] = {'reason': e.reason, 'message': e.message}
                except Unsupported as e:
                    r['unsupported'] = str(e) or True
                except Exception as e:
                    r['error'] = '%s: %s' % (type(e).__name__, e)
            if after:
                r = after(m, r)
        out.write(json.dumps(r).encode('ascii') + b'\n')
        out.flush()
