"""Correct: content read as a stream of small pieces with two running hashes; Base64 from bit strings; policy JSON by hand."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import base64
import io
from hashlib import sha1
from serving import serve

STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
URL_SAFE = STANDARD[:62] + "-_"


def letters(data, alphabet):
    bits = "".join(format(byte, "08b") for byte in data)
    bits += "0" * (-len(bits) % 6)
    out = "".join(alphabet[int(bits[i:i + 6], 2)] for i in range(0, len(bits), 6))
    return out + "===="[:-len(out) % 4]


def pieces(content):
    stream = open(content["file"], "rb") if "file" in content else io.BytesIO(base64.b64decode(content["bytes"]))
    with stream:
        while piece := stream.read(65536):
            yield piece


def etag(given, pub, pri):
    """The whole and the current block are hashed at once; a block ends when the next byte after it arrives."""
    whole, block, outer = sha1(), sha1(), sha1()
    count = filled = 0
    for piece in pieces(given["content"]):
        whole.update(piece) if count <= 1 else None
        while piece:
            if filled == 4194304:
                outer.update(block.digest())
                block, filled = sha1(), 0
            if not filled:
                count += 1
            part, piece = piece[:4194304 - filled], piece[4194304 - filled:]
            block.update(part)
            filled += len(part)
    if count > 1:
        outer.update(block.digest())
    return {"etag": letters(bytes(count >> shift & 255 for shift in (0, 8, 16, 24)) + (outer if count > 1 else whole).digest(), URL_SAFE)}


def part_etag(given, pub, pri):
    whole = sha1()
    for piece in pieces(given["content"]):
        whole.update(piece)
    return {"etag": letters(whole.digest(), URL_SAFE)}


SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def string(text):
    return '"' + "".join(SHORT.get(c) or (c if c >= " " else "\\u%04x" % ord(c)) for c in text) + '"'


def policy(given, pub, pri):
    out = bytearray(b"{")
    for name, value in given["members"]:
        out += b"," if len(out) > 1 else b""
        out += (string(name) + ":" + string(value)).encode()
    return {"policy": letters(bytes(out + b"}"), URL_SAFE)}


def password(given, pub, pri):
    return {"value": letters(given["text"].encode(), STANDARD)}


def url_encode(given, pub, pri):
    out = []
    for byte in given["text"].encode():
        plain = 48 <= byte < 58 or 65 <= byte < 91 or 97 <= byte < 123 or byte in (45, 46, 95, 126)
        out.append(bytes((byte,)).decode("ascii") if plain else "%" + bytes((byte,)).hex().upper())
    return {"encoded": "".join(out)}


OPS = {"etag": etag, "part-etag": part_etag, "policy": policy, "password": password, "url-encode": url_encode}
if __name__ == "__main__":
    serve("streams", OPS)
