"""Installs the published Python SDKs: each into .venv of its adapter's folder, as its requirements.txt pins it.

npm run setup:python-sdks, or: python3 adapters/sdk/setup.py (Windows: py adapters/sdk/setup.py)
"""
import os
import pathlib
import subprocess
import sys

PYTHON = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")


class Failed(Exception):
    """One sentence that says what went wrong."""


def run(what, *command):
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        last = ([line for line in lines if line.lower().startswith("error")] or lines or ["it said nothing"])[-1]
        raise Failed(f"{what} ended with status {done.returncode}: {last}")


def set_up(folder):
    """Whether anything had to be done."""
    wanted = (folder / "requirements.txt").read_text(encoding="utf-8")
    venv = folder / ".venv"
    python, stamp = venv.joinpath(*PYTHON), venv / "installed.txt"
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return False
    run("python -m venv", sys.executable, "-m", "venv", "--clear", str(venv))
    run("pip install", str(python), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check",
        "--no-deps", "--requirement", str(folder / "requirements.txt"))
    stamp.write_text(wanted, encoding="utf-8")
    return True


def main():
    failures = 0
    for requirements in sorted(pathlib.Path(__file__).resolve().parent.glob("*/requirements.txt")):
        folder = requirements.parent
        try:
            done = "installed" if set_up(folder) else "is there already"
            print(f"{folder.name}: {done}", flush=True)
        except (Failed, OSError) as problem:
            print(f"{folder.name}: could not be installed (that takes a network and Python 3.10 or later): {problem}",
                  file=sys.stderr)
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
