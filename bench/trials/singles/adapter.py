#!/usr/bin/env python3
"""adapter.py ID: base.py with one mistake of mistakes.py, more.py, third.py, fourth.py, fifth.py, sixth.py, seventh.py, eighth.py, ninth.py or spare.py."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import base  # noqa: E402
import mistakes  # noqa: E402
import more  # noqa: E402
import third  # noqa: E402
import fourth  # noqa: E402
import fifth  # noqa: E402
import seventh  # noqa: E402
import eighth  # noqa: E402
import ninth  # noqa: E402
import sixth  # noqa: E402
import spare  # noqa: E402

for name, function in {**mistakes.MISTAKES, **more.MISTAKES, **third.MISTAKES, **fourth.MISTAKES, **fifth.MISTAKES, **sixth.MISTAKES, **seventh.MISTAKES, **eighth.MISTAKES, **ninth.MISTAKES, **spare.MISTAKES}[sys.argv[1]]["patch"].items():
    if not hasattr(base, name):
        sys.exit("no function " + name)
    setattr(base, name, function)
base.main()
