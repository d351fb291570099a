#!/usr/bin/env python3
"""Correct. Answers in several threads, so replies come in any order; each thread first waits a little, longer for every third
question. Replies have their members in another order and are written as raw UTF-8."""
import concurrent.futures
import json
import os
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

lock = threading.Lock()


def write(reply):
    ordered = {name: reply[name] for name in sorted(reply, reverse=True)}
    try:
        line = json.dumps(ordered, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        line = json.dumps(ordered).encode()
    with lock:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()


def work(question, dialect):
    time.sleep(0.002 if question["n"] % 3 else 0.006)
    write(base.answer(question, dialect))


def main():
    hello = json.loads(sys.stdin.buffer.readline())
    write({"protocol": 1, "implementation": {"name": "pool", "version": "9", "language": "python"},
           "operations": sorted(base.OPERATIONS), "window": 16})
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for line in sys.stdin.buffer:
            pool.submit(work, json.loads(line), hello["dialect"])


if __name__ == "__main__":
    main()
