"""The Python adapter with texts of its source replaced: patched.py OLD NEW [OLD NEW ...]."""

import pathlib
import sys

path = pathlib.Path(__file__).parents[3] / "adapters" / "python" / "adapter.py"
source = path.read_text(encoding="utf-8")
for old, new in zip(sys.argv[1::2], sys.argv[2::2]):
    if old not in source:
        sys.exit("the adapter does not contain " + old)
    source = source.replace(old, new)
exec(compile(source, str(path), "exec"))
