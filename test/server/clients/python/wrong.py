"""Uses the published Python SDK of US3/UFile with one mistake planted in it while it runs: wrong.py MISTAKE

Prints one JSON line: status and answer of the one request that it makes.
"""
import base64
import hashlib
import json
import os
import pathlib
import sys
import urllib.parse

from ufile import auth, baseufile, bucketmanager, filemanager

KEYS = (os.environ["SVC_PUBLIC_KEY"], os.environ["SVC_PRIVATE_KEY"])
BUCKET = os.environ["SVC_BUCKET"]
KEY = "a b.txt"


def put():
    pathlib.Path("upload.txt").write_text("content")
    return filemanager.FileManager(*KEYS).putfile(BUCKET, KEY, "upload.txt")


def post():
    pathlib.Path("upload.txt").write_text("content")
    return filemanager.FileManager(*KEYS).postfile(BUCKET, KEY, "upload.txt")


def presigned_get():
    return filemanager.FileManager(*KEYS).download_file(BUCKET, KEY, "download")


def describe():
    return bucketmanager.BucketManager(*KEYS).describebucket(BUCKET)


def resource(written):
    baseufile.BaseUFile._BaseUFile__canonicalize_resource = lambda sdk, bucket, key: written(bucket, key)


def signed_text(changed):
    signature = auth.Auth.ufile_signature
    auth.Auth.ufile_signature = lambda sdk, text: signature(sdk, changed(text))


def base64_text(encoded):
    auth.standard_b64encode = lambda digest: encoded(digest).decode()


def action_text(names):
    def signature(sdk, query):
        query["PublicKey"] = KEYS[0]
        text = "".join(name + query[name] for name in names(query)) + KEYS[1]
        return hashlib.sha1(text.encode()).hexdigest()
    auth.Auth.bucket_signature = signature


# By the names of the register, where it has them: what plants the mistake, with what, and a request that shows it.
MISTAKES = {
    "resource-without-bucket": (resource, lambda bucket, key: "/" + key, put),
    "resource-encoded": (resource, lambda bucket, key: "/%s/%s" % (bucket, urllib.parse.quote(key)), presigned_get),
    "verb-in-lower-case": (signed_text, lambda text: text.replace("PUT", "put", 1), put),
    "Content-Type unsigned": (signed_text, lambda text: text.replace("text/plain", "", 1), put),
    "signature-url-safe": (base64_text, base64.urlsafe_b64encode, post),
    "parameters-unsorted": (action_text, list, describe),
}

plant, how, request = MISTAKES[sys.argv[1]]
plant(how)
_, resp = request()
print(json.dumps({"status": resp.status_code, "answer": json.loads(resp.content)}))
