/**
 * `completion`: the words that a shell offers when you press Tab.
 *
 * The scripts contain no verbs or options. They ask the program for candidates; if it prints none, they complete file names.
 *
 * @module
 */
import { EXIT, UsageError } from '../engine/errors.ts';
import { entryNamed } from '../engine/select.ts';
import type { Call } from './call.ts';
import { type Option, operandPlaces, type Parsed, type Verb, type Verbs } from './verb.ts';

/** The shell splits the output at line breaks only: a rule id may contain any other character. */
const BASH = `# Completion of svc-conformance for bash: eval "$(svc-conformance completion bash)"
_svc_conformance() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F _svc_conformance svc-conformance
`;

/**
 * zsh and fish complete the words after `--` as the command line of another program. In a word such as `junit=FILE`, the
 * script for zsh completes the part after the equals sign if the whole word begins no file name; fish does so by itself.
 */
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
  elif ! _files; then
    compset -P '*=' && _files
  fi
}
if [[ "$funcstack[1]" == _svc_conformance ]]; then
  _svc_conformance "$@"
else
  compdef _svc_conformance svc-conformance
fi
`;

const FISH = `# Completion of svc-conformance for fish: svc-conformance completion fish | source
function __svc_conformance_finds
    set -l before (commandline -opc)
    set -l begun (commandline -ct)
    if set -l dashes (contains -i -- -- $before)
        set -l command (string escape -- $before[(math $dashes + 1)..-1]) $begun
        set -g __svc_conformance_found (complete -C "$command")
    else
        set -g __svc_conformance_found ($before[1] completion words -- $before[2..-1] "$begun" 2>/dev/null)
    end
    test (count $__svc_conformance_found) -gt 0
end
complete -c svc-conformance -n __svc_conformance_finds -f -a '$__svc_conformance_found'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** The operand with which the scripts ask for candidates. */
const WORDS = 'words';

const SHELLS = Object.keys(SCRIPTS);

/** @param verbs all verbs, including this one */
export const completionVerb = (verbs: Verbs): Verb => ({
  usage: [`completion ${SHELLS.join('|')}`, `completion ${WORDS} -- [WORD…]`],
  summary:
    'Prints a script that completes verbs, options, their values and ids in your shell. The scripts call `completion words`, which prints the candidates for the last WORD.',
  example: 'completion bash >> ~/.bashrc',
  exitCodes: {},
  operands: {
    [SHELLS.join(', ')]: { help: 'the shell', candidates: () => SHELLS },
  },
  options: {},
  notes: [
    'bash: add the line eval "$(svc-conformance completion bash)" to ~/.bashrc. zsh: add eval "$(svc-conformance completion zsh)" to ~/.zshrc, after compinit. fish: write the script to ~/.config/fish/completions/svc-conformance.fish.',
  ],
  takesCommand: true,
  run: (given, call) => printCompletion(given, call, verbs),
});

async function printCompletion(given: Parsed, call: Call, verbs: Verbs): Promise<number> {
  const [shell = '', ...more] = given.positionals;
  if (shell === WORDS) {
    if (!given.command || more.length > 0) {
      throw new UsageError(
        `write svc-conformance completion ${WORDS} -- WORD…, with -- before the words`,
      );
    }
    call.print((await complete(given.command, verbs)).map((word) => `${word}\n`).join(''));
    return EXIT.asExpected;
  }
  const problem = `there is no completion for ${JSON.stringify(shell)}`;
  const script = shell === '' ? undefined : entryNamed(SCRIPTS, shell, problem);
  if (script === undefined || given.command || more.length > 0) {
    throw new UsageError(`write svc-conformance completion ${SHELLS.join(', or ')}`);
  }
  call.print(script);
  return EXIT.asExpected;
}

/**
 * The candidates for the last word, which may be empty or incomplete.
 *
 * @param line the words after the name of the program
 */
export async function complete(line: readonly string[], verbs: Verbs): Promise<readonly string[]> {
  const words = withoutEquals(line);
  const begun = words.at(-1) ?? '';
  const [name = '', ...before] = words.slice(0, -1);
  const starting = (candidates: readonly string[]): readonly string[] =>
    candidates.filter((candidate) => candidate.startsWith(begun));
  if (words.length <= 1) return starting([...Object.keys(verbs), 'help', '--help', '--version']);
  if (name === 'help') return starting(Object.keys(verbs));
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  // The words after -- belong to another program.
  if (!load || before.includes('--')) return [];
  const verb = await load();
  const valued = optionNamed(verb, before.at(-1) ?? '');
  if (valued && valued.type !== 'flag') return starting((await valued.candidates?.()) ?? []);
  const [, option, value] = /^(--[^=]+)=(.*)$/.exec(begun) ?? [];
  if (option !== undefined && value !== undefined) {
    const values = (await optionNamed(verb, option)?.candidates?.()) ?? [];
    return starting(values.map((one) => `${option}=${one}`));
  }
  if (begun.startsWith('-')) return starting(optionsLeft(verb, before));
  // The last operand is the one that may be repeated.
  const operands = Object.values(verb.operands ?? {});
  const operand = operands[operandPlaces(before, verb.options).length] ?? operands.at(-1);
  return starting((await operand?.candidates?.()) ?? []);
}

/** Bash passes an equals sign as a separate word. Removes the sign between an option and its value, and joins `junit=FILE` again. */
function withoutEquals(words: readonly string[]): readonly string[] {
  const isSign = (at: number): boolean => words[at] === '=' && /^--./.test(words[at - 1] ?? '');
  const kept = words.filter((_, at) => !isSign(at));
  const joined: string[] = [];
  for (const [at, word] of kept.entries()) {
    const isJoined = at > 0 && (word === '=' || kept[at - 1] === '=');
    joined.push(isJoined ? `${joined.pop()}${word}` : word);
  }
  return isSign(words.length - 1) ? [...joined, ''] : joined;
}

/** The option that a word names, without a value in the same word. */
function optionNamed({ options }: Verb, word: string): Option | undefined {
  if (word.startsWith('--')) {
    const name = word.slice(2);
    return Object.hasOwn(options, name) ? options[name] : undefined;
  }
  return Object.values(options).find(({ short }) => short !== undefined && word === `-${short}`);
}

function optionsLeft(
  { options, takesCommand }: Verb,
  before: readonly string[],
): readonly string[] {
  const left = Object.entries(options)
    .filter(([name, { repeatable }]) => {
      const isGiven = before.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
      return repeatable || !isGiven;
    })
    .map(([name]) => `--${name}`);
  return [...left, '--help', ...(takesCommand ? ['--'] : [])];
}
