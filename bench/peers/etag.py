"""The ETag of a file by the published Python SDK: etag.py FILE."""
import sys

from ufile import util

print(util.file_etag(sys.argv[1]))
