"""A conformance adapter for the published Python SDK of the UCloud API (PyPI: ucloud-sdk-python3).

It puts the questions of ../../PROTOCOL.md to the SDK and reports what the SDK gives, unchanged.
"""
import json
import re
import sys

from ucloud.core.client import Client
from ucloud.core.exc import ValidationException
from ucloud.core.transport import Response, Transport
from ucloud.core.utils.middleware import Middleware
from ucloud.services.uhost.schemas.apis import ResetUHostInstancePasswordRequestSchema
from ucloud.version import version


class NoResult(Exception):
    """Carries the reply that is sent instead of a result."""


def unsupported_if(condition):  # the SDK has no way to take this question
    if condition:
        raise NoResult({"unsupported": True})


class KeepingTransport(Transport):
    """The SDK lets its user choose what sends the requests. This keeps the request and sends nothing."""

    def send(self, req, **options):
        self.request = req
        return Response(req.url, req.method, content=b'{"RetCode": 0}')


def to_dict(pairs):
    """The SDK takes parameters as a dict, which cannot say the same name twice."""
    unsupported_if(len(dict(pairs)) < len(pairs))
    return {name: to_python(value) for name, value in pairs}


def to_python(value):
    """What a user of the SDK writes: True, False, None, a str, an int, a float, a list, a dict."""
    if not isinstance(value, dict):
        return value
    if "list" in value:
        return [to_python(item) for item in value["list"]]
    if "object" in value:
        return to_dict(value["object"])
    digits = value["number"]
    if re.fullmatch("-?(0|[1-9][0-9]*)", digits):
        return int(digits)
    # What is neither JSON's number nor one of Python's other floats is no number at all.
    unsupported_if(not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|NaN|-?Infinity", digits))
    return float(digits)


def action_signature(given, keys):
    """The signature in the request that the SDK's client makes: it drops None, flattens, adds PublicKey and signs."""
    parameters = to_dict(given["parameters"])
    action = parameters.pop("Action", None)
    # The client takes the action by itself, as a text, and sends its own public key with every request.
    unsupported_if(not isinstance(action, str) or parameters.get("PublicKey") != keys["publicKey"])
    transport = KeepingTransport()
    config = {"public_key": keys["publicKey"], "private_key": keys["privateKey"]}
    Client(config, transport, Middleware()).invoke(action, parameters)  # without its logging
    return {"signature": transport.request.data["Signature"]}


def password(given, keys):
    """The client's methods for hosts encode the password, each by the schema of its request."""
    request = {"Region": "cn-bj2", "UHostId": "uhost-example", "Password": given["text"]}
    return {"value": ResetUHostInstancePasswordRequestSchema().dumps(request)["Password"]}


OPERATIONS = {"action-signature": action_signature, "password": password}


def answer(question):
    try:
        unsupported_if(question["operation"] not in OPERATIONS)
        return {"result": OPERATIONS[question["operation"]](question["input"], question["keys"])}
    except NoResult as instead:
        return instead.args[0]
    except ValidationException as refusal:  # what the SDK raises for an input that it does not take
        return {"refused": {"reason": str(refusal)}}
    except Exception as problem:  # noqa: BLE001 (the SDK broke)
        return {"error": f"{type(problem).__name__}: {problem}"}


# Of hello nothing is needed: no word of a dialect is in what this SDK signs.
hello = {"protocol": 1, "implementation": {"name": "ucloud-sdk-python3", "version": version, "language": "python"},
         "operations": list(OPERATIONS), "window": 64}
for line in sys.stdin.buffer:
    message = json.loads(line)
    print(json.dumps({"n": message["n"], **answer(message)} if "n" in message else hello), flush=True)
