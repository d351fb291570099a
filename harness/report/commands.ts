/**
 * The commands that a report about an adapter prints: each runs as it is.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import type { Parameters } from './reporter.ts';
import { shellWord } from './shell-word.ts';

/** What is to be accepted: every failure of a cause, that of one vector, or whatever fails. */
export type Accepted = { readonly cause: string } | { readonly vector: string } | 'everything';

/** Options of the run that say nothing about what is asked. */
const LEFT_OUT = ['adapter', 'all', 'expectations', 'reporter'];

/** Stands for the reason until the reader writes a better one. */
const REASON = 'not fixed yet';

/**
 * One line for the shell of this machine; the reader replaces the reason.
 *
 * @param seed of `--fresh`, which the command line need not give
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

/** Asks one question on fresh data again, beside the vector that it is made from. */
export function freshCommand(
  { values }: Parameters,
  subject: Subject,
  vector: string,
  seed: number,
): string {
  const left = ['all', 'adapter', 'reporter', 'seed', 'expectations', ...NARROWING];
  const words = [vector, '--seed', `${seed}`, ...optionsIn(values, left)];
  return commandLine('run', [...words, ...adapterWords(subject)]);
}

/** Options that one id makes needless. */
const NARROWING = ['rule', 'level', 'operation', 'smoke', 'forged'];

/** Shows whether the messages of an adapter fit the protocol. */
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
    .flatMap(([option, value]) => [value ?? []].flat().flatMap((one) => written(option, one)));
}

function written(option: string, value: string | boolean): readonly string[] {
  if (typeof value !== 'string') return [`--${option}`];
  // A value that starts with a hyphen would be taken for an option.
  return value.startsWith('-') ? [`--${option}=${value}`] : [`--${option}`, value];
}

/** What names the adapter; a module is among the options already. */
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
  return 'cause' in accepted ? ['--cause', accepted.cause, ...positionals] : [accepted.vector];
}

/** A block of a report with the line that accepts it, where there is one. */
export function withAccept(block: string, line: string): string {
  return line === '' ? block : `${block}\n${line}`;
}
