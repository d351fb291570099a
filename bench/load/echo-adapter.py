"""A program that reads lines of JSON and writes each back: the least that an adapter in Python does."""
import json
import sys

rest = b""
while piece := sys.stdin.buffer.read1(64 * 1024):
    *lines, rest = (rest + piece).split(b"\n")
    replies = [json.dumps(json.loads(line)).encode("ascii") + b"\n" for line in lines]
    sys.stdout.buffer.write(b"".join(replies))
    sys.stdout.buffer.flush()
