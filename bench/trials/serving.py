"""The protocol loop of programs 31 to 127 and of some correct ones; the signing is each program's own."""
import base64
import json
import sys

WORDS = {}


class Refused(Exception):
    pass


class Unsupported(Exception):
    pass


def content(c):
    if "file" in c:
        with open(c["file"], "rb") as f:
            return f.read()
    return base64.b64decode(c["bytes"])


def serve(name, ops):
    """Reads the adapter protocol; ops: operation -> f(input, publicKey, privateKey) giving the result."""
    for line in sys.stdin.buffer:
        m = json.loads(line)
        if "dialect" in m:
            WORDS.update(m["dialect"])
            r = {"protocol": 1, "implementation": {"name": name, "version": "0.1", "language": "python"}, "operations": list(ops)}
        else:
            r = {"n": m["n"]}
            try:
                if m["operation"] in ops:
                    r["result"] = ops[m["operation"]](m["input"], m["keys"]["publicKey"], m["keys"]["privateKey"])
                else:
                    r["unsupported"] = True
            except Refused as e:
                r["refused"] = {"reason": e.args[0], "message": " ".join(e.args[1:])}
            except UnicodeEncodeError:
                r["refused"] = {"reason": "text", "message": "a lone surrogate"}
            except Unsupported as e:
                r["unsupported"] = str(e)
            except Exception as e:
                r["error"] = "%s: %s" % (type(e).__name__, e)
        sys.stdout.write(json.dumps(r) + "\n")
        sys.stdout.flush()
