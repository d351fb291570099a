/**
 * The report that people read: causes, failures, counts, and a verdict in one line.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import {
  type Header,
  type NotRun,
  type Report,
  type SubjectKind,
  subjectKind,
} from '../engine/report/report.ts';
import { formatShard, isWhole } from '../engine/select.ts';
import { LEVELS, type Level } from '../engine/vector.ts';
import { adapterCheckCommand, nextSteps, totalText } from './commands.ts';
import { harmless } from './harmless.ts';
import { type Ending, type Reporter, verdictSentence } from './reporter.ts';
import { filled, INDENT, type Style, type Terminal, toBlocks, toLines } from './terminal.ts';

/** @param all whether to show every failure and the answers to open questions */
export function terminalReport(out: Terminal, all: boolean): Reporter {
  let kind: SubjectKind = 'adapter';
  const notRun: NotRun[] = [];
  return {
    begin(header) {
      kind = subjectKind(header);
      return `${filled(title(header), out.width, '')}\n\n`;
    },
    async add(report) {
      if ('notRun' in report) {
        notRun.push(report);
        return '';
      }
      const counts = `${all ? censusBlock(report, out) : ''}${countsBlock(report, out)}`;
      if (report.exitCode === EXIT.asExpected) return counts;
      const { failureReport } = await import('./failure-report.ts');
      return failureReport(report, out, all) + counts;
    },
    end: (ending) => notRunBlock(notRun, out) + verdictLine(ending, kind, out),
  };
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
function notRunBlock(missing: readonly NotRun[], { wrap }: Terminal): string {
  const reasons = [...new Set(missing.map(({ notRun }) => notRun))];
  const lines = reasons.map((reason) => {
    const names = missing.filter(({ notRun }) => notRun === reason);
    const list = names.map(({ subject }) => subject.name).join(', ');
    return wrap(`${list} not run, because ${reason}`, '');
  });
  return toBlocks(lines.length === 0 ? [] : [lines]);
}

/** The last line of a report. */
export function verdictLine(ending: Ending, kind: SubjectKind, { paint }: Terminal): string {
  const style = ending.exitCode === EXIT.asExpected ? 'green' : 'red';
  return `${paint(style, verdictSentence(ending, kind))}\n`;
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
  const { internalError, notes, banner } = report;
  const sentences = toLines(
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

/** Outcomes that never fail a run: the answers to open questions, and failures of advised rules. */
function censusBlock({ outcomes, tolerated }: Report, out: Terminal): string {
  const open = outcomes.filter(({ verdict }) => verdict.status === 'open');
  const lists = {
    'answers to open questions': open.map(
      ({ vector, verdict: { met, message } }) => `${vector.id}: ${met ?? message}`,
    ),
    'failures of advised rules': tolerated.map(({ vector, verdict: { status, message } }) =>
      toLines(vector.id, status, message).join(': '),
    ),
  };
  const blocks = Object.entries(lists)
    .filter(([, items]) => items.length > 0)
    .map(([heading, items]) => [
      out.paint('bold', heading),
      ...items.map((item) => out.wrap(item)),
    ]);
  return toBlocks(blocks);
}

/** `412 pass · 3 fail · 20 unsupported` for each level, for forged requests and for fresh data. */
export function countLines(report: Report, { width, paint, wrap }: Terminal): string {
  const { counts, forgedCounts, freshCounts, fresh, tolerated } = report;
  const line = (name: string, text: string): string => filled(`${name.padEnd(9)} ${text}`, width);
  // Failures that do not fail the run are yellow.
  const failureStyle = (level: Level): Style =>
    level === 'advised' && tolerated.length > 0 ? 'yellow' : 'red';
  const levels = LEVELS.filter((level) => counts[level].size > 0);
  const hasTotal = levels.length > 1 || report.failures.length > 0;
  const lines = toLines(
    levels.map((level) =>
      line(level, countText(counts[level], paint, STYLES, failureStyle(level))),
    ),
    tolerated.length > 0 && wrap(ADVICE),
    forgedCounts.size > 0 &&
      line('forged', countText(forgedCounts, paint, { ...STYLES, refused: 'green' })),
    fresh && line('fresh', `${countText(freshCounts, paint)} (--seed ${fresh.seed})`),
    hasTotal && line('total', totalText(report, paint)),
  );
  return `${lines.join('\n')}\n`;
}

const ADVICE =
  'failures of advised rules do not fail this run; --all lists them, --level advised makes them count';

const STYLES: Readonly<Record<string, Style>> = {
  pass: 'green',
  open: 'cyan',
  unsupported: 'yellow',
  'known failure': 'yellow',
  'not-asked': 'red',
};

function countText(
  counts: ReadonlyMap<string, number>,
  paint: Terminal['paint'],
  styles: Readonly<Record<string, Style>> = STYLES,
  failureStyle: Style = 'red',
): string {
  return [...counts]
    .map(([status, count]) => paint(styles[status] ?? failureStyle, `${count} ${status}`))
    .join(' · ');
}

/** The name, version and language that the implementation reports. */
export function implementationName({ hello, subject }: Pick<Report, 'hello' | 'subject'>): string {
  if (!hello) return quote(subject.name);
  const { name, version, language } = hello.implementation;
  return harmless(`${name} ${version} (${language})`);
}
