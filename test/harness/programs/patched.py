"""The Python adapter with texts of its implementation replaced: patched.py OLD NEW [OLD NEW ...]."""

import pathlib
import runpy
import sys
import types

folder = pathlib.Path(__file__).parents[3] / "adapters" / "python"
source = (folder / "signing.py").read_text(encoding="utf-8")
for old, new in zip(sys.argv[1::2], sys.argv[2::2]):
    if old not in source:
        sys.exit("the adapter does not contain " + old)
    source = source.replace(old, new)
signing = sys.modules["signing"] = types.ModuleType("signing")
exec(compile(source, str(folder / "signing.py"), "exec"), vars(signing))
runpy.run_path(str(folder / "adapter.py"), run_name="__main__")
