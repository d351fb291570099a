# shellcheck shell=bash disable=SC1003,SC2034,SC2059,SC2154,SC2190
# A backslash in single quotes is one; adapter.sh declares these variables and reads them.

# The signing of the specification: one function for each operation, named as the operation is, with "_" for "-". It
# takes its input from Message and leaves its stages in Result and Trace, its sorted parameters in Sorted. Where it
# fails, Refusal says why, or something broke. A function that yields a text leaves it in R: no process is needed for that.

# What reports call the implementation.
readonly NAME=bash VERSION=1.0.0

readonly OPERATIONS=(
  url-encode password action-signature action-json action-query bucket-request authorization form-authorization
  policy policy-authorization instant-upload presigned-url etag part-etag
  verify-authorization verify-presigned-url verify-query
)

# Take out what your implementation does not let anybody see.
readonly TRACES=(
  sortedParameters canonicalHeaders canonicalResource stringToSign digest signature encodedSignature blockCount
)

readonly BLOCK_SIZE=$((4 * 1024 * 1024))
readonly BASE64=ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/
readonly TOKEN="^[!#\$%&'*+.^_\`|~0-9A-Za-z-]+\$"
readonly FOLD=$'([ \t]*\r?\n[ \t]+)+'
readonly NUMBER='^(-?)(0|[1-9][0-9]*)(\.([0-9]+))?([eE]([+-]?)0*([0-9]{1,4}))?$'
readonly JSON_TOKEN=$'^[ \t\r\n]*("([^"\\\\\x01-\x1f]|\\\\(["\\\\/bfnrt]|u[0-9A-Fa-f]{4}))*"|(-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null)|[]{}:,[])'
readonly PAIRS='^[^=&]*=[^&]*(&[^=&]*=[^&]*)*$'
readonly UTF_8=$'^([\x01-\x7f\xff]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})*$'

# Texts

# The bytes of a text in hexadecimal.
hexadecimal() {
  local text=$1 i byte
  R=
  for ((i = 0; i < ${#text}; i++)); do
    # Bytes beyond ASCII count as negative.
    printf -v byte %02x "'${text:i:1}"
    byte=${byte: -2}
    R+=${byte/ff/00}
  done
}

# Standard Base64 of bytes in hexadecimal.
base64_of() {
  local hex=$1 i bits text=
  for ((i = 0; i < ${#hex}; i += 6)); do
    bits=${hex:i:6}0000
    bits=$((16#${bits:0:6}))
    text+=${BASE64:bits >> 18:1}${BASE64:bits >> 12 & 63:1}
    case $((${#hex} - i)) in
      2) text+='==' ;;
      4) text+=${BASE64:bits >> 6 & 63:1}= ;;
      *) text+=${BASE64:bits >> 6 & 63:1}${BASE64:bits & 63:1} ;;
    esac
  done
  R=$text
}

url_safe() { R=${1//+/-}; R=${R//'/'/_}; }

# §5.3, but for the characters that are given as well
url_encoded() {
  local text=$1 kept=${2-} i character byte
  R=
  for ((i = 0; i < ${#text}; i++)); do
    character=${text:i:1}
    case $character in
      [A-Za-z0-9._~-]) R+=$character ;;
      "$NUL") R+=%00 ;;
      *)
        printf -v byte %02X "'$character"
        if [[ $character == "$kept" ]]; then R+=$character; else R+=%${byte: -2}; fi
        ;;
    esac
  done
}

# Fails where a "%" begins no escape, or the escapes are no UTF-8.
url_decoded() {
  local rest=$1 text='' byte
  while [[ $rest == *%* ]]; do
    text+=${rest%%'%'*}
    rest=${rest#*'%'}
    [[ $rest =~ ^[0-9A-Fa-f]{2} && ! $rest =~ ^[Ff][EeFf] ]] || return 1
    if [[ $rest == 00* ]]; then byte=$NUL; else printf -v byte "\\x${rest:0:2}"; fi
    text+=$byte
    rest=${rest:2}
  done
  R=$text$rest
  [[ $R =~ $UTF_8 ]]
}

# SHA-1 of a text, in hexadecimal.
sha1() {
  R=$(exec sha1sum < <(send "$1"))
  R=${R%% *}
  [[ -n $R ]]
}

# Bytes in hexadecimal, as a format of printf that writes them.
escapes_of() {
  local hex=$1 i
  R=
  for ((i = 0; i < ${#hex}; i += 2)); do R+="\\x${hex:i:2}"; done
}

# The key of HMAC-SHA1 whose pads are known, and the inner and the outer pad as formats of printf (RFC 2104).
Padded='' Inner='' Outer=''

pad_key() {
  local hex i byte
  hexadecimal "$1"
  hex=$R
  ((${#hex} <= 2 * 64)) || { sha1 "$1" && hex=$R; } || return 1
  Inner='' Outer=''
  for ((i = 0; i < 64; i++)); do
    byte=${hex:2 * i:2}
    printf -v Inner '%s\\x%02x' "$Inner" $((0x${byte:-00} ^ 0x36))
    printf -v Outer '%s\\x%02x' "$Outer" $((0x${byte:-00} ^ 0x5c))
  done
  Padded=$1
}

# HMAC-SHA1 of a text with the private key, in hexadecimal.
hmac_sha1() {
  [[ -n $Inner && $Padded == "${Message[keys.privateKey]}" ]] || pad_key "${Message[keys.privateKey]}" || return 1
  R=$(exec sha1sum < <(printf "$Inner" && send "$1"))
  escapes_of "${R%% *}"
  R=$(exec sha1sum < <(printf "$Outer$R"))
  R=${R%% *}
  [[ -n $R ]]
}

# Whether the first text comes after the second one in the order of their bytes.
is_after() {
  # NUL comes first, and so does what stands for it here.
  local a=${1//$'\1'/$'\1\2'} b=${2//$'\1'/$'\1\2'}
  [[ ${a//"$NUL"/$'\1\1'} > ${b//"$NUL"/$'\1\1'} ]]
}

json_string() {
  local text=$1 i character
  R=${text//'\'/'\\'}
  R=${R//'"'/'\"'}
  R=${R//"$LF"/'\n'}
  R=${R//"$TAB"/'\t'}
  R=${R//$'\r'/'\r'}
  R=${R//$'\b'/'\b'}
  R=${R//$'\f'/'\f'}
  R=${R//"$NUL"/'\u0000'}
  [[ $R != *[$'\1'-$'\x1f']* ]] || for i in {1..31}; do
    printf -v character "\\x$(printf %x "$i")"
    R=${R//"$character"/"\\u$(printf %04x "$i")"}
  done
  R="\"$R\""
}

# Parameters (§5.1)

# Flat: names, values as they are signed, and 1 where JSON has no quotes around it.
declare -a Names=() Values=() Bare=()

# Takes the parameters of the input, all but Signature.
take_parameters() {
  local i
  Names=() Values=() Bare=()
  for ((i = 0; i < ${Message[input.parameters]}; i++)); do
    flatten "${Message[input.parameters.$i.0]}" "input.parameters.$i.1" || return 1
  done
  require_once
}

# flatten NAME KEY: the parameters that the value under the key is
flatten() {
  local name=$1 key=$2 i
  if [[ ${Message[$key]+there} ]]; then
    put "$name" "${Message[$key]}" ''
  elif [[ ${Message[$key.number]+there} ]]; then
    plain_decimal "${Message[$key.number]}" && put "$name" "$R" 1
  elif [[ ${Message[$key.boolean]+there} ]]; then
    put "$name" "${Message[$key.boolean]}" 1
  elif [[ ${Message[$key.list]+there} ]]; then
    for ((i = 0; i < ${Message[$key.list]}; i++)); do flatten "$name.$i" "$key.list.$i" || return 1; done
  elif [[ ${Message[$key.object]+there} ]]; then
    for ((i = 0; i < ${Message[$key.object]}; i++)); do
      flatten "$name.${Message[$key.object.$i.0]}" "$key.object.$i.1" || return 1
    done
  else
    refuse parameter-null "parameter $name is null, which is no text"
  fi
}

put() {
  # R2
  [[ $1 != Signature ]] || return 0
  Names+=("$1") Values+=("$2") Bare+=("$3")
}

require_once() {
  local -A seen=()
  local name
  for name in "${Names[@]}"; do
    [[ -z ${seen[=$name]-} ]] || refuse parameter-repeated "parameter $name stands there twice" || return 1
    seen[=$name]=1
  done
}

# is_among NAME NAMES...
is_among() {
  local wanted=$1 name
  shift
  for name; do [[ $name != "$wanted" ]] || return 0; done
  return 1
}

# require NAME...: they are among the parameters
require() {
  local name
  for name; do
    is_among "$name" "${Names[@]}" || refuse parameter-missing "parameter $name is missing" || return 1
  done
}

# Every digit of a number, no exponent, no zeros that say nothing.
plain_decimal() {
  [[ $1 =~ $NUMBER ]] || refuse number "a number has no plain decimal text: $1" || return 1
  local sign=${BASH_REMATCH[1]} whole=${BASH_REMATCH[2]} fraction=${BASH_REMATCH[4]} zeros
  local exponent=${BASH_REMATCH[6]}${BASH_REMATCH[7]:-0}
  printf -v zeros %0*d "${exponent#[+-]}" 0
  ((exponent != 0)) || zeros=
  if ((exponent < 0)); then
    whole=$zeros$whole
    fraction=${whole:exponent}$fraction
    whole=${whole:0:exponent}
  else
    fraction+=$zeros
    whole+=${fraction:0:exponent}
    fraction=${fraction:exponent}
  fi
  whole=${whole#"${whole%%[!0]*}"}
  fraction=${fraction%"${fraction##*[!0]}"}
  R=${whole:-0}${fraction:+.$fraction}
  [[ $R == 0 ]] || R=$sign$R
}

# Steps 2 to 6 for the parameters that were taken; leaves the signature in Trace.
sign_parameters() {
  local i k text=
  local -a order=()
  for ((i = 0; i < ${#Names[@]}; i++)); do
    for ((k = i; k > 0; k--)); do
      is_after "${Names[order[k - 1]]}" "${Names[i]}" || break
      order[k]=${order[k - 1]}
    done
    order[k]=$i
  done
  for i in "${order[@]}"; do
    Sorted+=("${Names[i]}" "${Values[i]}")
    text+=${Names[i]}${Values[i]}
  done
  Trace[stringToSign]=$text${Message[keys.privateKey]}
  sha1 "${Trace[stringToSign]}" || return 1
  Trace[signature]=$R
}

# Signs the parameters of the input, which must make a request.
sign_action() { take_parameters && require Action PublicKey && sign_parameters; }

query_string() {
  local i query=
  for ((i = 0; i < ${#Names[@]}; i++)); do
    url_encoded "${Names[i]}"
    query+=$R=
    url_encoded "${Values[i]}"
    query+=$R'&'
  done
  R=${query}Signature=${Trace[signature]}
}

# Takes the parameters of a query string, Signature too.
take_query() {
  local rest=$1 pair name
  Names=() Values=() Bare=()
  while [[ -n $rest ]]; do
    pair=${rest%%'&'*}
    rest=${rest#"$pair"}
    rest=${rest#'&'}
    [[ $pair == *=* ]] || pair+='='
    url_decoded "${pair%%=*}" || refuse query-malformed 'an escape of the query is none' || return 1
    name=$R
    url_decoded "${pair#*=}" || refuse query-malformed 'an escape of the query is none' || return 1
    Names+=("$name") Values+=("$R")
  done
}

# The value of a parameter of the query; there must be one, else that is the reason.
query_value() {
  local name=$1 missing=${2-parameter-missing} i value='' found=0
  for ((i = 0; i < ${#Names[@]}; i++)); do
    [[ ${Names[i]} == "$name" ]] || continue
    value=${Values[i]}
    ((++found))
  done
  ((found > 0)) || refuse "$missing" "parameter $name is missing" || return 1
  ((found == 1)) || refuse parameter-repeated "parameter $name stands there twice" || return 1
  R=$value
}

# File requests (§5.2)

# canonicalize: the extra headers into Trace, the positional ones into Content_md5, Content_type and Date;
# Sends_md5 is empty if there is no header Content-MD5
canonicalize() {
  local i name value names=()
  local -A values=() positional=()
  for ((i = 0; i < ${Message[input.headers]}; i++)); do
    header_name "${Message[input.headers.$i.0]}" # steps 1, 5
    name=$R
    [[ $name =~ $TOKEN ]] || refuse header-name "a header's name is no token" || return 1
    header_value "${Message[input.headers.$i.1]}" || return 1
    value=$R
    if [[ $name == "$HeaderPrefix"* ]]; then
      [[ ${values[$name]+there} ]] || names+=("$name")
      values[$name]=${values[$name]+${values[$name]},}$value # step 3
    elif [[ $name == @(content-md5|content-type|date) ]]; then
      [[ -z ${positional[$name]+there} ]] || refuse header-repeated "header $name stands there twice" || return 1
      positional[$name]=$value
    fi
  done
  Sends_md5=${positional[content-md5]+yes}
  Content_md5=${positional[content-md5]-} Content_type=${positional[content-type]-} Date=${positional[date]-}
  sort_names "${names[@]}" # step 2
  Trace[canonicalHeaders]=
  for name in "${Names[@]}"; do Trace[canonicalHeaders]+=$name:${values[$name]}$LF; done # step 6
}

# The names in the order of their bytes, into Names.
sort_names() {
  local name k
  Names=()
  for name; do
    for ((k = ${#Names[@]}; k > 0; k--)); do
      is_after "${Names[k - 1]}" "$name" || break
      Names[k]=${Names[k - 1]}
    done
    Names[k]=$name
  done
}

# A header's name in lower case, without the blanks before the colon.
header_name() {
  R=${1,,}
  R=${R%"${R##*[! $'\t']}"}
}

# A header's value without folds and outer blanks (steps 4, 5).
header_value() {
  local rest=$1 fold
  R=
  while [[ $rest =~ $FOLD ]]; do
    fold=${BASH_REMATCH[0]}
    R+="${rest%%"$fold"*} "
    rest=${rest#*"$fold"}
  done
  R+=$rest
  [[ $R != *[$'\r\n\xff']* ]] || refuse header-value "a header's value holds a line end or a NUL" || return 1
  R=${R#"${R%%[! $'\t']*}"}
  R=${R%"${R##*[! $'\t']}"}
}

# The verb in upper case.
verb() {
  [[ $1 =~ $TOKEN ]] || refuse method 'the verb is no token' || return 1
  R=${1^^}
}

# sign_file VERB LINES BUCKET KEY POLICY: the positional lines, the rest after the extra headers; leaves the stages in Trace
sign_file() {
  local verb=$1 lines=$2 bucket=$3 key=$4 policy=${5-}
  [[ -n $bucket && $bucket != */* ]] || refuse bucket 'the bucket has no name that a host can have' || return 1
  Trace[canonicalResource]=/$bucket/$key
  Trace[stringToSign]=$verb$LF$lines$LF${Trace[canonicalHeaders]}${Trace[canonicalResource]}$policy
  hmac_sha1 "${Trace[stringToSign]}" || return 1
  Trace[digest]=$R
  base64_of "$R"
  Trace[signature]=$R
}

# sign_request VERB POLICY: the request of the input
sign_request() {
  canonicalize && verb "$1" &&
    sign_file "$R" "$Content_md5$LF$Content_type$LF$Date" "${Message[input.bucket]}" "${Message[input.key]}" "${2-}" &&
    R="$Scheme ${Message[keys.publicKey]}:${Trace[signature]}"
}

# The value of a form field, whose name has a case; fails where there is none.
form_field() {
  local i found=
  for ((i = 0; i < ${Message[input.fields]}; i++)); do
    [[ ${Message[input.fields.$i.0]} == "$1" ]] || continue
    [[ -z $found ]] || refuse header-repeated "form field $1 stands there twice" || return 1
    header_value "${Message[input.fields.$i.1]}" || return 1
    found=1
  done
  [[ -n $found ]]
}

# Verifying (E1)

require_public_key() {
  [[ $1 == "${Message[keys.publicKey]}" ]] || refuse public-key-unknown 'no account has this public key'
}

# accept SIGNATURE: where it is the one that was computed
accept() {
  [[ $1 == "${Trace[signature]}" ]] || refuse signature-mismatch 'the signature is another one' || return 1
  Result[publicKey]=${Message[keys.publicKey]}
}

# The operations

url_encode() { url_encoded "${Message[input.text]}"; Result[encoded]=$R; }

password() { hexadecimal "${Message[input.text]}"; base64_of "$R"; Result[value]=$R; }

action_signature() {
  take_parameters && sign_parameters || return 1
  Result[signature]=${Trace[signature]}
  unset 'Trace[signature]'
}

action_json() {
  sign_action || return 1
  local i body='{'
  for ((i = 0; i < ${#Names[@]}; i++)); do
    json_string "${Names[i]}"
    body+=$R:
    if [[ -n ${Bare[i]} ]]; then R=${Values[i]}; else json_string "${Values[i]}"; fi
    body+=$R,
  done
  Result[body]=$body'"Signature":"'${Trace[signature]}'"}'
}

action_query() { sign_action && query_string && Result[query]=$R; }

bucket_request() {
  local i
  take_parameters && require Action PublicKey || return 1
  for ((i = 0; i < ${#Names[@]}; i++)); do
    [[ ${Names[i]}=${Values[i]} != Action=CreateBucket ]] || require Type BucketName || return 1
  done
  sign_parameters && query_string && Result[target]="/?$R"
}

authorization() { sign_request "${Message[input.method]}" && Result[authorization]=$R; }

form_authorization() {
  canonicalize || return 1
  Content_type=
  if form_field Content-Type; then Content_type=$R; elif ((${#Refusal[@]})); then return 1; fi
  if [[ -z $Sends_md5 ]] && form_field Content-MD5; then Content_md5=$R; elif ((${#Refusal[@]})); then return 1; fi
  sign_file POST "$Content_md5$LF$Content_type$LF$Date" "${Message[input.bucket]}" "${Message[input.key]}" || return 1
  Result[authorization]="$Scheme ${Message[keys.publicKey]}:${Trace[signature]}"
}

policy() {
  local i json=
  for ((i = 0; i < ${Message[input.members]}; i++)); do
    json_string "${Message[input.members.$i.0]}"
    json+=,$R:
    json_string "${Message[input.members.$i.1]}"
    json+=$R
  done
  hexadecimal "{${json#,}}"
  base64_of "$R"
  url_safe "$R"
  Result[policy]=$R
}

policy_authorization() {
  local policy=${Message[input.policy]}
  sign_request "${Message[input.method]}" "$policy" && Result[authorization]=$R:$policy
}

instant_upload() {
  sign_request POST || return 1
  Result[authorization]=$R
  url_encoded "${Message[input.etag]}"
  Result[target]="/uploadhit?Hash=$R"
  url_encoded "${Message[input.key]}"
  Result[target]+="&FileName=$R"
  url_encoded "${Message[input.size]}"
  Result[target]+="&FileSize=$R"
}

presigned_url() {
  local expires=${Message[input.expires]} url
  canonicalize && verb "${Message[input.method]}" || return 1
  sign_file "$R" "$LF$LF$expires" "${Message[input.bucket]}" "${Message[input.key]}" || return 1
  url_encoded "${Trace[signature]}"
  Trace[encodedSignature]=$R
  url_encoded "${Message[input.key]}" /
  url=${Message[input.scheme]}://${Message[input.bucket]}.${Message[input.fileHost]}/$R
  url_encoded "${Message[keys.publicKey]}"
  url+="?$PublicKeyParameter=$R"
  url_encoded "$expires"
  Result[url]="$url&Expires=$R&Signature=${Trace[encodedSignature]}"
}

# Writes the content of the input to standard output.
content() {
  if [[ ${Message[input.content.file]+there} ]]; then
    cat -- "${Message[input.content.file]}"
  else
    printf %s "${Message[input.content.bytes]}" | base64 -d
  fi
}

# The size of the content in bytes.
content_size() {
  if [[ ${Message[input.content.file]+there} ]]; then
    R=$(exec stat -L -c %s -- "${Message[input.content.file]}")
    return
  fi
  local unpadded=${Message[input.content.bytes]%%=*}
  R=$((${#unpadded} * 3 / 4))
}

# The SHA-1 of each block, one behind the other, as bytes.
block_digests() {
  local i
  for ((i = 0; i < $1; i++)); do
    R=$(head -c $BLOCK_SIZE | sha1sum) && escapes_of "${R%% *}" && printf "$R"
  done
}

etag() {
  local count digest
  content_size || return 1
  count=$(((R + BLOCK_SIZE - 1) / BLOCK_SIZE))
  if ((count > 1)); then
    digest=$(content | block_digests $count | sha1sum) || return 1
  else
    digest=$(content | sha1sum) || return 1
  fi
  Trace[blockCount]=$count
  Trace[digest]=${digest%% *}
  # As 32 bits, the least significant byte first.
  printf -v R %08x $count
  base64_of "${R:6:2}${R:4:2}${R:2:2}${R:0:2}${Trace[digest]}"
  url_safe "$R"
  Result[etag]=$R
}

part_etag() {
  local digest
  digest=$(content | sha1sum) || return 1
  Trace[digest]=${digest%% *}
  base64_of "${Trace[digest]}"
  url_safe "$R"
  Result[etag]=$R
}

# Whether a text is Base64 of a JSON object. Without this check, the end of another key passes as a policy.
is_policy() {
  local text=${1//-/+} json
  text=${text//_//}
  while ((${#text} % 4 != 0)); do text+='='; done
  [[ $text =~ ^[A-Za-z0-9+/]*=?=?$ ]] || return 1
  # A NUL would get lost; no JSON has it, or the character that it becomes.
  json=$(printf %s "$text" | base64 -d 2>/dev/null | tr '\0' '\1' && echo .) && is_json_object "${json%.}"
}

is_json_object() {
  local json=$1 tokens=
  [[ $json =~ $UTF_8 && $json != *$'\xff'* ]] || return 1
  while [[ $json =~ $JSON_TOKEN ]]; do
    json=${json:${#BASH_REMATCH[0]}}
    case ${BASH_REMATCH[1]} in
      \"*) tokens+=s ;;
      [][{}:,]) tokens+=${BASH_REMATCH[1]} ;;
      *) tokens+=v ;;
    esac
  done
  [[ $json =~ ^[$' \t\r\n']*$ ]] || return 1
  # The innermost objects and lists become values, until one object is left.
  until [[ $tokens =~ ^\{(s:[sv](,s:[sv])*)?\}$ ]]; do
    [[ $tokens =~ \{(s:[sv](,s:[sv])*)?\}|\[([sv](,[sv])*)?\] ]] || return 1
    tokens=${tokens/"${BASH_REMATCH[0]}"/v}
  done
}

verify_authorization() {
  local i value='' found=0 rest public=${Message[keys.publicKey]} policy=''
  for ((i = 0; i < ${Message[input.headers]}; i++)); do
    header_name "${Message[input.headers.$i.0]}"
    [[ $R == authorization ]] || continue
    header_value "${Message[input.headers.$i.1]}" || return 1
    value=$R
    ((++found))
  done
  ((found > 0)) || refuse authorization-missing 'there is no Authorization header' || return 1
  ((found == 1)) && [[ $value == "$Scheme "*:* ]] ||
    refuse authorization-malformed 'the Authorization header is not scheme, public key and signature' || return 1
  rest=${value#"$Scheme "}
  [[ $rest == "$public":* ]] || require_public_key "${rest%%:*}" || return 1
  rest=${rest#"$public":}
  [[ $rest != *:* ]] || policy=${rest#*:}
  [[ $rest != *:* ]] || { [[ ${Message[input.method]^^} =~ ^(PUT|POST)$ ]] && is_policy "$policy"; } ||
    refuse authorization-malformed 'a third part is a policy in Base64, and of an upload' || return 1
  sign_request "${Message[input.method]}" "$policy" && accept "${rest%%:*}"
}

verify_presigned_url() {
  local host bucket key query file_host=${Message[input.fileHost],,} expires signature
  [[ ${Message[input.url]} =~ ^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)/([^?#]*)\?([^#]*)$ ]] ||
    refuse url-malformed 'the URL is not scheme, host, path and query' || return 1
  host=${BASH_REMATCH[1],,} query=${BASH_REMATCH[3]}
  url_decoded "${BASH_REMATCH[2]}" || refuse url-malformed 'an escape of the path is none' || return 1
  key=$R
  bucket=${host%".$file_host"}
  [[ $bucket != "$host" ]] || refuse url-malformed 'the host is not bucket and file host' || return 1
  take_query "$query" && query_value Signature signature-missing || return 1
  signature=$R
  query_value Expires || return 1
  expires=$R
  query_value "$PublicKeyParameter" && require_public_key "$R" || return 1
  [[ $expires =~ ^[0-9]{1,15}$ ]] || refuse expires-malformed 'Expires is no count of seconds' || return 1
  ((10#${Message[input.now]} <= 10#$expires)) || refuse expired 'the URL has expired' || return 1
  canonicalize && verb "${Message[input.method]}" && sign_file "$R" "$LF$LF$expires" "$bucket" "$key" &&
    accept "$signature"
}

verify_query() {
  local query=${Message[input.query]} signature i
  local -a names values
  [[ $query =~ $PAIRS ]] || refuse query-malformed 'the query is not names and values' || return 1
  take_query "$query" && require_once && query_value Signature signature-missing || return 1
  signature=$R
  query_value Action && query_value PublicKey && require_public_key "$R" || return 1
  names=("${Names[@]}") values=("${Values[@]}")
  Names=() Values=() Bare=()
  for ((i = 0; i < ${#names[@]}; i++)); do put "${names[i]}" "${values[i]}" ''; done
  sign_parameters && accept "$signature"
}
