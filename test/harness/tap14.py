"""A strict reader of TAP 14 (https://testanything.org/tap-version-14-specification.html): TAP on standard input, JSON on standard output."""

import json
import re
import sys

POINT = re.compile(r"(not )?ok (\d+) - (.*)")
PLAN = re.compile(r"1\.\.(\d+)")
MEMBER = re.compile(r'([a-z]+): (".*")')


def unescape(text):
    """The description and the directive of a test point."""
    description, directive, i = "", None, 0
    while i < len(text):
        if text[i] == "\\":
            assert text[i + 1] in "\\#", text
            description += text[i + 1]
            i += 2
        elif text[i] == "#":
            directive = text[i + 1 :].strip()
            break
        else:
            description += text[i]
            i += 1
    if directive is not None:
        assert re.match(r"(SKIP|TODO)\b", directive), directive
    return description.strip(), directive


def read_yaml(lines, indent):
    members = {}
    while True:
        line = lines.pop(0)
        assert line.startswith(indent), line
        if line == indent + "...":
            return members
        key, value = MEMBER.fullmatch(line[len(indent) :]).groups()
        members[key] = json.loads(value)


def read_document(lines, depth):
    """Test points up to the end of this depth; the plan comes last."""
    indent, points, plan, children = "    " * depth, [], None, None
    while lines and lines[0].startswith(indent):
        line = lines[0][len(indent) :]
        if line.startswith("    "):
            assert children is None and plan is None
            children = read_document(lines, depth + 1)
            continue
        lines.pop(0)
        if line.startswith("#"):
            continue
        if PLAN.fullmatch(line):
            assert plan is None
            plan = int(PLAN.fullmatch(line).group(1))
            continue
        match = POINT.fullmatch(line)
        assert match and plan is None, line
        failed, number, text = match.groups()
        name, directive = unescape(text)
        point = {"ok": not failed, "name": name, "directive": directive, "points": children}
        children = None
        assert int(number) == len(points) + 1, line
        if lines and lines[0] == indent + "  ---":
            lines.pop(0)
            point["yaml"] = read_yaml(lines, indent + "  ")
        points.append(point)
    assert plan == len(points), (plan, len(points))
    return points


text = sys.stdin.buffer.read().decode("utf-8")
assert text.endswith("\n")
lines = text[:-1].split("\n")
assert lines.pop(0) == "TAP version 14"
points = read_document(lines, 0)
assert lines == [], lines[0]
for point in points:
    assert point["ok"] == all(one["ok"] for one in point["points"])
print(json.dumps(points))
