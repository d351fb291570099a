/**
 * The command that accepts failures as known ones.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import type { Parameters } from './reporter.ts';

/** What is to be accepted: every failure of a cause, that of one vector, or whatever fails. */
export type Accepted = { readonly cause: string } | { readonly vector: string } | 'everything';

/** Options of the run that say nothing about what is asked. */
const LEFT_OUT = ['adapter', 'all', 'expectations', 'reporter'];

/** Words that mean the same to every shell. */
const PLAIN = /^[A-Za-z0-9_@%+:,./=-]+$/;

/** One line for a POSIX shell; who runs it puts a reason in. */
export function acceptCommand(
  { values, positionals }: Parameters,
  { name, command, ownAdapter, module, folderGiven, expectations }: Subject,
  accepted: Accepted,
): string {
  const options = Object.entries(values)
    .filter(([option]) => !LEFT_OUT.includes(option))
    .flatMap(([option, value]) => [value ?? []].flat().flatMap((one) => written(option, one)));
  const named =
    values['expectations'] ?? (expectations === undefined ? 'expectations.yaml' : undefined);
  const file = named === undefined || named === expectations ? [] : ['--expectations', `${named}`];
  const place = ownAdapter ? name : folderGiven;
  // A module is among the options already.
  const adapter =
    place !== undefined ? ['--adapter', place] : module === undefined ? ['--', ...command] : [];
  const words = [...selection(positionals, accepted), ...options, ...file, ...adapter];
  return `svc-conformance accept --reason '…' ${words.map(quoted).join(' ')}`;
}

function selection(positionals: readonly string[], accepted: Accepted): readonly string[] {
  if (accepted === 'everything') return positionals;
  return 'cause' in accepted ? ['--cause', accepted.cause, ...positionals] : [accepted.vector];
}

function written(option: string, value: string | boolean): readonly string[] {
  return typeof value === 'string' ? [`--${option}`, value] : [`--${option}`];
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A block of a report with the line that accepts it, where there is one. */
export function withAccept(block: string, line: string): string {
  return line === '' ? block : `${block}\n${line}`;
}
