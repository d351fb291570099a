#!/usr/bin/env python3
"""An Erlang library for a message broker.

1. The values of a repeated extra header are joined last first (the accumulator is not reversed).
2. Fractions are written with float_to_list(F, [{decimals, 4}, compact]): four digits after the point at most.
3. Elements of lists count from 1, as lists:nth does.
4. The query is compared with the parameters in the order in which they came (verify-query and verify-json do not sort).
"""
import os
import sys
from decimal import ROUND_HALF_UP, Context, Decimal

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def fold(pairs):
    acc = {}
    for name, value in pairs:
        acc[name] = [value] + acc.get(name, [])
    return list(acc.items())


integer_or_float = base.number_text


def float_to_list(written):
    text = integer_or_float(written)
    if "." not in text:
        return text
    near = Decimal(text).quantize(Decimal("0.0001"), rounding=ROUND_HALF_UP, context=Context(prec=9000))
    return integer_or_float(format(near, "f"))


def nth(name, index):
    return "%s.%d" % (name, index + 1)


def proplist(parameters):
    kept = [leaf for leaf in base.flatten(parameters) if leaf.name != "Signature"]
    base.check_repeated([leaf.name for leaf in kept])
    return kept


base.merge, base.number_text, base.item_name, base.verify_prepare = fold, float_to_list, nth, proplist


if __name__ == "__main__":
    base.main()
