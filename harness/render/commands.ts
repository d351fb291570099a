/**
 * Commands that a report prints, ready to be copied into the shell of this machine.
 *
 * @module
 */
import type { Parameters } from '../engine/report/report.ts';
import type { Subject } from '../engine/respondent.ts';
import { programWords } from './program.ts';

/** The failures to accept: those of some causes, those of some vectors, or all. */
export type Accepted =
  | { readonly cause: string | readonly string[] }
  | { readonly vectors: readonly string[] }
  | 'everything';

/** Options that the printed command leaves out: they do not change the questions, or the named adapter replaces them. */
const LEFT_OUT = ['adapter', 'all', 'bail', 'debug', 'reporter', 'rounds', 'shard', 'watch'];

/** Options that select vectors. */
const NARROWING = ['rule', 'level', 'operation', 'exclude', 'smoke', 'large', 'forged'];

/** With more ids, the command would be too long to read. */
const MOST_VECTORS = 10;

/** A placeholder that the reader replaces. */
const REASON = 'not fixed yet';

/**
 * Adds failures to the file of expectations.
 *
 * @param seed of fresh data, even if the command line does not give it
 */
export function acceptCommand(
  { values, positionals }: Parameters,
  subject: Subject,
  accepted: Accepted,
  seed?: number,
): string {
  const { expectations } = subject;
  const isDrawn = seed !== undefined && values['seed'] === undefined;
  const options = [
    ...optionsIn(values, [...LEFT_OUT, 'expectations']),
    ...(isDrawn ? ['--seed', `${seed}`] : []),
  ];
  const named = values['expectations'] ?? expectations ?? 'expectations.yaml';
  const file = named === expectations ? [] : ['--expectations', `${named}`];
  const words = ['--reason', REASON, ...selection(positionals, accepted), ...options, ...file];
  return commandLine('accept', [...words, ...adapterWords(subject)]);
}

/** Asks about one vector again. @param seed of fresh data */
export function runCommand(
  { values }: Parameters,
  subject: Subject,
  vector: string,
  seed?: number,
): string {
  const seedWords = seed === undefined ? [] : ['--seed', `${seed}`];
  const options = optionsIn(values, [...LEFT_OUT, ...NARROWING, 'expectations', 'seed']);
  return commandLine('run', [vector, ...seedWords, ...options, ...adapterWords(subject)]);
}

/** Asks about all vectors, with the known failures. */
export function runAllCommand({ values }: Parameters, subject: Subject): string {
  const options = optionsIn(values, [...LEFT_OUT, ...NARROWING]);
  return commandLine('run', [...options, ...adapterWords(subject)]);
}

/** Checks whether the messages of an adapter fit the protocol. */
export function adapterCheckCommand(
  subject: Pick<Subject, 'command' | 'dialect' | 'wire' | 'module'>,
): string {
  const { command, dialect, wire, module } = subject;
  const own = module === undefined ? ['--', ...command] : ['--module', module];
  return commandLine('adapter', [
    'check',
    ...(dialect === 'svc' ? [] : ['--dialect', dialect]),
    ...(wire === 'json' ? [] : ['--wire', wire]),
    ...own,
  ]);
}

/** Words that people can copy into a shell. */
export function commandLine(verb: string, words: readonly string[]): string {
  return [...programWords(), verb, ...words].map(shellWord).join(' ');
}

function optionsIn(values: Parameters['values'], leftOut: readonly string[]): readonly string[] {
  return Object.entries(values)
    .filter(([option]) => !leftOut.includes(option))
    .flatMap(([option, value]) => [value ?? []].flat().flatMap((one) => optionWords(option, one)));
}

function optionWords(option: string, value: string | boolean): readonly string[] {
  if (typeof value !== 'string') return [`--${option}`];
  // A value that starts with a hyphen would be taken for an option.
  return value.startsWith('-') ? [`--${option}=${value}`] : [`--${option}`, value];
}

/** The words that name the adapter. A module is already among the options. */
export function adapterWords({
  name,
  command,
  isBundled,
  module,
  folderGiven,
}: Subject): readonly string[] {
  const place = isBundled ? name : folderGiven;
  if (place !== undefined) return ['--adapter', place];
  return module === undefined ? ['--', ...command] : [];
}

function selection(positionals: readonly string[], accepted: Accepted): readonly string[] {
  if (accepted === 'everything') return positionals;
  if ('cause' in accepted) {
    return [...[accepted.cause].flat().flatMap((id) => ['--cause', id]), ...positionals];
  }
  return accepted.vectors.length > MOST_VECTORS ? positionals : accepted.vectors;
}

/** Words that every shell reads unchanged. A leading "=" is not allowed, because zsh would look for a command. */
const PLAIN = /^[\w./:,@%+-][\w./:=,@%+-]*$/;
const PLAIN_ON_WINDOWS = /^[\w./:\\,@+-][\w./:\\=,@+-]*$/;

/** A word of a command line, quoted for the shell of this machine if necessary. */
export function shellWord(word: string): string {
  if (process.platform === 'win32')
    return PLAIN_ON_WINDOWS.test(word) ? word : quotedForWindows(word);
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Backslashes before a quote or the end. The lookbehind avoids quadratic time in long runs. */
const BEFORE_QUOTE = /(?<!\\)\\+(?="|$)/g;

/** Quotes a word for Windows, where backslashes are special only before a quote. */
function quotedForWindows(word: string): string {
  return `"${word.replace(BEFORE_QUOTE, '$&$&').replaceAll('"', '\\"')}"`;
}
