/**
 * The end of a report: how many vectors pass, a line for each cause with its fix, and what to do next.
 *
 * @module
 */
import { describeCertaintyInSentence } from '../engine/diagnosis/certainty.ts';
import { LONGEST_EXCERPT, shorten } from '../engine/excerpt.ts';
import type { Report } from '../engine/report/report.ts';
import { runCommand } from './commands.ts';
import { countFailures } from './sentences.ts';
import { INDENT, type Terminal, wrapped } from './terminal.ts';

/** Further groups of failures without a cause are only counted. */
const SHOWN_GROUPS = 3;

/** `790 pass · 27 fail · 15 skip`. Outcomes that are open, unsupported, not asked, known or only advised count as skipped. */
export function totalText({ outcomes, failures, stale }: Report, paint: Terminal['paint']): string {
  const passed = outcomes.filter(({ verdict, known }) => !known && verdict.status === 'pass');
  const skipped = outcomes.length - passed.length - failures.length;
  return [
    ...(passed.length > 0 ? [paint('green', `${passed.length} pass`)] : []),
    ...(failures.length > 0 ? [paint('red', `${failures.length} fail`)] : []),
    ...(skipped > 0 ? [paint('yellow', `${skipped} skip`)] : []),
    ...(stale.length > 0 ? [paint('red', `${stale.length} stale`)] : []),
  ].join(' · ');
}

/** A line for each cause with its fix, and the next command; empty if nothing failed. */
export function nextSteps(report: Report, out: Terminal): string {
  const rows = summaryRows(report);
  if (rows.length === 0) return '';
  const widest = Math.max(...rows.map(([count]) => count.length));
  const indent = ' '.repeat(INDENT.length + widest + 1);
  const lines = rows.map(([count, text]) => {
    const paragraph = wrapped(text, out.width, indent).slice(indent.length);
    return `${INDENT}${out.paint('red', count.padEnd(widest))} ${paragraph}`;
  });
  return `\n${[...lines, ...adviceLines(report, out)].join('\n')}\n`;
}

type Row = readonly [count: string, text: string];

function summaryRows(report: Report): readonly Row[] {
  const { causes, unexplained, details, freshFailures, stale } = report;
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
    ...forgedRows(report),
    ...rowsOf(freshFailures.length, 'fail', 'only on fresh data'),
    ...rowsOf(stale.length, 'stale', 'remove these lines from the file of expectations'),
  ];
}

function rowsOf(count: number, what: string, text: string): readonly Row[] {
  return count === 0 ? [] : [[`${count} ${what}`, text]];
}

/** A row for each mistake of verifiers that is not already among the causes. */
function forgedRows({ details, causes }: Report): readonly Row[] {
  const known = new Set(causes.map(({ mistake }) => mistake.id));
  return (details?.shared ?? []).flatMap(({ mistakes: [mistake] }) =>
    mistake && !known.has(mistake.id) ? [['forged', `${mistake.id}: ${mistake.fix}`] as const] : [],
  );
}

/** The next step and its command. The command is not wrapped, so that people can copy it. */
function adviceLines(report: Report, { width }: Terminal): readonly string[] {
  const { header, subject, causes, unexplained, failures } = report;
  const [cause] = causes;
  const id = cause?.explains[0] ?? unexplained[0] ?? failures[0]?.vector.id;
  if (id === undefined) return [];
  const more = failures.length > 1 ? `; --all shows all ${countFailures(failures.length)}` : '';
  const task = cause
    ? `fix ${cause.mistake.id}`
    : unexplained.length > 0
      ? 'compare the example above with what your code signs'
      : 'find out why the first failure has no answer';
  const isRunnable = subject.kind === undefined && subject.command.length > 0;
  return [
    wrapped(`next: ${task}, then run ${isRunnable ? 'this' : 'it'} again${more}`, width),
    ...(isRunnable
      ? [`${INDENT}${INDENT}${runCommand(header.parameters, subject, id, header.seed)}`]
      : []),
  ];
}
