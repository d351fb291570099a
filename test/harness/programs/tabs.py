"""The Python adapter in lines of keys, tabs and values, read and written without the harness's code for them."""

import pathlib
import sys

folder = pathlib.Path(__file__).parents[3] / "adapters" / "python"
sys.path.insert(0, str(folder))
sys.argv[0] = "adapter.py"
from adapter import STAGES, answer  # noqa: E402
from signing import OPERATIONS  # noqa: E402

PAIRS = {"headers", "fields", "members", "parameters"}


def unescaped(value):
    return "\\".join(part.replace("\\n", "\n").replace("\\t", "\t") for part in value.split("\\\\"))


def escaped(value):
    return str(value).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def parameter(lines, key):
    if key in lines:
        return lines[key]
    if key + ".number" in lines:
        return {"number": lines[key + ".number"]}
    if key + ".boolean" in lines:
        return lines[key + ".boolean"] == "true"
    if key + ".null" in lines:
        return None
    if key + ".list" in lines:
        return {"list": [parameter(lines, "%s.list.%d" % (key, i)) for i in range(int(lines[key + ".list"]))]}
    return {"object": pairs(lines, key + ".object")}


def pairs(lines, key):
    return [[lines["%s.%d.0" % (key, i)], parameter(lines, "%s.%d.1" % (key, i))] for i in range(int(lines[key]))]


def question(lines):
    message = {"n": lines["n"], "operation": lines["operation"], "input": {}}
    message["keys"] = {name: lines["keys." + name] for name in ("publicKey", "privateKey")}
    for key in lines:
        if key.startswith("input.content."):
            message["input"]["content"] = {key[len("input.content."):]: lines[key]}
        elif key.startswith("input.") and key.count(".") == 1:
            name = key[len("input."):]
            message["input"][name] = pairs(lines, key) if name in PAIRS else lines[key]
    return message


def write(message, key=""):
    if isinstance(message, dict):
        for name, value in message.items():
            write(value, key + "." + name if key else name)
        return
    if isinstance(message, bool):
        message = "true" if message else "false"
    isList = isinstance(message, (list, tuple))
    # A pair, which is an element of a list, has no line of its own.
    if not (isList and key[-1:].isdigit()):
        sys.stdout.write("%s\t%s\n" % (key, len(message) if isList else escaped(message)))
    if isList:
        for i, element in enumerate(message):
            write(element, "%s.%d" % (key, i))


def main():
    dialect = None
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    lines = {}
    for line in sys.stdin:
        if line != "\n":
            key, value = line[:-1].split("\t", 1)
            lines[key] = unescaped(value)
            continue
        if dialect is None:
            dialect = {name: lines["dialect." + name] for name in ("scheme", "headerPrefix", "publicKeyParameter")}
            write({"protocol": 1, "operations": list(OPERATIONS), "traces": STAGES, "window": 64,
                   "implementation": {"name": "tabs", "version": "1.0.0", "language": "python"}})
        else:
            write(answer(question(lines), dialect))
        sys.stdout.write("\n")
        sys.stdout.flush()
        lines = {}


main()
