#!/usr/bin/env bash
# Uses the service with curl and openssl alone. Prints one JSON line for each step; ../steps.ts says what a step is.
set -u -o pipefail

host="$SVC_BUCKET.cn-bj.ufileos.com"
made=made-by-curl
part_size=$((4 * 1024 * 1024))
size=$((9 * 1024 * 1024 + 1))
curl() { command curl --silent --show-error --fail --max-time 90 "$@"; }

hmac() { openssl dgst -sha1 -hmac "$SVC_PRIVATE_KEY" -binary | openssl base64; }

# The signature of a file request: METHOD TYPE DATE KEY
signature() { printf '%s\n\n%s\n%s\n/%s/%s' "$1" "$2" "$3" "$SVC_BUCKET" "$4" | hmac; }
authorization() { printf 'UCloud %s:%s' "$SVC_PUBLIC_KEY" "$(signature "$1" "$2" '' "$3")"; }

# A file request with its signature in the header: METHOD TYPE KEY TARGET OPTIONS…
signed() {
  local method=$1 type=$2 key=$3 target=$4
  shift 4
  curl --request "$method" --header "Authorization: $(authorization "$method" "$type" "$key")" \
    --header "Content-Type: $type" "$@" "http://$host/$target"
}
put() { signed PUT text/plain "$1" "$2" --data-binary "@$3"; } # KEY TARGET FILE
get() { signed GET '' "$1" "$2" --output download; }           # KEY TARGET
put_and_get() { put "$@" && get "$1" "$2" && cmp "$3" download; }
text() { printf '%s' "$1" >text && echo text; }
random() { openssl rand -out random "$1" && echo random; }

# A URL with its signature in it: METHOD KEY TARGET
presigned() {
  local expires=$(($(date +%s) + 600))
  local escaped
  escaped=$(signature "$1" '' "$expires" "$2" | sed 's#+#%2B#g; s#/#%2F#g; s#=#%3D#g')
  printf 'http://%s/%s?UCloudPublicKey=%s&Expires=%s&Signature=%s' "$host" "$3" "$SVC_PUBLIC_KEY" "$expires" "$escaped"
}

# A request to the account API: NAME=VALUE…
action() {
  set -- "$@" "PublicKey=$SVC_PUBLIC_KEY"
  local sorted parameters=() one
  sorted=$(printf '%s\n' "$@" | LC_ALL=C sort | sed 's/=//' | tr -d '\n')
  for one in "$@" "Signature=$(printf '%s%s' "$sorted" "$SVC_PRIVATE_KEY" | openssl dgst -sha1 -r | cut -c 1-40)"; do
    parameters+=(--data-urlencode "$one")
  done
  curl --get "${parameters[@]}" http://api.ucloud.cn/ >answer && holds '"RetCode":0'
}
holds() { grep -F -- "$1" answer >found || { echo "$1 is not in $(cat answer)" >&2; return 1; }; }

put_with_md5() {
  local sum authorization
  sum=$(openssl dgst -md5 -r "$(random 1000)" | cut -c 1-32)
  authorization="UCloud $SVC_PUBLIC_KEY:$(printf 'PUT\n%s\n\n\n/%s/md5.txt' "$sum" "$SVC_BUCKET" | hmac)"
  curl --request PUT --data-binary @random --header "Authorization: $authorization" --header "Content-MD5: $sum" \
    --header Content-Type: "http://$host/md5.txt" && get md5.txt md5.txt && cmp random download
}
metadata() {
  signed PUT '' described.txt described.txt --header 'X-Ufile-Meta-colour: red' --data-binary x &&
    signed HEAD '' described.txt described.txt --head --output answer && holds 'X-Ufile-Meta-colour: red'
}
instant_upload() { # the ETag of a small file is its SHA-1, with the number of its blocks before it
  local etag
  put held.txt held.txt "$(random 1000)" &&
    etag=$({ printf '\1\0\0\0' && openssl dgst -sha1 -binary random; } | openssl base64 | tr '+/' '-_') &&
    signed POST '' once.txt "uploadhit?Hash=$etag&FileName=once.txt&FileSize=1000" && get once.txt once.txt && cmp random download
}
append() {
  signed PUT '' grows.txt 'grows.txt?append&position=0' --data-binary one &&
    signed PUT '' 'grows.txt?append&position=3' 'grows.txt?append&position=3' --data-binary two &&
    get grows.txt grows.txt && [ "$(cat download)" = onetwo ]
}
rename() {
  put old.txt old.txt "$(text renamed)" && signed PUT '' old.txt 'old.txt?newFileName=new.txt&force=false' &&
    get new.txt new.txt && cmp text download
}
archive_and_restore() {
  put cold.txt cold.txt "$(text cold)" && signed PUT '' cold.txt 'cold.txt?storageClass=ARCHIVE' &&
    signed HEAD '' cold.txt cold.txt --head --output answer && holds 'X-Ufile-Storage-Class: ARCHIVE' &&
    signed PUT '' cold.txt 'cold.txt?restore' && get cold.txt cold.txt && cmp text download
}
form_post() {
  curl --form FileName=form.txt --form "Authorization=$(authorization POST text/plain form.txt)" \
    --form "file=@$(random 1000);type=text/plain" "http://$host/" && get form.txt form.txt && cmp random download
}
range_get() {
  put range.txt range.txt "$(text 0123456789)" && signed GET '' range.txt range.txt --range 2-5 --output download &&
    [ "$(cat download)" = 2345 ]
}
head_file() {
  put head.txt head.txt "$(random 1000)" && signed HEAD '' head.txt head.txt --head --output answer &&
    holds 'Content-Length: 1000' && holds 'Content-Type: text/plain' && holds 'ETag: "AQAAA'
}
prefix_list() {
  put "list of/a" list%20of/a "$(text x)" && put "list of/b" list%20of/b "$(text x)" &&
    signed GET '' '' '?list&prefix=list%20of/&limit=1' --output answer && holds '"FileName":"list of/a"' && holds '"NextMarker":"list of/a"' &&
    signed GET '' '' '?list&prefix=list%20of/&marker=list+of/a' --output answer && holds '"FileName":"list of/b"' && holds '"NextMarker":""'
}
list_objects() {
  put "tree of/leaf" tree%20of/leaf "$(text x)" && put "tree of/twig/leaf" tree%20of/twig/leaf "$(text x)" &&
    signed GET '' '' '?listobjects&prefix=tree+of/&delimiter=/' --output answer &&
    holds '"Key":"tree of/leaf"' && holds '"CommonPrefixes":[{"Prefix":"tree of/twig/"}]'
}
copy() {
  put 'source/ü 1.txt' source/%C3%BC%201.txt "$(random 100)" &&
    signed PUT '' copy.txt copy.txt --header "X-Ufile-Copy-Source: /$SVC_BUCKET/source/%C3%BC%201.txt" &&
    get copy.txt copy.txt && cmp random download
}

initiate() { # KEY; the upload is left in $upload
  signed POST text/plain "$1" "$1?uploads" --output answer && upload=$(sed -E 's/.*"UploadId":"([^"]*)".*/\1/' answer)
}
part() { # KEY NUMBER OPTIONS…; the ETag is added to $etags
  local key=$1 number=$2
  shift 2
  signed PUT text/plain "$key" "$key?uploadId=$upload&partNumber=$number" --dump-header answer --output /dev/null "$@" &&
    etags="${etags:+$etags,}$(sed -n 's/^ETag: "\(.*\)".*/\1/p' answer)"
}
finish() { signed POST text/plain "$1" "$1?uploadId=$upload" --data-binary "$etags" --output answer; }
multipart() {
  local upload etags='' number=0 piece
  initiate parts.txt && split --bytes $part_size "$(random $size)" piece- || return
  for piece in piece-*; do
    part parts.txt $((number++)) --data-binary "@$piece" || return
  done
  finish parts.txt && holds "\"FileSize\":$size" && get parts.txt parts.txt && cmp random download
}
part_copy() {
  local upload etags=''
  put part.txt part.txt "$(text 0123456789)" && initiate copied.txt &&
    part copied.txt 0 --header "X-Ufile-Copy-Source: /$SVC_BUCKET/part.txt" --header 'X-Ufile-Copy-Source-Range: bytes=2-5' &&
    finish copied.txt && get copied.txt copied.txt && [ "$(cat download)" = 2345 ]
}
list_parts() {
  local upload etags=''
  initiate listed.txt && part listed.txt 0 --data-binary "@$(text 0123456789)" &&
    signed GET '' '' "?muploadpart&uploadId=$upload" --output answer && holds '"PartNum":0' && holds '"Size":10'
}
is_gone() { # what is asked for must not be there any more: METHOD TYPE KEY TARGET
  signed "$@" --output answer --no-fail --write-out '%{http_code}' >status; [ "$(cat status)" = 404 ]
}
abort() {
  local upload etags=''
  initiate aborted.txt && part aborted.txt 0 --data-binary "@$(text x)" &&
    signed DELETE '' aborted.txt "aborted.txt?uploadId=$upload" && is_gone POST '' aborted.txt "aborted.txt?uploadId=$upload"
}
presigned_get() {
  put 'given away.txt' given%20away.txt "$(text 'for everybody')" &&
    curl --output download "$(presigned GET 'given away.txt' given%20away.txt)" && cmp text download
}
presigned_put() {
  curl --upload-file "$(text 'by anybody')" "$(presigned PUT 'taken in.txt' taken%20in.txt)" &&
    get 'taken in.txt' taken%20in.txt && cmp text download
}
delete() {
  put gone.txt gone.txt "$(text x)" && signed DELETE '' gone.txt gone.txt --write-out '%{http_code}' >status &&
    [ "$(cat status)" = 204 ] && is_gone GET '' gone.txt gone.txt
}
asks_first() {
  signed PUT text/plain asked.bin asked.bin --header 'Expect: 100-continue' --data-binary "@$(random 3000000)" --verbose 2>answer &&
    holds 'HTTP/1.1 100 Continue' && get asked.bin asked.bin && cmp random download
}
virtual_host() {
  local port=${http_proxy##*:} host=$SVC_BUCKET.files.localhost
  unset http_proxy
  curl() { command curl --silent --show-error --fail --max-time 90 --resolve "$host:$port:127.0.0.1" "${@//http:\/\/$host/http:\/\/$host:$port}"; }
  put_and_get virtual.txt virtual.txt "$(random 1000)"
}

step() {
  local name=$1 problem
  shift
  if problem=$("$@" 2>&1 >/dev/null); then
    printf '{"step":"%s","ok":true}\n' "$name"
  else
    printf '{"step":"%s","ok":false,"error":"%s"}\n' "$name" "$(printf '%s' "$problem" | tr '\n\r"\\' "  ''")"
  fi
}

step 'create bucket' action Action=CreateBucket "BucketName=$made" Region=cn-bj
step 'describe bucket' action Action=DescribeBucket "BucketName=$made"
step 'put and get 0 bytes' put_and_get 0.txt 0.txt "$(text '')"
step 'put and get 1 byte' put_and_get 1.txt 1.txt "$(random 1)"
step 'put and get 5 MiB' put_and_get 5.txt 5.txt "$(random 5242880)"
step 'key with a space' put_and_get 'a b.txt' a%20b.txt "$(text space)"
step 'key with a plus' put_and_get a+b.txt a+b.txt "$(text plus)"
step 'key with a percent sign' put_and_get 100%.txt 100%25.txt "$(text percent)"
step 'key with an escape in it' put_and_get a%41.txt a%2541.txt "$(text escape)"
step 'key beyond ASCII' put_and_get 键-é.txt %E9%94%AE-%C3%A9.txt "$(text beyond)"
step 'key with slashes' put_and_get a/b/c.txt a/b/c.txt "$(text slashes)"
step 'put with Content-MD5' put_with_md5
step 'metadata' metadata
step 'form post' form_post
step 'instant upload' instant_upload
step 'append' append
step 'range get' range_get
step 'head' head_file
step 'prefix list' prefix_list
step 'list objects' list_objects
step 'copy' copy
step 'rename' rename
step 'archive and restore' archive_and_restore
step 'multipart upload' multipart
step 'part copy' part_copy
step 'list parts' list_parts
step 'abort upload' abort
step 'pre-signed get' presigned_get
step 'pre-signed put' presigned_put
step 'delete' delete
step 'put after 100 Continue' asks_first
step 'virtual host' virtual_host
step 'delete bucket' action Action=DeleteBucket "BucketName=$made"
