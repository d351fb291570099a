/**
 * Commands that a report prints, ready to be copied into the shell of this machine, and the next steps that it suggests.
 *
 * @module
 */
import { describeCertaintyInSentence } from '../engine/diagnosis/certainty.ts';
import { formatCount, LONGEST_EXCERPT, shorten } from '../engine/excerpt.ts';
import type { SharedMistake } from '../engine/judge/verifiers.ts';
import type { Parameters, Report } from '../engine/report/report.ts';
import type { Subject } from '../engine/respondent.ts';
import { INDENT, type Terminal, toLines } from './terminal.ts';

/** The failures to accept: those of some causes, those of some vectors, or all. */
export type Accepted =
  | { readonly cause: string | readonly string[] }
  | { readonly vectors: readonly string[] }
  | 'everything';

/** Options that the printed command leaves out: they do not change the questions, or the named vector replaces them. */
const LEFT_OUT = [
  'adapter',
  'all',
  'bail',
  'debug',
  'expectations',
  'reporter',
  'rounds',
  'shard',
  'watch',
];

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
  const options = [...optionsIn(values, LEFT_OUT), ...(isDrawn ? ['--seed', `${seed}`] : [])];
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
  const options = optionsIn(values, [...LEFT_OUT, ...NARROWING]);
  return commandLine('run', [vector, ...seedWords, ...options, ...adapterWords(subject)]);
}

/** Options that an id and a seed replace. */
const NARROWING = ['rule', 'level', 'operation', 'exclude', 'smoke', 'large', 'forged', 'seed'];

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

/** Further groups of failures without a cause are only counted. */
const SHOWN_GROUPS = 3;

/** `790 pass · 27 fail · 15 skip`. Outcomes that are open, unsupported, not asked, known or only advised count as skipped. */
export function totalText({ outcomes, failures, stale }: Report, paint: Terminal['paint']): string {
  const passed = outcomes.filter(({ verdict, known }) => !known && verdict.status === 'pass');
  const skipped = outcomes.length - passed.length - failures.length;
  return toLines(
    passed.length > 0 && paint('green', `${passed.length} pass`),
    failures.length > 0 && paint('red', `${failures.length} fail`),
    skipped > 0 && paint('yellow', `${skipped} skip`),
    stale.length > 0 && paint('red', `${stale.length} stale`),
  ).join(' · ');
}

/** A line for each cause with its fix, and the next command; empty if nothing failed. */
export function nextSteps(report: Report, out: Terminal): string {
  const rows = summaryRows(report);
  if (rows.length === 0) return '';
  const widest = Math.max(...rows.map(([count]) => count.length));
  const indent = ' '.repeat(INDENT.length + widest + 1);
  const lines = rows.map(([count, text]) => {
    const paragraph = out.wrap(text, indent).slice(indent.length);
    return `${INDENT}${out.paint('red', count.padEnd(widest))} ${paragraph}`;
  });
  return `\n${[...lines, ...adviceLines(report, out)].join('\n')}\n`;
}

type Row = readonly [count: string, text: string];

function summaryRows(report: Report): readonly Row[] {
  const { causes, unexplained, details, stale } = report;
  const others = details?.others ?? [];
  const left = others.slice(SHOWN_GROUPS).flatMap(({ outcomes }) => outcomes).length;
  return [
    ...causes.map((cause): Row => {
      const { mistake, explains } = cause;
      const certainty = describeCertaintyInSentence(cause);
      return [`${explains.length} fail`, `${mistake.id}${certainty}: ${mistake.fix}`];
    }),
    ...rowsOf(unexplained.length, 'fail', 'unexplained by any known mistake; an example is above'),
    ...others.slice(0, SHOWN_GROUPS).flatMap(({ shared, outcomes }) => {
      const [first] = outcomes;
      return rowsOf(
        outcomes.length,
        first?.verdict.status ?? 'fail',
        shorten(shared, LONGEST_EXCERPT) || `${first?.vector.id}`,
      );
    }),
    ...rowsOf(left, 'fail', 'for other reasons'),
    ...(report.isOtherDialect ? [] : (details?.blind ?? [])).map(
      ({ sentence }): Row => ['fail', sentence],
    ),
    ...forgedRows(details),
    ...rowsOf(report.freshUncaused.length, 'fail', 'only on fresh data'),
    ...rowsOf(
      stale.length,
      'stale',
      `remove these lines from the file of expectations${stale.length > 1 ? ', in this order' : ''}`,
    ),
  ];
}

function rowsOf(count: number, what: string, text: string): readonly Row[] {
  return count === 0 ? [] : [[`${count} ${what}`, text]];
}

/** Rows for what forged requests show beyond the causes. */
function forgedRows(details: Report['details']): readonly Row[] {
  const { shared = [], unjudged = [] } = details ?? {};
  return [
    ...shared.map((one): Row => ['forged', `${one.mistakes[0]?.id}: ${sharedFix(one)}`]),
    ...unjudged.map(
      ({ operation, status, count }): Row => [
        `${count} ${status}`,
        `forged ${count === 1 ? 'request' : 'requests'} to ${operation}, as above`,
      ],
    ),
  ];
}

/** What to change in verifiers that accept requests with a mistake. */
export function sharedFix({ operations, mistakes: [mistake], isMade }: SharedMistake): string {
  return isMade && mistake ? mistake.fix : `refuse such requests in ${operations.join(' and ')}`;
}

/** The next step and its command. The command is not wrapped, so that people can copy it. */
function adviceLines(report: Report, { wrap }: Terminal): readonly string[] {
  const { header, subject, causes, unexplained, failures } = report;
  const [cause] = causes;
  const id = cause?.explains[0] ?? unexplained[0] ?? failures[0]?.vector.id;
  if (id === undefined) return [];
  const more =
    failures.length > 1 ? `; --all shows all ${formatCount(failures.length, 'failure')}` : '';
  const task = cause
    ? `fix ${cause.mistake.id}`
    : unexplained.length > 0
      ? 'compare the example above with what your code signs'
      : failures[0]?.reply.kind === 'refused' && failures[0].vector.refuse
        ? 'refuse the request of the first failure above for the reason that its rule names'
        : 'find out why the first failure has no answer';
  const isRunnable = subject.kind === undefined && subject.command.length > 0;
  const again = runCommand(header.parameters, subject, id, header.seed);
  return toLines(
    wrap(`next: ${task}, then run ${isRunnable ? 'this' : 'it'} again${more}`),
    isRunnable && INDENT + INDENT + again,
  );
}
