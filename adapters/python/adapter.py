"""The loop of a conformance adapter: answers the questions of the adapter protocol (PROTOCOL.md) by signing.py."""
import json
import os
import sys

from signing import IMPLEMENTATION, OPERATIONS, STAGES, Refused, Unsupported

PIECE_SIZE = 64 * 1024


def answer(question, dialect):
    n = question["n"]
    try:
        if question["operation"] not in OPERATIONS:
            return {"n": n, "unsupported": True}
        result, trace = OPERATIONS[question["operation"]](question["input"], question["keys"], dialect)
        return {"n": n, "result": result, "trace": trace}
    except Refused as refusal:
        return {"n": n, "refused": {"reason": refusal.args[0], "message": refusal.args[1]}}
    except Unsupported as limit:
        return {"n": n, "unsupported": str(limit) or True}
    except Exception as problem:  # noqa: BLE001 (whatever the implementation raises is its answer)
        place = problem.__traceback__  # the module traceback takes longer to load than the protocol
        while place.tb_next:
            place = place.tb_next
        file = place.tb_frame.f_code.co_filename
        return {"n": n, "error": f"{type(problem).__name__}: {problem} ({file}:{place.tb_lineno})"}


def parse(line):
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        sys.exit(f"adapter.py: a line of standard input is not JSON: {problem}")


def read_lines():  # as many at a time as came at a time
    rest = b""
    while piece := sys.stdin.buffer.read1(PIECE_SIZE):
        *lines, rest = (rest + piece).split(b"\n")
        yield lines
    if rest:
        yield [rest]


def take_standard_output():
    """The replies alone go to standard output: what an SDK prints goes to standard error."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return replies


def main():
    output = take_standard_output()
    dialect = None
    for lines in read_lines():
        replies = []
        for message in map(parse, lines):
            if dialect is None:
                dialect = message["dialect"]
                replies.append({"protocol": 1, "operations": list(OPERATIONS), "traces": STAGES, "window": 64,
                                "implementation": IMPLEMENTATION})
            else:
                replies.append(answer(message, dialect))
        # One write for all of them: each would wake the harness.
        output.write(b"".join(json.dumps(reply).encode("ascii") + b"\n" for reply in replies))
        output.flush()


if __name__ == "__main__":
    main()
