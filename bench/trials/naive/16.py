"""Node: streams, Math.floor, Buffer.toString('base64url'), digest('hex').

Mistakes:
 M1 (line 22) blocks = Math.floor(size / BLOCK) + 1: one too many for exact multiples (and 1 for an empty file); the hash form follows it.
 M2 (line 28) Several blocks: SHA-1 over the hexadecimal texts of the digests.
 M3 (line 17) toString('base64url') has no "=": the ETag of a part and the policy lose their padding.
Refuses nothing.
"""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, base64, json, struct
from proto import run, content

BLOCK = 4 * 1024 * 1024


def base64url(b):
    return base64.urlsafe_b64encode(b).decode().rstrip('=')  # M3


def etag(i, *_):
    data = content(i['content'])
    blocks = len(data) // BLOCK + 1  # M1
    if blocks == 1:
        digest = hashlib.sha1(data).digest()
    else:
        h = hashlib.sha1()
        for n in range(blocks):
            h.update(hashlib.sha1(data[n * BLOCK:(n + 1) * BLOCK]).hexdigest().encode())  # M2
        digest = h.digest()
    return base64url(struct.pack('<I', blocks) + digest)


run('naive-node-etag', {
    'etag': etag,
    'part-etag': lambda i, *_: base64url(hashlib.sha1(content(i['content'])).digest()),
    'policy': lambda i, *_: base64url(json.dumps(dict(i['members']), ensure_ascii=False, separators=(',', ':')).encode()),
})
