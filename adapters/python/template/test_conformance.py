"""Every vector as a test of pytest: one run of svc-conformance, and a test for each case of its report."""

import collections
import os
import pathlib
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent

# The program that SVC_CONFORMANCE names, or this version of the package.
PROGRAM = [os.environ["SVC_CONFORMANCE"]] if "SVC_CONFORMANCE" in os.environ else ["npx", "--yes", "svc-conformance@VERSION"]


def run_conformance():
    """The cases of the report that are no skips, and one line about those that are."""
    program = shutil.which(PROGRAM[0])
    if program is None:
        pytest.fail(f"{PROGRAM[0]} was not found; install Node 20.19 or later, or name the program svc-conformance in SVC_CONFORMANCE", pytrace=False)
    command = [program, *PROGRAM[1:], "run", "--adapter", ".", "--reporter", "junit=-"]
    ended = subprocess.run(command, cwd=FOLDER, capture_output=True, check=False)
    cases = list(ElementTree.fromstring(ended.stdout).iter("testcase")) if ended.stdout else []
    kinds = collections.Counter(case.find("skipped").get("message").split(":")[0] for case in cases if case.find("skipped") is not None)
    skipped = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    judged = [case for case in cases if case.find("skipped") is None]
    if (ended.returncode != 0 or not judged) and not any(map(problem_of, judged)):
        why = skipped or ended.stderr.decode(errors="replace").strip()
        pytest.fail(f"svc-conformance run judged {len(judged)} cases and ended with status {ended.returncode}: {why}", pytrace=False)
    return judged, skipped


def problem_of(case):
    """Why the case fails; nothing if it passes."""
    return "\n".join(problem.text for kind in ("failure", "error") for problem in case.iter(kind))


JUDGED, SKIPPED = run_conformance()


@pytest.mark.parametrize("case", JUDGED, ids=[case.get("name") for case in JUDGED])
def test_vector(case):
    if problem_of(case):
        pytest.fail(problem_of(case), pytrace=False)


if SKIPPED:

    @pytest.mark.skip(reason=SKIPPED)
    def test_skipped():
        """Stands for all vectors that are skipped."""
