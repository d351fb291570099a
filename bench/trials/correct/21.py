"""Ordered data classes; the parameters are a class of their own."""
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import hashlib
from functools import total_ordering
from proto import run, Refused


@total_ordering
class Parameter:
    __slots__ = ('name', 'value')

    def __init__(self, name, value):
        self.name, self.value = name, value

    def __eq__(self, o):
        return self.name == o.name

    def __lt__(self, o):
        a, b = self.name.encode(), o.name.encode()
        for x, y in zip(a, b):
            if x != y:
                return x < y
        return len(a) < len(b)

    def __str__(self):
        return self.name + self.value


class Parameters(list):
    def load(self, pairs, path=()):
        for n, v in pairs:
            if not path and n == 'Signature':
                continue
            here = path + (str(n),)
            if isinstance(v, dict):
                if 'number' in v:
                    self.append(Parameter('.'.join(here), self.number(v['number'])))
                else:
                    self.load(v['object'] if 'object' in v else enumerate(v['list']), here)
            elif v is not None:
                self.append(Parameter('.'.join(here), {True: 'true', False: 'false'}[v] if isinstance(v, bool) else v))
        return self

    @staticmethod
    def number(t):
        sign = t[:1] if t[:1] == '-' else ''
        head, _, exp = t[len(sign):].lower().partition('e')
        head, _, tail = head.partition('.')
        e = int(exp or '0')
        while e > 0:
            head, tail, e = head + (tail[:1] or '0'), tail[1:], e - 1
        while e < 0:
            head, tail, e = head[:-1], (head[-1:] or '0') + tail, e + 1
        head, tail = head.lstrip('0'), tail.rstrip('0')
        return (sign if head or tail else '') + (head or '0') + ('.' if tail else '') + tail


def sign(i, pub, pri, d):
    ps = sorted(Parameters().load(i['parameters']))
    if any(a == b for a, b in zip(ps, ps[1:])):
        raise Refused('parameter-repeated')
    s = ''.join(map(str, ps)) + pri
    return hashlib.sha1(s.encode()).hexdigest(), {'sortedParameters': [[p.name, p.value] for p in ps], 'stringToSign': s}


run('correct-objects', {'action-signature': sign})
