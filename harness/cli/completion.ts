/**
 * `completion`: the words that a shell offers when you press Tab.
 *
 * @module
 */
import { EXIT, UsageError } from '../engine/errors.ts';
import { findNearest } from '../engine/select.ts';
import type { Call } from './call.ts';
import { SCRIPTS } from './completion-scripts.ts';
import type { Parsed, Verb, Verbs } from './verb.ts';

/** The operand with which the scripts ask for candidates. */
const WORDS = 'words';

const SHELLS = Object.keys(SCRIPTS);

/** @param verbs all verbs, including this one */
export const completionVerb = (verbs: Verbs): Verb => ({
  usage: [`completion ${SHELLS.join('|')}`, `completion ${WORDS} -- [WORD…]`],
  summary:
    'Prints a script that completes verbs, options, their values and ids in your shell. The scripts call it with words, which prints the candidates for the last WORD.',
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
  if (shell === WORDS && given.command && more.length === 0) {
    const { complete } = await import('./complete.ts');
    call.print((await complete(given.command, verbs)).map((word) => `${word}\n`).join(''));
    return EXIT.asExpected;
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined || given.command || more.length > 0) throw wrongShell(shell);
  call.print(script);
  return EXIT.asExpected;
}

function wrongShell(shell: string): UsageError {
  if (shell === '' || SHELLS.includes(shell)) {
    return new UsageError(`write svc-conformance completion ${SHELLS.join(', or ')}`);
  }
  const near = findNearest(shell, SHELLS);
  const hint = near === undefined ? `there are ${SHELLS.join(', ')}` : `did you mean ${near}?`;
  return new UsageError(`there is no completion for ${JSON.stringify(shell)}; ${hint}`);
}
