"""mmap and memoryview over the file; struct for the layout."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib, mmap, struct, codecs, base64
from proto import run


def view(c):
    if 'bytes' in c:
        return memoryview(base64.b64decode(c['bytes']))
    with open(c['file'], 'rb') as f:
        f.seek(0, 2)
        return memoryview(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)) if f.tell() else memoryview(b'')


def safe(b):
    return codecs.encode(b, 'base64').decode().replace('\n', '').translate({43: 45, 47: 95})


def etag(i, *_):
    m = view(i['content'])
    shas = [hashlib.sha1(m[o:o + 4194304]).digest() for o in range(0, m.nbytes, 4194304)]
    d = shas[0] if len(shas) == 1 else hashlib.sha1(b''.join(shas)).digest()
    return safe(struct.pack('<L20s', len(shas), d)), {'blockCount': len(shas), 'digest': d.hex()}


run('correct-mmap', {'etag': etag, 'part-etag': lambda i, *_: safe(hashlib.sha1(view(i['content'])).digest())})
