"""What your implementation has, operation by operation; the loop in adapter.py stays as it is.

Report what your implementation gives and repair nothing: no trimming, no re-encoding, no retry.
"""

IMPLEMENTATION = {"name": "my-sdk", "version": "0", "language": "python"}

# The stages that your implementation lets anybody see, of those in PROTOCOL.md. ["stringToSign"] explains the most.
STAGES = []


class Refused(Exception):
    """A deliberate no of your implementation: Refused(reason, message). Any other exception is an error of it."""


class Unsupported(Exception):
    """Your implementation has no way to express the input: Unsupported(why). Neither a pass nor a failure."""


def authorization(given, keys, dialect):
    """The value of the Authorization header (§5.2).

    given:   {"method": "PUT", "bucket": "demo", "key": "a.txt", "headers": [["Content-Type", "text/plain"]]}
    keys:    {"publicKey": "pub-example", "privateKey": "priv-example"}
    dialect: {"scheme": "Svc", "headerPrefix": "X-Svc-", "publicKeyParameter": "SvcPublicKey"}

    Raise Unsupported(why) where your SDK has no way to express the input, such as a header name twice.
    Call your SDK, and return the result and the stages it shows: {"authorization": value}, {"stringToSign": text}
    """
    raise NotImplementedError("fill in authorization() in signing.py")


OPERATIONS = {
    "authorization": authorization,
    # The next one is one line and one function; PROTOCOL.md names them all: "presigned-url": presigned_url,
}
