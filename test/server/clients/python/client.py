"""Uses the published Python SDK of US3/UFile (PyPI: ufile) as its users do.

Prints one JSON line for each step; ../steps.ts says what a step is.
"""
import json
import os
import pathlib
import random
import time

import requests
from ufile import bucketmanager, config, filemanager, multipartuploadufile

KEYS = (os.environ["SVC_PUBLIC_KEY"], os.environ["SVC_PRIVATE_KEY"])
BUCKET = os.environ["SVC_BUCKET"]
MADE = "made-by-python"

buckets = bucketmanager.BucketManager(*KEYS)
files = filemanager.FileManager(*KEYS)


def content(size):
    return random.Random(size).randbytes(size)


def local(data, name="upload.txt"):
    pathlib.Path(name).write_bytes(data)
    return name


def done(answer):  # the SDK returns what went wrong
    ret, resp = answer
    if not resp.ok():
        raise RuntimeError("%s %s" % (resp.status_code, resp.error))
    return ret, resp


def check(is_so, what):
    if not is_so:
        raise RuntimeError(what)


def downloaded(key, **options):
    done(files.download_file(BUCKET, key, "download", **options))
    return pathlib.Path("download").read_bytes()


def put_and_get(key, data):
    done(files.putfile(BUCKET, key, local(data)))
    check(downloaded(key) == data, "other bytes came back")


def create_bucket():
    ret, _ = done(buckets.createbucket(MADE, "cn-bj"))
    check(ret["RetCode"] == 0 and ret["BucketName"] == MADE, ret)


def describe_bucket():
    ret, _ = done(buckets.describebucket(MADE))
    check([(one["BucketName"], one["Type"]) for one in ret["DataSet"]] == [(MADE, "private")], ret)


def delete_bucket():
    ret, _ = done(buckets.deletebucket(MADE))
    check(ret["RetCode"] == 0, ret)


def put_with_md5():
    config.set_default(md5=True)
    try:
        put_and_get("md5.txt", content(1000))
    finally:
        config.set_default(md5=False)


def metadata():
    done(files.putfile(BUCKET, "described.txt", local(b"x"), header={"X-Ufile-Meta-colour": "red"}))
    answer = requests.head(files.private_head_url(BUCKET, "described.txt"))
    check((answer.status_code, answer.headers.get("X-Ufile-Meta-colour")) == (200, "red"), answer.headers)


def form_post():
    data = content(1000)
    done(files.postfile(BUCKET, "form.txt", local(data)))
    check(downloaded("form.txt") == data, "other bytes came back")


def range_get():
    done(files.putfile(BUCKET, "range.txt", local(b"0123456789")))
    check(downloaded("range.txt", content_range=(2, 5)) == b"2345", "another range came back")


def head():
    data = content(5 * 1024 * 1024)
    done(files.putfile(BUCKET, "head.txt", local(data)))
    _, resp = done(files.head_file(BUCKET, "head.txt"))
    check((resp.content_length, resp.content_type) == (str(len(data)), "text/plain"), resp)
    check(files.compare_file_etag(BUCKET, "head.txt", "upload.txt"), "another ETag")


def prefix_list():
    for name in ("a", "b", "c"):
        done(files.putfile(BUCKET, "list of/" + name, local(b"x")))
    first, _ = done(files.getfilelist(BUCKET, prefix="list of/", limit=2))
    rest, _ = done(files.getfilelist(BUCKET, prefix="list of/", marker=first["NextMarker"]))
    names = [one["FileName"] for one in first["DataSet"] + rest["DataSet"]]
    check(names == ["list of/a", "list of/b", "list of/c"] and rest["NextMarker"] == "", names)


def list_objects():
    for key in ("tree of/leaf", "tree of/twig/leaf"):
        done(files.putfile(BUCKET, key, local(b"x")))
    ret, _ = done(files.listobjects(BUCKET, prefix="tree of/", marker="", maxkeys=10, delimiter="/"))
    check([one["Key"] for one in ret["Contents"]] == ["tree of/leaf"], ret)
    check([one["Prefix"] for one in ret["CommonPrefixes"]] == ["tree of/twig/"], ret)


def copy():
    data = content(100)
    done(files.putfile(BUCKET, "source/ü 1.txt", local(data)))
    done(files.copy(BUCKET, "copy.txt", BUCKET, "source/ü 1.txt"))
    check(downloaded("copy.txt") == data, "other bytes came back")


def archive_and_restore():
    done(files.putfile(BUCKET, "cold.txt", local(b"cold")))
    done(files.class_switch_file(BUCKET, "cold.txt", "ARCHIVE"))
    done(files.restore_file(BUCKET, "cold.txt"))
    check(downloaded("cold.txt") == b"cold", "other bytes came back")


def multipart():
    data = content(9 * 1024 * 1024 + 1)
    sdk = multipartuploadufile.MultipartUploadUFile(*KEYS)
    ret, _ = done(sdk.uploadfile(BUCKET, "parts.txt", local(data)))
    check(ret["FileSize"] == len(data), ret)
    check(downloaded("parts.txt") == data, "other bytes came back")
    check(files.compare_file_etag(BUCKET, "parts.txt", "upload.txt"), "another ETag")


def copied_part():
    done(files.putfile(BUCKET, "part.txt", local(b"0123456789")))
    sdk = multipartuploadufile.MultipartUploadUFile(*KEYS)
    done(sdk.init_multipart_upload(BUCKET, "copied.txt"))
    done(sdk.upload_part_copy(BUCKET, "part.txt", "text/plain", 0, 10, 0))
    return sdk


def part_copy():
    done(copied_part().finish_upload())
    check(downloaded("copied.txt") == b"0123456789", "other bytes came back")


def list_parts():
    sdk = copied_part()
    ret, _ = done(sdk.get_multi_upload_part(BUCKET, sdk.uploadid))
    check([(one["PartNum"], one["Size"]) for one in ret["Parts"]] == [(0, 10)], ret)


def presigned_get():
    done(files.putfile(BUCKET, "given away.txt", local(b"for everybody")))
    for expires in range(600, 610):  # some of the signatures have a + or a /, which the SDK leaves as they are
        answer = requests.get(files.private_download_url(BUCKET, "given away.txt", expires))
        check((answer.status_code, answer.content) == (200, b"for everybody"), answer.text)


def presigned_put():
    expires = str(int(time.time()) + 600)
    signature = files.signature(BUCKET, "taken in.txt", "put", {"Expires": expires})
    query = {"UCloudPublicKey": KEYS[0], "Expires": expires, "Signature": signature}
    answer = requests.put(files.public_download_url(BUCKET, "taken in.txt"), params=query, data=b"by anybody")
    check(answer.status_code == 200, answer.text)
    check(downloaded("taken in.txt") == b"by anybody", "other bytes came back")


def delete():
    done(files.putfile(BUCKET, "gone.txt", local(b"x")))
    _, resp = done(files.deletefile(BUCKET, "gone.txt"))
    check(resp.status_code == 204, resp)
    _, resp = files.head_file(BUCKET, "gone.txt")
    check(resp.status_code == 404, resp)


def step(name, work):
    try:
        work()
        outcome = {"ok": True}
    except Exception as problem:
        outcome = {"ok": False, "error": "%s: %s" % (type(problem).__name__, problem)}
    print(json.dumps({"step": name, **outcome}), flush=True)


def lacking(name, why):
    print(json.dumps({"step": name, "lacking": why}), flush=True)


step("create bucket", create_bucket)
step("describe bucket", describe_bucket)
step("put and get 0 bytes", lambda: put_and_get("0.txt", b""))
step("put and get 1 byte", lambda: put_and_get("1.txt", content(1)))
step("put and get 5 MiB", lambda: put_and_get("5.txt", content(5 * 1024 * 1024)))
step("key with a space", lambda: put_and_get("a b.txt", b"space"))
step("key with a plus", lambda: put_and_get("a+b.txt", b"plus"))
step("key with a percent sign", lambda: put_and_get("100%.txt", b"percent"))
step("key with an escape in it", lambda: put_and_get("a%41.txt", b"escape"))
step("key beyond ASCII", lambda: put_and_get("键-é.txt", b"beyond"))
step("key with slashes", lambda: put_and_get("a/b/c.txt", b"slashes"))
step("put with Content-MD5", put_with_md5)
step("metadata", metadata)
step("form post", form_post)
lacking("instant upload", "the SDK has no function for it")
lacking("append", "the SDK has no function for it")
step("range get", range_get)
step("head", head)
step("prefix list", prefix_list)
step("list objects", list_objects)
step("copy", copy)
lacking("rename", "the SDK has no function for it")
step("archive and restore", archive_and_restore)
step("multipart upload", multipart)
step("part copy", part_copy)
step("list parts", list_parts)
lacking("abort upload", "the SDK has no function for it")
step("pre-signed get", presigned_get)
step("pre-signed put", presigned_put)
step("delete", delete)
step("delete bucket", delete_bucket)
