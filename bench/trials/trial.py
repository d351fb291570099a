#!/usr/bin/env python3
"""trial.py [--json FILE] [PATTERN...]: what `run` says of each wrong program, beside what is wrong with it.

A pattern is a regular expression for ids of singles (p01) or files (programs/03.py, correct/01.py); without one, all
singles are asked. Needs `npm run build`.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join(HERE, "..", "..", "dist", "bin", "svc-conformance.cjs")
sys.path.insert(0, os.path.join(HERE, "singles"))
sys.dont_write_bytecode = True
from sets import SINGLES  # noqa: E402


def programs(patterns):
    """Name, command and truth of each program that a pattern fits."""
    for name, single in SINGLES.items():
        if not patterns or any(re.fullmatch(pattern, name) for pattern in patterns):
            yield name, [os.path.join(HERE, "singles", "adapter.py"), name], single["truth"]
    for folder in ("naive", "programs", "correct"):
        for file in sorted(os.listdir(os.path.join(HERE, folder))):
            name = folder + "/" + file
            if any(re.fullmatch(pattern, name) for pattern in patterns):
                yield name, [os.path.join(HERE, folder, file)], ""


def causes_of(command):
    """The exit code of `run`, the causes that it names, and the mistaken signers whose requests are accepted."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        ran = subprocess.run(["node", SUITE, "run", "--reporter", "json-lines=" + report, "--", sys.executable, *command],
                             capture_output=True, text=True, timeout=300)
        with open(report, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
    accepted = {mistake for row in rows if row.get("type") == "forged" for mistake in row["mistakes"]}
    return ran.returncode, [row for row in rows if row.get("type") == "cause"], sorted(accepted)


def main(arguments):
    record = None
    if arguments[:1] == ["--json"]:
        record = open(arguments[1], "w", encoding="utf-8")
        arguments = arguments[2:]
    for name, command, truth in programs(arguments):
        code, causes, accepted = causes_of(command)
        print("%s exit %d | %s" % (name, code, truth))
        for cause in causes:
            differing = " %s differ" % cause["differing"] if cause.get("differing") else ""
            others = " or %d others" % len(cause["others"]) if cause["others"] else ""
            print("    %s %d %s%s%s" % (cause["confidence"], len(cause["ids"]), cause["mistake"], others, differing))
        if accepted and not causes:
            print("    accepts requests signed with %s" % ", ".join(accepted))
        if record:
            record.write(json.dumps({"name": name, "truth": truth, "exit": code, "causes": causes}) + "\n")


main(sys.argv[1:])
