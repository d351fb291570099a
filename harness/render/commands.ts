/**
 * Commands that a report prints, ready to be copied into the shell of this machine.
 *
 * @module
 */
import type { Parameters } from '../engine/report/report.ts';
import type { Subject } from '../engine/subject.ts';

/** The failures to accept: those of a cause, those of some vectors, or all. */
export type Accepted =
  | { readonly cause: string }
  | { readonly vectors: readonly string[] }
  | 'everything';

/** Options of the run that do not change what is asked, or that a named vector replaces. */
const LEFT_OUT = ['adapter', 'all', 'bail', 'expectations', 'reporter', 'shard'];

/** More ids than this make the command too long to read. */
const MOST_VECTORS = 10;

/** The reader replaces it. */
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
  const options = [...optionsIn(values, LEFT_OUT), ...(isDrawn ? ['--seed', `${seed}`] : [])];
  const named =
    values['expectations'] ?? (expectations === undefined ? 'expectations.yaml' : undefined);
  const file = named === undefined || named === expectations ? [] : ['--expectations', `${named}`];
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
  const options = optionsIn(values, [...LEFT_OUT, ...NARROWING]);
  return commandLine('run', [vector, ...seedWords, ...options, ...adapterWords(subject)]);
}

/** Options that an id and a seed replace. */
const NARROWING = ['rule', 'level', 'operation', 'exclude', 'smoke', 'forged', 'seed'];

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

function commandLine(verb: string, words: readonly string[]): string {
  return `svc-conformance ${verb} ${words.map(shellWord).join(' ')}`;
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

/** The words that name the adapter; a module is among the options already. */
function adapterWords({
  name,
  command,
  ownAdapter,
  module,
  folderGiven,
}: Subject): readonly string[] {
  const place = ownAdapter ? name : folderGiven;
  if (place !== undefined) return ['--adapter', place];
  return module === undefined ? ['--', ...command] : [];
}

function selection(positionals: readonly string[], accepted: Accepted): readonly string[] {
  if (accepted === 'everything') return positionals;
  if ('cause' in accepted) return ['--cause', accepted.cause, ...positionals];
  return accepted.vectors.length > MOST_VECTORS ? positionals : accepted.vectors;
}

/** A block of a report with the line that accepts it, where there is one. */
export function withAccept(block: string, line: string): string {
  return line === '' ? block : `${block}\n${line}`;
}

/** Words that mean the same to every shell: nothing is expanded, and zsh takes a leading "=" for a command. */
const PLAIN = /^[\w./:,@%+-][\w./:=,@%+-]*$/;
const PLAIN_ON_WINDOWS = /^[\w./:\\,@+-][\w./:\\=,@+-]*$/;

/** The word as the shell of this machine takes it, in quotes where it needs them. */
export function shellWord(word: string): string {
  if (process.platform === 'win32')
    return PLAIN_ON_WINDOWS.test(word) ? word : quotedForWindows(word);
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Backslashes that a quote follows, or the end. It looks behind, as long runs would take quadratic time. */
const BEFORE_QUOTE = /(?<!\\)\\+(?="|$)/g;

/** As programs on Windows split their command line: backslashes count only before a quote. */
function quotedForWindows(word: string): string {
  return `"${word.replace(BEFORE_QUOTE, '$&$&').replaceAll('"', '\\"')}"`;
}
