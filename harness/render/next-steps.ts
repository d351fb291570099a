/**
 * The last lines of a report: what failed in a few words, and the commands to continue with.
 *
 * @module
 */
import { describeCertaintyInSentence } from '../engine/diagnosis/certainty.ts';
import { WRONG_DIALECT } from '../engine/dialects.ts';
import { formatCount, formatList, LONGEST_EXCERPT, shorten } from '../engine/excerpt.ts';
import { UNEXPLAINED, unexplainedPhrase } from '../engine/judge/outcome.ts';
import type { SharedMistake } from '../engine/judge/verifiers.ts';
import { findExample } from '../engine/report/example.ts';
import { isPartial, type Report } from '../engine/report/report.ts';
import { type Accepted, acceptCommand, runAllCommand, runCommand } from './commands.ts';
import { harmless } from './harmless.ts';
import { filled, INDENT, type Terminal, toLines } from './terminal.ts';

/** Further groups of failures without a cause are only counted. */
const SHOWN_GROUPS = 3;

/** `790 pass · 27 fail · 4 known failures · 15 skip`. Outcomes that are open, unsupported, not asked or only advised count as skipped. */
export function totalText({ outcomes, failures, stale }: Report, paint: Terminal['paint']): string {
  const known = outcomes.filter((outcome) => outcome.known);
  const passed = outcomes.filter(({ verdict, known }) => !known && verdict.status === 'pass');
  const skipped = outcomes.length - passed.length - failures.length - known.length;
  return toLines(
    passed.length > 0 && paint('green', `${passed.length} pass`),
    failures.length > 0 && paint('red', `${failures.length} fail`),
    known.length > 0 && paint('yellow', formatCount(known.length, 'known failure')),
    skipped > 0 && paint('yellow', `${skipped} skip`),
    stale.length > 0 && paint('red', `${stale.length} stale`),
  ).join(' · ');
}

/** A line for each cause with its fix, and the next commands; empty if everything passed. */
export function nextSteps(report: Report, out: Terminal): string {
  const rows = summaryRows(report);
  const widest = Math.max(0, ...rows.map(([count]) => count.length));
  const indent = ' '.repeat(INDENT.length + widest + 1);
  const lines = rows.map(([count, text]) => {
    const paragraph = filled(harmless(text), out.width, indent).slice(indent.length);
    return `${INDENT}${out.paint('red', count.padEnd(widest))} ${paragraph}`;
  });
  const all = [...lines, ...adviceLines(report, out)];
  return all.length === 0 ? '' : `\n${all.join('\n')}\n`;
}

type Row = readonly [count: string, text: string];

function summaryRows(report: Report): readonly Row[] {
  const { causes, unexplained, details, freshUncaused, stale } = report;
  const others = details?.others ?? [];
  const left = others.slice(SHOWN_GROUPS).flatMap(({ outcomes }) => outcomes).length;
  return [
    ...causes.map((cause): Row => {
      const { mistake, explains } = cause;
      const certainty = describeCertaintyInSentence(cause);
      return [`${explains.length} fail`, `${mistake.id}${certainty}: ${mistake.fix}`];
    }),
    ...rowsOf(unexplained.length, 'fail', `${unexplainedPhrase(UNEXPLAINED)}; an example is above`),
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
    ...forgedRows(report),
    ...rowsOf(freshUncaused.length, 'fail', 'only on fresh data'),
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
function forgedRows({ details }: Report): readonly Row[] {
  const { shared = [], unjudged = [] } = details ?? {};
  return [
    ...shared.map((one): Row => ['forged', `${one.mistakes[0]?.id}: ${sharedFix(one)}`]),
    ...unjudged.flatMap(({ operation, status, message, count }) =>
      rowsOf(count, 'forged', `${operation}: ${status}; ${message}`),
    ),
  ];
}

/** What to change in verifiers that accept requests with a mistake. */
export function sharedFix({ operations, mistakes: [mistake], isMade }: SharedMistake): string {
  return isMade && mistake ? mistake.fix : `refuse such requests in ${formatList(operations)}`;
}

/** The next commands. They are not wrapped, so that people can copy them. */
function adviceLines(report: Report, { wrap }: Terminal): readonly string[] {
  const { header, subject, failures } = report;
  const task = nextTask(report);
  if (task === undefined) return runAllLines(report);
  const isRunnable = subject.kind === undefined && subject.command.length > 0;
  const more =
    failures.length > 1 ? ` (--all shows all ${formatCount(failures.length, 'failure')})` : '';
  const id = firstFailure(report);
  const again = isRunnable && id !== undefined;
  const accepted = isRunnable ? acceptable(report) : undefined;
  const rest = isPartial(header) || subject.kind !== undefined ? 'run again' : 'run all again';
  const about = report.causes.length > 0 ? 'one vector of it:' : 'one failing vector:';
  const indent = INDENT + INDENT;
  return toLines(
    wrap(`next: ${task}, then ${rest}${more}${again ? `; ${about}` : ''}`),
    again && indent + runCommand(header.parameters, subject, id, header.seed),
    accepted && wrap('or accept failures that you cannot fix yet, cause by cause:'),
    accepted && indent + acceptCommand(header.parameters, subject, accepted, header.seed),
  );
}

/** How to run all vectors after some of them have passed. */
function runAllLines({ header, subject, exitCode }: Report): readonly string[] {
  const isRunnable = subject.command.length > 0 && header.subjects.length === 1;
  if (exitCode !== 0 || !isRunnable || !isPartial(header) || header.shard) return [];
  const { vectors, suite, parameters } = header;
  return [
    `${INDENT}next: this run had ${vectors.length} of ${suite.vectors.length} vectors; run all:`,
    `${INDENT}${INDENT}${runAllCommand(parameters, subject)}`,
  ];
}

/** The id of a vector that shows what to fix first. */
function firstFailure(report: Report): string | undefined {
  const { causes, unexplained, failures } = report;
  const example = causes[0] && findExample(causes[0], report);
  return example?.vector.id ?? unexplained[0] ?? failures[0]?.vector.id;
}

/** What to do first; undefined if nothing failed. */
function nextTask(report: Report): string | undefined {
  const { causes, unexplained, failures, details, freshUncaused, stale } = report;
  const [cause] = causes;
  const [failure] = failures;
  const [shared] = details?.shared ?? [];
  const [unjudged] = details?.unjudged ?? [];
  if (cause) return `fix ${cause.mistake.id}`;
  if (unexplained.length > 0) return 'compare the example above with what your code signs';
  if (failure) {
    return failure.reply.kind === 'refused' && failure.vector.refuse
      ? 'refuse the request of the first failure above for the reason that its rule names'
      : 'find out why the first failure has no answer';
  }
  if (shared) return `refuse requests signed with ${shared.mistakes[0]?.id}`;
  if (unjudged) return `accept the correct requests to ${unjudged.operation}`;
  if (freshUncaused.length > 0) return 'find out why the first answer above depends on the data';
  return stale.length > 0 ? 'remove the stale lines' : undefined;
}

/** The failures that the printed command accepts: those of the first cause, or else of the first group without a cause. */
function acceptable({
  causes,
  unexplained,
  details,
  isOtherDialect,
}: Report): Accepted | undefined {
  const { others = [], blind = [], shared = [], unjudged = [] } = details ?? {};
  const cause = causes.find(({ mistake }) => mistake.id !== WRONG_DIALECT);
  const [group] = others;
  const mistakes = shared.flatMap(({ mistakes: [mistake] }) => mistake?.id ?? []);
  if (cause) return { cause: cause.mistake.id };
  if (unexplained.length > 0) return { cause: UNEXPLAINED };
  if (isOtherDialect) return undefined;
  if (group) return { vectors: group.outcomes.map(({ vector }) => vector.id) };
  if (mistakes.length > 0) return { cause: mistakes };
  if (unjudged.length > 0) return { cause: UNEXPLAINED };
  return blind.length > 0 ? 'everything' : undefined;
}
