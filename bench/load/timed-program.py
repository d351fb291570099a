"""Runs a program: timed-program.py COMMAND...

Writes its duration and its processor time in seconds, its peak memory in bytes and its status to file descriptor 3.
"""
import os
import sys
import time

start = time.perf_counter()
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_CLOSE, 3)])
_, status, use = os.wait4(pid, 0)
took = time.perf_counter() - start
memory = use.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
os.write(3, f"{took} {use.ru_utime + use.ru_stime} {memory} {os.waitstatus_to_exitcode(status)}".encode())
