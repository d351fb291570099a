/**
 * The scripts of `completion`. They contain no verbs or options: they ask the program for candidates, or else complete file names.
 *
 * @module
 */

/** The shell splits the output at line breaks only: a rule id may contain any other character. */
const BASH = `# Completion of svc-conformance for bash: eval "$(svc-conformance completion bash)"
_svc_conformance() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F _svc_conformance svc-conformance
`;

/** zsh completes the words after `--` as the command line of another program. */
const ZSH = `#compdef svc-conformance
# Completion of svc-conformance for zsh: eval "$(svc-conformance completion zsh)"
_svc_conformance() {
  local dashes=\${words[(i)--]}
  if (( dashes < CURRENT )); then
    shift dashes words
    (( CURRENT -= dashes ))
    _normal
    return
  fi
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" completion words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=(\${candidates:#})
  if (( \${#candidates} )); then
    compadd -- $candidates
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _svc_conformance ]]; then
  _svc_conformance "$@"
else
  compdef _svc_conformance svc-conformance
fi
`;

const FISH = `# Completion of svc-conformance for fish: svc-conformance completion fish | source
function __svc_conformance
    set -l before (commandline -opc)
    set -l begun (commandline -ct)
    set -l found ($before[1] completion words -- $before[2..-1] "$begun" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$begun"
    end
end
complete -c svc-conformance -f -a '(__svc_conformance)'
`;

/** The scripts by the names of the shells. */
export const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
