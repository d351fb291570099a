#!/bin/sh
# Puts and gets a file with curl, signed with openssl for the bucket that is given: wire-curl.sh BUCKET
set -eu
signature() {
  printf '%s' "$1" | openssl dgst -sha1 -hmac "$SVC_PRIVATE_KEY" -binary | openssl base64
}
url="http://$SVC_BUCKET.cn-bj.ufileos.com/a.txt"
put=$(signature "PUT

text/plain

/$1/a.txt")
curl -s -X PUT -H 'Content-Type: text/plain' -H "Authorization: UCloud $SVC_PUBLIC_KEY:$put" --data-binary content "$url"
get=$(signature "GET



/$1/a.txt")
curl -s -H "Authorization: UCloud $SVC_PUBLIC_KEY:$get" "$url"
