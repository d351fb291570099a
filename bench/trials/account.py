"""The correct parts of programs 128 and 132, which sign requests of the account API."""
import hashlib
import re
from decimal import Decimal

from serving import Refused


def decimal(written):
    """Plain decimal text of a JSON number."""
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        raise Refused("number", "malformed")
    try:
        value = Decimal(written)
        if value and not -4000 < value.adjusted() < 4000:
            raise Refused("number", "too long")
    except ArithmeticError:
        raise Refused("number", "too large")
    if not value:
        return "0"
    out = format(value, "f")
    return out.rstrip("0").rstrip(".") if "." in out else out


def sha1(leaves, private):
    return hashlib.sha1(("".join(n + v for n, v, _ in leaves) + private).encode()).hexdigest()


def demand(leaves, *names):
    for name in names:
        if not any(leaf[0] == name for leaf in leaves):
            raise Refused("parameter-missing", name)


UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"


def escape(text, keep=UNRESERVED):
    return "".join(chr(b) if b in keep else "%%%02X" % b for b in text.encode())
