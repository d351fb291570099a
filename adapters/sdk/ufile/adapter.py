"""A conformance adapter for the published Python SDK of US3/UFile (PyPI: ufile).

It puts the questions of ../../PROTOCOL.md to the SDK and reports what the SDK gives, unchanged.
"""
import base64
import json
import pathlib
import re
import sys
import tempfile
import time

import ufile
from ufile import auth, baseufile, config, filemanager, util


class NoResult(Exception):
    """Carries the reply that is sent instead of a result."""


def unsupported_if(condition):  # the SDK has no way to take this question
    if condition:
        raise NoResult({"unsupported": True})


def with_keys(make, keys, **options):  # the keys are the only input that the SDK checks and declines
    try:
        return make(keys["publicKey"], keys["privateKey"], **options)
    except ValueError as refusal:
        raise NoResult({"refused": {"reason": str(refusal)}}) from None


def to_dict(pairs):  # the SDK takes headers and parameters as a dict, in which no name is there twice
    unsupported_if(len(dict(pairs)) < len(pairs))
    return dict(pairs)


def authorization(given, keys):
    sdk, headers = with_keys(baseufile.BaseUFile, keys), to_dict(given["headers"])
    return {"authorization": sdk.authorization(given["method"], given["bucket"], given["key"], headers)}


def form_authorization(given, keys):  # as postfile() does it: the form's Content-Type is the argument mime_type
    sdk, headers = with_keys(baseufile.BaseUFile, keys), to_dict(given["headers"])
    types = [value for name, value in given["fields"] if name == "Content-Type"]
    unsupported_if(len(types) > 1 or "Content-MD5" in dict(given["fields"]))  # no argument for these
    return {"authorization": sdk.authorization("post", given["bucket"], given["key"], headers, *types)}


def presigned_url(given, keys):  # the SDK has one function for GET and one for HEAD
    unsupported_if(given["method"] not in ("GET", "HEAD") or given["scheme"] not in ("http", "https"))
    unsupported_if(not re.fullmatch("0|[1-9][0-9]*", given["expires"]))  # the SDK takes an int
    config.set_default(open_ssl=given["scheme"] == "https")
    sdk = with_keys(filemanager.FileManager, keys, download_suffix="." + given["fileHost"])
    sign = sdk.private_download_url if given["method"] == "GET" else sdk.private_head_url
    headers = to_dict(given["headers"])
    while time.time() % 1 > 0.95:  # no tick of the clock between here and the SDK, which counts seconds from now
        time.sleep(0.01)
    return {"url": sign(given["bucket"], given["key"], int(given["expires"]) - int(time.time()), headers)}


def action_signature(given, keys):  # the SDK takes texts only, and sets PublicKey itself
    parameters = to_dict(given["parameters"])
    unsupported_if(not all(isinstance(value, str) for value in parameters.values()))
    unsupported_if(parameters.get("PublicKey") != keys["publicKey"])
    return {"signature": with_keys(auth.Auth, keys).bucket_signature(parameters)}


def etag(given, keys):  # the SDK takes the name of a file
    if "file" in given["content"]:
        return {"etag": util.file_etag(given["content"]["file"])}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "content")
        path.write_bytes(base64.b64decode(given["content"]["bytes"]))
        return {"etag": util.file_etag(str(path))}


OPERATIONS = {"authorization": authorization, "form-authorization": form_authorization,
              "presigned-url": presigned_url, "action-signature": action_signature, "etag": etag}


def answer(question):
    try:
        unsupported_if(question["operation"] not in OPERATIONS)
        return {"result": OPERATIONS[question["operation"]](question["input"], question["keys"])}
    except NoResult as instead:
        return instead.args[0]
    except Exception as problem:  # noqa: BLE001 (the SDK broke)
        return {"error": f"{type(problem).__name__}: {problem}"}


# Of hello nothing is needed: the SDK has its dialect, ucloud, built in.
hello = {"protocol": 1, "implementation": {"name": "ufile", "version": ufile.__version__, "language": "python"},
         "operations": list(OPERATIONS), "window": 64}
for line in sys.stdin.buffer:
    message = json.loads(line)
    print(json.dumps({"n": message["n"], **answer(message)} if "n" in message else hello), flush=True)
