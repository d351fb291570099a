#!/usr/bin/env bash
# The loop of a conformance adapter: messages of tab-separated lines in, messages of such lines out (PROTOCOL.md,
# "Without JSON"). What it offers is in signing.sh.

# A backslash in single quotes is one; operations read the words of the dialect, and may need none of them.
# shellcheck disable=SC1003,SC2034

# Every character is a byte, and sorts as one.
export LC_ALL=C
set -uf -o pipefail
# An "&" in a replacement is an "&".
shopt -u patsub_replacement 2> /dev/null

# No variable holds a NUL, so each is read as this byte, which no UTF-8 has, and written as a NUL again.
readonly NUL=$'\xff'
# Another such byte: it stands for a backslash while others are taken away.
readonly BACKSLASH=$'\xfe'
readonly LF=$'\n' TAB=$'\t'

# The words of the dialect; the prefix in lower case.
Scheme='' HeaderPrefix='' PublicKeyParameter=''

declare -A Result=() Trace=()
declare -a Sorted=() Refusal=()
# What broke, where an operation says so.
Broken=''

# Leaves why there is no answer, and fails.
refuse() { Refusal=("$1" "$2"); return 1; }

# Why the implementation has no way to express the input.
Unsupported=
# Leaves it, and fails.
unsupported() { Unsupported=${1:-true}; return 1; }

# Writes a text to standard output, as its bytes.
send() {
  if [[ $1 == *"$NUL"* ]]; then printf %s "$1" | tr '\377' '\000'; else printf %s "$1"; fi
}

# The replies alone go to standard output: what a program prints goes to standard error.
exec 3>&1 >&2

# shellcheck source-path=SCRIPTDIR source=signing.sh
source "${BASH_SOURCE[0]%/*}/signing.sh"

# What the harness lets run ahead: more would wait longer than a question may take.
readonly WINDOW=8

# The message that is being read: its values by their keys.
declare -A Message=()
# The message that is being written.
Written=

# The text of a value into R.
unescaped() {
  R=${1//'\\'/"$BACKSLASH"}
  R=${R//'\n'/"$LF"}
  R=${R//'\t'/"$TAB"}
  R=${R//"$BACKSLASH"/'\'}
}

# write_line KEY VALUE
write_line() {
  local value=${2//'\'/'\\'}
  value=${value//"$LF"/'\n'}
  Written+=$1$TAB${value//"$TAB"/'\t'}$LF
}

# write_list KEY ELEMENT...
write_list() {
  local key=$1 i=0 element
  shift
  write_line "$key" $#
  for element; do write_line "$key.$((i++))" "$element"; done
}

write_hello() {
  write_line protocol 1
  write_line implementation.name "$NAME"
  write_line implementation.version "$VERSION"
  write_line implementation.language bash
  write_list operations "${OPERATIONS[@]}"
  write_list traces "${TRACES[@]}"
  write_line window $WINDOW
}

# What Result and Trace hold of an operation's stages, by their names.
write_stages() {
  local stage i
  for stage in "${!Result[@]}"; do write_line "result.$stage" "${Result[$stage]}"; done
  for stage in "${!Trace[@]}"; do write_line "trace.$stage" "${Trace[$stage]}"; done
  ((${#Sorted[@]})) || return 0
  write_line trace.sortedParameters $((${#Sorted[@]} / 2))
  for ((i = 0; i < ${#Sorted[@]}; i++)); do
    write_line "trace.sortedParameters.$((i / 2)).$((i % 2))" "${Sorted[i]}"
  done
}

write_reply() {
  local operation=${Message[operation]}
  write_line n "${Message[n]}"
  if [[ " ${OPERATIONS[*]} " != *" $operation "* ]]; then
    write_line unsupported true
    return
  fi
  Result=() Trace=() Sorted=() Refusal=() Unsupported='' Broken=''
  if "${operation//-/_}"; then
    write_stages
  elif ((${#Refusal[@]})); then
    write_line refused.reason "${Refusal[0]}"
    write_line refused.message "${Refusal[1]}"
  elif [[ -n $Unsupported ]]; then
    write_line unsupported "$Unsupported"
  else
    write_line error "${Broken:-$operation ended with an error, which standard error shows}"
  fi
}

answer() {
  Written=
  if [[ -z $Scheme ]]; then
    Scheme=${Message[dialect.scheme]}
    HeaderPrefix=${Message[dialect.headerPrefix],,}
    PublicKeyParameter=${Message[dialect.publicKeyParameter]}
    write_hello
  else
    write_reply
  fi
  send "$Written$LF" >&3
  Message=()
}

main() {
  local line
  while IFS= read -r line; do
    if [[ -z $line ]]; then
      answer
    elif [[ $line == *"$TAB"* ]]; then
      unescaped "${line#*"$TAB"}"
      Message[${line%%"$TAB"*}]=$R
    else
      # Not the line itself: it may hold a private key.
      echo 'adapter.sh: a line of standard input has no tab' >&2
      exit 1
    fi
  done
}

main < <(exec stdbuf -o0 tr '\000' '\377')
