#!/usr/bin/env python3
"""Correct. Shows the stages of the file operations as traces; files are hashed by hashlib.file_digest from disk without being read
whole; header values are unfolded line by line; escapes come from one substitution over bytes; Base64 from integers."""
import hashlib
import io
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def base64_text(raw):
    missing = -len(raw) % 3
    out = []
    for chunk in range(0, len(raw), 3):
        three = int.from_bytes(raw[chunk:chunk + 3].ljust(3, b"\0"), "big")
        out += [LETTERS[three >> 18], LETTERS[three >> 12 & 63], LETTERS[three >> 6 & 63], LETTERS[three & 63]]
    return "".join(out[:len(out) - missing]) + "=" * missing


def url_base64(raw):
    return base64_text(raw).replace("+", "-").replace("/", "_")


def percent(text):
    return re.sub(rb"[^0-9A-Za-z._~-]", lambda m: b"%" + m[0].hex().upper().encode(), base.utf8(text)).decode("ascii")


def unfold(value):
    first, *rest = value.split("\n")
    if any(not line or line[0] not in " \t" for line in rest):
        return value                    # a line break that is no fold; refused later
    parts = [first] + rest
    folded = parts[0]
    for line in parts[1:]:
        if folded.endswith("\r"):
            folded = folded[:-1]
        blank = folded.rstrip(" \t")
        folded = blank + " " + line.lstrip(" \t")
    return folded


def open_content(content):
    return open(content["file"], "rb") if "file" in content else io.BytesIO(base.content_bytes(content))


class Window(io.RawIOBase):
    """A block of an open file."""

    def __init__(self, source, start, size):
        self.source, self.left = source, size
        source.seek(start)

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self.source.read(min(len(buffer), self.left))
        buffer[:len(data)] = data
        self.left -= len(data)
        return len(data)


def op_etag(given, keys, dialect):
    with open_content(given["content"]) as source:
        size = source.seek(0, io.SEEK_END)
        starts = range(0, size, 4194304)
        digests = [hashlib.file_digest(Window(source, at, 4194304), "sha1").digest() for at in starts]
    count = len(starts)
    digest = hashlib.sha1(b"".join(digests) if count > 1 else b"").digest() if count != 1 else digests[0]
    return {"etag": url_base64(bytes((count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24)) + digest)}


def op_part_etag(given, keys, dialect):
    with open_content(given["content"]) as source:
        return {"etag": url_base64(hashlib.file_digest(source, "sha1").digest())}


plain_answer, plain_digest, plain_lines = base.answer, base.file_digest, base.lines
seen = {}
STAGES = ["canonicalHeaders", "canonicalResource", "stringToSign", "digest", "signature"]


def lines(method, md5, mime, when, extra, resource):
    seen.update(canonicalHeaders=extra, canonicalResource=resource)
    return plain_lines(method, md5, mime, when, extra, resource)


def file_digest(key, message):
    digest = plain_digest(key, message)
    seen.update(stringToSign=message.decode("utf-8"), digest=digest.hex(), signature=base64_text(digest))
    return digest


def answer(question, dialect):
    seen.clear()
    reply = plain_answer(question, dialect)
    if "result" in reply and question["operation"] in ("authorization", "presigned-url"):
        reply["trace"] = dict(seen)
    return reply


base.file_base64 = base64_text
base.etag_base64 = base.policy_base64 = url_base64
base.password_text = lambda text: base64_text(base.utf8(text))
base.percent, base.unfold, base.op_etag, base.op_part_etag = percent, unfold, op_etag, op_part_etag
base.lines, base.file_digest = lines, file_digest


def main():
    dialect = json.loads(sys.stdin.buffer.readline())["dialect"]
    print(json.dumps({"protocol": 1, "implementation": {"name": "traces", "version": "14", "language": "python"},
                      "operations": list(base.OPERATIONS), "traces": STAGES}), flush=True)
    for line in sys.stdin.buffer:
        print(json.dumps(answer(json.loads(line), dialect)), flush=True)


if __name__ == "__main__":
    main()
