# Stands for an SDK: signs a request by §5.2 and refuses what HTTP cannot carry. It is an untidy one: it prints.

sdk_authorization() {
  echo 'a line of the SDK'
  local token="^[!#\$%&'*+.^_\`|~0-9A-Za-z-]+\$" fold=$'[ \t]*(\r?\n[ \t]+)+' method=${Message[input.method]}
  local i name value rest text extra=
  local -A values=()
  [[ $method =~ $token ]] || refuse method no || return 1
  [[ -n ${Message[input.bucket]} && ${Message[input.bucket]} != */* ]] || refuse bucket no || return 1
  for ((i = 0; i < Message[input.headers]; i++)); do
    name=$(trimmed "${Message[input.headers.$i.0]}")
    value=${Message[input.headers.$i.1]}
    rest=$value value=
    while [[ $rest =~ $fold ]]; do
      value+="${rest%%"${BASH_REMATCH[0]}"*} "
      rest=${rest#*"${BASH_REMATCH[0]}"}
    done
    value+=$rest
    [[ $name =~ $token ]] || refuse header-name no || return 1
    [[ $value != *[$'\r\n\xff']* ]] || refuse header-value no || return 1
    name=${name,,}
    values[$name]=${values[$name]+${values[$name]},}$(trimmed "$value")
  done
  text=${method^^}$LF${values[content-md5]-}$LF${values[content-type]-}$LF${values[date]-}$LF
  while IFS= read -r name; do
    [[ $name != "$HeaderPrefix"* ]] || extra+=$name:${values[$name]}$LF
  done < <(printf '%s\n' "${!values[@]}" | sort)
  text+=$extra/${Message[input.bucket]}/${Message[input.key]}
  value=$(printf %s "$text" | openssl dgst -sha1 -hmac "${Message[keys.privateKey]}" -binary | base64 -w 0)
  Result[authorization]="$Scheme ${Message[keys.publicKey]}:$value"
}

trimmed() {
  local text=$1
  text=${text#"${text%%[! $'\t']*}"}
  printf %s "${text%"${text##*[! $'\t']}"}"
}
