/**
 * The report that people read: causes, failures, counts, and a verdict in one line.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import type { Header, NotRun, Report } from '../engine/report/report.ts';
import { formatShard, isWhole } from '../engine/select.ts';
import { LEVELS } from '../engine/vector.ts';
import { adapterCheckCommand } from './commands.ts';
import { type CountsRow, listCounts } from './counts.ts';
import { harmless } from './harmless.ts';
import { nextSteps, totalText } from './next-steps.ts';
import { createReporter, type Reporter, type Results, verdictSentence } from './reporter.ts';
import { filled, INDENT, type Style, type Terminal, toBlocks, toLines } from './terminal.ts';

/** @param all whether to show every failure and the answers to open questions */
export function terminalReport(out: Terminal, all: boolean): Reporter {
  const end = (results: Results): string =>
    notRunBlock(results.reports, out) + verdictLine(results, out);
  return createReporter(end, {
    begin: (header) => `${filled(title(header), out.width, '', INDENT)}\n\n`,
    async add(report) {
      if ('notRun' in report) return '';
      const counts = `${all ? censusBlock(report, out) : ''}${countsBlock(report, out)}`;
      if (report.exitCode === EXIT.asExpected) return counts;
      const { failureReport } = await import('./failure-report.ts');
      return failureReport(report, out, all) + counts;
    },
  });
}

function title({ suite, vectors, shard, seed, freshCount }: Header): string {
  const left = suite.vectors.length - vectors.length;
  const isAll = left === 0 || isWhole(vectors, suite);
  const count = isAll ? `${vectors.length}` : `${vectors.length} of ${suite.vectors.length}`;
  const large = isAll && left > 0 ? `, ${left} more with --large` : '';
  const fresh = seed === undefined ? '' : ` · ${freshCount} on fresh data, --seed ${seed}`;
  const part = shard ? ` · shard ${formatShard(shard)}` : '';
  return `svc-conformance ${suite.version} · ${count} vectors${large}${part}${fresh}`;
}

/** A line for each reason why adapters were not run. */
function notRunBlock(reports: readonly (Report | NotRun)[], { wrap }: Terminal): string {
  const missing = reports.flatMap((report) => ('notRun' in report ? [report] : []));
  const reasons = [...new Set(missing.map(({ notRun }) => notRun))];
  const lines = reasons.map((reason) => {
    const names = missing.filter(({ notRun }) => notRun === reason);
    const list = names.map(({ subject }) => subject.name).join(', ');
    return wrap(`${list} not run, because ${reason}`, '');
  });
  return toBlocks([lines]);
}

/** The last line of a report. */
export function verdictLine(results: Results, { paint, wrap }: Terminal): string {
  const style = results.ending.exitCode === EXIT.asExpected ? 'green' : 'red';
  return `${paint(style, wrap(verdictSentence(results), ''))}\n`;
}

/** The implementation, the counts of verdicts, and notes on the run. */
function countsBlock(report: Report, out: Terminal): string {
  const { subject } = report;
  const heading = out.paint('bold', implementationName(report));
  const dialect = subject.dialect === 'svc' ? '' : ` in the dialect ${subject.dialect}`;
  const body =
    report.neverWorked === undefined
      ? countLines(report, out) + noteLines(report, out) + nextSteps(report, out)
      : neverWorkedLines(report, report.neverWorked, out);
  return `${heading}${dialect}\n${body}\n`;
}

function neverWorkedLines({ subject }: Report, why: string, { paint, wrap }: Terminal): string {
  const what = subject.kind === 'server' ? 'server' : 'adapter';
  const text = `${paint('red', wrap(`the ${what} never worked: ${why}`))}\n`;
  if (subject.command.length === 0) return text;
  // A command is not wrapped, so that people can copy it.
  return `${text}${INDENT}check its messages: ${adapterCheckCommand(subject)}\n`;
}

/** Notes that are joined into one line. */
const NOT_ASKED = /^\d+ vectors? not asked,/;

function noteLines(report: Report, { paint, wrap }: Terminal): string {
  const { internalError, notes, banner, tolerated } = report;
  const sentences = toLines(
    tolerated.some(({ verdict }) => verdict.status !== 'inconclusive') && ADVICE,
    internalError,
    notes.filter((note) => !NOT_ASKED.test(note)),
    notes.filter((note) => NOT_ASKED.test(note)).join('; '),
    banner > 0 &&
      `${banner} lines before the reply to hello were not messages; write banners to standard error`,
    stopSentence(report),
  );
  return sentences.map((sentence) => `${paint('yellow', wrap(sentence))}\n`).join('');
}

/** Why the run stopped early and what was not asked. */
function stopSentence({ stopReason, unasked }: Report): string {
  const rest = unasked.map((sentence) => sentence.replace(`, because ${stopReason}`, ''));
  return toLines(stopReason !== undefined && `the run stopped early: ${stopReason}`, rest).join(
    '; ',
  );
}

/** Outcomes that never fail a run: the answers to open questions, and advised vectors that did not pass. */
function censusBlock({ outcomes, tolerated }: Report, out: Terminal): string {
  const open = outcomes
    .filter(({ verdict }) => verdict.status === 'open')
    .map(({ vector, verdict: { met, message } }) => `${vector.id}: ${met ?? message}`);
  const advised = tolerated.map(({ vector, verdict: { status, message } }) =>
    toLines(vector.id, status, message).join(': '),
  );
  const list = (heading: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [out.paint('bold', heading), ...items.map((item) => out.wrap(item))];
  return toBlocks([
    list('answers to open questions', open),
    list('advised vectors that did not pass', advised),
  ]);
}

/** `412 pass · 3 fail · 20 unsupported` for each level, for forged requests and for fresh data. */
export function countLines(report: Report, { width, paint }: Terminal): string {
  const { fresh, failures } = report;
  const rows = listCounts(report).map((row) => {
    const seed = row.name === 'fresh' && fresh ? ` (--seed ${fresh.seed})` : '';
    const texts = row.counts.map(({ status, text }) =>
      paint(countStyle(row, status, report), text),
    );
    return [row.name, `${texts.join(' · ')}${seed}`] as const;
  });
  const hasTotal = LEVELS.filter((level) => report.counts[level].size > 0).length > 1;
  const total = ['total', totalText(report, paint)] as const;
  const indent = ' '.repeat(NAME_WIDTH + 1);
  return [...rows, ...(hasTotal || failures.length > 0 ? [total] : [])]
    .map(
      ([name, text]) => `${filled(`${name.padEnd(NAME_WIDTH)} ${text}`, width, INDENT, indent)}\n`,
    )
    .join('');
}

/** The longest name of a row is "observed". */
const NAME_WIDTH = 9;

const ADVICE =
  'failures of advised rules do not fail this run; --all lists them, --level advised makes them count';

const STYLES: Readonly<Record<string, Style>> = {
  pass: 'green',
  open: 'cyan',
  unsupported: 'yellow',
  'known failure': 'yellow',
  'not-asked': 'red',
};

function countStyle({ name }: CountsRow, status: string, { tolerated }: Report): Style {
  if (name === 'forged' && status === 'refused') return 'green';
  // Failures that do not fail the run are yellow.
  return STYLES[status] ?? (name === 'advised' && tolerated.length > 0 ? 'yellow' : 'red');
}

/** The name, version and language that the implementation reports. */
export function implementationName({ hello, subject }: Pick<Report, 'hello' | 'subject'>): string {
  if (!hello) return quote(subject.name);
  const { name, version, language } = hello.implementation;
  return harmless(`${name} ${version} (${language})`);
}
