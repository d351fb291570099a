"""The hundred modes of junk.py. Read the list as: of the questions, `rate` per cent
(by hash; or every nth) are treated; `after` changes the right result, `inside` a step, `mutate` the input, `verdict` a verifier's
verdict; `instead` declines."""
SIGN = ['authorization', 'form-authorization', 'policy-authorization', 'instant-upload', 'presigned-url']
ACTION = ['action-signature', 'action-json', 'action-query', 'bucket-request']
ETAG = ['etag', 'part-etag']
VERIFY = ['verify-authorization', 'verify-presigned-url', 'verify-query', 'verify-json']
MODES = []
for rate in (5, 20, 50, 100):
    MODES.append({'rate': rate, 'after': ('flip', 1)})
    MODES.append({'rate': rate, 'after': ('truncate', 0)})
    MODES.append({'rate': rate, 'inside': {'digest': ('in_xor', 100)}})
    MODES.append({'rate': rate, 'inside': {'order': ('in_shuffle', 0)}})
    MODES.append({'rate': rate, 'inside': {'text': ('in_flip', 0)}})
    MODES.append({'rate': rate, 'mutate': 'all'})
    MODES.append({'rate': rate, 'dialect': ['scheme', 'headerPrefix', 'publicKeyParameter']})
    MODES.append({'rate': rate, 'instead': ['refused', 'unsupported', 'error'], 'instead_rate': 100})
for rate in (30, 100):
    for f, a in (('hexes', 40), ('hexes', 0), ('base64s', 28), ('base64s', 0), ('shuffle', 0), ('xor', 16), ('caseflip', 30), ('double', 3), ('rotate', 0), ('insert', 4)):
        MODES.append({'rate': rate, 'after': (f, a)})
for f, a in (('constant', ''), ('constant', 'ok'), ('constant', '0' * 40), ('previous', 0), ('previous_same', 0), ('growing', 0), ('backwards', 50),
             ('delete', 5), ('unicode_', 30), ('of_input', 'sha1'), ('of_input', 'md5'), ('neighbour', 0), ('sortchars', 70), ('echo', 60), ('stray', 0)):
    MODES.append({'after': (f, a)})
for what, f, a in (('text', 'in_lines', 0), ('text', 'in_dropline', 0), ('text', 'in_dup', 0), ('text', 'in_cut', 0), ('text', 'in_case', 30),
                   ('key', 'in_key', 0), ('key', 'in_keyflip', 5), ('digest', 'in_xor', 10), ('digest', 'in_bytes', 0), ('digest', 'in_again', 4),
                   ('digest', 'in_alg', 0), ('digest', 'in_half', 0)):
    MODES.append({'inside': {what: (f, a)}})
for every in (2, 3, 7):
    MODES.append({'every': every, 'after': ('flip', 3)})
for swap in (25, 50, 100):
    MODES.append({'swap': swap})
for kind in ('coin', 'opposite', 'reason'):
    MODES.append({'verdict': kind, 'ops': VERIFY})
    MODES.append({'verdict': kind, 'rate': 15, 'ops': VERIFY})
MODES += [
    {'ops': SIGN, 'rate': 60, 'after': ('flip', 2)},
    {'ops': ACTION, 'rate': 60, 'inside': {'order': ('in_shuffle', 0), 'text': ('in_dup', 0)}},
    {'ops': ETAG, 'rate': 60, 'inside': {'digest': ('in_half', 0)}},
    {'ops': ETAG, 'after': ('base64s', 32)},
    {'ops': ['url-encode', 'password', 'policy'], 'rate': 50, 'after': ('insert', 2)},
    {'answers_refusals': True, 'rate': 50, 'mutate': 'lists'},
    {'ops': ['authorization'], 'rate': 40, 'dialect': ['headerPrefix'], 'inside': {'digest': ('in_again', 3)}},
    {'ops': ['presigned-url'], 'rate': 70, 'mutate': 'texts'},
    {'rate': 10, 'after': ('unicode_', 5), 'instead': ['error'], 'instead_rate': 30},
]
