#!/usr/bin/env python3
"""adapter.py ID: base.py with one mistake of sets.py."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import base  # noqa: E402
from sets import SINGLES  # noqa: E402

for name, function in SINGLES[sys.argv[1]]["patch"].items():
    if not hasattr(base, name):
        sys.exit("no function " + name)
    setattr(base, name, function)
base.main()
